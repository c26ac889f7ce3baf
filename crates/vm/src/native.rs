//! Native methods, filed by Java package as the JDK files its classes.
//!
//! A native is a Rust function over the argument registers. It must be repeatable from its start:
//! where it needs Java code to run first it returns `Trap::Upcall` and is called again.

mod java;
mod jdk;
mod sun;

use rustc_hash::FxHashMap;

use crate::frame::{Hook, Res, Trap, Upcall};
use crate::heap::ELEMENTS_OFFSET;
use crate::host::{Denial, Failure, errno};
use crate::value::Ref;
use crate::vm::Vm;

/// A native method: argument words in, result word out (`Value::to_slot` form; 0 for void).
pub type NativeFn = fn(&mut Vm, Args<'_>) -> Res<u64>;

/// One row of a registration table: class (internal name), method name, descriptor, function.
/// An empty descriptor stands for every method of that name.
pub type NativeRow = (&'static str, &'static str, &'static str, NativeFn);

/// The argument words of a native call, read in order. Longs and doubles take two words, the
/// value is in the first.
#[derive(Debug, Clone, Copy)]
pub struct Args<'a> {
    words: &'a [u64],
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "slots are reinterpreted, never converted"
)]
impl<'a> Args<'a> {
    /// The arguments in these words.
    pub fn new(words: &'a [u64]) -> Args<'a> {
        Args { words }
    }

    /// The next argument, an `int` or smaller.
    pub fn int(&mut self) -> i32 {
        self.word() as u32 as i32
    }

    /// The next argument, a `boolean`.
    pub fn boolean(&mut self) -> bool {
        self.int() & 1 != 0
    }

    /// The next argument, a `long`.
    pub fn long(&mut self) -> i64 {
        let word = self.word();
        self.words = self.words.get(1..).unwrap_or(&[]);
        word as i64
    }

    /// The next argument, a `float`.
    pub fn float(&mut self) -> f32 {
        f32::from_bits(self.word() as u32)
    }

    /// The next argument, a `double`.
    pub fn double(&mut self) -> f64 {
        f64::from_bits(self.long() as u64)
    }

    /// The next argument, a reference (the receiver comes first).
    pub fn reference(&mut self) -> Ref {
        Ref::from_slot(self.word())
    }

    /// The last argument, a reference; the others are left to be read in order.
    pub(crate) fn last_reference(&self) -> Ref {
        Ref::from_slot(*self.words.last().expect("internal: native reads too many arguments"))
    }

    fn word(&mut self) -> u64 {
        let (&first, rest) =
            self.words.split_first().expect("internal: native reads too many arguments");
        self.words = rest;
        first
    }
}

/// All natives of this machine: one line per file, in alphabetical order.
pub fn table() -> NativeTable {
    NativeTable::new(&[
        java::io::file_descriptor::NATIVES,
        java::io::file_streams::NATIVES,
        java::io::object_streams::NATIVES,
        java::io::random_access_file::NATIVES,
        java::io::unix_file_system::NATIVES,
        java::lang::class::NATIVES,
        java::lang::class::members::NATIVES,
        java::lang::class::nesting::NATIVES,
        java::lang::class_loader::NATIVES,
        java::lang::floating::NATIVES,
        java::lang::invoke::method_handle::NATIVES,
        java::lang::invoke::method_handle_natives::NATIVES,
        java::lang::module::NATIVES,
        java::lang::null_pointer_exception::NATIVES,
        java::lang::object::NATIVES,
        java::lang::object_wait::NATIVES,
        java::lang::process::NATIVES,
        java::lang::reference::NATIVES,
        java::lang::reflect::array::NATIVES,
        java::lang::reflect::executable::NATIVES,
        java::lang::reflect::field::NATIVES,
        java::lang::runtime::NATIVES,
        java::lang::shutdown::NATIVES,
        java::lang::stack_trace_element::NATIVES,
        java::lang::stack_walker::NATIVES,
        java::lang::strict_math::NATIVES,
        java::lang::string::NATIVES,
        java::lang::system::NATIVES,
        java::lang::thread::NATIVES,
        java::lang::throwable::NATIVES,
        java::net::NATIVES,
        java::net::interfaces::NATIVES,
        java::security::NATIVES,
        java::util::NATIVES,
        java::util::prefs::NATIVES,
        java::util::zip::checksums::NATIVES,
        java::util::zip::deflater::NATIVES,
        java::util::zip::inflater::NATIVES,
        jdk::internal::jimage::NATIVES,
        jdk::internal::loader::boot_loader::NATIVES,
        jdk::internal::loader::native_libraries::NATIVES,
        jdk::internal::misc::cds::NATIVES,
        jdk::internal::misc::signal::NATIVES,
        jdk::internal::misc::switches::NATIVES,
        jdk::internal::misc::unsafe_access::NATIVES,
        jdk::internal::misc::unsafe_blocks::NATIVES,
        jdk::internal::misc::unsafe_classes::NATIVES,
        jdk::internal::misc::unsafe_park::NATIVES,
        jdk::internal::misc::vm::NATIVES,
        jdk::internal::perf::NATIVES,
        jdk::internal::reflect::accessor::NATIVES,
        jdk::internal::reflect::constant_pool::NATIVES,
        jdk::internal::reflect::reflection::NATIVES,
        jdk::internal::system_props::NATIVES,
        jdk::internal::vm::NATIVES,
        jdk::internal::vm::continuation::NATIVES,
        sun::attach::NATIVES,
        sun::desktop::NATIVES,
        sun::desktop::shape_spans::NATIVES,
        sun::instrument::NATIVES,
        sun::management::NATIVES,
        sun::management::flags::NATIVES,
        sun::management::memory::NATIVES,
        sun::nio::ch::file_dispatcher::NATIVES,
        sun::nio::ch::inherited::NATIVES,
        sun::nio::ch::io_util::NATIVES,
        sun::nio::ch::mapping::NATIVES,
        sun::rmi::NATIVES,
        sun::unix_system::NATIVES,
        sun::nio::ch::extended_options::NATIVES,
        sun::nio::ch::local_sockets::NATIVES,
        sun::nio::ch::multicast::NATIVES,
        sun::nio::ch::net::NATIVES,
        sun::nio::ch::selectors::NATIVES,
        sun::nio::ch::socket_dispatcher::NATIVES,
        sun::nio::ch::sockets::NATIVES,
        sun::nio::fs::attributes::NATIVES,
        sun::nio::fs::directories::NATIVES,
        sun::nio::fs::extended::NATIVES,
        sun::nio::fs::mounts::NATIVES,
        sun::nio::fs::watching::NATIVES,
        sun::nio::fs::paths::NATIVES,
        sun::nio::fs::transfer::NATIVES,
    ])
}

pub(crate) use sun::attach::Connection;

/// A native that has nothing to do: registration of natives and ids, hints, fences.
pub(crate) fn nothing(_: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(0)
}

/// A native that answers `false`, `0` or `null`.
pub(crate) fn zero(_: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(0)
}

/// A native that answers `true` or `1`.
pub(crate) fn one(_: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(1)
}

/// The checked range of a `byte[]`.
pub(crate) fn byte_range(vm: &mut Vm, array: Ref, offset: i32, length: i32) -> Res<&[u8]> {
    let (at, length) = check_range(vm, array, offset, length)?;
    Ok(vm.heap.bytes(array, at, length))
}

/// Checks a range of a `byte[]`; gives its byte offset in the object and its length.
pub(crate) fn check_range(vm: &mut Vm, array: Ref, offset: i32, length: i32) -> Res<(u32, usize)> {
    if array.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    let size = i64::from(vm.heap.array_length(array));
    if offset < 0 || length < 0 || i64::from(offset) + i64::from(length) > size {
        return Err(vm.throw_plain("java/lang/IndexOutOfBoundsException"));
    }
    Ok((ELEMENTS_OFFSET + offset.cast_unsigned(), length.cast_unsigned() as usize))
}

/// The exception for something the outside refused: `IOException` with the system's text, or
/// `SecurityException` that names the option which grants it.
pub(crate) fn io_failure(vm: &mut Vm, failure: Failure) -> Trap {
    match failure {
        Failure::Os(number) => vm.throw("java/io/IOException", &errno::text(number)),
        Failure::Denied(denial) => denied(vm, denial),
    }
}

/// The exception for something the user did not grant; the host counts it.
pub(crate) fn denied(vm: &mut Vm, denial: Denial) -> Trap {
    vm.throw("java/lang/SecurityException", &denial.to_string())
}

/// Makes a direct `ByteBuffer` over raw memory the result of the running native: calls the
/// constructor that the JDK keeps for native code.
pub(crate) fn new_direct_buffer(vm: &mut Vm, address: u64, capacity: usize) -> Res<u64> {
    let class = vm.boot_class("java/nio/DirectByteBuffer")?;
    vm.ensure_initialised(class)?;
    let mut args = vec![0, address, 0, capacity as u64];
    let constructor = match vm.class(class).method(b"<init>", b"(JJ)V") {
        Some(method) => {
            args.push(0);
            method.id
        }
        None => match vm.class(class).method(b"<init>", b"(JI)V") {
            Some(method) => method.id,
            None => return Err(vm.throw("java/lang/NoSuchMethodError", "DirectByteBuffer.<init>")),
        },
    };
    let object = vm.new_object(class)?;
    args[0] = object.to_slot();
    let hook = Hook::ReflectNew { object };
    Err(Trap::Upcall(Box::new(Upcall { method: constructor, args, hook })))
}

/// All natives this machine has, by class, name and descriptor.
#[derive(Debug, Default, Clone)]
pub struct NativeTable {
    rows: FxHashMap<(&'static str, &'static str), Vec<(&'static str, NativeFn)>>,
}

impl NativeTable {
    /// A table of these rows.
    pub fn new(tables: &[&[NativeRow]]) -> NativeTable {
        let mut table = NativeTable::default();
        for rows in tables {
            table.add(rows);
        }
        table
    }

    /// Adds rows, such as those of classes that a tool defines itself. Methods that are not in
    /// the table when they are first called fail; later ones find what was added.
    pub fn add(&mut self, rows: &[NativeRow]) {
        for &(class, name, descriptor, function) in rows {
            self.rows.entry((class, name)).or_default().push((descriptor, function));
        }
    }

    /// The native behind a method.
    pub fn find(&self, class: &str, name: &str, descriptor: &str) -> Option<NativeFn> {
        if is_registration(class, name, descriptor) {
            return Some(nothing);
        }
        let candidates = self.rows.get(&(class, name))?;
        candidates
            .iter()
            .find(|(d, _)| *d == descriptor)
            .or_else(|| candidates.iter().find(|(d, _)| d.is_empty()))
            .map(|&(_, f)| f)
    }
}

/// Whether a native of the JDK only makes its fields and methods known to code in C.
fn is_registration(class: &str, name: &str, descriptor: &str) -> bool {
    const JDK: [&str; 5] = ["java/", "javax/", "jdk/", "sun/", "com/sun/"];
    descriptor == "()V"
        && (name == "initIDs" || name == "registerNatives")
        && JDK.iter().any(|package| class.starts_with(package))
}

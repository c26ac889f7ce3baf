//! Native methods, filed by Java package as the JDK files its classes.
//!
//! A native is a Rust function over the argument registers. It must be repeatable from its start:
//! where it needs Java code to run first it returns `Trap::Upcall` and is called again.

mod java;
mod jdk;
mod sun;

use rustc_hash::FxHashMap;

use crate::frame::Res;
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

    fn word(&mut self) -> u64 {
        let (&first, rest) = self.words.split_first().expect("internal: native reads too many arguments");
        self.words = rest;
        first
    }
}

/// All natives of this machine: one line per file, in alphabetical order.
pub fn table() -> NativeTable {
    NativeTable::new(&[
        java::lang::class::NATIVES,
        java::lang::class::members::NATIVES,
        java::lang::class::nesting::NATIVES,
        java::lang::class_loader::NATIVES,
        java::lang::invoke::method_handle::NATIVES,
        java::lang::invoke::method_handle_natives::NATIVES,
        java::lang::module::NATIVES,
        java::lang::object::NATIVES,
        java::lang::object_wait::NATIVES,
        java::lang::reflect::array::NATIVES,
        java::lang::reflect::executable::NATIVES,
        java::lang::reflect::field::NATIVES,
        java::lang::thread::NATIVES,
        jdk::internal::continuation::NATIVES,
        jdk::internal::loader::boot_loader::NATIVES,
        jdk::internal::reflect::accessor::NATIVES,
        jdk::internal::reflect::constant_pool::NATIVES,
        jdk::internal::reflect::reflection::NATIVES,
        jdk::internal::unsafe_park::NATIVES,
    ])
}

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

/// All natives this machine has, by class, name and descriptor.
#[derive(Debug, Default)]
pub struct NativeTable {
    rows: FxHashMap<(&'static str, &'static str), Vec<(&'static str, NativeFn)>>,
}

impl NativeTable {
    /// A table of these rows.
    pub fn new(tables: &[&[NativeRow]]) -> NativeTable {
        let mut rows: FxHashMap<_, Vec<(&'static str, NativeFn)>> = FxHashMap::default();
        for &(class, name, descriptor, function) in tables.iter().flat_map(|t| t.iter()) {
            rows.entry((class, name)).or_default().push((descriptor, function));
        }
        NativeTable { rows }
    }

    /// The native behind a method.
    pub fn find(&self, class: &str, name: &str, descriptor: &str) -> Option<NativeFn> {
        let candidates = self.rows.get(&(class, name))?;
        candidates
            .iter()
            .find(|(d, _)| *d == descriptor)
            .or_else(|| candidates.iter().find(|(d, _)| d.is_empty()))
            .map(|&(_, f)| f)
    }
}

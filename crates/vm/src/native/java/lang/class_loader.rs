//! `java.lang.ClassLoader`: defining classes, hidden ones too, and finding those already there.

use classfile::ClassBytes;

use crate::frame::{Hook, Res, Trap, Upcall};
use crate::heap::ELEMENTS_OFFSET;
use crate::link::DefineOptions;
use crate::native::java::lang::class::internal_name;
use crate::native::{Args, NativeRow};
use crate::value::{ClassId, Kind, Ref};
use crate::vm::Vm;

const LOADER: &str = "java/lang/ClassLoader";

/// Options of `Lookup.defineHiddenClass` as `defineClass0` gets them.
const NESTMATE_CLASS: i32 = 1;
const HIDDEN_CLASS: i32 = 2;
const STRONG_LOADER_LINK: i32 = 4;
const ACCESS_VM_ANNOTATIONS: i32 = 8;

pub(crate) const NATIVES: &[NativeRow] = &[
    (
        LOADER,
        "defineClass0",
        "(Ljava/lang/ClassLoader;Ljava/lang/Class;Ljava/lang/String;[BIILjava/security/ProtectionDomain;ZILjava/lang/Object;)Ljava/lang/Class;",
        define_class_0,
    ),
    (
        LOADER,
        "defineClass1",
        "(Ljava/lang/ClassLoader;Ljava/lang/String;[BIILjava/security/ProtectionDomain;Ljava/lang/String;)Ljava/lang/Class;",
        define_class_1,
    ),
    (
        LOADER,
        "defineClass2",
        "(Ljava/lang/ClassLoader;Ljava/lang/String;Ljava/nio/ByteBuffer;IILjava/security/ProtectionDomain;Ljava/lang/String;)Ljava/lang/Class;",
        define_class_2,
    ),
    (LOADER, "findBootstrapClass", "(Ljava/lang/String;)Ljava/lang/Class;", find_bootstrap_class),
    (LOADER, "findLoadedClass0", "(Ljava/lang/String;)Ljava/lang/Class;", find_loaded_class),
    (LOADER, "retrieveDirectives", "()Ljava/lang/AssertionStatusDirectives;", retrieve_directives),
];

/// A name given to `defineClass`, in internal form as the class file must have it; `None` for null.
fn expected_name(vm: &Vm, name: Ref) -> Option<Vec<u8>> {
    let units = vm.string_utf16(name.some()?);
    let slash = |unit| if unit == u16::from(b'.') { u16::from(b'/') } else { unit };
    Some(classfile::mutf8::encode(units.into_iter().map(slash)))
}

/// A part of a `byte[]`, checked.
fn bytes_of(vm: &mut Vm, array: Ref, offset: i32, length: i32) -> Res<ClassBytes> {
    if array.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    let available = vm.heap.array_length(array);
    match (u32::try_from(offset), u32::try_from(length)) {
        (Ok(offset), Ok(length))
            if offset.checked_add(length).is_some_and(|end| end <= available) =>
        {
            let bytes = vm.heap.bytes(array, ELEMENTS_OFFSET + offset, length as usize);
            Ok(ClassBytes::from_vec(bytes.to_vec()))
        }
        _ => Err(vm.throw_plain("java/lang/ArrayIndexOutOfBoundsException")),
    }
}

fn define_class_1(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let loader = args.reference();
    let name = args.reference();
    let array = args.reference();
    let (offset, length) = (args.int(), args.int());
    let protection_domain = args.reference();
    let bytes = bytes_of(vm, array, offset, length)?;
    define_ordinary(vm, loader, name, bytes, protection_domain)
}

fn define_class_2(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let loader = args.reference();
    let name = args.reference();
    let buffer = args.reference();
    let (offset, length) = (args.int(), args.int());
    let protection_domain = args.reference();
    if buffer.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    let class = vm.boot_class("java/nio/Buffer")?;
    let address = vm.heap.load_u64(buffer, vm.field_offset(class, "address", "J"));
    let capacity = vm.heap.load_u32(buffer, vm.field_offset(class, "capacity", "I"));
    let within = match (u32::try_from(offset), u32::try_from(length)) {
        (Ok(offset), Ok(length)) => offset.checked_add(length).is_some_and(|end| end <= capacity),
        _ => false,
    };
    let found = if within {
        let start = address.cast_signed().wrapping_add(i64::from(offset));
        vm.raw_bytes(start, length.cast_unsigned() as usize)
            .map(|bytes| ClassBytes::from_vec(bytes.to_vec()))
    } else {
        None
    };
    match found {
        Some(bytes) => define_ordinary(vm, loader, name, bytes, protection_domain),
        None => Err(vm.throw_plain("java/lang/ArrayIndexOutOfBoundsException")),
    }
}

fn define_ordinary(
    vm: &mut Vm,
    loader: Ref,
    name: Ref,
    bytes: ClassBytes,
    domain: Ref,
) -> Res<u64> {
    let options = DefineOptions {
        expected_name: expected_name(vm, name),
        protection_domain: domain,
        ..DefineOptions::default()
    };
    let loader = vm.loader_of(loader);
    let class = vm.define_class(loader, bytes, &options)?;
    Ok(vm.mirror(class).to_slot())
}

/// `Lookup.defineClass` and `Lookup.defineHiddenClass`. The class exists once it is defined, so
/// the second half must not define again: it is resumed behind the initialisation.
fn define_class_0(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    if let Some((class, _)) = vm.resumed.take() {
        let class = u32::try_from(class).expect("internal: the state is a class");
        return Ok(vm.mirror(ClassId(class)).to_slot());
    }
    let loader = args.reference();
    let lookup = args.reference();
    let name = args.reference();
    let array = args.reference();
    let (offset, length) = (args.int(), args.int());
    let protection_domain = args.reference();
    let initialise = args.boolean();
    let flags = args.int();
    let class_data = args.reference();
    if lookup.is_null() {
        return Err(vm.throw("java/lang/IllegalArgumentException", "Lookup class is null"));
    }
    let lookup = vm.class_of_mirror(lookup);
    let hidden = flags & HIDDEN_CLASS != 0;
    let nest_mate = flags & NESTMATE_CLASS != 0;
    if let Some(fault) = misuse(hidden, nest_mate, flags & STRONG_LOADER_LINK != 0, class_data) {
        return Err(vm.throw("java/lang/IllegalArgumentException", fault));
    }
    let loader = vm.loader_of(loader);
    if vm.class(lookup).loader != loader {
        let message = "Lookup class and defining class are in different class loaders";
        return Err(vm.throw("java/lang/IllegalArgumentException", message));
    }
    let bytes = bytes_of(vm, array, offset, length)?;
    let options = DefineOptions {
        expected_name: expected_name(vm, name),
        protection_domain,
        hidden_for: hidden.then_some(lookup),
        nest_mate,
        class_data,
        vm_annotations: flags & ACCESS_VM_ANNOTATIONS != 0,
        is_spun: false,
    };
    let class = vm.define_class(loader, bytes, &options)?;
    if initialise && !vm.is_initialised(class) {
        return Err(initialise_then_resume(vm, class)?);
    }
    Ok(vm.mirror(class).to_slot())
}

fn misuse(hidden: bool, nest_mate: bool, strong: bool, class_data: Ref) -> Option<&'static str> {
    if hidden {
        return None;
    }
    if !class_data.is_null() {
        Some("classData is only applicable for hidden classes")
    } else if nest_mate {
        Some("dynamic nestmate is only applicable for hidden classes")
    } else if !strong {
        Some("an ordinary class must be strongly referenced by its defining loader")
    } else {
        None
    }
}

/// The call that initialises a class and then resumes the native with the class as its state.
fn initialise_then_resume(vm: &mut Vm, class: ClassId) -> Res<Trap> {
    let holder = vm.boot_class("jdk/internal/misc/Unsafe")?;
    vm.ensure_initialised(holder)?;
    let method = vm
        .class(holder)
        .method(b"ensureClassInitialized0", b"(Ljava/lang/Class;)V")
        .expect("internal: Unsafe initialises classes")
        .id;
    let (mirror, offset) = vm.static_slot(holder, "theUnsafe", "Ljdk/internal/misc/Unsafe;");
    let receiver = vm.heap.load_ref(mirror, offset);
    Ok(Trap::Upcall(Box::new(Upcall {
        method,
        args: vec![receiver.to_slot(), vm.mirror(class).to_slot()],
        hook: Hook::Resume { state: u64::from(class.0) },
    })))
}

fn find_bootstrap_class(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let name = args.reference();
    if name.is_null() {
        return Ok(0);
    }
    let Some(internal) = internal_name(vm, name) else { return Ok(0) };
    let class = vm.find_boot_class(&internal)?;
    Ok(class.map_or(0, |class| vm.mirror(class).to_slot()))
}

fn find_loaded_class(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let loader = args.reference();
    let name = args.reference();
    if name.is_null() {
        return Ok(0);
    }
    let Some(internal) = internal_name(vm, name) else { return Ok(0) };
    let loader = vm.loader_of(loader);
    let class = vm.find_loaded_class(loader, &internal);
    Ok(class.map_or(0, |class| vm.mirror(class).to_slot()))
}

/// No directives for single classes or packages, only the default.
fn retrieve_directives(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let class = vm.boot_class("java/lang/AssertionStatusDirectives")?;
    let directives = vm.new_object(class)?;
    for names in ["classes", "packages"] {
        let empty = vm.new_ref_array(vm.known.string, &[])?;
        let offset = vm.field_offset(class, names, "[Ljava/lang/String;");
        vm.heap.store_ref(directives, offset, empty);
    }
    for switches in ["classEnabled", "packageEnabled"] {
        let empty = vm.new_primitive_array(Kind::Boolean, 0)?;
        let offset = vm.field_offset(class, switches, "[Z");
        vm.heap.store_ref(directives, offset, empty);
    }
    let offset = vm.field_offset(class, "deflt", "Z");
    let assertions = vm.options.assertions;
    vm.heap.store_u8(directives, offset, u8::from(assertions));
    Ok(directives.to_slot())
}

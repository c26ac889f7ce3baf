//! `jdk.internal.misc.Unsafe`: offsets of fields and elements, classes and instances.

use classfile::ClassBytes;

use crate::class::{Field, Shape, flags};
use crate::frame::{Res, Trap};
use crate::heap::ELEMENTS_OFFSET;
use crate::link::DefineOptions;
use crate::native::{Args, NativeRow};
use crate::value::ClassId;
use crate::vm::Vm;

const UNSAFE: &str = "jdk/internal/misc/Unsafe";

pub(crate) const NATIVES: &[NativeRow] = &[
    (UNSAFE, "arrayBaseOffset0", "(Ljava/lang/Class;)I", array_base_offset),
    (UNSAFE, "arrayIndexScale0", "(Ljava/lang/Class;)I", array_index_scale),
    (UNSAFE, "addressSize0", "()I", address_size),
    (UNSAFE, "pageSize", "()I", page_size),
    (UNSAFE, "objectFieldOffset0", "(Ljava/lang/reflect/Field;)J", field_offset),
    (UNSAFE, "objectFieldOffset1", "(Ljava/lang/Class;Ljava/lang/String;)J", named_field_offset),
    (UNSAFE, "staticFieldOffset0", "(Ljava/lang/reflect/Field;)J", field_offset),
    (
        UNSAFE,
        "staticFieldBase0",
        "(Ljava/lang/reflect/Field;)Ljava/lang/Object;",
        static_field_base,
    ),
    (UNSAFE, "ensureClassInitialized0", "(Ljava/lang/Class;)V", ensure_class_initialized),
    (UNSAFE, "shouldBeInitialized0", "(Ljava/lang/Class;)Z", should_be_initialized),
    (UNSAFE, "allocateInstance", "(Ljava/lang/Class;)Ljava/lang/Object;", allocate_instance),
    (UNSAFE, "throwException", "(Ljava/lang/Throwable;)V", throw_exception),
    (UNSAFE, "getLoadAverage0", "([DI)I", load_average),
    (
        UNSAFE,
        "defineClass0",
        "(Ljava/lang/String;[BIILjava/lang/ClassLoader;Ljava/security/ProtectionDomain;)Ljava/lang/Class;",
        define_class,
    ),
];

/// Reads the `Unsafe` itself and a mirror.
fn class_argument(vm: &mut Vm, args: &mut Args<'_>) -> Res<ClassId> {
    args.reference();
    let mirror = args.reference();
    if mirror.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    Ok(vm.class_of_mirror(mirror))
}

fn array_base_offset(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = class_argument(vm, &mut args)?;
    match vm.class(class).shape {
        Shape::Array { .. } => Ok(u64::from(ELEMENTS_OFFSET)),
        _ => Err(not_an_array(vm, class)),
    }
}

fn array_index_scale(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = class_argument(vm, &mut args)?;
    match vm.class(class).shape {
        Shape::Array { element, .. } => Ok(u64::from(element.size())),
        _ => Err(not_an_array(vm, class)),
    }
}

fn not_an_array(vm: &mut Vm, class: ClassId) -> Trap {
    let name = vm.class(class).external_name();
    vm.throw("java/io/InvalidClassException", &name)
}

fn address_size(_: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(8)
}

fn page_size(_: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(4096)
}

/// The field that a `java.lang.reflect.Field` stands for.
fn reflected_field(vm: &mut Vm, args: &mut Args<'_>) -> Res<Field> {
    args.reference();
    let field = args.reference();
    if field.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    let class = vm.class_of(field);
    let mirror = vm.heap.load_ref(field, vm.field_offset(class, "clazz", "Ljava/lang/Class;"));
    let slot = vm.heap.load_u32(field, vm.field_offset(class, "slot", "I"));
    Ok(vm.class(vm.class_of_mirror(mirror)).fields[slot as usize])
}

fn field_offset(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    Ok(u64::from(reflected_field(vm, &mut args)?.offset))
}

fn static_field_base(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let field = reflected_field(vm, &mut args)?;
    Ok(vm.mirror(field.class).to_slot())
}

fn named_field_offset(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = class_argument(vm, &mut args)?;
    let name = args.reference();
    if name.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    let name = vm.string_text(name);
    let encoded = classfile::mutf8::encode_str(&name);
    let fields = &vm.class(class).fields;
    let found = fields
        .iter()
        .find(|field| field.name.as_bytes() == encoded && !field.injected && !field.is_static());
    match found {
        Some(field) => Ok(u64::from(field.offset)),
        None => Err(vm.throw("java/lang/InternalError", &name)),
    }
}

fn ensure_class_initialized(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = class_argument(vm, &mut args)?;
    vm.ensure_initialised(class)?;
    Ok(0)
}

fn should_be_initialized(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = class_argument(vm, &mut args)?;
    let initialisable = vm.class(class).shape == Shape::Instance;
    Ok(u64::from(initialisable && !vm.is_initialised(class)))
}

fn allocate_instance(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = class_argument(vm, &mut args)?;
    let linked = vm.class(class);
    if linked.shape != Shape::Instance || linked.flags & (flags::ABSTRACT | flags::INTERFACE) != 0 {
        let name = linked.external_name();
        return Err(vm.throw("java/lang/InstantiationException", &name));
    }
    if class == vm.known.class {
        return Err(vm.throw("java/lang/IllegalAccessException", "java.lang.Class"));
    }
    vm.ensure_initialised(class)?;
    Ok(vm.new_object(class)?.to_slot())
}

fn throw_exception(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    let exception = args.reference();
    if exception.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    Err(Trap::Throw(exception))
}

/// The load of the computer is none of the program's business.
fn load_average(_: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(u64::from((-1_i32).cast_unsigned()))
}

fn define_class(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    let name = args.reference();
    let bytes = args.reference();
    let offset = args.int();
    let length = args.int();
    let loader = args.reference();
    let protection_domain = args.reference();
    let content = crate::native::byte_range(vm, bytes, offset, length)?.to_vec();
    let expected_name = match name.some() {
        Some(name) => {
            let text = vm.string_text(name).replace('.', "/");
            Some(classfile::mutf8::encode_str(&text))
        }
        None => None,
    };
    let loader = vm.loader_of(loader);
    let options = DefineOptions { expected_name, protection_domain, ..DefineOptions::default() };
    let class = vm.define_class(loader, ClassBytes::from_vec(content), &options)?;
    Ok(vm.mirror(class).to_slot())
}

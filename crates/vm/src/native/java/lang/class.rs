//! `java.lang.Class`: what a class is: names, kinds, supertypes, flags. Members and nesting are in
//! the files below.

pub(crate) mod members;
pub(crate) mod nesting;

use std::sync::Arc;

use crate::class::{Class, Shape};
use crate::frame::Res;
use crate::native::{Args, NativeRow};
use crate::value::{ClassId, Kind, LoaderId, Ref, Value};
use crate::vm::Vm;

const CLASS: &str = "java/lang/Class";

pub(crate) const NATIVES: &[NativeRow] = &[
    (CLASS, "desiredAssertionStatus0", "(Ljava/lang/Class;)Z", desired_assertion_status),
    (CLASS, "getPrimitiveClass", "(Ljava/lang/String;)Ljava/lang/Class;", get_primitive_class),
    (
        CLASS,
        "forName0",
        "(Ljava/lang/String;ZLjava/lang/ClassLoader;Ljava/lang/Class;)Ljava/lang/Class;",
        for_name,
    ),
    (CLASS, "initClassName", "()Ljava/lang/String;", init_class_name),
    (CLASS, "isAssignableFrom", "(Ljava/lang/Class;)Z", is_assignable_from),
    (CLASS, "isInstance", "(Ljava/lang/Object;)Z", is_instance),
    (CLASS, "isInterface", "()Z", is_interface),
    (CLASS, "isArray", "()Z", is_array),
    (CLASS, "isPrimitive", "()Z", is_primitive),
    (CLASS, "isHidden", "()Z", is_hidden),
    (CLASS, "isRecord0", "()Z", is_record),
    (CLASS, "getSuperclass", "()Ljava/lang/Class;", get_superclass),
    (CLASS, "getInterfaces0", "()[Ljava/lang/Class;", get_interfaces),
    (CLASS, "getModifiers", "()I", get_modifiers),
    (CLASS, "getGenericSignature0", "()Ljava/lang/String;", get_generic_signature),
    (CLASS, "getRawAnnotations", "()[B", get_raw_annotations),
    (CLASS, "getRawTypeAnnotations", "()[B", get_raw_type_annotations),
    (CLASS, "getConstantPool", "()Ljdk/internal/reflect/ConstantPool;", get_constant_pool),
    (CLASS, "getProtectionDomain0", "()Ljava/security/ProtectionDomain;", get_protection_domain),
    (CLASS, "getSigners", "()[Ljava/lang/Object;", get_signers),
    (CLASS, "setSigners", "([Ljava/lang/Object;)V", set_signers),
    (CLASS, "getClassFileVersion0", "()I", get_class_file_version),
    (CLASS, "getClassAccessFlagsRaw0", "()I", get_class_access_flags_raw),
];

/// The class that a native of `Class` is called on.
pub(crate) fn this_class(vm: &Vm, args: &mut Args<'_>) -> Arc<Class> {
    let mirror = args.reference();
    Arc::clone(vm.class(vm.class_of_mirror(mirror)))
}

fn desired_assertion_status(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = this_class(vm, &mut args);
    Ok(u64::from(vm.options.assertions && class.loader != LoaderId::BOOT))
}

fn get_primitive_class(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let name = args.reference();
    if name.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    let name = vm.string_text(name);
    let kinds = [
        Kind::Boolean,
        Kind::Byte,
        Kind::Char,
        Kind::Short,
        Kind::Int,
        Kind::Long,
        Kind::Float,
        Kind::Double,
        Kind::Void,
    ];
    match kinds.into_iter().find(|kind| kind.primitive_name() == name) {
        Some(kind) => Ok(vm.mirror(vm.primitive_class(kind)).to_slot()),
        None => Err(vm.throw("java/lang/ClassNotFoundException", &name)),
    }
}

fn for_name(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let name = args.reference();
    let initialise = args.boolean();
    let loader = args.reference();
    if name.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    let Some(internal) = internal_name(vm, name) else {
        // HotSpot has turned the dots into slashes by then.
        let name = vm.string_text(name).replace('.', "/");
        return Err(vm.throw("java/lang/ClassNotFoundException", &name));
    };
    let loader = vm.loader_of(loader);
    let class = vm.load_class_for_name(loader, &internal)?;
    if initialise {
        vm.ensure_initialised(class)?;
    }
    Ok(vm.mirror(class).to_slot())
}

/// The internal form of a binary name, modified UTF-8; `None` where no class can have that name.
pub(crate) fn internal_name(vm: &Vm, name: Ref) -> Option<Vec<u8>> {
    let units = vm.string_utf16(name);
    if units.is_empty() || units.contains(&u16::from(b'/')) {
        return None;
    }
    let slash = |unit| if unit == u16::from(b'.') { u16::from(b'/') } else { unit };
    let internal = classfile::mutf8::encode(units.into_iter().map(slash));
    let legal = match internal.first() {
        Some(b'[') => classfile::FieldType::parse(&internal).is_some(),
        _ => {
            !internal.iter().any(|byte| matches!(byte, b'[' | b';'))
                && !internal.split(|&byte| byte == b'/').any(<[u8]>::is_empty)
        }
    };
    legal.then_some(internal)
}

fn init_class_name(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = this_class(vm, &mut args);
    Ok(vm.class_name_string(class.id)?.to_slot())
}

/// The name that `Class.getName` gives, modified UTF-8: dots for slashes; a hidden class has a
/// slash before its suffix.
pub(crate) fn binary_name(class: &Class) -> Vec<u8> {
    let mut name = class.name.as_bytes().to_vec();
    for byte in &mut name {
        if *byte == b'/' {
            *byte = b'.';
        }
    }
    if class.hidden
        && let Some(at) = name.iter().rposition(|&byte| byte == b'+')
    {
        name[at] = b'/';
    }
    name
}

fn is_assignable_from(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let this = this_class(vm, &mut args);
    let other = args.reference();
    if other.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    let other = vm.class_of_mirror(other);
    let answer = match (this.shape, vm.class(other).shape) {
        (Shape::Primitive(_), _) | (_, Shape::Primitive(_)) => this.id == other,
        _ => vm.is_subtype(other, this.id),
    };
    Ok(u64::from(answer))
}

fn is_instance(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let this = this_class(vm, &mut args);
    let object = args.reference();
    let primitive = matches!(this.shape, Shape::Primitive(_));
    Ok(u64::from(!object.is_null() && !primitive && vm.instance_of(object, this.id)))
}

fn is_interface(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = this_class(vm, &mut args);
    Ok(u64::from(class.is_interface() && class.has_file()))
}

fn is_array(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    Ok(u64::from(this_class(vm, &mut args).is_array()))
}

fn is_primitive(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    Ok(u64::from(matches!(this_class(vm, &mut args).shape, Shape::Primitive(_))))
}

fn is_hidden(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    Ok(u64::from(this_class(vm, &mut args).hidden))
}

fn is_record(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = this_class(vm, &mut args);
    Ok(u64::from(vm.is_record(class.id)))
}

fn get_superclass(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = this_class(vm, &mut args);
    let super_class = match class.shape {
        Shape::Primitive(_) => None,
        Shape::Array { .. } => Some(vm.known.object),
        Shape::Instance if class.is_interface() => None,
        Shape::Instance => class.super_class,
    };
    Ok(mirror_or_null(vm, super_class).to_slot())
}

fn get_interfaces(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = this_class(vm, &mut args);
    let interfaces = match class.shape {
        Shape::Array { .. } => {
            vec![vm.boot_class("java/lang/Cloneable")?, vm.boot_class("java/io/Serializable")?]
        }
        _ => class.interfaces.to_vec(),
    };
    new_class_array(vm, &interfaces)
}

fn get_modifiers(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = this_class(vm, &mut args);
    Ok(u64::from(vm.java_modifiers(&class)))
}

fn get_generic_signature(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = this_class(vm, &mut args);
    match class.file().and_then(|file| file.signature()) {
        Some(signature) => Ok(vm.new_string_mutf8(signature)?.to_slot()),
        None => Ok(0),
    }
}

fn get_raw_annotations(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = this_class(vm, &mut args);
    match class.file().and_then(|file| file.raw_annotations()) {
        Some(bytes) => Ok(vm.new_byte_array(bytes)?.to_slot()),
        None => Ok(0),
    }
}

fn get_raw_type_annotations(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = this_class(vm, &mut args);
    match class.file().and_then(|file| file.raw_type_annotations()) {
        Some(bytes) => Ok(vm.new_byte_array(bytes)?.to_slot()),
        None => Ok(0),
    }
}

fn get_constant_pool(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = this_class(vm, &mut args);
    if !class.has_file() {
        return Ok(0);
    }
    let pool_class = vm.boot_class("jdk/internal/reflect/ConstantPool")?;
    vm.ensure_initialised(pool_class)?;
    let pool = vm.new_object(pool_class)?;
    let offset = vm.field_offset(pool_class, "constantPoolOop", "Ljava/lang/Object;");
    vm.heap.store_ref(pool, offset, vm.mirror(class.id));
    Ok(pool.to_slot())
}

fn get_protection_domain(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let mirror = args.reference();
    Ok(vm.heap.load_ref(mirror, vm.known.class_protection_domain).to_slot())
}

fn get_signers(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let mirror = args.reference();
    let signers = vm.heap.load_ref(mirror, vm.known.class_signers);
    if signers.is_null() {
        return Ok(0);
    }
    let copied: Vec<Ref> =
        (0..vm.heap.array_length(signers)).map(|idx| vm.heap.element_ref(signers, idx)).collect();
    Ok(vm.new_ref_array(vm.known.object, &copied)?.to_slot())
}

fn set_signers(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let mirror = args.reference();
    let signers = args.reference();
    vm.heap.store_ref(mirror, vm.known.class_signers, signers);
    Ok(0)
}

fn get_class_file_version(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = this_class(vm, &mut args);
    let version = match class.file() {
        Some(file) => i32::from(file.major()) | i32::from(file.minor()) << 16,
        None => i32::from(vm.jdk) + 44,
    };
    Ok(Value::Int(version).to_slot())
}

fn get_class_access_flags_raw(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = this_class(vm, &mut args);
    Ok(u64::from(raw_access_flags(&class)))
}

/// The flags as the class file has them, `ACC_SUPER` included.
pub(crate) fn raw_access_flags(class: &Class) -> u16 {
    class.file().map_or(class.flags, |file| file.access_flags())
}

pub(crate) fn mirror_or_null(vm: &Vm, class: Option<ClassId>) -> Ref {
    class.map_or(Ref::NULL, |class| vm.mirror(class))
}

/// A `Class[]` with these mirrors.
pub(crate) fn new_class_array(vm: &mut Vm, classes: &[ClassId]) -> Res<u64> {
    let mirrors: Vec<Ref> = classes.iter().map(|&class| vm.mirror(class)).collect();
    Ok(vm.new_ref_array(vm.known.class, &mirrors)?.to_slot())
}

//! `jdk.internal.reflect.ConstantPool`: the constant pool of a class, for annotation parsing and
//! for finding out what a lambda refers to.

use std::sync::Arc;

use classfile::{ClassFile, Constant};

use crate::class::Class;
use crate::frame::{Res, Trap};
use crate::native::{Args, NativeRow};
use crate::value::{Ref, Value};
use crate::vm::Vm;

const POOL: &str = "jdk/internal/reflect/ConstantPool";

pub(crate) const NATIVES: &[NativeRow] = &[
    (POOL, "getSize0", "(Ljava/lang/Object;)I", get_size),
    (POOL, "getClassAt0", "(Ljava/lang/Object;I)Ljava/lang/Class;", get_class_at),
    (POOL, "getClassAtIfLoaded0", "(Ljava/lang/Object;I)Ljava/lang/Class;", get_class_at_if_loaded),
    (POOL, "getClassRefIndexAt0", "(Ljava/lang/Object;I)I", get_class_ref_index_at),
    (POOL, "getMethodAt0", "(Ljava/lang/Object;I)Ljava/lang/reflect/Member;", get_method_at),
    (
        POOL,
        "getMethodAtIfLoaded0",
        "(Ljava/lang/Object;I)Ljava/lang/reflect/Member;",
        get_method_at_if_loaded,
    ),
    (POOL, "getFieldAt0", "(Ljava/lang/Object;I)Ljava/lang/reflect/Field;", get_field_at),
    (
        POOL,
        "getFieldAtIfLoaded0",
        "(Ljava/lang/Object;I)Ljava/lang/reflect/Field;",
        get_field_at_if_loaded,
    ),
    (
        POOL,
        "getMemberRefInfoAt0",
        "(Ljava/lang/Object;I)[Ljava/lang/String;",
        get_member_ref_info_at,
    ),
    (POOL, "getNameAndTypeRefIndexAt0", "(Ljava/lang/Object;I)I", get_name_and_type_ref_index_at),
    (
        POOL,
        "getNameAndTypeRefInfoAt0",
        "(Ljava/lang/Object;I)[Ljava/lang/String;",
        get_name_and_type_ref_info_at,
    ),
    (POOL, "getIntAt0", "(Ljava/lang/Object;I)I", get_int_at),
    (POOL, "getLongAt0", "(Ljava/lang/Object;I)J", get_long_at),
    (POOL, "getFloatAt0", "(Ljava/lang/Object;I)F", get_float_at),
    (POOL, "getDoubleAt0", "(Ljava/lang/Object;I)D", get_double_at),
    (POOL, "getStringAt0", "(Ljava/lang/Object;I)Ljava/lang/String;", get_string_at),
    (POOL, "getUTF8At0", "(Ljava/lang/Object;I)Ljava/lang/String;", get_utf8_at),
    (POOL, "getTagAt0", "(Ljava/lang/Object;I)B", get_tag_at),
];

/// One question to a constant pool: the class, its file, the index and the entry there.
struct Question {
    class: Arc<Class>,
    file: Arc<ClassFile>,
    idx: u16,
    constant: Constant,
}

fn class_behind(vm: &Vm, args: &mut Args<'_>) -> Arc<Class> {
    args.reference();
    let mirror = args.reference();
    Arc::clone(vm.class(vm.class_of_mirror(mirror)))
}

fn question(vm: &mut Vm, mut args: Args<'_>) -> Res<Question> {
    let class = class_behind(vm, &mut args);
    let idx = args.int();
    let file = Arc::clone(class.class_file());
    let found = u16::try_from(idx).ok().and_then(|idx| Some((idx, file.constant_pool().get(idx)?)));
    match found {
        Some((idx, constant)) => Ok(Question { class, file, idx, constant }),
        None => {
            let message = format!("Constant pool index out of bounds: {idx}");
            Err(vm.throw("java/lang/IllegalArgumentException", &message))
        }
    }
}

fn wrong_type(vm: &mut Vm) -> Trap {
    vm.throw("java/lang/IllegalArgumentException", "Wrong type at constant pool index")
}

fn get_size(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = class_behind(vm, &mut args);
    Ok(class.class_file().constant_pool().len() as u64)
}

fn get_class_at(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    let question = question(vm, args)?;
    match question.constant {
        Constant::Class { .. } => {
            let class = vm.resolve_class(question.class.id, question.idx)?;
            Ok(vm.mirror(class).to_slot())
        }
        _ => Err(wrong_type(vm)),
    }
}

fn get_class_at_if_loaded(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    let question = question(vm, args)?;
    match question.constant {
        Constant::Class { .. } => {
            let name = question.file.constant_pool().class_name(question.idx);
            let class = vm.find_loaded_class(question.class.loader, name);
            Ok(class.map_or(0, |class| vm.mirror(class).to_slot()))
        }
        _ => Err(wrong_type(vm)),
    }
}

fn get_class_ref_index_at(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    match question(vm, args)?.constant {
        Constant::FieldRef { class, .. }
        | Constant::MethodRef { class, .. }
        | Constant::InterfaceMethodRef { class, .. } => Ok(u64::from(class)),
        _ => Err(wrong_type(vm)),
    }
}

fn get_name_and_type_ref_index_at(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    match question(vm, args)?.constant {
        Constant::FieldRef { name_and_type, .. }
        | Constant::MethodRef { name_and_type, .. }
        | Constant::InterfaceMethodRef { name_and_type, .. }
        | Constant::InvokeDynamic { name_and_type, .. } => Ok(u64::from(name_and_type)),
        _ => Err(wrong_type(vm)),
    }
}

fn get_method_at(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    method_at(vm, args, true)
}

fn get_method_at_if_loaded(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    method_at(vm, args, false)
}

fn method_at(vm: &mut Vm, args: Args<'_>, load: bool) -> Res<u64> {
    let question = question(vm, args)?;
    let (Constant::MethodRef { class, .. } | Constant::InterfaceMethodRef { class, .. }) =
        question.constant
    else {
        return Err(wrong_type(vm));
    };
    let (class_name, name, descriptor) = question.file.constant_pool().member_ref(question.idx);
    let holder = if load {
        vm.resolve_class(question.class.id, class)?
    } else {
        let Some(holder) = vm.find_loaded_class(question.class.loader, class_name) else {
            return Ok(0);
        };
        holder
    };
    match vm.lookup_method(holder, name, descriptor) {
        Some(method) => Ok(vm.new_reflected_method(method)?.to_slot()),
        None => {
            Err(vm.throw("java/lang/RuntimeException", "Unable to look up method in target class"))
        }
    }
}

fn get_field_at(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    field_at(vm, args, true)
}

fn get_field_at_if_loaded(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    field_at(vm, args, false)
}

fn field_at(vm: &mut Vm, args: Args<'_>, load: bool) -> Res<u64> {
    let question = question(vm, args)?;
    let Constant::FieldRef { class, .. } = question.constant else { return Err(wrong_type(vm)) };
    let (class_name, name, descriptor) = question.file.constant_pool().member_ref(question.idx);
    let holder = if load {
        vm.resolve_class(question.class.id, class)?
    } else {
        let Some(holder) = vm.find_loaded_class(question.class.loader, class_name) else {
            return Ok(0);
        };
        holder
    };
    match vm.lookup_field(holder, name, descriptor) {
        Some(field) => Ok(vm.new_reflected_field(&field)?.to_slot()),
        None => {
            Err(vm.throw("java/lang/RuntimeException", "Unable to look up field in target class"))
        }
    }
}

fn get_member_ref_info_at(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    let question = question(vm, args)?;
    match question.file.constant_pool().try_member_ref(question.idx) {
        Some((class, name, descriptor)) => new_strings(vm, &[class, name, descriptor]),
        None => Err(wrong_type(vm)),
    }
}

fn get_name_and_type_ref_info_at(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    let question = question(vm, args)?;
    match question.file.constant_pool().try_name_and_type(question.idx) {
        Some((name, descriptor)) => new_strings(vm, &[name, descriptor]),
        None => Err(wrong_type(vm)),
    }
}

fn new_strings(vm: &mut Vm, texts: &[&[u8]]) -> Res<u64> {
    let mut strings: Vec<Ref> = Vec::with_capacity(texts.len());
    for text in texts {
        strings.push(vm.new_string_mutf8(text)?);
    }
    Ok(vm.new_ref_array(vm.known.string, &strings)?.to_slot())
}

fn get_int_at(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    match question(vm, args)?.constant {
        Constant::Integer(value) => Ok(Value::Int(value).to_slot()),
        _ => Err(wrong_type(vm)),
    }
}

fn get_long_at(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    match question(vm, args)?.constant {
        Constant::Long(value) => Ok(Value::Long(value).to_slot()),
        _ => Err(wrong_type(vm)),
    }
}

fn get_float_at(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    match question(vm, args)?.constant {
        Constant::Float(bits) => Ok(u64::from(bits)),
        _ => Err(wrong_type(vm)),
    }
}

fn get_double_at(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    match question(vm, args)?.constant {
        Constant::Double(bits) => Ok(bits),
        _ => Err(wrong_type(vm)),
    }
}

fn get_string_at(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    let question = question(vm, args)?;
    match question.file.constant_pool().try_string(question.idx) {
        Some(text) => Ok(vm.intern_mutf8(text)?.to_slot()),
        None => Err(wrong_type(vm)),
    }
}

fn get_utf8_at(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    let question = question(vm, args)?;
    match question.file.constant_pool().try_utf8(question.idx) {
        Some(text) => Ok(vm.new_string_mutf8(text)?.to_slot()),
        None => Err(wrong_type(vm)),
    }
}

/// JVMS table 4.4-A; 0 is what HotSpot gives for an unusable index.
fn get_tag_at(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    Ok(match question(vm, args)?.constant {
        Constant::Unusable => 0,
        Constant::Utf8(_) => 1,
        Constant::Integer(_) => 3,
        Constant::Float(_) => 4,
        Constant::Long(_) => 5,
        Constant::Double(_) => 6,
        Constant::Class { .. } => 7,
        Constant::String { .. } => 8,
        Constant::FieldRef { .. } => 9,
        Constant::MethodRef { .. } => 10,
        Constant::InterfaceMethodRef { .. } => 11,
        Constant::NameAndType { .. } => 12,
        Constant::MethodHandle { .. } => 15,
        Constant::MethodType { .. } => 16,
        Constant::Dynamic { .. } => 17,
        Constant::InvokeDynamic { .. } => 18,
        Constant::Module { .. } => 19,
        Constant::Package { .. } => 20,
    })
}

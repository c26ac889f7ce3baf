//! `java.lang.reflect.Array`: making arrays, reading and writing elements with widening.

use crate::class::Shape;
use crate::frame::{Res, Trap};
use crate::heap::ELEMENTS_OFFSET;
use crate::native::{Args, NativeRow};
use crate::reflection::boxing::widen;
use crate::value::{ClassId, Kind, Ref, Value};
use crate::vm::Vm;

const ARRAY: &str = "java/lang/reflect/Array";
const ILLEGAL_ARGUMENT: &str = "java/lang/IllegalArgumentException";
const MISMATCH: &str = "argument type mismatch";

pub(crate) const NATIVES: &[NativeRow] = &[
    (ARRAY, "getLength", "(Ljava/lang/Object;)I", get_length),
    (ARRAY, "get", "(Ljava/lang/Object;I)Ljava/lang/Object;", get),
    (ARRAY, "getBoolean", "(Ljava/lang/Object;I)Z", |vm, args| {
        get_primitive(vm, args, Kind::Boolean)
    }),
    (ARRAY, "getByte", "(Ljava/lang/Object;I)B", |vm, args| get_primitive(vm, args, Kind::Byte)),
    (ARRAY, "getChar", "(Ljava/lang/Object;I)C", |vm, args| get_primitive(vm, args, Kind::Char)),
    (ARRAY, "getShort", "(Ljava/lang/Object;I)S", |vm, args| get_primitive(vm, args, Kind::Short)),
    (ARRAY, "getInt", "(Ljava/lang/Object;I)I", |vm, args| get_primitive(vm, args, Kind::Int)),
    (ARRAY, "getLong", "(Ljava/lang/Object;I)J", |vm, args| get_primitive(vm, args, Kind::Long)),
    (ARRAY, "getFloat", "(Ljava/lang/Object;I)F", |vm, args| get_primitive(vm, args, Kind::Float)),
    (ARRAY, "getDouble", "(Ljava/lang/Object;I)D", |vm, args| {
        get_primitive(vm, args, Kind::Double)
    }),
    (ARRAY, "set", "(Ljava/lang/Object;ILjava/lang/Object;)V", set),
    (ARRAY, "setBoolean", "(Ljava/lang/Object;IZ)V", |vm, args| {
        set_primitive(vm, args, Kind::Boolean)
    }),
    (ARRAY, "setByte", "(Ljava/lang/Object;IB)V", |vm, args| set_primitive(vm, args, Kind::Byte)),
    (ARRAY, "setChar", "(Ljava/lang/Object;IC)V", |vm, args| set_primitive(vm, args, Kind::Char)),
    (ARRAY, "setShort", "(Ljava/lang/Object;IS)V", |vm, args| set_primitive(vm, args, Kind::Short)),
    (ARRAY, "setInt", "(Ljava/lang/Object;II)V", |vm, args| set_primitive(vm, args, Kind::Int)),
    (ARRAY, "setLong", "(Ljava/lang/Object;IJ)V", |vm, args| set_primitive(vm, args, Kind::Long)),
    (ARRAY, "setFloat", "(Ljava/lang/Object;IF)V", |vm, args| set_primitive(vm, args, Kind::Float)),
    (ARRAY, "setDouble", "(Ljava/lang/Object;ID)V", |vm, args| {
        set_primitive(vm, args, Kind::Double)
    }),
    (ARRAY, "newArray", "(Ljava/lang/Class;I)Ljava/lang/Object;", new_array),
    (ARRAY, "multiNewArray", "(Ljava/lang/Class;[I)Ljava/lang/Object;", multi_new_array),
];

/// Kind and class of the elements of what must be an array.
fn elements(vm: &mut Vm, array: Ref) -> Res<(Kind, ClassId)> {
    if array.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    match vm.class(vm.class_of(array)).shape {
        Shape::Array { element, component } => Ok((element, component)),
        _ => Err(vm.throw(ILLEGAL_ARGUMENT, "Argument is not an array")),
    }
}

/// As `elements`, for the natives that only take arrays of primitives.
fn primitive_elements(vm: &mut Vm, array: Ref) -> Res<Kind> {
    match elements(vm, array)? {
        (Kind::Ref, _) => {
            Err(vm.throw(ILLEGAL_ARGUMENT, "Argument is not an array of primitive type"))
        }
        (kind, _) => Ok(kind),
    }
}

fn element_offset(vm: &mut Vm, array: Ref, idx: i32, kind: Kind) -> Res<u32> {
    match u32::try_from(idx) {
        Ok(idx) if idx < vm.heap.array_length(array) => Ok(ELEMENTS_OFFSET + idx * kind.size()),
        _ => Err(vm.throw_plain("java/lang/ArrayIndexOutOfBoundsException")),
    }
}

fn mismatch(vm: &mut Vm) -> Trap {
    vm.throw(ILLEGAL_ARGUMENT, MISMATCH)
}

fn get_length(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let array = args.reference();
    elements(vm, array)?;
    Ok(u64::from(vm.heap.array_length(array)))
}

fn get(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let array = args.reference();
    let idx = args.int();
    let (kind, _) = elements(vm, array)?;
    if kind != Kind::Ref {
        let class = vm.box_class(kind);
        vm.ensure_initialised(class)?;
    }
    let offset = element_offset(vm, array, idx, kind)?;
    let word = vm.load_kind(array, offset, kind);
    Ok(vm.box_value(kind, word)?.to_slot())
}

fn get_primitive(vm: &mut Vm, mut args: Args<'_>, wanted: Kind) -> Res<u64> {
    let array = args.reference();
    let idx = args.int();
    let kind = primitive_elements(vm, array)?;
    let offset = element_offset(vm, array, idx, kind)?;
    let word = vm.load_kind(array, offset, kind);
    widen(kind, word, wanted).ok_or_else(|| mismatch(vm))
}

fn set(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let array = args.reference();
    let idx = args.int();
    let value = args.reference();
    let (kind, component) = elements(vm, array)?;
    if kind == Kind::Ref {
        let offset = element_offset(vm, array, idx, kind)?;
        if !value.is_null() && !vm.instance_of(value, component) {
            return Err(vm.throw(ILLEGAL_ARGUMENT, "array element type mismatch"));
        }
        vm.heap.store_ref(array, offset, value);
        return Ok(0);
    }
    let (from, word) = unbox_any(vm, value)?;
    let offset = element_offset(vm, array, idx, kind)?;
    let Some(word) = widen(from, word, kind) else { return Err(mismatch(vm)) };
    vm.store_kind(array, offset, kind, word);
    Ok(0)
}

/// Kind and value of what must be a box.
fn unbox_any(vm: &mut Vm, value: Ref) -> Res<(Kind, u64)> {
    if value.is_null() {
        return Err(vm.throw_plain(ILLEGAL_ARGUMENT));
    }
    match vm.unbox(value) {
        Some(unboxed) => Ok(unboxed),
        None => Err(mismatch(vm)),
    }
}

/// The value in a box, widened to a primitive kind, or the exception that reflection throws.
pub(crate) fn unbox_as(vm: &mut Vm, value: Ref, kind: Kind) -> Res<u64> {
    let (from, word) = unbox_any(vm, value)?;
    widen(from, word, kind).ok_or_else(|| mismatch(vm))
}

fn set_primitive(vm: &mut Vm, mut args: Args<'_>, given: Kind) -> Res<u64> {
    let array = args.reference();
    let idx = args.int();
    let word = match given {
        Kind::Long => Value::Long(args.long()),
        Kind::Float => Value::Float(args.float()),
        Kind::Double => Value::Double(args.double()),
        _ => Value::Int(args.int()),
    };
    let kind = primitive_elements(vm, array)?;
    let offset = element_offset(vm, array, idx, kind)?;
    let Some(word) = widen(given, word.to_slot(), kind) else { return Err(mismatch(vm)) };
    vm.store_kind(array, offset, kind, word);
    Ok(0)
}

/// The component type of a new array: not null, not `void`.
fn component_of(vm: &mut Vm, mirror: Ref) -> Res<ClassId> {
    if mirror.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    let class = vm.class_of_mirror(mirror);
    if vm.class(class).shape == Shape::Primitive(Kind::Void) {
        return Err(vm.throw_plain(ILLEGAL_ARGUMENT));
    }
    Ok(class)
}

fn n_dimensions(vm: &Vm, class: ClassId) -> usize {
    vm.class(class).name.as_bytes().iter().take_while(|&&byte| byte == b'[').count()
}

fn new_array(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let mirror = args.reference();
    let length = args.int();
    let component = component_of(vm, mirror)?;
    let Ok(length) = u32::try_from(length) else {
        return Err(vm.throw("java/lang/NegativeArraySizeException", &length.to_string()));
    };
    if n_dimensions(vm, component) == 255 {
        return Err(vm.throw_plain(ILLEGAL_ARGUMENT));
    }
    let class = vm.array_class(component)?;
    Ok(vm.new_array(class, length)?.to_slot())
}

fn multi_new_array(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let mirror = args.reference();
    let lengths = args.reference();
    let component = component_of(vm, mirror)?;
    if lengths.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    let count = vm.heap.array_length(lengths);
    let lengths: Vec<u32> =
        (0..count).map(|idx| vm.heap.load_u32(lengths, ELEMENTS_OFFSET + idx * 4)).collect();
    if lengths.is_empty() || n_dimensions(vm, component) + lengths.len() > 255 {
        return Err(vm.throw_plain(ILLEGAL_ARGUMENT));
    }
    if let Some(negative) =
        lengths.iter().map(|length| length.cast_signed()).find(|length| *length < 0)
    {
        return Err(vm.throw("java/lang/NegativeArraySizeException", &negative.to_string()));
    }
    let mut classes = vec![vm.array_class(component)?];
    for _ in 1..lengths.len() {
        let outer = vm.array_class(classes[classes.len() - 1])?;
        classes.push(outer);
    }
    classes.reverse();
    Ok(new_nested(vm, &classes, &lengths)?.to_slot())
}

/// An array of arrays; `classes` and `lengths` go from the outermost inwards. At most 255 deep.
fn new_nested(vm: &mut Vm, classes: &[ClassId], lengths: &[u32]) -> Res<Ref> {
    let array = vm.new_array(classes[0], lengths[0])?;
    if lengths.len() > 1 {
        for idx in 0..lengths[0] {
            let inner = new_nested(vm, &classes[1..], &lengths[1..])?;
            vm.heap.set_element_ref(array, idx, inner);
        }
    }
    Ok(array)
}

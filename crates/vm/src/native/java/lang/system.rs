//! `java.lang.System`: array copies, clocks, identity hashes and the standard streams.

use crate::class::Shape;
use crate::frame::{Res, Trap};
use crate::heap::ELEMENTS_OFFSET;
use crate::native::{Args, NativeRow};
use crate::value::{ClassId, Kind, Ref};
use crate::vm::Vm;

const SYSTEM: &str = "java/lang/System";

pub(crate) const NATIVES: &[NativeRow] = &[
    (SYSTEM, "arraycopy", "(Ljava/lang/Object;ILjava/lang/Object;II)V", arraycopy),
    (SYSTEM, "identityHashCode", "(Ljava/lang/Object;)I", identity_hash_code),
    (SYSTEM, "currentTimeMillis", "()J", current_time_millis),
    (SYSTEM, "nanoTime", "()J", nano_time),
    (SYSTEM, "mapLibraryName", "(Ljava/lang/String;)Ljava/lang/String;", map_library_name),
    (SYSTEM, "setIn0", "(Ljava/io/InputStream;)V", set_in),
    (SYSTEM, "setOut0", "(Ljava/io/PrintStream;)V", set_out),
    (SYSTEM, "setErr0", "(Ljava/io/PrintStream;)V", set_err),
];

/// One side of an array copy.
#[derive(Clone, Copy)]
struct Side {
    array: Ref,
    class: ClassId,
    component: ClassId,
    element: Kind,
    from: i32,
}

fn arraycopy(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let source = args.reference();
    let from = args.int();
    let destination = args.reference();
    let to = args.int();
    let length = args.int();
    if source.is_null() || destination.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    let source_class = vm.class_of(source);
    let Shape::Array { component, element } = vm.class(source_class).shape else {
        let name = vm.class(source_class).external_name();
        return Err(store_error(vm, &format!("source type {name} is not an array")));
    };
    let source = Side { array: source, class: source_class, component, element, from };
    let destination_class = vm.class_of(destination);
    let Shape::Array { component, element } = vm.class(destination_class).shape else {
        let name = vm.class(destination_class).external_name();
        return Err(store_error(vm, &format!("destination type {name} is not an array")));
    };
    let destination =
        Side { array: destination, class: destination_class, component, element, from: to };
    if source.element != destination.element {
        let text = format!(
            "type mismatch: can not copy {}[] into {}[]",
            kind_name(source.element),
            kind_name(destination.element)
        );
        return Err(store_error(vm, &text));
    }
    check_range(vm, source, destination, length)?;
    if length == 0 {
        return Ok(0);
    }
    if source.element == Kind::Ref
        && source.class != destination.class
        && !vm.is_subtype(source.component, destination.component)
    {
        return copy_checked(vm, source, destination, length.cast_unsigned());
    }
    let size = source.element.size();
    vm.heap.copy(
        source.array,
        ELEMENTS_OFFSET + source.from.cast_unsigned() * size,
        destination.array,
        ELEMENTS_OFFSET + destination.from.cast_unsigned() * size,
        length.cast_unsigned() as usize * size as usize,
    );
    Ok(0)
}

/// Copies element by element; those before a misfit stay copied. The arrays differ in class, so
/// they cannot overlap.
fn copy_checked(vm: &mut Vm, source: Side, destination: Side, length: u32) -> Res<u64> {
    let mut last_fit = destination.component;
    for idx in 0..length {
        let value = vm.heap.element_ref(source.array, source.from.cast_unsigned() + idx);
        if !value.is_null() {
            let class = vm.class_of(value);
            if class != last_fit {
                if !vm.is_subtype(class, destination.component) {
                    return Err(misfit(vm, source, destination));
                }
                last_fit = class;
            }
        }
        vm.heap.set_element_ref(destination.array, destination.from.cast_unsigned() + idx, value);
    }
    Ok(0)
}

fn misfit(vm: &mut Vm, source: Side, destination: Side) -> Trap {
    let have = vm.class(source.component).external_name();
    let want = vm.class(destination.component).external_name();
    let text = if vm.is_subtype(destination.component, source.component) {
        format!(
            "element type mismatch: can not cast one of the elements of {have}[] to the type of \
             the destination array, {want}"
        )
    } else {
        format!("type mismatch: can not copy {have}[] into {want}[]")
    };
    store_error(vm, &text)
}

fn check_range(vm: &mut Vm, source: Side, destination: Side, length: i32) -> Res<()> {
    let source_length = vm.heap.array_length(source.array);
    let destination_length = vm.heap.array_length(destination.array);
    // Sums of two non-negative ints fit an unsigned int.
    let source_end = source.from.cast_unsigned().wrapping_add(length.cast_unsigned());
    let destination_end = destination.from.cast_unsigned().wrapping_add(length.cast_unsigned());
    let name = kind_name(source.element);
    let text = if source.from < 0 {
        format!("source index {} out of bounds for {name}[{source_length}]", source.from)
    } else if destination.from < 0 {
        let at = destination.from;
        format!("destination index {at} out of bounds for {name}[{destination_length}]")
    } else if length < 0 {
        format!("length {length} is negative")
    } else if source_end > source_length {
        format!("last source index {source_end} out of bounds for {name}[{source_length}]")
    } else if destination_end > destination_length {
        format!(
            "last destination index {destination_end} out of bounds for \
             {name}[{destination_length}]"
        )
    } else {
        return Ok(());
    };
    let text = format!("arraycopy: {text}");
    Err(vm.throw("java/lang/ArrayIndexOutOfBoundsException", &text))
}

fn store_error(vm: &mut Vm, text: &str) -> Trap {
    vm.throw("java/lang/ArrayStoreException", &format!("arraycopy: {text}"))
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Ref => "object array",
        _ => kind.primitive_name(),
    }
}

fn identity_hash_code(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let object = args.reference();
    if object.is_null() {
        return Ok(0);
    }
    Ok(u64::from(vm.identity_hash(object).cast_unsigned()))
}

fn current_time_millis(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let nanos = vm.epoch_nanos();
    #[expect(clippy::cast_possible_truncation, reason = "the clock fits a long for ages")]
    Ok((nanos.div_euclid(1_000_000) as i64).cast_unsigned())
}

fn nano_time(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(vm.nano_time().cast_unsigned())
}

fn map_library_name(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let name = args.reference();
    if name.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    let file = format!("lib{}.so", vm.string_text(name));
    Ok(vm.new_string(&file)?.to_slot())
}

fn set_in(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    set_stream(vm, "in", "Ljava/io/InputStream;", args.reference())
}

fn set_out(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    set_stream(vm, "out", "Ljava/io/PrintStream;", args.reference())
}

fn set_err(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    set_stream(vm, "err", "Ljava/io/PrintStream;", args.reference())
}

/// The fields are final; only these natives may write them.
fn set_stream(vm: &mut Vm, name: &str, descriptor: &str, stream: Ref) -> Res<u64> {
    let system = vm.boot_class(SYSTEM)?;
    let (mirror, offset) = vm.static_slot(system, name, descriptor);
    vm.heap.store_ref(mirror, offset, stream);
    Ok(0)
}

//! `com.sun.management.internal.Flag` and `HotSpotDiagnostic`: the options of the JDK's own machine that
//! mean something here too, with the values they have here. None can be set, and heaps cannot be written.

use crate::frame::Res;
use crate::native::{Args, NativeRow, nothing, zero};
use crate::value::{Kind, Ref};
use crate::vm::Vm;

const FLAG: &str = "com/sun/management/internal/Flag";
const DIAGNOSTIC: &str = "com/sun/management/internal/HotSpotDiagnostic";
const ORIGIN: &str = "com/sun/management/VMOption$Origin";

pub(crate) const NATIVES: &[NativeRow] = &[
    (FLAG, "initialize", "()V", nothing),
    (FLAG, "getAllFlagNames", "()[Ljava/lang/String;", names),
    (FLAG, "getInternalFlagCount", "()I", zero),
    (FLAG, "getFlags", "", fill),
    (FLAG, "setLongValue", "", refuse_to_set),
    (FLAG, "setDoubleValue", "", refuse_to_set),
    (FLAG, "setBooleanValue", "", refuse_to_set),
    (FLAG, "setStringValue", "", refuse_to_set),
    (DIAGNOSTIC, "dumpHeap0", "(Ljava/lang/String;Z)V", refuse_to_dump),
];

enum Value {
    Yes,
    No,
    Number(u64),
    Text(&'static str),
}

/// Names and values.
fn flags(vm: &Vm) -> [(&'static str, Value); 19] {
    let limit = vm.options.heap_limit as u64;
    [
        ("DisableExplicitGC", Value::No),
        ("EnableDynamicAgentLoading", Value::Yes),
        ("HeapDumpOnOutOfMemoryError", Value::No),
        ("HeapDumpPath", Value::Text("")),
        ("InitialHeapSize", Value::Number(limit)),
        ("MaxDirectMemorySize", Value::Number(0)),
        ("MaxHeapSize", Value::Number(limit)),
        ("NewSize", Value::Number(vm.heap.nursery as u64)),
        ("ObjectAlignmentInBytes", Value::Number(8)),
        ("PrintConcurrentLocks", Value::No),
        ("PrintGC", Value::No),
        ("UseCompressedClassPointers", Value::Yes),
        ("UseCompressedOops", Value::Yes),
        ("UseG1GC", Value::No),
        ("UseParallelGC", Value::No),
        ("UseSerialGC", Value::Yes),
        ("UseShenandoahGC", Value::No),
        ("UseStringDeduplication", Value::No),
        ("UseZGC", Value::No),
    ]
}

fn names(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let mut names = Vec::new();
    for (name, _) in flags(vm) {
        names.push(vm.new_string(name)?);
    }
    let class = vm.known.string;
    Ok(vm.new_ref_array(class, &names)?.to_slot())
}

/// Fills an array with a `Flag` for each name, null for one that is not known, or with all of them;
/// gives their number.
fn fill(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let (names, array) = (args.reference(), args.reference());
    let room = u32::try_from(args.int()).unwrap_or(0).min(vm.heap.array_length(array));
    let flag_class = vm.boot_class(FLAG)?;
    let origin_class = vm.boot_class(ORIGIN)?;
    vm.ensure_initialised(origin_class)?;
    let (mirror, offset) = vm.static_slot(origin_class, "DEFAULT", &format!("L{ORIGIN};"));
    let origin = vm.heap.load_ref(mirror, offset);
    let wanted: Option<Vec<String>> = names.some().map(|names| {
        let all = (0..vm.heap.array_length(names)).map(|idx| vm.heap.element_ref(names, idx));
        all.map(|name| if name.is_null() { String::new() } else { vm.string_text(name) }).collect()
    });
    let known = flags(vm);
    let chosen: Vec<Option<&(&str, Value)>> = match &wanted {
        Some(names) => {
            names.iter().map(|name| known.iter().find(|(known, _)| known == name)).collect()
        }
        None => known.iter().map(Some).collect(),
    };
    let mut n_found = 0;
    for (flag, idx) in chosen.into_iter().zip(0..room) {
        let Some((name, value)) = flag else { continue };
        let name = vm.new_string(name)?;
        let value = boxed(vm, value)?;
        let object = vm.new_object(flag_class)?;
        vm.set_field_ref(object, "name", "Ljava/lang/String;", name);
        vm.set_field_ref(object, "value", "Ljava/lang/Object;", value);
        vm.set_field_ref(object, "origin", &format!("L{ORIGIN};"), origin);
        let is_external = vm.field_offset(flag_class, "external", "Z");
        vm.heap.store_u8(object, is_external, 1);
        vm.heap.set_element_ref(array, idx, object);
        n_found += 1;
    }
    Ok(n_found)
}

fn boxed(vm: &mut Vm, value: &Value) -> Res<Ref> {
    match value {
        Value::Yes => vm.box_value(Kind::Boolean, 1),
        Value::No => vm.box_value(Kind::Boolean, 0),
        Value::Number(number) => vm.box_value(Kind::Long, *number),
        Value::Text(text) => vm.new_string(text),
    }
}

fn refuse_to_set(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let message = "This flag is not writeable.";
    Err(vm.throw("java/lang/IllegalArgumentException", message))
}

fn refuse_to_dump(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let message = "this machine does not write its heap to files";
    Err(vm.throw("java/lang/UnsupportedOperationException", message))
}

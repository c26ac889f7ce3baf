//! `sun.instrument.InstrumentationImpl`: what agents ask of the machine.

use std::sync::Arc;

use classfile::ClassBytes;

use crate::class::Shape;
use crate::frame::{Hook, Res, Trap};
use crate::heap::ELEMENTS_OFFSET;
use crate::instrument::{Passed, Start, Subject, can_retransform, path_position};
use crate::layout::{FieldShape, lay_out};
use crate::native::{Args, NativeRow, nothing};
use crate::redefine::Redefinition;
use crate::value::{ClassId, Ref};
use crate::vm::Vm;

const IMPLEMENTATION: &str = "sun/instrument/InstrumentationImpl";

pub(crate) const NATIVES: &[NativeRow] = &[
    (IMPLEMENTATION, "jarFile", "(J)Ljava/lang/String;", jar_file),
    (IMPLEMENTATION, "isModifiableClass0", "(JLjava/lang/Class;)Z", is_modifiable_class),
    (IMPLEMENTATION, "isRetransformClassesSupported0", "(J)Z", is_retransform_supported),
    // Whether there are transformers is read from the lists themselves.
    (IMPLEMENTATION, "setHasTransformers", "(JZ)V", nothing),
    (IMPLEMENTATION, "setHasRetransformableTransformers", "(JZ)V", nothing),
    (IMPLEMENTATION, "retransformClasses0", "(J[Ljava/lang/Class;)V", retransform_classes),
    (
        IMPLEMENTATION,
        "redefineClasses0",
        "(J[Ljava/lang/instrument/ClassDefinition;)V",
        redefine_classes,
    ),
    (IMPLEMENTATION, "getAllLoadedClasses0", "(J)[Ljava/lang/Class;", all_loaded_classes),
    (
        IMPLEMENTATION,
        "getInitiatedClasses0",
        "(JLjava/lang/ClassLoader;)[Ljava/lang/Class;",
        initiated_classes,
    ),
    (IMPLEMENTATION, "getObjectSize0", "(JLjava/lang/Object;)J", object_size),
    (IMPLEMENTATION, "appendToClassLoaderSearch0", "(JLjava/lang/String;Z)V", append_to_search),
    (IMPLEMENTATION, "loadAgent0", "(Ljava/lang/String;)V", load_agent),
];

fn jar_file(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    let position = path_position(args.long().cast_unsigned());
    let agents = vm.world.agents;
    if agents.is_null() || position >= vm.heap.array_length(agents) {
        return Ok(0);
    }
    Ok(vm.heap.element_ref(agents, position).to_slot())
}

fn is_modifiable_class(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    args.long();
    let class = vm.class_of_mirror(args.reference());
    Ok(u64::from(vm.is_modifiable(class)))
}

fn is_retransform_supported(_: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    Ok(u64::from(can_retransform(args.long().cast_unsigned())))
}

/// The class behind a mirror that agents want to change.
fn modifiable(vm: &mut Vm, mirror: Ref) -> Res<ClassId> {
    if mirror.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    let class = vm.class_of_mirror(mirror);
    if !vm.is_modifiable(class) {
        return Err(vm.throw_plain("java/lang/instrument/UnmodifiableClassException"));
    }
    Ok(class)
}

fn retransform_classes(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    args.long();
    let list = args.reference();
    let result = transform_all(vm, list, |vm, element, position| {
        let class = modifiable(vm, element)?;
        Ok((class, vm.pass_again(class, position)?, false))
    });
    ended(vm, result)
}

fn redefine_classes(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    args.long();
    let list = args.reference();
    let result = transform_all(vm, list, |vm, element, position| {
        if element.is_null() {
            return Err(vm.throw_plain("java/lang/NullPointerException"));
        }
        let definition = vm.class_of(element);
        let offset = vm.field_offset(definition, "mClass", "Ljava/lang/Class;");
        let mirror = vm.heap.load_ref(element, offset);
        let class = modifiable(vm, mirror)?;
        let offset = vm.field_offset(definition, "mClassFile", "[B");
        let array = vm.heap.load_ref(element, offset);
        if array.is_null() {
            return Err(vm.throw_plain("java/lang/NullPointerException"));
        }
        let len = vm.heap.array_length(array) as usize;
        let bytes = vm.heap.bytes(array, ELEMENTS_OFFSET, len).to_vec();
        let subject = Subject::Again(class, position);
        let passed = vm.pass_transformers(&subject, ClassBytes::from_vec(bytes), Ref::NULL)?;
        // JDK 17 goes on transforming what was transformed first.
        Ok((class, passed, vm.jdk >= 21))
    });
    ended(vm, result)
}

/// Transforms and checks all classes of a list, then gives them their new code.
fn transform_all(
    vm: &mut Vm,
    list: Ref,
    mut pass: impl FnMut(&mut Vm, Ref, usize) -> Res<(ClassId, Passed, bool)>,
) -> Res<u64> {
    if list.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    let mut all: Vec<Redefinition> = Vec::new();
    for (position, idx) in (0..vm.heap.array_length(list)).enumerate() {
        let element = vm.heap.element_ref(list, idx);
        let (class, Passed { original, bytes }, is_fresh) = pass(vm, element, position)?;
        let file = vm.check_redefinition(class, &bytes)?;
        // Of several definitions of one class the last one counts.
        all.retain(|other| other.class != class);
        all.push(Redefinition { class, file, original, is_fresh });
    }
    vm.redefine_classes(all)?;
    Ok(0)
}

/// Forgets what transformers made, unless the native is about to run again.
fn ended(vm: &mut Vm, result: Res<u64>) -> Res<u64> {
    if matches!(result, Ok(_) | Err(Trap::Throw(_) | Trap::Stop(_))) {
        vm.end_transforms(|subject| matches!(subject, Subject::Again(..)));
    }
    result
}

fn mirrors(vm: &mut Vm, classes: &[ClassId]) -> Res<u64> {
    let mirrors: Vec<Ref> = classes.iter().map(|&class| vm.mirror(class)).collect();
    Ok(vm.new_ref_array(vm.known.class, &mirrors)?.to_slot())
}

fn all_loaded_classes(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let is_shown = |class: ClassId| {
        let linked = vm.class(class);
        let is_primitive = matches!(linked.shape, Shape::Primitive(_));
        !is_primitive && !linked.is_spun && vm.present_version(class) == class
    };
    let all = vm.classes.iter().map(|rt| rt.class.id);
    let classes: Vec<ClassId> = all.filter(|&class| is_shown(class)).collect();
    mirrors(vm, &classes)
}

fn initiated_classes(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    args.long();
    let loader = args.reference();
    let loader = vm.loader_of(loader);
    let mut classes: Vec<ClassId> = vm.loaders[loader.idx()].classes.values().copied().collect();
    classes.sort_unstable();
    mirrors(vm, &classes)
}

/// The size that an object has in HotSpot, with compressed references.
fn object_size(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    const HEADER: u32 = 12;
    args.reference();
    args.long();
    let object = args.reference();
    if object.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    let class = Arc::clone(vm.class(vm.class_of(object)));
    if let Shape::Array { element, .. } = class.shape {
        let size = u64::from(vm.heap.array_length(object)) * u64::from(element.size());
        return Ok((16 + size).next_multiple_of(8));
    }
    let mut end = HEADER;
    for &ancestor in &class.supers {
        let fields = vm.class(ancestor).fields.iter().filter(|field| !field.injected);
        let shapes: Vec<FieldShape> = fields
            .map(|field| FieldShape { kind: field.kind, is_static: field.is_static() })
            .collect();
        end = lay_out(&shapes, end, 0).fields_end;
    }
    Ok(u64::from(end.next_multiple_of(8)))
}

fn append_to_search(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    args.long();
    let jar = args.reference();
    let is_boot = args.boolean();
    if jar.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    if is_boot {
        vm.append_to_boot_path(jar)?;
        return Ok(0);
    }
    let path = vm.string_text(jar);
    Err(vm.append_to_class_path(&path, Hook::NativeResult)?)
}

/// The agent that is packed with the program.
fn load_agent(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let jar = args.reference();
    if jar.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    let path = vm.string_text(jar);
    match vm.start_agent(&path, None, Start::Launcher)? {
        None => Ok(0),
        Some(_) => Err(vm.throw("java/lang/InternalError", "Agent failed to start!")),
    }
}

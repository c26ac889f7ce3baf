//! `java.lang.reflect.Executable`: parameters and type annotations.

use std::sync::Arc;

use crate::frame::Res;
use crate::native::{Args, NativeRow};
use crate::vm::Vm;

const EXECUTABLE: &str = "java/lang/reflect/Executable";

pub(crate) const NATIVES: &[NativeRow] = &[
    (EXECUTABLE, "getParameters0", "()[Ljava/lang/reflect/Parameter;", get_parameters),
    (EXECUTABLE, "getTypeAnnotationBytes0", "()[B", get_type_annotation_bytes),
];

fn get_parameters(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let executable = args.reference();
    let method = vm.method_of_reflected(executable)?;
    Ok(vm.new_parameters(executable, method)?.to_slot())
}

fn get_type_annotation_bytes(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let executable = args.reference();
    let method = vm.method_of_reflected(executable)?;
    let method = vm.method(method);
    let (class, slot) = (method.class, method.slot);
    let file = Arc::clone(vm.class(class).class_file());
    let span = file.methods()[usize::from(slot)].type_annotations;
    Ok(vm.optional_bytes(&file, span)?.to_slot())
}

//! `java.lang.reflect.Field`: type annotations.

use std::sync::Arc;

use crate::frame::Res;
use crate::native::{Args, NativeRow};
use crate::vm::Vm;

pub(crate) const NATIVES: &[NativeRow] =
    &[("java/lang/reflect/Field", "getTypeAnnotationBytes0", "()[B", get_type_annotation_bytes)];

fn get_type_annotation_bytes(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let field = args.reference();
    let field = vm.field_of_reflected(field)?;
    let file = Arc::clone(vm.class(field.class).class_file());
    let span = file.fields()[usize::from(field.slot)].type_annotations;
    Ok(vm.optional_bytes(&file, span)?.to_slot())
}

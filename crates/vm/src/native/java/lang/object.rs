//! `java.lang.Object`: class, identity hash and shallow copy. `wait` and `notify` are beside the
//! threads.

use crate::class::Shape;
use crate::frame::Res;
use crate::heap::{ELEMENTS_OFFSET, FIELDS_OFFSET};
use crate::native::{Args, NativeRow};
use crate::vm::Vm;

pub(crate) const NATIVES: &[NativeRow] = &[
    ("java/lang/Object", "getClass", "()Ljava/lang/Class;", get_class),
    ("java/lang/Object", "hashCode", "()I", hash_code),
    ("java/lang/Object", "clone", "()Ljava/lang/Object;", clone),
];

fn get_class(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let object = args.reference();
    Ok(vm.mirror(vm.class_of(object)).to_slot())
}

fn hash_code(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let object = args.reference();
    Ok(u64::from(vm.identity_hash(object).cast_unsigned()))
}

fn clone(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let object = args.reference();
    let class = vm.class_of(object);
    if let Shape::Array { element, .. } = vm.class(class).shape {
        let length = vm.heap.array_length(object);
        let copy = vm.new_array(class, length)?;
        let size = length as usize * element.size() as usize;
        vm.heap.copy(object, ELEMENTS_OFFSET, copy, ELEMENTS_OFFSET, size);
        return Ok(copy.to_slot());
    }
    let cloneable = vm.boot_class("java/lang/Cloneable")?;
    if !vm.is_subtype(class, cloneable) {
        let name = vm.class(class).external_name();
        return Err(vm.throw("java/lang/CloneNotSupportedException", &name));
    }
    let has_finalizer = vm.class(class).has_finalizer;
    if has_finalizer {
        vm.prepare_finalizer()?;
    }
    let copy = vm.new_object(class)?;
    if has_finalizer {
        vm.register_finalizer(copy)?;
    }
    let size = vm.class(class).instance_size - FIELDS_OFFSET;
    vm.heap.copy(object, FIELDS_OFFSET, copy, FIELDS_OFFSET, size as usize);
    Ok(copy.to_slot())
}

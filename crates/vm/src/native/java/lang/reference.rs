//! `java.lang.ref`: references and finalizers, as far as the collector does not do it alone.

use crate::frame::Res;
use crate::native::{Args, NativeRow, nothing};
use crate::value::Ref;
use crate::vm::Vm;

const REFERENCE: &str = "java/lang/ref/Reference";
const PHANTOM: &str = "java/lang/ref/PhantomReference";
const FINALIZER: &str = "java/lang/ref/Finalizer";

pub(crate) const NATIVES: &[NativeRow] = &[
    (REFERENCE, "refersTo0", "(Ljava/lang/Object;)Z", refers_to),
    (PHANTOM, "refersTo0", "(Ljava/lang/Object;)Z", refers_to),
    (REFERENCE, "clear0", "()V", clear),
    (PHANTOM, "clear0", "()V", clear),
    // The finalizer thread runs `finalize` where the collector finds something to finalize.
    (FINALIZER, "isFinalizationEnabled", "()Z", crate::native::one),
    (FINALIZER, "reportComplete", "(Ljava/lang/Object;)V", nothing),
];

fn referent_offset(vm: &mut Vm) -> Res<u32> {
    let class = vm.boot_class(REFERENCE)?;
    Ok(vm.field_offset(class, "referent", "Ljava/lang/Object;"))
}

fn refers_to(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let reference = args.reference();
    let object = args.reference();
    let offset = referent_offset(vm)?;
    Ok(u64::from(vm.heap.load_ref(reference, offset) == object))
}

fn clear(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let reference = args.reference();
    let offset = referent_offset(vm)?;
    vm.heap.store_ref(reference, offset, Ref::NULL);
    Ok(0)
}

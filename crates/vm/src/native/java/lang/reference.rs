//! `java.lang.ref`: references and finalizers, as far as the collector does not do it alone.

use crate::frame::{Res, Trap};
use crate::native::{Args, NativeRow, nothing, one};
use crate::thread::State;
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
    (REFERENCE, "waitForReferencePendingList", "()V", wait_for_pending),
    (REFERENCE, "getAndClearReferencePendingList", "()Ljava/lang/ref/Reference;", take_pending),
    (REFERENCE, "hasReferencePendingList", "()Z", has_pending),
    // The finalizer thread runs `finalize` where the collector finds something to finalize.
    (FINALIZER, "isFinalizationEnabled", "()Z", one),
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

/// Waits until the collector finds references; it wakes whoever waits.
fn wait_for_pending(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    if vm.world.pending.is_null() {
        vm.block(State::AwaitingReferences);
        return Err(Trap::Blocked);
    }
    Ok(0)
}

/// The list of references that the collector found, linked by `discovered`; it is empty then.
fn take_pending(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(std::mem::take(&mut vm.world.pending).to_slot())
}

fn has_pending(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(u64::from(!vm.world.pending.is_null()))
}

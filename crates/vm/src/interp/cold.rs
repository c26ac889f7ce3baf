//! The rare ends of fast handlers, reached by a jump, so that the fast handlers save no registers.
//!
//! Each has a handler's signature. `enter_careful` and `poll` get the callee's registers and the
//! instruction to go on at in the place of `fp` and `pc`.

use super::slow;
use crate::heap::ELEMENTS_OFFSET;
use crate::value::{ClassId, Kind, Ref};

macro_rules! cold {
    ($($name:ident, |$pc:ident, $fp:ident, $vm:ident| $flow:expr;)*) => { $(
        #[cold]
        #[inline(never)]
        pub(super) unsafe fn $name(
            $pc: *const crate::code::Insn,
            $fp: *mut u64,
            $vm: *mut crate::vm::Vm,
            heap: *mut u8,
            t: *const super::Table,
        ) -> super::Exit {
            let _ = ($pc, $fp);
            // SAFETY: as for every handler.
            unsafe { follow!($flow, $vm, heap, t) }
        }
    )* };
}

cold! {
    null_pointer, |pc, fp, vm| slow::null_pointer(vm, pc);
    array_fault, |pc, fp, vm| slow::array_fault(vm, pc);
    divide_by_zero, |pc, fp, vm| slow::divide_by_zero(vm, pc);
    poll, |pc, fp, vm| slow::poll(vm, pc);
    enter_careful, |pc, fp, vm| slow::enter_careful(vm, pc, fp, (*vm).run.callee.0);
    cache_miss, |pc, fp, vm| slow::link::cache_miss(vm, pc, fp);
    new_full, |pc, fp, vm| slow::new_full(vm, pc);
    checkcast_u, |pc, fp, vm| slow::checkcast_u(vm, pc, fp);
    instanceof_u, |pc, fp, vm| slow::instanceof_u(vm, pc, fp);
    monitorenter, |pc, fp, vm| slow::monitorenter(vm, pc, Ref(r32!(fp, (*pc).a)));
}

handler!(
    /// A call whose target, found in the table behind the caches, is run without a frame.
    table_intrinsic, |i, pc, fp, vm, heap, t| {
    let class = heap.add((r32!(fp, i.a) as usize) << 3).cast::<u32>().read();
    let called = Ref::from_slot((*pc.add(1)).word() >> 32).0;
    let rt = slow::link::selected(vm, class, called);
    if !const { super::invoke::is_watched::<M>() }
        && let Some(function) = (*rt).intrinsic
        && function(vm, heap, fp.add(i.a as usize))
    {
        go!(pc.add(3), fp, vm, heap, t)
    }
    (*vm).run.callee = super::Callee(rt);
    return enter_careful(pc, fp.add(i.a as usize), vm, heap, t);
});

handler!(
    /// `checkcast` of an object whose class is not the wanted one itself.
    checkcast_other, |i, pc, fp, vm, heap, t| {
    let object = r32!(fp, i.a);
    let class = heap.add((object as usize) << 3).cast::<u32>().read();
    let wanted = Ref::from_slot((*pc.add(1)).word()).0;
    if !(*vm).is_subtype(ClassId(class), ClassId(wanted)) {
        follow!(slow::class_cast(vm, pc, ClassId(class), ClassId(wanted)), vm, heap, t);
    }
    go!(pc.add(2), fp, vm, heap, t)
});

handler!(
    /// `instanceof` of an object whose class is not the wanted one itself.
    instanceof_other, |i, pc, fp, vm, heap, t| {
    let object = r32!(fp, i.b);
    let class = heap.add((object as usize) << 3).cast::<u32>().read();
    let wanted = Ref::from_slot((*pc.add(1)).word()).0;
    let is = (*vm).is_subtype(ClassId(class), ClassId(wanted));
    set!(fp, i.a, u64::from(is));
    go!(pc.add(2), fp, vm, heap, t)
});

handler!(
    /// `aastore` into an array of something else than Object, or into an old array.
    aastore_checked, |i, pc, fp, vm, heap, t| {
    let (array, idx, value) = (r32!(fp, i.b), r32!(fp, i.c), r32!(fp, i.a));
    let object = heap.add((array as usize) << 3);
    let array_class = object.cast::<u32>().read();
    if value != 0 && !slow::can_store(&*vm, array_class, Ref(value)) {
        follow!(slow::array_store_fault(vm, pc, Ref(value)), vm, heap, t);
    }
    if M::WRITES {
        super::mode::<M>(vm).array_write(&mut *vm, Ref(array), idx, Kind::Ref, u64::from(value));
    }
    let at = object.add(ELEMENTS_OFFSET as usize + idx as usize * 4);
    let offset = at.offset_from_unsigned(heap);
    if M::SHADOW {
        super::mode::<M>(vm).shadow_store(fp.add(i.a as usize), offset);
    }
    if offset < (*vm).heap.ref_limit {
        (*vm).heap.note_ref_write(offset);
    }
    at.cast::<u32>().write(value);
    go!(pc.add(1), fp, vm, heap, t)
});

handler!(
    /// `new` of an object past the size that is cleared word by word.
    new_large, |i, pc, fp, vm, heap, t| {
    let data = (*pc.add(1)).word();
    let size = (data >> 32) as usize;
    let top = (*vm).heap.top;
    let new_top = top + size;
    if new_top > (*vm).heap.end {
        return new_full(pc, fp, vm, heap, t);
    }
    (*vm).heap.top = new_top;
    let at = heap.add(top).cast::<u64>();
    at.write(data & 0xffff_ffff);
    std::ptr::write_bytes(at.add(1).cast::<u8>(), 0, size - 8);
    set!(fp, i.a, (top >> 3) as u64);
    if M::ALLOCATIONS {
        super::mode::<M>(vm).allocated(
            &mut *vm,
            Ref::from_slot((top >> 3) as u64),
            ClassId(Ref::from_slot(data).0),
        );
    }
    go!(pc.add(2), fp, vm, heap, t)
});

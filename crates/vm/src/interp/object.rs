//! Objects, type checks, locks and `athrow` (JVMS §2.11.5, §2.11.9, §2.11.10).

use super::{cold, slow};
use crate::value::{ClassId, Ref};

handler!(ldc_u, |i, pc, fp, vm, heap, t| { follow!(slow::ldc_u(vm, pc, fp), vm, heap, t) });

handler!(ldc_resolved, |i, pc, fp, vm, heap, t| {
    if M::SHADOW {
        super::mode::<M>(vm).shadow_compute(
            crate::code::Op::const32,
            fp.add(i.a as usize),
            std::ptr::null(),
            std::ptr::null(),
        );
    }
    set!(fp, i.a, (*pc.add(1)).word());
    go!(pc.add(2), fp, vm, heap, t)
});

handler!(new_u, |i, pc, fp, vm, heap, t| { follow!(slow::new_u::<M>(vm, pc, fp), vm, heap, t) });

handler!(new_q, |i, pc, fp, vm, heap, t| {
    let data = (*pc.add(1)).word();
    let size = (data >> 32) as usize;
    let top = (*vm).heap.top;
    let new_top = top + size;
    if size > 64 {
        return cold::new_large::<M>(pc, fp, vm, heap, t);
    }
    if new_top > (*vm).heap.end {
        return cold::new_full(pc, fp, vm, heap, t);
    }
    (*vm).heap.top = new_top;
    let at = heap.add(top).cast::<u64>();
    at.write(data & 0xffff_ffff);
    let mut word = 1;
    while word < size >> 3 {
        // Volatile, so that the short loop does not become a call.
        at.add(word).write_volatile(0);
        word += 1;
    }
    set!(fp, i.a, (top >> 3) as u64);
    if M::SHADOW {
        super::mode::<M>(vm).shadow_compute(
            crate::code::Op::const32,
            fp.add(i.a as usize),
            std::ptr::null(),
            std::ptr::null(),
        );
    }
    if M::ALLOCATIONS {
        super::mode::<M>(vm).allocated(
            &mut *vm,
            Ref::from_slot((top >> 3) as u64),
            ClassId(Ref::from_slot(data).0),
        );
    }
    go!(pc.add(2), fp, vm, heap, t)
});

handler!(checkcast_u, |i, pc, fp, vm, heap, t| {
    if r32!(fp, i.a) != 0 {
        return cold::checkcast_u(pc, fp, vm, heap, t);
    }
    go!(pc.add(2), fp, vm, heap, t)
});

handler!(checkcast_q, |i, pc, fp, vm, heap, t| {
    let object = r32!(fp, i.a);
    if object != 0 {
        let class = heap.add((object as usize) << 3).cast::<u32>().read();
        if class != Ref::from_slot((*pc.add(1)).word()).0 {
            return cold::checkcast_other::<M>(pc, fp, vm, heap, t);
        }
    }
    go!(pc.add(2), fp, vm, heap, t)
});

handler!(instanceof_u, |i, pc, fp, vm, heap, t| {
    if r32!(fp, i.b) != 0 {
        return cold::instanceof_u(pc, fp, vm, heap, t);
    }
    set!(fp, i.a, 0);
    go!(pc.add(2), fp, vm, heap, t)
});

handler!(instanceof_q, |i, pc, fp, vm, heap, t| {
    shadow!(M, vm, instanceof_q, fp, i.a, i.b, i.b);
    let object = r32!(fp, i.b);
    let mut is = 0;
    if object != 0 {
        let class = heap.add((object as usize) << 3).cast::<u32>().read();
        if class != Ref::from_slot((*pc.add(1)).word()).0 {
            return cold::instanceof_other::<M>(pc, fp, vm, heap, t);
        }
        is = 1;
    }
    set!(fp, i.a, is);
    go!(pc.add(2), fp, vm, heap, t)
});

handler!(monitorenter, |i, pc, fp, vm, heap, t| {
    let object = r32!(fp, i.a);
    if object != 0 && slow::lock_fast(vm, Ref(object)) {
        go!(pc.add(1), fp, vm, heap, t)
    }
    return cold::monitorenter(pc, fp, vm, heap, t);
});

handler!(monitorexit, |i, pc, fp, vm, heap, t| {
    let object = r32!(fp, i.a);
    if object != 0 && slow::unlock_fast(vm, Ref(object)) {
        go!(pc.add(1), fp, vm, heap, t)
    }
    follow!(slow::monitorexit(vm, pc, Ref(r32!(fp, i.a))), vm, heap, t)
});

handler!(athrow, |i, pc, fp, vm, heap, t| {
    follow!(slow::athrow(vm, pc, Ref(r32!(fp, i.a))), vm, heap, t)
});

//! Objects, type checks, locks and `athrow` (JVMS §2.11.5, §2.11.9, §2.11.10).

use super::slow;
use crate::value::{ClassId, Ref};

handler!(ldc_u, |i, pc, fp, vm, heap, t| {
    follow!(slow::ldc_u(vm, pc, fp), vm, heap, t)
});

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

handler!(new_u, |i, pc, fp, vm, heap, t| {
    follow!(slow::new_u::<M>(vm, pc, fp), vm, heap, t)
});

handler!(new_q, |i, pc, fp, vm, heap, t| {
    let data = (*pc.add(1)).word();
    let size = (data >> 32) as usize;
    let top = (*vm).heap.top;
    let new_top = top + size;
    if new_top > (*vm).heap.end {
        follow!(slow::new_full(vm, pc, size), vm, heap, t);
    }
    (*vm).heap.top = new_top;
    let at = heap.add(top).cast::<u64>();
    at.write(data & 0xffff_ffff);
    if size <= 64 {
        let mut word = 1;
        while word < size >> 3 {
            at.add(word).write(0);
            word += 1;
        }
    } else {
        std::ptr::write_bytes(at.add(1).cast::<u8>(), 0, size - 8);
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
    if r32!(fp, i.a) == 0 {
        go!(pc.add(2), fp, vm, heap, t)
    }
    follow!(slow::checkcast_u(vm, pc, fp), vm, heap, t)
});

handler!(checkcast_q, |i, pc, fp, vm, heap, t| {
    let object = r32!(fp, i.a);
    if object != 0 {
        let class = heap.add((object as usize) << 3).cast::<u32>().read();
        let wanted = Ref::from_slot((*pc.add(1)).word()).0;
        if class != wanted && !(*vm).is_subtype(ClassId(class), ClassId(wanted)) {
            follow!(slow::class_cast(vm, pc, ClassId(class), ClassId(wanted)), vm, heap, t);
        }
    }
    go!(pc.add(2), fp, vm, heap, t)
});

handler!(instanceof_u, |i, pc, fp, vm, heap, t| {
    if r32!(fp, i.b) == 0 {
        set!(fp, i.a, 0);
        go!(pc.add(2), fp, vm, heap, t)
    }
    follow!(slow::instanceof_u(vm, pc, fp), vm, heap, t)
});

handler!(instanceof_q, |i, pc, fp, vm, heap, t| {
    let object = r32!(fp, i.b);
    let mut is = false;
    if object != 0 {
        let class = heap.add((object as usize) << 3).cast::<u32>().read();
        let wanted = Ref::from_slot((*pc.add(1)).word()).0;
        is = class == wanted || (*vm).is_subtype(ClassId(class), ClassId(wanted));
    }
    shadow!(M, vm, instanceof_q, fp, i.a, i.b, i.b);
    set!(fp, i.a, u64::from(is));
    go!(pc.add(2), fp, vm, heap, t)
});

handler!(monitorenter, |i, pc, fp, vm, heap, t| {
    let object = r32!(fp, i.a);
    if object != 0 && (*vm).lock_fast(Ref(object)) {
        go!(pc.add(1), fp, vm, heap, t)
    }
    follow!(slow::monitorenter(vm, pc, Ref(object)), vm, heap, t)
});

handler!(monitorexit, |i, pc, fp, vm, heap, t| {
    follow!(slow::monitorexit(vm, pc, Ref(r32!(fp, i.a))), vm, heap, t)
});

handler!(athrow, |i, pc, fp, vm, heap, t| {
    follow!(slow::athrow(vm, pc, Ref(r32!(fp, i.a))), vm, heap, t)
});

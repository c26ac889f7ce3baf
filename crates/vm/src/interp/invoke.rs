//! Calls (JVMS §2.11.8). Resolved sites hold the target; virtual and interface sites cache the
//! target of the last receiver class.
//!
//! Data units: 1 is the cached receiver class (low half) and the called method (high half), or for
//! direct calls unused; 2 is the address of the target's `MethodRt`.

use super::{cold, slow};
use crate::class::MethodRt;
use crate::heap::ELEMENTS_OFFSET;
use crate::mode::Mode;
use crate::value::Ref;

macro_rules! unresolved {
    ($($name:ident)*) => { $(
        handler!($name, |i, pc, fp, vm, heap, t| {
            follow!(slow::link::$name(vm, pc, fp), vm, heap, t)
        });
    )* };
}

unresolved! { invokestatic_u invokespecial_u invokevirtual_u invokeinterface_u invokedynamic_u }

/// Enters a method: pushes a frame and goes on at its entry.
macro_rules! enter {
    ($rt:expr, $first:expr, $pc:expr, $fp:expr, $vm:expr, $heap:expr, $t:expr, $M:ident) => {{
        let rt: *const MethodRt = $rt;
        let caller = (*$vm).frame;
        let callee = caller.add(1);
        let new_fp = $fp.add($first as usize);
        (*caller).pc = $pc.add(3);
        if callee >= (*$vm).frame_limit
            || new_fp.add((*rt).n_regs as usize) >= (*$vm).reg_limit
            || (*rt).careful != 0
        {
            (*$vm).run.callee = super::Callee(rt);
            return cold::enter_careful($pc, new_fp, $vm, $heap, $t);
        }
        (*$vm).frame = callee;
        (*callee).fp = new_fp;
        (*callee).method = rt;
        (*$vm).fuel -= 4;
        if $M::CALLS {
            super::unwind::entered::<$M>($vm, rt, new_fp);
        }
        if (*$vm).fuel < 0 {
            return cold::poll((*rt).entry, new_fp, $vm, $heap, $t);
        }
        go!((*rt).entry, new_fp, $vm, $heap, $t)
    }};
}

/// Whether a mode hears of anything that a method without a frame would hide from it.
pub(super) const fn is_watched<M: Mode>() -> bool {
    M::SHADOW || M::READS || M::WRITES || M::CALLS || M::STEPS || M::BRANCHES
}

/// Runs what stands in for a method, unless somebody watches.
macro_rules! intrinsic_ran {
    ($rt:expr, $args:expr, $vm:expr, $heap:expr, $M:ident) => {
        !const { is_watched::<$M>() }
            && match (*$rt).intrinsic {
                Some(function) => function($vm, $heap, $args),
                None => false,
            }
    };
}

handler!(invokestatic_q, |i, pc, fp, vm, heap, t| {
    enter!((*pc.add(2)).word() as *const MethodRt, i.a, pc, fp, vm, heap, t, M)
});

handler!(invokespecial_q, |i, pc, fp, vm, heap, t| {
    if r32!(fp, i.a) == 0 {
        return cold::null_pointer(pc, fp, vm, heap, t);
    }
    enter!((*pc.add(2)).word() as *const MethodRt, i.a, pc, fp, vm, heap, t, M)
});

handler!(invokefinal_q, |i, pc, fp, vm, heap, t| {
    if r32!(fp, i.a) == 0 {
        return cold::null_pointer(pc, fp, vm, heap, t);
    }
    enter!((*pc.add(2)).word() as *const MethodRt, i.a, pc, fp, vm, heap, t, M)
});

macro_rules! dispatched {
    ($($name:ident)*) => { $(
        handler!($name, |i, pc, fp, vm, heap, t| {
            let receiver = r32!(fp, i.a);
            if receiver == 0 {
                return cold::null_pointer(pc, fp, vm, heap, t);
            }
            let class = heap.add((receiver as usize) << 3).cast::<u32>().read();
            if class != Ref::from_slot((*pc.add(1)).word()).0 {
                return cold::cache_miss(pc, fp, vm, heap, t);
            }
            enter!((*pc.add(2)).word() as *const MethodRt, i.a, pc, fp, vm, heap, t, M)
        });
    )* };
}

dispatched! { invokevirtual_q invokeinterface_q }

handler!(invokedynamic_q, |i, pc, fp, vm, heap, t| {
    follow!(slow::link::invokedynamic_q(vm, pc, fp), vm, heap, t)
});

handler!(invokehandle_q, |i, pc, fp, vm, heap, t| {
    follow!(slow::link::invokehandle_q(vm, pc, fp), vm, heap, t)
});

/// The appendix of a linked site: an element of the `sites` array of the class's mirror.
macro_rules! appendix {
    ($pc:expr, $vm:expr, $heap:expr) => {{
        let word = (*$pc.add(1)).word();
        let (site, mirror) = (Ref::from_slot(word).0 - 1, Ref::from_slot(word >> 32));
        let at = mirror.byte_offset() + (*$vm).known.class_sites as usize;
        let sites = Ref($heap.add(at).cast::<u32>().read());
        let at = sites.byte_offset() + ELEMENTS_OFFSET as usize + site as usize * 4;
        Ref($heap.add(at).cast::<u32>().read()).to_slot()
    }};
}

handler!(invokedynamic_constant_q, |i, pc, fp, vm, heap, t| {
    if M::SHADOW {
        super::mode::<M>(vm).shadow_compute(
            crate::code::Op::const32,
            fp.add(i.a as usize),
            std::ptr::null(),
            std::ptr::null(),
        );
    }
    set!(fp, i.a, appendix!(pc, vm, heap));
    go!(pc.add(3), fp, vm, heap, t)
});

handler!(invokedynamic_static_q, |i, pc, fp, vm, heap, t| {
    enter!((*pc.add(2)).word() as *const MethodRt, i.a, pc, fp, vm, heap, t, M)
});

handler!(invokedynamic_appendix_q, |i, pc, fp, vm, heap, t| {
    set!(fp, i.a + i.c, appendix!(pc, vm, heap));
    enter!((*pc.add(2)).word() as *const MethodRt, i.a, pc, fp, vm, heap, t, M)
});

handler!(invokehandle_static_q, |i, pc, fp, vm, heap, t| {
    if r32!(fp, i.a) == 0 {
        return cold::null_pointer(pc, fp, vm, heap, t);
    }
    enter!((*pc.add(2)).word() as *const MethodRt, i.a, pc, fp, vm, heap, t, M)
});

handler!(invokehandle_appendix_q, |i, pc, fp, vm, heap, t| {
    if r32!(fp, i.a) == 0 {
        return cold::null_pointer(pc, fp, vm, heap, t);
    }
    set!(fp, i.a + i.c, appendix!(pc, vm, heap));
    enter!((*pc.add(2)).word() as *const MethodRt, i.a, pc, fp, vm, heap, t, M)
});

handler!(invokebasic_q, |i, pc, fp, vm, heap, t| {
    let handle = r32!(fp, i.a);
    if handle == 0 {
        return cold::null_pointer(pc, fp, vm, heap, t);
    }
    enter!(slow::link::basic_target(vm, Ref(handle)), i.a, pc, fp, vm, heap, t, M)
});

handler!(linkto_q, |i, pc, fp, vm, heap, t| {
    let rt = slow::link::linkto_target(vm, pc, fp);
    if rt.is_null() {
        follow!(slow::link::linkto_q(vm, pc, fp), vm, heap, t)
    }
    if intrinsic_ran!(rt, fp.add(i.a as usize), vm, heap, M) {
        go!(pc.add(3), fp, vm, heap, t)
    }
    enter!(rt, i.a, pc, fp, vm, heap, t, M)
});

handler!(invokehandle_intrinsic_q, |i, pc, fp, vm, heap, t| {
    if r32!(fp, i.a) == 0 {
        return cold::null_pointer(pc, fp, vm, heap, t);
    }
    set!(fp, i.a + i.c, appendix!(pc, vm, heap));
    let rt = (*pc.add(2)).word() as *const MethodRt;
    if intrinsic_ran!(rt, fp.add(i.a as usize), vm, heap, M) {
        go!(pc.add(3), fp, vm, heap, t)
    }
    enter!(rt, i.a, pc, fp, vm, heap, t, M)
});

handler!(invokevirtual_intrinsic_q, |i, pc, fp, vm, heap, t| {
    let receiver = r32!(fp, i.a);
    if receiver == 0 {
        return cold::null_pointer(pc, fp, vm, heap, t);
    }
    let class = heap.add((receiver as usize) << 3).cast::<u32>().read();
    if class != Ref::from_slot((*pc.add(1)).word()).0 {
        return cold::cache_miss(pc, fp, vm, heap, t);
    }
    let rt = (*pc.add(2)).word() as *const MethodRt;
    if intrinsic_ran!(rt, fp.add(i.a as usize), vm, heap, M) {
        go!(pc.add(3), fp, vm, heap, t)
    }
    enter!(rt, i.a, pc, fp, vm, heap, t, M)
});

handler!(invokevirtual_table_q, |i, pc, fp, vm, heap, t| {
    let receiver = r32!(fp, i.a);
    if receiver == 0 {
        return cold::null_pointer(pc, fp, vm, heap, t);
    }
    let class = heap.add((receiver as usize) << 3).cast::<u32>().read();
    let data = (*pc.add(1)).word();
    if class == Ref::from_slot(data).0 {
        enter!((*pc.add(2)).word() as *const MethodRt, i.a, pc, fp, vm, heap, t, M)
    }
    let rt = slow::link::selected(vm, class, Ref::from_slot(data >> 32).0);
    if rt.is_null() {
        return cold::cache_miss(pc, fp, vm, heap, t);
    }
    if (*rt).intrinsic.is_some() {
        return cold::table_intrinsic::<M>(pc, fp, vm, heap, t);
    }
    // Receivers of one class often come in a row.
    pc.add(1).cast_mut().cast::<u32>().write(class);
    pc.add(2).cast_mut().cast::<*const MethodRt>().write(rt);
    enter!(rt, i.a, pc, fp, vm, heap, t, M)
});

handler!(invokespecial_empty_q, |i, pc, fp, vm, heap, t| {
    if r32!(fp, i.a) == 0 {
        return cold::null_pointer(pc, fp, vm, heap, t);
    }
    let rt = (*pc.add(2)).word() as *const MethodRt;
    // The fuel that entering takes.
    let fuel = (*vm).fuel - 4;
    if M::CALLS || M::READS || M::SHADOW || M::STEPS || !(*rt).is_empty || fuel < 0 {
        enter!(rt, i.a, pc, fp, vm, heap, t, M)
    }
    (*vm).fuel = fuel;
    go!(pc.add(3), fp, vm, heap, t)
});

/// Gives the field that the target would give, or enters the target.
macro_rules! get_or_enter {
    ($i:expr, $pc:expr, $fp:expr, $vm:expr, $heap:expr, $t:expr, $M:ident, $type:ty, |$v:ident| $e:expr) => {{
        let rt = (*$pc.add(2)).word() as *const MethodRt;
        let offset = (*rt).getter as usize;
        // The fuel that entering takes.
        let fuel = (*$vm).fuel - 4;
        if $M::CALLS || $M::READS || $M::SHADOW || $M::STEPS || offset == 0 || fuel < 0 {
            enter!(rt, $i.a, $pc, $fp, $vm, $heap, $t, $M)
        }
        let object = $heap.add((r32!($fp, $i.a) as usize) << 3);
        // Fields are aligned. An unaligned read would keep a place on the host's stack in some builds.
        let $v = object.add(offset).cast::<$type>().read();
        (*$vm).fuel = fuel;
        set!($fp, $i.a, $e);
        go!($pc.add(3), $fp, $vm, $heap, $t)
    }};
}

macro_rules! getters {
    ($($dispatched:ident $direct:ident: $type:ty, |$v:ident| $e:expr;)*) => { $(
        handler!($dispatched, |i, pc, fp, vm, heap, t| {
            let receiver = r32!(fp, i.a);
            if receiver == 0 {
                return cold::null_pointer(pc, fp, vm, heap, t);
            }
            let class = heap.add((receiver as usize) << 3).cast::<u32>().read();
            if class != Ref::from_slot((*pc.add(1)).word()).0 {
                return cold::cache_miss(pc, fp, vm, heap, t);
            }
            get_or_enter!(i, pc, fp, vm, heap, t, M, $type, |$v| $e)
        });

        handler!($direct, |i, pc, fp, vm, heap, t| {
            if r32!(fp, i.a) == 0 {
                return cold::null_pointer(pc, fp, vm, heap, t);
            }
            get_or_enter!(i, pc, fp, vm, heap, t, M, $type, |$v| $e)
        });
    )* };
}

getters! {
    invokevirtual_getter_i8_q invokefinal_getter_i8_q: i8, |v| u64::from(i32::from(v).cast_unsigned());
    invokevirtual_getter_32_q invokefinal_getter_32_q: u32, |v| u64::from(v);
    invokevirtual_getter_64_q invokefinal_getter_64_q: u64, |v| v;
}

macro_rules! intrinsic {
    ($($name:ident: $observed:expr;)*) => { $(
        handler!(
            /// The target knows its intrinsic, which declines where the receiver is null.
            $name, |i, pc, fp, vm, heap, t| {
    let rt = (*pc.add(2)).word() as *const MethodRt;
    if !$observed
        && let Some(function) = (*rt).intrinsic
        && function(vm, heap, fp.add(i.a as usize))
    {
        go!(pc.add(3), fp, vm, heap, t)
    }
    if r32!(fp, i.a) == 0 && !(*(*rt).method).is_static() {
        return cold::null_pointer(pc, fp, vm, heap, t);
    }
    enter!(rt, i.a, pc, fp, vm, heap, t, M)
        });
    )* };
}

intrinsic! {
    intrinsic_q: (M::SHADOW || M::READS);
    intrinsic_writes_q: (M::SHADOW || M::READS || M::WRITES);
    intrinsic_unseen_q: const { is_watched::<M>() };
}

//! Branches, switches and subroutines (JVMS §2.11.7).
#![expect(
    clippy::cast_possible_wrap,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "distances are signed operands"
)]

use super::{cold, slow};
use crate::code::Switch;

/// Takes a branch by a signed distance; backward ones cost fuel.
macro_rules! jump {
    ($distance:expr, $pc:expr, $fp:expr, $vm:expr, $heap:expr, $t:expr) => {{
        let distance = $distance as isize;
        let target = $pc.offset(distance);
        if distance <= 0 {
            (*$vm).fuel -= 1 - distance as i64;
            if (*$vm).fuel < 0 {
                return cold::poll(target, $fp, $vm, $heap, $t);
            }
        }
        go!(target, $fp, $vm, $heap, $t)
    }};
}

macro_rules! compare_and_branch {
    ($($name:ident: $read:ident, |$a:ident, $b:ident| $e:expr;)*) => { $(
        handler!($name, |i, pc, fp, vm, heap, t| {
            let ($a, $b) = ($read!(fp, i.a), $read!(fp, i.b));
            let mut taken: bool = $e;
            if M::SHADOW {
                taken = super::mode::<M>(vm).shadow_branch(
                    crate::code::Op::$name, fp.add(i.a as usize), fp.add(i.b as usize), taken);
            }
            if M::BRANCHES {
                slow::branch_probe::<M>(vm, pc, u32::from(taken));
            }
            if taken {
                jump!(i.c as i16, pc, fp, vm, heap, t)
            }
            go!(pc.add(1), fp, vm, heap, t)
        });
    )* };
}

compare_and_branch! {
    if_icmpeq: ri32, |a, b| a == b;
    if_icmpne: ri32, |a, b| a != b;
    if_icmplt: ri32, |a, b| a < b;
    if_icmpge: ri32, |a, b| a >= b;
    if_icmpgt: ri32, |a, b| a > b;
    if_icmple: ri32, |a, b| a <= b;
    if_acmpeq: r32, |a, b| a == b;
    if_acmpne: r32, |a, b| a != b;
    if_lcmpeq: ri64, |a, b| a == b;
    if_lcmpne: ri64, |a, b| a != b;
    if_lcmplt: ri64, |a, b| a < b;
    if_lcmpge: ri64, |a, b| a >= b;
    if_lcmpgt: ri64, |a, b| a > b;
    if_lcmple: ri64, |a, b| a <= b;
}

macro_rules! compare_constant_and_branch {
    ($($name:ident: |$a:ident, $b:ident| $e:expr;)*) => { $(
        handler!($name, |i, pc, fp, vm, heap, t| {
            let ($a, $b) = (ri32!(fp, i.a), i32::from(i.b as i16));
            let mut taken: bool = $e;
            if M::SHADOW {
                taken = super::mode::<M>(vm).shadow_branch(
                    crate::code::Op::$name, fp.add(i.a as usize), std::ptr::null(), taken);
            }
            if M::BRANCHES {
                slow::branch_probe::<M>(vm, pc, u32::from(taken));
            }
            if taken {
                jump!(i.c as i16, pc, fp, vm, heap, t)
            }
            go!(pc.add(1), fp, vm, heap, t)
        });
    )* };
}

compare_constant_and_branch! {
    if_icmpeq_imm: |a, b| a == b;
    if_icmpne_imm: |a, b| a != b;
    if_icmplt_imm: |a, b| a < b;
    if_icmpge_imm: |a, b| a >= b;
    if_icmpgt_imm: |a, b| a > b;
    if_icmple_imm: |a, b| a <= b;
}

macro_rules! null_branch {
    ($($name:ident: |$a:ident| $e:expr;)*) => { $(
        handler!($name, |i, pc, fp, vm, heap, t| {
            let $a = r32!(fp, i.a);
            let mut taken: bool = $e;
            if M::SHADOW {
                taken = super::mode::<M>(vm).shadow_branch(
                    crate::code::Op::$name, fp.add(i.a as usize), std::ptr::null(), taken);
            }
            if M::BRANCHES {
                slow::branch_probe::<M>(vm, pc, u32::from(taken));
            }
            if taken {
                jump!(i.imm() as i32, pc, fp, vm, heap, t)
            }
            go!(pc.add(1), fp, vm, heap, t)
        });
    )* };
}

null_branch! {
    ifnull: |a| a == 0;
    ifnonnull: |a| a != 0;
}

handler!(goto_, |i, pc, fp, vm, heap, t| {
    go!(pc.offset(i.imm() as i32 as isize), fp, vm, heap, t)
});

handler!(goto_back, |i, pc, fp, vm, heap, t| { jump!(i.imm() as i32, pc, fp, vm, heap, t) });

handler!(tableswitch, |i, pc, fp, vm, heap, t| {
    let code = &*(*(*(*vm).frame).method).code;
    let Switch::Table { low, targets, default } = &code.switches[i.imm() as usize] else {
        unreachable!("internal: tableswitch without a table")
    };
    let key = ri32!(fp, i.a);
    let idx = key.wrapping_sub(*low) as u32 as usize;
    let (edge, distance) = match targets.get(idx) {
        Some(&distance) => (idx, distance),
        None => (targets.len(), *default),
    };
    if M::SHADOW {
        super::mode::<M>(vm).shadow_branch(
            crate::code::Op::tableswitch,
            fp.add(i.a as usize),
            std::ptr::null(),
            true,
        );
    }
    if M::BRANCHES {
        slow::branch_probe::<M>(vm, pc, edge as u32);
    }
    jump!(distance, pc, fp, vm, heap, t)
});

handler!(lookupswitch, |i, pc, fp, vm, heap, t| {
    let code = &*(*(*(*vm).frame).method).code;
    let Switch::Lookup { keys, targets, default } = &code.switches[i.imm() as usize] else {
        unreachable!("internal: lookupswitch without a table")
    };
    let key = ri32!(fp, i.a);
    let (edge, distance) = match keys.binary_search(&key) {
        Ok(idx) => (idx, targets[idx]),
        Err(_) => (targets.len(), *default),
    };
    if M::SHADOW {
        super::mode::<M>(vm).shadow_branch(
            crate::code::Op::lookupswitch,
            fp.add(i.a as usize),
            std::ptr::null(),
            true,
        );
    }
    if M::BRANCHES {
        slow::branch_probe::<M>(vm, pc, edge as u32);
    }
    jump!(distance, pc, fp, vm, heap, t)
});

handler!(jsr, |i, pc, fp, vm, heap, t| {
    let entry = (*(*(*(*vm).frame).method).code).entry();
    set!(fp, i.a, pc.add(1).offset_from(entry) as u64);
    jump!(i.imm() as i32, pc, fp, vm, heap, t)
});

handler!(ret, |i, pc, fp, vm, heap, t| {
    let entry = (*(*(*(*vm).frame).method).code).entry();
    let target = entry.add(r32!(fp, i.a) as usize);
    jump!(target.offset_from(pc), pc, fp, vm, heap, t)
});

//! Moves, constants, arithmetic, conversions and comparisons that give a value (JVMS §2.11.2 to §2.11.4).
#![expect(
    clippy::cast_sign_loss,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    reason = "Java's arithmetic is defined by wrapping and reinterpretation"
)]

use super::cold;

handler!(nop, |i, pc, fp, vm, heap, t| { go!(pc.add(1), fp, vm, heap, t) });

handler!(mov, |i, pc, fp, vm, heap, t| {
    shadow!(M, vm, mov, fp, i.a, i.b, i.b);
    set!(fp, i.a, r64!(fp, i.b));
    go!(pc.add(1), fp, vm, heap, t)
});

handler!(const32, |i, pc, fp, vm, heap, t| {
    if M::SHADOW {
        super::mode::<M>(vm).shadow_compute(
            crate::code::Op::const32,
            fp.add(i.a as usize),
            std::ptr::null(),
            std::ptr::null(),
        );
    }
    set!(fp, i.a, u64::from(i.imm()));
    go!(pc.add(1), fp, vm, heap, t)
});

handler!(const64, |i, pc, fp, vm, heap, t| {
    if M::SHADOW {
        super::mode::<M>(vm).shadow_compute(
            crate::code::Op::const64,
            fp.add(i.a as usize),
            std::ptr::null(),
            std::ptr::null(),
        );
    }
    set!(fp, i.a, (*pc.add(1)).word());
    go!(pc.add(2), fp, vm, heap, t)
});

macro_rules! int_binary {
    ($($name:ident = |$b:ident, $c:ident| $e:expr;)*) => { $(
        handler!($name, |i, pc, fp, vm, heap, t| {
            shadow!(M, vm, $name, fp, i.a, i.b, i.c);
            let ($b, $c) = (ri32!(fp, i.b), ri32!(fp, i.c));
            let value: i32 = $e;
            set!(fp, i.a, u64::from(value as u32));
            go!(pc.add(1), fp, vm, heap, t)
        });
    )* };
}

int_binary! {
    iadd = |b, c| b.wrapping_add(c);
    isub = |b, c| b.wrapping_sub(c);
    imul = |b, c| b.wrapping_mul(c);
    ishl = |b, c| b.wrapping_shl(c as u32);
    ishr = |b, c| b.wrapping_shr(c as u32);
    iushr = |b, c| (b as u32).wrapping_shr(c as u32) as i32;
    iand = |b, c| b & c;
    ior = |b, c| b | c;
    ixor = |b, c| b ^ c;
}

macro_rules! int_immediate {
    ($($name:ident = |$b:ident, $c:ident| $e:expr;)*) => { $(
        handler!($name, |i, pc, fp, vm, heap, t| {
            shadow1!(M, vm, $name, fp, i.a, i.b);
            let ($b, $c) = (ri32!(fp, i.b), i32::from(i.c as i16));
            let value: i32 = $e;
            set!(fp, i.a, u64::from(value as u32));
            go!(pc.add(1), fp, vm, heap, t)
        });
    )* };
}

int_immediate! {
    iadd_imm = |b, c| b.wrapping_add(c);
    imul_imm = |b, c| b.wrapping_mul(c);
    iand_imm = |b, c| b & c;
    ior_imm = |b, c| b | c;
    ixor_imm = |b, c| b ^ c;
    ishl_imm = |b, c| b.wrapping_shl(c as u32);
    ishr_imm = |b, c| b.wrapping_shr(c as u32);
    iushr_imm = |b, c| (b as u32).wrapping_shr(c as u32) as i32;
    // The translator never folds in 0 or -1.
    idiv_imm = |b, c| b.wrapping_div(c);
    irem_imm = |b, c| b.wrapping_rem(c);
    isub_from_imm = |b, c| c.wrapping_sub(b);
}

handler!(idiv, |i, pc, fp, vm, heap, t| {
    shadow!(M, vm, idiv, fp, i.a, i.b, i.c);
    let (b, c) = (ri32!(fp, i.b), ri32!(fp, i.c));
    if c == 0 {
        return cold::divide_by_zero(pc, fp, vm, heap, t);
    }
    // Java defines MIN_VALUE / -1 as MIN_VALUE; plain `/` would panic.
    set!(fp, i.a, u64::from(b.wrapping_div(c) as u32));
    go!(pc.add(1), fp, vm, heap, t)
});

handler!(irem, |i, pc, fp, vm, heap, t| {
    shadow!(M, vm, irem, fp, i.a, i.b, i.c);
    let (b, c) = (ri32!(fp, i.b), ri32!(fp, i.c));
    if c == 0 {
        return cold::divide_by_zero(pc, fp, vm, heap, t);
    }
    set!(fp, i.a, u64::from(b.wrapping_rem(c) as u32));
    go!(pc.add(1), fp, vm, heap, t)
});

macro_rules! unary {
    ($($name:ident: $read:ident = |$b:ident| $e:expr;)*) => { $(
        handler!($name, |i, pc, fp, vm, heap, t| {
            shadow!(M, vm, $name, fp, i.a, i.b, i.b);
            let $b = $read!(fp, i.b);
            set!(fp, i.a, $e);
            go!(pc.add(1), fp, vm, heap, t)
        });
    )* };
}

macro_rules! rf32 {
    ($fp:expr, $r:expr) => {
        f32::from_bits(r32!($fp, $r))
    };
}

macro_rules! rf64 {
    ($fp:expr, $r:expr) => {
        f64::from_bits(r64!($fp, $r))
    };
}

unary! {
    ineg: ri32 = |b| u64::from(b.wrapping_neg() as u32);
    lneg: ri64 = |b| b.wrapping_neg() as u64;
    fneg: rf32 = |b| u64::from((-b).to_bits());
    dneg: rf64 = |b| (-b).to_bits();
    i2l: ri32 = |b| i64::from(b) as u64;
    i2f: ri32 = |b| u64::from((b as f32).to_bits());
    i2d: ri32 = |b| f64::from(b).to_bits();
    l2i: r32 = |b| u64::from(b);
    l2f: ri64 = |b| u64::from((b as f32).to_bits());
    l2d: ri64 = |b| (b as f64).to_bits();
    // `as` saturates and sends NaN to zero, as JVMS §2.8 wants.
    f2i: rf32 = |b| u64::from(b as i32 as u32);
    f2l: rf32 = |b| b as i64 as u64;
    f2d: rf32 = |b| f64::from(b).to_bits();
    d2i: rf64 = |b| u64::from(b as i32 as u32);
    d2l: rf64 = |b| b as i64 as u64;
    d2f: rf64 = |b| u64::from((b as f32).to_bits());
    i2b: ri32 = |b| u64::from(i32::from(b as i8) as u32);
    i2c: ri32 = |b| u64::from(b as u16);
    i2s: ri32 = |b| u64::from(i32::from(b as i16) as u32);
}

macro_rules! long_binary {
    ($($name:ident = |$b:ident, $c:ident| $e:expr;)*) => { $(
        handler!($name, |i, pc, fp, vm, heap, t| {
            shadow!(M, vm, $name, fp, i.a, i.b, i.c);
            let ($b, $c) = (ri64!(fp, i.b), ri64!(fp, i.c));
            let value: i64 = $e;
            set!(fp, i.a, value as u64);
            go!(pc.add(1), fp, vm, heap, t)
        });
    )* };
}

long_binary! {
    ladd = |b, c| b.wrapping_add(c);
    lsub = |b, c| b.wrapping_sub(c);
    lmul = |b, c| b.wrapping_mul(c);
    lshl = |b, c| b.wrapping_shl(c as u32);
    lshr = |b, c| b.wrapping_shr(c as u32);
    lushr = |b, c| (b as u64).wrapping_shr(c as u32) as i64;
    land = |b, c| b & c;
    lor = |b, c| b | c;
    lxor = |b, c| b ^ c;
}

macro_rules! long_immediate {
    ($($name:ident = |$b:ident, $c:ident| $e:expr;)*) => { $(
        handler!($name, |i, pc, fp, vm, heap, t| {
            shadow1!(M, vm, $name, fp, i.a, i.b);
            let ($b, $c) = (ri64!(fp, i.b), i64::from(i.c as i16));
            let value: i64 = $e;
            set!(fp, i.a, value as u64);
            go!(pc.add(1), fp, vm, heap, t)
        });
    )* };
}

long_immediate! {
    ladd_imm = |b, c| b.wrapping_add(c);
    land_imm = |b, c| b & c;
    lshl_imm = |b, c| b.wrapping_shl(c as u32);
    lshr_imm = |b, c| b.wrapping_shr(c as u32);
    lushr_imm = |b, c| (b as u64).wrapping_shr(c as u32) as i64;
}

handler!(ldiv, |i, pc, fp, vm, heap, t| {
    shadow!(M, vm, ldiv, fp, i.a, i.b, i.c);
    let (b, c) = (ri64!(fp, i.b), ri64!(fp, i.c));
    if c == 0 {
        return cold::divide_by_zero(pc, fp, vm, heap, t);
    }
    set!(fp, i.a, b.wrapping_div(c) as u64);
    go!(pc.add(1), fp, vm, heap, t)
});

handler!(lrem, |i, pc, fp, vm, heap, t| {
    shadow!(M, vm, lrem, fp, i.a, i.b, i.c);
    let (b, c) = (ri64!(fp, i.b), ri64!(fp, i.c));
    if c == 0 {
        return cold::divide_by_zero(pc, fp, vm, heap, t);
    }
    set!(fp, i.a, b.wrapping_rem(c) as u64);
    go!(pc.add(1), fp, vm, heap, t)
});

macro_rules! compare {
    ($($name:ident: $read:ident = |$b:ident, $c:ident| $e:expr;)*) => { $(
        handler!($name, |i, pc, fp, vm, heap, t| {
            shadow!(M, vm, $name, fp, i.a, i.b, i.c);
            let ($b, $c) = ($read!(fp, i.b), $read!(fp, i.c));
            let value: i32 = $e;
            set!(fp, i.a, u64::from(value as u32));
            go!(pc.add(1), fp, vm, heap, t)
        });
    )* };
}

compare! {
    lcmp: ri64 = |b, c| i32::from(b > c) - i32::from(b < c);
    fcmpl: rf32 = |b, c| if b > c { 1 } else if b == c { 0 } else { -1 };
    fcmpg: rf32 = |b, c| if b < c { -1 } else if b == c { 0 } else { 1 };
    dcmpl: rf64 = |b, c| if b > c { 1 } else if b == c { 0 } else { -1 };
    dcmpg: rf64 = |b, c| if b < c { -1 } else if b == c { 0 } else { 1 };
}

macro_rules! float_binary {
    ($($name:ident: $read:ident = |$b:ident, $c:ident| $e:expr;)*) => { $(
        handler!($name, |i, pc, fp, vm, heap, t| {
            shadow!(M, vm, $name, fp, i.a, i.b, i.c);
            let ($b, $c) = ($read!(fp, i.b), $read!(fp, i.c));
            set!(fp, i.a, u64::from(($e).to_bits()));
            go!(pc.add(1), fp, vm, heap, t)
        });
    )* };
}

float_binary! {
    fadd: rf32 = |b, c| b + c;
    fsub: rf32 = |b, c| b - c;
    fmul: rf32 = |b, c| b * c;
    fdiv: rf32 = |b, c| b / c;
    frem: rf32 = |b, c| b % c;
    dadd: rf64 = |b, c| b + c;
    dsub: rf64 = |b, c| b - c;
    dmul: rf64 = |b, c| b * c;
    ddiv: rf64 = |b, c| b / c;
    drem: rf64 = |b, c| b % c;
}

//! fdlibm's sine, cosine and tangent: reduction modulo `pi/2`, then one polynomial per function.
//!
//! The reduced argument is a pair `x + y` in `[-pi/4, pi/4]`; the kernels below take both parts.

use super::pio2::reduce;
use crate::math::words::{from_high_word, head, high_word, high_word_abs, horner};

/// The high word of `pi/4`: at or below it no reduction is made.
const PI_4_HIGH: i32 = 0x3fe9_21fb;
const INFINITY_HIGH: i32 = 0x7ff0_0000;

const S: [f64; 6] = [
    f64::from_bits(0xbfc5_5555_5555_5549),
    f64::from_bits(0x3f81_1111_1110_f8a6),
    f64::from_bits(0xbf2a_01a0_19c1_61d5),
    f64::from_bits(0x3ec7_1de3_57b1_fe7d),
    f64::from_bits(0xbe5a_e5e6_8a2b_9ceb),
    f64::from_bits(0x3de5_d93a_5acf_d57c),
];

const C: [f64; 6] = [
    f64::from_bits(0x3fa5_5555_5555_554c),
    f64::from_bits(0xbf56_c16c_16c1_5177),
    f64::from_bits(0x3efa_01a0_19cb_1590),
    f64::from_bits(0xbe92_7e4f_809c_52ad),
    f64::from_bits(0x3e21_ee9e_bdb4_b1c4),
    f64::from_bits(0xbda8_fae9_be88_38d4),
];

/// The cubic coefficient of the tangent.
const T0: f64 = f64::from_bits(0x3fd5_5555_5555_5563);
/// The coefficients of `x^5`, `x^9`, ...
const T_ODD: [f64; 6] = [
    f64::from_bits(0x3fc1_1111_1110_fe7a),
    f64::from_bits(0x3f96_64f4_8406_d637),
    f64::from_bits(0x3f6d_6d22_c956_0328),
    f64::from_bits(0x3f43_44d8_f2f2_6501),
    f64::from_bits(0x3f14_7e88_a037_92a6),
    f64::from_bits(0xbef3_75cb_db60_5373),
];
/// The coefficients of `x^7`, `x^11`, ...
const T_EVEN: [f64; 6] = [
    f64::from_bits(0x3fab_a1ba_1bb3_41fe),
    f64::from_bits(0x3f82_26e3_e96e_8493),
    f64::from_bits(0x3f57_dbc8_fee0_8315),
    f64::from_bits(0x3f30_26f7_1a8d_1068),
    f64::from_bits(0x3f12_b80f_32f0_a7e9),
    f64::from_bits(0x3efb_2a70_74bf_7ad4),
];

const PI_4: f64 = f64::from_bits(0x3fe9_21fb_5444_2d18);
const PI_4_TAIL: f64 = f64::from_bits(0x3c81_a626_3314_5c07);

/// `StrictMath.sin`.
pub fn sin(x: f64) -> f64 {
    let high = high_word_abs(x);
    if high <= PI_4_HIGH {
        return sin_kernel(x);
    }
    if high >= INFINITY_HIGH {
        return f64::NAN;
    }
    let (n, y) = reduce(x);
    match n & 3 {
        0 => sin_kernel_with_tail(y),
        1 => cos_kernel(y),
        2 => -sin_kernel_with_tail(y),
        _ => -cos_kernel(y),
    }
}

/// `StrictMath.cos`.
pub fn cos(x: f64) -> f64 {
    let high = high_word_abs(x);
    if high <= PI_4_HIGH {
        return cos_kernel([x, 0.0]);
    }
    if high >= INFINITY_HIGH {
        return f64::NAN;
    }
    let (n, y) = reduce(x);
    match n & 3 {
        0 => cos_kernel(y),
        1 => -sin_kernel_with_tail(y),
        2 => -cos_kernel(y),
        _ => sin_kernel_with_tail(y),
    }
}

/// `StrictMath.tan`.
pub fn tan(x: f64) -> f64 {
    let high = high_word_abs(x);
    if high <= PI_4_HIGH {
        return tan_kernel([x, 0.0], Quotient::Tangent);
    }
    if high >= INFINITY_HIGH {
        return f64::NAN;
    }
    let (n, y) = reduce(x);
    let quotient = if n & 1 == 0 { Quotient::Tangent } else { Quotient::NegatedCotangent };
    tan_kernel(y, quotient)
}

/// The sine of a number below `pi/4` that needed no reduction.
fn sin_kernel(x: f64) -> f64 {
    if high_word_abs(x) < 0x3e40_0000 {
        return x;
    }
    let z = x * x;
    let v = z * x;
    let r = horner(z, &[S[1], S[2], S[3], S[4], S[5]]);
    x + v * (S[0] + z * r)
}

/// The sine of `x + y`.
fn sin_kernel_with_tail([x, y]: [f64; 2]) -> f64 {
    if high_word_abs(x) < 0x3e40_0000 {
        return x;
    }
    let z = x * x;
    let v = z * x;
    let r = horner(z, &[S[1], S[2], S[3], S[4], S[5]]);
    x - ((z * (0.5 * y - v * r) - y) - v * S[0])
}

/// The cosine of `x + y`.
fn cos_kernel([x, y]: [f64; 2]) -> f64 {
    let high = high_word_abs(x);
    if high < 0x3e40_0000 {
        return 1.0;
    }
    let z = x * x;
    let r = z * horner(z, &C);
    if high < 0x3fd3_3333 {
        return 1.0 - (0.5 * z - (z * r - x * y));
    }
    // About |x|/4, short enough for both `1 - quarter` and `x*x/2 - quarter` to be exact.
    let quarter = if high > 0x3fe9_0000 { 0.28125 } else { from_high_word(high - 0x0020_0000) };
    let half_square = 0.5 * z - quarter;
    (1.0 - quarter) - (half_square - (z * r - x * y))
}

/// Which of the two quotients of sine and cosine the quadrant asks for.
#[derive(Clone, Copy, PartialEq)]
enum Quotient {
    Tangent,
    NegatedCotangent,
}

fn tan_kernel([mut x, mut y]: [f64; 2], quotient: Quotient) -> f64 {
    let signed_high = high_word(x);
    let high = high_word_abs(x);
    if high < 0x3e30_0000 {
        return match quotient {
            Quotient::Tangent => x,
            Quotient::NegatedCotangent if x == 0.0 => 1.0 / x.abs(),
            Quotient::NegatedCotangent => negated_reciprocal(x, y),
        };
    }
    let near_pi_4 = high >= 0x3fe5_9428;
    if near_pi_4 {
        if signed_high < 0 {
            x = -x;
            y = -y;
        }
        let z = PI_4 - x;
        let w = PI_4_TAIL - y;
        x = z + w;
        y = 0.0;
    }
    let z = x * x;
    let w = z * z;
    let odd = horner(w, &T_ODD);
    let even = z * horner(w, &T_EVEN);
    let s = z * x;
    let mut r = y + z * (s * (odd + even) + y);
    r += T0 * s;
    let w = x + r;
    if near_pi_4 {
        let v = if quotient == Quotient::Tangent { 1.0 } else { -1.0 };
        let sign = f64::from(1 - ((signed_high >> 30) & 2));
        return sign * (v - 2.0 * (x - (w * w / (w + v) - r)));
    }
    match quotient {
        Quotient::Tangent => w,
        Quotient::NegatedCotangent => negated_reciprocal(x, r),
    }
}

/// `-1 / (x + tail)` with less than the error of a plain division.
fn negated_reciprocal(x: f64, tail: f64) -> f64 {
    let w = x + tail;
    let z = head(w);
    let v = tail - (z - x);
    let a = -1.0 / w;
    let t = head(a);
    let s = 1.0 + t * z;
    t + a * (s + t * v)
}

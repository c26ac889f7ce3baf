//! HotSpot's `log` and `log10`: a short reciprocal `B` of the significand, the table of its logarithm,
//! and a polynomial in the small difference that is left.

use super::masked;
use super::tables::logarithm::{LOG, LOG10};
use crate::math::words::power_of_two;

/// What differs between the two bases.
struct Base {
    /// A short approximation of the logarithm of `e`, and its relative error.
    scale: f64,
    scale_error: f64,
    /// Which bits of the significand make up its head.
    head_mask: u64,
    /// The table, and the rounded reciprocal's upper bits for its first row.
    table: &'static [[f64; 2]; 129],
    first_row: u32,
    /// A sixteenth of the logarithm of two in two parts.
    log_2: [f64; 2],
    /// The coefficients of `r^2` to `r^7`.
    coefficients: [f64; 6],
}

const NATURAL: Base = Base {
    scale: 1.0,
    scale_error: 0.0,
    head_mask: 0xffff_e000_0000_0000,
    table: &LOG,
    first_row: 0x3f00,
    log_2: [f64::from_bits(0x3fa6_2e42_fefa_3800), f64::from_bits(0x3cee_f357_93c7_6730)],
    coefficients: [
        -0.5,
        f64::from_bits(0x3fd5_5555_5555_5555),
        -0.25,
        f64::from_bits(0x3fc9_9999_9999_999a),
        f64::from_bits(0xbfc5_555e_3d6f_b175),
        f64::from_bits(0x3fc2_4924_9249_2492),
    ],
};

const DECIMAL: Base = Base {
    scale: 0.433_593_75,
    scale_error: f64::from_bits(0x3f5a_7a6c_bf2e_4108),
    head_mask: 0xffff_ffff_f800_0000,
    table: &LOG10,
    first_row: 0x3e5e,
    log_2: [f64::from_bits(0x3f93_4413_509f_7800), f64::from_bits(0x3cdf_ef31_1f12_b358)],
    coefficients: [
        f64::from_bits(0xbff2_7af2_dc77_b115),
        f64::from_bits(0x3ffc_6a02_dc96_3467),
        f64::from_bits(0xc008_9309_64d4_ef0d),
        f64::from_bits(0x4016_ab9f_7f9d_3aa1),
        f64::from_bits(0xc025_c917_3855_93b1),
        f64::from_bits(0x4035_8874_c1a5_f12e),
    ],
};

/// `Math.log`.
pub fn log(x: f64) -> f64 {
    logarithm(x, &NATURAL)
}

/// `Math.log10`.
pub fn log10(x: f64) -> f64 {
    logarithm(x, &DECIMAL)
}

#[inline]
fn logarithm(x: f64, base: &Base) -> f64 {
    if x.is_nan() || x == f64::INFINITY {
        return x;
    }
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if x < 0.0 {
        return f64::NAN;
    }
    let (significand, k) = decompose(x);
    let short = short_reciprocal(significand, base.scale as f32, 16);
    let [table_head, table_tail] = base.table[((short.to_bits() >> 16) - base.first_row) as usize];
    let short = f64::from(short);

    let head = masked(significand, base.head_mask);
    let r = (significand - head) * short + (head * short - base.scale);
    let r2 = r * r;
    let count = f64::from(16 * k);
    let exponent_part = table_head + base.log_2[0] * count;
    let sum = exponent_part + r;
    let sum_error = r + (exponent_part - sum);
    let tails = base.log_2[1] * count + table_tail;
    let [c2, c3, c4, c5, c6, c7] = base.coefficients;
    let upper = ((c6 * r + c5) * r + c7 * r * r2) * (r2 * r2);
    let lower = ((c3 * r + c2) + c4 * r2) * r2;
    sum + ((((sum_error + base.scale_error * r) + tails) + upper) + lower)
}

/// A positive finite number as significand between one and two and exponent.
pub(super) fn decompose(x: f64) -> (f64, i32) {
    let (x, offset) = if x < f64::MIN_POSITIVE { (x * power_of_two(128), 128) } else { (x, 0) };
    let exponent = (x.to_bits() >> 52) as i32 - 1023;
    (f64::from_bits(x.to_bits() & 0x000f_ffff_ffff_ffff | 0x3ff0_0000_0000_0000), exponent - offset)
}

/// About `scale / significand`, rounded so that the lower bits of the float are zero.
pub(super) fn short_reciprocal(significand: f64, scale: f32, zero_bits: u32) -> f32 {
    // HotSpot takes the processor's twelve-bit approximation of the first quotient.
    let truncated =
        f32::from_bits(0x3f80_0000 | (significand.to_bits() >> 29) as u32 & 0x007f_ffff);
    let reciprocal = 1.0 / truncated * scale;
    f32::from_bits((reciprocal.to_bits() + (1 << (zero_bits - 1))) >> zero_bits << zero_bits)
}

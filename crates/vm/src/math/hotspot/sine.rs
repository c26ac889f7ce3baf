//! HotSpot's `sin` and `cos`: one routine, a quarter of a turn apart.
//!
//! The argument is `n pi/32 + r`; a table has sine and cosine of `n pi/32`, the addition theorem does the rest.
//! All large terms are summed with their rounding errors.

use super::pi32::{Unit, reduce};
use super::tables::sine::SIN;
use super::top_bits;

/// `32 / pi`.
const INVERSE_STEP: f64 = f64::from_bits(0x4024_5f30_6dc9_c883);
/// `pi / 32` in three parts, of which two are short.
const STEP: [f64; 3] = [
    f64::from_bits(0x3fb9_21fb_5440_0000),
    f64::from_bits(0x3d90_b461_1a60_0000),
    f64::from_bits(0x3b63_198a_2e03_7073),
];

/// The coefficients of `r^3`, `r^5`, ... of the sine.
const S: [f64; 4] = [
    f64::from_bits(0xbfc5_5555_5555_5555),
    f64::from_bits(0x3f81_1111_1111_1111),
    f64::from_bits(0xbf2a_01a0_1a01_a01a),
    f64::from_bits(0x3ec7_1de3_a556_c734),
];
/// The coefficients of `r^2`, `r^4`, ... of the cosine.
const C: [f64; 4] = [
    -0.5,
    f64::from_bits(0x3fa5_5555_5555_5555),
    f64::from_bits(0xbf56_c16c_16c1_6c17),
    f64::from_bits(0x3efa_01a0_1a01_a01a),
];

const OCTANT: Unit = Unit {
    quarter_pi: [f64::from_bits(0x3fe9_21fb_4000_0000), f64::from_bits(0x3e64_442d_1846_9899)],
    count_bits: 3,
};

/// The top bits of `2^-252`, below which the functions are the argument and one.
const TINY: u32 = 0x3030;
/// The top bits of 90112, from which the short reduction is not accurate enough.
const LARGE: u32 = 0x40f6;

/// `Math.sin`.
pub fn sin(x: f64) -> f64 {
    if top_bits(x.abs()) < TINY {
        return x;
    }
    sin_shifted(x, 0)
}

/// `Math.cos`.
pub fn cos(x: f64) -> f64 {
    if top_bits(x.abs()) < TINY {
        return 1.0;
    }
    sin_shifted(x, 16)
}

/// `sin(x + steps * pi/32)`.
fn sin_shifted(x: f64, steps: i32) -> f64 {
    if top_bits(x.abs()) < LARGE {
        return sin_reduced(x, 0.0, steps);
    }
    if !x.is_finite() {
        return f64::NAN;
    }
    let (octants, [x, tail]) = reduce(x, &OCTANT);
    sin_reduced(x, tail, steps + 8 * octants)
}

/// `sin(x + tail + steps * pi/32)` for `|x| < 90112`.
fn sin_reduced(x: f64, tail: f64, steps: i32) -> f64 {
    let n = (x * INVERSE_STEP + 0.5_f64.copysign(x)) as i32;
    let [cos_rest, sin_head, sin_tail, sigma] = SIN[((n + steps) & 63) as usize];
    let count = f64::from(n);
    let m2 = count * STEP[1];
    let r1 = x - count * STEP[0];
    let r = r1 - m2;
    // The negated error of r.
    let c = (count * STEP[2] - ((r1 - r) - m2)) - tail;

    let r2 = r * r;
    let r4 = r2 * r2;
    let cos_head = cos_rest + sigma;
    let sin_polynomial = (S[1] * r2 + S[0]) + (S[3] * r1 * r + S[2]) * r4;
    let cos_polynomial = (C[1] * r2 + C[0]) + (C[3] * r1 * r + C[2]) * r4;
    let sin_term = sin_polynomial * (cos_head * r * r2);
    let cos_term = cos_polynomial * (sin_head * r2);
    let correction = c * (sin_head * r - cos_head) + sin_tail;

    let linear = sigma * r;
    let sum = linear + sin_head;
    let sum_error = (sin_head - sum) + linear;
    let medium = cos_rest * r;
    let high = medium + sum;
    let high_error = (sum - high) + medium;
    let low = (((correction + sum_error) + high_error) + sin_term) + cos_term;
    high + low
}

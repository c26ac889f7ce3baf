//! HotSpot's `tan`: a Taylor expansion at the nearest multiple of `pi/32`.
//!
//! Between `pi/4` and `3 pi/4` the expansion is that of the tangent without its pole,
//! and the reciprocal of the distance to the pole is subtracted.

use super::pi32::{Unit, reduce};
use super::tables::tangent::TAN;
use super::{masked, top_bits};
use crate::math::words::horner;

/// `2 / pi` and `32 / pi`.
const INVERSE_QUADRANT: f64 = f64::from_bits(0x3fe4_5f30_6dc9_c883);
const INVERSE_STEP: f64 = f64::from_bits(0x4024_5f30_6dc9_c883);

/// `pi / 32` in three parts, for multiples of sixteen steps.
const QUADRANT_STEP: [f64; 3] = [
    f64::from_bits(0x3fb9_21fb_5444_4000),
    f64::from_bits(0xbd32_e7b9_6767_4000),
    f64::from_bits(0x3aa8_a2e0_3707_344a),
];
/// The second part and the third in one, negated.
const QUADRANT_STEP_REST: f64 = f64::from_bits(0x3d32_e7b9_6767_33af);
/// `pi / 32` in three parts, for any number of steps.
const STEP: [f64; 3] = [
    f64::from_bits(0x3fb9_21fb_5444_0000),
    f64::from_bits(0x3d46_8c23_4c4c_0000),
    f64::from_bits(0x3ae9_8a2e_0370_7345),
];

const QUADRANT: Unit = Unit {
    quarter_pi: [f64::from_bits(0x3fe9_21fb_0000_0000), f64::from_bits(0x3e85_110b_4611_a626)],
    count_bits: 2,
};

/// The coefficients of `x^3` to `x^11` for small arguments.
const Q: [f64; 5] = [
    f64::from_bits(0x3fd5_5555_5555_5612),
    f64::from_bits(0x3fc1_1111_1109_2746),
    f64::from_bits(0x3fab_a1ba_52c4_c8ab),
    f64::from_bits(0x3f96_64a0_bf84_7a43),
    f64::from_bits(0x3f82_609a_b8fe_4d77),
];

/// `Math.tan`.
pub fn tan(x: f64) -> f64 {
    let magnitude = top_bits(x.abs());
    if magnitude < 0x3e20 {
        return x;
    }
    if magnitude < 0x3fba {
        let x2 = x * x;
        return x + horner(x2, &Q) * (x * x2);
    }
    if magnitude <= 0x40c8 {
        return tan_reduced(x, 0.0, 0);
    }
    if !x.is_finite() {
        return f64::NAN;
    }
    let (quadrants, [x, tail]) = reduce(x, &QUADRANT);
    tan_reduced(x, tail, 16 * quadrants)
}

/// The remainder of `x` after `count` steps: a short first part, its continuation, and the error of that.
fn remainder(x: f64, count: f64, step: &[f64; 3], tail: f64) -> (f64, f64, f64) {
    let m2 = count * step[1];
    let r1 = x - count * step[0];
    let r = r1 - m2;
    let error = (((r1 - r) - m2) - count * step[2]) + tail;
    (r1, r, error)
}

/// `tan(x + tail + steps * pi/32)`.
fn tan_reduced(x: f64, tail: f64, steps: i32) -> f64 {
    let half = 0.5_f64.copysign(x);
    let n = (x * INVERSE_STEP + half) as i32;
    let quadrants = (x * INVERSE_QUADRANT + half) as i32;
    let row = &TAN[((n + steps) & 31) as usize];
    let [head, head_tail, sigma, slope_rest, pole] = [row[16], row[17], row[18], row[19], row[20]];

    // The distance to the pole: 35 bits, and the rest.
    let quadrant_count = f64::from(quadrants) * 16.0;
    let (p1, p, p_error) = remainder(x, quadrant_count, &QUADRANT_STEP, tail);
    let distance = masked(QUADRANT_STEP_REST * quadrant_count + p1, 0xffff_ffff_fffc_0000);
    let distance_rest = p_error + (p - distance);
    let reciprocal = 1.0 / distance;

    let (_, r, r_error) = remainder(x, f64::from(n), &STEP, tail);
    let r2 = r * r;
    let r4 = r2 * r2;
    let eight = |c: &[f64]| -> f64 {
        let even = (c[1] * r + c[0]) + (c[3] * r + c[2]) * r2;
        let odd = (c[6] * r + c[5]) + c[7] * r2;
        (even + c[4] * r4) + odd * (r * r4)
    };
    let polynomial = (r4 * r4) * eight(&row[8..16]) + eight(&row[..8]);

    let linear = r * sigma;
    let linear_rest = r * slope_rest;
    let medium = linear + linear_rest;
    let medium_error = linear_rest + (linear - medium);
    let low = polynomial + (((sigma + slope_rest) * r_error + head_tail) + medium_error);

    let reciprocal_head = if pole == 0.0 { 0.0 } else { masked(reciprocal, 0xffff_fff8_0000_0000) };
    let reciprocal_tail =
        ((1.0 - distance * reciprocal_head) - distance_rest * reciprocal) * (reciprocal * pole);
    let minus_high = reciprocal_head - head;
    let sum = medium - minus_high;
    let sum_error = medium - (minus_high + sum);
    ((low + sum_error) - reciprocal_tail) + sum
}

//! HotSpot's `exp` and `tanh`: powers of two from a table times a short polynomial.

use super::tables::exponential::{EXP, EXP2};
use super::{masked, power_of_two, shifter, top_bits};
use crate::math::words::horner;

/// `64 / ln 2`.
const INVERSE_STEP: f64 = f64::from_bits(0x4057_1547_652b_82fe);
/// `ln 2 / 64` in two parts.
const STEP_HEAD: f64 = f64::from_bits(0x3f86_2e42_fefa_0000);
const STEP_TAIL: f64 = f64::from_bits(0x3d1c_f79a_bc9e_3b3a);

/// The coefficients of `y^2` to `y^6` of `e^y`.
const P2: f64 = f64::from_bits(0x3fdf_ffff_ffff_fffe);
const P3: f64 = f64::from_bits(0x3fc5_5555_5554_8ba1);
const P4: f64 = f64::from_bits(0x3fa5_5555_555b_9e25);
const P5: f64 = f64::from_bits(0x3f81_1115_c090_cf0f);
const P6: f64 = f64::from_bits(0x3f56_c15c_e328_9860);

/// `Math.exp`.
pub fn exp(x: f64) -> f64 {
    let magnitude = top_bits(x.abs());
    if magnitude >= 0x4090 {
        return if x.is_nan() {
            x
        } else if x > 0.0 {
            f64::INFINITY
        } else {
            0.0
        };
    }
    if magnitude < 0x3c90 {
        return 1.0 + x;
    }
    let shifted = x * INVERSE_STEP + shifter(0);
    let steps = shifted.to_bits() as i32;
    let count = shifted - shifter(0);
    let y = (x - count * STEP_HEAD) - count * STEP_TAIL;
    let [power, power_error] = EXP[(steps & 63) as usize];
    let y2 = y * y;
    let y3 = y * y2;
    let fifth = y3 * y2 * (P5 + P6 * y);
    let third = y3 * (P3 + P4 * y);
    let sum = (third + ((y + power_error) + fifth)) + y2 * P2;
    let n = steps >> 6;
    if (-894..=1022).contains(&n) {
        let t = power * power_of_two(n);
        return sum * t + t;
    }
    scaled(sum, power, n)
}

/// `2^n * power * (1 + sum)` where `2^n` alone may overflow or the result be subnormal.
fn scaled(sum: f64, power: f64, n: i32) -> f64 {
    let half = n >> 1;
    let t = power * power_of_two(n - half);
    let scale = power_of_two(half);
    let small = sum * t;
    let cut = -1022 - n;
    if cut > 52 {
        return (small + t) * scale;
    }
    let head = if cut >= 0 { masked(t, u64::MAX << cut) } else { 0.0 };
    let tail = small + (t - head);
    let result = (tail + head) * scale;
    if result.is_subnormal() && !(cut == 0 && tail >= 0.0) {
        return head * scale + tail * scale;
    }
    result
}

/// `512 log2(e)` in two parts.
const TANH_STEP_HEAD: f64 = f64::from_bits(0x4087_1547_6000_0000);
const TANH_STEP_TAIL: f64 = f64::from_bits(0x3ee4_ae0b_f85d_df44);

/// The coefficients of `r` to `r^5` of `2^(-r/256)`.
const Q1: f64 = f64::from_bits(0xbf66_2e42_fefa_39ef);
const Q2: f64 = f64::from_bits(0x3ece_bfbd_ff82_c58e);
const Q3: f64 = f64::from_bits(0xbe2c_6b08_d704_a0bf);
const Q4: f64 = f64::from_bits(0x3d83_b2ab_6fba_4e77);
const Q5: f64 = f64::from_bits(0xbcd5_d87f_e78a_6731);

/// The coefficients of `x^3` to `x^13` of the hyperbolic tangent.
const T: [f64; 6] = [
    f64::from_bits(0xbfd5_5555_5555_5555),
    f64::from_bits(0x3fc1_1111_1111_1111),
    f64::from_bits(0xbfab_a1ba_1ba1_ba1c),
    f64::from_bits(0x3f96_64f4_882c_10fa),
    f64::from_bits(0xbf82_26e3_55e6_c23d),
    f64::from_bits(0x3f6d_6d3d_0e15_7ddf),
];

/// `Math.tanh` since JDK 24.
pub fn tanh(x: f64) -> f64 {
    let magnitude = top_bits(x.abs());
    if x.is_nan() {
        return x;
    }
    if magnitude >= 0x4040 {
        return 1.0_f64.copysign(x);
    }
    if magnitude < 0x3bf0 {
        return x;
    }
    if magnitude < 0x3fb0 {
        let x2 = x * x;
        let x4 = x2 * x2;
        let low = horner(x2, &[T[0], T[1], T[2]]) * x2;
        let high = horner(x2, &[T[3], T[4], T[5]]) * (x4 * x4);
        return x + (high + low) * x;
    }
    tanh_by_reciprocal(x.abs()).copysign(x)
}

/// `(1 - e) / (1 + e)` with `e = e^(-2 x)`, for `x` between `1/16` and 32.
fn tanh_by_reciprocal(x: f64) -> f64 {
    let head = masked(x, 0x7fff_ffff_f800_0000);
    let tail = x - head;
    let product = head * TANH_STEP_HEAD;
    let rounded = product + shifter(0);
    let steps = rounded.to_bits() as i32;
    let rounded = rounded - shifter(0);
    let r = (x * TANH_STEP_TAIL + tail * TANH_STEP_HEAD) + (product - rounded);

    // e = (t + d) (1 + q1 r + rest).
    let scale = power_of_two(-(steps >> 8));
    let [t, d] = inverse_exp2((steps & 255) as usize);
    let (t, d) = (scale * t, scale * d);
    let first = Q1 * r;
    let r2 = r * r;
    let rest = (r2 * r2) * (Q4 + Q5 * r) + r2 * (Q2 + Q3 * r);

    // 1 + e = kh + kl, where kh has 17 bits.
    const SHORT: u64 = 0xffff_fff0_0000_0000;
    let one_plus_t = 1.0 + t;
    let reciprocal = 1.0 / ((rest + first) * t + one_plus_t);
    let kh0 = masked(one_plus_t, SHORT);
    let first_t = first * t;
    let kh = masked(kh0 + first_t, SHORT);
    let mut kl = ((1.0 - kh0) + t) + d;
    kl += d * first;
    kl += rest * t;
    kl += (kh0 - kh) + first_t;

    let reciprocal = masked(reciprocal, 0xffff_ffff_fffc_0000);
    let kl_quotient = kl * reciprocal;
    let error = (kh * reciprocal - 1.0) + kl_quotient;
    let quotient = (kh - 2.0) * reciprocal;
    let correction = (kl_quotient - kl_quotient * error) - quotient * error;
    -(quotient + correction)
}

/// `2^(-i/256)` in two parts.
fn inverse_exp2(i: usize) -> [f64; 2] {
    if i == 0 { [1.0, 0.0] } else { EXP2[256 - i].map(|part| 0.5 * part) }
}

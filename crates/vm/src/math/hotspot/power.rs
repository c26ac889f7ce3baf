//! HotSpot's `pow`: `2^(y log2 x)`, where the logarithm has about eleven bits more than a double.
//!
//! The logarithm comes as a head that has few bits and a tail.
//! Close to one, where a large exponent magnifies its error, a second routine computes more bits of it.

use super::logarithm::{decompose, short_reciprocal};
use super::tables::exponential::EXP2;
use super::tables::logarithm::LOG2;
use super::{masked, power_of_two, shifter, sum_subnormal, top_bits};
use crate::math::strict::{Parity, parity};

/// A short approximation of `log2(e)`.
const SCALE: f64 = 1.445_312_5;

/// The coefficients of `r` to `r^8` of the logarithm; the first is what `SCALE` lacks.
const L: [f64; 8] = [
    f64::from_bits(0xbf5d_abe1_161b_b241),
    f64::from_bits(0xbfd6_19b6_b384_1d2a),
    f64::from_bits(0x3fc4_635e_486e_cecc),
    f64::from_bits(0xbfb5_28db_9f95_985a),
    f64::from_bits(0x3fa7_6c9b_ac83_49bb),
    f64::from_bits(0xbf9b_0301_ee24_1472),
    f64::from_bits(0x3f90_04f2_5187_75e3),
    f64::from_bits(0xbf83_6578_6dc9_6112),
];
/// The upper bits of the first two, what they leave, and the third for the routine close to one.
const L1_HEAD: f64 = f64::from_bits(0xbf5d_abe1_0000_0000);
const L2_HEAD: f64 = f64::from_bits(0xbfd6_1a00_0000_0000);
const L1_REST: f64 = f64::from_bits(0xbdd6_1bb2_4120_55cc);
const L2_REST: f64 = f64::from_bits(0x3ef2_531e_f8b5_787d);
const L3_CLOSE: f64 = f64::from_bits(0x3fc4_635e_486e_cecb);

/// The coefficients of `z` to `z^5` of `2^z`.
const E: [f64; 5] = [
    f64::from_bits(0x3fe6_2e42_fefa_39ef),
    f64::from_bits(0x3fce_bfbd_ff82_c58f),
    f64::from_bits(0x3fac_6b08_d704_a0c0),
    f64::from_bits(0x3f83_b2ab_6fba_4e77),
    f64::from_bits(0x3f55_d87f_e78a_6731),
];

const MASK_26_BITS: u64 = 0xffff_ffff_f800_0000;

/// `Math.pow`.
pub fn pow(x: f64, y: f64) -> f64 {
    if y == 2.0 {
        return x * x;
    }
    if y == 0.5 && x.is_sign_positive() {
        return x.sqrt();
    }
    if let Some(result) = special(x, y) {
        return result;
    }
    let sign = if x < 0.0 && parity(y) == Parity::Odd { -1.0 } else { 1.0 };
    sign * pow_positive(x.abs(), y)
}

/// The results that need no logarithm.
fn special(x: f64, y: f64) -> Option<f64> {
    if y == 0.0 {
        return Some(1.0);
    }
    if x.is_nan() || y.is_nan() {
        return Some(f64::NAN);
    }
    let magnitude = x.abs();
    if y.is_infinite() {
        return Some(if magnitude == 1.0 {
            f64::NAN
        } else if (magnitude > 1.0) == (y > 0.0) {
            f64::INFINITY
        } else {
            0.0
        });
    }
    if magnitude == 0.0 || magnitude == f64::INFINITY {
        let result = if (magnitude == 0.0) == (y > 0.0) { 0.0 } else { f64::INFINITY };
        return Some(if x.is_sign_negative() && looks_odd(y) { -result } else { result });
    }
    if x < 0.0 && parity(y) == Parity::NotInteger {
        return Some(f64::NAN);
    }
    None
}

/// Whether HotSpot takes `y` for an odd integer when the base is a negative zero or infinity.
///
/// It adds `y` to a number whose units are the last bit, which fails between `2^51` and `2^52`.
fn looks_odd(y: f64) -> bool {
    let magnitude = y.abs();
    if magnitude < 1.0 || magnitude >= 2.0 * power_of_two(52) {
        return false;
    }
    if magnitude >= power_of_two(52) {
        return y.to_bits() & 1 == 1;
    }
    let sum = shifter(0) + y;
    y + (shifter(0) - sum) == 0.0 && sum.to_bits() & 1 == 1
}

/// `x^y` for positive finite `x` and finite `y` other than zero.
fn pow_positive(x: f64, y: f64) -> f64 {
    let (significand, k) = decompose(x);
    let short = short_reciprocal(significand, SCALE as f32, 14);
    let table = LOG2[((short.to_bits() >> 14) - (0x3f39_0000 >> 14)) as usize];
    let short = f64::from(short);
    let exponent_size = 31 - (k.unsigned_abs() + 1).leading_zeros();

    // The head of the significand leaves room for the exponent in the sum with it.
    let close_to_one = (0x3fef..=0x3ff0).contains(&top_bits(x));
    let rounding = if close_to_one { 0x8000_0000 } else { 0 };
    let head =
        f64::from_bits((significand.to_bits() + rounding) & u64::MAX << (32 + exponent_size));
    let reduced = Reduced {
        count: f64::from(k),
        head: head * short - SCALE,
        tail: (significand - head) * short,
        table_head: table[0],
        table_tail: table[1],
    };
    if close_to_one && top_bits(y.abs()) >= 0x40b0 {
        return pow_close_to_one(&reduced, y);
    }

    let (log_head, log_tail) = log2(&reduced);
    let size = (exponent_size << 4) as i32 + (top_bits(y.abs()) & 0x7ff0) as i32 - 15872;
    match size {
        0..624 => {
            let y_head = masked(y, 0xffff_fff8_0000_0000);
            let product = y_head * log_head;
            let (steps, rounded) = round_to_steps(product);
            let z = y * log_tail + ((product - rounded) + (y - y_head) * log_head);
            let [power, power_tail] = EXP2[(steps & 255) as usize];
            let scale = power_of_two(steps >> 8);
            let power = power * scale;
            power + exp2_small(z, power, power_tail * scale)
        }
        624..752 => {
            let sum = log_head + log_tail;
            let sum_error = log_tail + (log_head - sum);
            let short_head = masked(sum, MASK_26_BITS);
            let tail = sum_error + (sum - short_head);
            let y_head = masked(y, MASK_26_BITS);
            let product = y_head * short_head;
            let (steps, rounded) = round_to_steps(product);
            let z = (y * tail + (y - y_head) * short_head) + (product - rounded);
            exp2_scaled(steps, rounded, z)
        }
        752.. => out_of_range(x, y),
        -384..0 => 1.0 + (y * log_head + y * log_tail) * E[0],
        _ => 1.0,
    }
}

/// A logarithm's parts: `log2(x) = count - log2(short) + log2(1 + (head + tail) / SCALE)`.
struct Reduced {
    count: f64,
    head: f64,
    tail: f64,
    table_head: f64,
    table_tail: f64,
}

/// The logarithm as head and tail.
fn log2(reduced: &Reduced) -> (f64, f64) {
    let r = reduced.tail + reduced.head;
    let r2 = r * r;
    let r3 = r * r2;
    let r4 = r2 * r2;
    let log_head = (reduced.head + reduced.table_head) + reduced.count;
    let low = (L[2] + L[3] * r) * r3 + (reduced.tail + reduced.table_tail);
    let odd = r4 * ((L[6] + L[7] * r) * r3) + low;
    let even = r4 * ((L[4] + L[5] * r) * r) + (L[0] + L[1] * r) * r;
    (log_head, even + odd)
}

/// The power for `x` between `31/32` and `17/16` and `|y| >= 4096`.
fn pow_close_to_one(reduced: &Reduced, y: f64) -> f64 {
    let &Reduced { count, head, tail, table_head, table_tail } = reduced;
    let r = tail + head;
    let base = count + table_head;
    let square = L2_HEAD * head * head;
    let linear = head + L1_HEAD * head;
    let linear_tail = L1_HEAD * tail;
    // Each sum goes with its rounding error.
    let s1 = base + linear;
    let e1 = (base - s1) + linear;
    let s2 = s1 + square;
    let e2 = square + (s1 - s2);
    let s3 = s2 + tail;
    let e3 = (s2 - s3) + tail;
    let s4 = s3 + linear_tail;
    let e4 = (s3 - s4) + linear_tail;
    let s5 = s4 + table_tail;
    let e5 = (s4 - s5) + table_tail;
    let errors = (((L2_HEAD * tail * (head + r) + (e2 + e1)) + e3) + e4) + e5;

    let r2 = r * r;
    let r3 = r * r2;
    let r4 = r2 * r2;
    let odd = (L3_CLOSE + L[3] * r) * r3 + errors + (L[6] + L[7] * r) * r3 * r4;
    let even = (L1_REST + L2_REST * r) * r + (L[4] + L[5] * r) * r * r4;
    let log_head = masked(s5, MASK_26_BITS);
    let log_tail = (s5 - log_head) + (odd + even);

    let size = (top_bits(s5) & 0x7ff0) as i32 - 16368 + (top_bits(y) & 0x7ff0) as i32;
    if size >= 16576 {
        return if (y < 0.0) == (log_head < 0.0) { f64::INFINITY } else { 0.0 };
    }
    let y_head = masked(y, 0xffff_ffff_0000_0000);
    let product = y_head * log_head;
    let (steps, rounded) = round_to_steps(product);
    let z = (product - rounded) + ((y - y_head) * log_head + y * log_tail);
    exp2_scaled(steps, rounded, z)
}

/// Rounds to a multiple of `1/256`; gives also how many.
fn round_to_steps(product: f64) -> (i32, f64) {
    let shifted = shifter(8) + product;
    (shifted.to_bits() as i32, shifted - shifter(8))
}

/// `power * (2^z - 1)` and what `power` lacks.
fn exp2_small(z: f64, power: f64, power_tail: f64) -> f64 {
    let z2 = z * z;
    let upper = (z2 * z2) * (E[3] + E[4] * z);
    let lower = z2 * (E[1] + E[2] * z);
    (upper * power + (E[0] * z * power + power_tail)) + lower * power
}

/// `2^(rounded + z)` where the result may overflow or be subnormal; `rounded` is `steps / 256`.
fn exp2_scaled(steps: i32, rounded: f64, z: f64) -> f64 {
    if top_bits(rounded.abs()) > 0x4091 {
        return if rounded > 0.0 { f64::INFINITY } else { 0.0 };
    }
    let n = steps >> 8;
    let half = n >> 1;
    let [power, power_tail] = EXP2[(steps & 255) as usize];
    let inner = power_of_two(half);
    let scale = power_of_two(n - half);
    let power = power * inner;
    let small = exp2_small(z, power, power_tail * inner);
    let result = (small + power) * scale;
    if result >= f64::MIN_POSITIVE {
        return result;
    }
    let missing = -31 - (n + 1023);
    match missing {
        ..=0 => sum_subnormal(power, small, scale, 32),
        1..=20 => sum_subnormal(power, small, scale, 32 + missing as u32),
        _ => result,
    }
}

/// The limit where `|y log2 x|` is far above 1024.
fn out_of_range(x: f64, y: f64) -> f64 {
    if (x < 1.0) == (y < 0.0) { f64::INFINITY } else { 0.0 }
}

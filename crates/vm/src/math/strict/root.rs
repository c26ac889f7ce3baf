//! fdlibm's square root, cube root and Euclidean norm.

use crate::math::words::{from_high_word, head, high_word, power_of_two, with_high_word};

const C: f64 = f64::from_bits(0x3fe1_5f15_f15f_15f1);
const D: f64 = f64::from_bits(0xbfe6_91de_2532_c834);
const E: f64 = f64::from_bits(0x3ff6_a0ea_0ea0_ea0f);
const F: f64 = f64::from_bits(0x3ff9_b6db_6db6_db6e);
const G: f64 = f64::from_bits(0x3fd6_db6d_b6db_6db7);

const TWO_54: f64 = 18_014_398_509_481_984.0;

/// `StrictMath.sqrt`, which is correctly rounded.
pub fn sqrt(x: f64) -> f64 {
    x.sqrt()
}

/// `StrictMath.cbrt`.
pub fn cbrt(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let magnitude = x.abs();
    // A third of the exponent field is a cube root good to five bits.
    let rough = if magnitude < f64::MIN_POSITIVE {
        let t = TWO_54 * magnitude;
        with_high_word(t, high_word(t) / 3 + 696_219_795)
    } else {
        with_high_word(0.0, high_word(magnitude) / 3 + 715_094_163)
    };
    let r = rough * rough / magnitude;
    let s = C + r * rough;
    let better = rough * (G + F / (s + E + D / s));
    // 20 bits, and certainly above the root, so that the square in the Newton step is exact.
    let t = head(better);
    let t = with_high_word(t, high_word(t) + 1);
    let s = t * t;
    let r = magnitude / s;
    let w = t + t;
    let r = (r - t) / (w + r);
    (t + t * r).copysign(x)
}

/// `StrictMath.hypot`.
pub fn hypot(x: f64, y: f64) -> f64 {
    if x.is_infinite() || y.is_infinite() {
        return f64::INFINITY;
    }
    if x.is_nan() || y.is_nan() {
        return x.abs() + y.abs();
    }
    let (mut a, mut b) = if y.abs() > x.abs() { (y.abs(), x.abs()) } else { (x.abs(), y.abs()) };
    if high_word(a) - high_word(b) > 0x03c0_0000 {
        return a + b;
    }
    // The heads below are cut by these words, which a subnormal `b` leaves as they were before scaling.
    let (mut a_high, mut b_high) = (high_word(a), high_word(b));
    let mut scale = 1.0;
    if a > f64::from_bits(0x5f30_0000_ffff_ffff) {
        (a, b, scale) = (a * power_of_two(-600), b * power_of_two(-600), power_of_two(600));
        (a_high, b_high) = (high_word(a), high_word(b));
    }
    if b < power_of_two(-500) {
        if b == 0.0 {
            return a;
        }
        if b < f64::MIN_POSITIVE {
            (a, b, scale) = (a * power_of_two(1022), b * power_of_two(1022), power_of_two(-1022));
        } else {
            (a, b, scale) = (a * power_of_two(600), b * power_of_two(600), power_of_two(-600));
            (a_high, b_high) = (high_word(a), high_word(b));
        }
    }
    let difference = a - b;
    let root = if difference > b {
        let t1 = from_high_word(a_high);
        let t2 = a - t1;
        (t1 * t1 - (b * (-b) - t2 * (a + t1))).sqrt()
    } else {
        let doubled = a + a;
        let y1 = from_high_word(b_high);
        let y2 = b - y1;
        let t1 = from_high_word(a_high + 0x0010_0000);
        let t2 = doubled - t1;
        (t1 * y1 - (difference * (-difference) - (t1 * y2 + t2 * b))).sqrt()
    };
    root * scale
}

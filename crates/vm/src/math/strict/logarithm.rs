//! fdlibm's logarithms: `x = 2^k (1 + f)`, then a polynomial in `f / (2 + f)`.

use crate::math::words::{high_word, high_word_abs, horner, with_high_word};

const LN2_HEAD: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
const LN2_TAIL: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);
const TWO_54: f64 = 18_014_398_509_481_984.0;
const INFINITY_HIGH: i32 = 0x7ff0_0000;

const L: [f64; 7] = [
    f64::from_bits(0x3fe5_5555_5555_5593),
    f64::from_bits(0x3fd9_9999_9997_fa04),
    f64::from_bits(0x3fd2_4924_9422_9359),
    f64::from_bits(0x3fcc_71c5_1d8e_78af),
    f64::from_bits(0x3fc7_4664_96cb_03de),
    f64::from_bits(0x3fc3_9a09_d078_c69f),
    f64::from_bits(0x3fc2_f112_df3e_5244),
];

const INVERSE_LN10: f64 = f64::from_bits(0x3fdb_cb7b_1526_e50e);
const LOG10_2_HEAD: f64 = f64::from_bits(0x3fd3_4413_509f_6000);
const LOG10_2_TAIL: f64 = f64::from_bits(0x3d59_fef3_11f1_2b36);

/// The logarithm of zero, of a negative number, of infinity or of a NaN, in any base above one.
fn log_special(x: f64) -> Option<f64> {
    if x == 0.0 {
        Some(f64::NEG_INFINITY)
    } else if x < 0.0 {
        Some(f64::NAN)
    } else if high_word(x) >= INFINITY_HIGH || x.is_nan() {
        Some(x + x)
    } else {
        None
    }
}

/// A positive finite number as a normal one and the exponent that was taken out to make it so.
fn normalize(x: f64) -> (f64, i32) {
    if high_word(x) < 0x0010_0000 { (x * TWO_54, -54) } else { (x, 0) }
}

/// `StrictMath.log`.
pub fn log(x: f64) -> f64 {
    if let Some(result) = log_special(x) {
        return result;
    }
    let (x, mut k) = normalize(x);
    k += (high_word(x) >> 20) - 1023;
    let high = high_word(x) & 0x000f_ffff;
    // Numbers above sqrt(2) are halved.
    let carry = (high + 0x9_5f64) & 0x10_0000;
    let x = with_high_word(x, high | (carry ^ 0x3ff0_0000));
    k += carry >> 20;
    let dk = f64::from(k);
    let f = x - 1.0;
    if (0x000f_ffff & (2 + high)) < 3 {
        if f == 0.0 {
            return if k == 0 { 0.0 } else { dk * LN2_HEAD + dk * LN2_TAIL };
        }
        let r = f * f * (0.5 - 1.0 / 3.0 * f);
        return if k == 0 { f - r } else { dk * LN2_HEAD - ((r - dk * LN2_TAIL) - f) };
    }
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let t1 = w * horner(w, &[L[1], L[3], L[5]]);
    let t2 = z * horner(w, &[L[0], L[2], L[4], L[6]]);
    let r = t2 + t1;
    let in_middle = ((high - 0x6_147a) | (0x6_b851 - high)) > 0;
    if in_middle {
        let half_square = 0.5 * f * f;
        let correction = s * (half_square + r);
        if k == 0 {
            f - (half_square - correction)
        } else {
            dk * LN2_HEAD - ((half_square - (correction + dk * LN2_TAIL)) - f)
        }
    } else {
        let correction = s * (f - r);
        if k == 0 { f - correction } else { dk * LN2_HEAD - ((correction - dk * LN2_TAIL) - f) }
    }
}

/// `StrictMath.log10`.
pub fn log10(x: f64) -> f64 {
    if let Some(result) = log_special(x) {
        return result;
    }
    let (x, mut k) = normalize(x);
    k += (high_word(x) >> 20) - 1023;
    // Below one the significand is taken from [1/2, 1), so that both terms have one sign.
    let below_one = i32::from(k < 0);
    let significand = with_high_word(x, (high_word(x) & 0x000f_ffff) | ((0x3ff - below_one) << 20));
    let y = f64::from(k + below_one);
    let z = y * LOG10_2_TAIL + INVERSE_LN10 * log(significand);
    z + y * LOG10_2_HEAD
}

/// `StrictMath.log1p`.
pub fn log1p(x: f64) -> f64 {
    if x.is_nan() {
        return x + x;
    }
    if x <= -1.0 {
        return if x == -1.0 { f64::NEG_INFINITY } else { f64::NAN };
    }
    let high = high_word(x);
    if high >= INFINITY_HIGH {
        return x + x;
    }
    let high_abs = high_word_abs(x);
    if high_abs < 0x3e20_0000 {
        return if high_abs < 0x3c90_0000 { x } else { x - x * x * 0.5 };
    }
    // Between about -0.2929 and 0.41422 the argument is f itself.
    if (high > 0 && high < 0x3fda_827a) || high <= 0xbfd2_bec3_u32 as i32 {
        return log1p_small(x);
    }
    let (sum, correction) = if high < 0x4340_0000 {
        let u = 1.0 + x;
        let lost = if high_word(u) >> 20 > 1023 { 1.0 - (u - x) } else { x - (u - 1.0) };
        (u, lost / u)
    } else {
        (x, 0.0)
    };
    let mut k = (high_word(sum) >> 20) - 1023;
    let mut significand = high_word(sum) & 0x000f_ffff;
    let u = if significand < 0x6_a09e {
        with_high_word(sum, significand | 0x3ff0_0000)
    } else {
        k += 1;
        let halved = with_high_word(sum, significand | 0x3fe0_0000);
        significand = (0x0010_0000 - significand) >> 2;
        halved
    };
    let dk = f64::from(k);
    let f = u - 1.0;
    let half_square = 0.5 * f * f;
    if significand == 0 {
        if f == 0.0 {
            return if k == 0 { 0.0 } else { dk * LN2_HEAD + (correction + dk * LN2_TAIL) };
        }
        let r = half_square * (1.0 - 2.0 / 3.0 * f);
        return if k == 0 {
            f - r
        } else {
            dk * LN2_HEAD - ((r - (dk * LN2_TAIL + correction)) - f)
        };
    }
    let product = log1p_product(f, half_square);
    if k == 0 {
        f - (half_square - product)
    } else {
        dk * LN2_HEAD - ((half_square - (product + (dk * LN2_TAIL + correction))) - f)
    }
}

fn log1p_small(f: f64) -> f64 {
    let half_square = 0.5 * f * f;
    f - (half_square - log1p_product(f, half_square))
}

fn log1p_product(f: f64, half_square: f64) -> f64 {
    let s = f / (2.0 + f);
    let z = s * s;
    let r = z * horner(z, &L);
    s * (half_square + r)
}

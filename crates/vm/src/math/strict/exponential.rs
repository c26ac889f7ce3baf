//! fdlibm's `exp` and `expm1`: `x = k ln 2 + r`, then an approximation on `|r| <= ln 2 / 2`.

use crate::math::words::{add_exponent, from_high_word, high_word_abs, horner, power_of_two};

/// 32 bits of `ln 2`, so that its multiples by exponents are exact, and the rest.
const LN2_HEAD: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
const LN2_TAIL: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);
const INVERSE_LN2: f64 = f64::from_bits(0x3ff7_1547_652b_82fe);
/// Above it both functions overflow, below the other `exp` underflows to zero.
const OVERFLOW: f64 = f64::from_bits(0x4086_2e42_fefa_39ef);
const UNDERFLOW: f64 = f64::from_bits(0xc087_4910_d52d_3051);

/// The high words of `ln 2 / 2` and `3 ln 2 / 2`.
const HALF_LN2_HIGH: i32 = 0x3fd6_2e42;
const THREE_HALVES_LN2_HIGH: i32 = 0x3ff0_a2b2;

/// The coefficients of `r^2 + 2 - r (e^r + 1) / (e^r - 1)`, shared with [`super::pow`].
pub(super) const P: [f64; 5] = [
    f64::from_bits(0x3fc5_5555_5555_553e),
    f64::from_bits(0xbf66_c16c_16be_bd93),
    f64::from_bits(0x3f11_566a_af25_de2c),
    f64::from_bits(0xbebb_bd41_c5d2_6bf1),
    f64::from_bits(0x3e66_3769_72be_a4d0),
];

const Q: [f64; 6] = [
    1.0,
    f64::from_bits(0xbfa1_1111_1111_10f4),
    f64::from_bits(0x3f5a_01a0_19fe_5585),
    f64::from_bits(0xbf14_ce19_9eaa_dbb7),
    f64::from_bits(0x3ed0_cfca_86e6_5239),
    f64::from_bits(0xbe8a_fdb7_6e09_c32d),
];

/// An argument as `k ln 2 + (head - tail)`.
struct Reduced {
    k: i32,
    head: f64,
    tail: f64,
}

/// Reduces an argument above `ln 2 / 2` in magnitude.
fn reduce(x: f64) -> Reduced {
    if high_word_abs(x) < THREE_HALVES_LN2_HIGH {
        return if x < 0.0 {
            Reduced { k: -1, head: x + LN2_HEAD, tail: -LN2_TAIL }
        } else {
            Reduced { k: 1, head: x - LN2_HEAD, tail: LN2_TAIL }
        };
    }
    let k = (INVERSE_LN2 * x + 0.5_f64.copysign(x)) as i32;
    let t = f64::from(k);
    Reduced { k, head: x - t * LN2_HEAD, tail: t * LN2_TAIL }
}

/// `StrictMath.exp`.
pub fn exp(x: f64) -> f64 {
    if x.is_nan() {
        return x + x;
    }
    if x > OVERFLOW {
        return f64::INFINITY;
    }
    if x < UNDERFLOW {
        return 0.0;
    }
    let high = high_word_abs(x);
    if high <= HALF_LN2_HIGH {
        if high < 0x3e30_0000 {
            return 1.0 + x;
        }
        let c = exp_correction(x);
        return 1.0 - ((x * c) / (c - 2.0) - x);
    }
    let Reduced { k, head, tail } = reduce(x);
    let r = head - tail;
    let c = exp_correction(r);
    let y = 1.0 - ((tail - (r * c) / (2.0 - c)) - head);
    if k >= -1021 { add_exponent(y, k) } else { add_exponent(y, k + 1000) * power_of_two(-1000) }
}

fn exp_correction(r: f64) -> f64 {
    let t = r * r;
    r - t * horner(t, &P)
}

/// `StrictMath.expm1`.
pub fn expm1(x: f64) -> f64 {
    if x.is_nan() {
        return x + x;
    }
    if x > OVERFLOW {
        return f64::INFINITY;
    }
    let high = high_word_abs(x);
    if x < 0.0 && high >= 0x4043_687a {
        return -1.0;
    }
    if high <= HALF_LN2_HIGH {
        if high < 0x3c90_0000 {
            return x;
        }
        let (half_square, e) = expm1_correction(x);
        return x - (x * e - half_square);
    }
    let Reduced { k, head, tail } = reduce(x);
    let r = head - tail;
    let c = (head - r) - tail;
    let (half_square, e) = expm1_correction(r);
    let e = (r * (e - c) - c) - half_square;
    match k {
        -1 => 0.5 * (r - e) - 0.5,
        1 if r < -0.25 => -2.0 * (e - (r + 0.5)),
        1 => 1.0 + 2.0 * (r - e),
        2..20 => {
            let one_less_ulp = from_high_word(0x3ff0_0000 - (0x0020_0000 >> k));
            add_exponent(one_less_ulp - (e - r), k)
        }
        20..=56 => {
            let y = r - (e + power_of_two(-k));
            add_exponent(y + 1.0, k)
        }
        _ => add_exponent(1.0 - (e - r), k) - 1.0,
    }
}

/// `r^2 / 2` and the relative error of `r + r^2 / 2` as an approximation of `expm1(r)`.
fn expm1_correction(r: f64) -> (f64, f64) {
    let half = 0.5 * r;
    let half_square = r * half;
    let r1 = horner(half_square, &Q);
    let t = 3.0 - r1 * half;
    (half_square, half_square * ((r1 - t) / (6.0 - r * t)))
}

//! fdlibm's inverse trigonometric functions.
//!
//! Arc sine and arc cosine share one rational approximation; arc tangent adds tabulated angles to a polynomial.

use crate::math::words::{head, high_word_abs, horner};

const PI_2: f64 = f64::from_bits(0x3ff9_21fb_5444_2d18);
const PI_2_TAIL: f64 = f64::from_bits(0x3c91_a626_3314_5c07);
const PI_4: f64 = f64::from_bits(0x3fe9_21fb_5444_2d18);
const PI: f64 = std::f64::consts::PI;
const PI_TAIL: f64 = f64::from_bits(0x3ca1_a626_3314_5c07);

const ONE_HIGH: i32 = 0x3ff0_0000;
const HALF_HIGH: i32 = 0x3fe0_0000;

const P: [f64; 6] = [
    f64::from_bits(0x3fc5_5555_5555_5555),
    f64::from_bits(0xbfd4_d612_03eb_6f7d),
    f64::from_bits(0x3fc9_c155_0e88_4455),
    f64::from_bits(0xbfa4_8228_b568_8f3b),
    f64::from_bits(0x3f49_efe0_7501_b288),
    f64::from_bits(0x3f02_3de1_0dfd_f709),
];
const Q: [f64; 5] = [
    1.0,
    f64::from_bits(0xc003_3a27_1c8a_2d4b),
    f64::from_bits(0x4000_2ae5_9c59_8ac8),
    f64::from_bits(0xbfe6_066c_1b8d_0159),
    f64::from_bits(0x3fb3_b8c5_b12e_9282),
];

/// `atan` of 0.5, 1, 1.5 and infinity, and the tails of the first column.
const ANGLES: [(f64, f64); 4] = [
    (f64::from_bits(0x3fdd_ac67_0561_bb4f), f64::from_bits(0x3c7a_2b7f_222f_65e2)),
    (PI_4, f64::from_bits(0x3c81_a626_3314_5c07)),
    (f64::from_bits(0x3fef_730b_d281_f69b), f64::from_bits(0x3c70_0788_7af0_cbbd)),
    (PI_2, PI_2_TAIL),
];

/// The coefficients of `x^3`, `x^7`, ...
const A_ODD: [f64; 6] = [
    f64::from_bits(0x3fd5_5555_5555_550d),
    f64::from_bits(0x3fc2_4924_9200_83ff),
    f64::from_bits(0x3fb7_45cd_c54c_206e),
    f64::from_bits(0x3fb1_0d66_a0d0_3d51),
    f64::from_bits(0x3fa9_7b4b_2476_0deb),
    f64::from_bits(0x3f90_ad3a_e322_da11),
];
/// The coefficients of `x^5`, `x^9`, ...
const A_EVEN: [f64; 5] = [
    f64::from_bits(0xbfc9_9999_9998_ebc4),
    f64::from_bits(0xbfbc_71c6_fe23_1671),
    f64::from_bits(0xbfb3_b0f2_af74_9a6d),
    f64::from_bits(0xbfad_de2d_52de_fd9a),
    f64::from_bits(0xbfa2_b444_2c6a_6c2f),
];

/// `(asin(sqrt(t)) - sqrt(t)) / sqrt(t)`.
fn asin_excess(t: f64) -> f64 {
    let p = t * horner(t, &P);
    let q = horner(t, &Q);
    p / q
}

/// `StrictMath.asin`.
pub fn asin(x: f64) -> f64 {
    let high = high_word_abs(x);
    if high >= ONE_HIGH {
        if x.abs() == 1.0 {
            return x * PI_2 + x * PI_2_TAIL;
        }
        return f64::NAN;
    }
    if high < HALF_HIGH {
        if high < 0x3e40_0000 {
            return x;
        }
        return x + x * asin_excess(x * x);
    }
    let t = (1.0 - x.abs()) * 0.5;
    let excess = asin_excess(t);
    let s = t.sqrt();
    let angle = if high >= 0x3fef_3333 {
        PI_2 - (2.0 * (s + s * excess) - PI_2_TAIL)
    } else {
        let w = head(s);
        let c = (t - w * w) / (s + w);
        let p = 2.0 * s * excess - (PI_2_TAIL - 2.0 * c);
        let q = PI_4 - 2.0 * w;
        PI_4 - (p - q)
    };
    if x > 0.0 { angle } else { -angle }
}

/// `StrictMath.acos`.
pub fn acos(x: f64) -> f64 {
    let high = high_word_abs(x);
    if high >= ONE_HIGH {
        if x == 1.0 {
            return 0.0;
        }
        if x == -1.0 {
            return PI + 2.0 * PI_2_TAIL;
        }
        return f64::NAN;
    }
    if high < HALF_HIGH {
        if high <= 0x3c60_0000 {
            return PI_2 + PI_2_TAIL;
        }
        let r = asin_excess(x * x);
        return PI_2 - (x - (PI_2_TAIL - x * r));
    }
    if x < 0.0 {
        let z = (1.0 + x) * 0.5;
        let s = z.sqrt();
        let w = asin_excess(z) * s - PI_2_TAIL;
        return PI - 2.0 * (s + w);
    }
    let z = (1.0 - x) * 0.5;
    let s = z.sqrt();
    let short = head(s);
    let c = (z - short * short) / (s + short);
    let w = asin_excess(z) * s + c;
    2.0 * (short + w)
}

/// `StrictMath.atan`.
pub fn atan(x: f64) -> f64 {
    if x.is_nan() {
        return x + x;
    }
    let high = high_word_abs(x);
    if high >= 0x4410_0000 {
        let angle = PI_2 + PI_2_TAIL;
        return if x > 0.0 { angle } else { -angle };
    }
    if high < 0x3fdc_0000 {
        if high < 0x3e20_0000 {
            return x;
        }
        return x - x * atan_deficit(x);
    }
    let t = x.abs();
    let (reduced, (angle, tail)) = if high < 0x3fe6_0000 {
        ((2.0 * t - 1.0) / (2.0 + t), ANGLES[0])
    } else if high < 0x3ff3_0000 {
        ((t - 1.0) / (t + 1.0), ANGLES[1])
    } else if high < 0x4003_8000 {
        ((t - 1.5) / (1.0 + 1.5 * t), ANGLES[2])
    } else {
        (-1.0 / t, ANGLES[3])
    };
    let z = angle - ((reduced * atan_deficit(reduced) - tail) - reduced);
    if x < 0.0 { -z } else { z }
}

/// `(x - atan(x)) / x` for a reduced argument.
fn atan_deficit(x: f64) -> f64 {
    let z = x * x;
    let w = z * z;
    z * horner(w, &A_ODD) + w * horner(w, &A_EVEN)
}

/// `StrictMath.atan2`.
pub fn atan2(y: f64, x: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return x + y;
    }
    if x == 1.0 {
        return atan(y);
    }
    let x_negative = x.is_sign_negative();
    if y == 0.0 {
        return if x_negative { PI.copysign(y) } else { y };
    }
    if x == 0.0 {
        return PI_2.copysign(y);
    }
    if x.is_infinite() {
        let angle = match (y.is_infinite(), x_negative) {
            (true, false) => PI_4,
            (true, true) => 3.0 * PI_4,
            (false, false) => 0.0,
            (false, true) => PI,
        };
        return angle.copysign(y);
    }
    if y.is_infinite() {
        return PI_2.copysign(y);
    }
    let exponent_gap = (high_word_abs(y) - high_word_abs(x)) >> 20;
    let z = if exponent_gap > 60 {
        PI_2 + 0.5 * PI_TAIL
    } else if x_negative && exponent_gap < -60 {
        0.0
    } else {
        atan((y / x).abs())
    };
    match (x_negative, y.is_sign_negative()) {
        (false, false) => z,
        (false, true) => -z,
        (true, false) => PI - (z - PI_TAIL),
        (true, true) => (z - PI_TAIL) - PI,
    }
}

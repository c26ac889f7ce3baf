//! fdlibm's hyperbolic functions, built on its `exp` and `expm1`.

use super::exponential::{exp, expm1};
use crate::math::words::high_word_abs;

const INFINITY_HIGH: i32 = 0x7ff0_0000;
/// The high word of 22: beyond, `e^-x` no longer matters.
const TWENTY_TWO_HIGH: i32 = 0x4036_0000;
/// The high word of the logarithm of the largest double.
const LN_MAX_HIGH: i32 = 0x4086_2e42;
/// The largest argument whose hyperbolic sine and cosine are finite.
const OVERFLOW: f64 = f64::from_bits(0x4086_33ce_8fb9_f87d);

/// `StrictMath.sinh`.
pub fn sinh(x: f64) -> f64 {
    let high = high_word_abs(x);
    if high >= INFINITY_HIGH {
        return x + x;
    }
    let half = 0.5_f64.copysign(x);
    let magnitude = x.abs();
    if high < TWENTY_TWO_HIGH {
        if high < 0x3e30_0000 {
            return x;
        }
        let t = expm1(magnitude);
        if high < 0x3ff0_0000 {
            return half * (2.0 * t - t * t / (t + 1.0));
        }
        return half * (t + t / (t + 1.0));
    }
    if high < LN_MAX_HIGH {
        return half * exp(magnitude);
    }
    if magnitude <= OVERFLOW {
        let w = exp(0.5 * magnitude);
        return half * w * w;
    }
    f64::INFINITY.copysign(x)
}

/// `StrictMath.cosh`.
pub fn cosh(x: f64) -> f64 {
    let high = high_word_abs(x);
    if high >= INFINITY_HIGH {
        return x * x;
    }
    let magnitude = x.abs();
    if high < 0x3fd6_2e43 {
        let t = expm1(magnitude);
        let w = 1.0 + t;
        if high < 0x3c80_0000 {
            return w;
        }
        return 1.0 + (t * t) / (w + w);
    }
    if high < TWENTY_TWO_HIGH {
        let t = exp(magnitude);
        return 0.5 * t + 0.5 / t;
    }
    if high < LN_MAX_HIGH {
        return 0.5 * exp(magnitude);
    }
    if magnitude <= OVERFLOW {
        let w = exp(0.5 * magnitude);
        return 0.5 * w * w;
    }
    f64::INFINITY
}

/// `StrictMath.tanh`.
pub fn tanh(x: f64) -> f64 {
    let high = high_word_abs(x);
    if x.is_nan() {
        return x + x;
    }
    if high < 0x3c80_0000 {
        return x * (1.0 + x);
    }
    let magnitude = x.abs();
    let z = if high >= TWENTY_TWO_HIGH {
        1.0
    } else if high >= 0x3ff0_0000 {
        1.0 - 2.0 / (expm1(2.0 * magnitude) + 2.0)
    } else {
        let t = expm1(-2.0 * magnitude);
        -t / (t + 2.0)
    };
    z.copysign(x)
}

//! fdlibm's IEEE 754 remainder, which is exact.

use crate::math::convert::drem;
use crate::math::words::high_word_abs;

/// `StrictMath.IEEEremainder`: `x - n p` with `n` the integer nearest to `x / p`, the even one of two.
pub fn ieee_remainder(x: f64, p: f64) -> f64 {
    if p == 0.0 || !x.is_finite() || p.is_nan() {
        return f64::NAN;
    }
    let period = p.abs();
    let folded = if high_word_abs(p) <= 0x7fdf_ffff { drem(x, p + p) } else { x };
    if x.abs() == period {
        return 0.0 * folded;
    }
    let mut rest = folded.abs();
    if high_word_abs(p) < 0x0020_0000 {
        // Half of the period may not be representable.
        if rest + rest > period {
            rest -= period;
            if rest + rest >= period {
                rest -= period;
            }
        }
    } else {
        let half = 0.5 * period;
        if rest > half {
            rest -= period;
            if rest >= half {
                rest -= period;
            }
        }
    }
    if x.is_sign_negative() { -rest } else { rest }
}

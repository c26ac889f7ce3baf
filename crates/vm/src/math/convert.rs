//! Java's conversions, remainders and comparisons of floating-point numbers (JVMS §6.5, JLS §5.1.3 and §15.17.3).
//!
//! They differ from the hardware instructions in the special cases and from IEEE 754's `remainder` in rounding
//! the quotient towards zero.

/// `d2i`: truncates, saturates, and turns NaN into zero.
pub fn d2i(x: f64) -> i32 {
    x as i32
}

/// `d2l`: truncates, saturates, and turns NaN into zero.
pub fn d2l(x: f64) -> i64 {
    x as i64
}

/// `f2i`: truncates, saturates, and turns NaN into zero.
pub fn f2i(x: f32) -> i32 {
    x as i32
}

/// `f2l`: truncates, saturates, and turns NaN into zero.
pub fn f2l(x: f32) -> i64 {
    x as i64
}

/// `drem`: the exact remainder of the division that truncates, with the sign of the dividend.
pub fn drem(dividend: f64, divisor: f64) -> f64 {
    let (x, y) = (dividend.abs(), divisor.abs());
    if x < y && dividend.is_finite() {
        return dividend;
    }
    if y == 0.0 || !dividend.is_finite() || divisor.is_nan() {
        return f64::NAN;
    }
    // The quotient is an integer without rounding error, and so is its product with the divisor.
    const EXACT: f64 = 4_503_599_627_370_496.0;
    if x < EXACT && y < EXACT && x.trunc() == x && y.trunc() == y {
        return ((x as u64 % y as u64) as f64).copysign(dividend);
    }
    remainder_of_bits(x, y).copysign(dividend)
}

/// `frem`: the exact remainder of the division that truncates, with the sign of the dividend.
pub fn frem(dividend: f32, divisor: f32) -> f32 {
    // Both operands and the result are doubles without rounding.
    drem(f64::from(dividend), f64::from(divisor)) as f32
}

/// `Math.min(double, double)`: NaN if either is, and `-0.0` below `0.0`.
pub fn dmin(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else if a < b || (a == b && a.is_sign_negative()) {
        a
    } else {
        b
    }
}

/// `Math.max(double, double)`: NaN if either is, and `0.0` above `-0.0`.
pub fn dmax(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else if a > b || (a == b && a.is_sign_positive()) {
        a
    } else {
        b
    }
}

/// `Math.min(float, float)`: NaN if either is, and `-0.0f` below `0.0f`.
pub fn fmin(a: f32, b: f32) -> f32 {
    dmin(f64::from(a), f64::from(b)) as f32
}

/// `Math.max(float, float)`: NaN if either is, and `0.0f` above `-0.0f`.
pub fn fmax(a: f32, b: f32) -> f32 {
    dmax(f64::from(a), f64::from(b)) as f32
}

/// Long division of the significands, for `x >= y > 0` and `x` finite.
fn remainder_of_bits(x: f64, y: f64) -> f64 {
    let (mut rest, x_exponent) = significand(x);
    let (divisor, y_exponent) = significand(y);
    let mut shift = x_exponent - y_exponent;
    rest %= divisor;
    // The divisor has at most 53 bits, so eleven digits fit at a time.
    while shift > 0 && rest != 0 {
        let step = shift.min(11);
        rest = (rest << step) % divisor;
        shift -= step;
    }
    from_significand(rest, y_exponent)
}

/// The significand as an integer and the exponent field, counted from one so that subnormal numbers fit in.
fn significand(x: f64) -> (u64, u32) {
    let field = (x.to_bits() >> 52) as u32;
    let fraction = x.to_bits() & 0x000f_ffff_ffff_ffff;
    if field == 0 { (fraction, 1) } else { (fraction | 1 << 52, field) }
}

/// The inverse of [`significand`], for a significand that need not have its leading bit.
fn from_significand(significand: u64, field: u32) -> f64 {
    if significand == 0 {
        return 0.0;
    }
    let shift = (significand.leading_zeros() - 11).min(field - 1);
    let (shifted, field) = (significand << shift, field - shift);
    if shifted >> 52 == 0 {
        return f64::from_bits(shifted);
    }
    f64::from_bits(u64::from(field) << 52 | shifted & 0x000f_ffff_ffff_ffff)
}

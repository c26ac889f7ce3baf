//! The functions of `java.lang.Math` that are exact or correctly rounded by definition.

/// `Math.fma(double, double, double)`: `a * b + c` rounded once.
pub fn fma(a: f64, b: f64, c: f64) -> f64 {
    a.mul_add(b, c)
}

/// `Math.fma(float, float, float)`: `a * b + c` rounded once.
pub fn fma_f32(a: f32, b: f32, c: f32) -> f32 {
    a.mul_add(b, c)
}

/// `Math.sqrt`, correctly rounded.
pub fn sqrt(x: f64) -> f64 {
    x.sqrt()
}

/// `Math.floor`.
pub fn floor(x: f64) -> f64 {
    x.floor()
}

/// `Math.ceil`.
pub fn ceil(x: f64) -> f64 {
    x.ceil()
}

/// `Math.rint`: ties go to the even neighbour.
pub fn rint(x: f64) -> f64 {
    x.round_ties_even()
}

/// `Math.abs(double)`.
pub fn abs(x: f64) -> f64 {
    x.abs()
}

/// `Math.abs(float)`.
pub fn abs_f32(x: f32) -> f32 {
    x.abs()
}

/// `Math.round(double)`: ties go towards positive infinity; saturates; NaN becomes zero.
pub fn round(x: f64) -> i64 {
    let below = x.floor();
    // The difference is exact, where `x + 0.5` would not be.
    if x - below >= 0.5 { (below + 1.0) as i64 } else { below as i64 }
}

/// `Math.round(float)`: ties go towards positive infinity; saturates; NaN becomes zero.
pub fn round_f32(x: f32) -> i32 {
    let x = f64::from(x);
    (x + 0.5).floor() as i32
}

/// `Math.copySign(double, double)`.
pub fn copy_sign(magnitude: f64, sign: f64) -> f64 {
    magnitude.copysign(sign)
}

/// `Math.signum(double)`: the argument itself for zeros and NaN.
pub fn signum(x: f64) -> f64 {
    if x == 0.0 || x.is_nan() { x } else { 1.0_f64.copysign(x) }
}

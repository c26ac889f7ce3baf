//! Views of a double's bit pattern that the fdlibm algorithms are written in.
//!
//! fdlibm decides ranges by the upper 32 bits of a number and splits numbers by clearing the lower 32.
//! These few functions are the only place that knows how; everything above speaks of high words and heads.

/// The sign, exponent and upper 20 significand bits, as a signed word: negative exactly for a set sign bit.
pub(crate) fn high_word(x: f64) -> i32 {
    (x.to_bits() >> 32) as i32
}

/// The high word of `|x|`.
pub(crate) fn high_word_abs(x: f64) -> i32 {
    high_word(x) & 0x7fff_ffff
}

/// The lower 32 significand bits.
pub(crate) fn low_word(x: f64) -> u32 {
    x.to_bits() as u32
}

/// `x` with its high word replaced.
pub(crate) fn with_high_word(x: f64, high: i32) -> f64 {
    f64::from_bits(u64::from(high as u32) << 32 | u64::from(low_word(x)))
}

/// The double with the given high word and a low word of zero.
pub(crate) fn from_high_word(high: i32) -> f64 {
    f64::from_bits(u64::from(high as u32) << 32)
}

/// `x` with its low word cleared: a number short enough for its products to be exact.
pub(crate) fn head(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & 0xffff_ffff_0000_0000)
}

/// Adds `n` to the exponent field; correct while the result stays a normal number.
pub(crate) fn add_exponent(x: f64, n: i32) -> f64 {
    with_high_word(x, high_word(x).wrapping_add(n << 20))
}

/// `2^n` for a normal result.
pub(crate) fn power_of_two(n: i32) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}

/// `coefficients[0] + x * (coefficients[1] + x * (...))`, in exactly this order of operations.
#[inline]
pub(crate) fn horner<const N: usize>(x: f64, coefficients: &[f64; N]) -> f64 {
    let mut sum = coefficients[N - 1];
    for coefficient in coefficients[..N - 1].iter().rev() {
        sum = coefficient + x * sum;
    }
    sum
}

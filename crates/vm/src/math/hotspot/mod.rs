//! `java.lang.Math` as HotSpot answers it on x86-64.
//!
//! The specification allows `Math` an error of one unit in the last place; HotSpot uses that room.
//! Since JDK 9 it answers these functions, interpreted or compiled, from routines of Intel's mathematical library,
//! whose error is barely above half a unit and whose last bit differs from fdlibm's in a few cases of a hundred.
//! Programs print such bits, so the same algorithms are followed here operation by operation.
//!
//! Two deviations: [`log`], [`log10`] and [`pow`] begin with the processor's approximate reciprocal there, which differs
//! between makers; here it is a division, so that results do not depend on the machine.
//! And table entries are correctly rounded here where the originals are off by their last bit.
//! Neither changes more than a few results in a million.
//!
//! [`tanh`] and [`cbrt`] are such routines since JDK 24 and 25; before, `Math` forwards to [`super::strict`],
//! as it does in every release for the functions that are not here.

mod exponential;
mod logarithm;
mod pi32;
mod power;
mod root;
mod sine;
mod tables;
mod tangent;

pub use exponential::{exp, tanh};
pub use logarithm::{log, log10};
pub use power::pow;
pub use root::cbrt;
pub use sine::{cos, sin};
pub use tangent::tan;

use super::words::power_of_two;

/// The sign, exponent and upper four significand bits, by which the routines decide ranges.
fn top_bits(x: f64) -> u32 {
    (x.to_bits() >> 48) as u32
}

/// `x` with the significand bits outside of the mask cleared.
fn masked(x: f64, mask: u64) -> f64 {
    f64::from_bits(x.to_bits() & mask)
}

/// `(t + small) * 2^n` for a result that is subnormal, so that it is rounded only once.
///
/// `t` is first cut where the result's last bit will be; the rest joins the small part.
fn sum_subnormal(t: f64, small: f64, scale: f64, cut_bits: u32) -> f64 {
    let head = masked(t, u64::MAX << cut_bits);
    let tail = (t - head) + small;
    head * scale + tail * scale
}

/// The number whose sum with `x` and difference from it round `x` to a multiple of `2^-fraction_bits`.
const fn shifter(fraction_bits: i32) -> f64 {
    1.5 * f64::from_bits(((1023 + 52 - fraction_bits) as u64) << 52)
}

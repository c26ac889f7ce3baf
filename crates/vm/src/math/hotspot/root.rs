//! HotSpot's `cbrt`: the cube root of a short number from a table times a polynomial in the relative difference.

use super::tables::cbrt::{CBRT, RECIPROCAL};
use super::{masked, power_of_two};

/// The coefficients of `r` to `r^8` of the cube root of `1 + r`, minus one.
const P: [f64; 8] = [
    f64::from_bits(0x3fd5_5555_5555_5555),
    f64::from_bits(0xbfbc_71c7_1c71_c71c),
    f64::from_bits(0x3faf_9add_3c0c_a458),
    f64::from_bits(0xbfa5_11e8_d2b3_183b),
    f64::from_bits(0x3f9e_e711_3506_ac12),
    f64::from_bits(0xbf98_090d_6221_a247),
    f64::from_bits(0x3f93_750a_d588_f115),
    f64::from_bits(0xbf90_36de_5c9c_c8e7),
];

/// `Math.cbrt` since JDK 25.
pub fn cbrt(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let (normal, offset) =
        if x.abs() < f64::MIN_POSITIVE { (x.abs() * power_of_two(63), 21) } else { (x.abs(), 0) };
    let exponent = (normal.to_bits() >> 52) as i32;
    let third = exponent / 3;
    let scale = power_of_two(third - 341 - offset).copysign(x);

    let significand =
        f64::from_bits(normal.to_bits() & 0x000f_ffff_ffff_ffff | 0x3ff0_0000_0000_0000);
    let row = (significand.to_bits() >> 47 & 31) as usize;
    let centre = f64::from_bits(
        masked(significand, 0xffff_8000_0000_0000).to_bits() | 0x0000_4000_0000_0000,
    );
    let [root, root_tail] = CBRT[row + 32 * (exponent - 3 * third) as usize];
    let (root, root_tail) = (scale * root, scale * root_tail);
    let r = (significand - centre) * RECIPROCAL[row][0];
    let r2 = r * r;
    let upper = (P[4] + P[5] * r) + (P[6] + P[7] * r) * r2;
    let lower = (P[0] + P[1] * r) + (P[2] + P[3] * r) * r2;
    let polynomial = lower + (r2 * r2) * upper;
    (polynomial * (r * root) + root_tail) + root
}

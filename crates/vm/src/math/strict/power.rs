//! fdlibm's `pow`: `2^(y log2 x)` with the logarithm and the product in two pieces each.

use super::exponential::P;
use crate::math::words::{
    add_exponent, from_high_word, head, high_word, horner, power_of_two, with_high_word,
};

const L: [f64; 6] = [
    f64::from_bits(0x3fe3_3333_3333_3303),
    f64::from_bits(0x3fdb_6db6_db6f_abff),
    f64::from_bits(0x3fd5_5555_518f_264d),
    f64::from_bits(0x3fd1_7460_a91d_4101),
    f64::from_bits(0x3fcd_864a_93c9_db65),
    f64::from_bits(0x3fca_7e28_4a45_4eef),
];

const LN2: f64 = f64::from_bits(0x3fe6_2e42_fefa_39ef);
const LN2_HEAD: f64 = f64::from_bits(0x3fe6_2e43_0000_0000);
const LN2_TAIL: f64 = f64::from_bits(0xbe20_5c61_0ca8_6c39);
const INVERSE_LN2: f64 = f64::from_bits(0x3ff7_1547_652b_82fe);
const INVERSE_LN2_HEAD: f64 = f64::from_bits(0x3ff7_1547_6000_0000);
const INVERSE_LN2_TAIL: f64 = f64::from_bits(0x3e54_ae0b_f85d_df44);
/// `2 / (3 ln 2)`.
const CP: f64 = f64::from_bits(0x3fee_c709_dc3a_03fd);
const CP_HEAD: f64 = f64::from_bits(0x3fee_c709_e000_0000);
const CP_TAIL: f64 = f64::from_bits(0xbe3e_2fe0_145b_01f5);
/// `log2(1.5)`.
const LOG2_1_5_HEAD: f64 = f64::from_bits(0x3fe2_b803_4000_0000);
const LOG2_1_5_TAIL: f64 = f64::from_bits(0x3e4c_fdeb_43cf_d006);
/// How far below 1024 the logarithm of the first number that rounds to infinity lies.
const OVERFLOW_MARGIN: f64 = 8.008_566_259_537_294e-17;

const TWO_53: f64 = 9_007_199_254_740_992.0;

/// What `y` does to the sign of a negative base.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Parity {
    NotInteger,
    Odd,
    Even,
}

/// Whether `y` is an odd or even integer or none.
pub(crate) fn parity(y: f64) -> Parity {
    let magnitude = y.abs();
    if magnitude >= TWO_53 {
        Parity::Even
    } else if magnitude.trunc() != magnitude {
        Parity::NotInteger
    } else if magnitude as i64 & 1 == 1 {
        Parity::Odd
    } else {
        Parity::Even
    }
}

/// `StrictMath.pow`.
pub fn pow(x: f64, y: f64) -> f64 {
    if y == 0.0 {
        return 1.0;
    }
    if x.is_nan() || y.is_nan() {
        return x + y;
    }
    let magnitude = x.abs();
    if y == 2.0 {
        return x * x;
    }
    if y == 0.5 && x != f64::NEG_INFINITY {
        // The sum turns -0 into 0.
        return (x + 0.0).sqrt();
    }
    if y == 1.0 {
        return x;
    }
    if y == -1.0 {
        return 1.0 / x;
    }
    if y.is_infinite() {
        return if magnitude == 1.0 {
            f64::NAN
        } else if (magnitude > 1.0) == (y > 0.0) {
            f64::INFINITY
        } else {
            0.0
        };
    }
    let negative = x.is_sign_negative();
    let parity = if negative { parity(y) } else { Parity::Even };
    if magnitude == 0.0 || magnitude == f64::INFINITY || magnitude == 1.0 {
        let z = if y < 0.0 { 1.0 / magnitude } else { magnitude };
        return match parity {
            Parity::NotInteger if magnitude == 1.0 => f64::NAN,
            Parity::Odd => -z,
            _ => z,
        };
    }
    if parity == Parity::NotInteger {
        return f64::NAN;
    }
    let sign = if parity == Parity::Odd { -1.0 } else { 1.0 };

    let (t1, t2) = if y.abs() > f64::from_bits(0x41e0_0000_ffff_ffff) {
        if magnitude < f64::from_bits(0x3fef_ffff_0000_0000) {
            return if y < 0.0 { sign * f64::INFINITY } else { sign * 0.0 };
        }
        if magnitude > f64::from_bits(0x3ff0_0000_ffff_ffff) {
            return if y > 0.0 { sign * f64::INFINITY } else { sign * 0.0 };
        }
        log2_near_one(magnitude)
    } else {
        log2(magnitude)
    };

    let y1 = head(y);
    let p_tail = (y - y1) * t1 + y * t2;
    let p_head = y1 * t1;
    let z = p_tail + p_head;
    if z >= 1024.0 {
        if z > 1024.0 || p_tail + OVERFLOW_MARGIN > z - p_head {
            return sign * f64::INFINITY;
        }
    } else if z <= -1075.0 && (z < -1075.0 || p_tail <= z - p_head) {
        return sign * 0.0;
    }
    sign * exp2(z, p_head, p_tail)
}

/// The logarithm to base two in two pieces, for `x` within `2^-20` of one.
fn log2_near_one(x: f64) -> (f64, f64) {
    let t = x - 1.0;
    let w = (t * t) * (0.5 - t * (1.0 / 3.0 - t * 0.25));
    let u = INVERSE_LN2_HEAD * t;
    let v = t * INVERSE_LN2_TAIL - w * INVERSE_LN2;
    let t1 = head(u + v);
    (t1, v - (t1 - u))
}

/// The logarithm to base two of a positive finite number in two pieces.
fn log2(x: f64) -> (f64, f64) {
    let (x, mut n) = if x < f64::MIN_POSITIVE { (x * TWO_53, -53) } else { (x, 0) };
    n += (high_word(x) >> 20) - 0x3ff;
    let fraction = high_word(x) & 0x000f_ffff;
    let mut high = fraction | 0x3ff0_0000;
    let near_three_halves = fraction > 0x3_988e && fraction < 0xb_b67a;
    if fraction >= 0xb_b67a {
        n += 1;
        high -= 0x0010_0000;
    }
    let x = with_high_word(x, high);
    let (centre, log_head, log_tail) =
        if near_three_halves { (1.5, LOG2_1_5_HEAD, LOG2_1_5_TAIL) } else { (1.0, 0.0, 0.0) };

    // s = (x - centre) / (x + centre), in two pieces.
    let u = x - centre;
    let v = 1.0 / (x + centre);
    let s = u * v;
    let s_head = head(s);
    let centre_bit = if near_three_halves { 1 << 18 } else { 0 };
    let t_head = from_high_word(((high >> 1) | 0x2000_0000) + 0x0008_0000 + centre_bit);
    let t_tail = x - (t_head - centre);
    let s_tail = v * ((u - s_head * t_head) - s_head * t_tail);

    let s2 = s * s;
    let mut r = s2 * s2 * horner(s2, &L);
    r += s_tail * (s_head + s);
    let s2 = s_head * s_head;
    let t_head = head(3.0 + s2 + r);
    let t_tail = r - ((t_head - 3.0) - s2);
    let u = s_head * t_head;
    let v = s_tail * t_head + t_tail * s;
    let p_head = head(u + v);
    let p_tail = v - (p_head - u);
    let z_head = CP_HEAD * p_head;
    let z_tail = CP_TAIL * p_head + p_tail * CP + log_tail;
    let t = f64::from(n);
    let t1 = head(((z_head + z_tail) + log_head) + t);
    (t1, z_tail - (((t1 - t) - log_head) - z_head))
}

/// `2^(p_head + p_tail)`, where `z` is their rounded sum.
fn exp2(z: f64, mut p_head: f64, p_tail: f64) -> f64 {
    let high = high_word(z);
    let magnitude = high & 0x7fff_ffff;
    let mut n = 0;
    if magnitude > 0x3fe0_0000 {
        // Rounds z to an integer, working on its bits.
        let k = (magnitude >> 20) - 0x3ff;
        let rounded = high + (0x0010_0000 >> (k + 1));
        let k = ((rounded & 0x7fff_ffff) >> 20) - 0x3ff;
        p_head -= from_high_word(rounded & !(0x000f_ffff >> k));
        n = ((rounded & 0x000f_ffff) | 0x0010_0000) >> (20 - k);
        if high < 0 {
            n = -n;
        }
    }
    let t = head(p_tail + p_head);
    let u = t * LN2_HEAD;
    let v = (p_tail - (t - p_head)) * LN2 + t * LN2_TAIL;
    let z = u + v;
    let w = v - (z - u);
    let t = z * z;
    let t1 = z - t * horner(t, &P);
    let r = (z * t1) / (t1 - 2.0) - (w + z * w);
    let z = 1.0 - (r - z);
    if (high_word(z) + (n << 20)) >> 20 <= 0 {
        // A subnormal result: scaled in two steps, of which only the last one rounds.
        return z * power_of_two(n + 1000) * power_of_two(-1000);
    }
    add_exponent(z, n)
}

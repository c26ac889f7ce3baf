//! fdlibm's reduction modulo `pi/2`: the remainder as a sum of two doubles, and the quotient modulo 8.
//!
//! Up to `2^19 * pi/2` the multiple of `pi/2` is subtracted in at most three steps of growing precision.
//! Beyond, the argument is cut into 24-bit pieces and multiplied by as many pieces of `2/pi` as matter
//! (Payne and Hanek's method).

use crate::math::words::{high_word, high_word_abs, power_of_two, with_high_word};

/// 24-bit pieces of `2/pi`, the most significant first.
const TWO_OVER_PI: [u32; 66] = [
    0xa2f983, 0x6e4e44, 0x1529fc, 0x2757d1, 0xf534dd, 0xc0db62, 0x95993c, 0x439041, 0xfe5163,
    0xabdebb, 0xc561b7, 0x246e3a, 0x424dd2, 0xe00649, 0x2eea09, 0xd1921c, 0xfe1deb, 0x1cb129,
    0xa73ee8, 0x8235f5, 0x2ebb44, 0x84e99c, 0x7026b4, 0x5f7e41, 0x3991d6, 0x398353, 0x39f49c,
    0x845f8b, 0xbdf928, 0x3b1ff8, 0x97ffde, 0x05980f, 0xef2f11, 0x8b5a0a, 0x6d1f6d, 0x367ecf,
    0x27cb09, 0xb74f46, 0x3f669e, 0x5fea2d, 0x7527ba, 0xc7ebe5, 0xf17b3d, 0x0739f7, 0x8a5292,
    0xea6bfb, 0x5fb11f, 0x8d5d08, 0x560330, 0x46fc7b, 0x6babf0, 0xcfbc20, 0x9af436, 0x1da9e3,
    0x91615e, 0xe61b08, 0x659985, 0x5f14a0, 0x68408d, 0xffd880, 0x4d7327, 0x310606, 0x1556ca,
    0x73a8c9, 0x60e27b, 0xc08c6b,
];

/// The leading five 24-bit pieces of `pi/2`.
const PI_2_PIECES: [f64; 5] = [
    f64::from_bits(0x3ff9_21fb_4000_0000),
    f64::from_bits(0x3e74_442d_0000_0000),
    f64::from_bits(0x3cf8_4698_8000_0000),
    f64::from_bits(0x3b78_cc51_6000_0000),
    f64::from_bits(0x39f0_1b83_8000_0000),
];

/// `2/pi`, rounded.
const INVERSE_PI_2: f64 = f64::from_bits(0x3fe4_5f30_6dc9_c883);
/// 33 bits of `pi/2` each, and what is left after each.
const PI_2_FIRST: f64 = f64::from_bits(0x3ff9_21fb_5440_0000);
const PI_2_AFTER_FIRST: f64 = f64::from_bits(0x3dd0_b461_1a62_6331);
const PI_2_SECOND: f64 = f64::from_bits(0x3dd0_b461_1a60_0000);
const PI_2_AFTER_SECOND: f64 = f64::from_bits(0x3ba3_198a_2e03_7073);
const PI_2_THIRD: f64 = f64::from_bits(0x3ba3_198a_2e00_0000);
const PI_2_AFTER_THIRD: f64 = f64::from_bits(0x397b_839a_2520_49c1);

const TWO_24: f64 = 16_777_216.0;
const TWO_MINUS_24: f64 = 1.0 / TWO_24;

/// `x = n * pi/2 + y[0] + y[1]`, with `n` given modulo 8; `x` is finite and above `pi/4` in magnitude.
pub(super) fn reduce(x: f64) -> (i32, [f64; 2]) {
    let high = high_word_abs(x);
    if high < 0x4002_d97c {
        return reduce_once(x);
    }
    let (n, y) = if high <= 0x4139_21fb { reduce_medium(x.abs()) } else { reduce_large(x.abs()) };
    if x < 0.0 { (-n, [-y[0], -y[1]]) } else { (n, y) }
}

/// One step towards zero, for `|x| < 3*pi/4`.
fn reduce_once(x: f64) -> (i32, [f64; 2]) {
    let negative = x < 0.0;
    let x = x.abs();
    let mut z = x - PI_2_FIRST;
    let mut rest = PI_2_AFTER_FIRST;
    if high_word(x) == 0x3ff9_21fb {
        z -= PI_2_SECOND;
        rest = PI_2_AFTER_SECOND;
    }
    let y0 = z - rest;
    let y1 = (z - y0) - rest;
    if negative { (-1, [-y0, -y1]) } else { (1, [y0, y1]) }
}

fn reduce_medium(x: f64) -> (i32, [f64; 2]) {
    let n = (x * INVERSE_PI_2 + 0.5) as i32;
    let count = f64::from(n);
    let mut r = x - count * PI_2_FIRST;
    let mut w = count * PI_2_AFTER_FIRST;
    let mut y0 = r - w;
    // How many leading bits the subtraction cancelled decides how many bits of pi/2 are needed.
    if !(n < 32 && high_word(x) != multiple_of_pi_2_high(n)) {
        let exponent = high_word(x) >> 20;
        let cancelled = |y: f64| exponent - ((high_word(y) >> 20) & 0x7ff);
        for (bits, piece, rest) in
            [(16, PI_2_SECOND, PI_2_AFTER_SECOND), (49, PI_2_THIRD, PI_2_AFTER_THIRD)]
        {
            if cancelled(y0) <= bits {
                break;
            }
            let before = r;
            w = count * piece;
            r = before - w;
            w = count * rest - ((before - r) - w);
            y0 = r - w;
        }
    }
    (n, [y0, (r - y0) - w])
}

/// The high word of `n * pi/2`, for `1 <= n < 32`.
fn multiple_of_pi_2_high(n: i32) -> i32 {
    high_word(f64::from(n) * std::f64::consts::FRAC_PI_2)
}

fn reduce_large(x: f64) -> (i32, [f64; 2]) {
    let exponent = (high_word(x) >> 20) - 1046;
    let mut z = with_high_word(x, high_word(x) - (exponent << 20));
    let mut pieces = [0.0; 3];
    for piece in &mut pieces[..2] {
        *piece = z.trunc();
        z = (z - *piece) * TWO_24;
    }
    pieces[2] = z;
    let used = 3 - pieces.iter().rev().take_while(|piece| **piece == 0.0).count();
    multiply_by_two_over_pi(&pieces[..used], exponent)
}

/// The product of `sum(pieces[i] * 2^(exponent - 24 i))` with `2/pi`, its fraction times `pi/2` in two doubles.
fn multiply_by_two_over_pi(pieces: &[f64], exponent: i32) -> (i32, [f64; 2]) {
    const TERMS: usize = 4;
    let skipped = ((exponent - 3) / 24).max(0) as usize;
    // The weight of the first term that is not a multiple of 8.
    let mut q0 = exponent - 24 * (skipped as i32 + 1);

    // Sums of products of 24-bit numbers are exact.
    let term = |i: usize| -> f64 {
        let mut sum = 0.0;
        for (j, piece) in pieces.iter().enumerate() {
            let idx = skipped + i;
            if idx >= j {
                sum += piece * f64::from(TWO_OVER_PI[idx - j]);
            }
        }
        sum
    };

    let mut q = [0.0; 20];
    for (i, value) in q.iter_mut().enumerate().take(TERMS + 1) {
        *value = term(i);
    }
    let mut digits = [0_i32; 20];
    let mut last = TERMS;
    let (mut n, mut z, mut half);
    loop {
        z = q[last];
        for i in 0..last {
            let carry = (TWO_MINUS_24 * z).trunc();
            digits[i] = (z - TWO_24 * carry) as i32;
            z = q[last - 1 - i] + carry;
        }
        z *= power_of_two(q0);
        z -= 8.0 * (z * 0.125).floor();
        n = z as i32;
        z -= f64::from(n);
        half = 0;
        if q0 > 0 {
            let i = digits[last - 1] >> (24 - q0);
            n += i;
            digits[last - 1] -= i << (24 - q0);
            half = digits[last - 1] >> (23 - q0);
        } else if q0 == 0 {
            half = digits[last - 1] >> 23;
        } else if z >= 0.5 {
            half = 2;
        }
        if half > 0 {
            n += 1;
            let carried = negate_fraction(&mut digits[..last]);
            if q0 == 1 {
                digits[last - 1] &= 0x7f_ffff;
            } else if q0 == 2 {
                digits[last - 1] &= 0x3f_ffff;
            }
            if half == 2 {
                z = 1.0 - z;
                if carried {
                    z -= power_of_two(q0);
                }
            }
        }
        if z != 0.0 || digits[TERMS..last].iter().any(|digit| *digit != 0) {
            break;
        }
        // Everything cancelled: add as many further terms as there are leading zero digits.
        let more = 1 + digits[..TERMS].iter().rev().take_while(|digit| **digit == 0).count();
        for (i, value) in q.iter_mut().enumerate().take(last + more + 1).skip(last + 1) {
            *value = term(i);
        }
        last += more;
    }

    if z == 0.0 {
        last -= 1;
        q0 -= 24;
        while digits[last] == 0 {
            last -= 1;
            q0 -= 24;
        }
    } else {
        z *= power_of_two(-q0);
        if z >= TWO_24 {
            let carry = (TWO_MINUS_24 * z).trunc();
            digits[last] = (z - TWO_24 * carry) as i32;
            last += 1;
            q0 += 24;
            digits[last] = carry as i32;
        } else {
            digits[last] = z as i32;
        }
    }

    let mut weight = power_of_two(q0);
    for i in (0..=last).rev() {
        q[i] = weight * f64::from(digits[i]);
        weight *= TWO_MINUS_24;
    }
    let mut sums = [0.0; 20];
    for i in (0..=last).rev() {
        let mut sum = 0.0;
        for (k, piece) in PI_2_PIECES.iter().enumerate().take(last - i + 1) {
            sum += piece * q[i + k];
        }
        sums[last - i] = sum;
    }
    let mut y0 = 0.0;
    for sum in sums[..=last].iter().rev() {
        y0 += sum;
    }
    let mut y1 = sums[0] - y0;
    for sum in &sums[1..=last] {
        y1 += sum;
    }
    let y = if half == 0 { [y0, y1] } else { [-y0, -y1] };
    (n & 7, y)
}

/// Replaces a fraction in 24-bit digits, the least significant first, by one minus it;
/// tells whether it was not zero.
fn negate_fraction(digits: &mut [i32]) -> bool {
    let mut carried = false;
    for digit in digits {
        if carried {
            *digit = 0xff_ffff - *digit;
        } else if *digit != 0 {
            carried = true;
            *digit = 0x100_0000 - *digit;
        }
    }
    carried
}

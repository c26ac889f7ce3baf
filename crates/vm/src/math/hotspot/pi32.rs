//! Reduction of large arguments for HotSpot's trigonometric functions (Payne and Hanek's method).
//!
//! The 53-bit significand is multiplied by the 224 bits of `2/pi` that its exponent selects.
//! What is left of the product is a whole number of octants or quadrants and a fraction of 192 bits.

/// 32-bit pieces of `2/pi`, behind two empty ones for arguments that need no leading bits.
const TWO_OVER_PI: [u32; 41] = [
    0x0000_0000,
    0x0000_0000,
    0xa2f9_836e,
    0x4e44_1529,
    0xfc27_57d1,
    0xf534_ddc0,
    0xdb62_9599,
    0x3c43_9041,
    0xfe51_63ab,
    0xdebb_c561,
    0xb724_6e3a,
    0x424d_d2e0,
    0x0649_2eea,
    0x09d1_921c,
    0xfe1d_eb1c,
    0xb129_a73e,
    0xe882_35f5,
    0x2ebb_4484,
    0xe99c_7026,
    0xb45f_7e41,
    0x3991_d639,
    0x8353_39f4,
    0x9c84_5f8b,
    0xbdf9_283b,
    0x1ff8_97ff,
    0xde05_980f,
    0xef2f_118b,
    0x5a0a_6d1f,
    0x6d36_7ecf,
    0x27cb_09b7,
    0x4f46_3f66,
    0x9e5f_ea2d,
    0x7527_bac7,
    0xebe5_f17b,
    0x3d07_39f7,
    0x8a52_92ea,
    0x6bfb_5fb1,
    0x1f8d_5d08,
    0x5603_3046,
    0xfc7b_6bab,
    0xf0cf_bc21,
];

/// What the reduction counts in.
pub(super) struct Unit {
    /// `pi/4`, cut so that products with 30 bits are exact, and the rest of it.
    pub(super) quarter_pi: [f64; 2],
    /// How many bits of the count matter: three for octants, two for quadrants.
    pub(super) count_bits: u32,
}

/// The count of units and the remainder, in magnitude at most half a unit, in two doubles.
pub(super) fn reduce(x: f64, unit: &Unit) -> (i32, [f64; 2]) {
    let bits = x.abs().to_bits();
    let exponent = (bits >> 52) as i32;
    let significand = u128::from(bits & 0x000f_ffff_ffff_ffff | 1 << 52);

    // Seven pieces matter. The last one is multiplied with the upper bits only.
    let first = ((exponent - 1014) / 32) as usize;
    let pieces = &TWO_OVER_PI[first..first + 7];
    let mut sum = (significand >> 32 << 32) * u128::from(pieces[6]);
    let mut digits = [0_u64; 6];
    for (digit, piece) in digits.iter_mut().zip(pieces[..6].iter().rev()) {
        sum = (sum >> 32) + significand * u128::from(*piece);
        *digit = sum as u32 as u64;
    }
    let mut high = digits[5] << 32 | digits[4];
    let mut middle = digits[3] << 32 | digits[2];
    let mut low = digits[1] << 32 | digits[0];

    // The binary point lies in the upper 64 bits.
    let octant_fraction_bits = 60 - (exponent - 1014) % 32;
    let fraction_bits = octant_fraction_bits + 3 - unit.count_bits as i32;
    let mut count = (high >> fraction_bits & ((1 << unit.count_bits) - 1)) as i32;
    let one = 1_u64 << fraction_bits;
    high &= one - 1;
    let negated = high & (one >> 1) != 0;
    if negated {
        count += 1;
        high = one - high - u64::from(middle != 0 || low != 0);
        let below = (u128::from(middle) << 64 | u128::from(low)).wrapping_neg();
        (middle, low) = ((below >> 64) as u64, below as u64);
    }
    let negative = x.is_sign_negative();
    if negative {
        count = -count;
    }

    // Normalizes to thirty bits in the upper word.
    let mut exponent = -octant_fraction_bits;
    for _ in 0..2 {
        if high == 0 {
            exponent -= 64;
            (high, middle, low) = (middle, low, 0);
        }
    }
    if high == 0 {
        return (count, [0.0, 0.0]);
    }
    let top = 63 - high.leading_zeros() as i32;
    let shift = 29 - top;
    if shift > 0 {
        high = high << shift | middle >> (64 - shift);
        middle = middle << shift | low >> (64 - shift);
    } else if shift < 0 {
        middle = middle >> -shift | high << (64 + shift);
        high >>= -shift;
    }
    exponent -= shift;

    let scale = f64::from_bits(((1023 + exponent) as u64) << 52);
    let scale = if negative != negated { -scale } else { scale };
    let head = high as f64 * scale;
    let tail = (middle >> 1) as f64 * (scale * f64::from_bits(0x3c00_0000_0000_0000));
    let [quarter_pi, quarter_pi_tail] = unit.quarter_pi;
    let product = head * quarter_pi;
    let rest = quarter_pi_tail * (head + tail) + tail * quarter_pi;
    let result = product + rest;
    (count, [result, (product - result) + rest])
}

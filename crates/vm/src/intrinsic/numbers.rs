//! Mathematics and bit casts. HotSpot answers `Math.sin` and its like from routines of its own,
//! interpreted or not; so do we (`math::hotspot`).

use super::Row;
use crate::math::hotspot;
use crate::vm::Vm;

macro_rules! double_functions {
    ($($name:ident = $f:expr;)*) => { $(
        unsafe fn $name(_: *mut Vm, _: *mut u8, args: *mut u64) -> bool {
            // SAFETY: arguments are registers.
            unsafe { *args = ($f)(f64::from_bits(*args)).to_bits() };
            true
        }
    )* };
}

double_functions! {
    sin = hotspot::sin;
    cos = hotspot::cos;
    tan = hotspot::tan;
    exp = hotspot::exp;
    log = hotspot::log;
    log10 = hotspot::log10;
    tanh = hotspot::tanh;
    cbrt = hotspot::cbrt;
    sqrt = f64::sqrt;
    abs_d = f64::abs;
}

unsafe fn pow(_: *mut Vm, _: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; a double takes two.
    unsafe { *args = hotspot::pow(f64::from_bits(*args), f64::from_bits(*args.add(2))).to_bits() };
    true
}

macro_rules! int_functions {
    ($($name:ident = |$a:ident, $b:ident| $e:expr;)*) => { $(
        unsafe fn $name(_: *mut Vm, _: *mut u8, args: *mut u64) -> bool {
            // SAFETY: arguments are registers; where there is one only, the second read is unused.
            unsafe {
                let ($a, $b) = (*args as u32 as i32, *args.add(1) as u32 as i32);
                let _ = $b;
                *args = u64::from(($e) as u32);
            }
            true
        }
    )* };
}

int_functions! {
    imin = |a, b| a.min(b);
    imax = |a, b| a.max(b);
    iabs = |a, b| a.wrapping_abs();
    bit_count = |a, b| a.count_ones();
    leading_zeros = |a, b| a.leading_zeros();
    trailing_zeros = |a, b| a.trailing_zeros();
    reverse_bytes = |a, b| a.swap_bytes();
    rotate_left = |a, b| a.rotate_left(b as u32 & 31);
    rotate_right = |a, b| a.rotate_right(b as u32 & 31);
}

macro_rules! long_functions {
    ($($name:ident = |$a:ident, $b:ident| $e:expr;)*) => { $(
        unsafe fn $name(_: *mut Vm, _: *mut u8, args: *mut u64) -> bool {
            // SAFETY: arguments are registers, two each.
            unsafe {
                let ($a, $b) = (*args as i64, *args.add(2) as i64);
                let _ = $b;
                *args = ($e) as u64;
            }
            true
        }
    )* };
}

long_functions! {
    lmin = |a, b| a.min(b);
    lmax = |a, b| a.max(b);
    labs = |a, b| a.wrapping_abs();
    long_bit_count = |a, b| a.count_ones();
    long_leading_zeros = |a, b| a.leading_zeros();
    long_trailing_zeros = |a, b| a.trailing_zeros();
    multiply_high = |a, b| (i128::from(a) * i128::from(b)) >> 64;
    long_reverse_bytes = |a, b| a.swap_bytes();
}

/// A register already holds what the method gives.
unsafe fn same_bits(_: *mut Vm, _: *mut u8, _: *mut u64) -> bool {
    true
}

pub(super) const ROWS: &[Row] = &[
    ("java/lang/Math", "sin", "(D)D", sin),
    ("java/lang/Math", "cos", "(D)D", cos),
    ("java/lang/Math", "tan", "(D)D", tan),
    ("java/lang/Math", "exp", "(D)D", exp),
    ("java/lang/Math", "log", "(D)D", log),
    ("java/lang/Math", "log10", "(D)D", log10),
    ("java/lang/Math", "pow", "(DD)D", pow),
    ("java/lang/Math", "sqrt", "(D)D", sqrt),
    ("java/lang/StrictMath", "sqrt", "(D)D", sqrt),
    ("java/lang/Math", "abs", "(D)D", abs_d),
    ("java/lang/Math", "min", "(II)I", imin),
    ("java/lang/Math", "max", "(II)I", imax),
    ("java/lang/Math", "abs", "(I)I", iabs),
    ("java/lang/Math", "min", "(JJ)J", lmin),
    ("java/lang/Math", "max", "(JJ)J", lmax),
    ("java/lang/Math", "abs", "(J)J", labs),
    ("java/lang/Math", "multiplyHigh", "(JJ)J", multiply_high),
    ("java/lang/Integer", "bitCount", "(I)I", bit_count),
    ("java/lang/Integer", "numberOfLeadingZeros", "(I)I", leading_zeros),
    ("java/lang/Integer", "numberOfTrailingZeros", "(I)I", trailing_zeros),
    ("java/lang/Integer", "reverseBytes", "(I)I", reverse_bytes),
    ("java/lang/Integer", "rotateLeft", "(II)I", rotate_left),
    ("java/lang/Integer", "rotateRight", "(II)I", rotate_right),
    ("java/lang/Long", "bitCount", "(J)I", long_bit_count),
    ("java/lang/Long", "numberOfLeadingZeros", "(J)I", long_leading_zeros),
    ("java/lang/Long", "numberOfTrailingZeros", "(J)I", long_trailing_zeros),
    ("java/lang/Long", "reverseBytes", "(J)J", long_reverse_bytes),
    ("java/lang/Float", "floatToRawIntBits", "(F)I", same_bits),
    ("java/lang/Float", "intBitsToFloat", "(I)F", same_bits),
    ("java/lang/Double", "doubleToRawLongBits", "(D)J", same_bits),
    ("java/lang/Double", "longBitsToDouble", "(J)D", same_bits),
];

/// Routines that HotSpot has from JDK 25 on.
pub(super) const ROWS_25: &[Row] =
    &[("java/lang/Math", "tanh", "(D)D", tanh), ("java/lang/Math", "cbrt", "(D)D", cbrt)];

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
    int_compare = |a, b| a.cmp(&b) as i32;
    int_signum = |a, b| a.signum();
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
    long_rotate_left = |a, b| a.rotate_left(b as u32 & 63);
    long_rotate_right = |a, b| a.rotate_right(b as u32 & 63);
    long_compare = |a, b| (a.cmp(&b) as i32).cast_unsigned();
    long_hash = |a, b| (a ^ (a >> 32)) as u32;
}

macro_rules! arguments {
    (ints, $args:ident) => {
        (*$args as u32 as i32, *$args.add(1) as u32 as i32)
    };
    (longs, $args:ident) => {
        (*$args as i64, *$args.add(2) as i64)
    };
    (mixed, $args:ident) => {
        (*$args as i64, i64::from(*$args.add(2) as u32 as i32))
    };
    (cut, $args:ident) => {
        (*$args as i64, i64::from(*$args.add(2) as u32 as i32))
    };
}

macro_rules! result {
    (ints, $result:ident) => {
        u64::from($result as u32)
    };
    (cut, $result:ident) => {
        u64::from($result as u32)
    };
    ($other:ident, $result:ident) => {
        $result as u64
    };
}

/// Java's `floorDiv` and `floorMod`; nothing for a divisor of zero.
macro_rules! floored {
    (div, $a:ident, $b:ident) => {
        ($b != 0).then(|| {
            let quotient = $a.wrapping_div($b);
            let is_below = ($a ^ $b) < 0 && quotient.wrapping_mul($b) != $a;
            quotient.wrapping_sub(is_below.into())
        })
    };
    (rem, $a:ident, $b:ident) => {
        ($b != 0).then(|| {
            let rest = $a.wrapping_rem($b);
            if (rest ^ $b) < 0 && rest != 0 { rest + $b } else { rest }
        })
    };
}

/// Functions that decline where the Java code throws.
macro_rules! partial_functions {
    ($($name:ident: $kind:ident = |$a:ident, $b:ident| $e:expr;)*) => { $(
        unsafe fn $name(_: *mut Vm, _: *mut u8, args: *mut u64) -> bool {
            // SAFETY: arguments are registers; where there is one only, the second read is unused.
            unsafe {
                let ($a, $b) = arguments!($kind, args);
                let _ = $b;
                let Some(result) = $e else { return false };
                *args = result!($kind, result);
            }
            true
        }
    )* };
}

partial_functions! {
    floor_div: ints = |a, b| floored!(div, a, b);
    floor_mod: ints = |a, b| floored!(rem, a, b);
    long_floor_div: longs = |a, b| floored!(div, a, b);
    long_floor_mod: longs = |a, b| floored!(rem, a, b);
    long_floor_div_int: mixed = |a, b| floored!(div, a, b);
    long_floor_mod_int: cut = |a, b| floored!(rem, a, b);
    add_exact: ints = |a, b| a.checked_add(b);
    subtract_exact: ints = |a, b| a.checked_sub(b);
    multiply_exact: ints = |a, b| a.checked_mul(b);
    long_add_exact: longs = |a, b| a.checked_add(b);
    long_subtract_exact: longs = |a, b| a.checked_sub(b);
    long_multiply_exact: longs = |a, b| a.checked_mul(b);
    to_int_exact: cut = |a, b| i32::try_from(a).ok();
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
    ("java/lang/Integer", "compare", "(II)I", int_compare),
    ("java/lang/Long", "compare", "(JJ)I", long_compare),
    ("java/lang/Integer", "signum", "(I)I", int_signum),
    ("java/lang/Long", "rotateLeft", "(JI)J", long_rotate_left),
    ("java/lang/Long", "rotateRight", "(JI)J", long_rotate_right),
    ("java/lang/Long", "hashCode", "(J)I", long_hash),
    ("java/lang/Math", "floorMod", "(II)I", floor_mod),
    ("java/lang/Math", "floorDiv", "(II)I", floor_div),
    ("java/lang/Math", "floorMod", "(JJ)J", long_floor_mod),
    ("java/lang/Math", "floorDiv", "(JJ)J", long_floor_div),
    ("java/lang/Math", "floorMod", "(JI)I", long_floor_mod_int),
    ("java/lang/Math", "floorDiv", "(JI)J", long_floor_div_int),
    ("java/lang/Math", "addExact", "(II)I", add_exact),
    ("java/lang/Math", "addExact", "(JJ)J", long_add_exact),
    ("java/lang/Math", "subtractExact", "(II)I", subtract_exact),
    ("java/lang/Math", "subtractExact", "(JJ)J", long_subtract_exact),
    ("java/lang/Math", "multiplyExact", "(II)I", multiply_exact),
    ("java/lang/Math", "multiplyExact", "(JJ)J", long_multiply_exact),
    ("java/lang/Math", "toIntExact", "(J)I", to_int_exact),
    ("java/lang/Float", "floatToRawIntBits", "(F)I", same_bits),
    ("java/lang/Float", "intBitsToFloat", "(I)F", same_bits),
    ("java/lang/Double", "doubleToRawLongBits", "(D)J", same_bits),
    ("java/lang/Double", "longBitsToDouble", "(J)D", same_bits),
];

/// Routines that HotSpot has from JDK 25 on.
pub(super) const ROWS_25: &[Row] =
    &[("java/lang/Math", "tanh", "(D)D", tanh), ("java/lang/Math", "cbrt", "(D)D", cbrt)];

//! Numbers out of plain decimal text. Java rounds what it reads to the nearest number, ties to even; so does Rust.
//! Everything else (other letters, long texts, what does not fit, `null`) is left to the JDK's code and its messages.

use super::Row;
use super::strings::latin1;
use crate::vm::Vm;

pub(super) const ROWS: &[Row] = &[
    ("jdk/internal/math/FloatingDecimal", "parseDouble", "(Ljava/lang/String;)D", parse_double),
    ("jdk/internal/math/FloatingDecimal", "parseFloat", "(Ljava/lang/String;)F", parse_float),
    ("java/lang/Integer", "parseInt", "(Ljava/lang/String;)I", parse_int),
    ("java/lang/Long", "parseLong", "(Ljava/lang/String;)J", parse_long),
];

/// Longest text that is read here.
const LONGEST: usize = 64;

/// Whether a text is a sign, digits with or without a point among them, and an exponent, of which only the digits
/// must be there.
fn is_plain_decimal(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (number, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, Some(exponent)),
        None => (unsigned, None),
    };
    let is_digits = |part: &str| part.bytes().all(|letter| letter.is_ascii_digit());
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let is_exponent = |text: &str| {
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        !digits.is_empty() && is_digits(digits)
    };
    is_digits(whole)
        && is_digits(fraction)
        && whole.len() + fraction.len() > 0
        && exponent.is_none_or(is_exponent)
}

/// The short Latin-1 text that the first argument refers to, if it is ASCII.
unsafe fn text<'a>(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> Option<&'a str> {
    // SAFETY: the first argument is a reference to a string, or null.
    let bytes = unsafe { latin1(vm, heap, *args as u32)? };
    if LONGEST < bytes.len() { None } else { std::str::from_utf8(bytes).ok() }
}

unsafe fn parse_double(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: as `text` wants it.
    let text = unsafe { text(vm, heap, args) };
    let Some(Ok(number)) = text.filter(|text| is_plain_decimal(text)).map(str::parse::<f64>) else {
        return false;
    };
    // SAFETY: the result replaces the first argument.
    unsafe { *args = number.to_bits() };
    true
}

unsafe fn parse_float(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: as `text` wants it.
    let text = unsafe { text(vm, heap, args) };
    let Some(Ok(number)) = text.filter(|text| is_plain_decimal(text)).map(str::parse::<f32>) else {
        return false;
    };
    // SAFETY: the result replaces the first argument.
    unsafe { *args = u64::from(number.to_bits()) };
    true
}

unsafe fn parse_int(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: as `text` wants it. What does not fit, and what is no number, is declined.
    let Some(Ok(number)) = (unsafe { text(vm, heap, args) }).map(str::parse::<i32>) else {
        return false;
    };
    // SAFETY: the result replaces the first argument.
    unsafe { *args = u64::from(number.cast_unsigned()) };
    true
}

unsafe fn parse_long(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: as `text` wants it. What does not fit, and what is no number, is declined.
    let Some(Ok(number)) = (unsafe { text(vm, heap, args) }).map(str::parse::<i64>) else {
        return false;
    };
    // SAFETY: the result replaces the first argument.
    unsafe { *args = number.cast_unsigned() };
    true
}

#[cfg(test)]
mod tests {
    use super::is_plain_decimal;

    #[test]
    fn only_digits_a_point_a_sign_and_an_exponent_are_plain() {
        for plain in ["0", "1.5", ".5", "5.", "-0.0", "+1e10", "1E-7", "00.10e+05"] {
            assert!(is_plain_decimal(plain), "{plain}");
        }
        for other in [
            "", ".", "-", "e5", ".e5", "1e", "1e+", "1f", "1d", " 1", "0x1p3", "NaN", "inf", "1_0",
            "1.2.3",
        ] {
            assert!(!is_plain_decimal(other), "{other}");
        }
    }
}

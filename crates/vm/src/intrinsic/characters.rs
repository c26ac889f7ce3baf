//! Questions about single characters, answered for ASCII; the others are the Java code's business.

use super::Row;
use crate::vm::Vm;

macro_rules! questions {
    ($($name:literal $function:ident = |$c:ident| $e:expr;)*) => {
        $(
            unsafe fn $function(_: *mut Vm, _: *mut u8, args: *mut u64) -> bool {
                // SAFETY: arguments are registers.
                unsafe {
                    let Some($c) = ascii(*args) else { return false };
                    *args = u64::from($e);
                }
                true
            }
        )*

        pub(super) const ROWS: &[Row] = &[
            $(
                ("java/lang/Character", $name, "(C)Z", $function),
                ("java/lang/Character", $name, "(I)Z", $function),
            )*
            ("java/lang/Character", "toLowerCase", "(C)C", to_lower),
            ("java/lang/Character", "toLowerCase", "(I)I", to_lower),
            ("java/lang/Character", "toUpperCase", "(C)C", to_upper),
            ("java/lang/Character", "toUpperCase", "(I)I", to_upper),
            ("java/lang/Character", "digit", "(CI)I", digit),
            ("java/lang/Character", "digit", "(II)I", digit),
            ("java/lang/Character", "isSurrogate", "(C)Z", is_surrogate::<0xd800, 0xdfff>),
            ("java/lang/Character", "isHighSurrogate", "(C)Z", is_surrogate::<0xd800, 0xdbff>),
            ("java/lang/Character", "isLowSurrogate", "(C)Z", is_surrogate::<0xdc00, 0xdfff>),
        ];
    };
}

/// The ASCII character in a register.
#[inline(always)]
fn ascii(slot: u64) -> Option<u8> {
    #[expect(clippy::cast_possible_truncation, reason = "ints fill the low half")]
    u8::try_from(slot as u32).ok().filter(u8::is_ascii)
}

questions! {
    "isDigit" is_digit = |c| c.is_ascii_digit();
    "isLetter" is_letter = |c| c.is_ascii_alphabetic();
    "isLetterOrDigit" is_letter_or_digit = |c| c.is_ascii_alphanumeric();
    "isLowerCase" is_lower = |c| c.is_ascii_lowercase();
    "isUpperCase" is_upper = |c| c.is_ascii_uppercase();
    "isWhitespace" is_whitespace = |c| matches!(c, 9..=13 | 28..=32);
}

unsafe fn to_lower(_: *mut Vm, _: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers.
    unsafe {
        let Some(c) = ascii(*args) else { return false };
        *args = u64::from(c.to_ascii_lowercase());
    }
    true
}

unsafe fn to_upper(_: *mut Vm, _: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers.
    unsafe {
        let Some(c) = ascii(*args) else { return false };
        *args = u64::from(c.to_ascii_uppercase());
    }
    true
}

/// `digit(ch, radix)`.
unsafe fn digit(_: *mut Vm, _: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers.
    unsafe {
        let Some(c) = ascii(*args) else { return false };
        let radix = *args.add(1) as u32;
        let value = if (2..=36).contains(&radix) { char::from(c).to_digit(radix) } else { None };
        *args = u64::from(value.unwrap_or(u32::MAX));
    }
    true
}

unsafe fn is_surrogate<const FIRST: u32, const LAST: u32>(
    _: *mut Vm,
    _: *mut u8,
    args: *mut u64,
) -> bool {
    // SAFETY: arguments are registers.
    unsafe { *args = u64::from((FIRST..=LAST).contains(&(*args as u32))) };
    true
}

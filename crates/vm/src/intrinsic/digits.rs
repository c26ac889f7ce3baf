//! Decimal digits of `int` and `long`, which every number that becomes text needs.

use super::{Row, word};
use crate::heap::{ELEMENTS_OFFSET, LENGTH_OFFSET};
use crate::vm::Vm;

pub(super) const SIZES: &[Row] = &[
    ("java/lang/Integer", "stringSize", "(I)I", int_size),
    ("java/lang/Long", "stringSize", "(J)I", long_size),
    ("jdk/internal/util/DecimalDigits", "stringSize", "(I)I", int_size),
    ("jdk/internal/util/DecimalDigits", "stringSize", "(J)I", long_size),
];

pub(super) const ROWS: &[Row] = &[
    ("java/lang/Integer", "getChars", "(II[B)I", int_digits),
    ("java/lang/Long", "getChars", "(JI[B)I", long_digits),
    ("jdk/internal/util/DecimalDigits", "uncheckedGetCharsLatin1", "(II[B)I", int_digits),
    ("jdk/internal/util/DecimalDigits", "uncheckedGetCharsLatin1", "(JI[B)I", long_digits),
];

/// Most characters that a number has: 19 digits and a sign.
const MOST: usize = 20;

/// Digits and sign of a number, at the end of the array.
fn digits(number: i64) -> ([u8; MOST], usize) {
    let mut text = [0; MOST];
    let mut at = MOST;
    let mut rest = number.unsigned_abs();
    loop {
        at -= 1;
        let digit = (rest % 10) as u8;
        text[at] = b'0' + digit;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        at -= 1;
        text[at] = b'-';
    }
    (text, at)
}

fn size(number: i64) -> u64 {
    let n_digits = number.unsigned_abs().checked_ilog10().unwrap_or(0) + 1;
    u64::from(n_digits) + u64::from(number < 0)
}

unsafe fn int_size(_: *mut Vm, _: *mut u8, args: *mut u64) -> bool {
    // SAFETY: the argument is a register.
    unsafe { *args = size(i64::from(*args as u32 as i32)) };
    true
}

unsafe fn long_size(_: *mut Vm, _: *mut u8, args: *mut u64) -> bool {
    // SAFETY: the argument is a register.
    unsafe { *args = size((*args).cast_signed()) };
    true
}

unsafe fn int_digits(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers.
    unsafe { put(vm, heap, args, i64::from(*args as u32 as i32), args.add(1)) }
}

unsafe fn long_digits(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; a long takes two.
    unsafe { put(vm, heap, args, (*args).cast_signed(), args.add(2)) }
}

/// Puts a number before an index of a `byte[]`; the result is the index of its first character.
/// `place` has index and array.
unsafe fn put(vm: *mut Vm, heap: *mut u8, result: *mut u64, number: i64, place: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid; the range is checked.
    unsafe {
        let (end, array) = (*place as u32, *place.add(1) as u32);
        if array == 0 || end > word!(heap, array, LENGTH_OFFSET, u32) {
            return false;
        }
        let (text, first) = digits(number);
        let Some(start) = (end as usize).checked_sub(MOST - first) else {
            return false;
        };
        let at = ((array as usize) << 3) + ELEMENTS_OFFSET as usize + start;
        (*vm).heap.before_bulk_write(at, MOST - first);
        std::ptr::copy_nonoverlapping(text[first..].as_ptr(), heap.add(at), MOST - first);
        *result = start as u64;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_and_size_agree_with_the_text_of_the_number() {
        let edges = [0, 1, -1, 9, 10, -10, 99, 100, i64::from(i32::MIN), i64::MAX, i64::MIN];
        for number in edges {
            let (text, first) = digits(number);
            assert_eq!(&text[first..], number.to_string().as_bytes());
            assert_eq!(size(number), number.to_string().len() as u64);
        }
    }
}

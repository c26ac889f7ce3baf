//! The inner loops of `java.math`: magnitudes are arrays of 32-bit digits, the most significant first.
//! They write into arrays that are there already, so observers of writes get the Java code.

use std::slice;

use super::{Row, word};
use crate::heap::{ELEMENTS_OFFSET, LENGTH_OFFSET};
use crate::value::Kind;
use crate::vm::Vm;

pub(super) const ROWS: &[Row] = &[
    ("java/math/BigInteger", "implMultiplyToLen", "([II[II[I)[I", multiply_to_len),
    ("java/math/BigInteger", "implSquareToLen", "([II[II)[I", square_to_len),
    ("java/math/BigInteger", "implMulAdd", "([I[IIII)I", mul_add),
    ("java/math/BigInteger", "montReduce", "([I[III)[I", montgomery_reduce),
    ("java/math/BigInteger", "add", "([I[I)[I", add),
    ("java/math/BigInteger", "subtract", "([I[I)[I", subtract),
    ("java/math/MutableBigInteger", "mulsub", "([I[IIII)I", mulsub),
];

/// More digits times digits than this are left to the Java code, which can be interrupted.
const MOST_STEPS: usize = 1 << 14;

/// The digits of an array from `start` on; `None` where the array is null or not so long.
unsafe fn digits<'a>(heap: *mut u8, array: u32, start: usize, len: usize) -> Option<&'a [u32]> {
    // SAFETY: the caller has the only access to the heap; the range is checked.
    unsafe { digits_mut(heap, array, start, len).map(|digits| &*digits) }
}

/// As `digits`, to be written; the caller has told the log.
unsafe fn digits_mut<'a>(
    heap: *mut u8,
    array: u32,
    start: usize,
    len: usize,
) -> Option<&'a mut [u32]> {
    // SAFETY: as above.
    unsafe {
        if array == 0 || start.checked_add(len)? > word!(heap, array, LENGTH_OFFSET, u32) as usize {
            return None;
        }
        let at = ((array as usize) << 3) + ELEMENTS_OFFSET as usize + start * 4;
        Some(slice::from_raw_parts_mut(heap.add(at).cast(), len))
    }
}

/// Tells the log of digits about to be written.
unsafe fn log(vm: *mut Vm, array: u32, start: usize, len: usize) {
    // SAFETY: the caller checked the range.
    unsafe {
        let at = ((array as usize) << 3) + ELEMENTS_OFFSET as usize + start * 4;
        (*vm).heap.before_bulk_write(at, len * 4);
    }
}

/// A length as Java gives it; `None` where it is negative.
fn length(word: u64) -> Option<usize> {
    #[expect(clippy::cast_possible_truncation, reason = "ints fill the low half")]
    usize::try_from(word as u32 as i32).ok()
}

/// The number of digits of an array; zero for null.
unsafe fn n_digits(heap: *mut u8, array: u32) -> usize {
    // SAFETY: references are valid.
    if array == 0 { 0 } else { unsafe { word!(heap, array, LENGTH_OFFSET, u32) as usize } }
}

/// A new array of digits, all zero; `None` when memory is short.
#[expect(clippy::cast_possible_truncation, reason = "lengths of arrays")]
unsafe fn new_digits(vm: *mut Vm, len: usize) -> Option<u32> {
    // SAFETY: the machine is valid.
    unsafe {
        let size = (ELEMENTS_OFFSET as usize + len * 4).next_multiple_of(8);
        if (*vm).heap.top + size > (*vm).heap.end {
            return None;
        }
        let class = (*vm).known.arrays[Kind::Int as usize].0;
        let array = (*vm).heap.allocate(class, size)?;
        (*vm).heap.init_u32(array, LENGTH_OFFSET, len as u32);
        Some(array.0)
    }
}

/// Low and high half.
#[expect(clippy::cast_possible_truncation, reason = "split into halves")]
fn halves(wide: u64) -> (u32, u64) {
    (wide as u32, wide >> 32)
}

/// `z <- x * y`, of as many digits as both have.
fn multiply(x: &[u32], y: &[u32], z: &mut [u32]) {
    z.fill(0);
    for (i, &x) in x.iter().enumerate().rev() {
        let mut carry = 0;
        for (j, &y) in y.iter().enumerate().rev() {
            let at = &mut z[i + j + 1];
            (*at, carry) = halves(u64::from(x) * u64::from(y) + u64::from(*at) + carry);
        }
        z[i] = halves(carry).0;
    }
}

unsafe fn multiply_to_len(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid; the ranges are checked.
    unsafe {
        multiplied(
            vm,
            heap,
            args,
            *args as u32,
            *args.add(1),
            *args.add(2) as u32,
            *args.add(3),
            *args.add(4) as u32,
        )
    }
    .is_some()
}

unsafe fn square_to_len(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: as above.
    unsafe {
        let (x, len, z) = (*args as u32, *args.add(1), *args.add(2) as u32);
        if z == 0 || length(*args.add(3)) != length(len).map(|len| 2 * len) {
            return false;
        }
        multiplied(vm, heap, args, x, len, x, len, z).is_some()
    }
}

#[expect(clippy::too_many_arguments, reason = "the arguments of the Java method")]
unsafe fn multiplied(
    vm: *mut Vm,
    heap: *mut u8,
    args: *mut u64,
    x: u32,
    x_len: u64,
    y: u32,
    y_len: u64,
    z: u32,
) -> Option<()> {
    // SAFETY: references are valid; the ranges are checked.
    unsafe {
        let (x_len, y_len) = (length(x_len)?, length(y_len)?);
        let (x_digits, y_digits) = (digits(heap, x, 0, x_len)?, digits(heap, y, 0, y_len)?);
        let n_steps = x_len.checked_mul(y_len)?;
        if n_steps == 0 || n_steps > MOST_STEPS || z == x || z == y {
            return None;
        }
        let len = x_len + y_len;
        let z = if n_digits(heap, z) < len { new_digits(vm, len)? } else { z };
        log(vm, z, 0, len);
        multiply(x_digits, y_digits, digits_mut(heap, z, 0, len)?);
        (*vm).fuel -= i64::try_from(n_steps).unwrap_or(0);
        *args = u64::from(z);
        Some(())
    }
}

unsafe fn mul_add(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid; the ranges are checked.
    unsafe {
        let work = || {
            let (out, digits_in) = (*args as u32, *args.add(1) as u32);
            let (offset, len) = (length(*args.add(2))?, length(*args.add(3))?);
            let factor = *args.add(4) & 0xffff_ffff;
            // The offset counts digits from the least significant one.
            let end = n_digits(heap, out).checked_sub(offset)?;
            let start = end.checked_sub(len)?;
            let from = digits(heap, digits_in, 0, len)?;
            if out == digits_in {
                return None;
            }
            log(vm, out, start, len);
            let to = digits_mut(heap, out, start, len)?;
            let mut carry = 0;
            for (to, &from) in to.iter_mut().zip(from).rev() {
                (*to, carry) = halves(u64::from(from) * factor + u64::from(*to) + carry);
            }
            (*vm).fuel -= i64::try_from(len).unwrap_or(0);
            Some(carry)
        };
        let Some(carry) = work() else { return false };
        *args = carry;
        true
    }
}

unsafe fn mulsub(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: as above. The receiver comes first and plays no part.
    unsafe {
        let work = || {
            let (q, a) = (*args.add(1) as u32, *args.add(2) as u32);
            let factor = *args.add(3) & 0xffff_ffff;
            let (len, offset) = (length(*args.add(4))?, length(*args.add(5))?);
            let from = digits(heap, a, 0, len)?;
            // A null receiver throws.
            if q == a || *args as u32 == 0 {
                return None;
            }
            digits(heap, q, offset + 1, len)?;
            log(vm, q, offset + 1, len);
            let to = digits_mut(heap, q, offset + 1, len)?;
            let mut carry = 0;
            for (to, &from) in to.iter_mut().zip(from).rev() {
                let (low, high) = halves(u64::from(from) * factor + carry);
                let (difference, borrow) = to.overflowing_sub(low);
                *to = difference;
                carry = high + u64::from(borrow);
            }
            (*vm).fuel -= i64::try_from(len).unwrap_or(0);
            Some(carry)
        };
        let Some(carry) = work() else { return false };
        // The Java code gives the low half.
        *args = u64::from(halves(carry).0);
        true
    }
}

unsafe fn add(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: as above.
    unsafe {
        let work = || {
            let (mut x, mut y) = (*args as u32, *args.add(1) as u32);
            if n_digits(heap, x) < n_digits(heap, y) {
                (x, y) = (y, x);
            }
            let (x_len, y_len) = (n_digits(heap, x), n_digits(heap, y));
            let (x, y) = (digits(heap, x, 0, x_len)?, digits(heap, y, 0, y_len)?);
            if y.is_empty() {
                return None;
            }
            let mut carry = 0;
            let sum = |x: u32, y: u32, carry: u64| halves(u64::from(x) + u64::from(y) + carry);
            let y_at = |idx: usize| (idx + y_len).checked_sub(x_len).map_or(0, |idx| y[idx]);
            // The sum may have one digit more, which must be known before the array is made.
            for (idx, &x) in x.iter().enumerate().rev() {
                carry = sum(x, y_at(idx), carry).1;
            }
            let extra = usize::from(carry != 0);
            let z = new_digits(vm, x_len + extra)?;
            let to = digits_mut(heap, z, 0, x_len + extra)?;
            to[0] = 1;
            carry = 0;
            for (idx, &x) in x.iter().enumerate().rev() {
                (to[idx + extra], carry) = sum(x, y_at(idx), carry);
            }
            (*vm).fuel -= i64::try_from(x_len).unwrap_or(0);
            Some(z)
        };
        let Some(z) = work() else { return false };
        *args = u64::from(z);
        true
    }
}

unsafe fn subtract(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: as above.
    unsafe {
        let work = || {
            let (x, y) = (*args as u32, *args.add(1) as u32);
            let (x_len, y_len) = (n_digits(heap, x), n_digits(heap, y));
            let (x, y) = (digits(heap, x, 0, x_len)?, digits(heap, y, 0, y_len)?);
            if y.is_empty() || x_len < y_len {
                return None;
            }
            let z = new_digits(vm, x_len)?;
            let to = digits_mut(heap, z, 0, x_len)?;
            let mut borrow = false;
            for (idx, &x) in x.iter().enumerate().rev() {
                let y = (idx + y_len).checked_sub(x_len).map_or(0, |idx| y[idx]);
                let (difference, first) = x.overflowing_sub(y);
                let (difference, second) = difference.overflowing_sub(u32::from(borrow));
                to[idx] = difference;
                borrow = first || second;
            }
            (*vm).fuel -= i64::try_from(x_len).unwrap_or(0);
            Some(z)
        };
        let Some(z) = work() else { return false };
        *args = u64::from(z);
        true
    }
}

/// More digits of a modulus than this are left to the Java code.
const MOST_MODULUS: usize = 256;

/// `montReduce(int[] n, int[] mod, int mlen, int inv)`: `n` divided by a power of 2 to the 32, modulo `mod`.
unsafe fn montgomery_reduce(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid; the ranges are checked.
    unsafe {
        let work = || {
            let (n, modulus) = (*args as u32, *args.add(1) as u32);
            let (len, inverse) = (length(*args.add(2))?, *args.add(3) as u32);
            let n_len = n_digits(heap, n);
            let modulus = digits(heap, modulus, 0, len)?;
            if len == 0 || len > MOST_MODULUS || n_len != 2 * len || n == *args.add(1) as u32 {
                return None;
            }
            let mut sum = [0_u32; 2 * MOST_MODULUS];
            let sum = &mut sum[..n_len];
            sum.copy_from_slice(digits(heap, n, 0, n_len)?);
            let carry = reduce(sum, modulus, inverse)?;
            debug_assert_eq!(carry, 0);
            log(vm, n, 0, n_len);
            digits_mut(heap, n, 0, n_len)?.copy_from_slice(sum);
            (*vm).fuel -= i64::try_from(len * len).unwrap_or(0);
            Some(())
        };
        work().is_some()
    }
}

/// Adds multiples of the modulus until the lower half is zero, then takes the modulus off the upper half.
/// `None` where that would take long, which no modulus in use makes it.
fn reduce(sum: &mut [u32], modulus: &[u32], inverse: u32) -> Option<u32> {
    let (len, n_len) = (modulus.len(), sum.len());
    let mut carries = 0_u32;
    for offset in 0..len {
        let factor = u64::from(inverse.wrapping_mul(sum[n_len - 1 - offset]));
        let end = n_len - offset;
        let mut carry = 0;
        for (to, &from) in sum[end - len..end].iter_mut().zip(modulus).rev() {
            (*to, carry) = halves(u64::from(from) * factor + u64::from(*to) + carry);
        }
        for to in sum[..end - len].iter_mut().rev() {
            (*to, carry) = halves(u64::from(*to) + carry);
            if carry == 0 {
                break;
            }
        }
        carries += halves(carry).0;
    }
    for _ in 0..4 {
        if carries == 0 && sum[..len] < *modulus {
            return Some(carries);
        }
        let mut borrow = false;
        for (to, &from) in sum[..len].iter_mut().zip(modulus).rev() {
            let (difference, first) = to.overflowing_sub(from);
            let (difference, second) = difference.overflowing_sub(u32::from(borrow));
            *to = difference;
            borrow = first || second;
        }
        carries = carries.wrapping_sub(u32::from(borrow && carries > 0));
    }
    None
}

//! Loops of `java.util.Arrays` and what is behind it: filling, comparing, hashing.

use super::memory::{Word, primitive_at};
use super::{Row, word};
use crate::heap::{ELEMENTS_OFFSET, LENGTH_OFFSET};
use crate::vm::Vm;

const ARRAYS: &str = "java/util/Arrays";
const SUPPORT: &str = "jdk/internal/util/ArraysSupport";

pub(super) const READS: &[Row] = &[
    (SUPPORT, "vectorizedMismatch", "(Ljava/lang/Object;JLjava/lang/Object;JII)I", mismatch),
    (ARRAYS, "hashCode", "([B)I", hash_code::<i8>),
    (ARRAYS, "hashCode", "([C)I", hash_code::<u16>),
    (ARRAYS, "hashCode", "([S)I", hash_code::<i16>),
    (ARRAYS, "hashCode", "([I)I", hash_code::<u32>),
];

pub(super) const WRITES: &[Row] = &[
    (ARRAYS, "fill", "([BB)V", fill::<i8>),
    (ARRAYS, "fill", "([CC)V", fill::<u16>),
    (ARRAYS, "fill", "([SS)V", fill::<i16>),
    (ARRAYS, "fill", "([II)V", fill::<u32>),
    (ARRAYS, "fill", "([JJ)V", fill::<u64>),
    (ARRAYS, "fill", "([FF)V", fill::<u32>),
    (ARRAYS, "fill", "([DD)V", fill::<u64>),
    (ARRAYS, "fill", "([BIIB)V", fill_range::<i8>),
    (ARRAYS, "fill", "([CIIC)V", fill_range::<u16>),
    (ARRAYS, "fill", "([IIII)V", fill_range::<u32>),
    (ARRAYS, "fill", "([JIIJ)V", fill_range::<u64>),
];

#[expect(clippy::cast_possible_wrap, reason = "lengths of arrays")]
unsafe fn burn(vm: *mut Vm, n_steps: usize) {
    // SAFETY: the machine is valid.
    unsafe { (*vm).fuel -= n_steps as i64 }
}

/// `vectorizedMismatch(Object a, long aOffset, Object b, long bOffset, int length, int log2ArrayIndexScale)`: the
/// index of the first element that differs, or the complement of how many elements at the end are left.
unsafe fn mismatch(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; the ranges are checked.
    unsafe {
        let (length, scale) = (*args.add(6) as u32, *args.add(7) as u32);
        if length > i32::MAX as u32 || scale > 3 {
            return false;
        }
        let (len, n_bytes) = (length as usize, (length as usize) << scale);
        let place = |base: usize| {
            primitive_at(vm, heap, *args.add(base) as u32, *args.add(base + 1), n_bytes)
        };
        let (Some(a), Some(b)) = (place(0), place(3)) else { return false };
        // Words of eight bytes, then for small elements one of four; the rest is the caller's.
        let mut n_compared = n_bytes & !7;
        if scale < 2 && n_bytes - n_compared >= 4 {
            n_compared += 4;
        }
        let a = std::slice::from_raw_parts(heap.add(a), n_compared);
        let b = std::slice::from_raw_parts(heap.add(b), n_compared);
        burn(vm, n_compared / 8);
        let found = if a == b { None } else { a.iter().zip(b).position(|(a, b)| a != b) };
        *args = match found {
            Some(at) => (at >> scale) as u64,
            None => u64::from(!u32::try_from(len - (n_compared >> scale)).unwrap_or(0)),
        };
    }
    true
}

/// The elements from `from` to `to` as an address; `None` where they are not all there.
unsafe fn elements<T: Word>(
    heap: *mut u8,
    array: u32,
    from: u32,
    to: u32,
) -> Option<(usize, usize)> {
    // SAFETY: a reference that is not null is valid.
    unsafe {
        if array == 0 || from > to || to > word!(heap, array, LENGTH_OFFSET, u32) {
            return None;
        }
        let start = ((array as usize) << 3) + ELEMENTS_OFFSET as usize;
        Some((start + from as usize * T::SIZE, (to - from) as usize))
    }
}

unsafe fn array_len(heap: *mut u8, array: u32) -> u32 {
    // SAFETY: a reference that is not null is valid.
    if array == 0 { 0 } else { unsafe { word!(heap, array, LENGTH_OFFSET, u32) } }
}

#[expect(clippy::cast_possible_truncation, reason = "elements of 32 bits at most")]
unsafe fn hash_code<T: Word>(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; the range is checked.
    unsafe {
        let array = *args as u32;
        let Some((at, len)) = elements::<T>(heap, array, 0, array_len(heap, array)) else {
            return false;
        };
        let start = heap.add(at).cast::<T>();
        let mut hash = 1_u32;
        for idx in 0..len {
            let element = start.add(idx).read_unaligned().to_slot() as u32;
            hash = hash.wrapping_mul(31).wrapping_add(element);
        }
        burn(vm, len);
        *args = u64::from(hash);
    }
    true
}

unsafe fn fill_elements<T: Word>(vm: *mut Vm, heap: *mut u8, place: (usize, usize), value: u64) {
    // SAFETY: the place is checked.
    unsafe {
        let (at, len) = place;
        (*vm).heap.before_bulk_write(at, len * T::SIZE);
        let (start, value) = (heap.add(at).cast::<T>(), T::of_slot(value));
        for idx in 0..len {
            start.add(idx).write_unaligned(value);
        }
        burn(vm, len / 4);
    }
}

unsafe fn fill<T: Word>(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; the range is checked.
    unsafe {
        let array = *args as u32;
        let Some(place) = elements::<T>(heap, array, 0, array_len(heap, array)) else {
            return false;
        };
        fill_elements::<T>(vm, heap, place, *args.add(1));
    }
    true
}

unsafe fn fill_range<T: Word>(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; the range is checked.
    unsafe {
        let place = elements::<T>(heap, *args as u32, *args.add(1) as u32, *args.add(2) as u32);
        let Some(place) = place else { return false };
        fill_elements::<T>(vm, heap, place, *args.add(3));
    }
    true
}

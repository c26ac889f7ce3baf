//! Array copies and comparisons.

use super::{Row, word};
use crate::heap::{ELEMENTS_OFFSET, LENGTH_OFFSET};
use crate::value::{Kind, Ref};
use crate::vm::Vm;

pub(super) const ROWS: &[Row] = &[
    ("java/lang/System", "arraycopy", "(Ljava/lang/Object;ILjava/lang/Object;II)V", arraycopy),
    ("java/util/Arrays", "copyOf", "([BI)[B", copy_of_bytes),
    ("java/util/Arrays", "copyOfRange", "([BII)[B", copy_of_range_bytes),
];

/// The kind of an array class's elements if arrays of it copy without element checks: primitives,
/// and `Object[]`.
unsafe fn plain_kind(vm: *mut Vm, class: u32) -> Option<Kind> {
    // SAFETY: the machine is valid.
    unsafe {
        let idx = (*vm).known.arrays.iter().position(|id| id.0 == class)?;
        Some(
            [
                Kind::Boolean,
                Kind::Byte,
                Kind::Char,
                Kind::Short,
                Kind::Int,
                Kind::Long,
                Kind::Float,
                Kind::Double,
                Kind::Ref,
            ][idx],
        )
    }
}

unsafe fn arraycopy(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid; the ranges are checked.
    unsafe {
        let (from, from_idx) = (*args as u32, *args.add(1) as u32);
        let (to, to_idx, len) = (*args.add(2) as u32, *args.add(3) as u32, *args.add(4) as u32);
        if from == 0 || to == 0 || (from_idx | to_idx | len) as i32 <= -1 {
            return false;
        }
        let class = word!(heap, from, 0, u32);
        if class != word!(heap, to, 0, u32) {
            return false;
        }
        let Some(kind) = plain_kind(vm, class) else {
            return false;
        };
        if from_idx as usize + len as usize > word!(heap, from, LENGTH_OFFSET, u32) as usize
            || to_idx as usize + len as usize > word!(heap, to, LENGTH_OFFSET, u32) as usize
        {
            return false;
        }
        let size = kind.size() as usize;
        let source = ((from as usize) << 3) + ELEMENTS_OFFSET as usize + from_idx as usize * size;
        let target = ((to as usize) << 3) + ELEMENTS_OFFSET as usize + to_idx as usize * size;
        let n_bytes = len as usize * size;
        if kind == Kind::Ref {
            if target < (*vm).heap.ref_limit {
                // Old arrays of references are the native's business: marks and the collector want to know.
                return false;
            }
        } else {
            (*vm).heap.before_bulk_write(target, n_bytes);
        }
        std::ptr::copy(heap.add(source), heap.add(target), n_bytes);
        true
    }
}

unsafe fn copy_of_bytes(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid.
    unsafe {
        let (array, length) = (*args as u32, *args.add(1) as u32);
        if array == 0 || (length as i32) < 0 {
            return false;
        }
        let len = word!(heap, array, LENGTH_OFFSET, u32).min(length);
        copy_range(vm, heap, args, array, 0, len, length)
    }
}

unsafe fn copy_of_range_bytes(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid.
    unsafe {
        let (array, from, to) = (*args as u32, *args.add(1) as u32, *args.add(2) as u32);
        if array == 0 || (from as i32) < 0 || (to as i32) < (from as i32) {
            return false;
        }
        let available = word!(heap, array, LENGTH_OFFSET, u32);
        if from > available {
            return false;
        }
        copy_range(vm, heap, args, array, from, (available - from).min(to - from), to - from)
    }
}

/// A new `byte[]`, all zero; `None` when memory is short.
pub(super) unsafe fn new_bytes(vm: *mut Vm, length: u32) -> Option<Ref> {
    // SAFETY: the machine is valid.
    unsafe {
        let size = (ELEMENTS_OFFSET as usize + length as usize).next_multiple_of(8);
        if (*vm).heap.top + size > (*vm).heap.end {
            return None;
        }
        let class = (*vm).known.arrays[Kind::Byte as usize].0;
        let array = (*vm).heap.allocate(class, size)?;
        (*vm).heap.init_u32(array, LENGTH_OFFSET, length);
        Some(array)
    }
}

/// A new `byte[]` of `length` with `len` bytes copied; declines when memory is short.
unsafe fn copy_range(
    vm: *mut Vm,
    heap: *mut u8,
    args: *mut u64,
    array: u32,
    from: u32,
    len: u32,
    length: u32,
) -> bool {
    // SAFETY: the caller checked that `len` bytes from `from` lie in the array.
    unsafe {
        let Some(copy) = new_bytes(vm, length) else { return false };
        let start = ((array as usize) << 3) + (ELEMENTS_OFFSET + from) as usize;
        std::ptr::copy_nonoverlapping(
            heap.add(start),
            heap.add(copy.byte_offset() + ELEMENTS_OFFSET as usize),
            len as usize,
        );
        *args = copy.to_slot();
        true
    }
}

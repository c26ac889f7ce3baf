//! Boxed integers, and the two calls that most collections are made of.

use super::{Row, word};
use crate::heap::{ELEMENTS_OFFSET, LENGTH_OFFSET};
use crate::value::{Kind, LoaderId, Ref};
use crate::vm::Vm;

pub(super) const ROWS: &[Row] = &[
    ("java/lang/Integer", "valueOf", "(I)Ljava/lang/Integer;", value_of),
    ("java/lang/Integer", "hashCode", "()I", int_value),
    ("java/lang/Integer", "equals", "(Ljava/lang/Object;)Z", equals),
    ("java/lang/Integer", "compareTo", "(Ljava/lang/Integer;)I", compare),
    ("java/lang/Integer", "compareTo", "(Ljava/lang/Object;)I", compare),
    ("java/util/ArrayList", "get", "(I)Ljava/lang/Object;", list_get),
    ("java/util/HashMap", "hash", "(Ljava/lang/Object;)I", spread_hash),
];

/// Where the fields lie that are read here; the same for all machines of a JDK.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Offsets {
    /// `Integer.value`.
    value: u32,
    /// The mirror of `Integer.IntegerCache`, and its static fields `high` and `cache`.
    cache: Ref,
    cache_high: u32,
    cache_array: u32,
    /// `ArrayList.size` and `ArrayList.elementData`.
    list_size: u32,
    list_elements: u32,
}

#[inline(always)]
unsafe fn offsets(vm: *mut Vm) -> Option<Offsets> {
    // SAFETY: the machine is valid.
    unsafe {
        match (*vm).run.offsets {
            Some(offsets) => Some(offsets),
            None => find(&mut *vm),
        }
    }
}

#[cold]
#[inline(never)]
fn find(vm: &mut Vm) -> Option<Offsets> {
    let integer = vm.known.boxes[Kind::Int as usize];
    let cache = vm.find_loaded_class(LoaderId::BOOT, b"java/lang/Integer$IntegerCache")?;
    let list = vm.find_loaded_class(LoaderId::BOOT, b"java/util/ArrayList")?;
    // What is not there for good may come back elsewhere.
    if vm.classes[cache.idx()].initialised_at != Some(0) || vm.classes[list.idx()].made_at > 0 {
        return None;
    }
    let offsets = Offsets {
        value: vm.try_field_offset(integer, "value", "I")?,
        cache: vm.mirror(cache),
        cache_high: vm.try_field_offset(cache, "high", "I")?,
        cache_array: vm.try_field_offset(cache, "cache", "[Ljava/lang/Integer;")?,
        list_size: vm.try_field_offset(list, "size", "I")?,
        list_elements: vm.try_field_offset(list, "elementData", "[Ljava/lang/Object;")?,
    };
    vm.run.offsets = Some(offsets);
    Some(offsets)
}

unsafe fn value_of(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid; the index is checked.
    unsafe {
        let Some(offsets) = offsets(vm) else { return false };
        let value = *args as u32 as i32;
        if -128 <= value && value <= word!(heap, offsets.cache.0, offsets.cache_high, i32) {
            let array = word!(heap, offsets.cache.0, offsets.cache_array, u32);
            let idx = (value + 128).cast_unsigned();
            if array == 0 || idx >= word!(heap, array, LENGTH_OFFSET, u32) {
                return false;
            }
            *args = u64::from(word!(heap, array, ELEMENTS_OFFSET + idx * 4, u32));
            return true;
        }
        let class = (*vm).known.boxes[Kind::Int as usize];
        let size = (&(*vm).classes)[class.idx()].class.instance_size as usize;
        if (*vm).heap.top + size > (*vm).heap.end {
            return false;
        }
        let Some(object) = (*vm).heap.allocate(class.0, size) else { return false };
        (*vm).heap.init_u32(object, offsets.value, value.cast_unsigned());
        *args = object.to_slot();
    }
    true
}

/// The number in an `Integer`; `None` for null and other objects.
#[inline(always)]
unsafe fn number(vm: *mut Vm, heap: *mut u8, object: u32, offsets: Offsets) -> Option<i32> {
    // SAFETY: a reference that is not null is valid.
    unsafe {
        let is_integer =
            object != 0 && word!(heap, object, 0, u32) == (*vm).known.boxes[Kind::Int as usize].0;
        is_integer.then(|| word!(heap, object, offsets.value, i32))
    }
}

unsafe fn int_value(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers.
    unsafe {
        let Some(offsets) = offsets(vm) else { return false };
        let Some(value) = number(vm, heap, *args as u32, offsets) else { return false };
        *args = u64::from(value.cast_unsigned());
    }
    true
}

unsafe fn equals(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers.
    unsafe {
        let Some(offsets) = offsets(vm) else { return false };
        let Some(own) = number(vm, heap, *args as u32, offsets) else { return false };
        *args = u64::from(number(vm, heap, *args.add(1) as u32, offsets) == Some(own));
    }
    true
}

unsafe fn compare(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers.
    unsafe {
        let Some(offsets) = offsets(vm) else { return false };
        let numbers = (
            number(vm, heap, *args as u32, offsets),
            number(vm, heap, *args.add(1) as u32, offsets),
        );
        let (Some(a), Some(b)) = numbers else { return false };
        *args = u64::from((a.cmp(&b) as i32).cast_unsigned());
    }
    true
}

unsafe fn list_get(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; the receiver is a list or null; the index is checked.
    unsafe {
        let (list, idx) = (*args as u32, *args.add(1) as u32);
        let Some(offsets) = offsets(vm) else { return false };
        // The size is never negative, a negative index is large.
        if list == 0 || idx >= word!(heap, list, offsets.list_size, u32) {
            return false;
        }
        let array = word!(heap, list, offsets.list_elements, u32);
        if array == 0 || idx >= word!(heap, array, LENGTH_OFFSET, u32) {
            return false;
        }
        *args = u64::from(word!(heap, array, ELEMENTS_OFFSET + idx * 4, u32));
    }
    true
}

/// The hash of a string that knows it, or of an `Integer`.
unsafe fn spread_hash(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid.
    unsafe {
        let key = *args as u32;
        let hash = if key == 0 {
            0
        } else if word!(heap, key, 0, u32) == (*vm).known.string.0 {
            match word!(heap, key, (*vm).known.string_hash, u32) {
                0 => return false,
                hash => hash,
            }
        } else {
            let Some(offsets) = offsets(vm) else { return false };
            let Some(value) = number(vm, heap, key, offsets) else { return false };
            value.cast_unsigned()
        };
        *args = u64::from(hash ^ hash >> 16);
    }
    true
}

//! Strings: the compact strings of the JDK, Latin-1 (coder 0) or UTF-16 (coder 1).

use super::{Row, word};
use crate::heap::{ELEMENTS_OFFSET, LENGTH_OFFSET};
use crate::vm::Vm;

pub(super) const ROWS: &[Row] = &[
    ("java/lang/String", "length", "()I", length),
    ("java/lang/String", "isEmpty", "()Z", is_empty),
    ("java/lang/String", "charAt", "(I)C", char_at),
    ("java/lang/String", "coder", "()B", coder),
    ("java/lang/String", "isLatin1", "()Z", is_latin1),
    ("java/lang/String", "value", "()[B", value),
    ("java/lang/String", "hashCode", "()I", hash_code),
    ("java/lang/String", "equals", "(Ljava/lang/Object;)Z", equals),
    ("java/lang/String", "compareTo", "(Ljava/lang/String;)I", compare),
    ("java/lang/StringLatin1", "hashCode", "([B)I", latin1_hash_code),
    ("java/lang/StringLatin1", "equals", "([B[B)Z", bytes_equal),
    ("java/lang/StringUTF16", "equals", "([B[B)Z", bytes_equal),
    ("java/lang/StringLatin1", "charAt", "([BI)C", latin1_char_at),
    ("java/lang/StringLatin1", "canEncode", "(I)Z", can_encode),
    ("java/lang/StringUTF16", "getChar", "([BI)C", utf16_get_char),
    ("java/lang/StringLatin1", "inflate", "([BI[BII)V", inflate),
    ("java/lang/StringLatin1", "compareTo", "([B[B)I", latin1_compare),
    ("java/lang/StringLatin1", "indexOf", "([BII)I", latin1_index_of),
    ("java/lang/StringLatin1", "indexOfChar", "([BIII)I", latin1_index_of_char),
];

/// The bytes of a `byte[]`.
unsafe fn bytes<'a>(heap: *mut u8, array: u32) -> &'a [u8] {
    // SAFETY: the caller passes a non-null byte array.
    unsafe {
        let length = word!(heap, array, LENGTH_OFFSET, u32) as usize;
        let start = heap.add(((array as usize) << 3) + ELEMENTS_OFFSET as usize);
        std::slice::from_raw_parts(start, length)
    }
}

/// The value array and the coder of a non-null string.
#[inline(always)]
unsafe fn parts(vm: *mut Vm, heap: *mut u8, string: u32) -> (u32, u8) {
    // SAFETY: the caller passes a non-null string.
    unsafe {
        (
            word!(heap, string, (*vm).known.string_value, u32),
            word!(heap, string, (*vm).known.string_coder, u8),
        )
    }
}

/// The letters of a Latin-1 string; `None` for null and other strings.
pub(super) unsafe fn latin1<'a>(vm: *mut Vm, heap: *mut u8, string: u32) -> Option<&'a [u8]> {
    if string == 0 {
        return None;
    }
    // SAFETY: the caller passes a string.
    unsafe {
        let (value, coder) = parts(vm, heap, string);
        (coder == 0 && value != 0).then(|| bytes(heap, value))
    }
}

unsafe fn length(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid.
    unsafe {
        let string = *args as u32;
        if string == 0 {
            return false;
        }
        let (value, coder) = parts(vm, heap, string);
        if value == 0 {
            return false;
        }
        *args = u64::from(word!(heap, value, LENGTH_OFFSET, u32) >> coder);
        true
    }
}

unsafe fn is_empty(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid.
    unsafe {
        if !length(vm, heap, args) {
            return false;
        }
        *args = u64::from(*args == 0);
        true
    }
}

unsafe fn char_at(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid; the index is checked.
    unsafe {
        let (string, idx) = (*args as u32, *args.add(1) as u32);
        if string == 0 {
            return false;
        }
        let (value, coder) = parts(vm, heap, string);
        if value == 0 || idx >= word!(heap, value, LENGTH_OFFSET, u32) >> coder {
            return false;
        }
        *args = if coder == 0 {
            u64::from(word!(heap, value, ELEMENTS_OFFSET + idx, u8))
        } else {
            u64::from(word!(heap, value, ELEMENTS_OFFSET + idx * 2, u16))
        };
        true
    }
}

unsafe fn coder(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid.
    unsafe {
        let string = *args as u32;
        if string == 0 {
            return false;
        }
        *args = u64::from(parts(vm, heap, string).1);
        true
    }
}

unsafe fn is_latin1(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid.
    unsafe {
        let string = *args as u32;
        if string == 0 {
            return false;
        }
        *args = u64::from(parts(vm, heap, string).1 == 0);
        true
    }
}

unsafe fn value(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid.
    unsafe {
        let string = *args as u32;
        if string == 0 {
            return false;
        }
        *args = u64::from(parts(vm, heap, string).0);
        true
    }
}

fn latin1_hash(bytes: &[u8]) -> u32 {
    let mut hash = 0_u32;
    let mut chunks = bytes.chunks_exact(4);
    for chunk in &mut chunks {
        hash = hash
            .wrapping_mul(923_521)
            .wrapping_add(u32::from(chunk[0]) * 29_791)
            .wrapping_add(u32::from(chunk[1]) * 961)
            .wrapping_add(u32::from(chunk[2]) * 31)
            .wrapping_add(u32::from(chunk[3]));
    }
    for &byte in chunks.remainder() {
        hash = hash.wrapping_mul(31).wrapping_add(u32::from(byte));
    }
    hash
}

unsafe fn hash_code(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid. The caches are written as the Java code does.
    unsafe {
        let string = *args as u32;
        if string == 0 {
            return false;
        }
        let known = &(*vm).known;
        let cached = word!(heap, string, known.string_hash, u32);
        if cached != 0 {
            *args = u64::from(cached);
            return true;
        }
        if word!(heap, string, known.string_hash_is_zero, u8) != 0 {
            *args = 0;
            return true;
        }
        let (value, coder) = parts(vm, heap, string);
        if value == 0 {
            return false;
        }
        let bytes = bytes(heap, value);
        let hash = if coder == 0 {
            latin1_hash(bytes)
        } else {
            bytes.chunks_exact(2).fold(0_u32, |hash, unit| {
                hash.wrapping_mul(31)
                    .wrapping_add(u32::from(u16::from_le_bytes([unit[0], unit[1]])))
            })
        };
        let string = crate::value::Ref(string);
        if hash == 0 {
            let offset = (*vm).known.string_hash_is_zero;
            (*vm).heap.store_u8(string, offset, 1);
        } else {
            let offset = (*vm).known.string_hash;
            (*vm).heap.store_u32(string, offset, hash);
        }
        *args = u64::from(hash);
        true
    }
}

unsafe fn equals(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid.
    unsafe {
        let (a, b) = (*args as u32, *args.add(1) as u32);
        if a == 0 {
            return false;
        }
        if a == b {
            *args = 1;
            return true;
        }
        if b == 0 || word!(heap, b, 0, u32) != (*vm).known.string.0 {
            *args = 0;
            return true;
        }
        let ((value_a, coder_a), (value_b, coder_b)) = (parts(vm, heap, a), parts(vm, heap, b));
        if value_a == 0 || value_b == 0 {
            return false;
        }
        *args = u64::from(coder_a == coder_b && bytes(heap, value_a) == bytes(heap, value_b));
        true
    }
}

unsafe fn latin1_hash_code(_: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid.
    unsafe {
        let value = *args as u32;
        if value == 0 {
            return false;
        }
        *args = u64::from(latin1_hash(bytes(heap, value)));
        true
    }
}

unsafe fn bytes_equal(_: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid.
    unsafe {
        let (a, b) = (*args as u32, *args.add(1) as u32);
        if a == 0 || b == 0 {
            return false;
        }
        *args = u64::from(bytes(heap, a) == bytes(heap, b));
        true
    }
}

unsafe fn latin1_char_at(_: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid; the index is checked.
    unsafe {
        let (value, idx) = (*args as u32, *args.add(1) as u32);
        if value == 0 || idx >= word!(heap, value, LENGTH_OFFSET, u32) {
            return false;
        }
        *args = u64::from(word!(heap, value, ELEMENTS_OFFSET + idx, u8));
        true
    }
}

unsafe fn can_encode(_: *mut Vm, _: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers.
    unsafe {
        *args = u64::from(*args as u32 >> 8 == 0);
        true
    }
}

unsafe fn utf16_get_char(_: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid; the index is checked.
    unsafe {
        let (value, idx) = (*args as u32, *args.add(1) as u32);
        if value == 0 || idx >= word!(heap, value, LENGTH_OFFSET, u32) >> 1 {
            return false;
        }
        *args = u64::from(word!(heap, value, ELEMENTS_OFFSET + idx * 2, u16));
        true
    }
}

unsafe fn inflate(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid; the ranges are checked.
    unsafe {
        let (from, from_idx, to) = (*args as u32, *args.add(1) as u32, *args.add(2) as u32);
        let (to_idx, len) = (*args.add(3) as u32, *args.add(4) as u32);
        if from == 0 || to == 0 || len as i32 <= 0 || from == to {
            return false;
        }
        let (from_length, to_length) = (bytes(heap, from).len(), bytes(heap, to).len() / 2);
        if from_idx as usize + len as usize > from_length
            || to_idx as usize + len as usize > to_length
        {
            return false;
        }
        let start = ((to as usize) << 3) + ELEMENTS_OFFSET as usize + to_idx as usize * 2;
        (*vm).heap.before_bulk_write(start, len as usize * 2);
        let source = &bytes(heap, from)[from_idx as usize..][..len as usize];
        let target = heap.add(start).cast::<u16>();
        for (idx, &byte) in source.iter().enumerate() {
            target.add(idx).write_unaligned(u16::from(byte));
        }
        true
    }
}

/// `compareTo` of two strings in Latin-1.
unsafe fn compare(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid.
    unsafe {
        let (a, b) = (*args as u32, *args.add(1) as u32);
        if a == 0 || b == 0 {
            return false;
        }
        let ((a, a_coder), (b, b_coder)) = (parts(vm, heap, a), parts(vm, heap, b));
        if a == 0 || b == 0 || a_coder | b_coder != 0 {
            return false;
        }
        *args = compared(heap, a, b);
    }
    true
}

unsafe fn latin1_compare(_: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid.
    unsafe {
        let (a, b) = (*args as u32, *args.add(1) as u32);
        if a == 0 || b == 0 {
            return false;
        }
        *args = compared(heap, a, b);
    }
    true
}

/// How two byte arrays compare, as a register holds it.
unsafe fn compared(heap: *mut u8, a: u32, b: u32) -> u64 {
    // SAFETY: the arrays are not null.
    unsafe {
        let (a, b) = (bytes(heap, a), bytes(heap, b));
        let difference = match a.iter().zip(b).find(|(a, b)| a != b) {
            Some((&a, &b)) => i32::from(a) - i32::from(b),
            None => a.len() as i32 - b.len() as i32,
        };
        u64::from(difference as u32)
    }
}

/// `indexOf(byte[] value, int ch, int fromIndex)` of JDK 17; its range check is part of it.
unsafe fn latin1_index_of(_: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid.
    unsafe {
        let (value, ch, from) = (*args as u32, *args.add(1) as u32, *args.add(2) as u32 as i32);
        if value == 0 {
            return false;
        }
        let bytes = bytes(heap, value);
        let from = (from.max(0) as usize).min(bytes.len());
        *args = index_of(bytes, ch, from, bytes.len());
        true
    }
}

/// `indexOfChar(byte[] value, int ch, int fromIndex, int max)`.
unsafe fn latin1_index_of_char(_: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid.
    unsafe {
        let (value, ch) = (*args as u32, *args.add(1) as u32);
        let (from, to) = (*args.add(2) as u32 as i32, *args.add(3) as u32 as i32);
        if value == 0 || from < 0 || to < from || to as usize > bytes(heap, value).len() {
            return false;
        }
        *args = index_of(bytes(heap, value), ch, from as usize, to as usize);
        true
    }
}

fn index_of(bytes: &[u8], ch: u32, from: usize, to: usize) -> u64 {
    let found = u8::try_from(ch).ok().and_then(|ch| bytes[from..to].iter().position(|&b| b == ch));
    match found {
        Some(idx) => (from + idx) as u64,
        None => u64::from(u32::MAX),
    }
}

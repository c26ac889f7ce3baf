//! Encodings of text and bytes: Base64 (RFC 4648), and what the charsets do again and again.

use super::{Row, word};
use crate::heap::{ELEMENTS_OFFSET, LENGTH_OFFSET};
use crate::vm::Vm;

pub(super) const READS: &[Row] = &[
    ("java/lang/StringCoding", "hasNegatives", "([BII)Z", has_negatives),
    ("java/lang/StringCoding", "countPositives", "([BII)I", count_positives),
    ("java/lang/StringLatin1", "indexOf", "([BI[BII)I", latin1_index_of_string),
    ("java/lang/StringLatin1", "lastIndexOf", "([BII)I", latin1_last_index_of),
];

pub(super) const WRITES: &[Row] = &[
    ("java/util/Base64$Encoder", "encodeBlock", "([BII[BIZ)V", encode_block),
    ("java/util/Base64$Decoder", "decodeBlock", "([BII[BIZZ)I", decode_block),
    ("java/lang/StringLatin1", "inflate", "([BI[CII)V", inflate),
];

/// Characters that do not fit give no result at all.
pub(super) const WRITES_17: &[Row] = &[
    ("java/lang/StringUTF16", "compress", "([CI[BII)I", compress::<false>),
    ("java/lang/StringUTF16", "compress", "([BI[BII)I", compress::<false>),
];

/// The result says how many characters fit.
pub(super) const WRITES_25: &[Row] = &[
    ("java/lang/StringUTF16", "compress", "([CI[BII)I", compress::<true>),
    ("java/lang/StringUTF16", "compress", "([BI[BII)I", compress::<true>),
];

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const fn alphabet(is_url: bool) -> [u8; 64] {
    let mut all = *ALPHABET;
    if is_url {
        all[62] = b'-';
        all[63] = b'_';
    }
    all
}

/// Values by character; 0xff for what is none.
const fn values(alphabet: &[u8; 64]) -> [u8; 256] {
    let mut values = [0xff; 256];
    let mut idx = 0;
    while idx < 64 {
        #[expect(clippy::cast_possible_truncation, reason = "below 64")]
        {
            values[alphabet[idx] as usize] = idx as u8;
        }
        idx += 1;
    }
    values
}

static ENCODE: [[u8; 64]; 2] = [alphabet(false), alphabet(true)];
static DECODE: [[u8; 256]; 2] = [values(&alphabet(false)), values(&alphabet(true))];

/// Byte offset in the heap of the elements from `from` to `to` of an array, and their number.
pub(super) unsafe fn span(
    heap: *mut u8,
    array: u32,
    from: u32,
    to: u32,
    size: usize,
) -> Option<(usize, usize)> {
    // SAFETY: a reference that is not null is valid.
    unsafe {
        if array == 0 || from > to || to > word!(heap, array, LENGTH_OFFSET, u32) / size as u32 {
            return None;
        }
        let start = ((array as usize) << 3) + ELEMENTS_OFFSET as usize;
        Some((start + from as usize * size, (to - from) as usize))
    }
}

/// The elements of a `byte[]` from `from` on, `len` of them.
pub(super) unsafe fn bytes<'a>(heap: *mut u8, array: u32, from: u32, len: u32) -> Option<&'a [u8]> {
    // SAFETY: the range is checked; nothing writes while the slice is used.
    unsafe {
        let (at, len) = span(heap, array, from, from.checked_add(len)?, 1)?;
        Some(std::slice::from_raw_parts(heap.add(at), len))
    }
}

#[expect(clippy::cast_possible_wrap, reason = "lengths of arrays")]
pub(super) unsafe fn burn(vm: *mut Vm, n_steps: usize) {
    // SAFETY: the machine is valid.
    unsafe { (*vm).fuel -= n_steps as i64 }
}

/// `encodeBlock(byte[] src, int sp, int sl, byte[] dst, int dp, boolean isURL)`: whole groups of three.
unsafe fn encode_block(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; the ranges are checked, and the arrays are different ones.
    unsafe {
        let (from, to) = (*args.add(1) as u32, *args.add(4) as u32);
        let (start, end) = (*args.add(2) as u32, *args.add(3) as u32);
        let work = || {
            let source = bytes(heap, from, start, end.checked_sub(start)?)?;
            let len = source.len();
            let (target, room) = span(heap, to, *args.add(5) as u32, array_len(heap, to)?, 1)?;
            let n_bytes = len / 3 * 4;
            (len.is_multiple_of(3) && n_bytes <= room && from != to && *args as u32 != 0)
                .then_some((source, target, n_bytes))
        };
        let Some((source, target, n_bytes)) = work() else { return false };
        let alphabet = &ENCODE[usize::from(*args.add(6) as u32 != 0)];
        (*vm).heap.before_bulk_write(target, n_bytes);
        let target = std::slice::from_raw_parts_mut(heap.add(target), n_bytes);
        for (three, four) in source.chunks_exact(3).zip(target.chunks_exact_mut(4)) {
            let bits = u32::from_be_bytes([0, three[0], three[1], three[2]]);
            for (idx, byte) in four.iter_mut().enumerate() {
                *byte = alphabet[(bits >> (18 - 6 * idx)) as usize & 0x3f];
            }
        }
        burn(vm, n_bytes);
    }
    true
}

unsafe fn array_len(heap: *mut u8, array: u32) -> Option<u32> {
    // SAFETY: a reference that is not null is valid.
    unsafe { (array != 0).then(|| word!(heap, array, LENGTH_OFFSET, u32)) }
}

/// `decodeBlock(byte[] src, int sp, int sl, byte[] dst, int dp, boolean isURL, boolean isMIME)`: groups of four
/// until one holds something else; gives the number of bytes.
unsafe fn decode_block(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: as above.
    unsafe {
        let (from, to) = (*args.add(1) as u32, *args.add(4) as u32);
        let (start, end) = (*args.add(2) as u32, *args.add(3) as u32);
        let work = || {
            let source = bytes(heap, from, start, end.checked_sub(start)?)?;
            let len = source.len();
            let (target, room) = span(heap, to, *args.add(5) as u32, array_len(heap, to)?, 1)?;
            let n_bytes = len / 4 * 3;
            (n_bytes <= room && from != to && *args as u32 != 0)
                .then_some((source, target, n_bytes))
        };
        let Some((source, target, n_bytes)) = work() else { return false };
        let values = &DECODE[usize::from(*args.add(6) as u32 != 0)];
        (*vm).heap.before_bulk_write(target, n_bytes);
        let target = std::slice::from_raw_parts_mut(heap.add(target), n_bytes);
        let mut n_written = 0;
        for (four, three) in source.chunks_exact(4).zip(target.chunks_exact_mut(3)) {
            let [a, b, c, d] = [0, 1, 2, 3].map(|idx| values[four[idx] as usize]);
            if a | b | c | d > 63 {
                break;
            }
            let bits = u32::from(a) << 18 | u32::from(b) << 12 | u32::from(c) << 6 | u32::from(d);
            three.copy_from_slice(&bits.to_be_bytes()[1..]);
            n_written += 3;
        }
        burn(vm, n_written);
        *args = n_written as u64;
    }
    true
}

unsafe fn has_negatives(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; the range is checked.
    unsafe {
        let Some(bytes) = bytes(heap, *args as u32, *args.add(1) as u32, *args.add(2) as u32)
        else {
            return false;
        };
        burn(vm, bytes.len() / 8);
        *args = u64::from(!bytes.is_ascii());
    }
    true
}

unsafe fn count_positives(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: as above.
    unsafe {
        let Some(bytes) = bytes(heap, *args as u32, *args.add(1) as u32, *args.add(2) as u32)
        else {
            return false;
        };
        burn(vm, bytes.len() / 8);
        let n_positive = if bytes.is_ascii() {
            bytes.len()
        } else {
            bytes.iter().take_while(|byte| byte.is_ascii()).count()
        };
        *args = n_positive as u64;
    }
    true
}

/// `indexOf(byte[] value, int valueCount, byte[] str, int strCount, int fromIndex)`.
unsafe fn latin1_index_of_string(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: as above.
    unsafe {
        let work = || {
            let text = bytes(heap, *args as u32, 0, *args.add(1) as u32)?;
            let wanted = bytes(heap, *args.add(2) as u32, 0, *args.add(3) as u32)?;
            let from = *args.add(4) as u32 as usize;
            let (&first, rest) = wanted.split_first()?;
            let last = text.len().checked_sub(wanted.len())?;
            if from > last {
                return None;
            }
            let mut at = from;
            while let Some(found) = text[at..=last].iter().position(|&byte| byte == first) {
                at += found;
                if &text[at + 1..at + wanted.len()] == rest {
                    return Some((at as u64, at - from));
                }
                at += 1;
                if at > last {
                    break;
                }
            }
            Some((u64::from(u32::MAX), last - from))
        };
        let Some((found, n_steps)) = work() else { return false };
        burn(vm, n_steps / 4);
        *args = found;
    }
    true
}

/// `lastIndexOf(byte[] value, int ch, int fromIndex)`.
unsafe fn latin1_last_index_of(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: as above.
    unsafe {
        let (value, from) = (*args as u32, *args.add(2) as u32 as i32);
        let Some(len) = array_len(heap, value) else { return false };
        let (Ok(wanted), Ok(from)) = (u8::try_from(*args.add(1) as u32), u32::try_from(from))
        else {
            return false;
        };
        let len = len.min(from.saturating_add(1));
        let Some(bytes) = bytes(heap, value, 0, len) else { return false };
        burn(vm, bytes.len() / 4);
        let found = bytes.iter().rposition(|&byte| byte == wanted);
        *args = found.map_or(u64::from(u32::MAX), |idx| idx as u64);
    }
    true
}

/// `inflate(byte[] src, int srcOff, char[] dst, int dstOff, int len)`.
unsafe fn inflate(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: as above; the arrays are of different kinds.
    unsafe {
        let work = || {
            let (to, start, len) = (*args.add(2) as u32, *args.add(3) as u32, *args.add(4) as u32);
            let source = bytes(heap, *args as u32, *args.add(1) as u32, len)?;
            let (_, n) = chars(heap, to, start, start.checked_add(len)?)?;
            Some((source, chars(heap, to, start, start + len)?.0, n))
        };
        let Some((source, target, n_chars)) = work() else { return false };
        (*vm).heap.before_bulk_write(target, n_chars * 2);
        let target = heap.add(target).cast::<u16>();
        for (idx, &byte) in source.iter().enumerate() {
            target.add(idx).write_unaligned(u16::from(byte));
        }
        burn(vm, n_chars / 4);
    }
    true
}

/// Byte offset and number of the elements of a `char[]`.
unsafe fn chars(heap: *mut u8, array: u32, from: u32, to: u32) -> Option<(usize, usize)> {
    // SAFETY: a reference that is not null is valid.
    unsafe {
        if array == 0 || from > to || to > word!(heap, array, LENGTH_OFFSET, u32) {
            return None;
        }
        let start = ((array as usize) << 3) + ELEMENTS_OFFSET as usize;
        Some((start + from as usize * 2, (to - from) as usize))
    }
}

/// `compress(char[] or byte[] val, int valOff, byte[] dst, int dstOff, int len)`; the characters before one that
/// does not fit are written.
unsafe fn compress<const COUNTS: bool>(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: as above.
    unsafe {
        let (from, to, len) = (*args as u32, *args.add(2) as u32, *args.add(4) as u32);
        let (start, target) = (*args.add(1) as u32, *args.add(3) as u32);
        let work = || {
            if from == 0 || from == to {
                return None;
            }
            let is_bytes = word!(heap, from, 0, u32) == word!(heap, to, 0, u32);
            let end = start.checked_add(len)?;
            let (source, n) = if is_bytes {
                span(heap, from, start, end, 2)?
            } else {
                chars(heap, from, start, end)?
            };
            Some((source, span(heap, to, target, target.checked_add(len)?, 1)?.0, n))
        };
        let Some((source, target, n_chars)) = work() else { return false };
        let source = heap.add(source).cast::<u16>();
        let n_fit =
            (0..n_chars).position(|idx| source.add(idx).read_unaligned() > 0xff).unwrap_or(n_chars);
        (*vm).heap.before_bulk_write(target, n_fit);
        for idx in 0..n_fit {
            #[expect(clippy::cast_possible_truncation, reason = "fits, as was just seen")]
            heap.add(target + idx).write(source.add(idx).read_unaligned() as u8);
        }
        burn(vm, n_fit / 4);
        *args = if n_fit == n_chars || COUNTS { n_fit as u64 } else { 0 };
    }
    true
}

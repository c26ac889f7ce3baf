//! UTF-8 to and from the UTF-16 text of strings. Only well-formed text: what must be replaced or refused is left to
//! the Java code.

use std::slice;

use super::arrays::new_bytes;
use super::encodings::{burn, bytes, span};
use super::{Row, word};
use crate::heap::{ELEMENTS_OFFSET, LENGTH_OFFSET};
use crate::vm::Vm;

pub(super) const READS: &[Row] = &[("java/lang/String", "encodeUTF8_UTF16", "([BZ)[B", encode)];

pub(super) const WRITES: &[Row] =
    &[("java/lang/String", "decodeUTF8_UTF16", "([BII[BIZ)I", decode)];

/// `encodeUTF8_UTF16(byte[] val, boolean doReplace)`: a new array.
unsafe fn encode(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; the range is checked; nothing moves while both arrays are used.
    unsafe {
        let work = || {
            let text = *args as u32;
            if text == 0 {
                return None;
            }
            let end = word!(heap, text, LENGTH_OFFSET, u32) / 2;
            let (at, n_units) = span(heap, text, 0, end, 2)?;
            let unit = |idx: usize| heap.add(at).cast::<u16>().add(idx).read_unaligned();
            let chars = || char::decode_utf16((0..n_units).map(unit));
            let mut length = 0;
            for next in chars() {
                length += next.ok()?.len_utf8();
            }
            let array = new_bytes(vm, u32::try_from(length).ok()?)?;
            let start = array.byte_offset() + ELEMENTS_OFFSET as usize;
            let mut target = slice::from_raw_parts_mut(heap.add(start), length);
            for next in chars() {
                let n_written = next.ok()?.encode_utf8(target).len();
                target = &mut target[n_written..];
            }
            burn(vm, n_units);
            Some(array.to_slot())
        };
        let Some(array) = work() else { return false };
        *args = array;
    }
    true
}

/// `decodeUTF8_UTF16(byte[] src, int sp, int sl, byte[] dst, int dp, boolean doReplace)`: the text between two
/// offsets; gives the offset behind what was written, in characters.
unsafe fn decode(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; the ranges are checked, and the arrays are different ones.
    unsafe {
        let work = || {
            let (from, to) = (*args as u32, *args.add(3) as u32);
            let (start, end, at) = (*args.add(1) as u32, *args.add(2) as u32, *args.add(4) as u32);
            let source = bytes(heap, from, start, end.checked_sub(start)?)?;
            let text = std::str::from_utf8(source).ok()?;
            let n_units = text.chars().map(char::len_utf16).sum::<usize>();
            let behind = at.checked_add(u32::try_from(n_units).ok()?)?;
            let (target, _) = span(heap, to, at, behind, 2)?;
            (from != to).then_some((text, target, n_units, behind))
        };
        let Some((text, target, n_units, behind)) = work() else { return false };
        (*vm).heap.before_bulk_write(target, n_units * 2);
        let target = heap.add(target).cast::<u16>();
        for (idx, unit) in text.encode_utf16().enumerate() {
            target.add(idx).write_unaligned(unit);
        }
        burn(vm, text.len());
        *args = u64::from(behind);
    }
    true
}

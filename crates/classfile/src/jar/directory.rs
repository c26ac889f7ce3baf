//! The central directory of a zip file, with zip64 and with bytes put before the archive.

use std::ops::Range;

use rustc_hash::FxHashMap;

const END_LEN: usize = 22;
const END_SIGNATURE: u32 = 0x0605_4B50;
const END64_LEN: usize = 56;
const END64_SIGNATURE: u32 = 0x0606_4B50;
const LOCATOR_LEN: usize = 20;
const LOCATOR_SIGNATURE: u32 = 0x0706_4B50;
const CENTRAL_LEN: usize = 46;
const CENTRAL_SIGNATURE: u32 = 0x0201_4B50;
const LOCAL_LEN: usize = 30;
const LOCAL_SIGNATURE: u32 = 0x0403_4B50;
/// The longest comment behind the end record.
const MAX_COMMENT: usize = 0xFFFF;

/// What the central directory says of an entry.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) method: u16,
    pub(super) is_encrypted: bool,
    pub(super) crc: u32,
    pub(super) stored_len: u64,
    pub(super) len: u64,
    /// Where the local header stands in the file.
    local_header: u64,
}

/// Where the central directory lies.
struct Directory {
    start: usize,
    end: usize,
    /// What must be added to the offsets in the archive.
    base: u64,
}

/// All entries by name; of entries with the same name the last, as the JDK takes it.
pub(super) fn read(bytes: &[u8]) -> Result<FxHashMap<Box<[u8]>, Entry>, String> {
    let directory = find_directory(bytes)?;
    let mut rest = &bytes[directory.start..directory.end];
    let mut entries = FxHashMap::default();
    entries.reserve(rest.len() / (CENTRAL_LEN + 40));
    while !rest.is_empty() {
        let (name, entry, len) = read_entry(rest, directory.base)
            .ok_or_else(|| "its central directory is damaged".to_owned())?;
        entries.insert(name.into(), entry);
        rest = &rest[len..];
    }
    Ok(entries)
}

/// Where an entry's stored bytes lie, behind its local header.
pub(super) fn stored_range(bytes: &[u8], entry: Entry) -> Result<Range<usize>, String> {
    (|| {
        let header = usize::try_from(entry.local_header).ok()?;
        if u32_at(bytes, header)? != LOCAL_SIGNATURE {
            return None;
        }
        let name_len = usize::from(u16_at(bytes, header + 26)?);
        let extra_len = usize::from(u16_at(bytes, header + 28)?);
        let start = header + LOCAL_LEN + name_len + extra_len;
        let end = start.checked_add(usize::try_from(entry.stored_len).ok()?)?;
        (end <= bytes.len()).then_some(start..end)
    })()
    .ok_or_else(|| "has a damaged header".to_owned())
}

fn find_directory(bytes: &[u8]) -> Result<Directory, String> {
    let end = find_end(bytes).ok_or_else(|| "no zip end record".to_owned())?;
    (|| {
        let mut len = u64::from(u32_at(bytes, end + 12)?);
        let mut offset = u64::from(u32_at(bytes, end + 16)?);
        let mut end = end as u64;
        if let Some((at, len64, offset64)) = zip64(bytes, end as usize) {
            (len, offset, end) = (len64, offset64, at);
        }
        // What stands before the archive shifts all offsets; the directory ends at its end record.
        let start = end.checked_sub(len)?;
        let base = start.checked_sub(offset)?;
        Some(Directory { start: start as usize, end: end as usize, base })
    })()
    .ok_or_else(|| "its end record is damaged".to_owned())
}

/// The end record: the last one whose comment reaches exactly to the end, else the last one.
fn find_end(bytes: &[u8]) -> Option<usize> {
    let last = bytes.len().checked_sub(END_LEN)?;
    let first = last.saturating_sub(MAX_COMMENT);
    let is_end = |&at: &usize| u32_at(bytes, at) == Some(END_SIGNATURE);
    let reaches_end = |&at: &usize| {
        u16_at(bytes, at + 20)
            .is_some_and(|comment| at + END_LEN + usize::from(comment) == bytes.len())
    };
    let candidates = || (first..=last).rev().filter(is_end);
    candidates().find(reaches_end).or_else(|| candidates().next())
}

/// Position, directory length and directory offset of a zip64 end record, if there is one.
fn zip64(bytes: &[u8], end: usize) -> Option<(u64, u64, u64)> {
    let locator = end.checked_sub(LOCATOR_LEN)?;
    if u32_at(bytes, locator)? != LOCATOR_SIGNATURE {
        return None;
    }
    let declared = usize::try_from(u64_at(bytes, locator + 8)?).ok()?;
    // With bytes before the archive the record is not where the locator says, but it usually
    // stands right before the locator.
    let is_end64 = |at: usize| u32_at(bytes, at) == Some(END64_SIGNATURE);
    let at = if is_end64(declared) { declared } else { locator.checked_sub(END64_LEN)? };
    if !is_end64(at) {
        return None;
    }
    Some((at as u64, u64_at(bytes, at + 40)?, u64_at(bytes, at + 48)?))
}

fn read_entry(rest: &[u8], base: u64) -> Option<(&[u8], Entry, usize)> {
    if u32_at(rest, 0)? != CENTRAL_SIGNATURE {
        return None;
    }
    let name_len = usize::from(u16_at(rest, 28)?);
    let extra_len = usize::from(u16_at(rest, 30)?);
    let comment_len = usize::from(u16_at(rest, 32)?);
    let len = CENTRAL_LEN + name_len + extra_len + comment_len;
    if rest.len() < len {
        return None;
    }
    let name = &rest[CENTRAL_LEN..CENTRAL_LEN + name_len];
    let extra = &rest[CENTRAL_LEN + name_len..CENTRAL_LEN + name_len + extra_len];
    let sizes = Sizes {
        len: u32_at(rest, 24)?,
        stored_len: u32_at(rest, 20)?,
        local_header: u32_at(rest, 42)?,
    };
    let (entry_len, stored_len, local_header) = wide_sizes(&sizes, extra)?;
    let entry = Entry {
        method: u16_at(rest, 10)?,
        is_encrypted: u16_at(rest, 8)? & 1 != 0,
        crc: u32_at(rest, 16)?,
        stored_len,
        len: entry_len,
        local_header: local_header.checked_add(base)?,
    };
    Some((name, entry, len))
}

struct Sizes {
    len: u32,
    stored_len: u32,
    local_header: u32,
}

/// Length, stored length and position, where those that do not fit 32 bits stand in the zip64
/// extra field, in this order.
fn wide_sizes(sizes: &Sizes, mut extra: &[u8]) -> Option<(u64, u64, u64)> {
    let mut wide: &[u8] = &[];
    while let (Some(tag), Some(len)) = (u16_at(extra, 0), u16_at(extra, 2)) {
        let Some(field) = extra[4..].get(..usize::from(len)) else { break };
        if tag == 1 {
            wide = field;
        }
        extra = &extra[4 + usize::from(len)..];
    }
    let mut next = |narrow: u32| {
        if narrow != u32::MAX || wide.is_empty() {
            return Some(u64::from(narrow));
        }
        let value = u64_at(wide, 0)?;
        wide = &wide[8..];
        Some(value)
    };
    Some((next(sizes.len)?, next(sizes.stored_len)?, next(sizes.local_header)?))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let bytes = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_le_bytes([bytes[0], bytes[1]]))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from(u16_at(bytes, at)?) | u32::from(u16_at(bytes, at.checked_add(2)?)?) << 16)
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from(u32_at(bytes, at)?) | u64::from(u32_at(bytes, at.checked_add(4)?)?) << 32)
}

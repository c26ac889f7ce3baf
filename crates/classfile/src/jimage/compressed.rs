//! Compressed resources of a run-time image, as `jlink --compress` writes them.
//!
//! A resource is wrapped once per compressor, each layer with a header that names it: `zip` is
//! plain zlib; `compact-cp` has moved the strings of a class file's constant pool into the
//! image's string table.

use std::io::Read;

use flate2::read::ZlibDecoder;

use super::u32_at;

const MAGIC: u32 = 0xCAFE_FAFA;
const HEADER_LEN: usize = 29;
/// More layers than there are compressors.
const MAX_LAYERS: usize = 8;
/// No resource of a JDK comes near it.
const MAX_LEN: u64 = 1 << 30;

type Strings<'a> = dyn Fn(u32) -> Option<&'a [u8]> + 'a;

/// Takes off all layers; the result has `len` bytes.
pub(super) fn expand<'a>(
    stored: &[u8],
    len: u64,
    strings: &Strings<'a>,
) -> Result<Vec<u8>, String> {
    let mut content = stored.to_vec();
    for _ in 0..MAX_LAYERS {
        if u32_at(&content, 0) != Some(MAGIC) {
            return if content.len() as u64 == len {
                Ok(content)
            } else {
                Err("a compressed resource has the wrong length".to_owned())
            };
        }
        content = expand_layer(&content, strings)?;
    }
    Err("a resource is compressed too many times".to_owned())
}

fn expand_layer<'a>(layer: &[u8], strings: &Strings<'a>) -> Result<Vec<u8>, String> {
    let broken = || "a compressed resource is broken".to_owned();
    let u64_at = |at| Some(u64::from(u32_at(layer, at)?) | u64::from(u32_at(layer, at + 4)?) << 32);
    let stored_len = u64_at(4).ok_or_else(broken)?;
    let len = u64_at(12).ok_or_else(broken)?;
    let name = u32_at(layer, 20).and_then(strings).ok_or_else(broken)?;
    if MAX_LEN < len {
        return Err("a compressed resource is too large".to_owned());
    }
    let body = usize::try_from(stored_len)
        .ok()
        .and_then(|stored_len| layer.get(HEADER_LEN..)?.get(..stored_len))
        .ok_or_else(broken)?;
    let content = match name {
        b"zip" => {
            let mut content = Vec::new();
            // One byte more than it should have, so that a longer stream is noticed.
            ZlibDecoder::new(body)
                .take(len + 1)
                .read_to_end(&mut content)
                .map_err(|error| format!("a compressed resource is broken: {error}"))?;
            content
        }
        b"compact-cp" => restore_strings(body, len, strings).ok_or_else(broken)?,
        other => {
            let other = crate::mutf8::display(other);
            return Err(format!("a resource is compressed by \"{other}\", which is not supported"));
        }
    };
    if content.len() as u64 != len {
        return Err("a compressed resource has the wrong length".to_owned());
    }
    Ok(content)
}

/// The entry is a string of the string table.
const SHARED_STRING: u8 = 23;
/// The entry is a descriptor whose class names are strings of the string table.
const SHARED_DESCRIPTOR: u8 = 25;

/// Undoes `compact-cp`: puts the strings back into the constant pool.
fn restore_strings<'a>(body: &[u8], len: u64, strings: &Strings<'a>) -> Option<Vec<u8>> {
    let mut rest = body;
    let mut content = take(&mut rest, 10)?.to_vec();
    let n_entries = u16::from_be_bytes([content[8], content[9]]);
    let mut idx = 1;
    while idx < n_entries {
        let tag = take(&mut rest, 1)?[0];
        match tag {
            SHARED_STRING => {
                let text = strings(packed_int(&mut rest)?)?;
                push_utf8(&mut content, text)?;
            }
            SHARED_DESCRIPTOR => {
                let shape = strings(packed_int(&mut rest)?)?;
                let names_len = packed_int(&mut rest)? as usize;
                let names = take(&mut rest, names_len)?;
                push_utf8(&mut content, &descriptor(shape, names, strings)?)?;
            }
            1 => {
                let text_len = take(&mut rest, 2)?;
                let text_len = u16::from_be_bytes([text_len[0], text_len[1]]);
                push_utf8(&mut content, take(&mut rest, usize::from(text_len))?)?;
            }
            _ => {
                let entry_len = match tag {
                    3 | 4 | 9..=12 | 17 | 18 => 4,
                    5 | 6 => 8,
                    7 | 8 | 16 | 19 | 20 => 2,
                    15 => 3,
                    _ => return None,
                };
                content.push(tag);
                content.extend_from_slice(take(&mut rest, entry_len)?);
                if matches!(tag, 5 | 6) {
                    idx += 1;
                }
            }
        }
        if len < content.len() as u64 {
            return None;
        }
        idx += 1;
    }
    content.extend_from_slice(rest);
    Some(content)
}

/// Puts a package and a class name behind every `L` of a descriptor's shape.
fn descriptor<'a>(shape: &[u8], mut names: &[u8], strings: &Strings<'a>) -> Option<Vec<u8>> {
    if names.is_empty() {
        return Some(shape.to_vec());
    }
    let mut text = Vec::with_capacity(shape.len() + 32);
    for &byte in shape {
        text.push(byte);
        if byte == b'L' {
            let package = strings(packed_int(&mut names)?)?;
            if !package.is_empty() {
                text.extend_from_slice(package);
                text.push(b'/');
            }
            text.extend_from_slice(strings(packed_int(&mut names)?)?);
        }
    }
    Some(text)
}

/// An integer whose first byte tells, if its high bit is set, how many bytes there are.
fn packed_int(rest: &mut &[u8]) -> Option<u32> {
    let head = take(rest, 1)?[0];
    let (more, first) = if head & 0x80 == 0 {
        (3, head)
    } else {
        (usize::from(head >> 5 & 3).checked_sub(1)?, head & 0x1F)
    };
    Some(
        take(rest, more)?
            .iter()
            .fold(u32::from(first), |value, &byte| value << 8 | u32::from(byte)),
    )
}

fn push_utf8(content: &mut Vec<u8>, text: &[u8]) -> Option<()> {
    let len = u16::try_from(text.len()).ok()?;
    content.push(1);
    content.extend_from_slice(&len.to_be_bytes());
    content.extend_from_slice(text);
    Some(())
}

fn take<'a>(rest: &mut &'a [u8], len: usize) -> Option<&'a [u8]> {
    let taken = rest.get(..len)?;
    *rest = &rest[len..];
    Some(taken)
}

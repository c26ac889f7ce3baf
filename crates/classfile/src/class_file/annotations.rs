//! Finding annotations by type in the raw content of `RuntimeVisibleAnnotations` (JVMS §4.7.16).
//!
//! The content is not checked when a class is parsed, so everything here stops quietly at the
//! first thing out of place, and nesting is limited so that it cannot exhaust the stack.

use crate::reader::Reader;
use crate::{Constant, ConstantPool};

/// Deeper nesting of element values than any compiler writes.
const MAX_DEPTH: u32 = 64;

/// Whether there is a top-level annotation of the type with this descriptor.
pub(super) fn contains(content: &[u8], pool: &ConstantPool, descriptor: &[u8]) -> bool {
    types(content, pool).any(|found| found == descriptor)
}

/// The descriptors of the top-level annotations.
pub(super) fn types<'c>(
    content: &'c [u8],
    pool: &'c ConstantPool,
) -> impl Iterator<Item = &'c [u8]> {
    let mut reader = Reader::new(content);
    let n_annotations = reader.u2().unwrap_or_default();
    (0..n_annotations).map_while(move |_| {
        let annotation_type = pool.try_utf8(reader.u2().ok()?)?;
        // A fault behind this annotation's type ends the walk at the next one.
        if skip_pairs(&mut reader, 0).is_none() {
            reader = Reader::new(&[]);
        }
        Some(annotation_type)
    })
}

/// The descriptors of the classes that an element of a top-level annotation holds, alone or in an
/// array; none where the annotation or the element is not there.
pub(super) fn classes<'c>(
    content: &'c [u8],
    pool: &'c ConstantPool,
    descriptor: &[u8],
    element: &[u8],
) -> Vec<&'c [u8]> {
    let mut found = Vec::new();
    // A fault ends the walk; what was found before it stays.
    let _ = find_classes(&mut found, &mut Reader::new(content), pool, descriptor, element);
    found
}

fn find_classes<'c>(
    found: &mut Vec<&'c [u8]>,
    reader: &mut Reader<'c>,
    pool: &'c ConstantPool,
    descriptor: &[u8],
    element: &[u8],
) -> Option<()> {
    for _ in 0..reader.u2().ok()? {
        let is_wanted = pool.try_utf8(reader.u2().ok()?)? == descriptor;
        for _ in 0..reader.u2().ok()? {
            let name = pool.try_utf8(reader.u2().ok()?)?;
            if !is_wanted || name != element {
                skip_value(reader, 0)?;
                continue;
            }
            let mut n_values = 1;
            let mut tag = reader.u1().ok()?;
            if tag == b'[' {
                n_values = reader.u2().ok()?;
            }
            for idx in 0..n_values {
                if idx > 0 || tag == b'[' {
                    tag = reader.u1().ok()?;
                }
                if tag != b'c' {
                    return None;
                }
                found.push(pool.try_utf8(reader.u2().ok()?)?);
            }
        }
    }
    Some(())
}

/// The value of a `boolean` element of a top-level annotation; `None` where it is not written.
pub(super) fn flag(
    content: &[u8],
    pool: &ConstantPool,
    descriptor: &[u8],
    element: &[u8],
) -> Option<bool> {
    let mut reader = Reader::new(content);
    for _ in 0..reader.u2().ok()? {
        let is_wanted = pool.try_utf8(reader.u2().ok()?)? == descriptor;
        for _ in 0..reader.u2().ok()? {
            let name = pool.try_utf8(reader.u2().ok()?)?;
            if !is_wanted || name != element {
                skip_value(&mut reader, 0)?;
                continue;
            }
            if reader.u1().ok()? != b'Z' {
                return None;
            }
            return match pool.get(reader.u2().ok()?)? {
                Constant::Integer(value) => Some(value != 0),
                _ => None,
            };
        }
    }
    None
}

fn skip_pairs(reader: &mut Reader<'_>, depth: u32) -> Option<()> {
    for _ in 0..reader.u2().ok()? {
        reader.u2().ok()?;
        skip_value(reader, depth)?;
    }
    Some(())
}

fn skip_value(reader: &mut Reader<'_>, depth: u32) -> Option<()> {
    if MAX_DEPTH < depth {
        return None;
    }
    match reader.u1().ok()? {
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' | b's' | b'c' => {
            reader.u2().ok()?;
        }
        b'e' => {
            reader.u4().ok()?;
        }
        b'@' => {
            reader.u2().ok()?;
            skip_pairs(reader, depth + 1)?;
        }
        b'[' => {
            for _ in 0..reader.u2().ok()? {
                skip_value(reader, depth + 1)?;
            }
        }
        _ => return None,
    }
    Some(())
}

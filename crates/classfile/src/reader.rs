//! A bounds-checked cursor over big-endian data, as class files have it.
//!
//! Every reader of class file structures goes through here, so that a short file is an error and
//! never a panic.

use crate::Span;
use crate::error::ClassFormatError;

/// Reads big-endian values from a slice, remembering where it stands.
#[derive(Clone)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    pos: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Reader { bytes, pos: 0 }
    }

    /// A cursor over a part of `bytes`, with positions counted from the start of `bytes`.
    pub(crate) fn over(bytes: &'a [u8], span: Span) -> Self {
        let end = (span.start as usize).saturating_add(span.len as usize).min(bytes.len());
        Reader { bytes: &bytes[..end], pos: (span.start as usize).min(end) }
    }

    #[inline]
    pub(crate) fn pos(&self) -> usize {
        self.pos
    }

    #[inline]
    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len() - self.pos
    }

    #[inline]
    pub(crate) fn is_at_end(&self) -> bool {
        self.pos == self.bytes.len()
    }

    #[inline]
    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8], ClassFormatError> {
        match self.bytes.get(self.pos..).and_then(|rest| rest.get(..len)) {
            Some(taken) => {
                self.pos += len;
                Ok(taken)
            }
            None => Err(ClassFormatError::at(self.pos, "Truncated class file")),
        }
    }

    /// Skips `len` bytes and says where they were.
    #[inline]
    pub(crate) fn span(&mut self, len: usize) -> Result<Span, ClassFormatError> {
        let start = self.pos;
        self.take(len)?;
        Ok(Span { start: start as u32, len: len as u32 })
    }

    #[inline]
    pub(crate) fn u1(&mut self) -> Result<u8, ClassFormatError> {
        Ok(self.take(1)?[0])
    }

    #[inline]
    pub(crate) fn u2(&mut self) -> Result<u16, ClassFormatError> {
        let taken = self.take(2)?;
        Ok(u16::from_be_bytes([taken[0], taken[1]]))
    }

    #[inline]
    pub(crate) fn u4(&mut self) -> Result<u32, ClassFormatError> {
        let taken = self.take(4)?;
        Ok(u32::from_be_bytes([taken[0], taken[1], taken[2], taken[3]]))
    }
}

/// The big-endian `u16` at `at`, if it is there.
#[inline]
pub(crate) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let pair = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_be_bytes([pair[0], pair[1]]))
}

/// The big-endian `u16`s of a slice; an odd last byte is left out.
pub(crate) fn u16s(bytes: &[u8]) -> impl ExactSizeIterator<Item = u16> + '_ {
    bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]))
}

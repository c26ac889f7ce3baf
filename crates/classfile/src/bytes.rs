//! Shared, immutable bytes: a range of a mapped file or of an owned buffer.
//!
//! A [`ClassBytes`] is cheap to clone and to slice, so a class file inside the JDK image is used
//! where it lies, without a copy. The only `unsafe` of the crate is here, in [`ClassBytes::map`].

use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use std::path::Path;
use std::sync::Arc;

use memmap2::Mmap;

/// A cheaply cloned view of immutable bytes.
#[derive(Clone)]
pub struct ClassBytes {
    owner: Owner,
    /// Invariant: `range` lies within the owner's bytes.
    range: Range<usize>,
}

#[derive(Clone)]
enum Owner {
    Mapped(Arc<Mmap>),
    Heap(Arc<Vec<u8>>),
}

impl ClassBytes {
    /// Takes over a buffer without copying it.
    pub fn from_vec(bytes: Vec<u8>) -> Self {
        let range = 0..bytes.len();
        ClassBytes { owner: Owner::Heap(Arc::new(bytes)), range }
    }

    /// Maps a whole file into memory.
    pub fn map(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a directory"));
        }
        if metadata.len() == 0 {
            // An empty file cannot be mapped.
            return Ok(ClassBytes::from_vec(Vec::new()));
        }
        #[expect(unsafe_code, reason = "mapping a file is the only way to read it without a copy")]
        // SAFETY: The mapping is private and read-only, and is only ever read as plain bytes, for
        // which any content is valid. As with every JVM, the JDK image and the jars must not be
        // truncated while they are in use; that is a documented demand on the user.
        let map = unsafe { Mmap::map(&file) }?;
        let range = 0..map.len();
        Ok(ClassBytes { owner: Owner::Mapped(Arc::new(map)), range })
    }

    /// A part of these bytes, sharing the same memory; the range is cut to what is there.
    pub fn slice(&self, range: Range<usize>) -> ClassBytes {
        let len = self.range.len();
        let end = range.end.min(len);
        let start = range.start.min(end);
        ClassBytes {
            owner: self.owner.clone(),
            range: self.range.start + start..self.range.start + end,
        }
    }
}

impl Deref for ClassBytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        let whole: &[u8] = match &self.owner {
            Owner::Mapped(map) => map,
            Owner::Heap(bytes) => bytes,
        };
        &whole[self.range.clone()]
    }
}

impl From<Vec<u8>> for ClassBytes {
    fn from(bytes: Vec<u8>) -> Self {
        ClassBytes::from_vec(bytes)
    }
}

impl std::fmt::Debug for ClassBytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ClassBytes({} bytes)", self.range.len())
    }
}

#[cfg(test)]
mod tests {
    use super::ClassBytes;

    #[test]
    fn a_slice_of_a_slice_sees_the_right_bytes() {
        let bytes = ClassBytes::from_vec(vec![1, 2, 3, 4, 5]);
        assert_eq!(&*bytes.slice(1..4).slice(1..3), &[3, 4]);
    }

    #[test]
    fn a_slice_past_the_end_is_cut_to_what_is_there() {
        let bytes = ClassBytes::from_vec(vec![1, 2, 3]).slice(1..3);
        assert_eq!(&*bytes.slice(1..9), &[3]);
        assert_eq!(&*bytes.slice(7..9), &[] as &[u8]);
    }
}

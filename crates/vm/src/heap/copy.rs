//! A heap as it is, in memory that other heaps map privately. References are relative to the start
//! of their heap, so nothing is moved and nothing rewritten.

use std::fs::File;
use std::io;

use super::{FIRST_BYTE, Heap};
use crate::stack::{map_private, memory_file};
use crate::value::Ref;

/// See the module text.
#[derive(Debug)]
pub(crate) struct HeapCopy {
    file: File,
    /// `(first byte in a heap, length)` of the parts in use, which lie in the file in this order,
    /// each at the start of a page.
    parts: Vec<(usize, usize)>,
    base_end: usize,
    literals_top: usize,
    perm_top: usize,
    top: usize,
    nursery: usize,
}

impl Heap {
    /// Copies all parts in use. No mark may be open.
    pub(crate) fn copy_parts(&self) -> io::Result<HeapCopy> {
        debug_assert!(self.log_limit == 0, "internal: a mark is open");
        let raw_end = self.raw_start + self.raw_all().len();
        let parts: Vec<(usize, usize)> = [
            (FIRST_BYTE, self.base_end),
            (self.literals_start, self.literals_top),
            (self.perm_start, self.perm_top),
            (self.raw_start, raw_end),
            (self.main_start, self.top),
        ]
        .into_iter()
        .map(|(start, end)| (start, end - start))
        .collect();
        #[expect(clippy::cast_possible_truncation, reason = "granule indices fit 32 bits")]
        let bytes = parts.iter().map(|&(start, len)| self.bytes(Ref((start >> 3) as u32), 0, len));
        let file = memory_file(&bytes.collect::<Vec<_>>())?;
        Ok(HeapCopy {
            file,
            parts,
            base_end: self.base_end,
            literals_top: self.literals_top,
            perm_top: self.perm_top,
            top: self.top,
            nursery: self.nursery,
        })
    }

    /// A heap with this content, all of it old, and this limit.
    pub(crate) fn of_copy(copy: &HeapCopy, limit: usize) -> io::Result<Heap> {
        let mut heap = Heap::reserve(copy.base_end - FIRST_BYTE, limit)?;
        let mut offset = 0;
        for &(start, len) in &copy.parts {
            let len = len.next_multiple_of(4096);
            // SAFETY: all parts lie in the reservation, which is laid out as that of the original.
            let at = unsafe { heap.base.add(start) };
            map_private(&copy.file, offset, at, len)?;
            offset += len;
        }
        heap.literals_top = copy.literals_top;
        heap.perm_top = copy.perm_top;
        heap.nursery = copy.nursery;
        heap.top = copy.top;
        heap.collected(copy.top);
        Ok(heap)
    }
}

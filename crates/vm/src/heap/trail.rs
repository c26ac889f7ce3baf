//! The log that makes time travel possible: old contents of granules, youngest last.
//!
//! A granule is logged once per mark. `serials` holds, per granule, the serial of the mark that
//! was youngest when it was last logged; a granule is logged again only when that is older than
//! the youngest open mark. Logging twice would be harmless (undoing runs backwards), it only
//! costs room. The table is lazily committed memory, touched only where old objects are written.
//!
//! Invariant: every serial in the table and in the entries is below `next_serial`, so that a new
//! mark's serial is larger than all. A rollback leaves no trace of the serials it undoes and gives
//! them back; only committed marks use them up, four billion of them until `renumber`.
#![expect(unsafe_code, reason = "a lazily committed side table is raw memory")]

use std::io;

use super::{GIVE_BACK_UNDONE, Heap};
use crate::stack::Reserved;

/// One remembered granule.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Index of the granule.
    pub granule: u32,
    /// What `serials` said before.
    pub serial: u32,
    /// Content before the write.
    pub old: u64,
}

/// The log and its bookkeeping.
#[derive(Debug)]
pub struct Trail {
    /// Remembered granules, oldest first.
    pub entries: Vec<Entry>,
    /// Serial of the youngest open mark.
    serial: u32,
    next_serial: u32,
    serials: Reserved<u32>,
    /// Whether the log is that of a watch (`heap/watch.rs`) and not that of marks.
    is_watching: bool,
}

/// The heap's part of a mark.
#[derive(Debug, Clone, Copy)]
pub struct HeapMark {
    top: usize,
    perm_top: usize,
    end: usize,
    n_entries: usize,
    serial: u32,
}

impl Trail {
    /// A trail for a region of that many granules.
    pub fn new(n_granules: usize) -> io::Result<Trail> {
        Ok(Trail {
            entries: Vec::new(),
            serial: 0,
            next_serial: 1,
            serials: Reserved::new(n_granules)?,
            is_watching: false,
        })
    }

    /// Remembers a granule unless the youngest mark already has it.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "granule indices fit 32 bits by layout")]
    pub fn log(&mut self, granule: usize, old: u64) {
        debug_assert!(granule < self.serials.capacity());
        // SAFETY: granule indices come from the heap this trail was made for.
        let serial = unsafe { &mut *self.serials.start().add(granule) };
        if *serial < self.serial {
            self.entries.push(Entry { granule: granule as u32, serial: *serial, old });
            *serial = self.serial;
        }
    }

    /// Whether writes are watched and no mark is open.
    #[inline]
    pub(super) fn is_watching(&self) -> bool {
        self.is_watching
    }

    /// Starts a watch, or starts it again. No mark may be open.
    pub(super) fn watch(&mut self) {
        if self.is_spent() {
            self.renumber(std::iter::empty());
        }
        self.entries.clear();
        self.serial = self.next_serial;
        self.next_serial += 1;
        self.is_watching = true;
    }

    /// Ends a watch.
    pub(super) fn end_watch(&mut self) {
        self.entries.clear();
        self.serial = 0;
        self.is_watching = false;
    }

    /// Whether another mark can be opened before `renumber`.
    fn is_spent(&self) -> bool {
        self.next_serial == u32::MAX
    }

    /// Starts the serials again from one. All granules count as not logged, so some will be logged
    /// twice.
    #[cold]
    fn renumber<'a>(&mut self, open: impl Iterator<Item = &'a mut HeapMark>) {
        self.serials.forget();
        for entry in &mut self.entries {
            entry.serial = 0;
        }
        self.next_serial = 1;
        for mark in open {
            mark.serial = self.next_serial;
            self.next_serial += 1;
        }
        self.serial = self.next_serial - 1;
    }

    /// Undoes the youngest entries until `n_entries` are left.
    #[inline]
    fn undo(&mut self, base: *mut u8, n_entries: usize) {
        for entry in self.entries[n_entries..].iter().rev() {
            let granule = entry.granule as usize;
            // SAFETY: entries are made by `log` for granules of the region that starts at `base`.
            unsafe {
                base.cast::<u64>().add(granule).write(entry.old);
                self.serials.start().add(granule).write(entry.serial);
            }
        }
        self.entries.truncate(n_entries);
    }
}

impl Heap {
    /// Where objects older than the mark are not what they were: bytes from the start of the heap, in
    /// steps of granules.
    pub fn changes_since(&self, mark: &HeapMark) -> impl Iterator<Item = usize> {
        self.trail.entries[mark.n_entries..].iter().filter_map(|entry| {
            let granule = entry.granule as usize;
            // SAFETY: entries are made by `log` for granules of the region that starts at `base`.
            let now = unsafe { self.base.cast::<u64>().add(granule).read() };
            (now != entry.old).then_some(granule * 8)
        })
    }

    /// Opens a mark. The caller keeps the open ones; `open` gives them, oldest first.
    #[inline]
    pub fn open_mark<'a>(&mut self, open: impl Iterator<Item = &'a mut HeapMark>) -> HeapMark {
        self.end_watch();
        if self.trail.is_spent() {
            self.trail.renumber(open);
        }
        let serial = self.trail.next_serial;
        self.trail.next_serial += 1;
        self.trail.serial = serial;
        let mark = HeapMark {
            top: self.top,
            perm_top: self.perm_top,
            end: self.end,
            n_entries: self.trail.entries.len(),
            serial,
        };
        self.log_limit = self.top;
        self.ref_limit = self.top;
        // Nothing is collected while a mark is open.
        self.end = self.hard_end;
        mark
    }

    /// Makes the heap what it was when the mark was opened; the mark stays open, younger ones do not.
    #[inline]
    pub fn undo_to(&mut self, mark: &HeapMark) {
        self.trail.undo(self.base, mark.n_entries);
        self.trail.serial = mark.serial;
        self.trail.next_serial = mark.serial + 1;
        let undone = self.top;
        self.top = mark.top;
        if undone - mark.top >= GIVE_BACK_UNDONE {
            self.give_back(mark.top, undone);
        }
        self.perm_top = mark.perm_top;
        self.log_limit = mark.top;
        self.ref_limit = mark.top;
    }

    /// Closes a mark that was just undone. `youngest` is the youngest one left.
    #[inline]
    pub fn close_undone(&mut self, mark: &HeapMark, youngest: Option<&HeapMark>) {
        self.trail.next_serial = mark.serial;
        self.end = mark.end;
        self.limit_to(youngest);
    }

    /// Closes a mark and all younger ones, keeping what was written. Gives whether old objects
    /// may refer to young ones without the remembered set knowing.
    pub fn close_kept(&mut self, mark: &HeapMark, youngest: Option<&HeapMark>) -> bool {
        self.end = mark.end;
        self.limit_to(youngest);
        if youngest.is_some() {
            return false;
        }
        let unknown = !self.trail.entries.is_empty();
        self.trail.entries.clear();
        unknown
    }

    #[inline]
    fn limit_to(&mut self, youngest: Option<&HeapMark>) {
        match youngest {
            Some(mark) => {
                self.trail.serial = mark.serial;
                self.log_limit = mark.top;
                self.ref_limit = mark.top;
            }
            None => {
                self.trail.serial = 0;
                self.log_limit = 0;
                self.ref_limit = self.young_start;
            }
        }
    }
}

#[cfg(test)]
mod tests;

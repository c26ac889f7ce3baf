//! The log that makes time travel possible: old contents of granules, youngest last.
//!
//! A granule is logged once per mark. `serials` holds, per granule, the serial of the mark that
//! was youngest when it was last logged; a granule is logged again only when that is older than
//! the youngest open mark. Logging twice would be harmless (undoing runs backwards), it only
//! costs room. The table is lazily committed memory, touched only where old objects are written.
#![expect(unsafe_code, reason = "a lazily committed side table needs a raw mapping")]

use std::io;

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
    /// Serial of the youngest open mark; grows with every mark.
    pub serial: u32,
    serials: *mut u32,
    n_granules: usize,
}

// SAFETY: owned by one heap.
unsafe impl Send for Trail {}

impl Trail {
    /// A trail for a region of that many granules.
    pub fn new(n_granules: usize) -> io::Result<Trail> {
        // SAFETY: an anonymous private mapping without a wanted address has no preconditions.
        let serials = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                n_granules * 4,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if serials == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Trail { entries: Vec::new(), serial: 0, serials: serials.cast(), n_granules })
    }

    /// Remembers a granule unless the youngest mark already has it.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "granule indices fit 32 bits by layout")]
    pub fn log(&mut self, granule: usize, old: u64) {
        debug_assert!(granule < self.n_granules);
        // SAFETY: granule indices come from the heap this trail was made for.
        let serial = unsafe { &mut *self.serials.add(granule) };
        if *serial < self.serial {
            self.entries.push(Entry { granule: granule as u32, serial: *serial, old });
            *serial = self.serial;
        }
    }

    /// Gives up the memory of `serials`; all granules count as not logged.
    pub fn forget_serials(&mut self) {
        // SAFETY: the range is our own mapping; dropped pages read as zero again.
        unsafe {
            libc::madvise(self.serials.cast(), self.n_granules * 4, libc::MADV_DONTNEED);
        }
    }

    /// Takes the entry back: `serials` says again what it said before it was logged.
    #[inline]
    pub fn restore_serial(&mut self, entry: Entry) {
        // SAFETY: the entry was made by `log`.
        unsafe { *self.serials.add(entry.granule as usize) = entry.serial }
    }
}

impl Drop for Trail {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `new` and nothing refers to it any more.
        unsafe {
            libc::munmap(self.serials.cast(), self.n_granules * 4);
        }
    }
}

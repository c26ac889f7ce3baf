//! The object heap: one contiguous reserved region per machine, 8-byte granules, 32-bit references.
//!
//! ```text
//! 0        null guard, never used
//! base     booted base, mapped privately from the boot image (empty when booting from scratch)
//! literals strings behind `ldc`, never rolled back, never moved
//! perm     class mirrors (they hold the static fields), rolled back, never moved
//! raw      memory behind `Unsafe.allocateMemory` (`raw.rs`), rolled back, never moved
//! main     bump allocation; rolled back by dropping `top`, moved by the collector
//! ```
//!
//! Every object starts with two words: class id and meta (lock or identity hash, see `lock`).
//! Arrays have their length at byte 8 and their elements from byte 16 on.
//!
//! The main region is old up to `young_start`, young from there on; see `gc`.
//!
//! Rollback: a write below the youngest mark's limit logs the old granule in the trail (`trail.rs`).
//! Objects born after the mark need no log. Invariant: every write into the heap goes through a
//! `store_*` function or `copy` (`heap/access.rs`) or through the same barrier in the interpreter. Only
//! `init_*` writes pass by the log: they fill blocks that no open mark has seen.
//!
//! This module and the interpreter are where `unsafe` lives: addresses come from references that
//! the machine itself made, and verified bytecode cannot forge one.
#![expect(unsafe_code, reason = "the heap is raw memory; see the module text")]

mod access;
pub(crate) mod copy;
pub mod raw;
pub mod remembered;
pub mod trail;
mod watch;

use std::fs::File;
use std::io;

use crate::gc::NURSERY;
use crate::stack::map_private;
use crate::value::Ref;
use remembered::Remembered;
use trail::Trail;

/// Byte offset of the class id in every object.
pub const CLASS_OFFSET: u32 = 0;
/// Byte offset of the meta word (lock state or identity hash).
pub const META_OFFSET: u32 = 4;
/// Bit of the meta word that says: the other bits refer to a lock record (a `long[]`, see `lock`).
pub const META_RECORD: u32 = 1 << 31;
/// Byte offset of the first instance field.
pub const FIELDS_OFFSET: u32 = 8;
/// Byte offset of an array's length.
pub const LENGTH_OFFSET: u32 = 8;
/// Byte offset of an array's first element.
pub const ELEMENTS_OFFSET: u32 = 16;

/// Most address space of one machine: references to lock records have 31 bits (see `lock`), and
/// the remembered set counts 4-byte slots in 32 bits.
const MOST_RESERVED: usize = 16 << 30;
/// The largest main region: what is left beside the other regions and a generous booted base.
pub const MOST_MEMORY: usize = 13 << 30;
const LITERALS_SIZE: usize = 256 << 20;
const PERM_SIZE: usize = 512 << 20;
/// Room behind the hard end: one half for small objects that natives make in the middle of
/// something, the other for the objects of an `OutOfMemoryError` itself.
const RESERVE: usize = 8 << 20;
/// A collection that frees this much gives the pages back.
const GIVE_BACK: usize = 64 << 20;
/// So does a rollback that takes back this much.
const GIVE_BACK_UNDONE: usize = 16 << 20;
/// The most that is given from the reserve at once.
const MOST_SPARE: usize = 64 << 10;
/// Offsets inside objects have 32 bits.
const LARGEST_OBJECT: usize = u32::MAX as usize & !7;
/// First usable byte; granule 0 is `null`.
pub const FIRST_BYTE: usize = 4096;

/// The memory of one machine.
#[derive(Debug)]
#[repr(C)]
pub struct Heap {
    /// Start of the reserved region.
    pub base: *mut u8,
    /// Next free byte of the main region, relative to `base`.
    pub top: usize,
    /// Soft end of the main region: the interpreter asks for a collection past it.
    pub end: usize,
    /// Writes below this byte offset are logged. Zero where no mark is open.
    pub log_limit: usize,
    /// Reference writes below this byte offset take the slow path (log or remember).
    pub ref_limit: usize,
    /// Where the main region starts.
    pub main_start: usize,
    /// Objects of the main region from here on were born after the last collection.
    pub young_start: usize,
    /// Hard end of the main region.
    pub hard_end: usize,
    /// Next free byte of the literal region.
    pub literals_top: usize,
    /// Start of the literal region (also the end of the booted base).
    pub literals_start: usize,
    /// Next free byte of the permanent region.
    pub perm_top: usize,
    /// Start of the permanent region.
    pub perm_start: usize,
    /// Start of the raw region, end of the permanent one.
    pub raw_start: usize,
    /// The log behind open marks.
    pub trail: Trail,
    /// Where old objects may refer to young ones.
    pub remembered: Remembered,
    /// Bytes allocated between two young collections.
    pub nursery: usize,
    /// End of the booted base.
    pub base_end: usize,
    /// The hard end that `close_reserve` goes back to.
    limit_end: usize,
    /// Bytes of raw memory, at most.
    raw_limit: usize,
    /// The end that the machine was given; `limit_end` may be nearer.
    given_end: usize,
    reserved: usize,
    /// Bytes that collections have freed.
    n_freed: u64,
}

// SAFETY: a heap is owned by one machine and reached only through it.
unsafe impl Send for Heap {}

impl Heap {
    /// Reserves address space and lays out the regions behind `base_size` bytes of booted base.
    /// `limit` is the size of the main region in bytes.
    pub fn reserve(base_size: usize, limit: usize) -> io::Result<Heap> {
        let literals_start = (FIRST_BYTE + base_size).next_multiple_of(4096);
        let perm_start = literals_start + LITERALS_SIZE;
        let raw_start = perm_start + PERM_SIZE;
        let main_start = raw_start + raw::RAW_SIZE;
        if limit > MOST_MEMORY || main_start + limit > MOST_RESERVED - RESERVE {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("{} MiB for objects are more than references can reach", limit >> 20),
            ));
        }
        let hard_end = main_start + (limit & !7);
        let reserved = (hard_end + RESERVE).next_multiple_of(4096);
        // SAFETY: an anonymous private mapping without a wanted address has no preconditions.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                reserved,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Heap {
            base: base.cast(),
            top: main_start,
            end: hard_end.min(main_start + NURSERY),
            log_limit: 0,
            ref_limit: main_start,
            main_start,
            young_start: main_start,
            hard_end,
            literals_top: literals_start,
            literals_start,
            perm_top: perm_start,
            perm_start,
            raw_start,
            trail: Trail::new(reserved / 8)?,
            remembered: Remembered::new(reserved / 4)?,
            nursery: NURSERY,
            base_end: FIRST_BYTE + base_size,
            limit_end: hard_end,
            raw_limit: raw::RAW_SIZE,
            given_end: hard_end,
            reserved,
            n_freed: 0,
        })
    }

    /// Puts the booted base in its place: a private view of whole pages of a file.
    pub(crate) fn map_base(&mut self, file: &File, offset: usize) -> io::Result<()> {
        let len = (self.base_end - FIRST_BYTE).next_multiple_of(4096);
        // SAFETY: the base lies at the start of the reservation.
        map_private(file, offset, unsafe { self.base.add(FIRST_BYTE) }, len)
    }

    /// Lets allocation reach into the last reserve, for the objects of an `OutOfMemoryError`.
    pub fn open_reserve(&mut self) {
        self.hard_end = self.reserved - 4096;
    }

    /// Closes what `open_reserve` opened.
    pub fn close_reserve(&mut self) {
        self.hard_end = self.limit_end;
    }

    /// Lets the main region and raw memory grow by that many bytes each from here, if they were given so many.
    pub fn limit_growth(&mut self, n_bytes: usize) {
        self.raw_limit = self.raw_used().saturating_add(n_bytes).min(raw::RAW_SIZE);
        self.limit_end = self.given_end.min(self.top.saturating_add(n_bytes & !7));
        self.hard_end = self.limit_end;
        self.end = self.end.min(self.hard_end);
    }

    /// Bytes of the main region that were ever allocated and not rolled back.
    pub fn allocated(&self) -> u64 {
        self.n_freed + self.used() as u64
    }

    /// Bytes in use in the main region.
    pub fn used(&self) -> usize {
        self.top - self.main_start
    }

    /// Whether the object lies in the literal region or the booted base: it never moves and no
    /// rollback of this machine drops it.
    pub fn is_literal(&self, object: Ref) -> bool {
        object.byte_offset() < self.perm_start
    }

    /// Whether the object never moves.
    pub fn is_fixed(&self, object: Ref) -> bool {
        object.byte_offset() < self.main_start
    }

    /// Address of a byte inside an object.
    #[inline(always)]
    fn addr(&self, object: Ref, offset: u32) -> *mut u8 {
        debug_assert!(!object.is_null(), "internal: null dereference in the machine");
        debug_assert!(object.byte_offset() + (offset as usize) < self.reserved);
        // SAFETY: references and offsets come from the machine itself and lie inside the region.
        unsafe { self.base.add(object.byte_offset() + offset as usize) }
    }

    // ---- allocation -----------------------------------------------------------------------

    /// Allocates zeroed memory in the main region and writes the header; `None` when the hard
    /// limit is reached. `size` is in bytes and includes the header.
    #[inline]
    pub fn allocate(&mut self, class_id: u32, size: usize) -> Option<Ref> {
        let size = (size + 7) & !7;
        let start = self.top;
        if self.hard_end.saturating_sub(start) < size || size > LARGEST_OBJECT {
            return None;
        }
        self.top = start + size;
        Some(self.fresh(start, class_id, size))
    }

    /// As `allocate` past the hard end, for small objects that natives make in the middle of something.
    pub fn allocate_spare(&mut self, class_id: u32, size: usize) -> Option<Ref> {
        if size > MOST_SPARE {
            return None;
        }
        let limit = std::mem::replace(&mut self.hard_end, self.reserved - RESERVE / 2);
        let object = self.allocate(class_id, size);
        self.hard_end = limit;
        object
    }

    /// Allocates in the literal region: never rolled back, never moved.
    pub fn allocate_literal(&mut self, class_id: u32, size: usize) -> Option<Ref> {
        let size = (size + 7) & !7;
        let start = self.literals_top;
        if self.perm_start - start < size {
            return None;
        }
        self.literals_top = start + size;
        Some(self.fresh(start, class_id, size))
    }

    /// Allocates in the permanent region: rolled back, never moved. For class mirrors.
    pub fn allocate_perm(&mut self, class_id: u32, size: usize) -> Option<Ref> {
        let size = (size + 7) & !7;
        let start = self.perm_top;
        if self.raw_start - start < size {
            return None;
        }
        self.perm_top = start + size;
        Some(self.fresh(start, class_id, size))
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "granule indices fit 32 bits by layout")]
    fn fresh(&mut self, start: usize, class_id: u32, size: usize) -> Ref {
        // SAFETY: the caller checked that `size` bytes from `start` lie in the region.
        unsafe {
            let at = self.base.add(start);
            std::ptr::write_bytes(at, 0, size);
            at.cast::<u32>().write(class_id);
        }
        Ref((start >> 3) as u32)
    }
}

impl Heap {
    /// Everything below `new_top` is old from now on.
    pub fn collected(&mut self, new_top: usize) {
        let freed = self.top - new_top;
        self.n_freed += freed as u64;
        self.top = new_top;
        self.young_start = new_top;
        self.ref_limit = new_top;
        self.end = (new_top + self.nursery).min(self.hard_end);
        self.remembered.clear();
        if freed >= GIVE_BACK {
            self.give_back(self.end, new_top + freed);
        }
    }

    /// Gives back the pages between two places; the first is not below the top.
    #[cold]
    fn give_back(&mut self, start: usize, end: usize) {
        let start = start.next_multiple_of(4096);
        // SAFETY: nothing lives behind the top; dropped pages read as zero again.
        unsafe {
            libc::madvise(
                self.base.add(start).cast(),
                end.saturating_sub(start),
                libc::MADV_DONTNEED,
            );
        }
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `reserve` and nothing refers to it any more.
        unsafe {
            libc::munmap(self.base.cast(), self.reserved);
        }
    }
}

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
//! Rollback: a write below the youngest mark's limit logs the old granule in the trail (`trail.rs`).
//! Objects born after the mark need no log. Invariant: every write into the heap goes through a
//! `store_*`/`bulk_*` function here or through the same barrier in the interpreter.
//!
//! This module and the interpreter are where `unsafe` lives: addresses come from references that
//! the machine itself made, and verified bytecode cannot forge one.
#![expect(unsafe_code, reason = "the heap is raw memory; see the module text")]

pub mod raw;
pub mod trail;

use std::io;

use crate::value::Ref;
use trail::Trail;

/// Byte offset of the class id in every object.
pub const CLASS_OFFSET: u32 = 0;
/// Byte offset of the meta word (lock state or identity hash).
pub const META_OFFSET: u32 = 4;
/// Byte offset of the first instance field.
pub const FIELDS_OFFSET: u32 = 8;
/// Byte offset of an array's length.
pub const LENGTH_OFFSET: u32 = 8;
/// Byte offset of an array's first element.
pub const ELEMENTS_OFFSET: u32 = 16;

/// Address space set aside per machine. Only touched pages cost memory.
const RESERVED: usize = 32 << 30;
const LITERALS_SIZE: usize = 256 << 20;
const PERM_SIZE: usize = 512 << 20;
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
    reserved: usize,
}

// SAFETY: a heap is owned by one machine and reached only through it.
unsafe impl Send for Heap {}

impl Heap {
    /// Reserves address space and lays out the regions behind `base_size` bytes of booted base.
    /// `limit` is the size of the main region in bytes.
    pub fn reserve(base_size: usize, limit: usize) -> io::Result<Heap> {
        // SAFETY: an anonymous private mapping without a wanted address has no preconditions.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                RESERVED,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let literals_start = (FIRST_BYTE + base_size).next_multiple_of(4096);
        let perm_start = literals_start + LITERALS_SIZE;
        let raw_start = perm_start + PERM_SIZE;
        let main_start = raw_start + raw::RAW_SIZE;
        let hard_end = (main_start + limit).min(RESERVED - 4096);
        Ok(Heap {
            base: base.cast(),
            top: main_start,
            end: hard_end,
            log_limit: 0,
            ref_limit: 0,
            main_start,
            hard_end,
            literals_top: literals_start,
            literals_start,
            perm_top: perm_start,
            perm_start,
            raw_start,
            trail: Trail::new(RESERVED / 8)?,
            reserved: RESERVED,
        })
    }

    /// Bytes in use in the main region.
    pub fn used(&self) -> usize {
        self.top - self.main_start
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
        if self.hard_end - start < size {
            return None;
        }
        self.top = start + size;
        Some(self.fresh(start, class_id, size))
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

    // ---- typed reads ----------------------------------------------------------------------

    /// Class id of an object.
    #[inline(always)]
    pub fn class_id(&self, object: Ref) -> u32 {
        self.load_u32(object, CLASS_OFFSET)
    }

    /// Length of an array.
    #[inline(always)]
    pub fn array_length(&self, array: Ref) -> u32 {
        self.load_u32(array, LENGTH_OFFSET)
    }

    /// Reads one byte.
    #[inline(always)]
    pub fn load_u8(&self, object: Ref, offset: u32) -> u8 {
        // SAFETY: see `addr`.
        unsafe { self.addr(object, offset).read() }
    }

    /// Reads two bytes.
    #[inline(always)]
    pub fn load_u16(&self, object: Ref, offset: u32) -> u16 {
        // SAFETY: see `addr`.
        unsafe { self.addr(object, offset).cast::<u16>().read_unaligned() }
    }

    /// Reads four bytes.
    #[inline(always)]
    pub fn load_u32(&self, object: Ref, offset: u32) -> u32 {
        // SAFETY: see `addr`.
        unsafe { self.addr(object, offset).cast::<u32>().read_unaligned() }
    }

    /// Reads eight bytes.
    #[inline(always)]
    pub fn load_u64(&self, object: Ref, offset: u32) -> u64 {
        // SAFETY: see `addr`.
        unsafe { self.addr(object, offset).cast::<u64>().read_unaligned() }
    }

    /// Reads a reference.
    #[inline(always)]
    pub fn load_ref(&self, object: Ref, offset: u32) -> Ref {
        Ref(self.load_u32(object, offset))
    }

    /// Element of a reference array, unchecked index.
    #[inline(always)]
    pub fn element_ref(&self, array: Ref, idx: u32) -> Ref {
        self.load_ref(array, ELEMENTS_OFFSET + idx * 4)
    }

    /// A view of `len` bytes inside an object.
    #[inline]
    pub fn bytes(&self, object: Ref, offset: u32, len: usize) -> &[u8] {
        // SAFETY: see `addr`; the caller stays inside the object.
        unsafe { std::slice::from_raw_parts(self.addr(object, offset), len) }
    }

    // ---- barriers and typed writes --------------------------------------------------------

    /// Logs the granule at this byte offset if an open mark needs it.
    #[inline(always)]
    pub fn before_write(&mut self, at: usize) {
        if at < self.log_limit {
            self.log(at);
        }
    }

    /// Logs all granules of a range that is about to be written in bulk.
    #[inline]
    pub fn before_bulk_write(&mut self, at: usize, len: usize) {
        if at < self.log_limit && len > 0 {
            let end = (at + len).min(self.log_limit);
            let mut granule = at & !7;
            while granule < end {
                self.log(granule);
                granule += 8;
            }
        }
    }

    /// The slow half of the barrier: remembers the old content of one granule.
    #[cold]
    #[inline(never)]
    pub fn log(&mut self, at: usize) {
        // Literals outlive rollbacks, but their hash caches do not have to.
        let granule = at >> 3;
        // SAFETY: `at` is a byte offset inside the region.
        let old = unsafe { self.base.add(granule << 3).cast::<u64>().read() };
        self.trail.log(granule, old);
    }

    /// Writes one byte.
    #[inline(always)]
    pub fn store_u8(&mut self, object: Ref, offset: u32, value: u8) {
        self.before_write(object.byte_offset() + offset as usize);
        // SAFETY: see `addr`.
        unsafe { self.addr(object, offset).write(value) }
    }

    /// Writes two bytes.
    #[inline(always)]
    pub fn store_u16(&mut self, object: Ref, offset: u32, value: u16) {
        self.before_write(object.byte_offset() + offset as usize);
        if offset & 7 == 7 {
            self.before_write(object.byte_offset() + offset as usize + 1);
        }
        // SAFETY: see `addr`.
        unsafe { self.addr(object, offset).cast::<u16>().write_unaligned(value) }
    }

    /// Writes four bytes.
    #[inline(always)]
    pub fn store_u32(&mut self, object: Ref, offset: u32, value: u32) {
        self.before_write(object.byte_offset() + offset as usize);
        if offset & 7 > 4 {
            self.before_write(object.byte_offset() + offset as usize + 3);
        }
        // SAFETY: see `addr`.
        unsafe { self.addr(object, offset).cast::<u32>().write_unaligned(value) }
    }

    /// Writes eight bytes.
    #[inline(always)]
    pub fn store_u64(&mut self, object: Ref, offset: u32, value: u64) {
        self.before_write(object.byte_offset() + offset as usize);
        if offset & 7 != 0 {
            self.before_write(object.byte_offset() + offset as usize + 7);
        }
        // SAFETY: see `addr`.
        unsafe { self.addr(object, offset).cast::<u64>().write_unaligned(value) }
    }

    /// Writes a reference.
    #[inline(always)]
    pub fn store_ref(&mut self, object: Ref, offset: u32, value: Ref) {
        self.before_write(object.byte_offset() + offset as usize);
        // SAFETY: see `addr`.
        unsafe { self.addr(object, offset).cast::<u32>().write_unaligned(value.0) }
    }

    /// Writes an element of a reference array, unchecked index and type.
    #[inline(always)]
    pub fn set_element_ref(&mut self, array: Ref, idx: u32, value: Ref) {
        self.store_ref(array, ELEMENTS_OFFSET + idx * 4, value);
    }

    /// Writes bytes into an object.
    pub fn store_bytes(&mut self, object: Ref, offset: u32, bytes: &[u8]) {
        self.before_bulk_write(object.byte_offset() + offset as usize, bytes.len());
        // SAFETY: see `addr`; the caller stays inside the object.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.addr(object, offset), bytes.len());
        }
    }

    /// Copies bytes between objects (or inside one); overlapping ranges are handled.
    pub fn copy(&mut self, from: Ref, from_offset: u32, to: Ref, to_offset: u32, len: usize) {
        self.before_bulk_write(to.byte_offset() + to_offset as usize, len);
        // SAFETY: see `addr`; the caller stays inside both objects.
        unsafe { std::ptr::copy(self.addr(from, from_offset), self.addr(to, to_offset), len) }
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

//! Typed reads and writes of object memory, with the barriers that every write passes.
//!
//! Two barriers, one compare each. Any write below `log_limit` is logged in the trail. A write of a
//! reference below `ref_limit` is logged where a mark is open, else its slot is remembered for the
//! next young collection. `ref_limit` is the larger of the two limits, so one compare serves both.
//! Bulk writes cannot tell references from other data: they remember the whole object.
#![expect(unsafe_code, reason = "the heap is raw memory; see `heap.rs`")]

use super::{CLASS_OFFSET, ELEMENTS_OFFSET, Heap, LENGTH_OFFSET, META_OFFSET, META_RECORD};
use crate::value::Ref;

impl Heap {
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

    /// Logs all granules of a range that is about to be written in bulk, references not among
    /// what is written; else use `copy`.
    #[inline]
    pub fn before_bulk_write(&mut self, at: usize, len: usize) {
        if at < self.log_limit && len > 0 {
            self.log_range(at, len);
        }
    }

    /// Passes the barrier of a reference write at this byte offset.
    #[inline(always)]
    pub fn before_ref_write(&mut self, at: usize) {
        if at < self.ref_limit {
            self.note_ref_write(at);
        }
    }

    /// The slow half of the reference barrier: logs the granule where a mark is open, else
    /// remembers the slot for the next young collection; both where writes are watched.
    #[cold]
    #[inline(never)]
    pub fn note_ref_write(&mut self, at: usize) {
        if at < self.log_limit {
            self.log(at);
            if !self.is_to_be_remembered(at) {
                return;
            }
        }
        self.remembered.slot(at);
    }

    #[cold]
    #[inline(never)]
    fn log_range(&mut self, at: usize, len: usize) {
        let end = (at + len).min(self.log_limit);
        let mut granule = at & !7;
        while granule < end {
            self.log(granule);
            granule += 8;
        }
    }

    /// The slow half of the barrier: remembers the old content of one granule.
    #[cold]
    #[inline(never)]
    pub fn log(&mut self, at: usize) {
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
        self.before_ref_write(object.byte_offset() + offset as usize);
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

    /// Copies bytes, references among them or not, between objects (or inside one); overlapping
    /// ranges are handled.
    pub fn copy(&mut self, from: Ref, from_offset: u32, to: Ref, to_offset: u32, len: usize) {
        let at = to.byte_offset() + to_offset as usize;
        if at < self.ref_limit && len > 0 {
            let is_logged = at < self.log_limit;
            if is_logged {
                self.log_range(at, len);
            }
            if (!is_logged || self.is_to_be_remembered(at)) && to.byte_offset() != self.raw_start {
                self.remembered.object(to);
            }
        }
        // SAFETY: see `addr`; the caller stays inside both objects.
        unsafe { std::ptr::copy(self.addr(from, from_offset), self.addr(to, to_offset), len) }
    }

    /// Writes the meta word. A lock record it refers to is kept by the collector.
    #[inline]
    pub fn store_meta(&mut self, object: Ref, meta: u32) {
        let at = object.byte_offset() + META_OFFSET as usize;
        self.before_write(at);
        let is_watched = self.log_limit == 0 || self.is_to_be_remembered(at);
        if meta & META_RECORD != 0 && is_watched && at < self.ref_limit {
            self.remembered.object(object);
        }
        // SAFETY: see `addr`.
        unsafe { self.addr(object, META_OFFSET).cast::<u32>().write(meta) }
    }

    /// Reads the meta word.
    #[inline(always)]
    pub fn meta(&self, object: Ref) -> u32 {
        self.load_u32(object, META_OFFSET)
    }

    /// Writes four bytes of an object that no open mark has seen: nothing is logged. For literals,
    /// which outlive rollbacks.
    #[inline]
    pub fn init_u32(&mut self, object: Ref, offset: u32, value: u32) {
        // SAFETY: see `addr`.
        unsafe { self.addr(object, offset).cast::<u32>().write_unaligned(value) }
    }

    /// As `init_u32` for one byte.
    #[inline]
    pub fn init_u8(&mut self, object: Ref, offset: u32, value: u8) {
        // SAFETY: see `addr`.
        unsafe { self.addr(object, offset).write(value) }
    }

    /// As `init_u32` for bytes.
    pub fn init_bytes(&mut self, object: Ref, offset: u32, bytes: &[u8]) {
        // SAFETY: see `addr`; the caller stays inside the object.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.addr(object, offset), bytes.len());
        }
    }
}

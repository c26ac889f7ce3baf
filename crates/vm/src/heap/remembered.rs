//! The remembered set: where objects that a young collection does not look at were given
//! references since the last collection.
//!
//! Single writes remember their 4-byte slot; bulk writes, which cannot tell references from other
//! data, and writes of lock records remember the whole object. A bit per slot (the object's first
//! slot, which holds its class, stands for the object) keeps each from being remembered twice.
//! The bits are lazily committed memory, touched only where old objects are written.
#![expect(unsafe_code, reason = "a lazily committed side table is raw memory")]

use std::io;

use crate::stack::Reserved;
use crate::value::Ref;

/// See the module text.
#[derive(Debug)]
pub struct Remembered {
    /// Byte offsets of slots, divided by four.
    slots: Vec<u32>,
    objects: Vec<Ref>,
    bits: Reserved<u64>,
}

impl Remembered {
    /// An empty set for a region of that many slots.
    pub fn new(n_slots: usize) -> io::Result<Remembered> {
        Ok(Remembered {
            slots: Vec::new(),
            objects: Vec::new(),
            bits: Reserved::new(n_slots / 64 + 1)?,
        })
    }

    /// Remembers the slot at a byte offset.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "slot indices fit 32 bits by layout")]
    pub fn slot(&mut self, at: usize) {
        let slot = (at >> 2) as u32;
        if self.set(slot) {
            self.slots.push(slot);
        }
    }

    /// Remembers an object.
    pub fn object(&mut self, object: Ref) {
        if self.set(object.0 << 1) {
            self.objects.push(object);
        }
    }

    /// Byte offsets of the remembered slots, in the order of the writes.
    pub fn slots(&self) -> impl Iterator<Item = usize> + '_ {
        self.slots.iter().map(|&slot| (slot as usize) << 2)
    }

    /// The remembered objects.
    pub fn objects(&self) -> &[Ref] {
        &self.objects
    }

    /// Whether the slot at a byte offset is remembered by itself.
    pub fn has_slot(&self, at: usize) -> bool {
        // SAFETY: slots come from the heap this set was made for.
        unsafe { *self.bits.start().add(at >> 8) >> (at >> 2 & 63) & 1 != 0 }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        for slot in self.slots.drain(..).chain(self.objects.drain(..).map(|o| o.0 << 1)) {
            // SAFETY: `set` was called with the same slot.
            unsafe { *self.bits.start().add(slot as usize >> 6) = 0 }
        }
    }

    /// Sets a bit; gives whether it was clear.
    #[inline]
    fn set(&mut self, slot: u32) -> bool {
        debug_assert!((slot as usize >> 6) < self.bits.capacity());
        // SAFETY: slots come from the heap this set was made for.
        let word = unsafe { &mut *self.bits.start().add(slot as usize >> 6) };
        let bit = 1 << (slot & 63);
        let fresh = *word & bit == 0;
        *word |= bit;
        fresh
    }
}

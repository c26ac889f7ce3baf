//! Raw memory: what `Unsafe.allocateMemory` gives and direct buffers live in.
//!
//! Addresses are made up and mean nothing outside: an offset into a region of the heap's own
//! reservation. Every access is checked against the part in use, so a hostile address can disturb
//! other raw memory of the same program, never the machine. All of it, the allocator's own lists
//! included, lies in the region and is written through the heap's barrier, so marks and rollbacks
//! hold for raw memory as for objects.
//!
//! Layout: one word `top`, one word per size class (head of its free list), then blocks. A block
//! has a head of two words: its class and the size asked for, or, when free, the next free block.
//! The lists may be overwritten by the program under test; they are checked as they are followed.

use super::Heap;
use crate::value::Ref;

/// The address of the first byte of the region.
const FIRST_ADDRESS: u64 = 0x7f00_0000_0000;
/// Size of the region; offsets fit 32 bits.
pub const RAW_SIZE: usize = 2 << 30;

const BLOCK_HEAD: u32 = 16;
const SMALL_STEP: u32 = 16;
/// Classes 1 to 64 hold that many steps; the following ones powers of two.
const N_SMALL: u32 = 64;
const N_CLASSES: u32 = 96;
const BLOCKS_START: u32 = 8 * N_CLASSES;
/// Marks the second head word of a block in use.
const IN_USE: u64 = 1 << 63;

impl Heap {
    fn raw_region(&self) -> Ref {
        #[expect(clippy::cast_possible_truncation, reason = "granule indices fit 32 bits")]
        Ref((self.raw_start >> 3) as u32)
    }

    fn raw_word(&self, offset: u32) -> u64 {
        self.load_u64(self.raw_region(), offset)
    }

    fn set_raw_word(&mut self, offset: u32, word: u64) {
        self.store_u64(self.raw_region(), offset, word);
    }

    /// End of the part in use.
    fn raw_top(&self) -> u32 {
        u32::try_from(self.raw_word(0)).unwrap_or(0).clamp(BLOCKS_START, RAW_SIZE as u32)
    }

    /// Bytes in use.
    pub(super) fn raw_used(&self) -> usize {
        self.raw_top() as usize
    }

    /// All of the part in use, the allocator's own words included.
    pub(crate) fn raw_all(&self) -> &[u8] {
        self.bytes(self.raw_region(), 0, self.raw_top() as usize)
    }

    /// Puts back what `raw_all` gave, into a region that was never used.
    pub(crate) fn raw_restore(&mut self, all: &[u8]) {
        self.init_bytes(self.raw_region(), 0, all);
    }

    /// A zeroed block; `None` when the region is full.
    #[expect(clippy::cast_possible_truncation, reason = "bounded by RAW_SIZE")]
    pub fn raw_allocate(&mut self, size: u64) -> Option<u64> {
        if size > (RAW_SIZE / 2) as u64 {
            return None;
        }
        let (class, room) = class_of(size as u32);
        let head = 8 * class;
        if let Some(block) = self.raw_free_block(head, class) {
            let next = self.raw_word(block + 8);
            self.set_raw_word(head, next);
            self.set_raw_word(block + 8, IN_USE | size);
            let zeros = vec![0; room as usize];
            self.store_bytes(self.raw_region(), block + BLOCK_HEAD, &zeros);
            return Some(address_of(block + BLOCK_HEAD));
        }
        let block = self.raw_top();
        let end = u64::from(block) + u64::from(BLOCK_HEAD) + u64::from(room);
        if end > self.raw_limit as u64 {
            return None;
        }
        self.set_raw_word(0, end);
        self.set_raw_word(block, u64::from(class));
        self.set_raw_word(block + 8, IN_USE | size);
        Some(address_of(block + BLOCK_HEAD))
    }

    /// The first block of a free list, if it is one.
    fn raw_free_block(&mut self, head: u32, class: u32) -> Option<u32> {
        let first = self.raw_word(head);
        if first == 0 {
            return None;
        }
        let block = u32::try_from(first).ok().filter(|&block| {
            block >= BLOCKS_START
                && block % 16 == BLOCKS_START % 16
                && u64::from(block) + u64::from(BLOCK_HEAD) <= u64::from(self.raw_top())
                && self.raw_word(block) == u64::from(class)
                && self.raw_word(block + 8) & IN_USE == 0
        });
        if block.is_none() {
            // Overwritten by the program: forget the list.
            self.set_raw_word(head, 0);
        }
        block
    }

    /// The head of the block that begins at an address.
    fn raw_block(&self, address: u64) -> Option<(u32, u32)> {
        let offset = u32::try_from(address.checked_sub(FIRST_ADDRESS)?).ok()?;
        let block = offset.checked_sub(BLOCK_HEAD)?;
        if block < BLOCKS_START || block % 16 != BLOCKS_START % 16 || offset > self.raw_top() {
            return None;
        }
        let class = u32::try_from(self.raw_word(block)).ok()?;
        let in_use = self.raw_word(block + 8) & IN_USE != 0;
        (in_use && 0 < class && class < N_CLASSES).then_some((block, class))
    }

    /// Size that was asked for a block; `None` where there is no block at this address.
    pub fn raw_size(&self, address: u64) -> Option<u64> {
        let (block, _) = self.raw_block(address)?;
        Some(self.raw_word(block + 8) & !IN_USE)
    }

    /// Gives a block back. What is no block is left alone.
    pub fn raw_free(&mut self, address: u64) {
        let Some((block, class)) = self.raw_block(address) else { return };
        let next = self.raw_word(8 * class);
        self.set_raw_word(block + 8, next & !IN_USE);
        self.set_raw_word(8 * class, u64::from(block));
    }

    /// Offset in the region of `len` bytes at an address, if they are in the part in use.
    fn raw_offset(&self, address: u64, len: usize) -> Option<u32> {
        let offset = address.checked_sub(FIRST_ADDRESS)?;
        let end = offset.checked_add(len as u64)?;
        if offset < u64::from(BLOCKS_START) || end > u64::from(self.raw_top()) {
            return None;
        }
        u32::try_from(offset).ok()
    }

    /// The bytes at an address; `None` where that is not raw memory in use.
    pub fn raw_bytes(&self, address: u64, len: usize) -> Option<&[u8]> {
        let offset = self.raw_offset(address, len)?;
        Some(self.bytes(self.raw_region(), offset, len))
    }

    /// Writes bytes at an address; `false` where that is not raw memory in use.
    #[must_use]
    pub fn raw_store(&mut self, address: u64, bytes: &[u8]) -> bool {
        let Some(offset) = self.raw_offset(address, bytes.len()) else { return false };
        self.store_bytes(self.raw_region(), offset, bytes);
        true
    }

    /// Where `len` bytes at an address lie in terms of objects, for copies between the two.
    pub fn raw_place(&self, address: u64, len: usize) -> Option<(Ref, u32)> {
        Some((self.raw_region(), self.raw_offset(address, len)?))
    }
}

fn address_of(offset: u32) -> u64 {
    FIRST_ADDRESS + u64::from(offset)
}

/// The size class of a block and the bytes it holds.
fn class_of(size: u32) -> (u32, u32) {
    let steps = size.div_ceil(SMALL_STEP).max(1);
    if steps <= N_SMALL {
        return (steps, steps * SMALL_STEP);
    }
    let room = size.next_power_of_two();
    // 2048 is the first power of two past the small classes.
    (N_SMALL + 1 + room.trailing_zeros() - 11, room)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_freed_block_is_given_again_and_is_zero() {
        let mut heap = Heap::reserve(0, 1 << 20).expect("room");
        let first = heap.raw_allocate(100).expect("room");
        assert!(heap.raw_store(first, &[7; 100]));
        let second = heap.raw_allocate(100).expect("room");
        assert_ne!(first, second);
        heap.raw_free(first);
        let third = heap.raw_allocate(97).expect("room");
        assert_eq!(first, third);
        assert_eq!(heap.raw_bytes(third, 97), Some(&[0; 97][..]));
        assert_eq!(heap.raw_size(third), Some(97));
    }

    #[test]
    fn hostile_addresses_reach_nothing() {
        let mut heap = Heap::reserve(0, 1 << 20).expect("room");
        let block = heap.raw_allocate(8).expect("room");
        for address in [0, 1, 8, FIRST_ADDRESS, FIRST_ADDRESS + 8, u64::MAX, block + (1 << 31)] {
            assert_eq!(heap.raw_bytes(address, 8), None, "{address:x}");
            assert!(!heap.raw_store(address, &[1]), "{address:x}");
            heap.raw_free(address);
        }
        assert_eq!(heap.raw_bytes(block, usize::MAX), None);
    }

    #[test]
    fn an_overwritten_free_list_is_forgotten() {
        let mut heap = Heap::reserve(0, 1 << 20).expect("room");
        let block = heap.raw_allocate(8).expect("room");
        heap.raw_free(block);
        // The list word of the free block now leads nowhere.
        assert!(heap.raw_store(block - 8, &(u64::MAX >> 1).to_le_bytes()));
        assert_eq!(heap.raw_allocate(8), Some(block));
        let next = heap.raw_allocate(8).expect("room");
        assert_ne!(next, block);
    }

    #[test]
    fn every_size_fits_its_class() {
        for size in (0..5000).chain([1 << 16, (1 << 16) + 1, 1 << 29, 1 << 30]) {
            let (class, room) = class_of(size);
            assert!(room >= size && 0 < class && class < N_CLASSES, "{size}");
        }
    }
}

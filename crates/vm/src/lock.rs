//! Locks and identity hashes, both in the meta word of an object's header.
//!
//! ```text
//! 00 hhhhhhhh…  nobody holds the lock; identity hash, zero while there is none
//! 01 oooo… cccc thin lock: owner (20 bits) and number of holds less one (10 bits); no hash
//! 1  rrrrrrrr…  inflated: granule of a lock record, a plain `long[]` in the heap
//! ```
//!
//! An object is inflated where the thin form has no room: it has a hash and is locked, is locked
//! too often, by a thread with a large number, or another thread wants the lock. The record has
//! owner + 1, number of holds, hash and whether somebody waits. A record without a hash is given
//! up when the lock is; one with a hash stays and is used again.
//!
//! For the collector: the word of an inflated object is a reference (`record_of`, `set_record`) to
//! an ordinary array that nothing else refers to. For time travel: every change is a store through
//! the heap, so the trail undoes it. Who waits for a lock is not here but in the threads' states,
//! and waking them is left to the scheduler, which sees for itself that a lock is free.

use crate::frame::{Res, Trap};
use crate::heap::{ELEMENTS_OFFSET, Heap, LENGTH_OFFSET, META_OFFSET};
use crate::seeded::mix;
use crate::thread::State;
use crate::value::{Kind, Ref, ThreadId};
use crate::vm::Vm;

const THIN: u32 = 1 << 30;
const INFLATED: u32 = 1 << 31;
const COUNT_BITS: u32 = 10;
const COUNT_MASK: u32 = (1 << COUNT_BITS) - 1;
const OWNER_BITS: u32 = 20;
const HASH_MASK: u32 = THIN - 1;

/// Words of a lock record.
const RECORD_WORDS: u32 = 4;
const OWNER_AT: u32 = ELEMENTS_OFFSET;
const COUNT_AT: u32 = ELEMENTS_OFFSET + 8;
const HASH_AT: u32 = ELEMENTS_OFFSET + 16;
const WANTED_AT: u32 = ELEMENTS_OFFSET + 24;

/// What a meta word says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    Free { hash: u32 },
    Thin { owner: ThreadId, holds: u32 },
    Inflated(Ref),
}

fn decode(word: u32) -> Word {
    if word & INFLATED != 0 {
        Word::Inflated(Ref(word & !INFLATED))
    } else if word & THIN != 0 {
        let owner = (word & HASH_MASK) >> COUNT_BITS;
        Word::Thin { owner: ThreadId(owner), holds: (word & COUNT_MASK) + 1 }
    } else {
        Word::Free { hash: word }
    }
}

fn thin(owner: ThreadId, holds: u32) -> Option<u32> {
    let fits = owner.0 >> OWNER_BITS == 0 && (1..=COUNT_MASK + 1).contains(&holds);
    fits.then(|| THIN | owner.0 << COUNT_BITS | (holds - 1))
}

/// The thin-lock word of a thread that holds a lock once; zero where its number is too large.
pub fn lock_tag(id: ThreadId) -> u32 {
    thin(id, 1).unwrap_or(0)
}

/// The lock record that a meta word refers to, if any.
#[inline]
pub fn record_of(word: u32) -> Option<Ref> {
    if word & INFLATED != 0 { Some(Ref(word & !INFLATED)) } else { None }
}

/// The meta word that refers to a record, for a collector that moves records.
#[inline]
pub fn record_word(record: Ref) -> u32 {
    INFLATED | record.0
}

/// What became of an attempt to lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attempt {
    /// The lock is held.
    Got,
    /// Another thread holds it.
    Busy,
    /// Inflate the object, then try again.
    Inflate,
}

/// What became of an attempt to unlock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Release {
    /// One hold less, or free with nobody waiting.
    Done,
    /// Free, and somebody wants it.
    Wanted,
    /// This thread does not hold it.
    NotOwner,
}

/// The word after a thread with this tag locked, where no record is needed. A tag of zero has none.
#[inline(always)]
fn fast_acquired(word: u32, tag: u32) -> Option<u32> {
    if word == 0 && tag != 0 {
        Some(tag)
    } else if tag != 0 && word & !COUNT_MASK == tag && word & COUNT_MASK != COUNT_MASK {
        Some(word + 1)
    } else {
        None
    }
}

/// The word after a thread with this tag unlocked, where no record is needed.
#[inline(always)]
fn fast_released(word: u32, tag: u32) -> Option<u32> {
    if tag == 0 || word & !COUNT_MASK != tag {
        return None;
    }
    Some(if word == tag { 0 } else { word - 1 })
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "owners, counts and hashes are 32-bit words in 64-bit slots"
)]
fn record_owner(heap: &Heap, record: Ref) -> Option<(ThreadId, u32)> {
    let owner = heap.load_u64(record, OWNER_AT);
    let holds = heap.load_u64(record, COUNT_AT) as u32;
    (owner != 0).then(|| (ThreadId((owner - 1) as u32), holds))
}

/// Who holds the lock of an object, and how often.
fn holder(heap: &Heap, object: Ref) -> Option<(ThreadId, u32)> {
    match decode(heap.load_u32(object, META_OFFSET)) {
        Word::Free { .. } => None,
        Word::Thin { owner, holds } => Some((owner, holds)),
        Word::Inflated(record) => record_owner(heap, record),
    }
}

/// Adds `holds` to the lock.
fn acquire(heap: &mut Heap, object: Ref, me: ThreadId, holds: u32) -> Attempt {
    let word = match decode(heap.load_u32(object, META_OFFSET)) {
        Word::Free { hash: 0 } => thin(me, holds),
        Word::Free { .. } => None,
        Word::Thin { owner, holds: old } if owner == me => thin(me, old + holds),
        Word::Thin { .. } => return Attempt::Busy,
        Word::Inflated(record) => {
            let old = match record_owner(heap, record) {
                None => 0,
                Some((owner, old)) if owner == me => old,
                Some(_) => return Attempt::Busy,
            };
            heap.store_u64(record, OWNER_AT, u64::from(me.0) + 1);
            heap.store_u64(record, COUNT_AT, u64::from(old + holds));
            return Attempt::Got;
        }
    };
    match word {
        Some(word) => {
            heap.store_u32(object, META_OFFSET, word);
            Attempt::Got
        }
        None => Attempt::Inflate,
    }
}

/// Takes `holds` from the lock.
fn release(heap: &mut Heap, object: Ref, me: ThreadId, holds: u32) -> Release {
    match decode(heap.load_u32(object, META_OFFSET)) {
        Word::Thin { owner, holds: old } if owner == me && holds <= old => {
            let word = if old == holds { 0 } else { thin(me, old - holds).unwrap_or(0) };
            heap.store_u32(object, META_OFFSET, word);
            Release::Done
        }
        Word::Inflated(record) => {
            let Some((owner, old)) = record_owner(heap, record) else { return Release::NotOwner };
            if owner != me || old < holds {
                return Release::NotOwner;
            }
            heap.store_u64(record, COUNT_AT, u64::from(old - holds));
            if holds < old {
                return Release::Done;
            }
            heap.store_u64(record, OWNER_AT, 0);
            let wanted = heap.load_u64(record, WANTED_AT) != 0;
            if wanted {
                heap.store_u64(record, WANTED_AT, 0);
            }
            if heap.load_u64(record, HASH_AT) == 0 {
                heap.store_u32(object, META_OFFSET, 0);
            }
            if wanted { Release::Wanted } else { Release::Done }
        }
        _ => Release::NotOwner,
    }
}

/// Moves what the meta word says into a fresh record. Inflated objects stay as they are.
fn inflate(heap: &mut Heap, object: Ref, record: Ref) {
    let (owner, holds, hash) = match decode(heap.load_u32(object, META_OFFSET)) {
        Word::Free { hash } => (0, 0, hash),
        Word::Thin { owner, holds } => (u64::from(owner.0) + 1, holds, 0),
        Word::Inflated(_) => return,
    };
    heap.store_u64(record, OWNER_AT, owner);
    heap.store_u64(record, COUNT_AT, u64::from(holds));
    heap.store_u64(record, HASH_AT, u64::from(hash));
    heap.store_u64(record, WANTED_AT, 0);
    heap.store_meta(object, record_word(record));
}

/// The identity hash, zero while there is none.
#[expect(clippy::cast_possible_truncation, reason = "hashes are 30-bit words in 64-bit slots")]
fn hash_of(heap: &Heap, object: Ref) -> u32 {
    match decode(heap.load_u32(object, META_OFFSET)) {
        Word::Free { hash } => hash,
        Word::Thin { .. } => 0,
        Word::Inflated(record) => heap.load_u64(record, HASH_AT) as u32,
    }
}

/// Gives an object its identity hash; `false` where it must be inflated first.
fn set_hash(heap: &mut Heap, object: Ref, hash: u32) -> bool {
    match decode(heap.load_u32(object, META_OFFSET)) {
        Word::Free { .. } => heap.store_u32(object, META_OFFSET, hash),
        Word::Thin { .. } => return false,
        Word::Inflated(record) => heap.store_u64(record, HASH_AT, u64::from(hash)),
    }
    true
}

impl Vm {
    /// Locks an object for the running thread if that takes no more than one store: nobody holds
    /// it and it has no hash, or this thread holds it already.
    #[inline(always)]
    pub fn lock_fast(&mut self, object: Ref) -> bool {
        let word = self.heap.load_u32(object, META_OFFSET);
        match fast_acquired(word, self.scheduler.lock_tag) {
            Some(new) => {
                self.heap.store_u32(object, META_OFFSET, new);
                true
            }
            None => false,
        }
    }

    /// Unlocks an object if that takes no more than one store.
    #[inline(always)]
    pub fn unlock_fast(&mut self, object: Ref) -> bool {
        let word = self.heap.load_u32(object, META_OFFSET);
        match fast_released(word, self.scheduler.lock_tag) {
            Some(new) => {
                self.heap.store_u32(object, META_OFFSET, new);
                true
            }
            None => false,
        }
    }

    /// Locks an object for the running thread (`monitorenter`). Where another thread holds the
    /// lock, the running thread is put to sleep: `Trap::Blocked`, and the caller repeats.
    pub fn lock(&mut self, object: Ref) -> Res<()> {
        if self.lock_fast(object) {
            return Ok(());
        }
        self.lock_again(object, 1)
    }

    /// As `lock`, for `holds` holds at once (after `Object.wait`).
    pub fn lock_again(&mut self, object: Ref, holds: u32) -> Res<()> {
        let me = self.threads[self.current].id;
        loop {
            match acquire(&mut self.heap, object, me, holds) {
                Attempt::Got => return Ok(()),
                Attempt::Inflate => self.inflate(object)?,
                Attempt::Busy => {
                    self.inflate(object)?;
                    if let Some(record) = record_of(self.heap.load_u32(object, META_OFFSET)) {
                        self.heap.store_u64(record, WANTED_AT, 1);
                    }
                    self.block(State::Blocked(object));
                    return Err(Trap::Blocked);
                }
            }
        }
    }

    /// Unlocks an object (`monitorexit`).
    pub fn unlock(&mut self, object: Ref) -> Res<()> {
        if self.unlock_fast(object) {
            return Ok(());
        }
        let me = self.threads[self.current].id;
        match release(&mut self.heap, object, me, 1) {
            Release::Done => Ok(()),
            Release::Wanted => {
                self.end_turn();
                Ok(())
            }
            Release::NotOwner => Err(self.throw_plain("java/lang/IllegalMonitorStateException")),
        }
    }

    /// Gives up all holds of the running thread (`Object.wait`); gives their number, `None` where
    /// it does not hold the lock.
    pub fn unlock_wholly(&mut self, object: Ref) -> Option<u32> {
        let me = self.threads[self.current].id;
        let (owner, holds) = holder(&self.heap, object)?;
        if owner != me {
            return None;
        }
        release(&mut self.heap, object, me, holds);
        Some(holds)
    }

    /// Whether the running thread holds the lock of an object.
    pub fn holds_lock(&self, object: Ref) -> bool {
        self.lock_owner(object) == Some(self.threads[self.current].id)
    }

    /// The thread that holds the lock of an object.
    pub fn lock_owner(&self, object: Ref) -> Option<ThreadId> {
        holder(&self.heap, object).map(|(owner, _)| owner)
    }

    /// `System.identityHashCode`: seeded, given out in order of asking.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        reason = "masked to 30 bits"
    )]
    pub fn identity_hash(&mut self, object: Ref) -> i32 {
        let known = hash_of(&self.heap, object);
        if known != 0 {
            return known as i32;
        }
        let mut hash = 0;
        while hash == 0 {
            hash = mix(self.options.seed, self.world.hashes) as u32 & HASH_MASK;
            self.world.hashes += 1;
        }
        if !set_hash(&mut self.heap, object, hash) {
            let record = self.new_record_surely();
            inflate(&mut self.heap, object, record);
            set_hash(&mut self.heap, object, hash);
        }
        hash as i32
    }

    /// The identity hash of an object that was asked for it; zero for others.
    pub fn given_hash(&self, object: Ref) -> u32 {
        hash_of(&self.heap, object)
    }

    /// Gives a new object, which nobody has locked, the identity hash that another one has.
    pub fn give_hash(&mut self, object: Ref, hash: u32) {
        self.world.hashes += 1;
        set_hash(&mut self.heap, object, hash & HASH_MASK);
    }

    fn inflate(&mut self, object: Ref) -> Res<()> {
        if record_of(self.heap.load_u32(object, META_OFFSET)).is_none() {
            let record = self.new_primitive_array(Kind::Long, RECORD_WORDS)?;
            if record.0 & INFLATED != 0 {
                return Err(self.throw("java/lang/OutOfMemoryError", "Java heap space"));
            }
            inflate(&mut self.heap, object, record);
        }
        Ok(())
    }

    /// A record where no exception can be thrown: a full main region falls back on the permanent one.
    fn new_record_surely(&mut self) -> Ref {
        match self.new_primitive_array(Kind::Long, RECORD_WORDS) {
            Ok(record) if record.0 & INFLATED == 0 => record,
            _ => self.new_perm_record(),
        }
    }

    fn new_perm_record(&mut self) -> Ref {
        let long = self.primitive_class(Kind::Long);
        let Ok(class) = self.array_class(long) else {
            unreachable!("internal: long[] needs no loader and no Java code")
        };
        let size = ELEMENTS_OFFSET as usize + RECORD_WORDS as usize * 8;
        let record =
            self.heap.allocate_perm(class.0, size).expect("internal: permanent region is full");
        self.heap.store_u32(record, LENGTH_OFFSET, RECORD_WORDS);
        record
    }
}

#[cfg(test)]
mod tests;

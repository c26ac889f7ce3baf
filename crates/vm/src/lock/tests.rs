//! The state machine of the meta word against a plain model: every sequence of operations of a
//! small length, on two threads (one of them with a number too large for a thin lock).

use super::{
    Attempt, COUNT_MASK, Heap, Release, THIN, Word, acquire, decode, fast_acquired, fast_released,
    hash_of, holder, inflate, lock_tag, record_of, release, set_hash,
};
use crate::heap::{ELEMENTS_OFFSET, META_OFFSET};
use crate::value::{Ref, ThreadId};

const SMALL: ThreadId = ThreadId(3);
const LARGE: ThreadId = ThreadId(1 << 20);

#[derive(Debug, Clone, Copy)]
enum Step {
    Lock(ThreadId, u32),
    Unlock(ThreadId),
    UnlockWholly(ThreadId),
    Hash,
    Inflate,
}

const STEPS: &[Step] = &[
    Step::Lock(SMALL, 1),
    Step::Lock(LARGE, 1),
    Step::Lock(SMALL, 1024),
    Step::Unlock(SMALL),
    Step::Unlock(LARGE),
    Step::UnlockWholly(SMALL),
    Step::Hash,
    Step::Inflate,
];

#[derive(Debug, Clone, Default, PartialEq)]
struct Model {
    owner: Option<(ThreadId, u32)>,
    hash: u32,
}

fn new_record(heap: &mut Heap) -> Ref {
    heap.allocate(1, ELEMENTS_OFFSET as usize + 32).expect("room")
}

fn surely_acquire(heap: &mut Heap, object: Ref, me: ThreadId, holds: u32) -> bool {
    loop {
        match acquire(heap, object, me, holds) {
            Attempt::Got => return true,
            Attempt::Busy => return false,
            Attempt::Inflate => {
                let record = new_record(heap);
                inflate(heap, object, record);
            }
        }
    }
}

fn run(heap: &mut Heap, object: Ref, model: &mut Model, step: Step) {
    match step {
        Step::Lock(me, holds) => {
            let expected = model.owner.is_none_or(|(owner, _)| owner == me);
            assert_eq!(surely_acquire(heap, object, me, holds), expected);
            if expected {
                model.owner = Some((me, model.owner.map_or(0, |(_, old)| old) + holds));
            }
        }
        Step::Unlock(me) => {
            let expected = model.owner.is_some_and(|(owner, _)| owner == me);
            assert_eq!(release(heap, object, me, 1) != Release::NotOwner, expected);
            if let Some((owner, holds)) = model.owner.filter(|_| expected) {
                model.owner = (holds > 1).then_some((owner, holds - 1));
            }
        }
        Step::UnlockWholly(me) => {
            if let Some((owner, holds)) = holder(heap, object).filter(|&(owner, _)| owner == me) {
                assert_eq!(model.owner, Some((owner, holds)));
                assert_ne!(release(heap, object, me, holds), Release::NotOwner);
                model.owner = None;
            }
        }
        Step::Hash => {
            if model.hash == 0 {
                model.hash = 0x3eed_5eed;
                if !set_hash(heap, object, model.hash) {
                    let record = new_record(heap);
                    inflate(heap, object, record);
                    assert!(set_hash(heap, object, model.hash));
                }
            }
        }
        Step::Inflate => {
            let record = new_record(heap);
            inflate(heap, object, record);
        }
    }
    assert_eq!(holder(heap, object), model.owner);
    assert_eq!(hash_of(heap, object), model.hash);
}

#[test]
fn every_sequence_of_five_steps_agrees_with_the_model() {
    let mut heap = Heap::reserve(0, 64 << 20).expect("address space");
    let n_sequences = STEPS.len().pow(5);
    for sequence in 0..n_sequences {
        let top = heap.top;
        let object = heap.allocate(1, 16).expect("room");
        let mut model = Model::default();
        let mut rest = sequence;
        for _ in 0..5 {
            run(&mut heap, object, &mut model, STEPS[rest % STEPS.len()]);
            rest /= STEPS.len();
        }
        heap.top = top;
    }
}

#[test]
fn the_fast_path_agrees_with_the_slow_one_on_every_thin_and_free_word() {
    let mut heap = Heap::reserve(0, 1 << 20).expect("address space");
    let object = heap.allocate(1, 16).expect("room");
    for me in [ThreadId(0), SMALL, ThreadId((1 << 20) - 1), LARGE] {
        let tag = lock_tag(me);
        for owner in [ThreadId(0), SMALL, ThreadId((1 << 20) - 1)] {
            for low in [0, 1, 2, COUNT_MASK - 1, COUNT_MASK] {
                let words = [0, low, THIN | owner.0 << 10 | low];
                for word in words {
                    heap.store_u32(object, META_OFFSET, word);
                    if let Some(new) = fast_acquired(word, tag) {
                        assert_eq!(acquire(&mut heap, object, me, 1), Attempt::Got);
                        assert_eq!(heap.load_u32(object, META_OFFSET), new);
                    }
                    heap.store_u32(object, META_OFFSET, word);
                    match fast_released(word, tag) {
                        Some(new) => {
                            assert_eq!(release(&mut heap, object, me, 1), Release::Done);
                            assert_eq!(heap.load_u32(object, META_OFFSET), new);
                        }
                        None => assert_eq!(release(&mut heap, object, me, 1), Release::NotOwner),
                    }
                }
            }
        }
    }
}

#[test]
fn unlocking_gives_up_a_record_without_a_hash_and_keeps_one_with() {
    let mut heap = Heap::reserve(0, 1 << 20).expect("address space");
    let object = heap.allocate(1, 16).expect("room");
    assert_eq!(acquire(&mut heap, object, SMALL, 1), Attempt::Got);
    let record = new_record(&mut heap);
    inflate(&mut heap, object, record);
    assert_eq!(release(&mut heap, object, SMALL, 1), Release::Done);
    assert_eq!(decode(heap.load_u32(object, META_OFFSET)), Word::Free { hash: 0 });

    assert!(set_hash(&mut heap, object, 77));
    assert!(surely_acquire(&mut heap, object, SMALL, 1));
    let record = record_of(heap.load_u32(object, META_OFFSET));
    assert!(record.is_some());
    assert_eq!(release(&mut heap, object, SMALL, 1), Release::Done);
    assert_eq!(record_of(heap.load_u32(object, META_OFFSET)), record);
    assert_eq!(hash_of(&heap, object), 77);
}

#[test]
fn whoever_wants_the_lock_is_told_once_when_it_is_free() {
    let mut heap = Heap::reserve(0, 1 << 20).expect("address space");
    let object = heap.allocate(1, 16).expect("room");
    assert!(surely_acquire(&mut heap, object, SMALL, 2));
    let record = new_record(&mut heap);
    inflate(&mut heap, object, record);
    heap.store_u64(record, super::WANTED_AT, 1);
    assert_eq!(release(&mut heap, object, SMALL, 1), Release::Done);
    assert_eq!(release(&mut heap, object, SMALL, 1), Release::Wanted);
    assert!(surely_acquire(&mut heap, object, LARGE, 1));
    assert_eq!(release(&mut heap, object, LARGE, 1), Release::Done);
}

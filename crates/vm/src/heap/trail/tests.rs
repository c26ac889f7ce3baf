//! Random programs of writes, allocations, marks and rollbacks, compared with whole copies.
#![expect(clippy::unwrap_used, reason = "tests")]

use super::HeapMark;
use crate::heap::{ELEMENTS_OFFSET, Heap};
use crate::value::Ref;

/// A small generator with a fixed sequence.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    #[expect(clippy::cast_possible_truncation, reason = "small bounds")]
    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

const CLASS: u32 = 7;

/// All that a rollback must bring back.
#[derive(PartialEq, Debug)]
struct Copied {
    top: usize,
    perm_top: usize,
    end: usize,
    main: Vec<u8>,
    perm: Vec<u8>,
    literals: Vec<u8>,
}

struct Open {
    mark: HeapMark,
    copy: Copied,
    n_objects: usize,
    end_outside: usize,
}

struct World {
    heap: Heap,
    objects: Vec<(Ref, u32)>,
    literals: Vec<(Ref, u32)>,
    open: Vec<Open>,
}

impl World {
    fn copy(&self) -> Copied {
        let heap = &self.heap;
        let range = |from: usize, to: usize| {
            heap.bytes(Ref(u32::try_from(from >> 3).unwrap()), 0, to - from).to_vec()
        };
        Copied {
            top: heap.top,
            perm_top: heap.perm_top,
            end: heap.end,
            main: range(heap.main_start, heap.top),
            perm: range(heap.perm_start, heap.perm_top),
            literals: range(heap.literals_start, heap.literals_top),
        }
    }

    fn marks(&mut self) -> impl Iterator<Item = &mut HeapMark> {
        self.open.iter_mut().map(|open| &mut open.mark)
    }

    #[expect(clippy::cast_possible_truncation, reason = "small sizes")]
    fn step(&mut self, random: &mut Random) {
        match random.below(20) {
            0..=3 => {
                let size = 24 + random.below(100) as u32;
                let object = self.heap.allocate(CLASS, size as usize).unwrap();
                self.objects.push((object, size));
            }
            4 => {
                let size = 24 + random.below(100) as u32;
                let object = self.heap.allocate_perm(CLASS, size as usize).unwrap();
                self.objects.push((object, size));
            }
            5 => {
                let size = 24 + random.below(30) as u32;
                let object = self.heap.allocate_literal(CLASS, size as usize).unwrap();
                self.heap.init_u32(object, 8, size);
                self.heap.init_bytes(object, 16, &[1, 2, 3, 4, 5, 6, 7, 8]);
                self.literals.push((object, size));
            }
            6..=16 => self.write(random),
            17 => {
                let end_outside = self.heap.end;
                let open = &mut self.open;
                let mark = self.heap.open_mark(open.iter_mut().map(|open| &mut open.mark));
                let mut copy = self.copy();
                copy.end = 0;
                let n_objects = self.objects.len();
                self.open.push(Open { mark, copy, n_objects, end_outside });
            }
            18 => {
                if !self.open.is_empty() {
                    let idx = random.below(self.open.len());
                    self.rollback(idx, random.below(2) == 0);
                }
            }
            _ => {
                if !self.open.is_empty() && random.below(3) == 0 {
                    let idx = random.below(self.open.len());
                    let closed = self.open.drain(idx..).next().unwrap();
                    let youngest = self.open.last().map(|open| open.mark);
                    self.heap.close_kept(&closed.mark, youngest.as_ref());
                }
            }
        }
        if self.open.len() > 12 {
            self.rollback(3, true);
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "small sizes")]
    fn write(&mut self, random: &mut Random) {
        let all = self.objects.len() + self.literals.len();
        if all == 0 {
            return;
        }
        let pick = |world: &World, idx: usize| {
            *world.objects.get(idx).unwrap_or_else(|| &world.literals[idx - world.objects.len()])
        };
        let (object, size) = pick(self, random.below(all));
        let room = size as usize - 16;
        let at = ELEMENTS_OFFSET + random.below(room - 7) as u32;
        let value = random.next();
        match random.below(7) {
            0 => self.heap.store_u8(object, at, value as u8),
            1 => self.heap.store_u16(object, at & !1, value as u16),
            2 => self.heap.store_u32(object, at & !3, value as u32),
            3 => self.heap.store_u64(object, at, value),
            4 => self.heap.store_ref(object, at & !3, object),
            5 => self.heap.store_meta(object, value as u32),
            _ => {
                let (from, from_size) = pick(self, random.below(all));
                let len = random.below(room.min(from_size as usize - 16) + 1);
                self.heap.copy(from, ELEMENTS_OFFSET, object, ELEMENTS_OFFSET, len);
            }
        }
    }

    fn rollback(&mut self, idx: usize, close: bool) {
        self.open.truncate(idx + 1);
        let mark = self.open[idx].mark;
        self.heap.undo_to(&mark);
        self.check(idx);
        if close {
            let closed = self.open.pop().unwrap();
            self.objects.truncate(closed.n_objects);
            let youngest = self.open.last().map(|open| open.mark);
            self.heap.close_undone(&mark, youngest.as_ref());
            assert_eq!(self.heap.end, closed.end_outside);
        } else {
            self.objects.truncate(self.open[idx].n_objects);
        }
    }

    fn check(&self, idx: usize) {
        let mut now = self.copy();
        now.end = 0;
        let then = &self.open[idx].copy;
        // Literals made since stay; the older ones are as they were.
        now.literals.truncate(then.literals.len());
        assert_eq!(now.top, then.top);
        assert!(now == *then, "the heap differs after a rollback");
    }
}

fn world() -> World {
    let heap = Heap::reserve(0, 64 << 20).unwrap();
    World { heap, objects: Vec::new(), literals: Vec::new(), open: Vec::new() }
}

#[test]
fn rollback_restores_every_byte_after_random_programs() {
    for seed in 1..40 {
        let mut random = Random(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
        let mut world = world();
        for _ in 0..3000 {
            world.step(&mut random);
        }
        while !world.open.is_empty() {
            let idx = world.open.len() - 1;
            world.rollback(idx, true);
        }
        assert_eq!(world.heap.log_limit, 0);
        assert!(world.heap.trail.entries.is_empty());
    }
}

#[test]
fn rollback_restores_every_byte_when_serials_run_out() {
    let mut random = Random(4711);
    let mut world = world();
    for round in 0..40 {
        for _ in 0..100 {
            world.step(&mut random);
        }
        if round % 5 == 0 {
            // As if four billion marks had been committed.
            world.heap.trail.next_serial = u32::MAX - 3;
            let n_open = world.marks().count();
            assert!(n_open <= 13);
        }
    }
    while !world.open.is_empty() {
        let idx = world.open.len() - 1;
        world.rollback(idx, true);
    }
}

#[test]
fn a_watch_tells_which_words_have_changed_and_ends_with_a_mark() {
    for seed in 1..20 {
        let mut random = Random(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
        let mut world = world();
        for _ in 0..20 {
            assert!(world.heap.watch_writes());
            let then = world.copy();
            for _ in 0..40 {
                match random.below(4) {
                    0 => {
                        let object = world.heap.allocate(CLASS, 64).unwrap();
                        world.objects.push((object, 64));
                    }
                    1 => {
                        let object = world.heap.allocate_perm(CLASS, 40).unwrap();
                        world.objects.push((object, 40));
                    }
                    _ => world.write(&mut random),
                }
            }
            let now = world.copy();
            let mut expected = Vec::new();
            let heap = &world.heap;
            for (start, then, now) in
                [(heap.perm_start, &then.perm, &now.perm), (heap.main_start, &then.main, &now.main)]
            {
                let words = then.chunks_exact(8).zip(now.chunks_exact(8)).enumerate();
                let changed = words.filter(|(_, (then, now))| then != now);
                expected.extend(changed.map(|(at, _)| u32::try_from((start >> 3) + at).unwrap()));
            }
            let is_old = |granule: &u32| {
                let at = (*granule as usize) << 3;
                (at >= heap.main_start || at < heap.perm_start + then.perm.len())
                    && at < heap.main_start + then.main.len()
            };
            let mut changed: Vec<u32> = heap.changed_granules().unwrap().filter(is_old).collect();
            changed.sort_unstable();
            assert_eq!(changed, expected);
        }
        let mark = world.heap.open_mark(std::iter::empty());
        assert!(world.heap.changed_granules().is_none());
        assert!(!world.heap.watch_writes());
        world.heap.undo_to(&mark);
        world.heap.close_undone(&mark, None);
        assert!(world.heap.watch_writes());
        world.heap.end_watch();
        assert_eq!(world.heap.log_limit, 0);
    }
}

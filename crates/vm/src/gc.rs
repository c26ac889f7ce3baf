//! The collector of the main region: precise, sliding, generational, iterative.
//!
//! Objects from `heap.young_start` on are young: born since the last collection. Most collections
//! look at those alone, starting from registers, tables and the remembered set; what is left
//! slides down and is old from then on, so garbage costs nothing. When the old part has doubled,
//! all of the main region is collected. Base, literals and mirrors are never moved or freed.
//!
//! Collections happen only at safe points of the interpreter, where every frame's `pc` is saved and
//! no native or slow path is under way, and only while no mark is open: inside an exploration only
//! the heap limit counts, and rollback.

mod cycle;
mod finalizer;
mod graph;
mod held;
mod kept;
mod loaders;
mod maps;
mod roots;
mod shapes;
#[cfg(feature = "self-checks")]
mod verify;

use crate::frame::{Collect, Frame, Res, Trap};
use crate::value::Ref;
use crate::vm::Vm;
use cycle::{Cycle, Room};
use loaders::Watch;
use roots::MapCache;
use shapes::Shapes;

pub(crate) use shapes::ObjectMap;

/// Bytes allocated between two young collections. Self-checks collect more often.
pub const NURSERY: usize = if cfg!(feature = "self-checks") { 256 << 10 } else { 4 << 20 };
/// The old part may always grow to this size before all of it is collected.
const SMALL_OLD: usize = 32 << 20;
/// A collection of everything must leave one part in so many of the heap free, else it is full.
const LEAST_FREE: usize = 64;

/// A native that asks for room this often without coming to an end gets none.
const MOST_RETRIES: u32 = 3;

/// State of the collector between collections.
#[derive(Debug, Default)]
pub struct Collector {
    /// The next collection looks at everything: the remembered set is not complete.
    all_next: bool,
    /// The old part was this large after the last collection of everything.
    old_after_full: usize,
    /// `System.gc` was obeyed; its native may come back.
    has_obeyed: bool,
    /// Where a native last asked for room, and how often in a row.
    retried: Option<(*mut Frame, i64, i64)>,
    n_retries: u32,
    /// Nothing is collected.
    is_held: bool,
    /// Interned strings that are known to be old: that many at the start of `InternTable::movable`.
    n_old_interned: usize,
    shapes: Shapes,
    maps: MapCache,
    room: Room,
    /// Collections so far.
    pub stats: Stats,
}

// SAFETY: the pointers in it are only used during one collection, or compared.
#[expect(unsafe_code, reason = "see above")]
unsafe impl Send for Collector {}

/// What the collector did so far.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stats {
    /// Young collections.
    pub n_young: u64,
    /// Collections of everything.
    pub n_full: u64,
    /// Collections that had to be put off because some frame could not be read.
    pub n_put_off: u64,
    /// The last young collection, and the last of everything.
    pub last: [Option<Past>; 2],
    /// Nanoseconds that young collections took, and those of everything.
    pub nanos: [i64; 2],
    /// The most bytes that young and old part ever had.
    pub most: [usize; 2],
}

/// A collection that is over.
#[derive(Debug, Clone, Copy)]
pub struct Past {
    /// When it began and ended, in the machine's time.
    pub nanos: (i64, i64),
    /// Bytes of the young and old part before.
    pub before: [usize; 2],
    /// Bytes of the young and old part after it.
    pub after: [usize; 2],
}

impl Stats {
    /// Collections so far: where the number is the same as before, nothing has moved.
    pub fn n_collections(&self) -> u64 {
        self.n_young + self.n_full
    }
}

/// How much is collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    Young,
    Full,
    /// Everything, soft references like weak ones.
    Last,
}

impl Collector {
    /// The next collection looks at everything.
    pub(crate) fn collect_all_next(&mut self) {
        self.all_next = true;
    }

    /// Classes from this number on were rolled back, with their methods.
    pub(crate) fn classes_dropped(&mut self, n_classes: usize) {
        self.shapes.truncate(n_classes);
        self.maps.clear();
    }
}

impl Vm {
    /// Collects. The interpreter calls this at a safe point where `gc_due` is set.
    pub fn collect(&mut self) {
        self.gc_due = false;
        if self.depth() > 0 {
            return;
        }
        let old = self.heap.young_start - self.heap.main_start;
        let full = self.gc.all_next || old > SMALL_OLD.max(2 * self.gc.old_after_full);
        self.collect_extent(if full { Extent::Full } else { Extent::Young });
    }

    /// From here on nothing is collected, so nothing moves: who keeps references outside the machine
    /// finds the objects where they were.
    pub fn hold_still(&mut self) {
        self.gc.is_held = true;
    }

    /// Whether nothing moves.
    pub(crate) fn is_held(&self) -> bool {
        self.gc.is_held
    }

    /// Collects everything from outside, where nobody holds on to an object but by a handle.
    pub fn collect_outside(&mut self) {
        self.gc_due = false;
        if self.depth() == 0 {
            self.collect_extent(Extent::Full);
        }
    }

    /// Collects or lets the heap grow so that `size` more bytes fit below `heap.end`, if that is
    /// possible. At a safe point.
    pub fn collect_for(&mut self, size: usize) {
        if self.depth() > 0 {
            return;
        }
        if self.heap.top.saturating_add(size) <= self.heap.hard_end {
            self.collect();
        }
        // Almost no room is as bad as none: everything would be spent on collections.
        let needed = size.saturating_add((self.heap.hard_end - self.heap.main_start) / LEAST_FREE);
        for extent in [Extent::Full, Extent::Last] {
            if self.heap.hard_end.saturating_sub(self.heap.top) >= needed {
                break;
            }
            self.collect_extent(extent);
        }
        self.heap.end = if self.heap.hard_end.saturating_sub(self.heap.top) >= needed {
            (self.heap.top + size + self.heap.nursery).min(self.heap.hard_end)
        } else {
            self.heap.top
        };
    }

    /// Answers `Trap::Collect`: what trapped may run again, or an exception is due.
    pub(crate) fn collect_and_retry(&mut self, what: Collect) -> Res<()> {
        match what {
            Collect::Everything => {
                if self.depth() == 0 {
                    self.gc_due = false;
                    self.collect_extent(Extent::Full);
                }
                self.gc.has_obeyed = true;
            }
            Collect::Room(size) => {
                let place = (self.frame, self.fuel, self.fuel_reserve);
                self.gc.n_retries =
                    if self.gc.retried == Some(place) { self.gc.n_retries + 1 } else { 0 };
                self.gc.retried = Some(place);
                self.collect_for(size);
                if self.heap.top.saturating_add(size) > self.heap.end
                    || self.gc.n_retries > MOST_RETRIES
                {
                    self.gc.retried = None;
                    return Err(self.throw("java/lang/OutOfMemoryError", "Java heap space"));
                }
            }
        }
        Ok(())
    }

    /// `System.gc`, to be called by its native alone: collects everything before it comes back.
    pub fn collect_everything(&mut self) -> Res<()> {
        if std::mem::take(&mut self.gc.has_obeyed) || !self.can_collect() {
            return Ok(());
        }
        Err(Trap::Collect(Collect::Everything))
    }

    /// Whether `Trap::Collect` can be answered: Java code runs, and no mark is open.
    pub fn can_collect(&self) -> bool {
        self.depth() == 0
            && self
                .threads
                .get(self.current)
                .is_some_and(|thread| self.frame >= thread.frames.start())
    }

    /// Bytes of the young and of the old part.
    pub(crate) fn parts(&self) -> [usize; 2] {
        [self.heap.top - self.heap.young_start, self.heap.young_start - self.heap.main_start]
    }

    /// Collects; `false` where some frame cannot be read and nothing was done.
    fn collect_extent(&mut self, extent: Extent) -> bool {
        if self.gc.is_held {
            return false;
        }
        let (began, before) = (self.now(), self.parts());
        let mut gc = std::mem::take(&mut self.gc);
        let done = self.collect_with(&mut gc, extent);
        self.gc = gc;
        if done {
            let (ended, after) = (self.now(), self.parts());
            let kind = usize::from(extent != Extent::Young);
            let stats = &mut self.gc.stats;
            stats.last[kind] = Some(Past { nanos: (began, ended), before, after });
            stats.nanos[kind] += ended - began;
            for (most, bytes) in stats.most.iter_mut().zip(before) {
                *most = (*most).max(bytes);
            }
        }
        #[cfg(feature = "self-checks")]
        verify::verify(self);
        done
    }

    fn collect_with(&mut self, gc: &mut Collector, extent: Extent) -> bool {
        self.heap.end_watch();
        debug_assert!(self.depth() == 0 && self.heap.log_limit == 0);
        gc.shapes.extend(self);
        if extent != Extent::Young {
            self.drop_ended_threads(0);
        }
        let Some(mut slots) = roots::thread_roots(self, &mut gc.maps) else {
            gc.stats.n_put_off += 1;
            self.heap.end = (self.heap.top + self.heap.nursery).min(self.heap.hard_end);
            return false;
        };
        let young = extent == Extent::Young;
        let from = if young { self.heap.young_start } else { self.heap.main_start };
        let room = std::mem::take(&mut gc.room);
        let mut cycle = Cycle::new(&self.heap, from, &gc.shapes, room, extent == Extent::Last);
        let watch = if young { None } else { Watch::of(self, &cycle) };
        slots.append(&mut roots::table_roots(self, watch.as_ref()));
        if let Some(watch) = watch {
            cycle.set_watch(Box::new(watch));
        }
        for slot in slots {
            cycle.root(slot);
        }
        if young {
            roots::remembered_roots(self, &gc.shapes, &mut cycle);
        } else {
            roots::fixed_roots(self, &gc.shapes, &mut cycle);
        }
        cycle.drain();
        loaders::take_used(self, &gc.shapes, &mut cycle);
        let pending = cycle.decide_references();
        loaders::take_rest(self, &gc.shapes, &mut cycle);
        let new_top = cycle.plan();
        let first = if young { gc.n_old_interned } else { 0 };
        update_interned(self, &cycle, first);
        for object in self.handles.followed_mut() {
            *object = if cycle.is_live(*object) { cycle.forward(*object) } else { Ref::NULL };
        }
        let pending: Vec<Ref> = pending.iter().map(|&reference| cycle.forward(reference)).collect();
        cycle.update_roots();
        cycle.slide();
        gc.room = cycle.into_room();
        gc.n_old_interned = self.strings.movable.len();
        self.heap.collected(new_top);
        if young {
            gc.stats.n_young += 1;
        } else {
            gc.stats.n_full += 1;
            gc.old_after_full = new_top - self.heap.main_start;
            gc.all_next = false;
        }
        self.add_pending(gc.shapes.reference.discovered, &pending);
        true
    }

    /// Puts references on the pending list and wakes whoever waits for them.
    fn add_pending(&mut self, discovered: u32, references: &[Ref]) {
        for &reference in references.iter().rev() {
            self.heap.store_ref(reference, discovered, self.world.pending);
            self.world.pending = reference;
        }
        if !references.is_empty() {
            self.wake_for_references();
        }
    }
}

/// Drops interned strings that nobody else refers to, and brings the others up to date. Those
/// before `first` in the list are known not to be collected.
fn update_interned(vm: &mut Vm, cycle: &Cycle<'_>, first: usize) {
    let table = &mut vm.strings;
    let mut hashes = table.movable.split_off(first);
    hashes.sort_unstable();
    for same in hashes.chunk_by(|a, b| a == b) {
        let hash = same[0];
        let Some(strings) = table.by_hash.get_mut(&hash) else { continue };
        let n_before = strings.len();
        strings.retain(|&string| cycle.is_live(string));
        let n_dropped = n_before - strings.len();
        for string in strings.iter_mut() {
            *string = cycle.forward(*string);
        }
        if strings.is_empty() {
            table.by_hash.remove(&hash);
        }
        table.movable.extend(&same[n_dropped.min(same.len())..]);
    }
}

//! MonitorEquals: two states are the same iff the parts that `equals` reads are isomorphic.
//!
//! Runs `v.equals(copy)` against an isomorphic copy under an observer of reads and writes down only the
//! edges of the original that were read. The paper runs `v.equals(v)`; with a copy, an `equals` that
//! begins with `if (this == o) return true` reads what matters all the same. Where the copy is not
//! equal (something inside is compared by identity), only the object itself is copied and the rest is
//! shared. A class that inherits `Object.equals`, or whose `equals` does not come back with `true`,
//! falls back to the whole state, and that is counted. The length of an array counts where `equals` asks
//! for it; the paper is silent here, but a bound that is kept as a length would be lost otherwise. Merges
//! a stack that holds a stale array element with one that does not; keeps apart what `equals` reads on
//! its way to an answer, even if the answer is the same. Costs a run of `equals` and two walks.

use rustc_hash::{FxHashMap, FxHashSet};
use vm::interp::Outcome;
use vm::mode::Mode;
use vm::travel::Numbering;
use vm::value::{ClassId, Kind, MethodId, Ref, Value};
use vm::vm::Vm;

use super::canonical_heap::{CanonicalHeap, Edges, Root, Whole};
use super::fingerprint::{Fingerprint, Mixer};
use super::listing::{self, Entry};
use crate::arguments::references;
use crate::snapshot::{Room, Snapshot};

/// Bytecodes that one run of `equals` may take.
const FUEL: u64 = 10_000_000;

/// Computes keys; remembers which classes have an `equals` of their own.
#[derive(Debug, Default)]
pub struct MonitorEquals {
    equals: FxHashMap<ClassId, Option<MethodId>>,
    numbering: Numbering,
    room: Room,
    /// Classes whose states were represented whole because `equals` does not help.
    pub fallen_back: FxHashSet<ClassId>,
}

impl MonitorEquals {
    /// The key of a state. Objects below byte offset `shared_below` of the heap belong to the world,
    /// not to the state. Leaves the machine as it was; nothing may be running on it.
    pub fn key(
        &mut self,
        heap: &mut CanonicalHeap,
        vm: &mut Vm,
        roots: &[Root],
        shared_below: usize,
    ) -> Fingerprint {
        self.key_with(heap, vm, roots, shared_below, None)
    }

    /// As `key`; `twin` puts the state into the heap once more, where it is one object and what is behind it,
    /// and gives that object.
    pub fn key_with(
        &mut self,
        heap: &mut CanonicalHeap,
        vm: &mut Vm,
        roots: &[Root],
        shared_below: usize,
        twin: Option<Twin<'_>>,
    ) -> Fingerprint {
        let Some(reads) = self.reads(vm, roots, shared_below, twin) else {
            return heap.fingerprint(vm, roots);
        };
        let mut mixer = Mixer::new(2);
        heap.write(vm, roots, &reads, &mut mixer);
        mixer.finish()
    }

    /// What the key stands for, for people.
    pub fn list(
        &mut self,
        heap: &mut CanonicalHeap,
        vm: &mut Vm,
        roots: &[(String, bool, Root)],
        shared_below: usize,
    ) -> Vec<Entry> {
        let bare: Vec<Root> = roots.iter().map(|(_, _, root)| *root).collect();
        match self.reads(vm, &bare, shared_below, None) {
            Some(reads) => listing::list(heap, vm, roots, &reads),
            None => listing::list(heap, vm, roots, &Whole),
        }
    }

    /// What `equals` reads of a state; `None` where it does not help.
    fn reads(
        &mut self,
        vm: &mut Vm,
        roots: &[Root],
        shared_below: usize,
        mut twin: Option<Twin<'_>>,
    ) -> Option<Reads> {
        self.catch_up(vm);
        let stretch = (shared_below, vm.heap.top);
        let mut reads: Option<Reads> = None;
        for &root in roots {
            let Root::Object(object) = root else { continue };
            if object.is_null() {
                continue;
            }
            let Some(seen) = self.watch(vm, object, stretch, twin.take()) else {
                self.fallen_back.insert(vm.class_of(object));
                return None;
            };
            match &mut reads {
                Some(reads) => reads.add(seen),
                None => reads = Some(seen),
            }
        }
        Some(reads.unwrap_or_else(|| Reads::of((shared_below, shared_below))))
    }

    /// Forgets classes that a rollback took back.
    fn catch_up(&mut self, vm: &Vm) {
        if let Some(left) = vm.renumbered(&mut self.numbering) {
            self.equals.retain(|class, _| class.idx() < left.n_classes);
            self.fallen_back.retain(|class| class.idx() < left.n_classes);
        }
    }

    /// The `equals` of a class, if it has one of its own.
    pub fn equals_of(&mut self, vm: &Vm, class: ClassId) -> Option<MethodId> {
        self.catch_up(vm);
        *self.equals.entry(class).or_insert_with(|| own_equals(vm, class))
    }

    /// Runs `equals` and takes down what it reads, if it helps. The state lies in that stretch of the heap.
    fn watch(
        &mut self,
        vm: &mut Vm,
        object: Ref,
        stretch: (usize, usize),
        twin: Option<Twin<'_>>,
    ) -> Option<Reads> {
        let equals = self.equals_of(vm, vm.class_of(object))?;
        let room = &mut self.room;
        let mut copy_but = |vm: &mut Vm, is_shared: &dyn Fn(Ref) -> bool| {
            let copy = Snapshot::take_with(room, vm, &[object], is_shared);
            vm.complete(|vm| copy.put(vm)).ok()?.first().copied()
        };
        let is_world = |other: Ref| other != object && other.byte_offset() < stretch.0;
        let whole = match twin {
            Some(twin) => compare(vm, equals, object, stretch, twin),
            None => compare(vm, equals, object, stretch, &mut |vm| copy_but(vm, &is_world)),
        };
        // Where something inside is compared by identity, the object alone is copied.
        whole.or_else(|| {
            compare(vm, equals, object, stretch, &mut |vm| copy_but(vm, &|other| other != object))
        })
    }
}

/// Puts a copy of a state into the heap and gives its root.
pub type Twin<'a> = &'a mut dyn FnMut(&mut Vm) -> Option<Ref>;

/// What `equals` reads to find that an object equals its copy, if it does.
fn compare(
    vm: &mut Vm,
    equals: MethodId,
    object: Ref,
    stretch: (usize, usize),
    copy: Twin<'_>,
) -> Option<Reads> {
    let mut seen = Reads::of(stretch);
    let mark = vm.mark();
    let is_equal = copy(vm).is_some_and(|copy| {
        let args = [object.to_slot(), copy.to_slot()];
        vm.call(&mut seen, equals, &args, Some(FUEL)) == Outcome::Returned(Value::Int(1))
    });
    vm.rollback(mark);
    is_equal.then_some(seen)
}

/// States that lie in more of the heap than this are watched without a table of bits.
const LARGEST_STRETCH: usize = 1 << 20;

/// The edges that were read: bits for what belongs to the state, which lies in one stretch of the heap.
/// What lies behind it is the copy, or was made by `equals`, and does not count.
#[derive(Debug)]
struct Reads {
    /// Byte offset of the stretch in the heap.
    start: usize,
    /// A bit per byte: that many bytes behind the start of an object stands its slot or element.
    slots: Vec<u64>,
    /// A bit per granule: arrays whose length was read.
    lengths: Vec<u64>,
    /// A bit per granule: objects that natives were given; they may have read all of them.
    whole: Vec<u64>,
    /// The same for objects before the stretch.
    before: ReadsBefore,
}

#[derive(Debug, Default)]
struct ReadsBefore {
    slots: FxHashSet<(Ref, u32)>,
    lengths: FxHashSet<Ref>,
    whole: FxHashSet<Ref>,
}

impl Reads {
    /// Nothing read yet of the objects between two byte offsets.
    fn of((start, end): (usize, usize)) -> Reads {
        let len = end.saturating_sub(start);
        let (start, len) = if len > LARGEST_STRETCH { (usize::MAX, 0) } else { (start, len) };
        let n_granules = len.div_ceil(8);
        let granules = vec![0; n_granules.div_ceil(64)];
        Reads {
            start,
            slots: vec![0; n_granules.div_ceil(8)],
            lengths: granules.clone(),
            whole: granules,
            before: ReadsBefore::default(),
        }
    }

    fn add(&mut self, other: Reads) {
        let pairs = [
            (&mut self.slots, &other.slots),
            (&mut self.lengths, &other.lengths),
            (&mut self.whole, &other.whole),
        ];
        for (all, more) in pairs {
            all.iter_mut().zip(more).for_each(|(all, more)| *all |= more);
        }
        self.before.slots.extend(other.before.slots);
        self.before.lengths.extend(other.before.lengths);
        self.before.whole.extend(other.before.whole);
    }

    /// Where an object stands in the stretch, in bytes; `None` for one before it.
    #[inline]
    fn place(&self, object: Ref) -> Option<usize> {
        object.byte_offset().checked_sub(self.start)
    }

    #[inline]
    fn slot_read(&mut self, object: Ref, slot: u32) {
        match self.place(object) {
            Some(at) => set(&mut self.slots, at + slot as usize),
            None => {
                self.before.slots.insert((object, slot));
            }
        }
    }

    fn whole_read(&mut self, object: Ref) {
        match self.place(object) {
            Some(at) => set(&mut self.whole, at >> 3),
            None => {
                self.before.whole.insert(object);
            }
        }
    }

    fn is_whole(&self, object: Ref) -> bool {
        match self.place(object) {
            Some(at) => is_set(&self.whole, at >> 3),
            None => self.before.whole.contains(&object),
        }
    }
}

/// Sets a bit, if it is one of what is counted.
#[inline]
fn set(bits: &mut [u64], at: usize) {
    if let Some(word) = bits.get_mut(at >> 6) {
        *word |= 1 << (at & 63);
    }
}

#[inline]
fn is_set(bits: &[u64], at: usize) -> bool {
    bits.get(at >> 6).is_some_and(|word| word >> (at & 63) & 1 == 1)
}

impl Edges for Reads {
    const ALL: bool = false;

    #[inline]
    fn has(&self, object: Ref, slot: u32) -> bool {
        let is_read = match self.place(object) {
            Some(at) => is_set(&self.slots, at + slot as usize),
            None => self.before.slots.contains(&(object, slot)),
        };
        is_read || self.is_whole(object)
    }

    fn has_length(&self, array: Ref) -> bool {
        let is_read = match self.place(array) {
            Some(at) => is_set(&self.lengths, at >> 3),
            None => self.before.lengths.contains(&array),
        };
        is_read || self.is_whole(array)
    }
}

impl Mode for Reads {
    const READS: bool = true;
    const CALLS: bool = true;

    #[inline]
    fn field_read(&mut self, _: &mut Vm, object: Ref, offset: u32, _: Kind) {
        self.slot_read(object, offset);
    }

    #[inline]
    fn array_read(&mut self, _: &mut Vm, array: Ref, idx: u32) {
        self.slot_read(array, idx);
    }

    #[inline]
    fn length_read(&mut self, _: &mut Vm, array: Ref) {
        match self.place(array) {
            Some(at) => set(&mut self.lengths, at >> 3),
            None => {
                self.before.lengths.insert(array);
            }
        }
    }

    fn enter(&mut self, vm: &mut Vm, method: MethodId, args: &[u64]) {
        let native = vm.method(method);
        // What these natives say of an object is its class or its identity, not its content.
        if !native.is_native() || native.class == vm.known.object || native.class == vm.known.class
        {
            return;
        }
        for object in references(native, args) {
            self.whole_read(object);
        }
    }
}

/// The `equals` of a class, if it is not the one of `Object`.
pub(crate) fn own_equals(vm: &Vm, class: ClassId) -> Option<MethodId> {
    let method = vm.lookup_method(class, b"equals", b"(Ljava/lang/Object;)Z")?;
    (vm.method(method).class != vm.known.object).then_some(method)
}

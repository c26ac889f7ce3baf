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
use vm::value::{ClassId, Kind, MethodId, Ref, Value};
use vm::vm::Vm;

use super::canonical_heap::{CanonicalHeap, Edges, Root, Whole};
use super::fingerprint::{Fingerprint, Mixer};
use super::listing::{self, Entry};
use crate::arguments::references;
use crate::snapshot::Snapshot;

/// Bytecodes that one run of `equals` may take.
const FUEL: u64 = 10_000_000;

/// Computes keys; remembers which classes have an `equals` of their own.
#[derive(Debug, Default)]
pub struct MonitorEquals {
    equals: FxHashMap<ClassId, Option<MethodId>>,
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
        let Some(reads) = self.reads(vm, roots, shared_below) else {
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
        match self.reads(vm, &bare, shared_below) {
            Some(reads) => listing::list(heap, vm, roots, &reads),
            None => listing::list(heap, vm, roots, &Whole),
        }
    }

    /// What `equals` reads of a state; `None` where it does not help.
    fn reads(&mut self, vm: &mut Vm, roots: &[Root], shared_below: usize) -> Option<Reads> {
        let mut reads = Reads::default();
        for &root in roots {
            if let Root::Object(object) = root
                && !object.is_null()
                && !self.watch(vm, object, shared_below, &mut reads)
            {
                self.fallen_back.insert(vm.class_of(object));
                return None;
            }
        }
        Some(reads)
    }

    /// Forgets classes from this number on, which a rollback took back.
    pub fn forget_from(&mut self, n_classes: usize) {
        self.equals.retain(|class, _| class.idx() < n_classes);
        self.fallen_back.retain(|class| class.idx() < n_classes);
    }

    /// The `equals` of a class, if it has one of its own.
    pub fn equals_of(&mut self, vm: &Vm, class: ClassId) -> Option<MethodId> {
        *self.equals.entry(class).or_insert_with(|| {
            let method = vm.lookup_method(class, b"equals", b"(Ljava/lang/Object;)Z")?;
            (vm.method(method).class != vm.known.object).then_some(method)
        })
    }

    /// Runs `equals` and takes down what it reads; whether it helped.
    fn watch(&mut self, vm: &mut Vm, object: Ref, shared_below: usize, reads: &mut Reads) -> bool {
        let Some(equals) = self.equals_of(vm, vm.class_of(object)) else { return false };
        let is_world = |other: Ref| other.byte_offset() < shared_below;
        let deep = Snapshot::take(vm, &[object], &|other| other != object && is_world(other));
        let shallow = Snapshot::take(vm, &[object], &|other| other != object);
        [deep, shallow].iter().any(|copy| {
            let mut seen = Reads::default();
            let mark = vm.mark();
            let is_equal = match vm.complete(|vm| copy.put(vm)) {
                Ok(copies) => {
                    let args = [object.to_slot(), copies[0].to_slot()];
                    let outcome = vm.call(&mut seen, equals, &args, Some(FUEL));
                    outcome == Outcome::Returned(Value::Int(1))
                }
                Err(_) => false,
            };
            vm.rollback(mark);
            if is_equal {
                reads.add(seen);
            }
            is_equal
        })
    }
}

/// The edges that were read.
#[derive(Debug, Default)]
struct Reads {
    slots: FxHashSet<(Ref, u32)>,
    lengths: FxHashSet<Ref>,
    /// Objects that natives were given: they may have read all of them.
    whole: FxHashSet<Ref>,
}

impl Reads {
    fn add(&mut self, other: Reads) {
        self.slots.extend(other.slots);
        self.lengths.extend(other.lengths);
        self.whole.extend(other.whole);
    }
}

impl Edges for Reads {
    const ALL: bool = false;

    fn has(&self, object: Ref, slot: u32) -> bool {
        self.slots.contains(&(object, slot)) || self.whole.contains(&object)
    }

    fn has_length(&self, array: Ref) -> bool {
        self.lengths.contains(&array) || self.whole.contains(&array)
    }
}

impl Mode for Reads {
    const READS: bool = true;
    const CALLS: bool = true;

    fn field_read(&mut self, _: &mut Vm, object: Ref, offset: u32, _: Kind) {
        self.slots.insert((object, offset));
    }

    fn array_read(&mut self, _: &mut Vm, array: Ref, idx: u32) {
        self.slots.insert((array, idx));
    }

    fn length_read(&mut self, _: &mut Vm, array: Ref) {
        self.lengths.insert(array);
    }

    fn enter(&mut self, vm: &mut Vm, method: MethodId, args: &[u64]) {
        let native = vm.method(method);
        // What these natives say of an object is its class or its identity, not its content.
        if !native.is_native() || native.class == vm.known.object || native.class == vm.known.class
        {
            return;
        }
        self.whole.extend(references(native, args));
    }
}

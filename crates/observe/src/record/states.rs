//! Entry states that are kept for after the run: `equals` cannot be run while a test is under way, so
//! every distinct entry state is copied out of the machine and put back when the suite has ended.
//!
//! What never moves and what a `static final` field holds keep their identity: they are referred to
//! and not copied. So are strings, which never change, and what belongs to the machine (`mask`).

use std::cell::RefCell;

use rustc_hash::FxHashMap;
use vm::class::flags;
use vm::handles::Handle;
use vm::value::{ClassId, Kind, Ref};
use vm::vm::Vm;

use crate::snapshot::{Room, Snapshot};
use crate::state::canonical_heap::Root;
use crate::state::fingerprint::Fingerprint;
use crate::state::mask;
use crate::state::monitor_equals::own_equals;

/// Names an entry state that was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct StateId(pub(super) u32);

impl StateId {
    /// It was not kept: `equals` cannot be run on it.
    pub(super) const NONE: StateId = StateId(u32::MAX);
    /// It was not kept: its object has no `equals` that could be run, so it is compared as a whole.
    pub(super) const WHOLE: StateId = StateId(u32::MAX - 1);

    /// Whether the state was kept.
    pub(super) fn is_kept(self) -> bool {
        self < StateId::WHOLE
    }
}

/// `equals` is not run on states of more objects: a test that fills something large would take the square of the
/// time. Such states are compared as a whole.
pub const LARGEST_ASKED: usize = 500;
/// Nor on states of more bytes: they are copied one by one, and a suite may have a hundred thousand of them.
pub const MOST_BYTES_ASKED: usize = 16 << 10;

/// A part of an entry state: a root of the copy, or a primitive value.
#[derive(Debug, Clone, Copy)]
enum Part {
    Object,
    Primitive(Kind, u64),
}

#[derive(Debug)]
struct State {
    key: Fingerprint,
    copy: Snapshot,
    parts: Vec<Part>,
    /// What holds the copy's shared objects; [`FIXED`] for those that never move.
    holders: Vec<u32>,
}

/// Nothing needs to hold an object.
const FIXED: u32 = u32::MAX;

/// The distinct entry states of a run.
#[derive(Debug, Default)]
pub(super) struct States {
    by_key: FxHashMap<Fingerprint, StateId>,
    states: Vec<State>,
    held: Vec<Handle>,
    singletons: Singletons,
    /// By class: whether its objects belong to the machine, where that is known.
    of_machine: Vec<Option<bool>>,
    /// By class: whether it has an `equals` of its own, where that is known.
    equals: Vec<Option<bool>>,
    room: Room,
}

/// The objects in `static final` fields and the strings of states, as they lie at one moment.
#[derive(Debug, Default)]
struct Singletons {
    n_collections: u64,
    n_initialised: usize,
    /// With the position of what holds it, once something does.
    objects: FxHashMap<Ref, Option<u32>>,
}

impl States {
    /// Whether there is an `equals` to run on an object. One that is inherited from `Object` only tells whether two
    /// objects are the same one.
    pub(super) fn has_equals(&mut self, vm: &Vm, object: Ref) -> bool {
        let class = vm.class_of(object);
        known(&mut self.equals, class, || own_equals(vm, class).is_some())
    }

    /// Classes of objects that were seen to have no `equals` to run.
    pub(super) fn without_equals<'v>(
        &self,
        vm: &'v Vm,
    ) -> impl Iterator<Item = ClassId> + use<'_, 'v> {
        let classes = self.equals.iter().zip(&vm.classes);
        classes
            .filter(|(has_equals, _)| **has_equals == Some(false))
            .map(|(_, entry)| entry.class.id)
    }

    /// The state with this key, copied if it is new; none if it has too many bytes.
    #[expect(clippy::cast_possible_truncation, reason = "far fewer states than 2^32")]
    pub(super) fn keep(&mut self, vm: &mut Vm, key: Fingerprint, roots: &[Root]) -> StateId {
        if let Some(&id) = self.by_key.get(&key) {
            return id;
        }
        self.refresh(vm);
        let mut parts = Vec::with_capacity(roots.len());
        let mut objects = Vec::new();
        for &root in roots {
            match root {
                Root::Object(object) => {
                    parts.push(Part::Object);
                    objects.push(object);
                }
                Root::Primitive(kind, word) => parts.push(Part::Primitive(kind, word)),
            }
        }
        let of_machine = RefCell::new(std::mem::take(&mut self.of_machine));
        let singletons = &self.singletons.objects;
        // A part itself is always copied: what holds it for good may change it all the same.
        let is_shared = |object: Ref| {
            (vm.heap.is_fixed(object)
                || is_text(vm, object)
                || singletons.contains_key(&object)
                || is_of_machine(vm, &mut of_machine.borrow_mut(), vm.class_of(object)))
                && !objects.contains(&object)
        };
        let copy =
            Snapshot::take_within(&mut self.room, vm, &objects, &is_shared, MOST_BYTES_ASKED);
        self.of_machine = of_machine.into_inner();
        let Some(copy) = copy else {
            self.by_key.insert(key, StateId::NONE);
            return StateId::NONE;
        };
        let mut hold = |object: Ref| {
            if vm.heap.is_fixed(object) {
                return FIXED;
            }
            let holder = self.singletons.objects.entry(object).or_default();
            *holder.get_or_insert_with(|| {
                self.held.push(vm.handles.hold(object));
                self.held.len() as u32 - 1
            })
        };
        let holders = copy.shared().map(&mut hold).collect();
        let id = StateId(self.states.len() as u32);
        self.states.push(State { key, copy, parts, holders });
        self.by_key.insert(key, id);
        id
    }

    /// The key of a state that is one object and what is behind it.
    pub(super) fn key_of_one(&self, id: StateId) -> Option<Fingerprint> {
        let state = &self.states[id.0 as usize];
        matches!(state.parts[..], [Part::Object]).then_some(state.key)
    }

    /// Puts a state into the heap; `None` where there is no room, or it was not kept.
    pub(super) fn put(&mut self, vm: &mut Vm, id: StateId) -> Option<Vec<Root>> {
        let state = self.states.get_mut(id.0 as usize)?;
        for (at, &holder) in state.holders.iter().enumerate() {
            if holder != FIXED {
                state.copy.set_shared(at, vm.handles.get(&self.held[holder as usize]));
            }
        }
        let copy = &state.copy;
        let mut objects = vm.complete(|vm| copy.put(vm)).ok()?.into_iter();
        let root = |part: &Part| match *part {
            Part::Object => Root::Object(objects.next().unwrap_or(Ref::NULL)),
            Part::Primitive(kind, word) => Root::Primitive(kind, word),
        };
        Some(state.parts.iter().map(root).collect())
    }

    /// Brings the objects in `static final` fields up to date.
    fn refresh(&mut self, vm: &Vm) {
        let n_collections = vm.gc.stats.n_collections();
        let n_initialised =
            vm.classes.iter().filter(|class| class.initialised_at.is_some()).count();
        let singletons = &mut self.singletons;
        if singletons.n_collections == n_collections && singletons.n_initialised == n_initialised {
            return;
        }
        singletons.n_collections = n_collections;
        singletons.n_initialised = n_initialised;
        singletons.objects.clear();
        for class in vm.classes.iter().filter(|class| class.initialised_at.is_some()) {
            for field in &class.class.fields {
                if !field.is_static() || field.flags & flags::FINAL == 0 || field.kind != Kind::Ref
                {
                    continue;
                }
                let object = vm.heap.load_ref(class.mirror, field.offset);
                if !object.is_null() && !vm.heap.is_fixed(object) {
                    singletons.objects.insert(object, None);
                }
            }
        }
        for (holder, handle) in (0..).zip(&self.held) {
            singletons.objects.insert(vm.handles.get(handle), Some(holder));
        }
    }
}

/// Whether objects of a class belong to the machine; `all` says it by class.
fn is_of_machine(vm: &Vm, all: &mut Vec<Option<bool>>, id: ClassId) -> bool {
    known(all, id, || mask::is_of_machine(vm, vm.class(id)))
}

/// What is known of a class, found out the first time.
fn known(all: &mut Vec<Option<bool>>, id: ClassId, find_out: impl FnOnce() -> bool) -> bool {
    if all.len() <= id.idx() {
        all.resize(id.idx() + 1, None);
    }
    *all[id.idx()].get_or_insert_with(find_out)
}

/// Whether an object is a string.
fn is_text(vm: &Vm, object: Ref) -> bool {
    vm.class_of(object) == vm.known.string
}

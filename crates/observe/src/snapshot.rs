//! Copies of rooted heaps outside the machine, and back.
//!
//! A snapshot holds what is reachable from some roots, so that it can be put into the heap again after
//! a rollback, or a second time beside the original. What the caller calls shared is not copied but
//! referred to: it must still be where it was when the snapshot is put back.

use std::sync::Arc;

use vm::class::{Class, Shape};
use vm::frame::Res;
use vm::heap::{ELEMENTS_OFFSET, FIELDS_OFFSET};
use vm::value::{ClassId, Kind, Ref};
use vm::vm::Vm;

use crate::state::visited::Visited;

/// A copy of a rooted heap. Names classes and shared objects as one machine knows them. Many are kept, so
/// each is small: references are not stored twice, and paddings not at all.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// The classes of the nodes, each once.
    classes: Vec<ClassId>,
    /// By node: a position in `classes`.
    nodes: Vec<u16>,
    /// Lengths of the arrays among the nodes, one behind the other.
    lengths: Vec<u32>,
    /// What is no reference in the fields or elements of all nodes, one behind the other.
    bytes: Vec<u8>,
    /// Where the references of all nodes lead, one behind the other.
    targets: Targets,
    roots: Vec<Target>,
    /// What is referred to and not copied.
    shared: Vec<Ref>,
    /// Identity hashes that nodes have.
    hashes: Vec<(u32, u32)>,
}

/// What taking snapshots needs, to be used again for the next one.
#[derive(Debug, Default)]
pub struct Room {
    visited: Visited,
    /// What stands for the objects that were met, in the order in which they were.
    met: Vec<Target>,
    waiting: Vec<Ref>,
    nodes: Vec<u16>,
    bytes: Vec<u8>,
    targets: Vec<Target>,
    shared: Vec<Ref>,
}

/// Where a reference leads: nowhere (zero), to a node (even, counted from one), to something shared (odd).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Target(u32);

/// Many of them, in half the room where they are small numbers.
#[derive(Debug, Clone)]
enum Targets {
    Narrow(Vec<u16>),
    Wide(Vec<Target>),
}

enum Place {
    Null,
    Node(usize),
    /// A position in `shared`.
    Shared(usize),
}

impl Target {
    const NULL: Target = Target(0);

    fn node(idx: u32) -> Target {
        Target((idx + 1) << 1)
    }

    fn shared(idx: u32) -> Target {
        Target(idx << 1 | 1)
    }

    fn place(self) -> Place {
        let idx = (self.0 >> 1) as usize;
        match self.0 & 1 {
            1 => Place::Shared(idx),
            _ => idx.checked_sub(1).map_or(Place::Null, Place::Node),
        }
    }
}

impl Default for Targets {
    fn default() -> Targets {
        Targets::Narrow(Vec::new())
    }
}

impl Targets {
    #[expect(clippy::cast_possible_truncation, reason = "only where all are small")]
    fn new(targets: &[Target]) -> Targets {
        if targets.iter().all(|target| target.0 <= u32::from(u16::MAX)) {
            Targets::Narrow(targets.iter().map(|target| target.0 as u16).collect())
        } else {
            Targets::Wide(targets.to_vec())
        }
    }

    fn get(&self, idx: usize) -> Target {
        match self {
            Targets::Narrow(targets) => Target(u32::from(targets[idx])),
            Targets::Wide(targets) => targets[idx],
        }
    }

    fn n_bytes(&self) -> usize {
        match self {
            Targets::Narrow(targets) => targets.len() * size_of::<u16>(),
            Targets::Wide(targets) => targets.len() * size_of::<Target>(),
        }
    }
}

/// The parts of an instance that are no references: offsets from and to.
fn plain_parts(class: &Class) -> Vec<(u32, u32)> {
    let mut parts = Vec::new();
    let end = class.fields_end.next_multiple_of(4).min(class.instance_size);
    let n_words = (end.saturating_sub(FIELDS_OFFSET) / 4) as usize;
    let mut references = [0_u64; 4];
    if n_words > references.len() * 64 {
        // References are put in their place afterwards.
        return vec![(FIELDS_OFFSET, end)];
    }
    for &offset in &class.ref_offsets {
        let word = ((offset - FIELDS_OFFSET) / 4) as usize;
        references[word / 64] |= 1 << (word % 64);
    }
    let mut start = FIELDS_OFFSET;
    let mut at = FIELDS_OFFSET;
    for word in 0..n_words {
        if references[word / 64] >> (word % 64) & 1 == 1 {
            if at > start {
                parts.push((start, at));
            }
            start = at + 4;
        }
        at += 4;
    }
    if at > start {
        parts.push((start, at));
    }
    parts
}

impl Snapshot {
    /// Copies what is reachable from the roots. Class objects are always shared.
    pub fn take(vm: &Vm, roots: &[Ref], is_shared: &dyn Fn(Ref) -> bool) -> Snapshot {
        Snapshot::take_with(&mut Room::default(), vm, roots, is_shared)
    }

    /// As `take`, in room that was used before.
    pub fn take_with(
        room: &mut Room,
        vm: &Vm,
        roots: &[Ref],
        is_shared: &dyn Fn(Ref) -> bool,
    ) -> Snapshot {
        Snapshot::take_within(room, vm, roots, is_shared, usize::MAX).unwrap_or_default()
    }

    /// As `take_with`, unless the objects have more bytes than that, about.
    #[expect(clippy::cast_possible_truncation, reason = "heaps are below 16 GB")]
    pub fn take_within(
        room: &mut Room,
        vm: &Vm,
        roots: &[Ref],
        is_shared: &dyn Fn(Ref) -> bool,
        most_bytes: usize,
    ) -> Option<Snapshot> {
        let mut snapshot = Snapshot::default();
        room.clear();
        let Room { visited, met, waiting, nodes, bytes, targets, shared } = room;
        let mut target = |object: Ref, waiting: &mut Vec<Ref>| {
            if object.is_null() {
                return Target::NULL;
            }
            if let Some(number) = visited.visit(object) {
                return met[number as usize];
            }
            let target = if vm.class_of(object) == vm.known.class || is_shared(object) {
                shared.push(object);
                Target::shared(shared.len() as u32 - 1)
            } else {
                waiting.push(object);
                Target::node(waiting.len() as u32 - 1)
            };
            met.push(target);
            target
        };
        // By class: the parts that are no references.
        let mut parts: Vec<Vec<(u32, u32)>> = Vec::new();
        for &root in roots {
            let root = target(root, waiting);
            snapshot.roots.push(root);
        }
        let mut next = 0;
        while let Some(&object) = waiting.get(next) {
            let id = vm.class_of(object);
            let class = vm.class(id);
            let hash = vm.given_hash(object);
            if hash != 0 {
                snapshot.hashes.push((next as u32, hash));
            }
            let known = snapshot.classes.iter().position(|known| *known == id);
            let number = known.unwrap_or_else(|| {
                snapshot.classes.push(id);
                parts.push(plain_parts(class));
                parts.len() - 1
            });
            nodes.push(u16::try_from(number).ok()?);
            if let Shape::Array { element, .. } = class.shape {
                let length = vm.heap.array_length(object);
                if (length as usize).saturating_mul(element.size() as usize) > most_bytes {
                    return None;
                }
                snapshot.lengths.push(length);
                if element == Kind::Ref {
                    for idx in 0..length {
                        targets.push(target(vm.heap.element_ref(object, idx), waiting));
                    }
                } else {
                    let n_bytes = (length * element.size()) as usize;
                    let elements = vm.heap.bytes(object, ELEMENTS_OFFSET, n_bytes);
                    bytes.extend_from_slice(elements);
                }
            } else {
                for &offset in &class.ref_offsets {
                    targets.push(target(vm.heap.load_ref(object, offset), waiting));
                }
                for &(from, to) in &parts[number] {
                    bytes.extend_from_slice(vm.heap.bytes(object, from, (to - from) as usize));
                }
            }
            if bytes.len() + targets.len() * size_of::<Target>() > most_bytes {
                return None;
            }
            next += 1;
        }
        // No more room than is needed.
        snapshot.classes.shrink_to_fit();
        snapshot.lengths.shrink_to_fit();
        snapshot.nodes = nodes.clone();
        snapshot.bytes = bytes.clone();
        snapshot.shared = shared.clone();
        snapshot.targets = Targets::new(targets);
        Some(snapshot)
    }

    /// What the copy refers to, so that whoever keeps it can follow the objects when they move.
    pub fn shared_mut(&mut self) -> &mut [Ref] {
        &mut self.shared
    }

    /// The classes of the objects copied, each once.
    pub fn classes(&self) -> impl Iterator<Item = ClassId> {
        self.classes.iter().copied()
    }

    /// Number of objects copied.
    pub fn n_objects(&self) -> usize {
        self.nodes.len()
    }

    /// Memory that the copy takes, about.
    pub fn n_bytes(&self) -> usize {
        size_of::<Snapshot>()
            + self.classes.len() * size_of::<ClassId>()
            + self.nodes.len() * size_of::<u16>()
            + self.lengths.len() * size_of::<u32>()
            + self.bytes.len()
            + self.targets.n_bytes()
            + self.roots.len() * size_of::<Target>()
            + self.shared.len() * size_of::<Ref>()
            + self.hashes.len() * size_of::<(u32, u32)>()
    }

    /// By root, of the first 64: a set of the roots, one bit each, with which it has copied objects in
    /// common, itself included if it has any.
    pub fn sharing(&self, vm: &Vm) -> Vec<u64> {
        let mut reached: Vec<u64> = vec![0; self.nodes.len()];
        for (bit, root) in self.roots.iter().enumerate().take(64) {
            if let Place::Node(idx) = root.place() {
                reached[idx] |= 1 << bit;
            }
        }
        let n_targets = self.n_targets(vm);
        // Nodes are in the order of first visit; what points back needs another turn.
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            let mut at = 0;
            for (idx, n_targets) in n_targets.iter().enumerate() {
                let end = at + n_targets;
                let from = reached[idx];
                for target in at..end {
                    if let Place::Node(to) = self.targets.get(target).place()
                        && reached[to] | from != reached[to]
                    {
                        reached[to] |= from;
                        has_changed = true;
                    }
                }
                at = end;
            }
        }
        let shared = |bit: usize| {
            let own = reached.iter().filter(|set| **set >> bit & 1 == 1);
            own.fold(0, |all, set| all | set)
        };
        (0..self.roots.len().min(64)).map(shared).collect()
    }

    /// By node: how many references it has.
    fn n_targets(&self, vm: &Vm) -> Vec<usize> {
        let mut lengths = self.lengths.iter();
        let of_node = |&number: &u16| {
            let class = vm.class(self.classes[usize::from(number)]);
            match class.shape {
                Shape::Array { element, .. } => {
                    let length = lengths.next().copied().unwrap_or(0) as usize;
                    if element == Kind::Ref { length } else { 0 }
                }
                _ => class.ref_offsets.len(),
            }
        };
        self.nodes.iter().map(of_node).collect()
    }

    /// Puts the copy into the heap; gives the roots.
    pub fn put(&self, vm: &mut Vm) -> Res<Vec<Ref>> {
        let classes: Vec<Arc<Class>> =
            self.classes.iter().map(|id| vm.classes[id.idx()].class.clone()).collect();
        let parts: Vec<Vec<(u32, u32)>> = classes.iter().map(|class| plain_parts(class)).collect();
        let mut made: Vec<Ref> = Vec::with_capacity(self.nodes.len());
        let mut bytes = &self.bytes[..];
        let mut lengths = self.lengths.iter();
        for &number in &self.nodes {
            let class = &classes[usize::from(number)];
            made.push(if let Shape::Array { element, .. } = class.shape {
                let length = lengths.next().copied().unwrap_or(0);
                let array = vm.new_array(class.id, length)?;
                if element != Kind::Ref {
                    let (own, rest) = bytes.split_at((length * element.size()) as usize);
                    vm.heap.store_bytes(array, ELEMENTS_OFFSET, own);
                    bytes = rest;
                }
                array
            } else {
                let object = vm.new_object(class.id)?;
                for &(from, to) in &parts[usize::from(number)] {
                    let (own, rest) = bytes.split_at((to - from) as usize);
                    vm.heap.store_bytes(object, from, own);
                    bytes = rest;
                }
                object
            });
        }
        for &(node, hash) in &self.hashes {
            vm.give_hash(made[node as usize], hash);
        }
        match &self.targets {
            Targets::Narrow(targets) => {
                self.fill(vm, &classes, &made, |idx| Target(u32::from(targets[idx])));
            }
            Targets::Wide(targets) => self.fill(vm, &classes, &made, |idx| targets[idx]),
        }
        Ok(self.roots.iter().map(|&root| self.object(&made, root)).collect())
    }

    /// Stores the references of all nodes.
    fn fill(
        &self,
        vm: &mut Vm,
        classes: &[Arc<Class>],
        made: &[Ref],
        target: impl Fn(usize) -> Target,
    ) {
        let mut at = 0;
        let mut lengths = self.lengths.iter();
        for (&number, &object) in self.nodes.iter().zip(made) {
            let class = &classes[usize::from(number)];
            if let Shape::Array { element, .. } = class.shape {
                let length = lengths.next().copied().unwrap_or(0);
                if element == Kind::Ref {
                    for idx in 0..length {
                        let to = self.object(made, target(at + idx as usize));
                        vm.heap.store_ref(object, ELEMENTS_OFFSET + idx * 4, to);
                    }
                    at += length as usize;
                }
            } else {
                for (idx, &offset) in class.ref_offsets.iter().enumerate() {
                    vm.heap.store_ref(object, offset, self.object(made, target(at + idx)));
                }
                at += class.ref_offsets.len();
            }
        }
    }

    /// The object that a target stands for, where the nodes have become these.
    #[inline]
    fn object(&self, made: &[Ref], target: Target) -> Ref {
        match target.place() {
            Place::Null => Ref::NULL,
            Place::Node(idx) => made[idx],
            Place::Shared(idx) => self.shared[idx],
        }
    }
}

impl Room {
    fn clear(&mut self) {
        self.visited.clear();
        self.met.clear();
        self.waiting.clear();
        self.nodes.clear();
        self.bytes.clear();
        self.targets.clear();
        self.shared.clear();
    }
}

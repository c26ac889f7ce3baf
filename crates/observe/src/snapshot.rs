//! Copies of rooted heaps outside the machine, and back.
//!
//! A snapshot holds what is reachable from some roots, so that it can be put into the heap again after
//! a rollback, or a second time beside the original. What the caller calls shared is not copied but
//! referred to: it must still be where it was when the snapshot is put back.

use vm::class::Shape;
use vm::frame::Res;
use vm::heap::{ELEMENTS_OFFSET, FIELDS_OFFSET};
use vm::value::{ClassId, Kind, Ref};
use vm::vm::Vm;

use crate::state::visited::Visited;

/// A copy of a rooted heap. Names classes and shared objects as one machine knows them.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    nodes: Vec<Node>,
    /// The fields or elements of all nodes that are not only references, one behind the other.
    bytes: Vec<u8>,
    /// Where the references of all nodes lead, one behind the other.
    targets: Vec<Target>,
    roots: Vec<Target>,
    /// What is referred to and not copied.
    shared: Vec<Ref>,
}

/// What taking snapshots needs, to be used again for the next one.
#[derive(Debug, Default)]
pub struct Room {
    visited: Visited,
    waiting: Vec<Ref>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    class: ClassId,
    /// Length, for arrays.
    length: u32,
    /// How many references it has.
    n_targets: u32,
}

/// Where a reference leads: nowhere (zero), to a node (even, counted from one), to something shared (odd).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Target(u32);

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

impl Snapshot {
    /// Copies what is reachable from the roots. Class objects are always shared.
    pub fn take(vm: &Vm, roots: &[Ref], is_shared: &dyn Fn(Ref) -> bool) -> Snapshot {
        Snapshot::take_with(&mut Room::default(), vm, roots, is_shared)
    }

    /// As `take`, in room that was used before.
    #[expect(clippy::cast_possible_truncation, reason = "heaps are below 16 GB")]
    pub fn take_with(
        room: &mut Room,
        vm: &Vm,
        roots: &[Ref],
        is_shared: &dyn Fn(Ref) -> bool,
    ) -> Snapshot {
        let mut snapshot = Snapshot::default();
        let Room { visited, waiting } = room;
        visited.clear();
        waiting.clear();
        let mut shared = Vec::new();
        let mut target = |object: Ref, waiting: &mut Vec<Ref>| {
            if object.is_null() {
                return Target::NULL;
            }
            if let Some(number) = visited.number(object) {
                return Target::node(number);
            }
            if vm.class_of(object) == vm.known.class || is_shared(object) {
                shared.push(object);
                return Target::shared(shared.len() as u32 - 1);
            }
            visited.visit(object);
            waiting.push(object);
            Target::node(waiting.len() as u32 - 1)
        };
        for &root in roots {
            let root = target(root, waiting);
            snapshot.roots.push(root);
        }
        let mut next = 0;
        while let Some(&object) = waiting.get(next) {
            let id = vm.class_of(object);
            let class = vm.class(id);
            let n_before = snapshot.targets.len();
            let mut length = 0;
            if let Shape::Array { element, .. } = class.shape {
                length = vm.heap.array_length(object);
                if element == Kind::Ref {
                    for idx in 0..length {
                        let to = target(vm.heap.element_ref(object, idx), waiting);
                        snapshot.targets.push(to);
                    }
                } else {
                    let n_bytes = (length * element.size()) as usize;
                    let elements = vm.heap.bytes(object, ELEMENTS_OFFSET, n_bytes);
                    snapshot.bytes.extend_from_slice(elements);
                }
            } else {
                for &offset in &class.ref_offsets {
                    let to = target(vm.heap.load_ref(object, offset), waiting);
                    snapshot.targets.push(to);
                }
                let n_bytes = (class.instance_size - FIELDS_OFFSET) as usize;
                snapshot.bytes.extend_from_slice(vm.heap.bytes(object, FIELDS_OFFSET, n_bytes));
            }
            let n_targets = (snapshot.targets.len() - n_before) as u32;
            snapshot.nodes.push(Node { class: id, length, n_targets });
            next += 1;
        }
        snapshot.shared = shared;
        snapshot
    }

    /// What the copy refers to, so that whoever keeps it can follow the objects when they move.
    pub fn shared_mut(&mut self) -> &mut [Ref] {
        &mut self.shared
    }

    /// Number of objects copied.
    pub fn n_objects(&self) -> usize {
        self.nodes.len()
    }

    /// Memory that the copy takes, about.
    pub fn n_bytes(&self) -> usize {
        size_of::<Snapshot>()
            + self.nodes.len() * size_of::<Node>()
            + self.bytes.len()
            + (self.targets.len() + self.roots.len()) * size_of::<Target>()
            + self.shared.len() * size_of::<Ref>()
    }

    /// By root, of the first 64: a set of the roots, one bit each, with which it has copied objects in
    /// common, itself included if it has any.
    pub fn sharing(&self) -> Vec<u64> {
        let mut reached: Vec<u64> = vec![0; self.nodes.len()];
        for (bit, root) in self.roots.iter().enumerate().take(64) {
            if let Place::Node(idx) = root.place() {
                reached[idx] |= 1 << bit;
            }
        }
        // Nodes are in the order of first visit; what points back needs another turn.
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            let mut at = 0;
            for (idx, node) in self.nodes.iter().enumerate() {
                let end = at + node.n_targets as usize;
                let from = reached[idx];
                for target in &self.targets[at..end] {
                    if let Place::Node(to) = target.place()
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

    /// Puts the copy into the heap; gives the roots.
    pub fn put(&self, vm: &mut Vm) -> Res<Vec<Ref>> {
        let mut made: Vec<Ref> = Vec::with_capacity(self.nodes.len());
        let mut bytes = &self.bytes[..];
        for node in &self.nodes {
            let class = vm.class(node.class);
            let (object, first, n_bytes) = if let Shape::Array { element, .. } = class.shape {
                let n_bytes = if element == Kind::Ref { 0 } else { node.length * element.size() };
                (vm.new_array(node.class, node.length)?, ELEMENTS_OFFSET, n_bytes)
            } else {
                let n_bytes = class.instance_size - FIELDS_OFFSET;
                (vm.new_object(node.class)?, FIELDS_OFFSET, n_bytes)
            };
            let (own, rest) = bytes.split_at(n_bytes as usize);
            vm.heap.store_bytes(object, first, own);
            bytes = rest;
            made.push(object);
        }
        let place = |target: Target| match target.place() {
            Place::Null => Ref::NULL,
            Place::Node(idx) => made[idx],
            Place::Shared(idx) => self.shared[idx],
        };
        let mut at = 0;
        for (node, &object) in self.nodes.iter().zip(&made) {
            let end = at + node.n_targets as usize;
            let class = vm.classes[node.class.idx()].class.clone();
            let is_array = class.is_array();
            for (idx, &target) in (0..).zip(&self.targets[at..end]) {
                let offset = match is_array {
                    true => ELEMENTS_OFFSET + idx * 4,
                    false => class.ref_offsets[idx as usize],
                };
                vm.heap.store_ref(object, offset, place(target));
            }
            at = end;
        }
        Ok(self.roots.iter().map(|&root| place(root)).collect())
    }
}

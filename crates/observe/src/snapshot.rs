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

/// A copy of a rooted heap. Names classes and shared objects as one machine knows them. Many are kept and put
/// back in any order, so each is small and in one piece: references are not stored twice, and paddings not at
/// all.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    n: Counts,
    /// One behind the other: the classes of the nodes, each once; what is referred to and not copied; nodes with
    /// their identity hashes, where they have one; lengths of the arrays among the nodes; where the references of
    /// all nodes lead, and the roots; by node a position among the classes; what is no reference in the fields or
    /// elements of all nodes.
    data: Box<[u8]>,
}

/// How much there is of everything.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    classes: u16,
    /// Bytes of a target.
    width: u8,
    shared: u32,
    hashes: u32,
    lengths: u32,
    targets: u32,
    roots: u32,
    nodes: u32,
}

/// What taking snapshots and putting them back needs, to be used again for the next one.
#[derive(Debug, Default)]
pub struct Room {
    visited: Visited,
    /// What stands for the objects that were met, in the order in which they were.
    met: Vec<Target>,
    waiting: Vec<Ref>,
    classes: Vec<ClassId>,
    shared: Vec<Ref>,
    hashes: Vec<(u32, u32)>,
    lengths: Vec<u32>,
    targets: Vec<Target>,
    roots: Vec<Target>,
    nodes: Vec<u16>,
    bytes: Vec<u8>,
    plans: Vec<Plan>,
    parts: Vec<(u32, u32)>,
    made: Vec<Ref>,
}

/// How objects of a class are filled.
#[derive(Debug)]
struct Plan {
    class: Arc<Class>,
    /// Positions in `Room::parts`, from and to.
    parts: (usize, usize),
}

/// Where a reference leads: nowhere (zero), to a node (even, counted from one), to something shared (odd).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Target(u32);

enum Place {
    Null,
    Node(usize),
    /// A position among what is shared.
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

/// Where everything begins.
#[derive(Debug, Clone, Copy)]
struct Places {
    shared: usize,
    hashes: usize,
    lengths: usize,
    /// Roots are behind the targets.
    targets: usize,
    nodes: usize,
    bytes: usize,
}

impl Counts {
    fn places(self) -> Places {
        let width = usize::from(self.width);
        let shared = usize::from(self.classes) * 4;
        let hashes = shared + self.shared as usize * 4;
        let lengths = hashes + self.hashes as usize * 8;
        let targets = lengths + self.lengths as usize * 4;
        let nodes = targets + (self.targets as usize + self.roots as usize) * width;
        let bytes = nodes + self.nodes as usize * 2;
        Places { shared, hashes, lengths, targets, nodes, bytes }
    }
}

/// The parts of an instance that are no references: offsets from and to. Calls `each` for every one.
fn plain_parts(class: &Class, mut each: impl FnMut(u32, u32)) {
    let end = class.fields_end.next_multiple_of(4).min(class.instance_size);
    let n_words = (end.saturating_sub(FIELDS_OFFSET) / 4) as usize;
    let mut references = [0_u64; 4];
    if n_words > references.len() * 64 {
        // References are put in their place afterwards.
        each(FIELDS_OFFSET, end);
        return;
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
                each(start, at);
            }
            start = at + 4;
        }
        at += 4;
    }
    if at > start {
        each(start, at);
    }
}

impl Room {
    fn clear(&mut self) {
        self.visited.clear();
        self.met.clear();
        self.waiting.clear();
        self.classes.clear();
        self.shared.clear();
        self.hashes.clear();
        self.lengths.clear();
        self.targets.clear();
        self.roots.clear();
        self.nodes.clear();
        self.bytes.clear();
        self.clear_plans();
    }

    fn clear_plans(&mut self) {
        self.plans.clear();
        self.parts.clear();
        self.made.clear();
    }

    /// Adds how objects of a class are filled.
    fn plan(&mut self, class: &Arc<Class>) {
        let start = self.parts.len();
        if !matches!(class.shape, Shape::Array { .. }) {
            plain_parts(class, |from, to| self.parts.push((from, to)));
        }
        self.plans.push(Plan { class: class.clone(), parts: (start, self.parts.len()) });
    }

    #[expect(clippy::cast_possible_truncation, reason = "heaps are below 16 GB")]
    fn target(&mut self, vm: &Vm, object: Ref, is_shared: &dyn Fn(Ref) -> bool) -> Target {
        if object.is_null() {
            return Target::NULL;
        }
        if let Some(number) = self.visited.visit(object) {
            return self.met[number as usize];
        }
        let target = if vm.class_of(object) == vm.known.class || is_shared(object) {
            self.shared.push(object);
            Target::shared(self.shared.len() as u32 - 1)
        } else {
            self.waiting.push(object);
            Target::node(self.waiting.len() as u32 - 1)
        };
        self.met.push(target);
        target
    }

    /// Everything that was found, in one piece.
    #[expect(clippy::cast_possible_truncation, reason = "heaps are below 16 GB")]
    fn pack(&self) -> Snapshot {
        let largest = (self.waiting.len() + 1).max(self.shared.len()) << 1 | 1;
        let is_narrow = largest <= usize::from(u16::MAX);
        let n = Counts {
            classes: self.classes.len() as u16,
            width: if is_narrow { 2 } else { 4 },
            shared: self.shared.len() as u32,
            hashes: self.hashes.len() as u32,
            lengths: self.lengths.len() as u32,
            targets: self.targets.len() as u32,
            roots: self.roots.len() as u32,
            nodes: self.nodes.len() as u32,
        };
        let mut data = Vec::with_capacity(n.places().bytes + self.bytes.len());
        self.classes.iter().for_each(|class| data.extend(class.0.to_le_bytes()));
        self.shared.iter().for_each(|object| data.extend(object.0.to_le_bytes()));
        for (node, hash) in &self.hashes {
            data.extend(node.to_le_bytes());
            data.extend(hash.to_le_bytes());
        }
        self.lengths.iter().for_each(|length| data.extend(length.to_le_bytes()));
        for target in self.targets.iter().chain(&self.roots) {
            data.extend_from_slice(&target.0.to_le_bytes()[..usize::from(n.width)]);
        }
        self.nodes.iter().for_each(|class| data.extend(class.to_le_bytes()));
        data.extend_from_slice(&self.bytes);
        Snapshot { n, data: data.into() }
    }
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
        room.clear();
        for &root in roots {
            let root = room.target(vm, root, is_shared);
            room.roots.push(root);
        }
        let mut next = 0;
        while let Some(&object) = room.waiting.get(next) {
            let id = vm.class_of(object);
            let class = vm.class(id);
            let hash = vm.given_hash(object);
            if hash != 0 {
                room.hashes.push((next as u32, hash));
            }
            let known = room.classes.iter().position(|known| *known == id);
            let number = known.unwrap_or_else(|| {
                room.classes.push(id);
                room.plan(class);
                room.classes.len() - 1
            });
            room.nodes.push(u16::try_from(number).ok().filter(|number| *number < u16::MAX)?);
            if let Shape::Array { element, .. } = class.shape {
                let length = vm.heap.array_length(object);
                if (length as usize).saturating_mul(element.size() as usize) > most_bytes {
                    return None;
                }
                room.lengths.push(length);
                if element == Kind::Ref {
                    for idx in 0..length {
                        let target = room.target(vm, vm.heap.element_ref(object, idx), is_shared);
                        room.targets.push(target);
                    }
                } else {
                    let n_bytes = (length * element.size()) as usize;
                    let elements = vm.heap.bytes(object, ELEMENTS_OFFSET, n_bytes);
                    room.bytes.extend_from_slice(elements);
                }
            } else {
                for &offset in &class.ref_offsets {
                    let target = room.target(vm, vm.heap.load_ref(object, offset), is_shared);
                    room.targets.push(target);
                }
                let (from, to) = room.plans[number].parts;
                for &(from, to) in &room.parts[from..to] {
                    let part = vm.heap.bytes(object, from, (to - from) as usize);
                    room.bytes.extend_from_slice(part);
                }
            }
            if room.bytes.len() + room.targets.len() * size_of::<Target>() > most_bytes {
                return None;
            }
            next += 1;
        }
        Some(room.pack())
    }

    fn u16_at(&self, at: usize) -> u16 {
        u16::from_le_bytes([self.data[at], self.data[at + 1]])
    }

    fn u32_at(&self, at: usize) -> u32 {
        let bytes = &self.data[at..at + 4];
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    }

    /// The target at a position among targets and roots.
    fn target(&self, places: &Places, idx: usize) -> Target {
        match self.n.width {
            2 => Target(u32::from(self.u16_at(places.targets + idx * 2))),
            _ => Target(self.u32_at(places.targets + idx * 4)),
        }
    }

    /// What the copy refers to, so that whoever keeps it can follow the objects when they move.
    pub fn shared(&self) -> impl Iterator<Item = Ref> {
        let start = self.n.places().shared;
        (0..self.n.shared as usize).map(move |idx| Ref(self.u32_at(start + idx * 4)))
    }

    /// Says where something that the copy refers to is now.
    pub fn set_shared(&mut self, idx: usize, object: Ref) {
        let at = self.n.places().shared + idx * 4;
        self.data[at..at + 4].copy_from_slice(&object.0.to_le_bytes());
    }

    /// Says which number one of the classes has now.
    pub fn set_class(&mut self, idx: usize, class: ClassId) {
        self.data[idx * 4..idx * 4 + 4].copy_from_slice(&class.0.to_le_bytes());
    }

    /// The classes of the objects copied, each once.
    pub fn classes(&self) -> impl Iterator<Item = ClassId> {
        (0..usize::from(self.n.classes)).map(|idx| ClassId(self.u32_at(idx * 4)))
    }

    /// Number of objects copied.
    pub fn n_objects(&self) -> usize {
        self.n.nodes as usize
    }

    /// Memory that the copy takes, about.
    pub fn n_bytes(&self) -> usize {
        size_of::<Snapshot>() + self.data.len()
    }

    /// By root, of the first 64: a set of the roots, one bit each, with which it has copied objects in
    /// common, itself included if it has any.
    pub fn sharing(&self, vm: &Vm) -> Vec<u64> {
        let places = self.n.places();
        let n_roots = (self.n.roots as usize).min(64);
        let mut reached: Vec<u64> = vec![0; self.n_objects()];
        for bit in 0..n_roots {
            let root = self.target(&places, self.n.targets as usize + bit);
            if let Place::Node(idx) = root.place() {
                reached[idx] |= 1 << bit;
            }
        }
        let n_targets = self.n_targets(vm, &places);
        // Nodes are in the order of first visit; what points back needs another turn.
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            let mut at = 0;
            for (idx, n_targets) in n_targets.iter().enumerate() {
                let end = at + n_targets;
                let from = reached[idx];
                for target in at..end {
                    if let Place::Node(to) = self.target(&places, target).place()
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
        (0..n_roots).map(shared).collect()
    }

    /// By node: how many references it has.
    fn n_targets(&self, vm: &Vm, places: &Places) -> Vec<usize> {
        let mut length_at = places.lengths;
        let of_node = |node: usize| {
            let number = usize::from(self.u16_at(places.nodes + node * 2));
            let class = vm.class(ClassId(self.u32_at(number * 4)));
            match class.shape {
                Shape::Array { element, .. } => {
                    let length = self.u32_at(length_at) as usize;
                    length_at += 4;
                    if element == Kind::Ref { length } else { 0 }
                }
                _ => class.ref_offsets.len(),
            }
        };
        (0..self.n_objects()).map(of_node).collect()
    }

    /// Puts the copy into the heap; gives the roots.
    pub fn put(&self, vm: &mut Vm) -> Res<Vec<Ref>> {
        let mut roots = Vec::with_capacity(self.n.roots as usize);
        self.put_with(&mut Room::default(), vm, |root| roots.push(root))?;
        Ok(roots)
    }

    /// As `put`, in room that was used before; calls `each` for every root.
    pub fn put_with(&self, room: &mut Room, vm: &mut Vm, mut each: impl FnMut(Ref)) -> Res<()> {
        let places = self.n.places();
        room.clear_plans();
        for class in self.classes() {
            room.plan(&vm.classes[class.idx()].class);
        }
        let Room { plans, parts, made, .. } = room;
        let mut bytes = &self.data[places.bytes..];
        let mut length_at = places.lengths;
        let numbers = self.data[places.nodes..places.bytes].as_chunks::<2>().0;
        for &number in numbers {
            let plan = &plans[usize::from(u16::from_le_bytes(number))];
            let class = &plan.class;
            made.push(if let Shape::Array { element, .. } = class.shape {
                let length = self.u32_at(length_at);
                length_at += 4;
                let array = vm.new_array(class.id, length)?;
                if element != Kind::Ref {
                    let (own, rest) = bytes.split_at((length * element.size()) as usize);
                    vm.heap.store_bytes(array, ELEMENTS_OFFSET, own);
                    bytes = rest;
                }
                array
            } else {
                let object = vm.new_object(class.id)?;
                for &(from, to) in &parts[plan.parts.0..plan.parts.1] {
                    let (own, rest) = bytes.split_at((to - from) as usize);
                    vm.heap.store_bytes(object, from, own);
                    bytes = rest;
                }
                object
            });
        }
        for at in (places.hashes..places.lengths).step_by(8) {
            vm.give_hash(made[self.u32_at(at) as usize], self.u32_at(at + 4));
        }
        let place = |idx: usize| match self.target(&places, idx).place() {
            Place::Null => Ref::NULL,
            Place::Node(idx) => made[idx],
            Place::Shared(idx) => Ref(self.u32_at(places.shared + idx * 4)),
        };
        let mut at = 0;
        let mut length_at = places.lengths;
        for (&number, &object) in numbers.iter().zip(&*made) {
            let class = &plans[usize::from(u16::from_le_bytes(number))].class;
            if let Shape::Array { element, .. } = class.shape {
                let length = self.u32_at(length_at);
                length_at += 4;
                if element == Kind::Ref {
                    for idx in 0..length {
                        let to = place(at + idx as usize);
                        vm.heap.store_ref(object, ELEMENTS_OFFSET + idx * 4, to);
                    }
                    at += length as usize;
                }
            } else {
                for (idx, &offset) in class.ref_offsets.iter().enumerate() {
                    vm.heap.store_ref(object, offset, place(at + idx));
                }
                at += class.ref_offsets.len();
            }
        }
        let first = self.n.targets as usize;
        (first..first + self.n.roots as usize).for_each(|root| each(place(root)));
        Ok(())
    }
}

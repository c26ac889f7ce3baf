//! The fingerprint of a large heap in which many nodes have several ways in, kept and mended.
//!
//! In such a heap a change in one place changes in which order a depth-first walk meets everything. So each node has
//! a name: that of the way that leads to it, a shortest one, and of those the one whose name is the least number.
//! Every node, and every piece of a large array, is written down by itself with its own name and the names of
//! what it refers to, and the fingerprint is the sum of all of them. Two heaps have the same one iff they are
//! isomorphic: names say which node is which, and everything else is written down.
//!
//! A change costs the nodes that have changed, those whose names are others now, and those that refer to them
//! (`ways`).

mod levels;
mod ways;

use vm::heap::ELEMENTS_OFFSET;
use vm::value::{Kind, Ref};
use vm::vm::Vm;

use super::super::canonical_heap::{BACK, CanonicalHeap, Form, NODE, NULL, Plan};
use super::super::canonical_heap::{load, write_elements};
use super::super::fingerprint::{Fingerprint, Mixer, Sink};
use super::composite::{elements_of_piece, n_pieces};
use super::places::{Places, element_at};
use levels::Levels;

/// No node and no edge.
const NONE: u32 = u32::MAX;
/// The distance of a node that no way leads to.
const FAR: u32 = u32::MAX;
/// The root.
const ROOT: u32 = 0;

/// The halves of a fingerprint. So a node fits into one line of the cache.
type Name = [u64; 2];

#[derive(Debug, Clone, Copy)]
struct Node {
    object: Ref,
    form: Form,
    /// Steps from the root.
    distance: u32,
    /// The edge that it is named by.
    via: u32,
    name: Name,
    /// Its first edge: one per slot or element, if there may be nodes behind them.
    edges: u32,
    n_edges: u32,
    /// Its first part: one, or one per piece of an array.
    parts: u32,
    n_parts: u32,
    /// One of the edges that lead to it.
    first_in: u32,
}

#[derive(Debug, Clone, Copy)]
struct Edge {
    from: u32,
    to: u32,
    /// Other edges that lead to the same node.
    next_in: u32,
    previous_in: u32,
}

/// What is written down at once.
#[derive(Debug, Clone, Copy)]
struct Part {
    node: u32,
    is_stale: bool,
    /// Whether its content has changed, and not only names.
    is_changed: bool,
    /// The fingerprint of its content: all but names. Most parts that are written down again have got other names,
    /// and nobody need go to the objects, and the values that they refer to, for that.
    content: Name,
    sum: Name,
}

/// A heap and the names of its nodes.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) root: Ref,
    nodes: Vec<Node>,
    free: Vec<u32>,
    edges: Vec<Edge>,
    parts: Vec<Part>,
    /// Edges and parts that belong to no node any longer.
    n_left: usize,
    places: Places,
    /// References to nodes other than the root.
    n_references: usize,
    /// Nodes other than the root that refer to each other.
    n_mutual: usize,
    /// Pieces of large arrays.
    n_pieces: usize,
    /// Nodes with slots or elements, from the first to the last, that have changed.
    changed: Vec<(u32, u32, u32)>,
    unread: Vec<u32>,
    stale: Vec<u32>,
    /// Nodes that have lost the edge that they were named by, and how far they were.
    shaken: Levels<u32>,
    /// Edges that are new.
    linked: Vec<u32>,
    /// Nodes that no way was known to.
    lost: Vec<u32>,
    /// Distances that nodes may have now.
    nearer: Levels<u32>,
    /// Nodes to be named, by distance: anew, or because of an edge.
    renamed: Levels<(u32, Option<u32>)>,
    sum: u128,
    is_made: bool,
}

impl Names {
    /// Becomes the heap behind this root, which is not read yet.
    pub(super) fn forget(&mut self, root: Ref) {
        self.root = root;
        self.nodes.clear();
        self.free.clear();
        self.edges.clear();
        self.parts.clear();
        self.n_left = 0;
        self.places.clear();
        (self.n_references, self.n_mutual, self.n_pieces) = (0, 0, 0);
        self.changed.clear();
        self.stale.clear();
        self.sum = 0;
        self.is_made = false;
    }

    /// How many objects there are.
    pub(super) fn n_objects(&self) -> usize {
        self.places.len()
    }

    /// How many objects and pieces of arrays there are.
    pub(super) fn size(&self) -> usize {
        self.places.len() + self.n_pieces
    }

    /// How many references there are beyond those that make a tree and, in pairs of nodes that refer to each
    /// other, back.
    pub(super) fn n_beyond(&self) -> usize {
        (self.n_references + 1).saturating_sub(self.places.len() + self.n_mutual)
    }

    /// A number that stands for an object; `fingerprint` comes first.
    pub(super) fn number(&self, object: Ref) -> Option<u64> {
        self.places.get(object).map(|node| self.nodes[node as usize].name[1] >> 4)
    }

    /// The fingerprint, and whether everything had to be read for it. The root is no value.
    pub(super) fn fingerprint(&mut self, heap: &mut CanonicalHeap, vm: &Vm) -> (Fingerprint, bool) {
        let n_places = self.edges.len() + self.parts.len();
        let is_whole = !self.is_made || self.n_left > n_places / 2 + 1024;
        if is_whole {
            self.forget(self.root);
            let plan = heap.plan_of(vm, vm.class_of(self.root));
            self.add(vm, self.root, plan);
            (self.nodes[0].distance, self.nodes[0].name) = (0, [0, 1]);
            self.is_made = true;
        }
        for (node, first, last) in std::mem::take(&mut self.changed) {
            self.read(heap, vm, node, (first, last));
        }
        while let Some(node) = self.unread.pop() {
            let last = self.nodes[node as usize].n_edges;
            self.read(heap, vm, node, (0, last));
        }
        if is_whole {
            self.measure_all();
        } else {
            self.lose();
            self.measure();
            self.name();
            self.drop_lost();
        }
        while let Some(part) = self.stale.pop() {
            // A part of what was dropped is no longer stale.
            if self.parts[part as usize].is_stale {
                if self.parts[part as usize].is_changed {
                    let content = self.content(heap, vm, part);
                    let part = &mut self.parts[part as usize];
                    (part.content, part.is_changed) = (content, false);
                }
                let now = self.write(part);
                let part = &mut self.parts[part as usize];
                self.sum = self.sum.wrapping_sub(whole(part.sum)).wrapping_add(whole(now));
                (part.sum, part.is_stale) = (now, false);
            }
        }
        let mut mixer = Mixer::new(10);
        mixer.word(self.places.len() as u64);
        mixer.fingerprint(Fingerprint(self.sum));
        (mixer.finish(), is_whole)
    }

    /// A granule has changed.
    pub(super) fn note(&mut self, heap: &CanonicalHeap, vm: &Vm, granule: u32) {
        let Some(number) = self.places.at(granule) else { return };
        let node = self.nodes[number as usize];
        let offset = (granule - node.object.0) << 3;
        match node.form {
            Form::Array(_) if offset + 8 <= ELEMENTS_OFFSET => {}
            Form::Array(kind) => {
                let length = vm.heap.array_length(node.object);
                let (first, last) = (element_at(kind, offset), element_at(kind, offset + 7) + 1);
                self.changed.push((number, first, last.min(length)));
            }
            _ => {
                // The header and fields that do not count are not looked at.
                if heap.first_slot(vm.class_of(node.object), offset).is_some() {
                    self.changed.push((number, 0, node.n_edges));
                }
            }
        }
    }

    /// Adds a node that is to be read.
    fn add(&mut self, vm: &Vm, object: Ref, plan: Plan) -> u32 {
        let (n_edges, n_parts) = match plan.form {
            Form::Array(kind) => {
                let length = vm.heap.array_length(object);
                let n_parts = n_pieces(kind, length).max(1);
                (if kind == Kind::Ref { length } else { 0 }, n_parts)
            }
            Form::Fields(first, last) => (last - first, 1),
            _ => (0, 1),
        };
        self.n_pieces += n_pieces_of(n_parts);
        let number = self.free.pop().unwrap_or_else(|| count(self.nodes.len()));
        let (edges, parts) = (count(self.edges.len()), count(self.parts.len()));
        let edge = Edge { from: number, to: NONE, next_in: NONE, previous_in: NONE };
        self.edges.resize(self.edges.len() + n_edges as usize, edge);
        let part =
            Part { node: number, is_stale: true, is_changed: true, content: [0; 2], sum: [0; 2] };
        self.parts.resize(self.parts.len() + n_parts as usize, part);
        self.stale.extend(parts..parts + n_parts);
        let node = Node {
            object,
            form: plan.form,
            distance: FAR,
            via: NONE,
            name: [0; 2],
            edges,
            n_edges,
            parts,
            n_parts,
            first_in: NONE,
        };
        match self.nodes.get_mut(number as usize) {
            Some(place) => *place = node,
            None => self.nodes.push(node),
        }
        self.places.insert(vm, object, plan.form, number);
        self.unread.push(number);
        self.lost.push(number);
        number
    }

    /// Reads a range of slots or elements.
    fn read(&mut self, heap: &mut CanonicalHeap, vm: &Vm, number: u32, (from, to): (u32, u32)) {
        let node = self.nodes[number as usize];
        let each = match node.form {
            Form::Array(kind) => elements_of_piece(kind),
            _ => u32::MAX,
        };
        if from < to {
            for part in from / each..=(to - 1) / each {
                self.parts[(node.parts + part) as usize].is_changed = true;
                self.spoil(node.parts + part);
            }
        }
        for via in from..to.min(node.n_edges) {
            let target = match node.form {
                Form::Fields(first, _) => {
                    let slot = heap.slot(first + via);
                    if slot.kind != Kind::Ref {
                        continue;
                    }
                    vm.heap.load_ref(node.object, slot.offset)
                }
                _ => vm.heap.element_ref(node.object, via),
            };
            let edge = node.edges + via;
            let before = self.edges[edge as usize].to;
            let now = self.node_of(heap, vm, target);
            if now != before {
                if before != NONE {
                    self.unlink(edge);
                    if let Some(distance) = self.spare(edge, before) {
                        self.shaken.add(distance, before);
                    }
                }
                if now != NONE {
                    self.link(edge, now);
                }
            }
        }
    }

    /// The node of what is referred to, if there is one.
    fn node_of(&mut self, heap: &mut CanonicalHeap, vm: &Vm, target: Ref) -> u32 {
        if target.is_null() {
            return NONE;
        }
        let plan = heap.plan_of(vm, vm.class_of(target));
        if !matches!(plan.form, Form::Array(_) | Form::Fields(..)) {
            return NONE;
        }
        match self.places.get(target) {
            Some(node) => node,
            None => self.add(vm, target, plan),
        }
    }

    fn link(&mut self, edge: u32, to: u32) {
        let from = self.edges[edge as usize].from;
        if to != ROOT {
            self.n_references += 1;
            if self.refer_back(from, to) && !self.refers(from, to) {
                self.n_mutual += 1;
            }
        }
        let next = std::mem::replace(&mut self.nodes[to as usize].first_in, edge);
        self.edges[edge as usize] = Edge { from, to, next_in: next, previous_in: NONE };
        if next != NONE {
            self.edges[next as usize].previous_in = edge;
        }
        self.linked.push(edge);
    }

    fn unlink(&mut self, edge: u32) {
        let Edge { from, to, next_in, previous_in } = self.edges[edge as usize];
        self.edges[edge as usize] = Edge { from, to: NONE, next_in: NONE, previous_in: NONE };
        match previous_in {
            NONE => self.nodes[to as usize].first_in = next_in,
            _ => self.edges[previous_in as usize].next_in = next_in,
        }
        if next_in != NONE {
            self.edges[next_in as usize].previous_in = previous_in;
        }
        if to != ROOT {
            self.n_references -= 1;
            if self.refer_back(from, to) && !self.refers(from, to) {
                self.n_mutual -= 1;
            }
        }
    }

    /// Whether these are two objects other than the root, with fields, of which the second refers to the first.
    fn refer_back(&self, one: u32, other: u32) -> bool {
        let has_fields = |node: u32| matches!(self.nodes[node as usize].form, Form::Fields(..));
        one != ROOT
            && one != other
            && has_fields(one)
            && has_fields(other)
            && self.refers(other, one)
    }

    fn refers(&self, from: u32, to: u32) -> bool {
        self.edges_of(from).any(|edge| self.edges[edge as usize].to == to)
    }

    fn edges_of(&self, node: u32) -> std::ops::Range<u32> {
        let Node { edges, n_edges, .. } = self.nodes[node as usize];
        edges..edges + n_edges
    }

    /// The edges that lead to a node.
    fn edges_to(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let next = |edge: u32| (edge != NONE).then_some(edge);
        let first = next(self.nodes[node as usize].first_in);
        std::iter::successors(first, move |&edge| next(self.edges[edge as usize].next_in))
    }

    /// A part is to be written down again.
    fn spoil(&mut self, part: u32) {
        if !std::mem::replace(&mut self.parts[part as usize].is_stale, true) {
            self.stale.push(part);
        }
    }

    /// Drops the nodes that no way leads to.
    fn drop_lost(&mut self) {
        while let Some(number) = self.lost.pop() {
            let node = self.nodes[number as usize];
            // It may be said to be lost twice.
            if node.distance != FAR || node.object.is_null() {
                continue;
            }
            for edge in self.edges_of(number) {
                if self.edges[edge as usize].to != NONE {
                    self.unlink(edge);
                }
            }
            for part in node.parts..node.parts + node.n_parts {
                let part = &mut self.parts[part as usize];
                self.sum = self.sum.wrapping_sub(whole(part.sum));
                (part.sum, part.is_stale) = ([0; 2], false);
            }
            self.places.remove(node.object);
            self.n_pieces -= n_pieces_of(node.n_parts);
            self.nodes[number as usize].object = Ref::NULL;
            self.n_left += (node.n_edges + node.n_parts) as usize;
            self.free.push(number);
        }
    }

    /// Writes a part down.
    fn write(&self, part: u32) -> Name {
        let Part { node, content, .. } = self.parts[part as usize];
        let node = &self.nodes[node as usize];
        let mut mixer = Mixer::new(12);
        mix(&mut mixer, node.name);
        mix(&mut mixer, content);
        let (first, last) = match node.form {
            Form::Array(kind) => {
                let each = elements_of_piece(kind);
                let first = (part - node.parts) * each;
                (first.min(node.n_edges), first.saturating_add(each).min(node.n_edges))
            }
            _ => (0, node.n_edges),
        };
        for edge in &self.edges[(node.edges + first) as usize..(node.edges + last) as usize] {
            if edge.to != NONE {
                mix(&mut mixer, self.nodes[edge.to as usize].name);
            }
        }
        halves(mixer)
    }

    /// Writes the content of a part down, and where nodes are referred to.
    fn content(&self, heap: &mut CanonicalHeap, vm: &Vm, part: u32) -> Name {
        let node = &self.nodes[self.parts[part as usize].node as usize];
        let mut mixer = Mixer::new(13);
        mixer.word(heap.class_key(vm, vm.class_of(node.object)) << 2 | NODE);
        match node.form {
            Form::Array(kind) => {
                let (number, length) = (part - node.parts, vm.heap.array_length(node.object));
                mixer.word(u64::from(length) << 32 | u64::from(number));
                let each = elements_of_piece(kind);
                let range = (number * each, (number * each).saturating_add(each).min(length));
                if kind != Kind::Ref {
                    write_elements(vm, node.object, kind, range, &mut mixer);
                }
                for at in if kind == Kind::Ref { range.0..range.1 } else { 0..0 } {
                    let target = vm.heap.element_ref(node.object, at);
                    self.refer(heap, vm, (node.edges + at, target), &mut mixer);
                }
            }
            Form::Fields(first, last) => {
                for at in first..last {
                    let slot = heap.slot(at);
                    if slot.kind == Kind::Ref {
                        let target = vm.heap.load_ref(node.object, slot.offset);
                        self.refer(heap, vm, (node.edges + at - first, target), &mut mixer);
                    } else {
                        mixer.word(load(vm, node.object, slot.offset, slot.kind));
                    }
                }
            }
            _ => {}
        }
        halves(mixer)
    }

    /// Writes a reference down, but for the name of the node that it is to.
    fn refer(
        &self,
        heap: &mut CanonicalHeap,
        vm: &Vm,
        (edge, target): (u32, Ref),
        mixer: &mut Mixer,
    ) {
        if self.edges[edge as usize].to != NONE {
            mixer.word(BACK);
        } else if target.is_null() {
            mixer.word(NULL);
        } else {
            let plan = heap.plan_of(vm, vm.class_of(target));
            heap.write_value(vm, plan, target, mixer);
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "both halves are taken")]
fn halves(mixer: Mixer) -> Name {
    let fingerprint = mixer.finish().0;
    [(fingerprint >> 64) as u64, fingerprint as u64]
}

fn whole(name: Name) -> u128 {
    u128::from(name[0]) << 64 | u128::from(name[1])
}

#[inline]
fn mix(mixer: &mut Mixer, name: Name) {
    mixer.word(name[0]);
    mixer.word(name[1]);
}

/// How many of the parts of a node are pieces of an array.
fn n_pieces_of(n_parts: u32) -> usize {
    if n_parts > 1 { n_parts as usize } else { 0 }
}

#[expect(clippy::cast_possible_truncation, reason = "far fewer nodes than 2^32")]
fn count(n: usize) -> u32 {
    n as u32
}

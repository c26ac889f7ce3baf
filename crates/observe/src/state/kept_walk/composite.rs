//! The fingerprint of a large heap: one that can be mended where the heap has changed.
//!
//! The nodes behind one root form a tree, by which reference a depth-first walk meets each of them first. Every
//! node is written down by itself: what it is, its values, and for each reference that it is `null`, the root,
//! a node so many levels up, a node below that was met here first, or any other node that was met before. The
//! fingerprint is made of those of the nodes in preorder, and of the numbers of the nodes of the last kind, in the
//! order in which they are referred to. So two heaps have the same one iff their canonical forms are the same;
//! but a subtree that moves is written down as before, unless something in it refers to what is above it.
//!
//! Large arrays are nodes without content above pieces that have it.

use vm::value::{Kind, Ref};
use vm::vm::Vm;

use super::super::canonical_heap::{BACK, CanonicalHeap, Form, NODE, NULL, Plan};
use super::super::canonical_heap::{load, write_elements};
use super::super::fingerprint::{Fingerprint, Mixer, Sink};
use super::super::visited::Visited;
use super::summary::{fold, lanes};

/// A reference to the root.
pub(super) const ROOT: u64 = u64::MAX << 2 | BACK;
/// A reference to a node that is met here first.
pub(super) const BELOW: u64 = NODE;
/// A reference to a node that was met before, is not above, and is not the root.
pub(super) const ASIDE: u64 = 1 << 2 | NODE;
/// What a piece of an array begins with.
const PIECE: u64 = 2 << 2 | NODE;

/// References in a piece of an array: each is looked up when the piece is written down.
const PIECE_REFS: u32 = 8;
/// Bytes in a piece of an array of primitive values.
const PIECE_BYTES: u32 = 512;

/// A reference to a node so many levels up.
pub(super) fn up(levels: i32) -> u64 {
    u64::from(levels.unsigned_abs()) << 2 | BACK
}

/// What a node is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    /// A range of slots.
    Fields { first: u32, last: u32 },
    /// A range of the elements of an array of references.
    Refs { first: u32, last: u32 },
    /// A range of the elements of another array.
    Values { kind: Kind, first: u32, last: u32 },
    /// So many pieces of an array.
    Pieces { kind: Kind, n_pieces: u32 },
}

impl Content {
    /// What an object is made of; `None` for a value.
    #[inline]
    pub(super) fn of(vm: &Vm, plan: Plan, object: Ref) -> Option<Content> {
        match plan.form {
            Form::Fields(first, last) => Some(Content::Fields { first, last }),
            Form::Array(kind) => {
                let length = vm.heap.array_length(object);
                match n_pieces(kind, length) {
                    0 => Some(range(kind, 0, length)),
                    n_pieces => Some(Content::Pieces { kind, n_pieces }),
                }
            }
            _ => None,
        }
    }

    /// A piece of an array.
    pub(super) fn piece(vm: &Vm, array: Ref, kind: Kind, number: u32) -> Content {
        let first = number * elements_of_piece(kind);
        let last = (first + elements_of_piece(kind)).min(vm.heap.array_length(array));
        range(kind, first, last)
    }

    /// Where its slots, elements or pieces begin and end, if there may be nodes behind them.
    pub(super) fn bounds(self) -> (u32, u32) {
        match self {
            Content::Fields { first, last } | Content::Refs { first, last } => (first, last),
            Content::Pieces { n_pieces, .. } => (0, n_pieces),
            Content::Values { .. } => (0, 0),
        }
    }
}

/// How many pieces an array is taken apart into, if it is.
#[inline]
pub(in super::super) fn n_pieces(kind: Kind, length: u32) -> u32 {
    let each = elements_of_piece(kind);
    if length > each { length.div_ceil(each) } else { 0 }
}

/// Elements of such an array that are one piece.
pub(super) fn elements_of_piece(kind: Kind) -> u32 {
    if kind == Kind::Ref { PIECE_REFS } else { PIECE_BYTES / kind.size() }
}

fn range(kind: Kind, first: u32, last: u32) -> Content {
    if kind == Kind::Ref {
        Content::Refs { first, last }
    } else {
        Content::Values { kind, first, last }
    }
}

/// Begins to write down a node; `plan` is `None` for a piece of an array.
#[inline]
pub(super) fn begin(vm: &Vm, object: Ref, plan: Option<Plan>, content: Content) -> Mixer {
    let mut mixer = Mixer::new(8);
    match plan {
        Some(plan) => {
            mixer.word(plan.key << 2 | NODE);
            if let Form::Array(_) = plan.form {
                mixer.word(u64::from(vm.heap.array_length(object)));
            }
        }
        None => mixer.word(PIECE),
    }
    if let Content::Values { kind, first, last } = content {
        write_elements(vm, object, kind, (first, last), &mut mixer);
    }
    mixer
}

/// What comes next of a node.
#[derive(Debug, Clone, Copy)]
pub(super) enum Next {
    /// It was a value, and is written down.
    Written,
    /// A reference.
    Reference(Ref),
    /// A piece of an array.
    Piece(Kind),
}

/// Reads a slot, element or piece.
#[inline]
pub(super) fn read(
    heap: &CanonicalHeap,
    vm: &Vm,
    (object, content): (Ref, Content),
    at: u32,
    mixer: &mut Mixer,
) -> Next {
    match content {
        Content::Fields { .. } => {
            let slot = heap.slot(at);
            if slot.kind == Kind::Ref {
                return Next::Reference(vm.heap.load_ref(object, slot.offset));
            }
            mixer.word(load(vm, object, slot.offset, slot.kind));
            Next::Written
        }
        Content::Refs { .. } => Next::Reference(vm.heap.element_ref(object, at)),
        Content::Pieces { kind, .. } => Next::Piece(kind),
        Content::Values { .. } => Next::Written,
    }
}

/// Makes one fingerprint of those of all nodes and the numbers of nodes aside.
pub(super) fn whole(
    n_objects: usize,
    folded: [u64; 2],
    aside: impl Iterator<Item = u32>,
) -> Fingerprint {
    let mut mixer = Mixer::new(9);
    mixer.word(n_objects as u64);
    folded.into_iter().for_each(|lane| mixer.word(lane));
    aside.for_each(|number| mixer.word(u64::from(number)));
    mixer.finish()
}

/// A node that is being written down.
#[derive(Debug)]
struct Open {
    object: Ref,
    content: Content,
    number: u32,
    at: u32,
    last: u32,
    mixer: Mixer,
}

/// Makes fingerprints of heaps that nothing is kept of.
#[derive(Debug, Default)]
pub(super) struct Composer {
    visited: Visited,
    /// By object as numbered by `visited`: its number among all nodes.
    numbers: Vec<u32>,
    /// By node: one more than its depth while it is being written down, else nothing.
    depths: Vec<i32>,
    hashes: Vec<[u64; 2]>,
    open: Vec<Open>,
    /// The node that refers, and the node that it refers to.
    aside: Vec<(u32, u32)>,
    /// References to nodes other than the root.
    n_references: usize,
    /// Nodes other than the root that refer to each other, counted from both ends.
    n_mutual: usize,
}

impl Composer {
    /// The fingerprint of everything behind an object that is no value.
    pub(super) fn fingerprint(
        &mut self,
        heap: &mut CanonicalHeap,
        vm: &Vm,
        root: Ref,
    ) -> Fingerprint {
        self.visited.clear();
        self.numbers.clear();
        self.depths.clear();
        self.hashes.clear();
        self.aside.clear();
        (self.n_references, self.n_mutual) = (0, 0);
        let plan = heap.plan_of(vm, vm.class_of(root));
        if let Some(content) = Content::of(vm, plan, root) {
            self.visited.visit(root);
            self.numbers.push(0);
            self.add(vm, root, Some(plan), content);
        }
        while let Some(open) = self.open.last_mut() {
            if open.at == open.last {
                self.hashes[open.number as usize] = lanes(open.mixer.finish().0);
                self.depths[open.number as usize] = 0;
                self.open.pop();
                continue;
            }
            let at = open.at;
            open.at += 1;
            let (object, number) = (open.object, open.number);
            match read(heap, vm, (object, open.content), at, &mut open.mixer) {
                Next::Written => {}
                Next::Piece(kind) => {
                    open.mixer.word(BELOW);
                    self.add(vm, object, None, Content::piece(vm, object, kind, at));
                }
                Next::Reference(target) => self.refer(heap, vm, (root, target), number),
            }
        }
        self.aside.sort_by_key(|&(from, _)| from);
        let aside = self.aside.iter().map(|&(_, to)| to);
        whole(self.visited.len(), fold(&self.hashes), aside)
    }

    fn refer(
        &mut self,
        heap: &mut CanonicalHeap,
        vm: &Vm,
        (root, target): (Ref, Ref),
        number: u32,
    ) {
        let depth = count(self.open.len());
        let Some(open) = self.open.last_mut() else { return };
        let mixer = &mut open.mixer;
        if target.is_null() {
            mixer.word(NULL);
            return;
        }
        if target == root {
            mixer.word(ROOT);
            return;
        }
        let plan = heap.plan_of(vm, vm.class_of(target));
        let Some(content) = Content::of(vm, plan, target) else {
            heap.write_value(vm, plan, target, mixer);
            return;
        };
        self.n_references += 1;
        let from = (open.object, open.content);
        if open.object != root && is_mutual(heap, vm, from, open.at - 1, (target, content)) {
            self.n_mutual += 1;
        }
        if let Some(known) = self.visited.visit(target) {
            let to = self.numbers[known as usize];
            match self.depths[to as usize] {
                0 => {
                    mixer.word(ASIDE);
                    self.aside.push((number, to));
                }
                above => mixer.word(up(depth - above)),
            }
            return;
        }
        mixer.word(BELOW);
        self.numbers.push(unsigned(self.hashes.len()));
        self.add(vm, target, Some(plan), content);
    }

    fn add(&mut self, vm: &Vm, object: Ref, plan: Option<Plan>, content: Content) {
        let number = unsigned(self.hashes.len());
        self.hashes.push([0; 2]);
        self.depths.push(count(self.open.len()) + 1);
        let (at, last) = content.bounds();
        let mixer = begin(vm, object, plan, content);
        self.open.push(Open { object, content, number, at, last, mixer });
    }

    /// How many references the last heap had beyond those that make a tree and, in pairs of nodes that refer to
    /// each other, back.
    pub(super) fn n_beyond(&self) -> usize {
        (self.n_references + 1).saturating_sub(self.visited.len() + self.n_mutual / 2)
    }

    /// How many objects the last heap had.
    pub(super) fn n_objects(&self) -> usize {
        self.visited.len()
    }

    /// How many objects and pieces of arrays the last heap had.
    pub(super) fn size(&self) -> usize {
        self.hashes.len()
    }

    /// The number of an object of the last heap.
    pub(super) fn number(&self, object: Ref) -> Option<u64> {
        self.visited.number(object).map(|number| u64::from(self.numbers[number as usize]))
    }
}

/// Whether a field, the first of its object that refers to another, refers to one with a field that refers back.
fn is_mutual(
    heap: &CanonicalHeap,
    vm: &Vm,
    (object, content): (Ref, Content),
    at: u32,
    (target, behind): (Ref, Content),
) -> bool {
    let (Content::Fields { first, .. }, Content::Fields { first: start, last: end }) =
        (content, behind)
    else {
        return false;
    };
    let refers = |from: Ref, at: u32, to: Ref| {
        let slot = heap.slot(at);
        slot.kind == Kind::Ref && vm.heap.load_ref(from, slot.offset) == to
    };
    object != target
        && (start..end).any(|at| refers(target, at, object))
        && !(first..at).any(|at| refers(object, at, target))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "few nodes")]
fn count(n: usize) -> i32 {
    n as i32
}

#[expect(clippy::cast_possible_truncation, reason = "far fewer nodes than 2^32")]
fn unsigned(n: usize) -> u32 {
    n as u32
}

//! The tree of a large heap, kept and mended: gives the fingerprints of [`super::composite`].
//!
//! Where every node has one way in (apart from references to what is above it), the tree is the same in whatever
//! order it is read, so only the nodes that have changed are read again: what they no longer refer to is cut off,
//! what they refer to now is put below them, from what was cut off or from the heap, and what nobody took is
//! dropped. A few nodes may have more ways in, such as the last one of a list: after every change it is checked that
//! each was met first where a walk would meet it first. Where that fails the tree is made anew.

use vm::heap::{ELEMENTS_OFFSET, LENGTH_OFFSET};
use vm::value::Ref;
use vm::vm::Vm;

use super::super::canonical_heap::{CanonicalHeap, NULL, Plan};
use super::super::fingerprint::{Fingerprint, Mixer, Sink};
use super::MOST_ASIDE;
use super::composite::{
    ASIDE, BELOW, Content, Next, ROOT, begin, elements_of_piece, read, up, whole,
};
use super::places::{Places, element_at};
use super::sequence::{Behind, ListId, MAIN, Sequence, Standing};
use super::summary::lanes;

/// Levels that are looked up one by one for what a node refers to.
const CLOSE: i32 = 2;
/// No node.
const NONE: u32 = u32::MAX;

/// What had to be done for a fingerprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Done {
    /// At most what has changed was read.
    Mended,
    /// The tree was made.
    Made,
    /// The tree was made anew, since it could not be mended.
    InVain,
}

/// The tree must be made anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Crooked;

#[derive(Debug, Clone, Copy)]
struct Node {
    object: Ref,
    content: Content,
    is_piece: bool,
    /// The node above; `NONE` for the root and what was cut off.
    parent: u32,
    /// The slot, element or piece of the parent that it is found in, from its first on.
    via: u32,
    /// Where its edges begin: one per slot, element or piece.
    edges: u32,
    /// Whether it refers to nodes aside.
    has_aside: bool,
    /// Whether it is being written down.
    is_open: bool,
    /// Whether it waits to be written down.
    is_pending: bool,
}

/// A reference to a node that was met elsewhere first.
#[derive(Debug, Clone, Copy)]
struct Aside {
    from: u32,
    via: u32,
    to: u32,
}

/// A node that is being written down.
#[derive(Debug)]
struct Open {
    node: u32,
    at: u32,
    first: u32,
    last: u32,
    depth: i32,
    up: i32,
    mixer: Mixer,
}

/// The tree behind one root.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) root: Ref,
    nodes: Vec<Node>,
    free: Vec<u32>,
    /// Nodes below, by the places of nodes.
    edges: Vec<u32>,
    /// Nodes that are referred to, by the places of nodes, but for the root.
    targets: Vec<u32>,
    /// References to nodes other than the root.
    n_references: usize,
    /// Nodes other than the root that refer to each other.
    n_mutual: usize,
    /// Edges that belong to no node any longer.
    n_lost_edges: usize,
    places: Places,
    sequence: Sequence,
    aside: Vec<Aside>,
    /// What was cut off.
    loose: Vec<ListId>,
    /// Nodes that have changed.
    changed: Vec<u32>,
    pending: Vec<u32>,
    open: Vec<Open>,
    /// Nodes that were put where they are found now, since the tree was made.
    n_adopted: usize,
    fingerprint: Option<Fingerprint>,
}

impl Tree {
    /// Becomes the tree behind this root, which is not read yet.
    pub(super) fn forget(&mut self, root: Ref) {
        self.root = root;
        self.nodes.clear();
        self.free.clear();
        self.edges.clear();
        self.targets.clear();
        (self.n_references, self.n_mutual) = (0, 0);
        self.n_lost_edges = 0;
        self.places.clear();
        self.sequence.clear();
        self.aside.clear();
        self.loose.clear();
        self.changed.clear();
        self.pending.clear();
        self.open.clear();
        self.fingerprint = None;
    }

    /// How many objects there are.
    pub(super) fn n_objects(&self) -> usize {
        self.places.len()
    }

    /// How many objects and pieces of arrays there are.
    pub(super) fn size(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    /// The number of an object in the order of the tree; `fingerprint` comes first.
    pub(super) fn number(&self, object: Ref) -> Option<u64> {
        self.places.get(object).map(|node| u64::from(self.sequence.index(node)))
    }

    /// The fingerprint, and what had to be done for it. The root is no value.
    pub(super) fn fingerprint(&mut self, heap: &mut CanonicalHeap, vm: &Vm) -> (Fingerprint, Done) {
        if let Some(known) = self.fingerprint
            && self.changed.is_empty()
        {
            return (known, Done::Mended);
        }
        // What has lost much is put in order from time to time.
        let is_due = self.n_lost_edges > self.edges.len() / 2 + 1024;
        let done = if self.fingerprint.is_none() || is_due {
            Done::Made
        } else if self.mend(heap, vm) == Err(Crooked) {
            Done::InVain
        } else {
            Done::Mended
        };
        if done != Done::Mended {
            self.make(heap, vm);
        }
        let folded = self.sequence.fold();
        let sequence = &self.sequence;
        self.aside.sort_by_cached_key(|aside| (sequence.index(aside.from), aside.via));
        let aside = self.aside.iter().map(|aside| sequence.index(aside.to));
        let key = whole(self.places.len(), folded, aside);
        self.fingerprint = Some(key);
        (key, done)
    }

    /// A granule has changed.
    pub(super) fn note(&mut self, heap: &CanonicalHeap, vm: &Vm, granule: u32) {
        let Some(number) = self.places.at(granule) else { return };
        let node = self.nodes[number as usize];
        let offset = (granule - node.object.0) << 3;
        match node.content {
            // The header, or a field that does not count.
            Content::Fields { .. }
                if heap.first_slot(vm.class_of(node.object), offset).is_none() =>
            {
                return;
            }
            Content::Fields { .. } => {}
            // Lengths do not change.
            _ if offset + 8 <= LENGTH_OFFSET.max(ELEMENTS_OFFSET) => return,
            Content::Pieces { kind, n_pieces } => {
                let each = elements_of_piece(kind);
                let first = element_at(kind, offset) / each;
                let last = (element_at(kind, offset + 7) / each).min(n_pieces - 1);
                for piece in first..=last {
                    self.changed.push(self.edges[(node.edges + piece) as usize]);
                }
                return;
            }
            _ => {}
        }
        self.changed.push(number);
    }

    /// Reads everything.
    fn make(&mut self, heap: &mut CanonicalHeap, vm: &Vm) {
        self.forget(self.root);
        let plan = heap.plan_of(vm, vm.class_of(self.root));
        let Some(content) = Content::of(vm, plan, self.root) else { return };
        let top = self.add(vm, (self.root, Some(plan)), content, (NONE, 0));
        self.sequence.push(MAIN, top, 0);
        // Nothing is loose and nothing is known, so nothing can be crooked.
        let _ = self.write(heap, vm, top);
    }

    /// Reads what has changed.
    fn mend(&mut self, heap: &mut CanonicalHeap, vm: &Vm) -> Result<(), Crooked> {
        if self.aside.len() > MOST_ASIDE {
            return Err(Crooked);
        }
        let mut changed = std::mem::take(&mut self.changed);
        changed.extend(self.aside.iter().map(|aside| aside.from));
        changed.sort_unstable();
        changed.dedup();
        for &number in &changed {
            self.cut_off(heap, vm, number);
        }
        // What is below comes first: a walk meets it before it reads the rest of what is above.
        changed.sort_by_cached_key(|&number| self.sequence.index(number));
        for &number in &changed {
            self.nodes[number as usize].is_pending = true;
        }
        self.pending.extend_from_slice(&changed);
        changed.clear();
        self.changed = changed;
        let mut waiting = Vec::new();
        while let Some(number) = self.pending.pop() {
            if self.sequence.standing(number) == Standing::Main {
                self.nodes[number as usize].is_pending = false;
                let n_adopted = self.n_adopted;
                self.write(heap, vm, number)?;
                if self.n_adopted > n_adopted {
                    self.pending.append(&mut waiting);
                }
            } else {
                waiting.push(number);
            }
        }
        let mut dropped = Vec::new();
        for list in std::mem::take(&mut self.loose) {
            self.sequence.drop_list(list, &mut dropped);
        }
        for number in dropped {
            self.remove(number);
        }
        self.check_aside()
    }

    /// Cuts off what a node no longer refers to.
    fn cut_off(&mut self, heap: &CanonicalHeap, vm: &Vm, number: u32) {
        let node = self.nodes[number as usize];
        let (first, last) = node.content.bounds();
        for at in first..last {
            let edge = (node.edges + at - first) as usize;
            let below = self.edges[edge];
            if below == NONE || self.nodes[below as usize].is_piece {
                continue;
            }
            let now = match node.content {
                Content::Fields { .. } => vm.heap.load_ref(node.object, heap.slot(at).offset),
                _ => vm.heap.element_ref(node.object, at),
            };
            if now != self.nodes[below as usize].object {
                self.edges[edge] = NONE;
                self.nodes[below as usize].parent = NONE;
                let list = self.sequence.cut(below, Standing::Loose);
                self.loose.push(list);
            }
        }
    }

    /// Checks that nodes with several ways in are where a walk would meet them first.
    fn check_aside(&mut self) -> Result<(), Crooked> {
        for idx in 0..self.aside.len() {
            let Aside { from, via, to } = self.aside[idx];
            let place = self.place(from, via);
            let is_fine = self.sequence.standing(to) == Standing::Main
                && self.sequence.is_before(to, place)
                && !self.sequence.contains(to, from);
            if !is_fine {
                return Err(Crooked);
            }
        }
        Ok(())
    }

    /// Where what is found in a place of a node belongs.
    fn place(&self, number: u32, via: u32) -> Behind {
        let edges = self.nodes[number as usize].edges as usize;
        let before = &self.edges[edges..edges + via as usize];
        match before.iter().rev().find(|&&below| below != NONE) {
            Some(&below) => Behind::Subtree(below),
            None => Behind::Node(number),
        }
    }

    /// Adds a node; one without a plan is a piece of an array.
    fn add(
        &mut self,
        vm: &Vm,
        (object, plan): (Ref, Option<Plan>),
        content: Content,
        (parent, via): (u32, u32),
    ) -> u32 {
        let (first, last) = content.bounds();
        let edges = count(self.edges.len());
        self.edges.resize(self.edges.len() + (last - first) as usize, NONE);
        self.targets.resize(self.edges.len(), NONE);
        let node = Node {
            object,
            content,
            is_piece: plan.is_none(),
            parent,
            via,
            edges,
            has_aside: false,
            is_open: false,
            is_pending: false,
        };
        let number = match self.free.pop() {
            Some(number) => {
                self.nodes[number as usize] = node;
                number
            }
            None => {
                self.nodes.push(node);
                count(self.nodes.len()) - 1
            }
        };
        if parent != NONE {
            let edge = self.nodes[parent as usize].edges + via;
            self.edges[edge as usize] = number;
        }
        if let Some(plan) = plan {
            self.places.insert(vm, object, plan.form, number);
        }
        number
    }

    fn remove(&mut self, number: u32) {
        let node = self.nodes[number as usize];
        if !node.is_piece {
            self.places.remove(node.object);
        }
        if node.has_aside {
            self.aside.retain(|aside| aside.from != number);
        }
        self.unlink(number);
        let (first, last) = node.content.bounds();
        self.n_lost_edges += (last - first) as usize;
        self.free.push(number);
    }

    /// How many references there are beyond those that make a tree and, in pairs of nodes that refer to each
    /// other, back: no fewer than those to nodes aside.
    pub(super) fn n_beyond(&self) -> usize {
        (self.n_references + 1).saturating_sub(self.places.len() + self.n_mutual)
    }

    /// A place of a node refers to another.
    fn link(&mut self, from: u32, via: u32, to: u32) {
        self.n_references += 1;
        let is_new = !self.refers(from, to);
        let edges = self.nodes[from as usize].edges;
        self.targets[(edges + via) as usize] = to;
        if is_new && self.could_be_mutual(from, to) && self.refers(to, from) {
            self.n_mutual += 1;
        }
    }

    /// Forgets what a node refers to.
    fn unlink(&mut self, number: u32) {
        let node = self.nodes[number as usize];
        let (first, last) = node.content.bounds();
        for at in node.edges..node.edges + (last - first) {
            let to = std::mem::replace(&mut self.targets[at as usize], NONE);
            if to == NONE {
                continue;
            }
            self.n_references -= 1;
            if !self.refers(number, to)
                && self.could_be_mutual(number, to)
                && self.refers(to, number)
            {
                self.n_mutual -= 1;
            }
        }
    }

    fn could_be_mutual(&self, one: u32, other: u32) -> bool {
        let is_fine = |number: u32| {
            let node = &self.nodes[number as usize];
            node.object != self.root && matches!(node.content, Content::Fields { .. })
        };
        one != other && is_fine(one) && is_fine(other)
    }

    /// Whether a field of a node refers to another.
    fn refers(&self, from: u32, to: u32) -> bool {
        let node = &self.nodes[from as usize];
        let Content::Fields { first, last } = node.content else { return false };
        let edges = node.edges as usize;
        self.targets[edges..edges + (last - first) as usize].contains(&to)
    }

    /// Writes down a node of the main list, and all new ones below it.
    fn write(&mut self, heap: &mut CanonicalHeap, vm: &Vm, base: u32) -> Result<(), Crooked> {
        if self.nodes[base as usize].has_aside {
            self.nodes[base as usize].has_aside = false;
            self.aside.retain(|aside| aside.from != base);
        }
        let depth = self.sequence.depth(base);
        self.begin(heap, vm, base, depth);
        let mut building = MAIN;
        while let Some(mut open) = self.open.pop() {
            let node = self.nodes[open.node as usize];
            if open.at == open.last {
                self.nodes[open.node as usize].is_open = false;
                self.sequence.set(open.node, lanes(open.mixer.finish().0), open.up);
                if self.open.len() == 1 && building != MAIN {
                    let place = self.place(node.parent, node.via);
                    self.sequence.insert(place, building);
                    building = MAIN;
                }
                continue;
            }
            let via = open.at - open.first;
            let at = open.at;
            open.at += 1;
            let below = self.edges[(node.edges + via) as usize];
            let new = match read(heap, vm, (node.object, node.content), at, &mut open.mixer) {
                Next::Written => None,
                Next::Piece(_) if below != NONE => {
                    open.mixer.word(BELOW);
                    None
                }
                Next::Piece(kind) => {
                    open.mixer.word(BELOW);
                    let content = Content::piece(vm, node.object, kind, at);
                    Some(self.add(vm, (node.object, None), content, (open.node, via)))
                }
                Next::Reference(target) => {
                    self.refer(heap, vm, (base, building), &mut open, (via, below, target))?
                }
            };
            let depth = open.depth + 1;
            self.open.push(open);
            if let Some(new) = new {
                // While the first node below a known one is made, it has nowhere to stand yet.
                if building == MAIN && !self.is_making() {
                    building = self.sequence.new_list(Standing::Building);
                }
                self.sequence.push(building, new, depth);
                self.begin(heap, vm, new, depth);
            }
        }
        Ok(())
    }

    /// Whether the whole tree is being made.
    fn is_making(&self) -> bool {
        self.fingerprint.is_none()
    }

    fn begin(&mut self, heap: &mut CanonicalHeap, vm: &Vm, number: u32, depth: i32) {
        self.unlink(number);
        let node = &mut self.nodes[number as usize];
        node.is_open = true;
        let plan = (!node.is_piece).then(|| heap.plan_of(vm, vm.class_of(node.object)));
        let mixer = begin(vm, node.object, plan, node.content);
        let (first, last) = node.content.bounds();
        self.open.push(Open { node: number, at: first, first, last, depth, up: 0, mixer });
    }

    /// Writes down a reference; gives the node that it is to, if that is a new one.
    fn refer(
        &mut self,
        heap: &mut CanonicalHeap,
        vm: &Vm,
        (base, building): (u32, ListId),
        open: &mut Open,
        (via, below, target): (u32, u32, Ref),
    ) -> Result<Option<u32>, Crooked> {
        if target.is_null() {
            open.mixer.word(NULL);
            return Ok(None);
        }
        if target == self.root {
            open.mixer.word(ROOT);
            return Ok(None);
        }
        // As before, as a rule.
        if below != NONE && self.nodes[below as usize].object == target {
            self.link(open.node, via, below);
            open.mixer.word(BELOW);
            return Ok(None);
        }
        // Right above it, often.
        if let Some((number, levels)) = self.closely_above(open.node, target) {
            self.link(open.node, via, number);
            open.mixer.word(up(levels));
            open.up = open.up.max(levels);
            return Ok(None);
        }
        let plan = heap.plan_of(vm, vm.class_of(target));
        let Some(content) = Content::of(vm, plan, target) else {
            heap.write_value(vm, plan, target, &mut open.mixer);
            return Ok(None);
        };
        let Some(number) = self.places.get(target) else {
            open.mixer.word(BELOW);
            let new = self.add(vm, (target, Some(plan)), content, (open.node, via));
            self.link(open.node, via, new);
            return Ok(Some(new));
        };
        self.link(open.node, via, number);
        if self.sequence.standing(number) == Standing::Loose {
            open.mixer.word(BELOW);
            self.adopt(number, (open.node, via), open.depth + 1, building)?;
            return Ok(None);
        }
        let is_above = self.nodes[number as usize].is_open
            || number == open.node
            || self.sequence.standing(number) == Standing::Main
                && !self.is_making()
                && self.sequence.contains(number, base);
        if is_above {
            let levels = open.depth - self.sequence.depth(number);
            open.mixer.word(up(levels));
            open.up = open.up.max(levels);
        } else {
            open.mixer.word(ASIDE);
            self.aside.push(Aside { from: open.node, via, to: number });
            self.nodes[open.node as usize].has_aside = true;
        }
        Ok(None)
    }

    /// The node of an object that is a node of the tree or one of the next above it, and how many levels above.
    fn closely_above(&self, mut number: u32, object: Ref) -> Option<(u32, i32)> {
        for levels in 0..=CLOSE {
            let node = &self.nodes[number as usize];
            if node.object == object && !node.is_piece {
                return Some((number, levels));
            }
            number = node.parent;
            if number == NONE {
                break;
            }
        }
        None
    }

    /// A node is to be written down again.
    fn await_writing(&mut self, number: u32) {
        if !std::mem::replace(&mut self.nodes[number as usize].is_pending, true) {
            self.pending.push(number);
        }
    }

    /// Puts a node that was cut off, or one below it, and all below it where it is found now.
    fn adopt(
        &mut self,
        number: u32,
        (parent, via): (u32, u32),
        depth: i32,
        building: ListId,
    ) -> Result<(), Crooked> {
        let node = self.nodes[number as usize];
        if node.parent != NONE {
            let edge = self.nodes[node.parent as usize].edges + node.via;
            self.edges[edge as usize] = NONE;
            // It may still refer to it, and find a place as well.
            self.await_writing(node.parent);
        }
        let by = depth - self.sequence.depth(number);
        let list = self.sequence.cut(number, Standing::Building);
        let mut reaching = Vec::new();
        if !self.sequence.reach_out(list, MOST_ASIDE, &mut reaching) {
            return Err(Crooked);
        }
        if self.sequence.up(number) > 0 {
            reaching.push(number);
        }
        for number in reaching {
            self.await_writing(number);
        }
        self.sequence.shift(list, by);
        if building == MAIN {
            let place = self.place(parent, via);
            self.sequence.insert(place, list);
        } else {
            self.sequence.append(building, list);
        }
        self.n_adopted += 1;
        let node = &mut self.nodes[number as usize];
        (node.parent, node.via) = (parent, via);
        let edge = self.nodes[parent as usize].edges + via;
        self.edges[edge as usize] = number;
        Ok(())
    }
}

#[expect(clippy::cast_possible_truncation, reason = "far fewer nodes than 2^32")]
fn count(n: usize) -> u32 {
    n as u32
}

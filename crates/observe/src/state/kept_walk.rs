//! Walks over large heaps that are kept, so that the next one begins where something has changed.
//!
//! A walk writes the words of a canonical form in order, so what was written before the first change holds. Every
//! new node, and every so many elements of an array, is a point to go on from: the words so far as the state of a
//! [`Mixer`], and the place that is read next. Writes are watched by the machine's own barrier; a word that is
//! written back to what it was is no change. A collection moves objects and ends all of it: the next walk is a
//! whole one. The fingerprints are those of [`CanonicalHeap::fingerprints`], bit by bit.
//!
//! Values (strings, boxed values) are taken to be immutable. Costs nothing while heaps are small; a call that
//! changes nothing costs the same for any size, one that does costs what comes behind the change. Where every
//! call changes what comes first, nothing is kept until a call changes nothing.

use vm::heap::{ELEMENTS_OFFSET, LENGTH_OFFSET};
use vm::value::{Kind, Ref};
use vm::vm::Vm;

use super::canonical_heap::{BACK, CanonicalHeap, Form, NODE, NULL, Root};
use super::canonical_heap::{canonical_word, load, write_elements};
use super::fingerprint::{Fingerprint, Mixer, Sink};

/// Nodes that are worth keeping a walk.
const LARGE: usize = 48;
/// Walks at most, over different roots.
const MOST_WALKS: usize = 4;
/// More writes than this are not looked at one by one.
const MOST_WRITES: usize = 4096;
/// After so many changes in a row that left little of a walk, the next ones are walked afresh, which is
/// cheaper where nothing is kept.
const PATIENCE: u32 = 4;
/// Elements of an array from one point to the next.
const STRIDE: u32 = 16;
/// No node.
const NONE: u32 = u32::MAX;

/// The walks of one machine that are kept.
#[derive(Debug, Default)]
pub struct KeptWalks {
    /// The one used last comes last.
    walks: Vec<Walk>,
    /// Room of a walk that is no longer kept.
    spare: Walk,
    /// Whether the last heap was large.
    expects_large: bool,
}

impl KeptWalks {
    /// The fingerprint of everything behind the first root, and of everything behind all roots.
    pub fn fingerprints(
        &mut self,
        heap: &mut CanonicalHeap,
        vm: &mut Vm,
        roots: &[Root],
    ) -> (Fingerprint, Fingerprint) {
        let Some((&Root::Object(first), rest)) = roots.split_first() else {
            return heap.fingerprints(vm, roots);
        };
        self.catch_up(heap, vm);
        let mut walk = match self.walks.iter().position(|walk| walk.root == first) {
            Some(at) => self.walks.remove(at),
            None if self.expects_large && !first.is_null() => {
                let mut walk = if self.walks.len() == MOST_WALKS {
                    self.walks.remove(0)
                } else {
                    std::mem::take(&mut self.spare)
                };
                walk.forget(first);
                walk
            }
            None => {
                let both = heap.fingerprints(vm, roots);
                self.expects_large = heap.n_nodes() >= LARGE;
                return both;
            }
        };
        let both = if walk.is_vain() {
            let both = heap.fingerprints(vm, roots);
            self.expects_large = heap.n_nodes() >= LARGE;
            both
        } else {
            walk.mend(heap, vm);
            self.expects_large = walk.nodes.len() >= LARGE;
            walk.fingerprints(heap, vm, rest)
        };
        if self.expects_large && vm.heap.watch_writes() {
            self.walks.push(walk);
        } else {
            self.spare = walk;
            if self.walks.is_empty() {
                vm.heap.end_watch();
            }
        }
        both
    }

    /// The fingerprint of everything behind one object.
    pub fn fingerprint(&mut self, heap: &mut CanonicalHeap, vm: &mut Vm, root: Ref) -> Fingerprint {
        self.fingerprints(heap, vm, &[Root::Object(root)]).0
    }

    /// Keeps nothing any longer; the machine watches no writes.
    pub fn end(&mut self, vm: &mut Vm) {
        self.walks.clear();
        vm.heap.end_watch();
    }

    /// Takes in what was written since the last time.
    fn catch_up(&mut self, heap: &CanonicalHeap, vm: &mut Vm) {
        if self.walks.is_empty() {
            return;
        }
        let is_many = vm.heap.n_watched_writes() > MOST_WRITES;
        match vm.heap.changed_granules() {
            Some(changed) if !is_many => {
                for granule in changed {
                    self.walks.iter_mut().for_each(|walk| walk.note(heap, vm, granule));
                }
            }
            _ => self.walks.clear(),
        }
        if self.walks.is_empty() {
            vm.heap.end_watch();
        } else {
            // What is noted is noted; there may be more.
            vm.heap.watch_writes();
        }
    }
}

/// A node of a walk.
#[derive(Debug, Clone, Copy)]
struct Node {
    object: Ref,
    /// The node that it was found from; `NONE` for a root.
    parent: u32,
    /// The slot or element of the parent that it was found in.
    via: u32,
    /// One behind its last slot or element.
    last: u32,
    is_array: bool,
    /// One behind the last node that was found from it, directly or not.
    end: u32,
    /// The point before it was found.
    point: u32,
}

/// A point to go on from: the next thing that is read.
#[derive(Debug, Clone, Copy)]
struct Point {
    mixer: Mixer,
    /// The node whose slot or element is read next; `NONE` where the root is.
    node: u32,
    next: u32,
    n_nodes: u32,
}

/// An array of a walk, by its granules.
#[derive(Debug, Clone, Copy)]
struct Extent {
    start: u32,
    end: u32,
    node: u32,
}

/// One walk.
#[derive(Debug, Default)]
struct Walk {
    root: Ref,
    nodes: Vec<Node>,
    points: Vec<Point>,
    numbers: Numbers,
    arrays: Vec<Extent>,
    /// Granules of the largest object that is no array, at least.
    largest: u32,
    /// The state after the last word; `None` before the first walk.
    end: Option<Mixer>,
    /// The first point that something has changed behind.
    stale: Option<u32>,
    /// Whether something has changed since the last time that it was asked for.
    has_changed: bool,
    /// Changes in a row that left little of it.
    n_vain: u32,
}

impl Walk {
    /// Becomes a walk from this root that has not begun.
    fn forget(&mut self, root: Ref) {
        self.root = root;
        self.nodes.clear();
        self.points.clear();
        self.arrays.clear();
        self.numbers.clear();
        self.largest = 0;
        self.end = None;
        self.stale = None;
        self.has_changed = false;
        self.n_vain = 0;
    }

    /// Whether it was changed once more and mending it will hardly help the next time.
    fn is_vain(&mut self) -> bool {
        std::mem::take(&mut self.has_changed) && self.n_vain >= PATIENCE
    }

    /// Walks what is not known any longer.
    fn mend(&mut self, heap: &mut CanonicalHeap, vm: &Vm) {
        let (mut mixer, at) = match (self.end, self.stale.take()) {
            (None, _) => (Mixer::new(1), None),
            (Some(_), None) => {
                self.n_vain = 0;
                return;
            }
            (Some(_), Some(at)) => {
                let point = self.points[at as usize];
                let is_little = point.n_nodes as usize * 4 < self.nodes.len();
                self.n_vain = if is_little { self.n_vain + 1 } else { 0 };
                self.cut(point.n_nodes as usize, at as usize);
                (point.mixer, (point.node != NONE).then_some((point.node, point.next)))
            }
        };
        match at {
            Some(at) => self.go_on(heap, vm, at, &mut mixer),
            None => self.add_root(heap, vm, self.root, &mut mixer),
        }
        self.end = Some(mixer);
    }

    /// The fingerprints of what was walked, without and with further roots.
    fn fingerprints(
        &mut self,
        heap: &mut CanonicalHeap,
        vm: &Vm,
        rest: &[Root],
    ) -> (Fingerprint, Fingerprint) {
        let mut mixer = self.end.unwrap_or_else(|| Mixer::new(1));
        let first = mixer.finish();
        let (n_nodes, n_points) = (self.nodes.len(), self.points.len());
        for &root in rest {
            match root {
                Root::Primitive(kind, word) => mixer.word(canonical_word(kind, word)),
                Root::Object(object) => self.add_root(heap, vm, object, &mut mixer),
            }
        }
        self.cut(n_nodes, n_points);
        (first, mixer.finish())
    }

    /// Forgets what came after so many nodes and points.
    fn cut(&mut self, n_nodes: usize, n_points: usize) {
        for node in self.nodes.drain(n_nodes..).rev() {
            self.numbers.remove_last(node.object);
        }
        while self.arrays.last().is_some_and(|array| array.node as usize >= n_nodes) {
            self.arrays.pop();
        }
        self.points.truncate(n_points);
    }

    fn add_root(&mut self, heap: &mut CanonicalHeap, vm: &Vm, root: Ref, mixer: &mut Mixer) {
        if let Some(at) = self.reference(heap, vm, root, (NONE, 0), mixer) {
            self.go_on(heap, vm, at, mixer);
        }
    }

    /// Writes down a node from a slot or element on, then the rest of those that it was found from.
    fn go_on(&mut self, heap: &mut CanonicalHeap, vm: &Vm, at: (u32, u32), mixer: &mut Mixer) {
        let (mut number, mut next) = at;
        let mut node = self.nodes[number as usize];
        loop {
            if next == node.last {
                self.nodes[number as usize].end = count(self.nodes.len());
                if node.parent == NONE {
                    return;
                }
                (number, next) = (node.parent, node.via + 1);
                node = self.nodes[number as usize];
                continue;
            }
            let place = (number, next);
            let object = if node.is_array {
                if next % STRIDE == 0 {
                    self.add_point(place, *mixer);
                }
                vm.heap.element_ref(node.object, next)
            } else {
                let slot = heap.slot(next);
                if slot.kind != Kind::Ref {
                    mixer.word(load(vm, node.object, slot.offset, slot.kind));
                    next += 1;
                    continue;
                }
                vm.heap.load_ref(node.object, slot.offset)
            };
            next += 1;
            if let Some(at) = self.reference(heap, vm, object, place, mixer) {
                (number, next) = at;
                node = self.nodes[number as usize];
            }
        }
    }

    /// Writes one reference; gives where to go on if it is to a new node with slots or elements.
    fn reference(
        &mut self,
        heap: &mut CanonicalHeap,
        vm: &Vm,
        object: Ref,
        place: (u32, u32),
        mixer: &mut Mixer,
    ) -> Option<(u32, u32)> {
        if object.is_null() {
            mixer.word(NULL);
            return None;
        }
        let plan = heap.plan_of(vm, vm.class_of(object));
        let (first, last, is_array) = match plan.form {
            Form::Array(Kind::Ref) => (0, vm.heap.array_length(object), true),
            Form::Array(_) => (0, 0, true),
            Form::Fields(first, last) => (first, last, false),
            _ => {
                heap.write_value(vm, plan, object, mixer);
                return None;
            }
        };
        let number = count(self.nodes.len());
        if let Some(number) = self.numbers.find_or_add(object, number, &self.nodes) {
            mixer.word(u64::from(number) << 2 | BACK);
            return None;
        }
        let point = self.add_point(place, *mixer);
        let (parent, via) = place;
        let end = number + 1;
        self.nodes.push(Node { object, parent, via, last, is_array, end, point });
        mixer.word(plan.key << 2 | NODE);
        match plan.form {
            Form::Array(kind) => {
                let length = vm.heap.array_length(object);
                let n_bytes = u64::from(length) * u64::from(kind.size());
                let n_granules = (u64::from(ELEMENTS_OFFSET) + n_bytes).div_ceil(8);
                let end = u32::try_from(u64::from(object.0) + n_granules).unwrap_or(u32::MAX);
                self.arrays.push(Extent { start: object.0, end, node: number });
                mixer.word(u64::from(length));
                if kind != Kind::Ref {
                    write_elements(vm, object, kind, length, mixer);
                }
            }
            _ => {
                let size = vm.class(vm.class_of(object)).instance_size;
                self.largest = self.largest.max(size.div_ceil(8));
            }
        }
        (first < last).then_some((number, first))
    }

    fn add_point(&mut self, (node, next): (u32, u32), mixer: Mixer) -> u32 {
        self.points.push(Point { mixer, node, next, n_nodes: count(self.nodes.len()) });
        count(self.points.len()) - 1
    }

    /// A granule has changed: if it is part of the walk, what comes behind does not hold.
    fn note(&mut self, heap: &CanonicalHeap, vm: &Vm, granule: u32) {
        let Some(number) = self.node_at(vm, granule) else { return };
        let node = self.nodes[number as usize];
        let offset = (granule - node.object.0) << 3;
        let point = if !node.is_array {
            let class = vm.class_of(node.object);
            match heap.first_slot(class, offset) {
                Some(slot) => self.point_before(number, slot),
                // The header, or a field that does not count.
                None => return,
            }
        } else if offset <= LENGTH_OFFSET {
            // Lengths do not change.
            return;
        } else if node.last > 0 {
            self.point_before(number, (offset - ELEMENTS_OFFSET) / 4)
        } else {
            node.point
        };
        self.stale = Some(self.stale.map_or(point, |stale| stale.min(point)));
        self.has_changed = true;
    }

    /// The node that a granule is part of.
    fn node_at(&self, vm: &Vm, granule: u32) -> Option<u32> {
        for back in 0..self.largest.min(granule) {
            let Some(number) = self.numbers.find(Ref(granule - back)) else { continue };
            let node = self.nodes[number as usize];
            let size = vm.class(vm.class_of(node.object)).instance_size;
            if !node.is_array && back << 3 < size {
                return Some(number);
            }
            break;
        }
        let mut arrays = self.arrays.iter();
        arrays.find(|array| (array.start..array.end).contains(&granule)).map(|array| array.node)
    }

    /// The last point before a slot or element of a node was read.
    fn point_before(&self, number: u32, slot: u32) -> u32 {
        let node = self.nodes[number as usize];
        // The nodes that were found from it, until one that was found in the slot or behind it.
        let mut child = number + 1;
        while child < node.end && self.nodes[child as usize].via < slot {
            child = self.nodes[child as usize].end;
        }
        let mut point = match self.nodes.get(child as usize) {
            Some(found) if child < node.end && found.via == slot => return found.point,
            Some(found) => found.point,
            None => count(self.points.len()),
        };
        while point > node.point + 1 {
            // Nodes that it was found from have smaller numbers: their points come after all of it.
            let before = self.points[point as usize - 1];
            if before.node > number || before.node == number && before.next <= slot {
                break;
            }
            point -= 1;
        }
        point - 1
    }
}

#[expect(clippy::cast_possible_truncation, reason = "far fewer nodes and points than 2^32")]
fn count(n: usize) -> u32 {
    n as u32
}

/// The numbers of nodes by their objects: an open-addressed table from which the youngest go first.
#[derive(Debug, Default)]
struct Numbers {
    /// Null is no object.
    entries: Vec<(Ref, u32)>,
    n_used: usize,
}

impl Numbers {
    fn clear(&mut self) {
        self.entries.fill((Ref::NULL, 0));
        self.n_used = 0;
    }

    #[inline]
    fn place(&self, object: Ref) -> usize {
        let mask = self.entries.len() - 1;
        let mut at = (object.0.wrapping_mul(0x9e37_79b1) >> 7) as usize & mask;
        loop {
            let (there, _) = self.entries[at];
            if there == object || there.is_null() {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    fn find(&self, object: Ref) -> Option<u32> {
        if self.entries.is_empty() {
            return None;
        }
        let (there, number) = self.entries[self.place(object)];
        (there == object).then_some(number)
    }

    /// The number of an object, or `None` and it has this one from now on. `nodes` are the older ones.
    #[inline]
    fn find_or_add(&mut self, object: Ref, number: u32, nodes: &[Node]) -> Option<u32> {
        if self.n_used * 2 >= self.entries.len() {
            self.grow(nodes);
        }
        let at = self.place(object);
        let (there, known) = self.entries[at];
        if there == object {
            return Some(known);
        }
        self.entries[at] = (object, number);
        self.n_used += 1;
        None
    }

    /// Removes the object that was added last.
    fn remove_last(&mut self, object: Ref) {
        let at = self.place(object);
        if self.entries[at].0 == object {
            self.entries[at] = (Ref::NULL, 0);
            self.n_used -= 1;
        }
    }

    /// Doubles the table. Objects are added in their order again, so that the youngest can go first.
    #[cold]
    fn grow(&mut self, nodes: &[Node]) {
        let len = (self.entries.len() * 2).max(256);
        self.entries.clear();
        self.entries.resize(len, (Ref::NULL, 0));
        for (node, number) in nodes.iter().zip(0..) {
            let at = self.place(node.object);
            self.entries[at] = (node.object, number);
        }
    }
}

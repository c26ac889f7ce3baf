//! Fingerprints of entry states, however large: what was found out about large heaps is kept and mended.
//!
//! A small heap is walked every time. A large one has a fingerprint of another making: that of a tree (`composite`),
//! or of nodes with names where too many of them have several ways in (`names`). The tree or the names are kept, so
//! that a call costs what it changed: writes are watched by the machine's own barrier, and a word that is written
//! back to what it was is no change. A collection moves objects and ends all of it: the next time everything is
//! read anew. Where trees have to be made anew again and again, none is kept for a while.
//!
//! Which making is used depends on how many nodes there are behind the first root (pieces of large arrays count as
//! such) and on the references between them alone, so the same state has the same fingerprint on every machine and at any time. Values (strings, boxed
//! values) are taken to be immutable.

mod composite;
mod names;
mod places;
mod sequence;
mod summary;
mod tree;

use vm::travel::Numbering;
use vm::value::Ref;
use vm::vm::Vm;

use super::canonical_heap::{CanonicalHeap, Edges, Root};
use super::fingerprint::{Fingerprint, Mixer};
use composite::Composer;
pub(super) use composite::n_pieces;
use names::Names;
use tree::{Done, Tree};

/// Nodes, and pieces of large arrays, that make a heap large.
const LARGE: usize = 128;
/// References at most, beyond those that make a tree and those back in pairs of nodes that refer to each other, for a
/// heap to be taken as a tree. So there are no more of them to nodes aside.
const MOST_ASIDE: usize = 16;
/// Heaps at most of which something is kept.
const MOST_KEPT: usize = 4;
/// More writes than this are not looked at one by one.
const MOST_WRITES: usize = 4096;
/// After more trees in a row that could not be mended, none is kept for a while.
const PATIENCE: u32 = 4;
/// Large heaps that are then walked before a tree is made again.
const PAUSE: u32 = 64;

/// What is kept of a heap.
#[derive(Debug)]
enum Kept {
    Tree(Box<Tree>),
    Names(Box<Names>),
}

impl Kept {
    fn root(&self) -> Ref {
        match self {
            Kept::Tree(tree) => tree.root,
            Kept::Names(names) => names.root,
        }
    }

    fn note(&mut self, heap: &CanonicalHeap, vm: &Vm, granule: u32) {
        match self {
            Kept::Tree(tree) => tree.note(heap, vm, granule),
            Kept::Names(names) => names.note(heap, vm, granule),
        }
    }
}

/// What is kept of the heaps of one machine.
#[derive(Debug, Default)]
pub struct KeptWalks {
    /// The one used last comes last.
    kept: Vec<Kept>,
    /// Room of what is no longer kept.
    spare_tree: Box<Tree>,
    spare_names: Box<Names>,
    composer: Composer,
    numbering: Numbering,
    /// Whether the last heap was large.
    expects_large: bool,
    /// Whether nodes of the last large heap had names.
    expects_names: bool,
    n_first: usize,
    /// Trees in a row that could not be mended.
    n_vain: u32,
    /// A root whose tree could not be mended, and how often it is walked before a tree is made again.
    paused: Ref,
    pause: u32,
    n_made: u64,
}

impl KeptWalks {
    /// The fingerprint of everything behind the first root, and of everything behind all roots.
    pub fn fingerprints(
        &mut self,
        heap: &mut CanonicalHeap,
        vm: &mut Vm,
        roots: &[Root],
    ) -> (Fingerprint, Fingerprint) {
        self.catch_up(heap, vm);
        let first = match roots.first() {
            Some(&Root::Object(first)) if !first.is_null() && !heap.is_value(vm, first) => first,
            _ => return self.walk(heap, vm, roots),
        };
        let at = self.kept.iter().position(|kept| kept.root() == first);
        if at.is_none() && !self.expects_large {
            let both = self.walk(heap, vm, roots);
            if heap.size_of_first() < LARGE {
                return both;
            }
        }
        let kept = at.map(|at| self.kept.remove(at));
        let both = match kept {
            Some(Kept::Names(names)) => self.by_names(heap, vm, roots, (names, true)),
            Some(Kept::Tree(tree)) => self.by_tree(heap, vm, roots, tree),
            None if self.expects_names => {
                let mut names = std::mem::take(&mut self.spare_names);
                names.forget(first);
                self.by_names(heap, vm, roots, (names, true))
            }
            None if self.paused == first && self.pause > 0 => {
                self.by_composer(heap, vm, roots, first)
            }
            None => {
                let mut tree = std::mem::take(&mut self.spare_tree);
                tree.forget(first);
                self.by_tree(heap, vm, roots, tree)
            }
        };
        if self.kept.is_empty() {
            vm.heap.end_watch();
        }
        self.expects_large = both.is_some();
        both.unwrap_or_else(|| self.walk(heap, vm, roots))
    }

    /// Fingerprints of a heap whose nodes have names, unless it may and does turn out to be a tree; none if it is not
    /// large.
    fn by_names(
        &mut self,
        heap: &mut CanonicalHeap,
        vm: &mut Vm,
        roots: &[Root],
        (mut names, may_be_tree): (Box<Names>, bool),
    ) -> Option<(Fingerprint, Fingerprint)> {
        let (key, is_whole) = names.fingerprint(heap, vm);
        self.n_made += u64::from(is_whole);
        let (n_objects, n_beyond) = (names.n_objects(), names.n_beyond());
        if names.size() < LARGE {
            self.spare_names = names;
            return None;
        }
        self.expects_names = n_beyond > MOST_ASIDE;
        if may_be_tree && !self.expects_names {
            let mut tree = std::mem::take(&mut self.spare_tree);
            tree.forget(names.root);
            self.spare_names = names;
            return self.by_tree(heap, vm, roots, tree);
        }
        self.n_first = n_objects;
        let joint = joint(heap, vm, key, &roots[1..], &|object| names.number(object));
        self.keep(vm, Kept::Names(names));
        Some((key, joint))
    }

    /// Fingerprints of a heap that may be a tree; none if it is not large.
    fn by_tree(
        &mut self,
        heap: &mut CanonicalHeap,
        vm: &mut Vm,
        roots: &[Root],
        mut tree: Box<Tree>,
    ) -> Option<(Fingerprint, Fingerprint)> {
        let (key, done) = tree.fingerprint(heap, vm);
        self.n_made += u64::from(done != Done::Mended);
        if tree.size() < LARGE {
            self.spare_tree = tree;
            return None;
        }
        if tree.n_beyond() > MOST_ASIDE {
            let mut names = std::mem::take(&mut self.spare_names);
            names.forget(tree.root);
            self.spare_tree = tree;
            return self.by_names(heap, vm, roots, (names, false));
        }
        self.n_first = tree.n_objects();
        let joint = joint(heap, vm, key, &roots[1..], &|object| tree.number(object));
        match done {
            Done::Mended => self.n_vain = 0,
            Done::Made => {}
            Done::InVain => self.n_vain += 1,
        }
        if self.n_vain > PATIENCE {
            (self.paused, self.pause) = (tree.root, PAUSE);
            // The next one has one try.
            self.n_vain = PATIENCE;
            self.spare_tree = tree;
        } else {
            self.keep(vm, Kept::Tree(tree));
        }
        Some((key, joint))
    }

    /// Fingerprints of a heap that may be a tree, of which nothing is kept for a while; none if it is not large.
    fn by_composer(
        &mut self,
        heap: &mut CanonicalHeap,
        vm: &mut Vm,
        roots: &[Root],
        first: Ref,
    ) -> Option<(Fingerprint, Fingerprint)> {
        self.pause -= 1;
        self.n_made += 1;
        let composer = &mut self.composer;
        let key = composer.fingerprint(heap, vm, first);
        if composer.size() < LARGE {
            return None;
        }
        if composer.n_beyond() > MOST_ASIDE {
            let mut names = std::mem::take(&mut self.spare_names);
            names.forget(first);
            return self.by_names(heap, vm, roots, (names, false));
        }
        self.n_first = composer.n_objects();
        Some((key, joint(heap, vm, key, &roots[1..], &|object| composer.number(object))))
    }

    /// Keeps this for the next time, if writes can be watched.
    fn keep(&mut self, vm: &mut Vm, kept: Kept) {
        if vm.heap.watch_writes() {
            if self.kept.len() == MOST_KEPT {
                let oldest = self.kept.remove(0);
                self.put_aside(oldest);
            }
            self.kept.push(kept);
        } else {
            self.put_aside(kept);
        }
    }

    fn put_aside(&mut self, kept: Kept) {
        match kept {
            Kept::Tree(tree) => self.spare_tree = tree,
            Kept::Names(names) => self.spare_names = names,
        }
    }

    /// How many large heaps were read as a whole.
    pub fn n_made(&self) -> u64 {
        self.n_made
    }

    /// How many nodes there were behind the first root, the last time that fingerprints were asked for.
    pub fn n_first(&self) -> usize {
        self.n_first
    }

    /// The fingerprint of everything behind one object.
    pub fn fingerprint(&mut self, heap: &mut CanonicalHeap, vm: &mut Vm, root: Ref) -> Fingerprint {
        self.fingerprints(heap, vm, &[Root::Object(root)]).0
    }

    /// Keeps nothing any longer; the machine watches no writes.
    pub fn end(&mut self, vm: &mut Vm) {
        self.kept.clear();
        vm.heap.end_watch();
    }

    /// The fingerprints of a heap that is walked once.
    fn walk(
        &mut self,
        heap: &mut CanonicalHeap,
        vm: &Vm,
        roots: &[Root],
    ) -> (Fingerprint, Fingerprint) {
        let both = heap.fingerprints(vm, roots);
        self.n_first = heap.n_first();
        both
    }

    /// Takes in what was written since the last time.
    fn catch_up(&mut self, heap: &mut CanonicalHeap, vm: &mut Vm) {
        heap.catch_up(vm);
        let is_renumbered = vm.renumbered(&mut self.numbering).is_some();
        if self.kept.is_empty() {
            return;
        }
        let is_many = vm.heap.n_watched_writes() > MOST_WRITES;
        match vm.heap.changed_granules() {
            Some(changed) if !is_many && !is_renumbered => {
                for granule in changed {
                    self.kept.iter_mut().for_each(|kept| kept.note(heap, vm, granule));
                }
            }
            _ => {
                while let Some(kept) = self.kept.pop() {
                    self.put_aside(kept);
                }
            }
        }
        if self.kept.is_empty() {
            vm.heap.end_watch();
        } else {
            // What is noted is noted; there may be more.
            vm.heap.watch_writes();
        }
    }
}

/// The fingerprint of a large heap and what is behind further roots.
fn joint(
    heap: &mut CanonicalHeap,
    vm: &Vm,
    first: Fingerprint,
    rest: &[Root],
    number: &dyn Fn(Ref) -> Option<u64>,
) -> Fingerprint {
    if rest.is_empty() {
        return first;
    }
    let mut mixer = Mixer::new(1);
    mixer.fingerprint(first);
    heap.write(vm, rest, &Beyond(number), &mut mixer);
    mixer.finish()
}

/// All edges, but for what is part of another heap.
struct Beyond<'a>(&'a dyn Fn(Ref) -> Option<u64>);

impl Edges for Beyond<'_> {
    const ALL: bool = true;
    fn has(&self, _: Ref, _: u32) -> bool {
        true
    }
    fn has_length(&self, _: Ref) -> bool {
        true
    }
    fn elsewhere(&self, object: Ref) -> Option<u64> {
        (self.0)(object)
    }
}

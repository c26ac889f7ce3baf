//! Fingerprints of entry states, however large: what was found out about large heaps is kept and mended.
//!
//! A small heap is walked every time. A large one has a fingerprint of another making (`composite`), and a tree of
//! it is kept (`tree`), so that a call costs what it changed: writes are watched by the machine's own barrier,
//! and a word that is written back to what it was is no change. A collection moves objects and ends all of it: the
//! next tree is made anew. Where trees have to be made anew again and again, none is kept for a while.
//!
//! Which making is used depends on the number of nodes behind the first root alone, so the same state has the same
//! fingerprint on every machine and at any time. Values (strings, boxed values) are taken to be immutable.

mod composite;
mod sequence;
mod tree;

use vm::value::Ref;
use vm::vm::Vm;

use super::canonical_heap::{CanonicalHeap, Edges, Root};
use super::fingerprint::{Fingerprint, Mixer};
use composite::Composer;
use tree::{Done, Tree};

/// Nodes that make a heap large.
const LARGE: usize = 128;
/// Trees at most, over different roots.
const MOST_TREES: usize = 4;
/// More writes than this are not looked at one by one.
const MOST_WRITES: usize = 4096;
/// After more trees in a row that could not be mended, none is kept for a while.
const PATIENCE: u32 = 4;
/// Large heaps that are then walked before a tree is made again.
const PAUSE: u32 = 64;

/// The trees of one machine that are kept.
#[derive(Debug, Default)]
pub struct KeptWalks {
    /// The one used last comes last.
    trees: Vec<Tree>,
    /// Room of a tree that is no longer kept.
    spare: Tree,
    composer: Composer,
    /// Whether the last heap was large.
    expects_large: bool,
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
        let kept = self.trees.iter().position(|tree| tree.root == first);
        if kept.is_none() && !self.expects_large {
            let both = self.walk(heap, vm, roots);
            if self.n_first < LARGE {
                return both;
            }
            self.expects_large = true;
        }
        if self.paused == first && self.pause > 0 {
            self.pause -= 1;
            self.n_made += 1;
            let key = self.composer.fingerprint(heap, vm, first);
            self.n_first = self.composer.n_objects();
            if self.n_first < LARGE {
                self.expects_large = false;
                return self.walk(heap, vm, roots);
            }
            let composer = &self.composer;
            return (key, joint(heap, vm, key, &roots[1..], &|object| composer.number(object)));
        }
        let mut tree = match kept {
            Some(at) => self.trees.remove(at),
            None => {
                let mut tree = if self.trees.len() == MOST_TREES {
                    self.trees.remove(0)
                } else {
                    std::mem::take(&mut self.spare)
                };
                tree.forget(first);
                tree
            }
        };
        let (key, done) = tree.fingerprint(heap, vm);
        self.n_first = tree.n_objects();
        self.expects_large = self.n_first >= LARGE;
        let both = if self.expects_large {
            (key, joint(heap, vm, key, &roots[1..], &|object| tree.number(object)))
        } else {
            self.walk(heap, vm, roots)
        };
        self.n_made += u64::from(done != Done::Mended);
        match done {
            Done::Mended => self.n_vain = 0,
            Done::Made => {}
            Done::InVain => self.n_vain += 1,
        }
        if self.n_vain > PATIENCE {
            (self.paused, self.pause) = (first, PAUSE);
            // The next one has one try.
            self.n_vain = PATIENCE;
        }
        let is_paused = self.paused == first && self.pause > 0;
        if self.expects_large && !is_paused && vm.heap.watch_writes() {
            self.trees.push(tree);
        } else {
            self.spare = tree;
            if self.trees.is_empty() {
                vm.heap.end_watch();
            }
        }
        both
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
        self.trees.clear();
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
    fn catch_up(&mut self, heap: &CanonicalHeap, vm: &mut Vm) {
        if self.trees.is_empty() {
            return;
        }
        let is_many = vm.heap.n_watched_writes() > MOST_WRITES;
        match vm.heap.changed_granules() {
            Some(changed) if !is_many => {
                for granule in changed {
                    self.trees.iter_mut().for_each(|tree| tree.note(heap, vm, granule));
                }
            }
            _ => self.trees.clear(),
        }
        if self.trees.is_empty() {
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
    number: &dyn Fn(Ref) -> Option<u32>,
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
struct Beyond<'a>(&'a dyn Fn(Ref) -> Option<u32>);

impl Edges for Beyond<'_> {
    const ALL: bool = true;
    fn has(&self, _: Ref, _: u32) -> bool {
        true
    }
    fn has_length(&self, _: Ref) -> bool {
        true
    }
    fn elsewhere(&self, object: Ref) -> Option<u32> {
        (self.0)(object)
    }
}

//! The objects that sequences end with: copied, put back, and looked at for what they have in common.

use observe::snapshot::Snapshot;
use observe::state::canonical_heap::Root;
use observe::state::fingerprint::Fingerprint;
use vm::interp::Outcome;
use vm::mode::Plain;
use vm::travel::Mark;
use vm::value::Ref;

use super::super::pool::{ComponentId, Kept, Pool};
use super::super::ready::Done;
use super::Worker;

/// End states beyond this size are not copied: running the statements again costs less memory.
const LARGEST_END: usize = 8 << 10;

/// The objects that a sequence ends with.
#[derive(Debug)]
pub(in crate::random) enum LastState {
    /// As a copy.
    Copied(Box<Snapshot>),
    /// No copy is enough, since something else changed as well. That may be because of what the sequence
    /// met, which is there from the beginning later.
    Entangled,
    /// Too large, or never to be built on.
    Unknown,
}

/// Which parts of the world are not what they were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Changed {
    /// Static state of the classes under test or of the user's.
    pub(super) own: bool,
    /// What was there before the classes under test.
    pub(super) old: bool,
}

impl Worker {
    pub(super) fn copy(&mut self, objects: &[Ref], most_bytes: usize) -> Option<Snapshot> {
        let vm = &self.session.vm;
        let own_literals = self.literals_below..vm.heap.perm_start;
        let is_shared = |object: Ref| {
            let at = object.byte_offset();
            at < self.shared_below && !own_literals.contains(&at)
        };
        Snapshot::take_within(&mut self.room, vm, objects, &is_shared, most_bytes)
    }

    /// What of the world is not what it was.
    pub(super) fn changed(&self, mark: &Mark) -> Changed {
        let mut changed = Changed { own: false, old: false };
        for byte in self.session.vm.changes_since(mark) {
            changed.old |= byte < self.world_end;
            changed.own = changed.own || self.own_state.has(byte);
            if changed.own && changed.old {
                break;
            }
        }
        changed
    }

    pub(super) fn last_state(
        &self,
        copy: Option<Snapshot>,
        has_changed_world: bool,
        mark: &Mark,
    ) -> LastState {
        match copy {
            Some(copy) if copy.n_bytes() <= LARGEST_END => {
                match has_changed_world || self.session.vm.has_grown_since(mark) {
                    true => LastState::Entangled,
                    false => LastState::Copied(Box::new(copy)),
                }
            }
            _ => LastState::Unknown,
        }
    }

    /// The objects that a component ends with, if its statements lead there again.
    pub(in crate::random) fn end_of(&mut self, pool: &Pool, id: ComponentId) -> LastState {
        let mark = self.session.vm.mark();
        let end = match self.materialise(pool, id) {
            Some(words) => {
                let objects: Vec<Ref> = words.into_iter().map(Ref::from_slot).collect();
                let copy = self.copy(&objects, LARGEST_END);
                self.last_state(copy, self.changed(&mark).own, &mark)
            }
            None => LastState::Unknown,
        };
        self.roll_back(mark);
        end
    }

    /// Beyond the seed: what has objects in common with a value in a new state can be used to change it,
    /// so calls may start from it too; and two known values that have objects in common may be new as a
    /// pair, as an object and its shallow copy are, or two objects that share static state. Whether there is
    /// such a pair.
    pub(super) fn spread(
        &mut self,
        pool: &Pool,
        values: &mut [(Kept, Fingerprint, Ref)],
        end: &Snapshot,
        has_changed_world: bool,
        n_statements: u32,
    ) -> bool {
        let sharing = end.sharing(&self.session.vm);
        let mut is_pair_new = false;
        for one in 0..values.len() {
            for other in 0..one {
                if sharing[one] >> other & 1 == 0 && !has_changed_world {
                    continue;
                }
                if values[one].0.is_extensible && values[other].0.is_extensible {
                    continue;
                }
                // One may simply be a part of the other, as an element is of a list.
                let roots = [Root::Object(values[other].2), Root::Object(values[one].2)];
                let key = self.heap.fingerprint(&self.session.vm, &roots);
                if pool.knows(key, n_statements) {
                    continue;
                }
                // A state of its own for each, since each is learnt once.
                for (idx, key) in [(one, key), (other, Fingerprint(key.0 ^ 1))] {
                    if !values[idx].0.is_extensible {
                        values[idx].0.is_extensible = true;
                        values[idx].1 = key;
                        is_pair_new = true;
                    }
                }
            }
        }
        is_pair_new
    }

    /// Brings the end state of a component into the heap; gives its kept values. Where there is no copy of it,
    /// the component's own statements run again behind the end states of its parts.
    pub(super) fn materialise(&mut self, pool: &Pool, id: ComponentId) -> Option<Vec<u64>> {
        let component = pool.component(id);
        if let Some(end) = &component.end {
            let mut words = Vec::with_capacity(component.values.len());
            let Worker { session, room, .. } = self;
            session
                .vm
                .complete(|vm| {
                    words.clear();
                    end.put_with(room, vm, |root| words.push(root.to_slot()))
                })
                .ok()?;
            return Some(words);
        }
        let recipe = component.recipe();
        let mut parts: Vec<Vec<u64>> = Vec::with_capacity(recipe.parts.len());
        for &part in &recipe.parts {
            parts.push(self.materialise(pool, part)?);
        }
        let mut results: Vec<u64> = Vec::with_capacity(recipe.steps.len());
        let mut args = Vec::new();
        for step in recipe.steps.iter() {
            args.clear();
            for source in step.args {
                args.push(self.word(source, &parts, &results));
            }
            let ready = self.ready[step.op.idx()].as_mut()?;
            // Where its branches go is known.
            match ready.run(&mut self.session, &mut Plain, &args, &mut self.words, self.fuel) {
                Done::Made(Outcome::Returned(value)) => results.push(value.to_slot()),
                _ => return None,
            }
        }
        let kept = component.values.iter();
        kept.map(|kept| recipe.result(pool, kept.statement, &parts, &results)).collect()
    }
}

//! The components: sequences that ran without breaking anything and led somewhere new, with the values
//! that later calls may use and the end state as a copy.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use observe::contract::exceptions::Input;
use observe::snapshot::Snapshot;
use observe::state::fingerprint::Fingerprint;
use rustc_hash::FxHashMap;

use super::catalogue::TypeId;
use super::recipe::{Print, Recipe};
use super::worker::LastState;

/// Position of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ComponentId(pub(super) u32);

/// A value of a component that later calls may use.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    /// The statement that gave it.
    pub(super) statement: u32,
    /// Whether new calls may start from it; otherwise it only comes along with one that may.
    pub(super) is_extensible: bool,
    /// The types it is of, among those that are wanted anywhere.
    pub(super) types: Arc<[TypeId]>,
}

/// A sequence that others are built on.
#[derive(Debug)]
pub(super) struct Component {
    recipe: Box<Recipe>,
    pub(super) print: Print,
    pub(super) values: Box<[Kept]>,
    /// The end state, with one root per kept value; without it the statements are run again.
    pub(super) end: Option<Box<Snapshot>>,
    /// How often more it is tried to copy the end state, now that the world has grown.
    n_tries: u8,
    /// What was passed somewhere on the way.
    pub(super) input: Input,
    /// What its statements took, in bytecodes, about.
    cost_of_run: u32,
}

impl Component {
    pub(super) fn new(
        mut recipe: Recipe,
        print: Print,
        values: Vec<Kept>,
        input: Input,
        cost_of_run: u32,
    ) -> Component {
        recipe.trim();
        Component {
            recipe: Box::new(recipe),
            print,
            values: values.into(),
            end: None,
            n_tries: 0,
            input,
            cost_of_run,
        }
    }

    pub(super) fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// What it costs to build on it, in bytecodes, about. Nothing that depends on what a machine ran before, so
    /// that all threads choose alike.
    pub(super) fn cost(&self) -> u32 {
        match &self.end {
            Some(end) => {
                u32::try_from(end.n_objects()).unwrap_or(u32::MAX).saturating_mul(OF_OBJECT)
            }
            None => self.cost_of_run,
        }
    }

    /// Memory in bytes, about.
    fn n_bytes(&self) -> usize {
        let end = self.end.as_ref().map_or(0, |end| end.n_bytes());
        size_of::<Component>()
            + size_of::<Recipe>()
            + self.recipe.steps.n_bytes()
            + self.recipe.parts.len() * 4
            + self.values.len() * size_of::<Kept>()
            + end
    }
}

/// What it costs to put an object in its place, in bytecodes, about.
const OF_OBJECT: u32 = 8;
/// End states up to this size are always kept, and larger ones while components have this many bytes on
/// average.
const SMALL_END: usize = 320;
const MEAN_BYTES: usize = 900;
/// What costs more bytecodes is not run again only to copy its end state.
const DEAR: u32 = 20_000;
/// How often it is tried again to copy an end state.
const MOST_TRIES: u8 = 2;

/// Whether one way to a state is so much shorter than another that it is kept too. Beyond the seed: a state that a
/// long sequence came to first could hardly be put together with others, since sequences may not grow for ever.
fn is_much_shorter(n_statements: u32, known: u32) -> bool {
    n_statements <= known / 2
}

/// Where values of a type are.
#[derive(Debug, Default)]
struct OfType {
    all: Vec<(ComponentId, u16)>,
    /// Of components that ran something for the first time.
    gold: Vec<(ComponentId, u16)>,
}

/// All components.
#[derive(Debug, Default)]
pub(super) struct Pool {
    components: Vec<Component>,
    by_type: Vec<OfType>,
    /// States of values that were kept, with the number of statements that led there.
    known: FxHashMap<Fingerprint, u32>,
    n_bytes: usize,
    /// Entries of `by_type`.
    n_listed: usize,
}

impl Pool {
    /// An empty pool for that many types.
    pub(super) fn new(n_types: usize) -> Pool {
        let mut pool = Pool::default();
        pool.by_type.resize_with(n_types, OfType::default);
        pool
    }

    pub(super) fn component(&self, id: ComponentId) -> &Component {
        &self.components[id.0 as usize]
    }

    /// Number of components.
    pub(super) fn len(&self) -> usize {
        self.components.len()
    }

    /// Memory of all components in bytes, about.
    pub(super) fn n_bytes(&self) -> usize {
        self.n_bytes
    }

    /// How often values are listed by a type that they are of.
    pub(super) fn n_listed(&self) -> usize {
        self.n_listed
    }

    /// Whether a value in this state was kept before, with a way there that is not much longer than this number of
    /// statements.
    pub(super) fn knows(&self, state: Fingerprint, n_statements: u32) -> bool {
        self.known.get(&state).is_some_and(|&known| !is_much_shorter(n_statements, known))
    }

    /// Remembers a state and the statements that lead there; whether they are worth building on.
    pub(super) fn learn(&mut self, state: Fingerprint, n_statements: u32) -> bool {
        match self.known.entry(state) {
            Entry::Vacant(entry) => {
                entry.insert(n_statements);
                true
            }
            Entry::Occupied(mut entry) if is_much_shorter(n_statements, *entry.get()) => {
                entry.insert(n_statements);
                true
            }
            Entry::Occupied(_) => false,
        }
    }

    /// Number of states of values.
    pub(super) fn n_states(&self) -> usize {
        self.known.len()
    }

    /// Gives a component its end state, if there is room for it: components have less than a kilobyte on
    /// average.
    pub(super) fn with_end(&self, mut component: Component, end: LastState) -> Component {
        match end {
            LastState::Copied(end) => {
                let n_bytes = component.n_bytes() + end.n_bytes();
                if self.has_room(&end, n_bytes, self.components.len() + 1) {
                    component.end = Some(end);
                }
                component.n_tries = 0;
            }
            LastState::Entangled if component.cost_of_run <= DEAR => component.n_tries = MOST_TRIES,
            LastState::Entangled => component.n_tries = 0,
            LastState::Unknown => component.n_tries = 0,
        }
        component
    }

    /// Whether an end state may be kept that makes that many bytes more in so many components.
    fn has_room(&self, end: &Snapshot, n_bytes: usize, n_components: usize) -> bool {
        end.n_bytes() <= SMALL_END || self.n_bytes + n_bytes < n_components * MEAN_BYTES
    }

    /// Tries again to copy the end states of components that had none because of what they met.
    pub(super) fn complete(&mut self, mut end_of: impl FnMut(&Pool, ComponentId) -> LastState) {
        let ids = (0..).map(ComponentId).take(self.components.len());
        let lacking: Vec<ComponentId> = ids.filter(|id| self.component(*id).n_tries > 0).collect();
        for id in lacking {
            let end = end_of(self, id);
            self.components[id.0 as usize].n_tries -= 1;
            if let LastState::Copied(end) = end
                && self.has_room(&end, end.n_bytes(), self.components.len())
            {
                let component = &mut self.components[id.0 as usize];
                component.n_tries = 0;
                self.n_bytes += end.n_bytes();
                component.end = Some(end);
            }
        }
    }

    /// Adds a component.
    #[expect(clippy::cast_possible_truncation, reason = "memory ends before")]
    pub(super) fn add(&mut self, component: Component, is_gold: bool) -> ComponentId {
        let id = ComponentId(self.components.len() as u32);
        for (idx, value) in component.values.iter().enumerate() {
            if !value.is_extensible {
                continue;
            }
            for wanted in &*value.types {
                let of_type = &mut self.by_type[wanted.idx()];
                of_type.all.push((id, idx as u16));
                self.n_listed += 1;
                if is_gold {
                    of_type.gold.push((id, idx as u16));
                    self.n_listed += 1;
                }
            }
        }
        self.n_bytes += component.n_bytes();
        self.components.push(component);
        id
    }

    /// Values of a type.
    pub(super) fn of_type(&self, wanted: TypeId) -> &[(ComponentId, u16)] {
        &self.by_type[wanted.idx()].all
    }

    /// Values of a type from components that ran something for the first time.
    pub(super) fn gold_of_type(&self, wanted: TypeId) -> &[(ComponentId, u16)] {
        &self.by_type[wanted.idx()].gold
    }
}

#[cfg(test)]
mod tests {
    use observe::state::fingerprint::Fingerprint;

    use super::Pool;

    #[test]
    fn a_state_is_learnt_again_where_a_much_shorter_sequence_leads_to_it() {
        let mut pool = Pool::new(0);
        let state = Fingerprint(7);
        assert!(pool.learn(state, 90));
        assert!(!pool.learn(state, 90) && pool.knows(state, 46));
        assert!(!pool.knows(state, 45) && pool.learn(state, 2));
        assert!(pool.knows(state, 45) && !pool.learn(state, 2));
        assert!(!pool.knows(state, 1) && pool.learn(state, 1));
        assert!(!pool.learn(state, 1));
        assert_eq!(pool.n_states(), 1);
    }
}

//! What the sequences so far led to: the pool, coverage, counts, and what tests are made of.

use std::collections::BTreeSet;
use std::sync::Arc;

use observe::contract::Severity;
use rustc_hash::{FxHashMap, FxHashSet};
use vm::value::MethodId;

use super::catalogue::{Catalogue, OpId};
use super::court::Broken;
use super::edges::Edge;
use super::guide::{Guide, Told};
use super::pool::{Component, ComponentId, Pool};
use super::recipe::Recipe;
use super::worker::{End, Met, Tried};

/// How often what came out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Sequences that were put together.
    pub sequences: u64,
    /// Of these, sequences that were there before.
    pub duplicates: u64,
    /// Sequences that led to a new state and are built on.
    pub kept: u64,
    /// Sequences that led to nothing new.
    pub redundant: u64,
    /// Sequences that ended by an exception which the caller may have earned.
    pub illegal: u64,
    /// Sequences in which a call did not come back.
    pub stopped: u64,
    /// Sequences that broke a contract.
    pub errors: u64,
}

/// Why a sequence is worth a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merit {
    /// It took this many branches a way that none had taken before.
    Branches(usize),
    /// It ended by an exception that the call had not thrown before.
    Exception,
    /// It led to a new state.
    State,
    /// It made a call that few had made before, and nothing else is new.
    Call,
}

/// A sequence that is worth a test.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) recipe: Recipe,
    pub(super) merit: Merit,
}

/// Something broken, with some sequences that show it.
#[derive(Debug)]
pub(super) struct Cause {
    pub(super) shown: Vec<(Broken, Recipe)>,
    pub(super) count: u64,
}

/// Sequences that show nothing but one call, at most: what takes no branch and makes nothing shows no more.
const MOST_OF_CALL: u64 = 2;
/// Sequences kept for one cause, at most.
const MOST_SHOWN: usize = 6;
/// What was found so often is no news: sequences that show it are built on like others.
const OLD_NEWS: u64 = 20;

/// Bytes of an entry in a set of hashes, and in the map of states, about: they are half full on average.
const SET_ENTRY: usize = 28;
const STATE_ENTRY: usize = 56;
const LIST_ENTRY: usize = 12;

/// What is known of a call.
#[derive(Debug, Clone, Default)]
pub(super) struct Calls {
    pub(super) returned: u64,
    pub(super) threw: u64,
    pub(super) stopped: u64,
}

/// Everything found so far.
#[derive(Debug)]
pub(super) struct Harvest {
    pub(super) pool: Pool,
    pub(super) guide: Guide,
    pub(super) counts: Counts,
    prints: FxHashSet<u128>,
    edges: FxHashSet<Edge>,
    pub(super) covered: FxHashMap<MethodId, usize>,
    pub(super) candidates: Vec<Candidate>,
    /// Components by the order in which they were found.
    pub(super) states: Vec<ComponentId>,
    pub(super) causes: Vec<Cause>,
    exceptions: FxHashSet<(OpId, Arc<str>)>,
    pub(super) calls: Vec<Calls>,
    /// What sequences did on their way that others will have to do again.
    pub(super) met: BTreeSet<Met>,
    has_feedback: bool,
    largest: usize,
}

impl Harvest {
    pub(super) fn new(
        catalogue: &Catalogue,
        guide: Guide,
        has_feedback: bool,
        largest: usize,
    ) -> Harvest {
        Harvest {
            pool: Pool::new(catalogue.types().len()),
            guide,
            counts: Counts::default(),
            prints: FxHashSet::default(),
            edges: FxHashSet::default(),
            covered: FxHashMap::default(),
            candidates: Vec::new(),
            states: Vec::new(),
            causes: Vec::new(),
            exceptions: FxHashSet::default(),
            calls: vec![Calls::default(); catalogue.ops().len()],
            met: BTreeSet::new(),
            has_feedback,
            largest,
        }
    }

    /// Bytes of everything that grows with the number of sequences, about.
    pub(super) fn n_bytes(&self) -> usize {
        let known = SET_ENTRY * self.prints.len() + STATE_ENTRY * self.pool.n_states();
        self.pool.n_bytes() + known + LIST_ENTRY * self.pool.n_listed()
    }

    /// Number of ways of branches taken.
    pub(super) fn n_edges(&self) -> usize {
        self.edges.len()
    }

    /// All ways of branches that were taken, in order.
    pub(super) fn edges(&self) -> Vec<Edge> {
        let mut edges: Vec<Edge> = self.edges.iter().copied().collect();
        edges.sort_unstable();
        edges
    }

    /// Whether a sequence was there before.
    pub(super) fn knows(&self, print: u128) -> bool {
        self.has_feedback && self.prints.contains(&print)
    }

    /// Takes in what became of a sequence.
    pub(super) fn take(&mut self, tried: Tried) {
        self.counts.sequences += 1;
        self.met.extend(tried.met);
        let is_full = self.n_bytes() >= self.largest;
        let mut n_new = 0;
        for edge in tried.edges {
            if self.edges.insert(edge) {
                n_new += 1;
                *self.covered.entry(edge.0.method).or_default() += 1;
            }
        }
        if self.has_feedback && !is_full && !self.prints.insert(tried.print.hash()) {
            self.counts.duplicates += 1;
            return;
        }
        let Some(last) = tried.recipe.steps.last().map(|step| step.op) else { return };
        let is_stopped = matches!(tried.end, End::Stopped { .. });
        self.guide.tell(last, Told { is_new: n_new > 0, is_stopped, cost: tried.cost.all });
        match tried.end {
            End::Illegal => self.counts.illegal += 1,
            End::Stopped { step, broken } => {
                self.counts.stopped += 1;
                let op = tried.recipe.steps.get(step).op;
                self.calls[op.idx()].stopped += 1;
                let mut recipe = tried.recipe;
                recipe.steps.truncate(step + 1);
                if let Some(broken) = broken {
                    self.counts.errors += 1;
                    self.blame(&[*broken], &recipe);
                }
            }
            End::Threw { step, class, broken, is_useless } => {
                let op = tried.recipe.steps.get(step).op;
                self.calls[op.idx()].threw += 1;
                // What comes behind the call that threw never ran.
                let mut recipe = tried.recipe;
                recipe.steps.truncate(step + 1);
                if let Some(broken) = broken {
                    self.counts.errors += 1;
                    self.blame(&[*broken], &recipe);
                    return;
                }
                self.counts.illegal += 1;
                let is_new = self.exceptions.insert((op, class));
                if is_useless {
                    return;
                }
                if n_new > 0 {
                    self.candidates.push(Candidate { recipe, merit: Merit::Branches(n_new) });
                } else if is_new {
                    self.candidates.push(Candidate { recipe, merit: Merit::Exception });
                }
            }
            End::Returned { values, end, input, broken } => {
                self.calls[last.idx()].returned += 1;
                if self.blame(&broken, &tried.recipe) {
                    self.counts.errors += 1;
                    return;
                }
                let mut is_any_new = false;
                let mut kept = Vec::with_capacity(values.len());
                for (mut value, state) in values {
                    if self.has_feedback {
                        value.is_extensible = !is_full && self.pool.learn(state, tried.print.len());
                    }
                    is_any_new |= value.is_extensible;
                    kept.push(value);
                }
                if n_new > 0 {
                    let recipe = tried.recipe.clone();
                    self.candidates.push(Candidate { recipe, merit: Merit::Branches(n_new) });
                }
                if is_any_new && !is_full {
                    self.counts.kept += 1;
                    let component =
                        Component::new(tried.recipe, tried.print, kept, input, tried.cost.run);
                    let component = self.pool.with_end(component, end);
                    let id = self.pool.add(component, n_new > 0);
                    if n_new == 0 {
                        self.states.push(id);
                    }
                } else {
                    self.counts.redundant += 1;
                    if n_new == 0 && self.calls[last.idx()].returned <= MOST_OF_CALL {
                        let recipe = tried.recipe;
                        self.candidates.push(Candidate { recipe, merit: Merit::Call });
                    }
                }
            }
        }
    }

    /// Takes down what is broken; whether some of it is an error that is still news.
    fn blame(&mut self, broken: &[Broken], recipe: &Recipe) -> bool {
        let mut is_news = false;
        for one in broken {
            let known = self.causes.iter().position(|cause| cause.shown[0].0.is_like(one));
            let idx = known.unwrap_or_else(|| {
                self.causes.push(Cause { shown: Vec::new(), count: 0 });
                self.causes.len() - 1
            });
            let cause = &mut self.causes[idx];
            cause.count += 1;
            is_news |= one.severity == Severity::Error && cause.count <= OLD_NEWS;
            let length = |recipe: &Recipe| recipe.steps.len() + recipe.parts.len();
            if cause.shown.len() < MOST_SHOWN {
                cause.shown.push((one.clone(), recipe.clone()));
            } else if let Some(longest) =
                cause.shown.iter_mut().max_by_key(|(_, shown)| length(shown))
                && length(recipe) < length(&longest.1)
            {
                *longest = (one.clone(), recipe.clone());
            }
        }
        is_news
    }
}

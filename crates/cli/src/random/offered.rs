//! Tests out of states, offered beside those of random sequences: every call in every state near the beginning, where
//! random sequences come to what lies deep.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ::generate::states::behaviours::keep_new;
use ::generate::states::explore;
use ::generate::states::tests::{Draft, drafts, observers};
use suite::method::Method;

use crate::generate::prepare::{Prepared, prepare};
use crate::inputs::Inputs;
use crate::machines::Machines;
use crate::options::ExploreOptions;
use crate::watch::Progress;

/// Calls that are tried, about, in all classes together and in each at most; and states of each.
const CALLS: (usize, usize) = (600_000, 60_000);
const MOST_STATES: usize = 200;
/// Tests that are offered, in all and of each class.
const OFFERED: (usize, usize) = (4000, 400);
/// Tests of a class that are offered in any case.
const LEAST_OFFERED: usize = 40;

/// What the states of one class came to.
#[derive(Default)]
pub(super) struct Offered {
    pub(super) drafts: Vec<Draft>,
    /// What is asked of objects.
    pub(super) observers: Vec<Arc<Method>>,
    pub(super) n_states: usize,
    pub(super) n_calls: usize,
    /// Why no state was tried.
    pub(super) reason: Option<String>,
}

/// Tries every call in the states of a class, one of so many, that are reached first.
pub(super) fn offered(
    machines: &Machines,
    (class, n_classes): (&str, usize),
    options: &ExploreOptions,
    inputs: &Inputs,
    time: Option<Duration>,
) -> Result<Offered, String> {
    let Prepared { mut job, .. } = prepare(machines, &[class.to_owned()], options, inputs)?;
    job.most_calls = Some(CALLS.1.min(CALLS.0 / n_classes.max(1)));
    job.most_states = job.most_states.min(MOST_STATES);
    let progress = Progress::new(&format!("states of {}", class.replace('/', ".")), time);
    let session = || machines.session();
    let explored = explore(&job, &session, &progress);
    let mut exploration = explored.map_err(|error| error.to_string())?;
    let observers = observers(&job, &exploration);
    let (n_states, n_calls) = (exploration.n_states(), exploration.n_calls());
    keep_new(&job, &mut exploration, &session).map_err(|error| error.to_string())?;
    progress.done();
    let most = OFFERED.1.min((OFFERED.0 / n_classes.max(1)).max(LEAST_OFFERED));
    let drafts = fairly(drafts(&job, &exploration), most);
    Ok(Offered { drafts, observers, n_states, n_calls, reason: None })
}

/// No more drafts than this: of each method the first ones, as many of each as there is room for.
fn fairly(drafts: Vec<Draft>, most: usize) -> Vec<Draft> {
    if drafts.len() <= most {
        return drafts;
    }
    let mut n_before: BTreeMap<Option<Arc<Method>>, usize> = BTreeMap::new();
    let ranks: Vec<usize> = drafts
        .iter()
        .map(|draft| {
            let last = draft.exercised.last().map(|var| &draft.sequence.statements()[var.idx()]);
            let method = last.and_then(|statement| statement.method()).cloned();
            let rank = n_before.entry(method).or_default();
            *rank += 1;
            *rank
        })
        .collect();
    let mut order: Vec<usize> = (0..drafts.len()).collect();
    order.sort_by_key(|&idx| ranks[idx]);
    let mut is_offered = vec![false; drafts.len()];
    order[..most].iter().for_each(|&idx| is_offered[idx] = true);
    let offered = drafts.into_iter().zip(is_offered);
    offered.filter_map(|(draft, is_offered)| is_offered.then_some(draft)).collect()
}

//! Attacks universal properties: for each set of methods that one of them is about, more arguments and
//! longer ways are tried with just these methods.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use distill::infer::abstraction::Condition;
use distill::infer::trace::{MethodIdx, Trace};
use distill::infer::{Effect, Inference, Kind, Property};
use generate::states::recorded::{Recorded, record};
use generate::states::{Exploration, Job, explore, focus};
use suite::method::Method;

use super::tracing::Traced;
use crate::machines::Machines;
use crate::watch::Progress;

/// How hard properties were tried.
#[derive(Debug, Default, Clone)]
pub(super) struct Effort {
    /// Sets of methods and the calls that were made with each.
    tried: Vec<(BTreeSet<MethodIdx>, usize, usize)>,
}

impl Effort {
    /// Calls and states with which a property was attacked.
    pub(super) fn on(&self, methods: &BTreeSet<MethodIdx>) -> Option<(usize, usize)> {
        let found = self.tried.iter().find(|(tried, _, _)| tried == methods);
        found.map(|&(_, calls, states)| (calls, states))
    }

    /// All calls together.
    pub(super) fn calls(&self) -> usize {
        self.tried.iter().map(|(_, calls, _)| calls).sum()
    }
}

/// The methods that a property is about.
pub(super) fn methods_of(property: &Property) -> BTreeSet<MethodIdx> {
    let of = &property.abstraction;
    let observer = match of.condition {
        Some(Condition::Observer(observer, _)) => Some(observer),
        _ => None,
    };
    std::iter::once(of.first).chain(of.second).chain(observer).collect()
}

type Search = (Job, Exploration, Recorded);

/// What the searches for one group found, or why they could not be made.
type Searched = Result<Vec<Search>, String>;

/// Attacks; what was executed is added to the trace.
pub(super) fn attack(
    machines: &Machines,
    job: &Job,
    traced: &mut Traced,
    inference: &Inference,
    calls: usize,
    progress: &Progress,
) -> Result<Effort, String> {
    let mut groups: Vec<BTreeSet<MethodIdx>> = Vec::new();
    for property in inference.printed().filter(|property| property.kind != Kind::Common) {
        let methods = methods_of(property);
        if !groups.contains(&methods) {
            groups.push(methods);
        }
    }
    let next = AtomicUsize::new(0);
    let found: Mutex<Vec<Option<Searched>>> = Mutex::new((0..groups.len()).map(|_| None).collect());
    let trace = &traced.trace;
    thread::scope(|scope| {
        for _ in 0..job.n_workers.min(groups.len()) {
            scope.spawn(|| {
                loop {
                    let idx = next.fetch_add(1, Ordering::Relaxed);
                    let Some(group) = groups.get(idx) else { break };
                    progress.show(&format!("attacking {idx} of {} groups", groups.len()));
                    let methods = callable(trace, inference, group);
                    let searched = search(machines, job, &methods, calls, progress);
                    found.lock().unwrap_or_else(PoisonError::into_inner)[idx] = Some(searched);
                }
            });
        }
    });
    let mut effort = Effort::default();
    let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    for (group, searched) in groups.into_iter().zip(found) {
        let mut n_calls = 0;
        let mut n_states = 0;
        for (job, exploration, recorded) in searched.unwrap_or_else(|| Ok(Vec::new()))? {
            n_calls += recorded.calls.len();
            n_states += exploration.n_states();
            traced.add(&job, &exploration, &recorded);
        }
        effort.tried.push((group, n_calls, n_states));
    }
    Ok(effort)
}

/// The methods to call: those of the property, and all that change the state where none of its own does.
fn callable(trace: &Trace, inference: &Inference, group: &BTreeSet<MethodIdx>) -> Vec<Arc<Method>> {
    let effect = |method: MethodIdx| inference.effects[method.idx()].1;
    let mut wanted = group.clone();
    let changes = |&method: &MethodIdx| matches!(effect(method), Effect::Changes | Effect::Depends);
    if !group.iter().any(changes) {
        wanted.extend(inference.effects.iter().map(|(method, _)| *method).filter(changes));
    }
    let methods = wanted.into_iter().filter(|&method| effect(method) != Effect::Makes);
    methods.map(|method| trace.methods()[method.idx()].clone()).collect()
}

fn search(
    machines: &Machines,
    job: &Job,
    methods: &[Arc<Method>],
    calls: usize,
    progress: &Progress,
) -> Searched {
    let session = || machines.session();
    let mut searches = Vec::new();
    for job in [focus::wide(job, methods, calls / 2), focus::deep(job, methods, calls / 2)] {
        if job.lists.is_empty() {
            continue;
        }
        let exploration = explore(&job, &session, progress).map_err(|error| error.to_string())?;
        let recorded = record(&job, &exploration, &session).map_err(|error| error.to_string())?;
        searches.push((job, exploration, recorded));
    }
    Ok(searches)
}

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
                    let own = callable(trace, inference, group, Partners::None);
                    let mut searched = search(machines, job, &own, calls, progress);
                    if searched.as_ref().is_ok_and(|found| n_states(found) < FEW_STATES) {
                        let all = callable(trace, inference, group, Partners::Changing);
                        searched = search(machines, job, &all, calls, progress);
                    }
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

/// Below so many states the methods of a property do not lead far enough by themselves.
const FEW_STATES: usize = 50;

fn n_states(found: &[Search]) -> usize {
    found.iter().map(|(_, exploration, _)| exploration.n_states()).sum()
}

/// Which other methods are called too.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Partners {
    None,
    /// All that change the state.
    Changing,
}

/// The methods to call, those that make objects left out.
fn callable(
    trace: &Trace,
    inference: &Inference,
    group: &BTreeSet<MethodIdx>,
    partners: Partners,
) -> Vec<Arc<Method>> {
    let effect = |method: MethodIdx| inference.effects[method.idx()].1;
    let mut wanted = group.clone();
    if partners == Partners::Changing {
        let all = inference.effects.iter().map(|(method, _)| *method);
        wanted.extend(
            all.filter(|&method| matches!(effect(method), Effect::Changes | Effect::Depends)),
        );
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

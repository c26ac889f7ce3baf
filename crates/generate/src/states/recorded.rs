//! The calls of an exploration once more, described in full: exit states, results, arguments.
//!
//! An exploration keeps only what it needs to go on; who wants to know what calls returned asks for it
//! afterwards, and only then it costs time.

use std::ops::Range;
use std::sync::Arc;
use std::thread;

use observe::session::{NotFound, Session};
use observe::state::fingerprint::Fingerprint;
use observe::state::technique::Technique;
use suite::constant::Constant;

use super::table::{ListId, StateId};
use super::worker::Worker;
use super::{Exploration, Job, joined};

/// A value, as far as calls can be compared by it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Described {
    /// It can be written down.
    Constant(Constant),
    /// An object, by its state.
    State(Fingerprint),
}

/// What a call gave back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GivenBack {
    /// Nothing, or the object itself for constructors.
    Nothing,
    /// This.
    Value(Described),
    /// An exception of this class (internal name).
    Exception(Arc<str>),
}

/// A call in full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedCall {
    /// On this state.
    pub state: StateId,
    /// With this argument list.
    pub list: ListId,
    /// The state of the object afterwards, also where the call threw; `None` where there is no object.
    pub exit: Option<Fingerprint>,
    /// What came back.
    pub given: GivenBack,
}

/// All calls of an exploration.
#[derive(Debug, Clone, Default)]
pub struct Recorded {
    /// The arguments of each list; `None` where they cannot be built.
    pub arguments: Vec<Option<Vec<Described>>>,
    /// The calls in the order of states and lists. Calls that did not come back are left out.
    pub calls: Vec<RecordedCall>,
}

/// Makes the calls of an exploration again and describes them.
pub fn record(
    job: &Job,
    exploration: &Exploration,
    session: &(dyn Fn() -> Result<Session, NotFound> + Sync),
) -> Result<Recorded, NotFound> {
    let parts = in_parts(job, exploration, session, &|worker, states| {
        let mut recorded = Recorded::default();
        if states.start == 0 {
            let lists = job.makers.iter().chain(&job.lists);
            recorded.arguments = lists.map(|list| worker.arguments(list)).collect();
        }
        for state in states {
            let state = StateId(u32::try_from(state).unwrap_or(u32::MAX));
            worker.record(&exploration.table, state, &mut recorded.calls);
        }
        recorded
    })?;
    let mut recorded = Recorded::default();
    for mut part in parts {
        recorded.arguments.append(&mut part.arguments);
        recorded.calls.append(&mut part.calls);
    }
    Ok(recorded)
}

/// Goes over all expanded states again, side by side; gives what came of each part, in order.
pub(super) fn in_parts<T: Send>(
    job: &Job,
    exploration: &Exploration,
    session: &(dyn Fn() -> Result<Session, NotFound> + Sync),
    work: &(dyn Fn(&mut Worker<'_>, Range<usize>) -> T + Sync),
) -> Result<Vec<T>, NotFound> {
    let n_states = exploration.first_unexpanded().idx();
    let n_workers = match job.technique {
        // Representatives live on one machine.
        Technique::PairwiseEquals => 1,
        // A machine is worth its start only where it has something to do.
        _ => job.n_workers.clamp(1, n_states / 100 + 1),
    };
    let part = n_states.div_ceil(n_workers);
    let one = |idx: usize| -> Result<T, NotFound> {
        let mut worker = Worker::new(job, session()?)?;
        Ok(work(&mut worker, idx * part..n_states.min((idx + 1) * part)))
    };
    thread::scope(|scope| {
        let one = &one;
        let running: Vec<_> = (0..n_workers).map(|idx| scope.spawn(move || one(idx))).collect();
        running.into_iter().map(joined).collect()
    })
}

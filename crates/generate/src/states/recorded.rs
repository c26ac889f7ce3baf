//! The calls of an exploration once more, described in full: exit states, results, arguments.
//!
//! An exploration keeps only what it needs to go on; who wants to know what calls returned asks for it
//! afterwards, and only then it costs time.

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
    let n_states = exploration.first_unexpanded().idx();
    let n_workers = match job.technique {
        Technique::PairwiseEquals => 1,
        // A machine is worth its start only where it has something to do.
        _ => job.n_workers.clamp(1, n_states / 100 + 1),
    };
    let part = n_states.div_ceil(n_workers);
    let work = |idx: usize| -> Result<Recorded, NotFound> {
        let mut worker = Worker::new(job, session()?)?;
        let mut recorded = Recorded::default();
        if idx == 0 {
            let lists = job.makers.iter().chain(&job.lists);
            recorded.arguments = lists.map(|list| worker.arguments(list)).collect();
        }
        for state in idx * part..n_states.min((idx + 1) * part) {
            let state = StateId(u32::try_from(state).unwrap_or(u32::MAX));
            worker.record(&exploration.table, state, &mut recorded.calls);
        }
        Ok(recorded)
    };
    let parts: Vec<Result<Recorded, NotFound>> = thread::scope(|scope| {
        let work = &work;
        let running: Vec<_> = (0..n_workers).map(|idx| scope.spawn(move || work(idx))).collect();
        running.into_iter().map(joined).collect()
    });
    let mut recorded = Recorded::default();
    for part in parts {
        let mut part = part?;
        recorded.arguments.append(&mut part.arguments);
        recorded.calls.append(&mut part.calls);
    }
    Ok(recorded)
}

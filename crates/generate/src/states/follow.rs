//! States and calls of existing tests: instead of trying everything, the calls are made that tests made on
//! their objects, each object's from its making on.
//!
//! What comes out has the form of an exploration, so whatever reads one can read what tests did. A chain of
//! calls is followed as long as the object is in the very state in which it was in the test.

use std::collections::BTreeSet;

use observe::session::{NotFound, Session};
use observe::state::fingerprint::Fingerprint;
use vm::frame::Stop;

use super::recorded::{Recorded, RecordedCall};
use super::table::{ListId, StateId, StateTable};
use super::worker::Worker;
use super::{Call, End, Exploration, Iteration, Job};
use crate::arguments::ArgumentList;
use crate::arguments::collected::Chain;

/// A call of a chain, and the whole state of the object behind it.
pub(super) type Stride = (ListId, Fingerprint);

/// What was met on the way.
#[derive(Debug, Default)]
pub(super) struct Way {
    pub(super) seen: BTreeSet<(StateId, ListId)>,
    pub(super) calls: Vec<Call>,
    pub(super) recorded: Vec<RecordedCall>,
    pub(super) stopped: Vec<(StateId, ListId, Stop)>,
}

/// What chains of calls led to.
#[derive(Debug)]
pub struct Followed {
    /// States and calls.
    pub exploration: Exploration,
    /// The calls in full.
    pub recorded: Recorded,
    /// Chains that did not lead where they led in the tests, or have calls that the job has not.
    pub n_lost: usize,
}

/// The argument lists of chains, those that make objects apart, each once and in order.
pub fn lists_of(chains: &[Chain]) -> (Vec<ArgumentList>, Vec<ArgumentList>) {
    let mut makers: Vec<ArgumentList> = Vec::new();
    let mut lists: Vec<ArgumentList> = Vec::new();
    for chain in chains {
        for (idx, (list, _)) in chain.steps.iter().enumerate() {
            let own = if idx == 0 { &mut makers } else { &mut lists };
            if !own.contains(list) {
                own.push(list.clone());
            }
        }
    }
    (makers, lists)
}

/// Makes the calls of chains, as far as the job has their argument lists.
pub fn follow(job: &Job, chains: &[Chain], session: Session) -> Result<Followed, NotFound> {
    let mut worker = Worker::new(job, session)?;
    let mut table = StateTable::default();
    let mut way = Way::default();
    let mut n_lost = 0;
    for chain in chains {
        let mut steps: Vec<Stride> = Vec::new();
        for (idx, (list, state)) in chain.steps.iter().enumerate() {
            let known = match idx {
                0 => job.makers.iter().position(|known| known == list),
                _ => {
                    let position = job.lists.iter().position(|known| known == list);
                    position.map(|position| job.makers.len() + position)
                }
            };
            let Some(known) = known.and_then(|known| u32::try_from(known).ok()) else { break };
            steps.push((ListId(known), *state));
        }
        let is_whole = worker.follow(&mut table, &mut way, &steps);
        n_lost += usize::from(!is_whole || steps.len() < chain.steps.len());
    }
    way.calls.sort_by_key(|call| (call.state, call.list));
    way.recorded.sort_by_key(|call| (call.state, call.list));
    let count = |wanted: fn(&Call) -> bool| way.calls.iter().filter(|call| wanted(call)).count();
    let iteration = Iteration {
        expanded: table.len(),
        calls: way.calls.len(),
        threw: count(|call| call.end == End::Threw),
        preserved: count(|call| call.end == End::Preserved),
        new_states: table.len() - 1,
    };
    let lists = job.makers.iter().chain(&job.lists);
    let arguments = lists.map(|list| worker.arguments(list)).collect();
    Ok(Followed {
        exploration: Exploration {
            table,
            iterations: vec![iteration],
            calls: way.calls,
            stopped: way.stopped,
            is_complete: true,
            fallen_back: worker.fallen_back(),
        },
        recorded: Recorded { arguments, calls: way.recorded },
        n_lost,
    })
}

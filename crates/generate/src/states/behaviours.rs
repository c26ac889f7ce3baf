//! Which calls of an exploration do something that no earlier one does.
//!
//! A state differs from another by all that is in it, most of which a call never looks at: `isEmpty` does the same
//! on whatever shop's empty cart. Rostra's suite has a test for each; where people are to read the tests, one is
//! enough. Calls that read the same take the same branches and end alike. What may be lost is what a test says about an
//! object that a call only passes on: it is said in the one state that has a test.

use observe::behaviour::Behaviour;
use observe::session::{NotFound, Session};
use observe::state::fingerprint::Fingerprint;
use rustc_hash::FxHashSet;

use super::recorded::in_parts;
use super::table::{ListId, StateId};
use super::{Exploration, Job};

/// Drops the calls that do only what an earlier one does; says how many those were. The calls of the
/// exploration are in the order of states, so the shortest ways stay.
pub fn keep_new(
    job: &Job,
    exploration: &mut Exploration,
    session: &(dyn Fn() -> Result<Session, NotFound> + Sync),
) -> Result<usize, NotFound> {
    let table = &exploration.table;
    let parts = in_parts(job, exploration, session, &|worker, states| {
        let mut behaviour = Behaviour::new(job.mask.clone());
        let mut followed: Vec<(StateId, ListId, Fingerprint)> = Vec::new();
        for state in states {
            let state = StateId(u32::try_from(state).unwrap_or(u32::MAX));
            worker.follow_calls(table, state, &mut behaviour, &mut followed);
        }
        followed
    })?;
    let mut known: FxHashSet<Fingerprint> = FxHashSet::default();
    let mut old: FxHashSet<(StateId, ListId)> = FxHashSet::default();
    for (state, list, behaviour) in parts.into_iter().flatten() {
        if !known.insert(behaviour) {
            old.insert((state, list));
        }
    }
    let before = exploration.calls.len();
    exploration.calls.retain(|call| !old.contains(&(call.state, call.list)));
    Ok(before - exploration.calls.len())
}

//! Which calls of an exploration do something that no earlier one does.
//!
//! A state differs from another by all that is in it, most of which a call never looks at: `isEmpty` does the same
//! on whatever shop's empty cart. Rostra's suite has a test for each; where people are to read the tests, one is
//! enough. Calls that read the same take the same branches and end alike. What may be lost is what a test says about an
//! object that a call only passes on: it is said in the one state that has a test.

use observe::behaviour::{Behaviour, Followed};
use observe::session::{NotFound, Session};
use observe::state::fingerprint::Fingerprint;
use rustc_hash::{FxHashMap, FxHashSet};

use super::recorded::in_parts;
use super::table::{ListId, StateId};
use super::{Exploration, Job};

/// Calls of a method that take the same branches and end alike, at most: what they differ in is values, of which a few
/// show as much as many.
const MOST_ON_ONE_WAY: usize = 5;

/// Drops the calls that do only what an earlier one does, or what several do; says how many those were. The calls of the
/// exploration are in the order of states, so the shortest ways stay.
pub fn keep_new(
    job: &Job,
    exploration: &mut Exploration,
    session: &(dyn Fn() -> Result<Session, NotFound> + Sync),
) -> Result<usize, NotFound> {
    let table = &exploration.table;
    let parts = in_parts(job, exploration, session, &|worker, states| {
        let mut behaviour = Behaviour::new(job.mask.clone());
        let mut followed: Vec<(StateId, ListId, Followed)> = Vec::new();
        for state in states {
            let state = StateId(u32::try_from(state).unwrap_or(u32::MAX));
            worker.follow_calls(table, state, &mut behaviour, &mut followed);
        }
        followed
    })?;
    let mut known: FxHashSet<Fingerprint> = FxHashSet::default();
    let mut old: FxHashSet<(StateId, ListId)> = FxHashSet::default();
    let mut on_the_way: FxHashMap<Fingerprint, usize> = FxHashMap::default();
    for (state, list, followed) in parts.into_iter().flatten() {
        if !known.insert(followed.behaviour) {
            old.insert((state, list));
            continue;
        }
        let n_shown = on_the_way.entry(followed.way).or_default();
        if *n_shown == MOST_ON_ONE_WAY {
            old.insert((state, list));
        } else {
            *n_shown += 1;
        }
    }
    let before = exploration.calls.len();
    exploration.calls.retain(|call| !old.contains(&(call.state, call.list)));
    Ok(before - exploration.calls.len())
}

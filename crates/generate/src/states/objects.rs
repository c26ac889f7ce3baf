//! Objects in the states that an exploration reached, as arguments for others.

use std::sync::Arc;

use suite::sequence::Sequence;

use super::table::StateId;
use super::tests::{append, list_of};
use super::{Exploration, Job};
use crate::arguments::Argument;

/// The objects of the first states, `most` at most, each built by the calls that reached it.
pub fn objects(job: &Job, exploration: &Exploration, most: usize) -> Vec<Argument> {
    let n_states = exploration.table.len().min(most + 1);
    let states = (1..n_states).map(|idx| StateId(u32::try_from(idx).unwrap_or(u32::MAX)));
    states.filter_map(|state| object(job, exploration, state)).collect()
}

fn object(job: &Job, exploration: &Exploration, state: StateId) -> Option<Argument> {
    let mut way = Vec::new();
    exploration.table.path(state, &mut way);
    let mut sequence = Sequence::empty();
    let mut object = None;
    for step in way {
        let list = list_of(job, exploration.table.link(step).list);
        let made = append(&mut sequence, object, list)?;
        object = object.or(Some(made));
    }
    Some(Argument::Built(Arc::new(sequence), object?))
}

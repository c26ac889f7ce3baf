//! Whether an argument can be built at all, and whether it is another than those that are there.

use observe::session::Session;
use observe::state::canonical_heap::{CanonicalHeap, Root};
use observe::state::fingerprint::Fingerprint;
use observe::state::mask::Mask;
use observe::state::whole_state;
use vm::value::Ref;

use super::Argument;

/// Bytecodes that building an argument may take.
const FUEL: u64 = 1_000_000;

/// Arguments for one parameter, each in a state of its own.
#[derive(Debug, Default)]
pub(super) struct Choice {
    values: Vec<Argument>,
    states: Vec<Fingerprint>,
    by_chance: Option<Argument>,
}

impl Choice {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// Takes an argument unless it cannot be built or is as one that is there. What depends on time or chance
    /// counts only where there is nothing else.
    pub(super) fn offer(&mut self, session: &mut Session, argument: Argument) {
        match state(session, &argument) {
            None => {}
            Some(Built { is_by_chance: true, .. }) => {
                self.by_chance.get_or_insert(argument);
            }
            Some(Built { state, .. }) if !self.states.contains(&state) => {
                self.states.push(state);
                self.values.push(argument);
            }
            Some(_) => {}
        }
    }

    /// The arguments in the order in which they were offered.
    pub(super) fn taken(self) -> Vec<Argument> {
        if self.values.is_empty() { self.by_chance.into_iter().collect() } else { self.values }
    }
}

struct Built {
    state: Fingerprint,
    is_by_chance: bool,
}

/// Whether an argument can be built.
pub(super) fn works(session: &mut Session, argument: &Argument) -> bool {
    state(session, argument).is_some()
}

/// Builds an argument and leaves the machine as it was; `None` where building it does not come to its end.
fn state(session: &mut Session, argument: &Argument) -> Option<Built> {
    let Argument::Built(sequence, var) = argument else { return None };
    session.prepare(sequence).ok()?;
    let chances = session.vm.chances;
    let mark = session.vm.mark();
    let built = match session.run(sequence, FUEL) {
        Ok((values, None)) => {
            let root = Root::Object(Ref::from_slot(values[var.idx()]));
            let mut heap = CanonicalHeap::new(Mask::standard());
            let state = whole_state::key(&mut heap, &session.vm, &[root]);
            Some(Built { state, is_by_chance: session.vm.chances != chances })
        }
        _ => None,
    };
    session.vm.rollback(mark);
    session.vm.host.forget_files();
    built
}

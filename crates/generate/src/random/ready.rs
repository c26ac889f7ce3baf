//! Calls as one machine knows them: everything that does not change between calls is done once.

use observe::session::{NotFound, Resolved, Session, kind_of};
use suite::types::Type;
use vm::interp::Outcome;
use vm::mode::Mode;
use vm::value::{ClassId, Kind};

use super::catalogue::{Action, Op};
use crate::calls::{self, Selected, Unmade};

/// Something that can be done, ready to be done.
#[derive(Debug)]
pub(super) enum Ready {
    Call { resolved: Resolved, selected: Selected },
    Array { class: ClassId, kind: Kind },
}

/// How a statement ended.
#[derive(Debug)]
pub(super) enum Done {
    /// It was made and ended so.
    Made(Outcome),
    /// The receiver is `null`: there is no such call.
    NoReceiver,
}

impl Ready {
    pub(super) fn new(session: &mut Session, op: &Op) -> Result<Ready, NotFound> {
        let resolved = match &op.action {
            Action::Call(method) => session.resolve(method)?,
            Action::StandIn(of) => session.stand_in(of)?,
            Action::Array(element) => {
                let array = Type::Array(Box::new(element.clone()));
                let class = session.class_of_type(&array)?;
                return Ok(Ready::Array { class, kind: kind_of(element) });
            }
        };
        Ok(Ready::Call { resolved, selected: Selected::default() })
    }

    /// Does it. `args` are values, receiver first; `words` is room to work in.
    pub(super) fn run<M: Mode>(
        &mut self,
        session: &mut Session,
        mode: &mut M,
        args: &[u64],
        words: &mut Vec<u64>,
        fuel: u64,
    ) -> Done {
        let (resolved, selected) = match self {
            Ready::Array { class, kind } => {
                return Done::Made(session.array_of(*class, *kind, args));
            }
            Ready::Call { resolved, selected } => (resolved, selected),
        };
        words.clear();
        let mut values = args.iter();
        if resolved.method.is_constructor() {
            words.push(0);
        } else if resolved.method.has_receiver() {
            words.push(values.next().copied().unwrap_or(0));
        }
        for (&value, &kind) in values.zip(resolved.parameters.iter()) {
            words.push(value);
            if kind.slots() == 2 {
                words.push(0);
            }
        }
        match calls::call(session, mode, resolved, selected, words, fuel) {
            Ok(outcome) => Done::Made(outcome),
            Err(Unmade::NoReceiver) => Done::NoReceiver,
            Err(no_memory) => Done::Made(no_memory.outcome()),
        }
    }
}

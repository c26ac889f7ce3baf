//! Calls as one machine knows them: everything that does not change between calls is done once.

use observe::session::{NotFound, Resolved, Session, kind_of};
use suite::types::Type;
use vm::interp::Outcome;
use vm::mode::Mode;
use vm::value::{ClassId, Kind, Ref, Value};

use super::catalogue::{Action, Op};
use crate::calls::{self, Selected, Unmade};

/// Something that can be done, ready to be done.
#[derive(Debug)]
pub(super) enum Ready {
    Call {
        resolved: Resolved,
        selected: Selected,
        /// What the result must be, where generic signatures promise more than the call itself: they hold only as
        /// long as nobody has put anything else into a collection.
        promised: Option<ClassId>,
    },
    Array {
        class: ClassId,
        kind: Kind,
    },
}

/// How a statement ended.
#[derive(Debug)]
pub(super) enum Done {
    /// It was made and ended so.
    Made(Outcome),
    /// The receiver is `null`, or the result is not what generic signatures promise: there is no such call.
    Impossible,
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
        let promised = match op.promised() {
            Some(promised) => Some(session.class_of_type(promised)?),
            None => None,
        };
        Ok(Ready::Call { resolved, selected: Selected::default(), promised })
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
        let (resolved, selected, promised) = match self {
            Ready::Array { class, kind } => {
                return Done::Made(session.array_of(*class, *kind, args));
            }
            Ready::Call { resolved, selected, promised } => (resolved, selected, *promised),
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
            Ok(Outcome::Returned(Value::Ref(object)))
                if promised.is_some_and(|promised| !is_of(session, object, promised)) =>
            {
                Done::Impossible
            }
            Ok(outcome) => Done::Made(outcome),
            Err(Unmade::NoReceiver) => Done::Impossible,
            Err(no_memory) => Done::Made(no_memory.outcome()),
        }
    }
}

fn is_of(session: &Session, object: Ref, class: ClassId) -> bool {
    let vm = &session.vm;
    object.is_null() || vm.is_subtype(vm.class_of(object), class)
}

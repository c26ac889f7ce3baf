//! Argument lists as one machine knows them: everything that does not change between calls is done once.

use std::sync::Arc;

use observe::session::{NotFound, Resolved, Session};
use suite::method::Dispatch;
use suite::method::Method;
use suite::sequence::{Sequence, Var};
use vm::interp::Outcome;
use vm::mode::Mode;
use vm::value::{ClassId, Ref};

use crate::arguments::{Argument, ArgumentList};
use crate::calls::{self, Selected};

/// An argument list, ready to be called.
#[derive(Debug)]
pub struct Prepared {
    resolved: Resolved,
    /// Registers of the call; the receiver's and built ones are filled in for each call.
    words: Vec<u64>,
    /// Arguments that are built for each call: their register and how.
    built: Vec<(usize, Arc<Sequence>, Var)>,
    /// Whether the receiver is an argument too.
    has_own_receiver: bool,
    selected: Selected,
}

impl Prepared {
    /// Prepares a list. Constants that are objects are made here, once.
    pub fn new(session: &mut Session, list: &ArgumentList) -> Result<Prepared, NotFound> {
        let resolved = session.resolve(&list.method)?;
        let mut words = Vec::new();
        let mut built = Vec::new();
        if resolved.method.dispatch != Dispatch::Static {
            words.push(0);
        }
        if let Some(Argument::Built(sequence, var)) = &list.receiver {
            built.push((0, sequence.clone(), *var));
        }
        for (argument, kind) in list.arguments.iter().zip(resolved.parameters.iter()) {
            match argument {
                Argument::Constant(constant) => words.push(session.constant(constant)?),
                Argument::Built(sequence, var) => {
                    built.push((words.len(), sequence.clone(), *var));
                    words.push(0);
                }
            }
            if kind.slots() == 2 {
                words.push(0);
            }
        }
        let has_own_receiver = list.receiver.is_some();
        Ok(Prepared { resolved, words, built, has_own_receiver, selected: Selected::default() })
    }

    /// The class that declares the method as tests name it.
    pub fn class(&self) -> ClassId {
        self.resolved.class
    }

    /// The method.
    pub fn method(&self) -> &Method {
        &self.resolved.method
    }

    /// Makes the call. A constructor gives its object. A built argument that cannot be built gives how
    /// its own sequence ended, and the call is not made: the second part says whether it was.
    pub fn call<M: Mode>(
        &mut self,
        session: &mut Session,
        mode: &mut M,
        receiver: Ref,
        fuel: u64,
    ) -> (Outcome, bool) {
        for (register, sequence, var) in &self.built {
            match session.run(sequence, fuel) {
                Ok((values, None)) => self.words[*register] = values[var.idx()],
                Ok((_, Some(outcome))) => return (outcome, false),
                Err(_) => return (Outcome::Threw(Ref::NULL), false),
            }
        }
        if self.resolved.method.has_receiver() && !self.has_own_receiver {
            self.words[0] = receiver.to_slot();
        }
        let Prepared { resolved, words, selected, .. } = self;
        match calls::call(session, mode, resolved, selected, words, fuel) {
            Ok(outcome) => (outcome, true),
            Err(unmade) => (unmade.outcome(), false),
        }
    }
}

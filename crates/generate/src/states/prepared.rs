//! Argument lists as one machine knows them: everything that does not change between calls is done once.

use std::sync::Arc;

use observe::session::{NotFound, Resolved, Session};
use suite::method::Dispatch;
use suite::method::Method;
use suite::sequence::{Sequence, Var};
use vm::interp::Outcome;
use vm::mode::Mode;
use vm::value::{ClassId, MethodId, Ref, Value};

use crate::arguments::{Argument, ArgumentList};

/// An argument list, ready to be called.
#[derive(Debug)]
pub struct Prepared {
    resolved: Resolved,
    /// Registers of the call; the receiver's and built ones are filled in for each call.
    words: Vec<u64>,
    /// Arguments that are built for each call: their register and how.
    built: Vec<(usize, Arc<Sequence>, Var)>,
    /// The method that ran last for a receiver of this class.
    selected: Option<(ClassId, MethodId)>,
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
        Ok(Prepared { resolved, words, built, selected: None })
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
        if self.resolved.method.is_constructor() {
            let class = self.resolved.class;
            let Ok(object) = session.vm.complete(|vm| vm.new_object(class)) else {
                return (Outcome::Stopped(vm::frame::Stop::OutOfMemory), false);
            };
            self.words[0] = object.to_slot();
            let outcome = session.vm.call(mode, self.resolved.id, &self.words, Some(fuel));
            let outcome = match outcome {
                Outcome::Returned(_) => Outcome::Returned(Value::Ref(object)),
                other => other,
            };
            return (outcome, true);
        }
        let mut target = self.resolved.id;
        if self.resolved.method.has_receiver() {
            self.words[0] = receiver.to_slot();
            let class = session.vm.class_of(receiver);
            target = match self.selected {
                Some((known, selected)) if known == class => selected,
                _ => {
                    let declared = self.resolved.id;
                    let Ok(selected) = session.vm.complete(|vm| vm.select_method(class, declared))
                    else {
                        return (Outcome::Threw(Ref::NULL), false);
                    };
                    self.selected = Some((class, selected));
                    selected
                }
            };
        }
        (session.vm.call(mode, target, &self.words, Some(fuel)), true)
    }
}

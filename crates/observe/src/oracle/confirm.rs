//! Whether a run confirms what a test checks.

use std::sync::Arc;

use suite::method::Method;
use suite::sequence::Var;
use suite::test::{Check, Expected, Subject, Test, Throws};

use super::{End, Observation, Run};

/// What is run to confirm a test: the object that it asks, and what it asks of it.
#[derive(Debug, Clone)]
pub struct Asked {
    receiver: Option<Var>,
    observers: Vec<Arc<Method>>,
}

/// How a run ends, beside what a test demands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// As demanded.
    Alike,
    /// By the exception that is demanded, which says something else.
    OtherMessage,
    /// In another way.
    Other,
}

impl Asked {
    /// What a test asks; one object at most.
    pub fn of(test: &Test) -> Asked {
        let mut asked = Asked { receiver: None, observers: Vec::new() };
        for check in &test.checks {
            if let Subject::Observer { receiver, method } = &check.subject
                && *asked.receiver.get_or_insert(*receiver) == *receiver
            {
                asked.observers.push(method.clone());
            }
        }
        asked
    }

    /// What is asked of the object.
    pub fn observers(&self) -> &[Arc<Method>] {
        &self.observers
    }

    /// A run of the test.
    pub fn run<'a>(&'a self, test: &'a Test, fuel: u64) -> Run<'a> {
        let Asked { receiver, observers } = self;
        Run { sequence: &test.sequence, observers, receiver: *receiver, change: None, fuel }
    }

    /// Whether a run confirms a check.
    pub fn is_confirmed(&self, check: &Check, seen: &Observation) -> bool {
        let said: Option<&Expected> = match &check.subject {
            Subject::Result(var) => seen.results.get(var.idx()).and_then(Option::as_ref),
            Subject::Observer { method, .. } => {
                match self.observers.iter().position(|known| known == method) {
                    Some(at) => seen.observers.get(at).and_then(Option::as_ref),
                    // Nobody asked.
                    None => return true,
                }
            }
        };
        said.and_then(|said| said.common(&check.expected)).as_ref() == Some(&check.expected)
    }

    /// Whether a run confirms a whole test.
    pub fn confirms(&self, test: &Test, seen: &Observation) -> bool {
        ending(test.throws.as_ref(), seen) == Ending::Alike
            && test.checks.iter().all(|check| self.is_confirmed(check, seen))
    }
}

/// How a run ends, where a test demands this exception or none.
pub fn ending(throws: Option<&Throws>, seen: &Observation) -> Ending {
    match (throws, &seen.end) {
        (None, None) => Ending::Alike,
        (Some(throws), Some(End::Threw { class, message })) if throws.class == *class => {
            if throws.message.is_some() && throws.message != *message {
                Ending::OtherMessage
            } else {
                Ending::Alike
            }
        }
        _ => Ending::Other,
    }
}

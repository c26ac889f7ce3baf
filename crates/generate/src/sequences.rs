//! All sequences of calls up to a length, as makers of suites do that ignore states (Jtest's way; with
//! length one, JCrasher's).
//!
//! Every sequence is a test. What is of interest here are its method executions under a technique: which
//! call on which entry state. They are numbered, so that a suite can be reduced without running it
//! again. A sequence ends at the first call that throws; it is not continued.

pub mod mutants;

use observe::coverage::Probe;
use observe::session::{NotFound, Session};
use observe::state::fingerprint::Fingerprint;
use rustc_hash::FxHashMap;
use vm::interp::Outcome;
use vm::mode::{Mode, Plain};
use vm::value::Ref;

use crate::states::Job;
use crate::states::table::{ListId, StateId, StateTable};
use crate::states::worker::Worker;

/// A test: a maker and calls on what it makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SequenceTest {
    /// The calls, the maker first.
    pub lists: Vec<ListId>,
    /// Its method executions, by number, ascending, each once.
    pub covered: Vec<u32>,
    /// Number of its method executions, each time counted.
    pub n_executions: usize,
    /// The exception with which it ends, by number.
    pub threw: Option<u32>,
}

/// All tests of a length, shorter ones first.
#[derive(Debug, Default)]
pub struct Sequences {
    /// The tests.
    pub tests: Vec<SequenceTest>,
    /// Distinct method executions.
    pub n_executions: usize,
    /// Distinct states of objects.
    pub n_states: usize,
    /// Exceptions: class, and the method that a test called.
    pub exceptions: Vec<(String, String)>,
    /// Whether all of them are there.
    pub is_complete: bool,
}

/// Numbers of what was met.
#[derive(Default)]
struct Numbers {
    executions: FxHashMap<(Fingerprint, ListId), u32>,
    states: FxHashMap<Fingerprint, u32>,
    exceptions: FxHashMap<(String, String), u32>,
}

/// A test in the making.
struct Making {
    lists: Vec<ListId>,
    executions: Vec<u32>,
}

/// Makes all sequences with at most `length` calls after the maker, `most` at most.
pub fn all(job: &Job, session: Session, length: usize, most: usize) -> Result<Sequences, NotFound> {
    let mut worker = Worker::new(job, session)?;
    let mut found = Sequences { is_complete: true, ..Sequences::default() };
    let mut numbers = Numbers::default();
    for wanted in 0..=length {
        let mut making = Making { lists: Vec::new(), executions: Vec::new() };
        let world = StateTable::default().key(StateId::WORLD);
        extend(&mut worker, &mut found, &mut numbers, &mut making, Ref::NULL, world, wanted, most);
    }
    found.n_executions = numbers.executions.len();
    found.n_states = numbers.states.len();
    let mut exceptions: Vec<_> = numbers.exceptions.into_iter().collect();
    exceptions.sort_by_key(|(_, number)| *number);
    found.exceptions = exceptions.into_iter().map(|(exception, _)| exception).collect();
    Ok(found)
}

#[expect(clippy::too_many_arguments, reason = "one step of one recursion")]
fn extend(
    worker: &mut Worker<'_>,
    found: &mut Sequences,
    numbers: &mut Numbers,
    making: &mut Making,
    receiver: Ref,
    key: Fingerprint,
    left: usize,
    most: usize,
) {
    let before = worker.before(receiver);
    let mark = worker.mark();
    for idx in worker.lists_for(receiver) {
        if found.tests.len() >= most {
            found.is_complete = false;
            break;
        }
        let list = ListId(u32::try_from(idx).unwrap_or(u32::MAX));
        let (outcome, was_called) = worker.call_in(&mut Plain, idx, receiver);
        if was_called {
            let next = u32::try_from(numbers.executions.len()).unwrap_or(u32::MAX);
            making.lists.push(list);
            making.executions.push(*numbers.executions.entry((key, list)).or_insert(next));
            let object = match &outcome {
                Outcome::Returned(_) if receiver.is_null() => worker.object_under_test(&outcome),
                Outcome::Returned(_) => Some(receiver),
                _ => None,
            };
            let threw = match outcome {
                Outcome::Threw(exception) => {
                    Some(exception_number(worker, numbers, idx, exception))
                }
                _ => None,
            };
            // One that throws earlier was there as a shorter test.
            if left == 0 {
                add(found, making, threw);
            }
            if let Some(object) = object {
                let after = worker.key(object, key, before, idx);
                let n_states = u32::try_from(numbers.states.len()).unwrap_or(u32::MAX);
                numbers.states.entry(after).or_insert(n_states);
                if left > 0 {
                    extend(worker, found, numbers, making, object, after, left - 1, most);
                }
            }
            making.lists.pop();
            making.executions.pop();
        }
        worker.back_to(&mark);
    }
    worker.back(mark);
}

fn add(found: &mut Sequences, making: &Making, threw: Option<u32>) {
    let mut covered = making.executions.clone();
    covered.sort_unstable();
    covered.dedup();
    let n_executions = making.executions.len();
    found.tests.push(SequenceTest { lists: making.lists.clone(), covered, n_executions, threw });
}

fn exception_number(worker: &Worker<'_>, numbers: &mut Numbers, idx: usize, exception: Ref) -> u32 {
    let next = u32::try_from(numbers.exceptions.len()).unwrap_or(u32::MAX);
    *numbers.exceptions.entry(worker.describe_exception(idx, exception)).or_insert(next)
}

/// Runs tests and gives what a probe saw, and the machine on which it saw it.
pub fn watch(
    job: &Job,
    session: Session,
    probe: &mut Probe,
    tests: &[&SequenceTest],
) -> Result<Session, NotFound> {
    let mut worker = Worker::new(job, session)?;
    for test in tests {
        let mark = worker.mark();
        repeat(&mut worker, probe, &test.lists);
        worker.back(mark);
    }
    Ok(worker.into_session())
}

fn repeat<M: Mode>(worker: &mut Worker<'_>, mode: &mut M, lists: &[ListId]) {
    let mut receiver = Ref::NULL;
    for list in lists {
        let (outcome, _) = worker.call_in(mode, list.idx(), receiver);
        if receiver.is_null() {
            match worker.object_under_test(&outcome) {
                Some(object) => receiver = object,
                None => return,
            }
        }
    }
}

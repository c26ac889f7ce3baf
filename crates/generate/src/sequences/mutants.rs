//! Which mutants sequences of calls notice: by what calls return, as far as it can be written down, and what
//! they throw; or by that and the states that calls leave the object in, with the mutant in place and without.
//!
//! Only the second way is bound to keep what is noticed when redundant sequences go: a call with a mutant
//! inside may leave a wrong state and return the right value, and what comes later may be redundant
//! without the mutant.
//!
//! Neighbouring sequences share most of their calls; going from one to the next undoes the calls that
//! they do not share and makes the others, so a mutant costs little more than one call per sequence.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use classfile::ClassFile;
use observe::mutation;
use observe::oracle;
use observe::session::{NotFound, Session};
use rustc_hash::FxHasher;
use vm::interp::Outcome;
use vm::mode::Plain;
use vm::travel::Mark;
use vm::value::Ref;

use super::SequenceTest;
use crate::states::Job;
use crate::states::table::ListId;
use crate::states::worker::Worker;

/// How many mutants there are, and how many of them each suite notices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Killed {
    /// Mutants that are valid code.
    pub n_mutants: usize,
    /// By suite: noticed by results alone.
    pub by_results: Vec<usize>,
    /// By suite: noticed by results and states.
    pub by_states: Vec<usize>,
}

/// What the calls of a test told: results alone, and with states.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Told {
    results: u64,
    states: u64,
}

/// Judges suites that are parts of `tests`: each says by position which tests it has. `files` are the
/// class files of the classes under test and of those inside them.
pub fn kill(
    job: &Job,
    mut session: Session,
    files: &[Arc<ClassFile>],
    tests: &[SequenceTest],
    suites: &[Vec<bool>],
) -> Result<Killed, NotFound> {
    let mut substitutes = Vec::new();
    for file in files {
        let class = session.class(&classfile::mutf8::display(file.name()))?;
        for mutant in mutation::mutants(file) {
            // What is no valid code is not counted.
            substitutes.extend(mutation::ready(&mut session.vm, class, file, &mutant).ok());
        }
    }
    let mut worker = Worker::new(job, session)?;
    let mut expected: Vec<Told> = Vec::with_capacity(tests.len());
    run(&mut worker, tests, &mut |_, told| {
        expected.push(told);
        true
    });
    let mut killed = Killed {
        n_mutants: substitutes.len(),
        by_results: vec![0; suites.len()],
        by_states: vec![0; suites.len()],
    };
    for substitute in substitutes {
        let mark = worker.mark();
        let mut by_results = vec![false; suites.len()];
        let mut by_states = vec![false; suites.len()];
        if worker.substitute(substitute) {
            run(&mut worker, tests, &mut |test, told| {
                for idx in (0..suites.len()).filter(|&idx| suites[idx][test]) {
                    by_results[idx] |= told.results != expected[test].results;
                    by_states[idx] |= told.states != expected[test].states;
                }
                by_results.contains(&false)
            });
        }
        worker.back(mark);
        let add = |counts: &mut [usize], found: &[bool]| {
            counts.iter_mut().zip(found).for_each(|(count, &is)| *count += usize::from(is));
        };
        add(&mut killed.by_results, &by_results);
        add(&mut killed.by_states, &by_states);
    }
    Ok(killed)
}

/// A call on the way.
struct Step {
    list: ListId,
    mark: Mark,
    /// The object under test after it; null where there is none and nothing follows.
    receiver: Ref,
    /// What all calls up to here have told.
    told: Told,
}

/// Runs tests one after the other; `hear` is told of each what its calls told, and says whether to go on.
fn run(worker: &mut Worker<'_>, tests: &[SequenceTest], hear: &mut dyn FnMut(usize, Told) -> bool) {
    let mut way: Vec<Step> = Vec::new();
    for (idx, test) in tests.iter().enumerate() {
        let shared = way.iter().zip(&test.lists).take_while(|(step, list)| step.list == **list);
        let n_shared = shared.count();
        for step in way.drain(n_shared..).rev() {
            worker.back(step.mark);
        }
        for &list in &test.lists[n_shared..] {
            let start = (Ref::NULL, Told::default());
            let (receiver, before) = way.last().map_or(start, |step| (step.receiver, step.told));
            let mark = worker.mark();
            let mut step = Step { list, mark, receiver: Ref::NULL, told: before };
            // Nothing follows on a call that threw.
            if way.is_empty() || !receiver.is_null() {
                let (outcome, _) = worker.call_in(&mut Plain, list.idx(), receiver);
                step.receiver = match &outcome {
                    Outcome::Returned(_) if receiver.is_null() => {
                        worker.object_under_test(&outcome).unwrap_or(Ref::NULL)
                    }
                    Outcome::Returned(_) => receiver,
                    Outcome::Threw(_) | Outcome::Stopped(_) => Ref::NULL,
                };
                step.told.results = told(worker, before.results, list, &outcome);
                let after = step.receiver.some().map(|object| worker.whole(object));
                let mut hasher = FxHasher::default();
                (before.states, step.told.results, after).hash(&mut hasher);
                step.told.states = hasher.finish();
            }
            way.push(step);
        }
        if !hear(idx, way.last().map_or(Told::default(), |step| step.told)) {
            break;
        }
    }
    for step in way.into_iter().rev() {
        worker.back(step.mark);
    }
}

/// What a test could assert of a call, and of those before it.
fn told(worker: &Worker<'_>, before: u64, list: ListId, outcome: &Outcome) -> u64 {
    let mut hasher = FxHasher::default();
    before.hash(&mut hasher);
    match outcome {
        Outcome::Returned(value) => {
            let method = worker.method(list.idx());
            let constant = oracle::constant(worker.vm(), &method.returns, value.to_slot());
            if !method.is_constructor() {
                constant.hash(&mut hasher);
            }
        }
        Outcome::Threw(exception) => {
            worker.describe_exception(list.idx(), *exception).hash(&mut hasher);
        }
        Outcome::Stopped(_) => "stopped".hash(&mut hasher),
    }
    hasher.finish()
}

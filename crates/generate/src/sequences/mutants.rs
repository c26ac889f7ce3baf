//! Which mutants sequences of calls notice: what calls return, as far as it can be written down, and what
//! they throw, with the mutant in place and without.
//!
//! Neighbouring sequences share most of their calls; going from one to the next undoes the calls that
//! they do not share and makes the others, so a mutant costs little more than one call per sequence.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use classfile::{ClassBytes, ClassFile};
use observe::mutation::{self, Mutant};
use observe::oracle;
use observe::session::{NotFound, Session};
use rustc_hash::FxHasher;
use vm::interp::Outcome;
use vm::mode::Plain;
use vm::substitute::Substitute;
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
    /// By suite.
    pub by_suite: Vec<usize>,
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
        let class = classfile::mutf8::display(file.name());
        session.class(&class)?;
        for mutant in mutation::mutants(file) {
            substitutes.extend(prepare(&mut session, file, &mutant)?);
        }
    }
    let mut worker = Worker::new(job, session)?;
    let mut expected = Vec::with_capacity(tests.len());
    run(&mut worker, tests, &mut |_, told| {
        expected.push(told);
        true
    });
    let mut killed = Killed { n_mutants: substitutes.len(), by_suite: vec![0; suites.len()] };
    for substitute in substitutes {
        let mark = worker.mark();
        let mut is_killed = vec![false; suites.len()];
        if worker.substitute(substitute) {
            run(&mut worker, tests, &mut |test, told| {
                if told != expected[test] {
                    for (suite, is_killed) in suites.iter().zip(&mut is_killed) {
                        *is_killed |= suite[test];
                    }
                }
                !is_killed.iter().all(|&is_killed| is_killed)
            });
        }
        worker.back(mark);
        for (count, is_killed) in killed.by_suite.iter_mut().zip(is_killed) {
            *count += usize::from(is_killed);
        }
    }
    Ok(killed)
}

/// Makes a mutant ready; `None` where it is no valid code.
fn prepare(
    session: &mut Session,
    file: &ClassFile,
    mutant: &Mutant,
) -> Result<Option<Substitute>, NotFound> {
    let Some(mutated) = mutation::apply(file, mutant) else { return Ok(None) };
    let bytes = ClassBytes::from_vec(mutated.class_file.clone());
    let Ok(parsed) = ClassFile::parse(bytes) else { return Ok(None) };
    let class = session.class(&mutant.class)?;
    let vm = &mut session.vm;
    let Some(method) = vm.class(class).methods.get(mutant.slot).map(|method| method.id) else {
        return Ok(None);
    };
    Ok(vm.prepare_substitute(method, &parsed, &|bci| mutated.origin(bci)).ok())
}

/// A call on the way.
struct Step {
    list: ListId,
    mark: Mark,
    /// The object under test after it; null where there is none and nothing follows.
    receiver: Ref,
    /// What all calls up to here have told.
    told: u64,
}

/// Runs tests one after the other; `hear` is told of each what its calls told, and says whether to go on.
fn run(worker: &mut Worker<'_>, tests: &[SequenceTest], hear: &mut dyn FnMut(usize, u64) -> bool) {
    let mut way: Vec<Step> = Vec::new();
    for (idx, test) in tests.iter().enumerate() {
        let shared = way.iter().zip(&test.lists).take_while(|(step, list)| step.list == **list);
        let n_shared = shared.count();
        for step in way.drain(n_shared..).rev() {
            worker.back(step.mark);
        }
        for &list in &test.lists[n_shared..] {
            let (receiver, before) = way.last().map_or((Ref::NULL, 0), |it| (it.receiver, it.told));
            let mark = worker.mark();
            let mut step = Step { list, mark, receiver: Ref::NULL, told: before };
            // Nothing follows on a call that threw.
            if way.is_empty() || !receiver.is_null() {
                let (outcome, _) = worker.call_in(&mut Plain, list.idx(), receiver);
                step.told = told(worker, before, list, &outcome);
                step.receiver = match &outcome {
                    Outcome::Returned(_) if receiver.is_null() => {
                        worker.object_under_test(&outcome).unwrap_or(Ref::NULL)
                    }
                    Outcome::Returned(_) => receiver,
                    Outcome::Threw(_) | Outcome::Stopped(_) => Ref::NULL,
                };
            }
            way.push(step);
        }
        if !hear(idx, way.last().map_or(0, |step| step.told)) {
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

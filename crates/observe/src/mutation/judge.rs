//! Judges mutants: runs the suite once more, test by test, and before each test tries how it would end
//! with each mutant that the test reaches, by a mark, another body for the method, and a rollback.
//!
//! The verdicts are those of whole runs with the mutant from the start. Up to the first time that a
//! mutant is reached, both worlds are the same. A test with the mutant that fails, kills it. If the test
//! passes and leaves the static state of the user's classes as the unmutated test does, both worlds are
//! the same again for all tests that follow; if not, or if what was reached lasts longer than a
//! test by its nature, the trial goes on to the end of the suite. What is left out: state that tests
//! hide from each other in the JDK's or in third parties' static fields.

use std::sync::Arc;

use classfile::{ClassBytes, ClassFile};
use rustc_hash::FxHashMap;
use vm::frame::Stop;
use vm::mode::Plain;
use vm::substitute::{NoSubstitute, Substitute};
use vm::value::{ClassId, Kind, Ref};
use vm::vm::Vm;

use super::survey::{Stretch, Survey, load_all};
use super::{Mutant, SurveyOptions, apply};
use crate::junit::{Plan, RunError, Step, Stepper, Tried};
use crate::state::canonical_heap::{CanonicalHeap, Root};
use crate::state::fingerprint::Fingerprint;
use crate::state::mask::Mask;

/// What became of a mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// No test runs its instruction.
    NotCovered,
    /// Tests run it, and all pass.
    Survived,
    /// Tests notice it.
    Killed,
    /// It was no valid code, and is not counted.
    Invalid(String),
    /// It led to something that the machine does not support, or could not be tried.
    Undecided(String),
}

/// What is known of one mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// What became of it.
    pub fate: Fate,
    /// Ids of the tests (or what JUnit calls a class of them) that notice it: the first, or all if the
    /// whole matrix is wanted.
    pub killers: Vec<String>,
    /// How the first of them noticed, for people.
    pub reason: Option<String>,
    /// How often a test was run against it.
    pub n_trials: usize,
}

/// How to judge.
#[derive(Debug, Clone)]
pub struct Judging {
    /// Try all tests that reach a mutant, not only up to the first that notices it.
    pub whole_matrix: bool,
    /// A trial may use so many times the fuel of the unmutated tests…
    pub fuel_factor: u64,
    /// … and so much more.
    pub fuel_extra: u64,
}

impl Default for Judging {
    fn default() -> Judging {
        Judging { whole_matrix: false, fuel_factor: 10, fuel_extra: 1_000_000 }
    }
}

/// Judges the mutants at these positions on a machine of the kind that the survey was made on; verdicts
/// come in the order of `mine`. `step` is called after each test
/// and says whether to go on.
#[expect(clippy::too_many_arguments, reason = "the machine, the suite, the mutants and the rules")]
pub fn judge(
    vm: &mut Vm,
    plan: &Plan,
    options: &SurveyOptions,
    survey: &Survey,
    mutants: &[Mutant],
    mine: &[usize],
    judging: &Judging,
    step: &dyn Fn() -> bool,
) -> Result<Vec<Verdict>, RunError> {
    let user_classes = load_all(vm, &options.user_classes)?;
    let mut cases = Vec::with_capacity(mine.len());
    for &idx in mine {
        cases.push(prepare(vm, options, &mutants[idx]));
    }
    let by_mutant: FxHashMap<usize, usize> =
        mine.iter().enumerate().map(|(case, &idx)| (idx, case)).collect();
    let mut court = Court {
        stepper: Stepper::start(vm, plan, Box::new(|_| {}))?,
        survey,
        judging,
        cases,
        by_mutant,
        statics: Statics { heap: CanonicalHeap::new(Mask::standard()), user_classes },
    };
    for nth in 0..survey.tests.len() {
        court.sit(nth)?;
        if !step() {
            court.cases.iter_mut().for_each(Case::interrupt);
            break;
        }
        if !judging.whole_matrix && court.cases.iter().all(|case| case.is_closed) {
            break;
        }
    }
    court.stepper.finish();
    Ok(court.cases.into_iter().map(Case::verdict).collect())
}

struct Court<'v, 's> {
    stepper: Stepper<'v>,
    survey: &'s Survey,
    judging: &'s Judging,
    cases: Vec<Case>,
    /// Positions in `cases`, by position in the list of mutants.
    by_mutant: FxHashMap<usize, usize>,
    statics: Statics,
}

struct Case {
    substitute: Option<Substitute>,
    verdict: Verdict,
    /// Nothing more can be learnt.
    is_closed: bool,
}

impl Case {
    /// Nothing more will be known.
    fn interrupt(&mut self) {
        if !self.is_closed && matches!(self.verdict.fate, Fate::NotCovered | Fate::Survived) {
            self.verdict.fate = Fate::Undecided("not tried: interrupted".to_owned());
        }
    }

    fn verdict(self) -> Verdict {
        self.verdict
    }
}

/// From where a trial starts: before a test was announced, or after.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    Before,
    Within,
}

impl Court<'_, '_> {
    /// Goes through one test: first with all mutants that it reaches, then for good.
    fn sit(&mut self, nth: usize) -> Result<(), RunError> {
        let survey = self.survey;
        let stretch = &survey.tests[nth];
        self.hear(nth, From::Before);
        loop {
            let (step, _) = self.stepper.step(&mut Plain)?;
            match step {
                Step::Before { key, .. } if key == stretch.key => self.hear(nth, From::Within),
                Step::Behind { id, .. } if id == stretch.id => return Ok(()),
                _ => {
                    let reason =
                        format!("the suite is not the same in every run: it came to {step:?}");
                    return Err(RunError { reason });
                }
            }
        }
    }

    /// Tries the mutants that this part of a test reaches first.
    fn hear(&mut self, nth: usize, from: From) {
        let survey = self.survey;
        let stretch = &survey.tests[nth];
        let (reached, lasts): (Vec<usize>, &[usize]) = match from {
            From::Before => {
                (merged(&stretch.before.passing, &stretch.before.lasting), &stretch.before.lasting)
            }
            From::Within => {
                let mut reached = merged(&stretch.within.passing, &stretch.within.lasting);
                let earlier = merged(&stretch.before.passing, &stretch.before.lasting);
                reached.retain(|idx| earlier.binary_search(idx).is_err());
                (reached, &stretch.within.lasting)
            }
        };
        // What lasts may be reached lastingly in the second part, and be heard in the first.
        let also = &stretch.within.lasting;
        let mut reference = None;
        for idx in reached {
            let Some(&case) = self.by_mutant.get(&idx) else { continue };
            if self.cases[case].is_closed {
                continue;
            }
            let lasts = lasts.binary_search(&idx).is_ok() || also.binary_search(&idx).is_ok();
            self.try_mutant(case, nth, from, lasts, &mut reference);
        }
    }

    fn try_mutant(
        &mut self,
        case: usize,
        nth: usize,
        from: From,
        lasts: bool,
        reference: &mut Option<Fingerprint>,
    ) {
        let Some(substitute) = self.cases[case].substitute else { return };
        let n_classes = self.stepper.vm().classes.len();
        let mark = self.stepper.vm().mark();
        if !self.stepper.vm().substitute(substitute) {
            self.stepper.vm().rollback(mark);
            self.put(case, nth, Err("its method was already running".to_owned()));
            return;
        }
        self.cases[case].verdict.n_trials += 1;
        let mut tried = self.attempt(nth, from);
        let new = self.stepper.library_classes_since(n_classes);
        let mut goes_on = false;
        if tried == Tried::Passed {
            goes_on = lasts || self.shares_object(nth) || {
                let after = self.statics.fingerprint(self.stepper.vm());
                // The same stretch without the mutant, under a mark of its own.
                self.stepper.end_trial();
                self.stepper.vm().rollback_to(&mark);
                let unmutated = match *reference {
                    Some(known) => known,
                    None => {
                        self.attempt(nth, from);
                        let known = self.statics.fingerprint(self.stepper.vm());
                        self.stepper.end_trial();
                        self.stepper.vm().rollback_to(&mark);
                        *reference = Some(known);
                        known
                    }
                };
                let differs = after != unmutated;
                if differs {
                    // Once more, since the state behind the test is gone.
                    self.stepper.vm().substitute(substitute);
                    self.attempt(nth, from);
                }
                differs
            };
            if goes_on {
                let fuel = self.fuel(&self.survey.tests[nth + 1..]);
                tried = self.stepper.attempt(&mut Plain, None, fuel);
            }
        }
        self.stepper.end_trial();
        self.stepper.vm().rollback(mark);
        // Every trial would load them anew: those behind a failure, above all.
        self.stepper.keep_loaded(&new);
        self.conclude(case, nth, tried, goes_on);
    }

    /// Runs to the end of the test under the mark that is open.
    fn attempt(&mut self, nth: usize, from: From) -> Tried {
        let survey = self.survey;
        let stretch = &survey.tests[nth];
        self.stepper.begin_trial(&survey.failed);
        let fuel = match from {
            From::Before => self.fuel(std::slice::from_ref(stretch)),
            From::Within => self.limit(stretch.fuel_within),
        };
        self.stepper.attempt(&mut Plain, Some(&stretch.key), fuel)
    }

    fn fuel(&self, stretches: &[Stretch]) -> u64 {
        self.limit(stretches.iter().map(|stretch| stretch.fuel_before + stretch.fuel_within).sum())
    }

    fn limit(&self, unmutated: u64) -> u64 {
        unmutated.saturating_mul(self.judging.fuel_factor).saturating_add(self.judging.fuel_extra)
    }

    fn shares_object(&self, nth: usize) -> bool {
        let report = &self.survey.report;
        let id = &self.survey.tests[nth].id;
        let Some(node) = report.nodes.iter().position(|node| node.id == *id) else { return false };
        report.classes_above(node).any(|class| self.survey.shares_objects.contains(class))
    }

    fn conclude(&mut self, case: usize, nth: usize, tried: Tried, went_on: bool) {
        let judged = match tried {
            Tried::Passed | Tried::End => Ok(None),
            // So does the suite without the mutant.
            Tried::Stopped(stop) if went_on && self.survey.report.stop.as_ref() == Some(&stop) => {
                Ok(None)
            }
            Tried::Failed(key, failure) => {
                let message = failure
                    .message
                    .as_deref()
                    .unwrap_or_default()
                    .lines()
                    .next()
                    .unwrap_or_default();
                let message = without_hashes(message);
                let reason = if message.is_empty() {
                    failure.class.clone()
                } else {
                    format!("{}: {message}", failure.class)
                };
                Ok(Some((self.id_of(nth, &key), reason)))
            }
            Tried::Stopped(Stop::Unsupported(what)) => Err(what),
            Tried::Stopped(stop) => Ok(Some((self.survey.tests[nth].id.clone(), shown(&stop)))),
        };
        self.put(case, nth, judged);
        // A trial to the end of the suite has seen everything.
        let case = &mut self.cases[case];
        case.is_closed |= went_on;
    }

    /// The id of what failed: a test at or behind this one, or else what JUnit calls it.
    fn id_of(&self, nth: usize, key: &str) -> String {
        let later = self.survey.tests[nth..].iter().find(|stretch| stretch.key == key);
        later.map_or_else(|| key.to_owned(), |stretch| stretch.id.clone())
    }

    fn put(&mut self, case: usize, _: usize, judged: Result<Option<(String, String)>, String>) {
        let case = &mut self.cases[case];
        let verdict = &mut case.verdict;
        match judged {
            Ok(Some((killer, reason))) => {
                verdict.fate = Fate::Killed;
                if !verdict.killers.contains(&killer) {
                    verdict.killers.push(killer);
                }
                verdict.reason.get_or_insert(reason);
                case.is_closed |= !self.judging.whole_matrix;
            }
            Ok(None) if verdict.fate == Fate::NotCovered => verdict.fate = Fate::Survived,
            Err(reason) if matches!(verdict.fate, Fate::NotCovered | Fate::Survived) => {
                verdict.fate = Fate::Undecided(reason);
            }
            Ok(None) | Err(_) => {}
        }
    }
}

/// The mutant's body for its method, or why there is none.
fn prepare(vm: &mut Vm, options: &SurveyOptions, mutant: &Mutant) -> Case {
    let refuse = |reason: String| Case {
        substitute: None,
        verdict: Verdict {
            fate: Fate::Invalid(reason),
            killers: Vec::new(),
            reason: None,
            n_trials: 0,
        },
        is_closed: true,
    };
    let name = |file: &Arc<ClassFile>| classfile::mutf8::display(file.name());
    let Some(file) = options.files.iter().find(|file| name(file) == mutant.class) else {
        return refuse("its class is not there".to_owned());
    };
    let Some(mutated) = apply(file, mutant) else {
        return refuse("its method is too long".to_owned());
    };
    let parsed = match ClassFile::parse(ClassBytes::from_vec(mutated.class_file.clone())) {
        Ok(parsed) => parsed,
        Err(error) => return refuse(error.to_string()),
    };
    let loaded = match load_all(vm, std::slice::from_ref(&mutant.class)) {
        Ok(loaded) => loaded.first().copied(),
        Err(error) => return refuse(error.to_string()),
    };
    let method =
        loaded.and_then(|class| vm.class(class).methods.get(mutant.slot).map(|method| method.id));
    let Some(method) = method else { return refuse("its class cannot be loaded".to_owned()) };
    match vm.prepare_substitute(method, &parsed, &|bci| mutated.origin(bci)) {
        Ok(substitute) => Case {
            substitute: Some(substitute),
            verdict: Verdict {
                fate: Fate::NotCovered,
                killers: Vec::new(),
                reason: None,
                n_trials: 0,
            },
            is_closed: false,
        },
        Err(NoSubstitute::Invalid(reason)) => refuse(reason),
        Err(NoSubstitute::Unfinished(unfinished)) => refuse(format!("{unfinished:?}")),
    }
}

/// The static state of the user's classes.
struct Statics {
    heap: CanonicalHeap,
    user_classes: Vec<ClassId>,
}

impl Statics {
    fn fingerprint(&mut self, vm: &Vm) -> Fingerprint {
        let mut roots = Vec::new();
        for &class in &self.user_classes {
            if vm.classes[class.idx()].initialised_at.is_none() {
                continue;
            }
            let mirror = vm.mirror(class);
            for field in
                vm.class(class).fields.iter().filter(|field| field.is_static() && !field.injected)
            {
                roots.push(match field.kind {
                    Kind::Ref => Root::Object(vm.heap.load_ref(mirror, field.offset)),
                    kind => Root::Primitive(kind, load(vm, mirror, field.offset, kind)),
                });
            }
        }
        self.heap.fingerprint(vm, &roots)
    }
}

/// A primitive field in the form of a register.
fn load(vm: &Vm, mirror: Ref, offset: u32, kind: Kind) -> u64 {
    match kind {
        Kind::Long | Kind::Double => vm.heap.load_u64(mirror, offset),
        Kind::Boolean | Kind::Byte => u64::from(vm.heap.bytes(mirror, offset, 1)[0]),
        Kind::Short | Kind::Char => {
            let bytes = vm.heap.bytes(mirror, offset, 2);
            u64::from(u16::from_le_bytes([bytes[0], bytes[1]]))
        }
        _ => u64::from(vm.heap.load_u32(mirror, offset)),
    }
}

fn merged(a: &[usize], b: &[usize]) -> Vec<usize> {
    let mut all = [a, b].concat();
    all.sort_unstable();
    all.dedup();
    all
}

/// A text without the identity hashes that `Object.toString` shows, which mean nothing.
fn without_hashes(text: &str) -> String {
    let mut parts = text.split('@');
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|digit: char| digit.is_ascii_hexdigit());
        kept.push('@');
        kept.push_str(if rest.len() < part.len() { rest } else { part });
    }
    kept
}

fn shown(stop: &Stop) -> String {
    match stop {
        Stop::OutOfFuel => "ran much longer".to_owned(),
        Stop::OutOfMemory => "needed too much memory".to_owned(),
        Stop::Exit(code) => format!("ended the program with code {code}"),
        Stop::Deadlocked(_) => "waited for ever".to_owned(),
        Stop::Unsupported(what) => what.clone(),
    }
}

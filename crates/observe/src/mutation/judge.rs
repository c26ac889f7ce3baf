//! Judges mutants: runs the suite once more, test by test, and before each test tries how it would end
//! with each mutant that the test reaches, by a mark, another body for the method, and a rollback.
//!
//! The verdicts are those of whole runs with the mutant from the start. Up to the first time that a
//! mutant is reached, both worlds are the same. A test with the mutant that fails, kills it. If the test
//! passes and leaves the static state of the user's classes as the unmutated test does, both worlds are
//! the same again for all tests that follow; if not, the trial goes on to the end of the suite. Where
//! what was reached lasts longer than a test by its nature (`@BeforeAll`, static initialisers, shared
//! test objects), the trial first goes on to the end of the class of tests. What is left out: state
//! that tests hide from each other in the JDK's or in third parties' static fields.
//!
//! Most trials pass, and most tests can be called without JUnit around them, which is much shorter
//! (`direct`); only what does not pass like that is run through JUnit.

use std::collections::BTreeMap;
use std::sync::Arc;

use classfile::ClassFile;
use rustc_hash::FxHashMap;
use vm::frame::Stop;
use vm::mode::Plain;
use vm::substitute::Substitute;
use vm::value::ClassId;
use vm::vm::Vm;

use super::direct::{Callable, by_name};
use super::statics::Statics;
use super::survey::{Stretch, Survey, load_all};
use super::trial::Trial;
use super::{Mutant, SurveyOptions, ready};
use crate::junit::{Plan, RunError, Step, Stepper, Tried};

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
    /// … and so much more, so that a mutant which is only slow is not taken for an endless loop. A real
    /// JVM needs some tenths of a second for it.
    pub fuel_extra: u64,
    /// Run every trial through JUnit, also where a direct call of the test tells as much: slower, with the
    /// same verdicts.
    pub only_through_junit: bool,
}

impl Default for Judging {
    fn default() -> Judging {
        Judging {
            whole_matrix: false,
            fuel_factor: 10,
            fuel_extra: 40_000_000,
            only_through_junit: false,
        }
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
    let names = by_name(vm, &user_classes);
    let mut court = Court {
        stepper: Stepper::start(vm, plan, Box::new(|_| {}))?,
        survey,
        judging,
        cases,
        by_mutant,
        user_classes: names,
        statics: Statics::new(user_classes),
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
    user_classes: BTreeMap<String, ClassId>,
    statics: Statics,
}

struct Case {
    substitute: Option<Substitute>,
    verdict: Verdict,
    /// Nothing more can be learnt.
    is_closed: bool,
    /// The test that may be tried next.
    next: usize,
}

/// How far a trial went.
#[derive(Clone, Copy)]
struct Reach {
    /// The last test that it went through.
    last: usize,
    /// Whether it saw all that there is to see.
    is_end: bool,
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
        let direct = match &stretch.direct {
            Some(direct) if from == From::Within && !self.judging.only_through_junit => {
                direct.on(self.stepper.vm(), &self.user_classes)
            }
            _ => None,
        };
        for idx in reached {
            let Some(&case) = self.by_mutant.get(&idx) else { continue };
            if self.cases[case].is_closed || nth < self.cases[case].next {
                continue;
            }
            let lasts = lasts.binary_search(&idx).is_ok() || also.binary_search(&idx).is_ok();
            let direct = direct.as_ref().filter(|_| !lasts);
            if direct.is_some_and(|direct| self.passes_directly(case, nth, direct)) {
                self.cases[case].verdict.n_trials += 1;
                self.conclude(case, nth, Tried::Passed, Reach { last: nth, is_end: false });
            } else {
                self.try_mutant(case, nth, from, lasts);
            }
        }
    }

    fn try_mutant(&mut self, case: usize, nth: usize, from: From, lasts: bool) {
        let Some(substitute) = self.cases[case].substitute else { return };
        let n_classes = self.stepper.vm().classes.len();
        let trial = Trial::begin(self.stepper.vm());
        if !self.stepper.vm().substitute(substitute) {
            trial.end(self.stepper.vm());
            self.put(case, nth, Err("its method was already running".to_owned()));
            return;
        }
        self.cases[case].verdict.n_trials += 1;
        let mut tried = self.attempt(nth, from);
        let new = self.stepper.library_classes_since(n_classes);
        let mut reach = Reach { last: nth, is_end: false };
        if tried == Tried::Passed {
            (tried, reach) = self.follow(nth, lasts);
        }
        self.stepper.end_trial();
        trial.end(self.stepper.vm());
        // Every trial would load them anew: those behind a failure, above all.
        self.stepper.keep_loaded(&new);
        self.conclude(case, nth, tried, reach);
    }

    /// Whether a test, called without JUnit, passes with a mutant and leaves what it leaves without it.
    fn passes_directly(&mut self, case: usize, nth: usize, direct: &Callable) -> bool {
        /// Beyond the fuel of the unmutated test: who needs more is given it below JUnit.
        const FUEL_EXTRA: u64 = 200_000;
        let Some(substitute) = self.cases[case].substitute else { return false };
        let stretch = &self.survey.tests[nth];
        let fuel = stretch.fuel_within.saturating_mul(self.judging.fuel_factor);
        let vm = self.stepper.vm();
        let n_classes = vm.classes.len();
        let trial = Trial::begin(vm);
        let passes = vm.substitute(substitute)
            && direct.passes(vm, &mut Plain, fuel.saturating_add(FUEL_EXTRA))
            && self.statics.fingerprint(vm) == stretch.state;
        let new = self.stepper.library_classes_since(n_classes);
        trial.end(self.stepper.vm());
        self.stepper.keep_loaded(&new);
        passes
    }

    /// Goes on behind a test that passed with a mutant, until both worlds are the same again: past all
    /// tests that share something with it, and past all that feel a difference in static state.
    fn follow(&mut self, nth: usize, lasts: bool) -> (Tried, Reach) {
        let survey = self.survey;
        let mut reach = Reach { last: nth, is_end: false };
        if lasts || self.shares_object(nth) {
            let class = &survey.tests[nth].class;
            for (idx, stretch) in survey.tests.iter().enumerate().skip(nth + 1) {
                // Before the first test JUnit may do things for all classes.
                if stretch.class != *class && nth > 0 {
                    break;
                }
                let fuel = self.fuel(std::slice::from_ref(stretch));
                match self.stepper.attempt(&mut Plain, Some(&stretch.key), fuel) {
                    Tried::Passed => reach.last = idx,
                    tried => return (tried, Reach { is_end: true, ..reach }),
                }
            }
        }
        let state = self.statics.fingerprint(self.stepper.vm());
        if survey.tests[reach.last].state == state {
            return (Tried::Passed, reach);
        }
        let fuel = self.fuel(&survey.tests[reach.last + 1..]);
        let tried = self.stepper.attempt(&mut Plain, None, fuel);
        (tried, Reach { is_end: true, ..reach })
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

    fn conclude(&mut self, case: usize, nth: usize, tried: Tried, reach: Reach) {
        let judged = match tried {
            Tried::Passed | Tried::End => Ok(None),
            // So does the suite without the mutant.
            Tried::Stopped(stop)
                if reach.is_end && self.survey.report.stop.as_ref() == Some(&stop) =>
            {
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
            Tried::Threw(what) => {
                let reason = what.lines().next().unwrap_or_default();
                Ok(Some((self.survey.tests[nth].id.clone(), reason.to_owned())))
            }
            Tried::Stopped(Stop::Unsupported(what)) => Err(what),
            Tried::Stopped(stop) => Ok(Some((self.survey.tests[nth].id.clone(), shown(&stop)))),
        };
        self.put(case, nth, judged);
        let case = &mut self.cases[case];
        // What a trial went through need not be tried again.
        case.next = reach.last + 1;
        case.is_closed |= reach.is_end;
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
        next: 0,
    };
    let name = |file: &Arc<ClassFile>| classfile::mutf8::display(file.name());
    let Some(file) = options.files.iter().find(|file| name(file) == mutant.class) else {
        return refuse("its class is not there".to_owned());
    };
    let class = match load_all(vm, std::slice::from_ref(&mutant.class)) {
        Ok(loaded) => loaded.first().copied(),
        Err(error) => return refuse(error.to_string()),
    };
    let Some(class) = class else { return refuse("its class cannot be loaded".to_owned()) };
    match ready(vm, class, file, mutant) {
        Ok(substitute) => Case {
            substitute: Some(substitute),
            verdict: Verdict {
                fate: Fate::NotCovered,
                killers: Vec::new(),
                reason: None,
                n_trials: 0,
            },
            is_closed: false,
            next: 0,
        },
        Err(reason) => refuse(reason),
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

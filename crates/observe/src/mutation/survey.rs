//! One run of the unmutated suite: what it covers, what each test reaches, and how much it costs. What
//! `judge` then needs, as plain data that fits any machine of the same JDK and class path.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use classfile::ClassFile;
use vm::value::ClassId;
use vm::vm::Vm;

use super::Mutant;
use super::direct::{Direct, Finder};
use super::statics::Statics;
use super::trial::Trial;
use super::watch::{Reached, Sites, Watch};
use crate::coverage::{self, Coverage};
use crate::java::Java;
use crate::junit::{Hear, Node, Plan, Report, RunError, Step, Stepper};
use crate::state::fingerprint::Fingerprint;

/// What is asked for.
#[derive(Debug, Clone)]
pub struct SurveyOptions {
    /// Classes whose coverage is measured and in which the mutants are.
    pub files: Vec<Arc<ClassFile>>,
    /// All classes of the user, tests among them, internal names.
    pub user_classes: Vec<String>,
    /// Whether tests can change nothing outside the machine but files in memory, and the host counts that.
    pub is_hermetic: bool,
}

/// What the unmutated suite did.
#[derive(Debug, Clone)]
pub struct Survey {
    /// What came out of the tests.
    pub report: Report,
    /// Lines and branches.
    pub coverage: Coverage,
    /// Exceptions that left the classes under test.
    pub escaped: BTreeSet<Escaped>,
    /// The tests that ran to their ends, in order.
    pub(super) tests: Vec<Stretch>,
    /// What failed, as JUnit calls it.
    pub(super) failed: Arc<BTreeSet<String>>,
    /// Classes of tests that share one object.
    pub(super) shares_objects: BTreeSet<String>,
}

/// A kind of exception that left the classes under test, and the method that it left them through.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Escaped {
    /// The method's class, internal name.
    pub class: String,
    /// The method's name.
    pub method: String,
    /// The method's descriptor.
    pub descriptor: String,
    /// Class of the exception, binary name.
    pub exception: String,
}

/// From the end of one test to the end of the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stretch {
    /// What JUnit calls the test.
    pub(super) key: String,
    /// The test's id in the report.
    pub(super) id: String,
    /// Reached before the test was announced, and fuel used for that.
    pub(super) before: Reached,
    pub(super) fuel_before: u64,
    /// Reached from its announcement to its end, and fuel used.
    pub(super) within: Reached,
    pub(super) fuel_within: u64,
    /// The static state behind it.
    pub(super) state: Fingerprint,
    /// The outermost class of the test, binary name; empty where JUnit does not tell.
    pub(super) class: String,
    /// How to call it without JUnit, where that is as good.
    pub(super) direct: Option<Direct>,
}

impl Survey {
    /// Number of tests that ran to their ends.
    pub fn n_tests(&self) -> usize {
        self.tests.len()
    }

    /// Number of tests that can be called without JUnit around them.
    pub fn n_direct(&self) -> usize {
        self.tests.iter().filter(|test| test.direct.is_some()).count()
    }
}

/// Runs the suite and takes down what it reaches.
pub fn survey(
    vm: &mut Vm,
    plan: &Plan,
    options: &SurveyOptions,
    mutants: &[Mutant],
    hear: Hear,
) -> Result<Survey, RunError> {
    let user_classes = load_all(vm, &options.user_classes)?;
    let names: BTreeSet<String> =
        options.files.iter().map(|file| classfile::mutf8::display(file.name())).collect();
    let is_test_class = |name: &str| is_planned(plan, name);
    let new_watch = |vm: &Vm| {
        let names = names.clone();
        let wanted = Box::new(move |name: &str| names.contains(name));
        let sites = Sites::new(&options.files, mutants);
        Watch::new(vm, wanted, &user_classes, &is_test_class, sites)
    };
    let mut watch = new_watch(vm);
    let mut rehearsal = Rehearsal {
        finder: Finder::new(vm, plan, &user_classes),
        watch: new_watch(vm),
        statics: Statics::new(user_classes.clone()),
    };
    let shares_objects = sharing_classes(vm, plan, &user_classes);
    let mut statics = Statics::new(user_classes.clone());
    let mut stepper = Stepper::start(vm, plan, hear)?;
    let mut tests: Vec<Stretch> = Vec::new();
    let (mut before, mut fuel_before) = (Reached::default(), 0);
    let mut asked = stepper.vm().host.asked();
    loop {
        let (step, fuel) = stepper.step(&mut watch)?;
        match step {
            Step::Before { .. } => {
                before = watch.look(stepper.vm(), true);
                fuel_before = fuel;
                asked = stepper.vm().host.asked();
            }
            Step::Behind { key, id } => {
                let within = watch.look(stepper.vm(), false);
                let before = std::mem::take(&mut before);
                let fuel_before = std::mem::take(&mut fuel_before);
                let state = statics.fingerprint(stepper.vm());
                let class = String::new();
                let fuel_within = fuel;
                // Without mutants nobody will ask; what files hold is not rolled back.
                let is_alone = options.is_hermetic && stepper.vm().host.asked() == asked;
                let test =
                    if is_alone && !mutants.is_empty() { stepper.announced(&id) } else { None };
                let rehearsed = test.and_then(|test| rehearsal.of(stepper.vm(), &test));
                let is_same =
                    |rehearsed: &Rehearsed| rehearsed.reached == within && rehearsed.state == state;
                let direct = rehearsed.filter(is_same).map(|rehearsed| rehearsed.direct);
                tests.push(Stretch {
                    key,
                    id,
                    before,
                    fuel_before,
                    within,
                    fuel_within,
                    state,
                    class,
                    direct,
                });
            }
            Step::End | Step::Stopped(_) => break,
        }
    }
    let failed = Arc::new(stepper.failed());
    let by_id: BTreeMap<String, usize> =
        tests.iter().enumerate().map(|(at, test)| (test.id.clone(), at)).collect();
    let report = stepper.finish();
    for (idx, node) in report.nodes.iter().enumerate().filter(|(_, node)| node.is_test) {
        if let Some(class) = report.classes_above(idx).last()
            && let Some(&at) = by_id.get(&node.id)
        {
            tests[at].class = class.to_owned();
        }
    }
    let coverage = coverage::measure(vm, &watch.probe, &options.files);
    let escaped = watch.escaped;
    Ok(Survey { report, coverage, escaped, tests, failed, shares_objects })
}

/// Tries tests without JUnit around them, right behind where they ended below JUnit.
struct Rehearsal {
    finder: Finder,
    watch: Watch,
    statics: Statics,
}

/// What a test did that passed without JUnit around it.
struct Rehearsed {
    direct: Direct,
    reached: Reached,
    state: Fingerprint,
}

impl Rehearsal {
    /// Calls a test and takes that back.
    fn of(&mut self, vm: &mut Vm, test: &Node) -> Option<Rehearsed> {
        /// In a test that needs more, what JUnit does around it hardly counts.
        const FUEL: u64 = 100_000_000;
        let direct = self.finder.find(vm, test)?;
        let callable = direct.on(vm, &self.finder.user_classes)?;
        let n_methods = vm.methods.len();
        let trial = Trial::begin(vm);
        self.watch.look(vm, true);
        let passes = callable.passes(vm, &mut self.watch, FUEL);
        let reached = self.watch.look(vm, true);
        let state = self.statics.fingerprint(vm);
        trial.end(vm);
        self.watch.forget_trial(n_methods);
        passes.then_some(Rehearsed { direct, reached, state })
    }
}

/// Loads classes without initialising them; leaves out what cannot be loaded.
pub(super) fn load_all(vm: &mut Vm, names: &[String]) -> Result<Vec<ClassId>, RunError> {
    let mut java = Java::new(vm).map_err(|problem| RunError { reason: problem.to_string() })?;
    Ok(names.iter().filter_map(|name| java.load(name).ok()).collect())
}

/// Whether a class is one of the plan's, or nested in one.
fn is_planned(plan: &Plan, name: &str) -> bool {
    let is_within = |planned: &String| {
        name.strip_prefix(planned.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('$'))
    };
    plan.platform.iter().chain(&plan.junit4).any(is_within)
}

/// Binary names of test classes whose tests share one object (`Lifecycle.PER_CLASS`), as far as can be
/// told: all that say anything about their lifecycle, or all where the configuration does.
fn sharing_classes(vm: &Vm, plan: &Plan, user_classes: &[ClassId]) -> BTreeSet<String> {
    const SAYS: &[u8] = b"Lorg/junit/jupiter/api/TestInstance;";
    let everywhere =
        plan.configuration.as_ref().is_some_and(|text| text.contains("testinstance.lifecycle"));
    let is_sharing = |&&class: &&ClassId| {
        everywhere
            || vm.class(class).supers.iter().any(|&ancestor| {
                let file = vm.class(ancestor).file();
                file.is_some_and(|file| file.has_annotation(file.annotations(), SAYS))
            })
    };
    let sharing = user_classes.iter().filter(is_sharing);
    sharing.map(|&class| vm.class(class).external_name()).collect()
}

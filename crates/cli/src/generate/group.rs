//! Tests for one class, or for several together, out of the exploration of their states; and the check of the tests
//! of many such groups on the real JVM, in one go, since starting it and the compiler takes longer than most tests.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use classfile::ClassPath;
use emit::junit::{self, Framework, SourceFile};
use generate::arguments::Uncallable;
use generate::arguments::collected::Collected;
use generate::states::behaviours::keep_new;
use generate::states::follow::follow;
use generate::states::table::StateTable;
use generate::states::tests::{Draft, Settled, draft_of, drafts, needed, observers, settle};
use generate::states::{Exploration, Job, explore_from};
use generate::{order, sequences};
use observe::session::Session;
use observe::state::technique::Technique;
use suite::method::Method;
use suite::test::Suite;
use suite::types::Type;

use super::prepare::{Prepared, prepare};
use super::shown;
use crate::agreement::{self, Agreed, Check, Must};
use crate::counted::counted;
use crate::inputs::{Inputs, Tests};
use crate::left_out::LeftOut;
use crate::machines::Machines;
use crate::options::{GenerateOptions, Strategy};
use crate::output;
use crate::verify::{Compiler, Disagreement, RealJvm};
use crate::watch::{self, Progress};

/// What came of existing tests.
pub(super) struct FromTests {
    pub(super) n_tests: usize,
    pub(super) n_failed: usize,
    /// Test classes that stop the machine.
    pub(super) left_out: Vec<String>,
    /// Calls of the methods under test, and the argument lists among them.
    pub(super) n_calls: usize,
    pub(super) n_lists: usize,
    pub(super) n_states: usize,
    /// Calls with an argument that cannot be built again.
    pub(super) n_left_out: usize,
}

/// Tests of one group that were not checked yet.
pub(super) struct Unchecked {
    suites: Vec<Suite>,
    generated: Generated,
}

/// How tests are written and checked.
#[derive(Clone, Copy)]
pub(super) struct Checking<'a> {
    pub(super) options: &'a GenerateOptions,
    pub(super) machines: &'a Machines,
    pub(super) class_path: &'a ClassPath,
    pub(super) framework: Framework,
    /// The jars of JUnit.
    pub(super) junit: &'a str,
}

/// What came of one class.
pub(super) struct Generated {
    pub(super) classes: Vec<String>,
    pub(super) from_tests: Option<FromTests>,
    pub(super) job: Job,
    pub(super) exploration: Exploration,
    /// Of the exploration, and of all.
    pub(super) time: (Duration, Duration),
    /// Methods that cannot be called, each with the type of which there is no value.
    pub(super) missing: Vec<Uncallable>,
    pub(super) n_drafts: usize,
    /// Calls without a test, since another does the same.
    pub(super) n_alike: usize,
    /// How many tests were left out, and why.
    pub(super) counts: LeftOut,
    pub(super) sources: Vec<SourceFile>,
    /// Files that an earlier run wrote beyond them.
    pub(super) outdated: Vec<PathBuf>,
    pub(super) disagreements: Vec<Disagreement>,
    pub(super) left_out: Vec<String>,
}

/// Explores a group and makes tests of it.
pub(super) fn one_group(
    checking: Checking<'_>,
    inputs: &Inputs,
    worlds: &mut [Session],
    group: &[String],
) -> Result<Unchecked, String> {
    let Checking { options, machines, class_path, framework, .. } = checking;
    let explore_options = &options.explore;
    let names = machines.class_files(class_path);
    let style = junit::Options { framework, ..junit::Options::usual() };
    if !options.count {
        // Better now than after the work.
        for class in group {
            output::check_ours(&options.output.join(junit::path(class, 0, &style, &names)))?;
        }
    }
    let prepared = prepare(machines, group, explore_options, inputs)?;
    let Prepared { mut job, missing, collected, stand_ins } = prepared;
    job.keep_calls = !options.count;
    let start = start(machines, &job, &collected)?;
    let from_tests = inputs.tests.as_ref().map(|tests| from_tests(tests, &collected, &start));
    let progress = Progress::new(&shown(group), explore_options.time);
    let session = || machines.session();
    let exploration = explore_from(&job, start, &session, &progress);
    let mut exploration = exploration.map_err(|error| error.to_string())?;
    progress.done();
    watch::end_search();
    let explored = progress.elapsed();
    let observers = observers(&job, &exploration);
    let writes_new = options.strategy() == Strategy::States && !options.count && !options.all;
    let n_alike = match writes_new {
        true => keep_new(&job, &mut exploration, &session).map_err(|error| error.to_string())?,
        false => 0,
    };
    let drafts = match options.strategy() {
        Strategy::States => drafts(&job, &exploration),
        Strategy::Exhaustive => {
            let session = machines.session().map_err(|error| error.to_string())?;
            let found = sequences::all(&job, session, options.length, options.max_tests)
                .map_err(|error| error.to_string())?;
            found.tests.iter().filter_map(|test| draft_of(&job, &test.lists)).collect()
        }
        Strategy::All | Strategy::Random => {
            unreachable!("internal: random generation goes another way")
        }
    };
    let mut settled = Vec::new();
    let mut counts = LeftOut::default();
    for (idx, draft) in drafts.iter().enumerate() {
        if settled.len() == options.max_tests || watch::is_interrupted() {
            break;
        }
        progress.show(&format!("{idx} of {}", counted(drafts.len(), "test")));
        let own = owner(group, &stand_ins, draft);
        let is_own = |method: &&Arc<Method>| group.len() == 1 || *method.class == *group[own];
        let observers: Vec<Arc<Method>> = observers.iter().filter(is_own).cloned().collect();
        match settle(worlds, draft, &observers, job.fuel).map_err(|error| error.to_string())? {
            Settled::Test(test) => settled.push((draft.clone(), *test)),
            Settled::Unstable => counts.n_unstable += 1,
            Settled::Outside => counts.n_outside += 1,
        }
    }
    let mut suites: Vec<Suite> = group
        .iter()
        .map(|class| Suite { class: class.as_str().into(), tests: Vec::new() })
        .collect();
    let is_needed = needed(&job, &settled);
    let mut owners = Vec::new();
    let mut tests = Vec::new();
    for ((draft, test), is_needed) in settled.into_iter().zip(is_needed) {
        if is_needed {
            owners.push(owner(group, &stand_ins, &draft));
            tests.push(test);
        }
    }
    progress.show("running the tests in other orders");
    let unordered = order::settle(&session, &mut tests, job.fuel);
    let unordered = unordered.map_err(|error| error.to_string())?;
    counts.n_unordered = unordered.lost(0..tests.len());
    for (idx, (owner, test)) in owners.into_iter().zip(tests).enumerate() {
        if !unordered.tests[idx] {
            suites[owner].tests.push(test);
        }
    }
    progress.done();
    let time = (explored, progress.elapsed());
    let generated = Generated {
        classes: group.to_vec(),
        from_tests,
        job,
        exploration,
        time,
        missing,
        n_drafts: drafts.len(),
        n_alike,
        counts,
        outdated: Vec::new(),
        sources: Vec::new(),
        disagreements: Vec::new(),
        left_out: Vec::new(),
    };
    Ok(Unchecked { suites, generated })
}

/// Writes the tests of many groups, without those that the real JVM disagrees about. Where that is not possible for
/// all at once, because one of them does not compile as a whole, each gets its own answer.
pub(super) fn check(
    checking: Checking<'_>,
    groups: Vec<Unchecked>,
) -> Vec<Result<Generated, (Vec<String>, String)>> {
    let (mut suites, mut all) = (Vec::new(), Vec::new());
    for group in &groups {
        suites.extend(group.suites.iter().cloned());
    }
    let started = Instant::now();
    let agreed = agreed(checking, &mut suites);
    let n_groups = u32::try_from(groups.len()).unwrap_or(1).max(1);
    match agreed {
        Ok(agreed) => {
            let mut agreed = suites.iter().zip(agreed);
            for mut group in groups {
                let own = agreed.by_ref().take(group.suites.len());
                group.generated.take(checking, own);
                group.generated.time.1 += started.elapsed() / n_groups;
                all.push(Ok(group.generated));
            }
        }
        Err(_) if groups.len() > 1 => {
            all.extend(groups.into_iter().flat_map(|group| check(checking, vec![group])));
        }
        Err(reason) => {
            all.extend(
                groups.into_iter().map(|group| Err((group.generated.classes, reason.clone()))),
            );
        }
    }
    all
}

fn agreed(checking: Checking<'_>, suites: &mut [Suite]) -> Result<Vec<Agreed>, String> {
    let Checking { options, machines, class_path, framework, junit } = checking;
    let real = RealJvm {
        home: &machines.jdk.home,
        class_path: &machines.class_path,
        junit,
        framework,
        compiler: Compiler::default(),
        memory: options.machine.memory,
    };
    let names = machines.class_files(class_path);
    let style = junit::Options { framework, ..junit::Options::usual() };
    let real = (!options.no_verify).then_some(&real);
    let progress = Progress::new("checking the tests on the real JVM", None);
    let check = Check { names: &names, style: &|_| &style, real, must: Must::Pass };
    let agreed = agreement::agreed(suites, check);
    progress.done();
    agreed
}

impl Generated {
    /// Takes what is left of its suites.
    fn take<'s>(
        &mut self,
        checking: Checking<'_>,
        suites: impl Iterator<Item = (&'s Suite, Agreed)>,
    ) {
        let names = checking.machines.class_files(checking.class_path);
        let style = junit::Options { framework: checking.framework, ..junit::Options::usual() };
        for (suite, one) in suites {
            let folder = &checking.options.output;
            let (class, n_files) = (&suite.class, one.sources.len());
            self.outdated.extend(agreement::outdated(folder, class, n_files, &style, &names));
            self.sources.extend(one.sources);
            self.disagreements.extend(one.disagreements);
            self.left_out.extend(one.left_out);
        }
    }
}

/// The position of the class that a test is for: that of the call it exercises.
fn owner(group: &[String], stand_ins: &[(String, String)], draft: &Draft) -> usize {
    let statements = draft.sequence.statements();
    let exercised = draft.exercised.last().map(|var| &statements[var.idx()]);
    let Some(method) = exercised.and_then(|statement| statement.method()) else { return 0 };
    let position = |name: &str| {
        let meant = stand_ins.iter().find(|(stand_in, _)| stand_in == name);
        let name = meant.map_or(name, |(_, class)| class.as_str());
        group.iter().position(|class| class == name)
    };
    // What a maker makes is what its test looks at.
    let is_maker = !method.has_receiver() || position(&method.class).is_none();
    let made = match method.result() {
        Type::Class(name) if is_maker => position(&name),
        _ => None,
    };
    made.or_else(|| position(&method.class)).unwrap_or(0)
}

/// The states that existing tests bring objects into: the exploration starts there too.
fn start(machines: &Machines, job: &Job, collected: &Collected) -> Result<StateTable, String> {
    // Representatives of states live on one machine, so they are no start for others.
    if collected.chains.is_empty() || job.technique == Technique::PairwiseEquals {
        return Ok(StateTable::default());
    }
    let session = machines.session().map_err(|error| error.to_string())?;
    let followed = follow(job, &collected.chains, session).map_err(|error| error.to_string())?;
    Ok(followed.exploration.table)
}

/// What was collected from existing tests, in numbers.
fn from_tests(tests: &Tests, collected: &Collected, start: &StateTable) -> FromTests {
    FromTests {
        n_tests: tests.n_tests,
        n_failed: tests.n_failed,
        left_out: tests.left_out.clone(),
        n_calls: collected.n_calls,
        n_lists: collected.pool.n_lists(),
        n_states: start.len() - 1,
        n_left_out: collected.n_left_out,
    }
}

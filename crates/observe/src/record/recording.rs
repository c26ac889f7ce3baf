//! What a recorded run gave, test by test, as data. A test is a test method: the cases of a parameterized
//! one, and the tests that a factory makes, belong to it. What runs under a name that is no method, as the tests
//! that `suite()` of JUnit 3 makes of data, is a test by that name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use classfile::ClassFile;
use vm::mode::Place;
use vm::value::ClassId;
use vm::vm::Vm;

use super::history::{TextId, Texts};
use super::states::States;
use super::timeline::Owner;
use super::{Execution, LeftState, Recorded, Recorder};
use crate::coverage::{self, Identified};
use crate::junit::{Failure, Outcome, Report};
use crate::state::canonical_heap::CanonicalHeap;

/// What a run gave.
pub struct Recording {
    /// The tests, in the order of the suite.
    pub tests: Vec<TestRun>,
    /// Exceptions that came out of calls into candidates; tests name them by position.
    pub exceptions: Vec<Exception>,
    /// Whether tests ran side by side, so that nobody can tell whose an execution was.
    pub has_overlapped: bool,
    /// Executions of no single test, by class: before its first test and after its last one.
    pub class_executions: BTreeMap<String, u64>,
    pub(super) executions: Vec<Execution>,
    pub(super) methods: Vec<Recorded>,
    pub(super) heap: CanonicalHeap,
    pub(super) states: States,
    edges: Vec<(Place, u32)>,
    pub(super) parts: Vec<[Vec<TextId>; 2]>,
    pub(super) texts: Option<Texts>,
    /// The states that calls left candidates in, each once.
    pub(super) left: Vec<LeftState>,
}

/// An exception that came out of a call into a candidate.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Exception {
    /// Class of the exception.
    pub class: String,
    /// The method that was called.
    pub method: String,
}

/// How a test ended, as far as it matters for what it is worth.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// All that ran of it passed.
    Passed,
    /// It failed, with the first failure.
    Failed(Failure),
    /// The machine stopped while it ran.
    Stopped(vm::frame::Stop),
    /// An assumption did not hold.
    Aborted(String),
    /// It is disabled.
    Skipped,
    /// Something around it failed.
    NotRun,
    /// It had to be left out of the run, for this reason.
    LeftOut(String),
}

/// A test and what it did.
#[derive(Debug, Clone, PartialEq)]
pub struct TestRun {
    /// Its class, binary name.
    pub class: String,
    /// The method, or the name that the test has without being one.
    pub method: String,
    /// Whether that is a method.
    pub is_method: bool,
    /// Its parameter types, where JUnit tells them.
    pub parameters: Option<String>,
    /// How many cases ran.
    pub n_cases: usize,
    /// How it ended.
    pub verdict: Verdict,
    /// Its executions in the numbering of [`Recording::classes`], ascending, each once; those of its class
    /// as a whole included.
    pub executions: Vec<u32>,
    /// How many executions there were of its own.
    pub n_executions: u64,
    /// The branch edges that it took, ascending.
    pub edges: Vec<u32>,
    /// The exceptions it saw, ascending.
    pub exceptions: Vec<u32>,
}

/// What was taken down in the bins of one owner.
#[derive(Debug, Default, Clone)]
struct Content {
    executions: BTreeSet<u32>,
    n_executions: u64,
    edges: BTreeSet<u32>,
    exceptions: BTreeSet<u32>,
}

impl Content {
    fn add(&mut self, other: &Content) {
        self.executions.extend(&other.executions);
        self.edges.extend(&other.edges);
        self.exceptions.extend(&other.exceptions);
    }
}

impl Recording {
    /// Fields that objects had and that were no part of a state, as people name them.
    pub fn left_out(&self) -> &BTreeSet<String> {
        self.heap.left_out()
    }

    /// Number of distinct executions, as far as any technique that was asked for can tell.
    pub fn n_distinct(&self) -> usize {
        self.executions.len()
    }

    /// The method of an execution, as people name it.
    pub fn method(&self, execution: u32) -> &str {
        let method = self.executions[execution as usize].method;
        &self.methods[method as usize].name
    }

    /// An execution as an expression, with all calls or with those alone that changed something. Only
    /// where texts were asked for.
    pub fn text(&self, execution: u32, with_all_calls: bool) -> Option<String> {
        let texts = self.texts.as_ref()?;
        let [all, modifying] = self.parts.get(execution as usize)?;
        let parts = if with_all_calls { all } else { modifying };
        let name = |method: u32| self.methods[method as usize].short_name.clone();
        let parts: Vec<String> = parts.iter().map(|&part| texts.render(part, &name)).collect();
        let method = &self.methods[self.executions[execution as usize].method as usize];
        Some(format!("{}({})", method.short_name, parts.join(", ")))
    }

    /// The branch edges of these classes; tests name them by position.
    pub fn branches(&self, vm: &Vm, files: &[Arc<ClassFile>]) -> Identified {
        coverage::identify(vm, files, &self.edges)
    }
}

/// Sorts what was recorded by tests.
pub(super) fn make<const COVERAGE: bool>(
    recorder: Recorder<COVERAGE>,
    vm: &Vm,
    report: &Report,
) -> Recording {
    let (owners, has_overlapped) = recorder.timeline.finish();
    let mut by_test: BTreeMap<String, Content> = BTreeMap::new();
    let mut by_class: BTreeMap<String, Content> = BTreeMap::new();
    let mut everyone = Content::default();
    let mut fill = |bin: usize, fill: &mut dyn FnMut(&mut Content)| {
        fill(match &owners[bin] {
            Owner::Test(id) => by_test.entry(id.clone()).or_default(),
            Owner::Class(name) => by_class.entry(name.clone()).or_default(),
            Owner::Everyone | Owner::Open => &mut everyone,
        });
    };
    for &(bin, number) in &recorder.log {
        fill(bin as usize, &mut |content| {
            content.executions.insert(number);
        });
    }
    for (bin, &count) in recorder.n_executions.iter().enumerate() {
        fill(bin, &mut |content| content.n_executions += count);
    }
    for &(bin, number) in &recorder.edges.taken {
        fill(bin as usize, &mut |content| {
            content.edges.insert(number);
        });
    }
    for &(bin, number) in &recorder.raised {
        fill(bin as usize, &mut |content| {
            content.exceptions.insert(number);
        });
    }
    let class_executions =
        by_class.iter().map(|(name, content)| (name.clone(), content.n_executions)).collect();
    Recording {
        tests: tests(&Named::find(vm, report), report, &by_test, &by_class, &everyone),
        exceptions: recorder.exceptions,
        has_overlapped,
        class_executions,
        executions: recorder.executions,
        methods: recorder.methods,
        heap: recorder.heap,
        states: recorder.states,
        edges: recorder.edges.edges,
        parts: recorder.texts,
        texts: recorder.history.texts,
        left: recorder.left,
    }
}

fn tests(
    named: &Named<'_>,
    report: &Report,
    by_test: &BTreeMap<String, Content>,
    by_class: &BTreeMap<String, Content>,
    everyone: &Content,
) -> Vec<TestRun> {
    let mut tests: Vec<(TestRun, Content)> = Vec::new();
    let mut known: BTreeMap<(String, String, Option<String>), usize> = BTreeMap::new();
    for (idx, node) in report.nodes.iter().enumerate() {
        // A parameterized method without a case that ran is a container and no test.
        let is_bad_container = !node.is_test
            && node.method.is_some()
            && !matches!(node.outcome, Outcome::Passed | Outcome::NotRun);
        if !node.is_test && !is_bad_container {
            continue;
        }
        let Some(identity) = named.identity(report, idx) else { continue };
        let Identity { class, method, is_method, parameters } = identity;
        let key = (class.clone(), method.clone(), parameters.clone());
        let at = *known.entry(key).or_insert_with(|| {
            let test = TestRun {
                class,
                method,
                is_method,
                parameters,
                n_cases: 0,
                verdict: Verdict::Skipped,
                executions: Vec::new(),
                n_executions: 0,
                edges: Vec::new(),
                exceptions: Vec::new(),
            };
            tests.push((test, everyone.clone()));
            tests.len() - 1
        });
        let (test, content) = &mut tests[at];
        worsen(&mut test.verdict, verdict(report, idx));
        test.n_cases += usize::from(node.is_test && node.outcome != Outcome::NotRun);
        for class in report.classes_above(idx) {
            if let Some(shared) = by_class.get(class) {
                content.add(shared);
            }
        }
        if let Some(own) = by_test.get(&node.id) {
            content.add(own);
            test.n_executions += own.n_executions;
        }
    }
    let finish = |(test, content): (TestRun, Content)| TestRun {
        executions: content.executions.into_iter().collect(),
        edges: content.edges.into_iter().collect(),
        exceptions: content.exceptions.into_iter().collect(),
        ..test
    };
    tests.into_iter().map(finish).collect()
}

/// Which test a node belongs to.
struct Identity {
    class: String,
    method: String,
    is_method: bool,
    parameters: Option<String>,
}

/// The classes that a report names, as far as the machine has them.
struct Named<'v> {
    vm: &'v Vm,
    /// By binary name.
    classes: BTreeMap<String, Vec<ClassId>>,
}

impl<'v> Named<'v> {
    fn find(vm: &'v Vm, report: &Report) -> Named<'v> {
        let names: BTreeSet<String> = report
            .nodes
            .iter()
            .filter_map(|node| node.class.as_deref())
            .map(|name| name.replace('.', "/"))
            .collect();
        let mut classes: BTreeMap<String, Vec<ClassId>> = BTreeMap::new();
        for rt in vm.classes.iter().filter(|rt| !rt.class.is_array()) {
            let name = rt.class.name.to_string();
            if names.contains(&name) {
                classes.entry(name.replace('/', ".")).or_default().push(rt.class.id);
            }
        }
        Named { vm, classes }
    }

    /// Whether a class has a method of this name, inherited ones included; so it is believed to where there is no
    /// such class.
    fn has_method(&self, class: &str, method: &str) -> bool {
        let Some(classes) = self.classes.get(class) else { return true };
        classes.iter().any(|&class| {
            let class = self.vm.class(class);
            let mut all = class.supers.iter().chain(class.all_interfaces.iter());
            all.any(|&id| {
                let mut methods = self.vm.class(id).methods.iter();
                methods.any(|it| it.name.as_bytes() == method.as_bytes())
            })
        })
    }

    /// The test that a node belongs to: the method of the outermost node that has one. JUnit 4 writes what
    /// tells cases apart behind the name of the method. What has no method is a test by its name.
    fn identity(&self, report: &Report, idx: usize) -> Option<Identity> {
        let with_method = report.path(idx).filter(|&idx| report.nodes[idx].method.is_some()).last();
        let outermost = with_method.unwrap_or(idx);
        let node = &report.nodes[outermost];
        let class = report.class_of(outermost)?.to_owned();
        let parameters = node.parameters.clone().filter(|types| !types.is_empty());
        let Some(text) = node.method.as_deref() else {
            let method = node.name.clone();
            return Some(Identity { class, method, is_method: false, parameters });
        };
        let is_part = |char: &char| char.is_alphanumeric() || matches!(char, '_' | '$');
        let method: String = text.chars().take_while(is_part).collect();
        let is_method = self.has_method(&class, &method);
        let method = if is_method { method } else { text.to_owned() };
        Some(Identity { class, method, is_method, parameters })
    }
}

fn verdict(report: &Report, idx: usize) -> Verdict {
    match &report.nodes[idx].outcome {
        Outcome::Passed => Verdict::Passed,
        Outcome::Failed(failures) => match failures.first() {
            Some(failure) => Verdict::Failed(failure.clone()),
            None => Verdict::NotRun,
        },
        Outcome::Aborted(failure) => {
            Verdict::Aborted(failure.message.clone().unwrap_or_else(|| failure.class.clone()))
        }
        Outcome::Skipped(_) => Verdict::Skipped,
        Outcome::Stopped(stop) => Verdict::Stopped(stop.clone()),
        Outcome::NotRun if report.is_below_skipped(idx) => Verdict::Skipped,
        Outcome::NotRun => Verdict::NotRun,
    }
}

/// The verdict of a test is that of its worst case.
fn worsen(verdict: &mut Verdict, other: Verdict) {
    let rank = |verdict: &Verdict| match verdict {
        Verdict::Skipped => 0,
        Verdict::Passed => 1,
        Verdict::Aborted(_) => 2,
        Verdict::NotRun | Verdict::LeftOut(_) => 3,
        Verdict::Failed(_) => 4,
        Verdict::Stopped(_) => 5,
    };
    if rank(&other) > rank(verdict) {
        *verdict = other;
    }
}

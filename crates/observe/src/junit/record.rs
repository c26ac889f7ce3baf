//! Takes down what JUnit reports while it runs. The listeners that JUnit calls are assembled classes
//! (`glue.rs`); they end in the natives here, which write into the recorder attached to the machine.

use std::collections::{BTreeMap, BTreeSet};

use vm::frame::{Res, Stop};
use vm::handles::Handle;
use vm::native::{Args, NativeRow};
use vm::value::Ref;
use vm::vm::Vm;

use super::report::{Failure, Node, Outcome, Report};
use super::stepper::Trial;

/// The class whose natives these are.
pub(super) const EVENTS: &str = "nonpareil/junit/Events";

/// What happens while a suite runs, for progress and for observers that tell tests apart.
#[derive(Debug)]
pub enum Event<'a> {
    /// A test or container begins.
    Started(&'a Node),
    /// It ended, or was skipped.
    Finished(&'a Node),
}

/// Hears events while they happen.
pub type Hear = Box<dyn FnMut(&Event<'_>) + Send>;

/// The notes of one run.
pub(super) struct Recorder {
    nodes: Vec<Node>,
    by_id: BTreeMap<String, usize>,
    /// JUnit 3 and 4 name a node by its display name alone; several may share it.
    by_name: BTreeMap<String, Vec<usize>>,
    /// Where the description of JUnit 4's plan has come to; `None` for nodes that are left out.
    path: Vec<Option<usize>>,
    running: BTreeSet<usize>,
    hear: Hear,
    /// Bytecodes (roughly) that pass from the start of one test to the start of the next.
    pub(super) test_fuel: Option<i64>,
    /// The `Steps` that tests wait at, where the suite runs step by step.
    pub(super) gate: Option<Handle>,
    /// A test has started or ended since the last stop.
    is_pause_due: bool,
    /// What the last stop is about.
    pub(super) last: Option<Place>,
    /// Keys of tests and containers that failed.
    pub(super) failed: BTreeSet<String>,
    /// All frameworks came to their ends, or one threw this.
    pub(super) ended: Option<Option<String>>,
    /// While set, what happens is written here alone: it will be rolled back.
    pub(super) trial: Option<Trial>,
}

/// Where a suite that runs step by step stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// What JUnit itself calls the test; see [`Trial`].
    pub(super) key: String,
    /// Its id in the report.
    pub(super) id: String,
    /// Behind it rather than before it.
    pub(super) is_end: bool,
}

/// What JUnit 3 and 4 tell of a test.
struct Described {
    name: String,
    class: Option<String>,
    method: Option<String>,
    is_test: bool,
}

impl Recorder {
    pub(super) fn new(hear: Hear) -> Recorder {
        Recorder {
            nodes: Vec::new(),
            by_id: BTreeMap::new(),
            by_name: BTreeMap::new(),
            path: Vec::new(),
            running: BTreeSet::new(),
            hear,
            gate: None,
            is_pause_due: false,
            last: None,
            failed: BTreeSet::new(),
            ended: None,
            trial: None,
            test_fuel: None,
        }
    }

    /// The report; `stop` is why the run ended early.
    pub(super) fn finish(mut self, stop: Option<Stop>) -> Report {
        if let Some(stop) = &stop {
            for &idx in &self.running {
                self.nodes[idx].outcome = Outcome::Stopped(stop.clone());
            }
        }
        let mut report = Report { nodes: self.nodes, stop };
        report.sort_as_tree();
        report.drop_idle_engines();
        report
    }

    /// Whether what came out of JUnit, in words, is that a test or something around it took all memory: JUnit lets
    /// that through and says no more of what was under way.
    pub(super) fn has_taken_all_memory(&self, thrown: &str) -> bool {
        let is_of_tests = |&idx: &usize| self.nodes[idx].is_test || self.nodes[idx].class.is_some();
        thrown.starts_with("java.lang.OutOfMemoryError") && self.running.iter().any(is_of_tests)
    }

    /// What is known of a test or container.
    pub(super) fn node(&self, id: &str) -> Option<&Node> {
        self.by_id.get(id).map(|&idx| &self.nodes[idx])
    }

    /// A container that failed before JUnit saw it: its class cannot be loaded.
    pub(super) fn add_broken_class(&mut self, class: &str, reason: &str) {
        let first = reason.lines().next().unwrap_or_default();
        let (thrown, message) = match first.split_once(": ") {
            Some((thrown, message)) => (thrown, Some(message.to_owned())),
            None => (first, None),
        };
        let failure = Failure { class: thrown.to_owned(), message, trace: format!("{reason}\n") };
        let node =
            Node { class: Some(class.to_owned()), ..new_node(&format!("[class:{class}]"), class) };
        let idx = self.add(node);
        self.end(idx, Outcome::Failed(vec![failure]));
    }

    fn add(&mut self, node: Node) -> usize {
        let idx = self.nodes.len();
        self.by_id.insert(node.id.clone(), idx);
        self.nodes.push(node);
        idx
    }

    fn start(&mut self, idx: usize) {
        self.running.insert(idx);
        (self.hear)(&Event::Started(&self.nodes[idx]));
    }

    fn end(&mut self, idx: usize, outcome: Outcome) {
        self.running.remove(&idx);
        self.nodes[idx].outcome = outcome;
        (self.hear)(&Event::Finished(&self.nodes[idx]));
    }

    /// If this is a test, the next chance to wait is about it.
    fn stop_at(&mut self, idx: usize, key: String, is_end: bool) {
        if self.gate.is_some() && self.nodes[idx].is_test {
            self.is_pause_due = true;
            self.last = Some(Place { key, id: self.nodes[idx].id.clone(), is_end });
        }
    }

    /// A new node below the current place of JUnit 4's plan, or below its class.
    fn add_described(&mut self, described: Described, parent: Option<usize>) -> usize {
        let Described { name, class, method, is_test } = described;
        let n_known = self.by_name.get(&name).map_or(0, Vec::len);
        let id = if n_known == 0 {
            format!("[junit:{name}]")
        } else {
            format!("[junit:{name}#{}]", n_known + 1)
        };
        let shown = method.clone().unwrap_or_else(|| name.clone());
        let idx = self.add(Node { parent, class, method, is_test, ..new_node(&id, &shown) });
        self.by_name.entry(name).or_default().push(idx);
        idx
    }

    /// The node that an event of JUnit 3 or 4 speaks of.
    fn find_described(&mut self, described: Described, wanted: Wanted) -> usize {
        let candidates = self.by_name.get(&described.name).map_or(&[][..], Vec::as_slice);
        let is_open = |idx: &&usize| {
            self.nodes[**idx].outcome == Outcome::NotRun && !self.running.contains(idx)
        };
        let found = match wanted {
            Wanted::Running => candidates
                .iter()
                .find(|idx| self.running.contains(idx))
                .or_else(|| candidates.first()),
            Wanted::Planned => candidates.iter().find(is_open),
        };
        if let Some(&idx) = found {
            return idx;
        }
        // JUnit 3 may run one test several times.
        if let Some(&twin) = candidates.first() {
            let parent = self.nodes[twin].parent;
            return self.add_described(described, parent);
        }
        let class = described.class.as_deref().unwrap_or_default();
        let parent = match self.by_name.get(class).and_then(|known| known.first()) {
            Some(&parent) => Some(parent),
            None if described.method.is_some() && !class.is_empty() => {
                let class = Some(class.to_owned());
                let name = class.clone().unwrap_or_default();
                let container = Described { name, class, method: None, is_test: false };
                let idx = self.add_described(container, None);
                self.nodes[idx].outcome = Outcome::Passed;
                Some(idx)
            }
            None => None,
        };
        self.add_described(described, parent)
    }
}

/// What happened to a node during a trial.
enum What<'a> {
    Started,
    Ended,
    Skipped,
    Failed(&'a Failure),
}

impl Recorder {
    /// Writes an event into the trial, if there is one. A failure is worth a stop at once.
    fn is_tried(&mut self, key: &str, what: What<'_>) -> bool {
        let Some(trial) = &mut self.trial else { return false };
        match what {
            What::Failed(failure) if !trial.forgiven.contains(key) => {
                trial.failed.get_or_insert_with(|| (key.to_owned(), failure.clone()));
                self.is_pause_due = true;
            }
            What::Failed(_) | What::Ended | What::Skipped => {
                // Containers end too; the one who waits knows the tests.
                trial.last_ended = Some(key.to_owned());
                self.is_pause_due = true;
            }
            What::Started => {}
        }
        true
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// The one that has not run yet.
    Planned,
    /// The one that runs.
    Running,
}

fn new_node(id: &str, name: &str) -> Node {
    Node {
        id: id.to_owned(),
        parent: None,
        name: name.to_owned(),
        class: None,
        method: None,
        parameters: None,
        is_test: false,
        outcome: Outcome::NotRun,
        entries: Vec::new(),
    }
}

/// The natives of [`EVENTS`].
pub(super) const NATIVES: &[NativeRow] = &[
    (EVENTS, "described", "", described),
    (EVENTS, "started", "", started),
    (EVENTS, "skipped", "", skipped),
    (EVENTS, "finished", "", finished),
    (EVENTS, "reported", "", reported),
    (EVENTS, "entered", "", entered),
    (EVENTS, "left", "", left),
    (EVENTS, "gate", "", gate),
    (EVENTS, "wantsTraces", "", wants_traces),
    (EVENTS, "ended", "", ended),
    (EVENTS, "testSuiteStarted", "", test_suite_started),
    (EVENTS, "testSuiteFinished", "", test_suite_finished),
    (EVENTS, "testStarted", "", test_started),
    (EVENTS, "testFinished", "", test_finished),
    (EVENTS, "testFailed", "", test_failed),
    (EVENTS, "testAborted", "", test_aborted),
    (EVENTS, "testIgnored", "", test_ignored),
];

/// `Object gate()`: where to wait now; null to go on.
fn gate(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let Some(recorder) = recorder(vm) else { return Ok(0) };
    if !std::mem::take(&mut recorder.is_pause_due) {
        return Ok(0);
    }
    let Some(gate) = recorder.gate.take() else { return Ok(0) };
    let object = vm.handles.get(&gate);
    if let Some(recorder) = self::recorder(vm) {
        recorder.gate = Some(gate);
    }
    Ok(object.to_slot())
}

/// `boolean wantsTraces()`: whether stack traces are worth the work.
fn wants_traces(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(u64::from(recorder(vm).is_none_or(|recorder| recorder.trial.is_none())))
}

/// `ended(Throwable thrown)`: all that was to be run step by step has run.
fn ended(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let thrown = args.reference().some().map(|thrown| vm.describe_throwable(thrown));
    let Some(recorder) = recorder(vm) else { return Ok(0) };
    match &mut recorder.trial {
        Some(trial) => (trial.has_ended, trial.thrown) = (true, thrown),
        None => recorder.ended = Some(thrown),
    }
    Ok(0)
}

fn recorder(vm: &mut Vm) -> Option<&mut Recorder> {
    vm.attachment.as_mut()?.downcast_mut()
}

fn text(vm: &Vm, string: Ref) -> Option<String> {
    string.some().map(|string| vm.string_text(string))
}

/// `described(String id, String parent, String name, boolean isTest, String class, String method,
/// String parameters)`: a node of JUnit 5's tree, told of at least once before it starts.
fn described(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let id = text(vm, args.reference()).unwrap_or_default();
    let parent = text(vm, args.reference());
    let name = text(vm, args.reference()).unwrap_or_default();
    let is_test = args.boolean();
    let class = text(vm, args.reference());
    let method = text(vm, args.reference());
    let parameters = text(vm, args.reference());
    let Some(recorder) = recorder(vm) else { return Ok(0) };
    if recorder.trial.is_some() {
        return Ok(0);
    }
    if !recorder.by_id.contains_key(&id) {
        let parent = parent.and_then(|parent| recorder.by_id.get(&parent).copied());
        recorder.add(Node { parent, class, method, parameters, is_test, ..new_node(&id, &name) });
    }
    Ok(0)
}

/// `started(String id)`.
fn started(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let id = text(vm, args.reference()).unwrap_or_default();
    let Some(recorder) = recorder(vm) else { return Ok(0) };
    if recorder.is_tried(&id, What::Started) {
        return Ok(0);
    }
    if let Some(&idx) = recorder.by_id.get(&id) {
        recorder.start(idx);
        recorder.stop_at(idx, id, false);
    }
    limit(vm);
    Ok(0)
}

/// A new test has all the fuel of one.
fn limit(vm: &mut Vm) {
    if let Some(fuel) = recorder(vm).and_then(|recorder| recorder.test_fuel) {
        vm.fuel_reserve = fuel;
        vm.poll_soon();
    }
}

/// `skipped(String id, String reason)`.
fn skipped(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let id = text(vm, args.reference()).unwrap_or_default();
    let reason = text(vm, args.reference()).unwrap_or_default();
    let Some(recorder) = recorder(vm) else { return Ok(0) };
    if recorder.is_tried(&id, What::Skipped) {
        return Ok(0);
    }
    if let Some(&idx) = recorder.by_id.get(&id) {
        recorder.end(idx, Outcome::Skipped(reason));
    }
    Ok(0)
}

/// `finished(String id, String status, Throwable thrown, String message, String trace)`.
fn finished(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let id = text(vm, args.reference()).unwrap_or_default();
    let status = text(vm, args.reference()).unwrap_or_default();
    let failure = failure(vm, &mut args);
    let Some(recorder) = recorder(vm) else { return Ok(0) };
    let what = if status == "FAILED" { What::Failed(&failure) } else { What::Ended };
    if recorder.is_tried(&id, what) {
        return Ok(0);
    }
    if status == "FAILED" {
        recorder.failed.insert(id.clone());
    }
    if let Some(&idx) = recorder.by_id.get(&id) {
        let outcome = match status.as_str() {
            "SUCCESSFUL" => Outcome::Passed,
            "ABORTED" => Outcome::Aborted(failure),
            _ => Outcome::Failed(vec![failure]),
        };
        recorder.end(idx, outcome);
        recorder.stop_at(idx, id, true);
    }
    Ok(0)
}

/// `reported(String id, String key, String value)`.
fn reported(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let id = text(vm, args.reference()).unwrap_or_default();
    let key = text(vm, args.reference()).unwrap_or_default();
    let value = text(vm, args.reference()).unwrap_or_default();
    let Some(recorder) = recorder(vm) else { return Ok(0) };
    if recorder.trial.is_some() {
        return Ok(0);
    }
    if let Some(&idx) = recorder.by_id.get(&id) {
        recorder.nodes[idx].entries.push((key, value));
    }
    Ok(0)
}

/// `Throwable thrown, String message, String trace`; the exception may be null.
fn failure(vm: &Vm, args: &mut Args<'_>) -> Failure {
    let thrown = args.reference();
    let message = text(vm, args.reference());
    let trace = text(vm, args.reference()).unwrap_or_default();
    let class = thrown.some().map(|thrown| vm.class(vm.class_of(thrown)).external_name());
    Failure { class: class.unwrap_or_default(), message, trace }
}

/// `String name, String class, String method`; the last two may be null, and are then taken out of
/// the name, `method(class)`, as JUnit 3 and 4 write it.
fn description(vm: &Vm, args: &mut Args<'_>, is_test: bool) -> Described {
    let name = text(vm, args.reference()).unwrap_or_default();
    let mut class = text(vm, args.reference());
    let mut method = text(vm, args.reference());
    if class.is_none()
        && let Some(inner) = name.strip_suffix(')')
        && let Some((before, within)) = inner.rsplit_once('(')
    {
        class = Some(within.to_owned());
        method = Some(before.to_owned());
    }
    // A container that is no class, such as the `[0]` of a parameterized one, names itself.
    if class.as_deref() == Some(&name) && !name.chars().all(is_part_of_class_name) {
        class = None;
    }
    Described { name, class, method, is_test }
}

fn is_part_of_class_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '.' | '$' | '_')
}

/// `entered(String name, String class, String method, boolean isTest)`: JUnit 4's plan, depth first.
fn entered(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let mut described = description(vm, &mut args, true);
    // A class without children calls itself a test.
    described.is_test = args.boolean() && described.method.is_some();
    let Some(recorder) = recorder(vm) else { return Ok(0) };
    if recorder.trial.is_some() {
        return Ok(0);
    }
    // `JUnitCore` puts a nameless suite around the classes.
    if recorder.path.is_empty() {
        recorder.path.push(None);
        return Ok(0);
    }
    let parent = recorder.path.last().copied().flatten();
    let is_container = !described.is_test;
    let idx = recorder.add_described(described, parent);
    if is_container {
        // JUnit 4 only speaks of containers where something is wrong with them.
        recorder.nodes[idx].outcome = Outcome::Passed;
    }
    recorder.path.push(Some(idx));
    Ok(0)
}

/// `left()`.
fn left(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    if let Some(recorder) = recorder(vm)
        && recorder.trial.is_none()
    {
        recorder.path.pop();
    }
    Ok(0)
}

/// The container of JUnit 4 that `String name, String class, String method` speak of, if it is one.
fn container(vm: &mut Vm, args: &mut Args<'_>) -> Option<usize> {
    let described = description(vm, args, false);
    let recorder = recorder(vm)?;
    let idx = *recorder.by_name.get(&described.name)?.first()?;
    (recorder.trial.is_none() && !recorder.nodes[idx].is_test).then_some(idx)
}

/// `testSuiteStarted(String name, String class, String method)`: a class begins. Told on, and no more.
fn test_suite_started(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    if let Some(idx) = container(vm, &mut args)
        && let Some(recorder) = recorder(vm)
    {
        (recorder.hear)(&Event::Started(&recorder.nodes[idx]));
    }
    Ok(0)
}

/// `testSuiteFinished(String name, String class, String method)`.
fn test_suite_finished(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    if let Some(idx) = container(vm, &mut args)
        && let Some(recorder) = recorder(vm)
    {
        (recorder.hear)(&Event::Finished(&recorder.nodes[idx]));
    }
    Ok(0)
}

/// `testStarted(String name, String class, String method)`.
fn test_started(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let described = description(vm, &mut args, true);
    let Some(recorder) = recorder(vm) else { return Ok(0) };
    if recorder.is_tried(&described.name, What::Started) {
        return Ok(0);
    }
    let key = described.name.clone();
    let idx = recorder.find_described(described, Wanted::Planned);
    recorder.nodes[idx].is_test = true;
    recorder.start(idx);
    recorder.stop_at(idx, key, false);
    limit(vm);
    Ok(0)
}

/// `testFinished(String name, String class, String method)`.
fn test_finished(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let described = description(vm, &mut args, true);
    let Some(recorder) = recorder(vm) else { return Ok(0) };
    if recorder.is_tried(&described.name, What::Ended) {
        return Ok(0);
    }
    let key = described.name.clone();
    let idx = recorder.find_described(described, Wanted::Running);
    let outcome = match &recorder.nodes[idx].outcome {
        Outcome::NotRun => Outcome::Passed,
        outcome => outcome.clone(),
    };
    recorder.end(idx, outcome);
    recorder.stop_at(idx, key, true);
    Ok(0)
}

/// `testFailed(String name, String class, String method, Throwable thrown, String message, String
/// trace)`; for a class where the failure belongs to it as a whole.
fn test_failed(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let described = description(vm, &mut args, true);
    let failure = failure(vm, &mut args);
    let Some(recorder) = recorder(vm) else { return Ok(0) };
    if recorder.is_tried(&described.name, What::Failed(&failure)) {
        return Ok(0);
    }
    recorder.failed.insert(described.name.clone());
    let is_container = described.method.is_none();
    let idx = recorder.find_described(described, Wanted::Running);
    let node = &mut recorder.nodes[idx];
    match &mut node.outcome {
        Outcome::Failed(failures) => failures.push(failure),
        outcome => *outcome = Outcome::Failed(vec![failure]),
    }
    if is_container && !recorder.running.contains(&idx) {
        recorder.nodes[idx].is_test = false;
        let outcome = recorder.nodes[idx].outcome.clone();
        recorder.end(idx, outcome);
    }
    Ok(0)
}

/// `testAborted(…)`, arguments as `testFailed`.
fn test_aborted(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let described = description(vm, &mut args, true);
    let failure = failure(vm, &mut args);
    let Some(recorder) = recorder(vm) else { return Ok(0) };
    if recorder.trial.is_some() {
        return Ok(0);
    }
    let idx = recorder.find_described(described, Wanted::Running);
    if !matches!(recorder.nodes[idx].outcome, Outcome::Failed(_)) {
        recorder.nodes[idx].outcome = Outcome::Aborted(failure);
    }
    if !recorder.running.contains(&idx) {
        let outcome = recorder.nodes[idx].outcome.clone();
        recorder.end(idx, outcome);
    }
    Ok(0)
}

/// `testIgnored(String name, String class, String method, String reason)`.
fn test_ignored(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let mut described = description(vm, &mut args, true);
    described.is_test = described.method.is_some();
    let reason = text(vm, args.reference()).unwrap_or_default();
    let Some(recorder) = recorder(vm) else { return Ok(0) };
    if recorder.is_tried(&described.name, What::Skipped) {
        return Ok(0);
    }
    let wanted = if described.is_test { Wanted::Planned } else { Wanted::Running };
    let idx = recorder.find_described(described, wanted);
    recorder.end(idx, Outcome::Skipped(reason));
    Ok(0)
}

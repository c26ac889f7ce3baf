//! Records a whole suite, on one machine or in parts on several, whatever its tests do to the machine.
//!
//! A test that stops its machine (it does not end, it ends the program, it needs what is not supported) is left out
//! and its part begins again: its method then does nothing. Where that does not help, because
//! something around the test stops the machine, its class is left out.
//!
//! Parts are cut by the suite and the techniques alone, and every part has a machine of its own, so the
//! result is the same for any number of threads.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use classfile::{ClassBytes, ClassFile, MethodDescriptor};
use vm::frame::Stop;
use vm::value::{ClassId, MethodId};
use vm::vm::Vm;

use super::equivalence::{self, Classes};
use super::look::Look;
use super::recording::{Exception, Recording, TestRun, Verdict};
use super::{Recorder, Techniques, Watch};
use crate::assessment::NewMachine;
use crate::java::Java;
use crate::junit::{self, Hear, Limits, Outcome, Plan, Report, RunError};
use crate::state::technique::Technique;

/// Parts of a suite at most, and test classes that are worth a part.
const MOST_PARTS: usize = 16;
const CLASSES_PER_PART: usize = 4;

/// What is recorded, and how.
pub struct Suite<'a> {
    /// The tests.
    pub plan: &'a Plan,
    /// What is watched for.
    pub watch: &'a (dyn Fn() -> Watch + Sync),
    /// Makes machines.
    pub new_machine: NewMachine<'a>,
    /// Bytecodes (roughly) that one test may run.
    pub test_fuel: u64,
    /// Hears of tests, besides the recorder.
    pub hear: &'a (dyn Fn() -> Hear + Sync),
    /// Whether to stop and keep what there is.
    pub is_enough: fn() -> bool,
    /// Threads.
    pub n_jobs: usize,
}

/// Why a suite could not be recorded.
#[derive(Debug, Clone, PartialEq)]
pub enum NotRecorded {
    /// There is no machine, for this reason.
    NoMachine(String),
    /// JUnit itself did not work.
    NoJUnit(RunError),
    /// Tests ran side by side, so nobody can tell whose a call was.
    Overlapped,
    /// The machine stopped outside of all tests.
    Stopped(Stop),
}

/// What one machine recorded.
struct Part {
    vm: Vm,
    recording: Recording,
    left_out: Vec<TestRun>,
    is_interrupted: bool,
}

/// What a suite did, over all machines.
pub struct Recorded {
    /// The tests in the order of the suite; those that were left out come last. Executions, exceptions and
    /// branch edges are numbered over all machines.
    pub tests: Vec<TestRun>,
    /// Exceptions that came out of calls into candidates.
    pub exceptions: Vec<Exception>,
    /// Executions of no single test, by class.
    pub class_executions: BTreeMap<String, u64>,
    /// How many branch edges the classes under test have.
    pub n_branches: usize,
    /// Fields that objects had and that were no part of a state, as people name them.
    pub left_out: BTreeSet<String>,
    /// Whether the run ended before its time because it was enough.
    pub is_interrupted: bool,
    parts: Vec<Part>,
}

/// Records a suite; `files` are the classes under test.
pub fn record_suite<const COVERAGE: bool>(
    suite: &Suite<'_>,
    files: &[Arc<ClassFile>],
) -> Result<Recorded, NotRecorded> {
    let is_one_machine_s = |watch: &Watch| {
        let mut all = watch.techniques.iter();
        all.any(|both| both.has(&[Technique::PairwiseEquals]))
    };
    let plans = if is_one_machine_s(&(suite.watch)()) {
        // Representatives live on one machine.
        vec![suite.plan.clone()]
    } else {
        cut(suite.plan)
    };
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<Option<Result<Part, NotRecorded>>>> =
        Mutex::new(plans.iter().map(|_| None).collect());
    let work = || loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        let Some(plan) = plans.get(at) else { break };
        if at > 0 && (suite.is_enough)() {
            break;
        }
        let part = record_part::<COVERAGE>(suite, plan);
        done.lock().unwrap_or_else(PoisonError::into_inner)[at] = Some(part);
    };
    let n_threads = suite.n_jobs.clamp(1, plans.len());
    if n_threads == 1 {
        work();
    } else {
        std::thread::scope(|scope| {
            for _ in 0..n_threads {
                scope.spawn(work);
            }
        });
    }
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    let is_cut_short = done.iter().any(Option::is_none);
    let parts = done.into_iter().flatten().collect::<Result<Vec<Part>, NotRecorded>>()?;
    Ok(merge(parts, files, is_cut_short))
}

/// Cuts a plan into parts of a few classes each, in order.
fn cut(plan: &Plan) -> Vec<Plan> {
    let n_classes = plan.platform.len() + plan.junit4.len() + plan.junit3.len();
    let n_parts = n_classes.div_ceil(CLASSES_PER_PART).clamp(1, MOST_PARTS);
    let empty =
        Plan { platform: Vec::new(), junit4: Vec::new(), junit3: Vec::new(), ..plan.clone() };
    let mut parts = vec![empty; n_parts];
    let mut at = 0;
    let mut share = |classes: &[String], list: fn(&mut Plan) -> &mut Vec<String>| {
        for class in classes {
            list(&mut parts[at * n_parts / n_classes.max(1)]).push(class.clone());
            at += 1;
        }
    };
    share(&plan.platform, |part| &mut part.platform);
    share(&plan.junit4, |part| &mut part.junit4);
    share(&plan.junit3, |part| &mut part.junit3);
    parts
}

/// A test method, as a recording names it.
#[derive(Debug, Clone, PartialEq)]
struct Named {
    class: String,
    method: String,
    parameters: Option<String>,
}

impl Named {
    fn of(test: &TestRun) -> Named {
        let TestRun { class, method, parameters, .. } = test;
        Named { class: class.clone(), method: method.clone(), parameters: parameters.clone() }
    }
}

/// Records a part of a suite on a machine of its own; begins again where a test stops the machine.
fn record_part<const COVERAGE: bool>(suite: &Suite<'_>, plan: &Plan) -> Result<Part, NotRecorded> {
    let mut plan = plan.clone();
    let mut left_out: Vec<TestRun> = Vec::new();
    // Tests that stopped a machine, and what became of them there.
    let mut stopped: Vec<TestRun> = Vec::new();
    loop {
        let mut vm = (suite.new_machine)().map_err(NotRecorded::NoMachine)?;
        let mut silent = Vec::new();
        for test in &stopped {
            silent.extend(silence(&mut vm, &Named::of(test)));
        }
        let mut recorder = Recorder::<COVERAGE>::new((suite.watch)());
        let mut hears = [recorder.hear(), (suite.hear)()];
        let hear: Hear = Box::new(move |event| hears.iter_mut().for_each(|hear| hear(event)));
        let limits = Limits { test_fuel: suite.test_fuel, is_enough: suite.is_enough };
        let report = junit::run_limited(&mut vm, &mut recorder, &plan, limits, hear)
            .map_err(NotRecorded::NoJUnit)?;
        let mut recording = recorder.finish(&mut vm, &report);
        if recording.has_overlapped {
            return Err(NotRecorded::Overlapped);
        }
        let is_interrupted = report.stop.is_some() && (suite.is_enough)();
        if report.stop.is_none() || is_interrupted {
            take_out(&mut vm, &mut recording, &mut left_out, &stopped, &silent);
            for test in recording.tests.iter_mut().filter(|_| is_interrupted) {
                if matches!(test.verdict, Verdict::Stopped(_)) {
                    *test = TestRun { verdict: Verdict::NotRun, ..emptied(test) };
                }
            }
            return Ok(Part { vm, recording, left_out, is_interrupted });
        }
        let is_known = |test: &TestRun| stopped.iter().any(|old| Named::of(old) == Named::of(test));
        let is_stopped = |test: &&TestRun| matches!(test.verdict, Verdict::Stopped(_));
        let new: Vec<TestRun> =
            recording.tests.iter().filter(is_stopped).filter(|it| !is_known(it)).cloned().collect();
        if !new.is_empty() {
            stopped.extend(new.iter().map(emptied));
            continue;
        }
        let classes = stopped_classes(&report, &plan);
        if classes.is_empty() {
            return Err(report.stop.map_or(NotRecorded::Overlapped, NotRecorded::Stopped));
        }
        for test in &recording.tests {
            if classes.iter().any(|class| is_of_class(&test.class, &class.replace('/', "."))) {
                let verdict = match &test.verdict {
                    Verdict::Passed => Verdict::LeftOut(
                        "something around a test of its class stops the machine".to_owned(),
                    ),
                    verdict => verdict.clone(),
                };
                left_out.push(TestRun { verdict, ..emptied(test) });
            }
        }
        stopped.retain(|test| !left_out.iter().any(|out| Named::of(out) == Named::of(test)));
        let is_left = |class: &String| !classes.contains(class);
        plan.platform.retain(is_left);
        plan.junit4.retain(is_left);
        plan.junit3.retain(is_left);
        if plan.platform.is_empty() && plan.junit4.is_empty() && plan.junit3.is_empty() {
            recording.tests.clear();
            return Ok(Part { vm, recording, left_out, is_interrupted: false });
        }
    }
}

/// Moves the tests whose methods did nothing to those that were left out.
fn take_out(
    vm: &mut Vm,
    recording: &mut Recording,
    left_out: &mut Vec<TestRun>,
    stopped: &[TestRun],
    silent: &[MethodId],
) {
    if stopped.is_empty() {
        return;
    }
    for test in std::mem::take(&mut recording.tests) {
        let named = Named::of(&test);
        if let Some(old) = stopped.iter().find(|old| Named::of(old) == named) {
            left_out.push(old.clone());
        } else if methods_of(vm, &named).iter().any(|method| silent.contains(method)) {
            let why = "the method that it inherits stops the machine in another class";
            left_out.push(TestRun { verdict: Verdict::LeftOut(why.to_owned()), ..emptied(&test) });
        } else {
            recording.tests.push(test);
        }
    }
}

/// A test without what it did.
fn emptied(test: &TestRun) -> TestRun {
    TestRun {
        executions: Vec::new(),
        n_executions: 0,
        edges: Vec::new(),
        exceptions: Vec::new(),
        ..test.clone()
    }
}

/// The classes of the plan in which the machine stopped.
pub fn stopped_classes(report: &Report, plan: &Plan) -> Vec<String> {
    let planned = [&plan.platform, &plan.junit4, &plan.junit3];
    let mut classes: Vec<String> = Vec::new();
    for (idx, node) in report.nodes.iter().enumerate() {
        if !matches!(node.outcome, Outcome::Stopped(_)) {
            continue;
        }
        for class in report.classes_above(idx).map(|class| class.replace('.', "/")) {
            if planned.iter().any(|classes| classes.contains(&class)) && !classes.contains(&class) {
                classes.push(class);
            }
        }
    }
    classes
}

/// Whether a class is another or nested in it.
fn is_of_class(name: &str, outer: &str) -> bool {
    name.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('$'))
}

/// The methods that a test may be, on a machine: those of its name in the nearest class that has one.
fn methods_of(vm: &mut Vm, test: &Named) -> Vec<MethodId> {
    let name = test.class.replace('.', "/");
    let loaded = Java::new(vm).and_then(|mut java| java.load(&name));
    let Ok(class) = loaded else { return Vec::new() };
    let vm = &*vm;
    let class = vm.class(class);
    let superclasses = class.supers.iter().rev().copied();
    let above = superclasses.chain(class.all_interfaces.iter().copied());
    let n_parameters = test.parameters.as_deref().map_or(0, |types| types.split(',').count());
    for id in above {
        let named = |id: ClassId| {
            let methods = vm.class(id).methods.iter();
            methods.filter(|method| method.name.as_bytes() == test.method.as_bytes())
        };
        let fits = |descriptor: &[u8]| {
            MethodDescriptor::parse(descriptor)
                .is_some_and(|it| it.params().count() == n_parameters)
        };
        let all: Vec<MethodId> = named(id).map(|method| method.id).collect();
        let fitting: Vec<MethodId> =
            named(id).filter(|it| fits(it.descriptor.as_bytes())).map(|it| it.id).collect();
        if !all.is_empty() {
            return if fitting.is_empty() { all } else { fitting };
        }
    }
    Vec::new()
}

/// Makes a test's method do nothing on a machine, as one does that stops it; whether that was possible.
/// `parameters` are the types of its parameters as [`Node`](crate::junit::Node) has them.
pub fn silence_test(vm: &mut Vm, class: &str, method: &str, parameters: Option<&str>) -> bool {
    let test = Named {
        class: class.to_owned(),
        method: method.to_owned(),
        parameters: parameters.map(str::to_owned),
    };
    !silence(vm, &test).is_empty()
}

/// Makes a test's method do nothing; gives the methods for which that was possible.
fn silence(vm: &mut Vm, test: &Named) -> Vec<MethodId> {
    let mut silent = Vec::new();
    for method in methods_of(vm, test) {
        let slot = usize::from(vm.method(method).slot);
        let file = vm.class(vm.method(method).class).file().cloned();
        let Some(quiet) = file.and_then(|file| without_body(&file, slot)) else { continue };
        let Ok(substitute) = vm.prepare_substitute(method, &quiet, &|_| 0) else { continue };
        if vm.substitute(substitute) {
            silent.push(method);
        }
    }
    silent
}

/// The class file with a method that returns at once: nothing, or `null`.
fn without_body(file: &ClassFile, slot: usize) -> Option<ClassFile> {
    const RETURN: u8 = 0xb1;
    const ACONST_NULL: u8 = 0x01;
    const ARETURN: u8 = 0xb0;
    /// Bytes of a code attribute before its instructions: name, length, stack, locals, length of the code.
    const HEAD: usize = 14;
    let info = file.methods().get(slot)?;
    let code = info.code.as_ref()?;
    let descriptor = MethodDescriptor::parse(file.constant_pool().utf8(info.descriptor))?;
    let body: &[u8] = match descriptor.return_type() {
        None => &[RETURN],
        Some(classfile::FieldType::Object(_) | classfile::FieldType::Array(_)) => {
            &[ACONST_NULL, ARETURN]
        }
        Some(_) => return None,
    };
    let bytes: &[u8] = file.bytes();
    let at = (code.code.start as usize).checked_sub(HEAD)?;
    let len = u32::from_be_bytes(bytes.get(at + 2..at + 6)?.try_into().ok()?) as usize;
    let mut content = Vec::new();
    content.extend_from_slice(&1_u16.to_be_bytes());
    content.extend_from_slice(&code.max_locals.to_be_bytes());
    content.extend_from_slice(&u32::try_from(body.len()).ok()?.to_be_bytes());
    content.extend_from_slice(body);
    // No handlers, no attributes.
    content.extend_from_slice(&[0; 4]);
    let mut all = bytes.get(..at + 2)?.to_vec();
    all.extend_from_slice(&u32::try_from(content.len()).ok()?.to_be_bytes());
    all.extend_from_slice(&content);
    all.extend_from_slice(bytes.get(at + 6 + len..)?);
    ClassFile::parse(ClassBytes::from_vec(all)).ok()
}

/// Numbers everything over all machines.
fn merge(mut parts: Vec<Part>, files: &[Arc<ClassFile>], is_cut_short: bool) -> Recorded {
    let mut merged = Recorded {
        tests: Vec::new(),
        exceptions: Vec::new(),
        class_executions: BTreeMap::new(),
        n_branches: 0,
        left_out: parts.iter().flat_map(|part| part.recording.left_out()).cloned().collect(),
        is_interrupted: is_cut_short || parts.iter().any(|part| part.is_interrupted),
        parts: Vec::new(),
    };
    let mut first = 0;
    for part in &mut parts {
        let recording = &part.recording;
        let branches = recording.branches(&part.vm, files);
        merged.n_branches = branches.total;
        let exceptions: Vec<u32> =
            recording.exceptions.iter().map(|it| number(&mut merged.exceptions, it)).collect();
        for (name, count) in &recording.class_executions {
            *merged.class_executions.entry(name.clone()).or_default() += count;
        }
        for test in &recording.tests {
            let mut test = test.clone();
            test.executions.iter_mut().for_each(|execution| *execution += first);
            test.edges = test.edges.iter().filter_map(|&edge| branches.of[edge as usize]).collect();
            test.edges.sort_unstable();
            test.edges.dedup();
            test.exceptions = test.exceptions.iter().map(|&it| exceptions[it as usize]).collect();
            merged.tests.push(test);
        }
        first += u32::try_from(recording.n_distinct()).unwrap_or(u32::MAX);
    }
    for part in &mut parts {
        merged.tests.append(&mut part.left_out);
    }
    merged.parts = parts;
    merged
}

#[expect(clippy::cast_possible_truncation, reason = "far fewer exceptions than 2^32")]
fn number(all: &mut Vec<Exception>, wanted: &Exception) -> u32 {
    let at = all.iter().position(|known| known == wanted).unwrap_or_else(|| {
        all.push(wanted.clone());
        all.len() - 1
    });
    at as u32
}

impl Recorded {
    /// Which executions are the same under these techniques, which must be among those that were watched for.
    pub fn classes(&mut self, techniques: Techniques) -> Classes {
        let keys = self.parts.iter_mut();
        equivalence::classes(
            keys.map(|part| part.recording.keys(&mut part.vm, techniques)).collect(),
        )
    }

    /// How many states calls left candidates in, if that was watched for; on one machine alone.
    pub fn n_left_states(&mut self, technique: Technique) -> usize {
        let parts = self.parts.iter_mut();
        parts.map(|part| part.recording.n_left_states(&mut part.vm, technique)).sum()
    }

    /// How many executions there were.
    pub fn n_executions(&self) -> u64 {
        let own: u64 = self.tests.iter().map(|test| test.n_executions).sum();
        own + self.class_executions.values().sum::<u64>()
    }

    /// The method of an execution, as people name it.
    pub fn method(&self, execution: u32) -> &str {
        let (part, execution) = self.place(execution);
        self.parts[part].recording.method(execution)
    }

    /// An execution for people, where texts were watched for.
    pub fn look(&mut self, execution: u32) -> Option<Look> {
        let (part, execution) = self.place(execution);
        let part = self.parts.get_mut(part)?;
        part.recording.look(&mut part.vm, execution)
    }

    /// The part that an execution is of, and its number there.
    fn place(&self, mut execution: u32) -> (usize, u32) {
        for (at, part) in self.parts.iter().enumerate() {
            let n_executions = u32::try_from(part.recording.n_distinct()).unwrap_or(u32::MAX);
            if execution < n_executions {
                return (at, execution);
            }
            execution -= n_executions;
        }
        (self.parts.len(), execution)
    }
}

#[cfg(test)]
mod tests {
    use super::{Plan, cut};
    use crate::junit::discover::Available;

    #[test]
    fn a_plan_is_cut_in_order_and_nothing_gets_lost() {
        for n_classes in [0, 1, 4, 5, 9, 63, 64, 65, 200] {
            let name = |at: usize| format!("C{at}");
            let plan = Plan {
                platform: (0..n_classes / 2).map(name).collect(),
                junit4: (n_classes / 2..n_classes).map(name).collect(),
                junit3: vec!["Old".to_owned()],
                available: Available::default(),
                configuration: None,
            };
            let parts = cut(&plan);
            assert_eq!(parts.len(), (n_classes + 1).div_ceil(4).clamp(1, 16));
            let all = |list: fn(&Plan) -> &Vec<String>| -> Vec<String> {
                parts.iter().flat_map(|part| list(part).clone()).collect()
            };
            assert_eq!(all(|part| &part.platform), plan.platform);
            assert_eq!(all(|part| &part.junit4), plan.junit4);
            assert_eq!(all(|part| &part.junit3), plan.junit3);
        }
    }
}

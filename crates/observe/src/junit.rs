//! Runs an existing JUnit 3, 4 or 5 suite on the machine, with the JUnit of the user's class path, as it
//! is. `plan` finds out from class files what is to be run by which JUnit; `run` runs it and reports.
//!
//! JUnit is driven from outside: objects are made and methods called one by one, and it reports to
//! listeners that are assembled in memory (`glue`) and end in natives (`record`). Only the call
//! that runs the tests is under the observer; everything before it is plain.

pub mod discover;
mod framework;
mod glue;
pub mod plan;
mod platform;
mod record;
pub mod report;
mod stepper;
mod steps;

use std::sync::Arc;

use vm::frame::Stop;
use vm::mode::Mode;
use vm::vm::Vm;

pub use plan::{Plan, PlanError, plan};
pub use record::{Event, Hear};
pub use report::{Counts, Failure, Node, Outcome, Report};
pub use stepper::{Step, Stepper, Tried, keep_loaded, library_classes_since};

use crate::java::{Java, Object, Problem};

/// Why a suite could not be run: JUnit itself did not work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunError {
    /// What JUnit threw, or what is missing.
    pub reason: String,
}

impl std::fmt::Display for RunError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "JUnit does not work: {}", self.reason)
    }
}

impl std::error::Error for RunError {}

/// Runs a plan under an observer, with at most `fuel` bytecodes (roughly) per framework. `hear` is told
/// of tests while they run. Where the machine stops, the report says so and names the tests
/// that were under way; the machine must not be used for more tests then. A test with which JUnit gives up since
/// it takes all memory counts as one that stops the machine.
pub fn run<M: Mode>(
    vm: &mut Vm,
    mode: &mut M,
    plan: &Plan,
    fuel: Option<u64>,
    hear: Hear,
) -> Result<Report, RunError> {
    run_with(vm, mode, plan, record::Recorder::new(hear), fuel)
}

/// More than any test will ever burn.
const MOST_FUEL: i64 = 1 << 62;

/// What ends a run before its time.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytecodes (roughly) of every single test, with what it needs before it.
    pub test_fuel: u64,
    /// Whether to stop; the test that runs then is reported as out of fuel.
    pub is_enough: fn() -> bool,
}

/// As [`run`], but what is limited is every single test.
pub fn run_limited<M: Mode>(
    vm: &mut Vm,
    mode: &mut M,
    plan: &Plan,
    limits: Limits,
    hear: Hear,
) -> Result<Report, RunError> {
    let mut recorder = record::Recorder::new(hear);
    // What is left over is added to it.
    recorder.test_fuel =
        Some(i64::try_from(limits.test_fuel).map_or(MOST_FUEL, |fuel| fuel.min(MOST_FUEL)));
    vm.is_enough = Some(limits.is_enough);
    let report = run_with(vm, mode, plan, recorder, None);
    vm.is_enough = None;
    report
}

fn run_with<M: Mode>(
    vm: &mut Vm,
    mode: &mut M,
    plan: &Plan,
    recorder: record::Recorder,
    fuel: Option<u64>,
) -> Result<Report, RunError> {
    attach(vm, recorder);
    let ended = run_all(vm, mode, plan, fuel);
    let recorder = detach(vm);
    match ended {
        Ok(()) => Ok(recorder.finish(None)),
        Err(Problem::Stopped(stop)) => Ok(recorder.finish(Some(stop))),
        Err(Problem::Threw(thrown)) if recorder.has_taken_all_memory(&thrown) => {
            Ok(recorder.finish(Some(Stop::OutOfMemory)))
        }
        Err(problem) => Err(RunError { reason: problem.to_string() }),
    }
}

/// Puts a recorder on the machine, and the natives that write into it.
fn attach(vm: &mut Vm, recorder: record::Recorder) {
    if vm.natives.find(record::EVENTS, "started", "").is_none() {
        Arc::make_mut(&mut vm.natives).add(record::NATIVES);
    }
    vm.attachment = Some(Box::new(recorder));
}

fn detach(vm: &mut Vm) -> Box<record::Recorder> {
    let recorder =
        vm.attachment.take().and_then(|attached| attached.downcast::<record::Recorder>().ok());
    recorder.expect("internal: the recorder went away while tests ran")
}

fn run_all<M: Mode>(
    vm: &mut Vm,
    mode: &mut M,
    plan: &Plan,
    fuel: Option<u64>,
) -> Result<(), Problem> {
    let mut java = Java::new(vm)?;
    for call in prepare(&mut java, plan)? {
        java.call_in(mode, &call, "java/lang/Runnable", "run", "()V", &[], fuel)?;
    }
    Ok(())
}

/// Everything up to the calls that run the tests; these are `Runnable`s, one per framework.
fn prepare(java: &mut Java<'_>, plan: &Plan) -> Result<Vec<Object>, Problem> {
    let mut calls = Vec::new();
    if !plan.platform.is_empty() {
        let classes = load(java, &plan.platform)?;
        if plan.available.launcher {
            calls.push(platform::launch(java, &classes)?);
        } else {
            calls.extend(platform::engines(java, &classes, plan.configuration.as_deref())?);
        }
    }
    if !plan.junit4.is_empty() {
        let classes = load(java, &plan.junit4)?;
        calls.push(framework::junit4(java, &classes)?);
    }
    if !plan.junit3.is_empty() {
        let classes = load(java, &plan.junit3)?;
        calls.extend(framework::junit3(java, &classes)?);
    }
    Ok(calls)
}

/// A call with its receiver and arguments; see `steps`.
fn new_call(java: &mut Java<'_>, class: &str, parts: &[Object]) -> Result<Object, Problem> {
    let call = java.construct(class, "()V", &[])?;
    for (field, part) in steps::FIELDS.iter().zip(parts) {
        let (call, part) = (java.get(&call), java.get(part));
        java.vm.set_field_ref(call, field, steps::FIELD, part);
    }
    Ok(call)
}

/// The classes that can be loaded; the others are recorded as broken.
fn load(java: &mut Java<'_>, names: &[String]) -> Result<Vec<vm::value::ClassId>, Problem> {
    let mut classes = Vec::with_capacity(names.len());
    for name in names {
        match java.load(name) {
            Ok(class) => classes.push(class),
            Err(Problem::Threw(reason)) => {
                let recorder = java
                    .vm
                    .attachment
                    .as_mut()
                    .and_then(|it| it.downcast_mut::<record::Recorder>());
                if let Some(recorder) = recorder {
                    recorder.add_broken_class(&name.replace('/', "."), &reason);
                }
            }
            Err(problem) => return Err(problem),
        }
    }
    Ok(classes)
}

/// Defines assembled classes unless this machine has them already.
fn define(java: &mut Java<'_>, classes: Vec<(&str, Vec<u8>)>) -> Result<(), Problem> {
    for (name, bytes) in classes {
        if java.defined(name).is_none() {
            java.define(bytes)?;
        }
    }
    Ok(())
}

//! A suite that runs test by test: between two steps the caller stands outside of Java code, may open
//! marks, try how the suite would go on, and roll back. JUnit itself runs as it is, on a thread of its
//! own; extensions, rules, lifecycles and dynamic tests are all its own business. Only parallel execution is
//! switched off.

use std::collections::BTreeSet;
use std::sync::Arc;

use vm::frame::Stop;
use vm::mode::Mode;
use vm::vm::Vm;

use super::record::Recorder;
use super::report::{Failure, Node, Report};
use super::{Hear, Plan, RunError, attach, detach, glue, prepare, steps};
use crate::java::{Arg, Java, Object, Problem};

/// Fuel of a step without a limit.
const PLENTY: u64 = 1 << 60;

/// A suite under way.
pub struct Stepper<'v> {
    java: Java<'v>,
    steps: Object,
    stop: Option<Stop>,
}

/// Where a step has led.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Before a test, which was announced; its object may have been made before.
    Before {
        /// What JUnit itself calls the test: not always unique.
        key: String,
        /// The test's id in the report.
        id: String,
    },
    /// Behind a test.
    Behind {
        /// What JUnit itself calls the test.
        key: String,
        /// The test's id in the report.
        id: String,
    },
    /// To the end of the suite.
    End,
    /// The machine stopped; the suite cannot go on.
    Stopped(Stop),
}

/// What a stretch of the suite did that is to be rolled back.
#[derive(Debug, Clone, Default)]
pub(super) struct Trial {
    /// What may fail: it fails anyway.
    pub(super) forgiven: Arc<BTreeSet<String>>,
    /// The first thing that failed although it must not.
    pub(super) failed: Option<(String, Failure)>,
    pub(super) last_ended: Option<String>,
    pub(super) has_ended: bool,
    /// What it ended by before all had run, in words.
    pub(super) thrown: Option<String>,
}

/// How a trial ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Tried {
    /// It came behind the test that was asked for, and nothing failed.
    Passed,
    /// It came to the end of the suite, and nothing failed.
    End,
    /// JUnit itself ended early, since it lets errors through such as those of memory: by which, in words.
    Threw(String),
    /// Something failed: what JUnit calls it, and how.
    Failed(String, Failure),
    /// The machine stopped.
    Stopped(Stop),
}

impl<'v> Stepper<'v> {
    /// Prepares a suite; nothing of it has run yet, as far as JUnit leaves that to its execution.
    pub fn start(vm: &'v mut Vm, plan: &Plan, hear: Hear) -> Result<Stepper<'v>, RunError> {
        attach(vm, Recorder::new(hear));
        let broken = |problem: Problem| RunError { reason: problem.to_string() };
        let mut java = Java::new(vm).map_err(broken)?;
        let steps = new_steps(&mut java, plan).map_err(broken)?;
        let held = java.get(&steps);
        let gate = java.vm.handles.hold(held);
        recorder(java.vm).gate = Some(gate);
        Ok(Stepper { java, steps, stop: None })
    }

    /// The machine.
    pub fn vm(&mut self) -> &mut Vm {
        self.java.vm
    }

    /// Goes on to before or behind the next test. Gives the fuel used, too.
    pub fn step<M: Mode>(&mut self, mode: &mut M) -> Result<(Step, u64), RunError> {
        let (ended, used) = self.go_on(mode, PLENTY);
        match ended {
            Ok(()) => {}
            Err(Problem::Stopped(stop)) => {
                self.stop = Some(stop.clone());
                return Ok((Step::Stopped(stop), used));
            }
            Err(problem) => return Err(RunError { reason: problem.to_string() }),
        }
        let recorder = recorder(self.java.vm);
        match (&recorder.ended, recorder.last.clone()) {
            (Some(Some(thrown)), _) if recorder.has_taken_all_memory(thrown) => {
                self.stop = Some(Stop::OutOfMemory);
                Ok((Step::Stopped(Stop::OutOfMemory), used))
            }
            (Some(Some(reason)), _) => Err(RunError { reason: reason.clone() }),
            (None, Some(place)) if place.is_end => {
                Ok((Step::Behind { key: place.key, id: place.id }, used))
            }
            (None, Some(place)) => Ok((Step::Before { key: place.key, id: place.id }, used)),
            _ => Ok((Step::End, used)),
        }
    }

    /// From now on nothing is reported; failures of what has failed before are forgiven.
    pub fn begin_trial(&mut self, forgiven: &Arc<BTreeSet<String>>) {
        let forgiven = Arc::clone(forgiven);
        recorder(self.java.vm).trial = Some(Trial { forgiven, ..Trial::default() });
    }

    /// Ends a trial, before or after its rollback.
    pub fn end_trial(&mut self) {
        recorder(self.java.vm).trial = None;
    }

    /// Goes on during a trial, until a test has ended that JUnit calls `key`, or to the end.
    pub fn attempt<M: Mode>(&mut self, mode: &mut M, key: Option<&str>, fuel: u64) -> Tried {
        let mut left = fuel;
        loop {
            let (ended, used) = self.go_on(mode, left);
            match ended {
                Ok(()) => {}
                Err(Problem::Stopped(stop)) => return Tried::Stopped(stop),
                // Nothing but JUnit itself throws here.
                Err(problem) => {
                    return Tried::Stopped(Stop::Unsupported(problem.to_string()));
                }
            }
            let Some(trial) = &mut recorder(self.java.vm).trial else { return Tried::End };
            if let Some((key, failure)) = trial.failed.take() {
                return Tried::Failed(key, failure);
            }
            if trial.has_ended {
                return trial.thrown.take().map_or(Tried::End, Tried::Threw);
            }
            if key.is_some() && trial.last_ended.as_deref() == key {
                return Tried::Passed;
            }
            left = left.saturating_sub(used);
        }
    }

    /// Classes of the JDK and of JUnit that were loaded since there were so many classes, and whether
    /// they are initialised. Those of the user are none of them.
    pub fn library_classes_since(&mut self, n_classes: usize) -> Vec<(String, bool)> {
        library_classes_since(self.java.vm, n_classes)
    }

    /// Loads classes for good, and initialises them where that is said: what a rollback took back.
    /// Java code sees nothing of it.
    pub fn keep_loaded(&mut self, classes: &[(String, bool)]) {
        keep(&mut self.java, classes);
    }

    /// What is known of a test that was announced, by its id in the report.
    pub fn announced(&mut self, id: &str) -> Option<Node> {
        recorder(self.java.vm).node(id).cloned()
    }

    /// What has failed so far, as JUnit calls it.
    pub fn failed(&mut self) -> BTreeSet<String> {
        recorder(self.java.vm).failed.clone()
    }

    /// The report on what ran.
    pub fn finish(self) -> Report {
        let Stepper { java, stop, .. } = self;
        let mut recorder = detach(java.vm);
        if let Some(gate) = recorder.gate.take() {
            java.vm.handles.release(gate);
        }
        recorder.finish(stop)
    }

    fn go_on<M: Mode>(&mut self, mode: &mut M, fuel: u64) -> (Result<(), Problem>, u64) {
        let fuel = fuel.min(PLENTY);
        let ended =
            self.java.call_in(mode, &self.steps, steps::STEPS, "step", "()V", &[], Some(fuel));
        let left = self.java.vm.fuel.max(0).saturating_add(self.java.vm.fuel_reserve.max(0));
        let used = fuel.saturating_sub(u64::try_from(left).unwrap_or(0));
        (ended.map(|_| ()), used)
    }
}

/// Classes of the JDK and of JUnit that were loaded since there were so many classes, and whether they are
/// initialised. Those of the user are none of them.
pub fn library_classes_since(vm: &Vm, n_classes: usize) -> Vec<(String, bool)> {
    let is_library = |name: &str| {
        [
            "java/",
            "javax/",
            "jdk/",
            "sun/",
            "org/junit/",
            "junit/",
            "org/opentest4j/",
            "org/hamcrest/",
        ]
        .iter()
        .any(|prefix| name.starts_with(prefix))
    };
    let new = vm.classes.get(n_classes..).unwrap_or_default().iter();
    new.filter(|rt| !rt.class.hidden && !rt.class.is_spun && !rt.class.is_array())
        .map(|rt| (rt.class.name.to_string(), rt.initialised_at.is_some()))
        .filter(|(name, _)| is_library(name))
        .collect()
}

/// Loads classes for good, and initialises them where that is said: what a rollback took back. Java code
/// sees nothing of it.
pub fn keep_loaded(vm: &mut Vm, classes: &[(String, bool)]) -> Result<(), RunError> {
    let mut java = Java::new(vm).map_err(|problem| RunError { reason: problem.to_string() })?;
    keep(&mut java, classes);
    Ok(())
}

fn keep(java: &mut Java<'_>, classes: &[(String, bool)]) {
    for (name, is_initialised) in classes {
        // What cannot be loaded by this name now may be later.
        let _ = match is_initialised {
            true => java.class(name),
            false => java.load(name),
        };
    }
}

/// The recorder is there from start to finish.
fn recorder(vm: &mut Vm) -> &mut Recorder {
    let attached = vm.attachment.as_mut().and_then(|attached| attached.downcast_mut());
    attached.expect("internal: the recorder went away while tests ran")
}

/// The object that runs the suite, and its thread, which waits for the first step.
fn new_steps(java: &mut Java<'_>, plan: &Plan) -> Result<Object, Problem> {
    // Test by test means one after the other; properties go before what the suite's files say.
    let parallel = java.string("junit.jupiter.execution.parallel.enabled")?;
    let off = java.string("false")?;
    java.call_static(
        "java/lang/System",
        "setProperty",
        "(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;",
        &[Arg::Object(&parallel), Arg::Object(&off)],
    )?;
    let calls = java.construct("java/util/ArrayList", "()V", &[])?;
    for call in prepare(java, plan)? {
        let add = "(Ljava/lang/Object;)Z";
        java.call(&calls, "java/util/List", "add", add, &[Arg::Object(&call)])?;
    }
    super::define(java, glue::stepping())?;
    let iterator = "()Ljava/util/Iterator;";
    let calls = java.call_object(&calls, "java/util/List", "iterator", iterator, &[])?;
    let steps = java.construct(steps::STEPS, "()V", &[])?;
    let (steps_ref, calls_ref) = (java.get(&steps), java.get(&calls));
    java.vm.set_field_ref(steps_ref, "calls", steps::CALLS_FIELD, calls_ref);
    for field in ["go", "paused"] {
        let semaphore = java.construct(steps::SEMAPHORE, "(I)V", &[Arg::Int(0)])?;
        let (steps_ref, semaphore) = (java.get(&steps), java.get(&semaphore));
        java.vm.set_field_ref(steps_ref, field, steps::SEMAPHORE_FIELD, semaphore);
    }
    // Tests may look at the name of their thread.
    let name = java.string("main")?;
    let thread = java.construct(
        "java/lang/Thread",
        "(Ljava/lang/Runnable;Ljava/lang/String;)V",
        &[Arg::Object(&steps), Arg::Object(&name)],
    )?;
    java.call(&thread, "java/lang/Thread", "start", "()V", &[])?;
    Ok(steps)
}

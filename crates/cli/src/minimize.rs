//! `nonpareil minimize`: runs a suite under the recorder, finds a minimal one, and says so; takes the
//! redundant tests out of the sources where that is asked for.

mod judge;
mod scope;
mod show;
mod sources;

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use observe::junit::{self, Event, Hear, Outcome, Plan, Report};
use observe::record::{Recorder, Recording, Techniques, TestRun, Watch};
use observe::state::mask::Mask;
use vm::vm::Vm;

use crate::options::{Format, MachineOptions, MinimizeOptions};
use crate::os_host::OsHost;
use crate::run::{boot, reason};
use scope::Scope;

/// A recorded run on its machine.
struct Run {
    vm: Vm,
    recording: Recording,
    /// Tests of classes that stop the machine, which were not recorded.
    left_out: Vec<TestRun>,
}

/// Minimises the suite; an `Err` is a usage or input error.
pub(crate) fn run(options: &MinimizeOptions) -> Result<ExitCode, String> {
    sources::check_request(options)?;
    let machine = machine_options(options)?;
    let vm = boot(&machine, OsHost::new().with_output_to_stderr())?;
    let scope = Scope::find(options, &machine.classpath, vm.jdk)?;
    let mut run = record(options, &machine, &scope, vm)?;
    let minimized = judge::judge(options, &scope, &mut run)?;
    let changes = match options.apply {
        Some(apply) => Some(sources::plan(options, apply, &scope, &minimized)?),
        None => None,
    };
    // All that can be wrong with the input was found out before anything is written.
    if let Some(changes) = &changes {
        sources::write(options, changes)?;
    }
    let text = match options.format {
        Format::Human => show::human(&minimized, changes.as_ref()),
        Format::Json => show::json(&minimized, changes.as_ref()).render(),
    };
    // Whoever closed standard output does not want to know.
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
    let is_done = match &changes {
        Some(changes) => changes.left_alone.is_empty(),
        None => minimized.n_redundant() == 0,
    };
    let is_fine = is_done && minimized.n_not_passed() == 0;
    Ok(if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The machine's options with the tests on the class path, and tests one after the other.
fn machine_options(options: &MinimizeOptions) -> Result<MachineOptions, String> {
    const PARALLEL: &str = "junit.jupiter.execution.parallel.enabled";
    let mut machine = options.machine.clone();
    let mut entries = Vec::new();
    for folder in &options.tests {
        if !folder.is_dir() {
            return Err(format!("--tests {}: there is no such folder", folder.display()));
        }
        entries.push(folder.display().to_string());
    }
    let working_dir =
        std::env::current_dir().map_err(|error| format!("working folder: {error}"))?;
    entries.push(crate::class_path::expand(&machine.classpath, &working_dir));
    machine.classpath = entries.join(":");
    machine.properties.retain(|(name, _)| name != PARALLEL);
    machine.properties.push((PARALLEL.to_owned(), "false".to_owned()));
    Ok(machine)
}

/// Runs the suite under the recorder. Where a test stops the machine, its class is left out and everything
/// starts again, so that all executions that are compared come from one machine.
fn record(
    options: &MinimizeOptions,
    machine: &MachineOptions,
    scope: &Scope,
    mut vm: Vm,
) -> Result<Run, String> {
    let mut plan = scope.plan.clone();
    let mut left_out = Vec::new();
    let techniques = techniques(options);
    loop {
        let names = scope.names.clone();
        let mut recorder = Recorder::<true>::new(Watch {
            wanted: Box::new(move |name| names.has(name)),
            techniques: vec![techniques],
            mask: Mask { strict: options.strict_state, ignored: options.ignore_field.clone() },
            with_texts: options.explain,
        });
        let hear = with_progress(recorder.hear());
        let report = junit::run_limited(&mut vm, &mut recorder, &plan, options.fuel, hear)
            .map_err(|error| error.to_string())?;
        let mut recording = recorder.finish(&mut vm, &report);
        let Some(stop) = report.stop.clone() else {
            if recording.has_overlapped {
                return Err(
                    "tests ran side by side, so nobody can tell whose a call was\nhint: switch the parallel \
                     execution of tests off"
                        .to_owned(),
                );
            }
            return Ok(Run { vm, recording, left_out });
        };
        let stopped = stopped_classes(&report, &plan);
        if stopped.is_empty() {
            return Err(format!("the suite cannot be run: {}", reason(&stop)));
        }
        let is_left_out = |test: &TestRun| {
            stopped.iter().any(|class| is_of_class(&test.class, &class.replace('/', ".")))
        };
        for mut test in recording.tests.drain(..).filter(is_left_out) {
            test.executions.clear();
            test.edges.clear();
            test.exceptions.clear();
            test.n_executions = 0;
            left_out.push(test);
        }
        let is_left = |class: &String| !stopped.contains(class);
        plan.platform.retain(is_left);
        plan.junit4.retain(is_left);
        plan.junit3.retain(is_left);
        vm = boot(machine, OsHost::new().with_output_to_stderr())?;
    }
}

fn techniques(options: &MinimizeOptions) -> Techniques {
    let receiver = options.technique;
    Techniques { receiver, arguments: options.argument_technique.unwrap_or(receiver) }
}

/// The classes of the plan in which the machine stopped.
pub(crate) fn stopped_classes(report: &Report, plan: &Plan) -> Vec<String> {
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

/// Shows on a terminal how many tests have run.
pub(crate) fn with_progress(mut hear: Hear) -> Hear {
    if !std::io::stderr().is_terminal() {
        return hear;
    }
    let mut n_tests = 0_usize;
    Box::new(move |event| {
        hear(event);
        match event {
            Event::Finished(node) if node.is_test => {
                n_tests += 1;
                let _ = write!(std::io::stderr(), "\r{n_tests} tests recorded");
            }
            Event::Finished(node) if node.parent.is_none() => {
                let _ = write!(std::io::stderr(), "\r\x1b[K");
            }
            _ => {}
        }
    })
}

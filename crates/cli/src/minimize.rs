//! `nonpareil minimize`: runs a suite under the recorder, finds a minimal one, and says so; takes the
//! redundant tests out of the sources where that is asked for.

mod declared;
mod explain;
mod git;
mod judge;
pub(crate) mod scope;
mod show;
pub(crate) mod sources;
mod uses;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use observe::junit::{Event, Hear, Plan};
use observe::record::{NotRecorded, RecordedSuite, Suite, Techniques, Watch, record_suite};
use observe::state::mask::Mask;
use vm::vm::Vm;

use crate::counted::counted;
use crate::options::{Format, MachineOptions, MinimizeOptions};
use crate::os_host::OsHost;
use crate::output;
use crate::run::{boot, no_junit, reason};
use crate::say;
use crate::watch::{self, Progress};
use scope::Scope;
pub(crate) use show::too_large;

/// Minimises the suite; an `Err` is a usage or input error.
pub(crate) fn run(options: &MinimizeOptions) -> Result<ExitCode, String> {
    sources::check_request(options)?;
    if options.apply.is_some() {
        output::recover(sources::target(options))?;
    }
    watch::catch_interrupts();
    let machine = machine_options(&options.machine, &options.tests)?;
    let vm = boot(&machine, OsHost::new().with_output_to_stderr())?;
    let scope = Scope::find(options, &machine.classpath, vm.jdk)?;
    let mut recorded = record(options, &machine, &scope, vm)?;
    let minimized = judge::judge(options, &scope, &mut recorded)?;
    if recorded.is_interrupted {
        let rest = if options.apply.is_some() { "; no source is changed" } else { "" };
        say(&format!("interrupted: tests that were not run are left as they are{rest}"));
    }
    let changes = match options.apply.filter(|_| !recorded.is_interrupted) {
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
pub(crate) fn machine_options(
    machine: &MachineOptions,
    tests: &[PathBuf],
) -> Result<MachineOptions, String> {
    let mut machine = machine.clone();
    let mut entries = Vec::new();
    for folder in tests {
        if !folder.is_dir() {
            return Err(format!("--tests {}: there is no such folder", folder.display()));
        }
        entries.push(folder.display().to_string());
    }
    let working_dir =
        std::env::current_dir().map_err(|error| format!("working folder: {error}"))?;
    entries.push(crate::class_path::expand(&machine.classpath, &working_dir));
    machine.classpath = entries.join(":");
    run_tests_in_turn(&mut machine);
    Ok(machine)
}

/// Switches off that JUnit runs tests side by side: nobody could tell whose a call was.
pub(crate) fn run_tests_in_turn(machine: &mut MachineOptions) {
    const PARALLEL: &str = "junit.jupiter.execution.parallel.enabled";
    machine.properties.retain(|(name, _)| name != PARALLEL);
    machine.properties.push((PARALLEL.to_owned(), "false".to_owned()));
}

/// Why a suite could not be recorded.
pub(crate) fn why_not(error: &NotRecorded) -> String {
    match error {
        NotRecorded::NoMachine(why) => why.clone(),
        NotRecorded::NoJUnit(error) => no_junit(error),
        NotRecorded::Overlapped => {
            "tests ran side by side, so nobody can tell whose a call was\nhint: switch the parallel execution \
             of tests off"
                .to_owned()
        }
        NotRecorded::Stopped(stop) => format!("the suite cannot be run: {}", reason(stop)),
    }
}

/// Runs the suite under the recorder.
fn record(
    options: &MinimizeOptions,
    machine: &MachineOptions,
    scope: &Scope,
    vm: Vm,
) -> Result<RecordedSuite, String> {
    let spare = Mutex::new(Some(vm));
    let new_machine = || match spare.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some(vm) => Ok(vm),
        None => boot(machine, OsHost::new().with_output_to_stderr()),
    };
    let watch = || {
        let names = scope.names.clone();
        Watch {
            wanted: Box::new(move |name| names.has(name)),
            techniques: vec![techniques(options)],
            mask: Mask { strict: options.strict_state, ignored: options.ignore_field.clone() },
            with_texts: options.explain,
            with_left_states: false,
        }
    };
    let progress = Arc::new(Progress::new("tests", None));
    let counts = Arc::new(Counts::of(&scope.plan));
    let suite = Suite {
        plan: &scope.plan,
        watch: &watch,
        new_machine: &new_machine,
        test_fuel: options.fuel,
        hear: &|| hear(&progress, &counts),
        is_enough: watch::is_interrupted,
        n_jobs: options.n_jobs(),
    };
    let recorded = record_suite::<true>(&suite, &scope.files);
    progress.done();
    recorded.map_err(|error| why_not(&error))
}

fn techniques(options: &MinimizeOptions) -> Techniques {
    let receiver = options.technique;
    Techniques { receiver, arguments: options.argument_technique.unwrap_or(receiver) }
}

/// How far the recording is.
struct Counts {
    n_tests: AtomicUsize,
    n_classes: AtomicUsize,
    all_classes: usize,
}

impl Counts {
    fn of(plan: &Plan) -> Counts {
        let all_classes = plan.platform.len() + plan.junit4.len() + plan.junit3.len();
        Counts { n_tests: AtomicUsize::new(0), n_classes: AtomicUsize::new(0), all_classes }
    }
}

/// Shows on a terminal how far the recording is.
fn hear(progress: &Arc<Progress>, counts: &Arc<Counts>) -> Hear {
    let (progress, counts) = (Arc::clone(progress), Arc::clone(counts));
    Box::new(move |event| {
        let Event::Finished(node) = event else { return };
        let is_outer = |class: &String| !class.contains('$');
        if node.is_test {
            counts.n_tests.fetch_add(1, Ordering::Relaxed);
        } else if node.method.is_none() && node.class.as_ref().is_some_and(is_outer) {
            counts.n_classes.fetch_add(1, Ordering::Relaxed);
        }
        show_progress(&progress, &counts);
    })
}

#[expect(clippy::cast_precision_loss, reason = "an estimate for people")]
fn show_progress(progress: &Progress, counts: &Counts) {
    let n_tests = counts.n_tests.load(Ordering::Relaxed);
    let all = counts.all_classes;
    let n_classes = counts.n_classes.load(Ordering::Relaxed).min(all);
    let seconds = progress.elapsed().as_secs_f64().max(0.001);
    let rate = n_tests as f64 / seconds;
    let left = match n_classes {
        0 => String::new(),
        done => format!(", {:.0} s left", seconds / done as f64 * (all - done) as f64),
    };
    progress.show(&format!(
        "{n_tests} recorded, {rate:.0}/s, {n_classes} of {}{left}",
        counted(all, "class")
    ));
}

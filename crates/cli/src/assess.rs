//! `nonpareil assess`: what a JUnit suite is worth, alone or compared with another.

mod data;
mod text;

use std::env;
use std::io::Write;
use std::process::ExitCode;
use std::thread;

use emit::coverage::{Branch, Class, Method};
use emit::{jacoco, lcov};
use observe::assessment::{self, Assessment, Question};
use observe::coverage::Coverage;
use observe::mutation::{Judging, SurveyOptions};
use vm::vm::Vm;

use crate::machines::Machines;
use crate::options::{AssessOptions, Format, Grants, MachineOptions};
use crate::selection::Wanted;
use crate::watch::{self, Progress};
use crate::{files, run, say, target};

/// Bytecodes (roughly) that one test may run while method executions are counted.
const TEST_FUEL: u64 = 10_000_000_000;

/// Assesses the suite; an `Err` is a usage or input error.
pub(crate) fn run(options: &AssessOptions) -> Result<ExitCode, String> {
    for (option, path) in [("--lcov", &options.lcov), ("--jacoco-xml", &options.jacoco_xml)] {
        if let Some(path) = path {
            files::check(option, path)?;
        }
    }
    let working_dir = env::current_dir().map_err(|error| format!("working folder: {error}"))?;
    watch::catch_interrupts();
    let release = new_machine(&Machines::new(&options.machine)?)?.jdk;
    let suites: Vec<&str> =
        [options.tests()].into_iter().chain(options.against.as_deref()).collect();
    let class_path = &options.machine.classpath;
    let mut targets = Vec::with_capacity(suites.len());
    for suite in &suites {
        targets.push(target::find_suite(suite, class_path, &working_dir, release)?);
    }
    let wanted = Wanted { classes: &options.classes, packages: &options.packages };
    let files = target::find_classes(&suites, class_path, wanted, &working_dir, release)?;
    let n_jobs = match options.jobs {
        Some(n_jobs) => n_jobs.get(),
        None => thread::available_parallelism().map_or(1, std::num::NonZero::get),
    };
    let judging = Judging { whole_matrix: options.matrix, ..Judging::default() };
    let mut assessments = Vec::with_capacity(suites.len());
    for (suite, target) in suites.iter().zip(targets) {
        let mut machine =
            MachineOptions { classpath: target.class_path.clone(), ..options.machine.clone() };
        crate::minimize::run_tests_in_turn(&mut machine);
        let question = Question {
            plan: target.plan,
            classes: SurveyOptions {
                files: files.clone(),
                user_classes: target.user_classes,
                is_hermetic: !may_change_outside(&options.machine.grants),
            },
            mutants: options.mutants.then(|| judging.clone()),
            n_jobs,
            test_fuel: TEST_FUEL,
            is_enough: watch::is_interrupted,
        };
        let machines = Machines::new(&machine)?;
        let progress = Progress::new("mutants", None);
        let assessed = assessment::assess(
            &question,
            &|| new_machine(&machines),
            &|done, all| {
                show(&progress, done, all);
                !watch::is_interrupted()
            },
            &|| Box::new(|_| {}),
        );
        progress.done();
        let assessed = assessed.map_err(|error| run::no_junit(&error))?;
        if assessed.report.tests().next().is_none() && assessed.report.counts().all() == 0 {
            return Err(format!("JUnit finds no tests in {suite}"));
        }
        assessments.push(assessed);
    }
    let (first, second) = (&assessments[0], assessments.get(1));
    write_coverage(options, &first.coverage)?;
    let text = match (options.format, second) {
        (Format::Human, None) => text::one(first),
        (Format::Human, Some(second)) => text::two(&suites, first, second),
        (Format::Json, None) => data::one(first).render(),
        (Format::Json, Some(second)) => data::two(&suites, first, second).render(),
    };
    if watch::is_interrupted() {
        say(
            "interrupted: tests that were not run are not counted, mutants that were not tried are undecided",
        );
    }
    // Whoever closed standard output does not want to know.
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
    let is_fine = |assessed: &Assessment| {
        assessed.report.counts().failed == 0 && assessed.report.stop.is_none()
    };
    Ok(if assessments.iter().all(is_fine) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn may_change_outside(grants: &Grants) -> bool {
    !grants.allow_write.is_empty() || grants.allow_net || grants.allow_run || grants.allow_all
}

fn new_machine(machines: &Machines) -> Result<Vm, String> {
    machines.session().map(|session| session.vm).map_err(|error| error.to_string())
}

#[expect(clippy::cast_precision_loss, reason = "an estimate for people")]
fn show(progress: &Progress, done: usize, all: usize) {
    let rate = done as f64 / progress.elapsed().as_secs_f64().max(0.001);
    let left = all.saturating_sub(done) as f64 / rate.max(0.001);
    progress.show(&format!("test {done} of {all}, {rate:.0}/s, {left:.0} s left"));
}

fn write_coverage(options: &AssessOptions, coverage: &Coverage) -> Result<(), String> {
    if options.lcov.is_none() && options.jacoco_xml.is_none() {
        return Ok(());
    }
    let classes = for_emit(coverage);
    if let Some(path) = &options.lcov {
        let prefix = match options.source_folder.as_deref() {
            Some(folder) if !folder.is_empty() => format!("{}/", folder.trim_end_matches('/')),
            _ => String::new(),
        };
        files::write(path, &lcov::tracefile(&classes, &prefix))?;
    }
    if let Some(path) = &options.jacoco_xml {
        files::write(path, &jacoco::report("nonpareil", &classes))?;
    }
    Ok(())
}

fn for_emit(coverage: &Coverage) -> Vec<Class> {
    let class = |class: &observe::coverage::ClassCoverage| Class {
        name: class.name.clone(),
        source: class.source.clone(),
        methods: class
            .methods
            .iter()
            .map(|method| Method {
                name: method.name.clone(),
                descriptor: method.descriptor.clone(),
                instructions: method.instructions.clone(),
                branches: method
                    .branches
                    .iter()
                    .map(|branch| Branch { line: branch.line, edges: branch.edges.clone() })
                    .collect(),
            })
            .collect(),
    };
    coverage.classes.iter().map(class).collect()
}

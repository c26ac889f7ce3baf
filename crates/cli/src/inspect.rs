//! `nonpareil inspect`: how a class behaves, and where its edges are.
//!
//! Explores, or repeats what existing tests do, infers properties from all calls, attacks the universal ones, and shows the tests that the
//! rest is seen by.

mod attack;
mod report;
mod tests;
mod tracing;

use std::io::Write;
use std::process::ExitCode;

use distill::infer::{self, Inference};
use emit::json::Json;
use generate::states::follow::{follow, lists_of};
use generate::states::recorded::record;
use generate::states::{Exploration, Job, explore};

use crate::generate::classes::chosen;
use crate::generate::prepare::{Prepared, prepare};
use crate::inputs::Inputs;
use crate::machines::Machines;
use crate::options::{Format, InspectOptions};
use crate::output::{self, Output, Replaces};
use crate::watch::{self, Progress};
use crate::{files, inputs};
use attack::Effort;
use tests::Tests;
use tracing::Traced;

/// What came of one class.
struct Inspected {
    class: String,
    job: Job,
    exploration: Exploration,
    /// Calls of the exploration, before any attack.
    n_calls: usize,
    /// Methods that cannot be called, each with the type of which there is no value.
    missing: Vec<generate::arguments::Uncallable>,
    /// Objects of existing tests that could not be followed to the end, where tests are the input.
    n_lost: Option<usize>,
    traced: Traced,
    inference: Inference,
    /// Positions of properties that looked universal and fell.
    fallen: Vec<usize>,
    /// How hard they were tried; `None` where they were not.
    effort: Option<Effort>,
    tests: Tests,
    seconds: f64,
}

/// Inspects; an `Err` is a usage or input error.
pub(crate) fn run(options: &InspectOptions) -> Result<ExitCode, String> {
    if let Some(folder) = &options.output {
        output::check_folder("--output", folder)?;
    }
    if let Some(file) = &options.html {
        files::check("--html", file)?;
    }
    watch::catch_interrupts();
    let machines = Machines::new(&options.machine)?;
    let class_path = machines.classes()?;
    let classes = chosen(&machines, &class_path, &options.explore)?;
    if let (Some(file), true) = (&options.html, classes.len() > 1) {
        return Err(format!(
            "{} can show one class, not {}\nhint: name it with --class",
            file.display(),
            classes.len()
        ));
    }
    let jars = options.test_classpath.as_deref();
    let inputs = inputs::collect(&machines, &options.explore, &options.machine, jars)?;
    let mut inspected = Vec::new();
    for class in &classes {
        match one_class(options, &machines, &class_path, &inputs, class) {
            Ok(one) => inspected.push(one),
            Err(reason) if classes.len() > 1 => {
                crate::say(&format!("{}: {reason}", class.replace('/', ".")));
            }
            Err(reason) => return Err(reason),
        }
        if watch::is_interrupted() {
            break;
        }
    }
    if let Some(folder) = &options.output {
        let sources = inspected.iter().flat_map(|one| &one.tests.sources);
        let files = sources
            .map(|source| (source.path.clone().into(), source.text.clone().into_bytes()))
            .collect();
        output::write(folder, &Output { files, gone: Vec::new(), replaces: Replaces::All })?;
    }
    for one in &inspected {
        if let Some(file) = &options.html {
            files::write(file, &emit::page::render(&report::page(one)))?;
        }
    }
    let text = match options.format {
        Format::Human => inspected.iter().map(|one| report::human(options, one)).collect(),
        Format::Json => {
            let classes = inspected.iter().map(|one| report::json(options, one)).collect();
            Json::Object(vec![("classes", Json::List(classes))]).render()
        }
    };
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
    let is_endless = inspected.iter().any(|one| !one.exploration.stopped.is_empty());
    Ok(if is_endless { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn one_class(
    options: &InspectOptions,
    machines: &Machines,
    class_path: &classfile::ClassPath,
    inputs: &Inputs,
    class: &str,
) -> Result<Inspected, String> {
    let prepared = prepare(machines, &[class.to_owned()], &options.explore, inputs)?;
    let Prepared { mut job, mut missing, collected, .. } = prepared;
    let progress = Progress::new(&class.replace('/', "."), options.explore.time);
    let session = || machines.session();
    let mut n_lost = None;
    let (exploration, recorded) = if inputs.tests.is_some() {
        // The calls of the tests are the input, and no others.
        (job.makers, job.lists) = lists_of(&collected.chains);
        missing.clear();
        let machine = machines.session().map_err(|error| error.to_string())?;
        let followed = follow(&job, &collected.chains, machine);
        let followed = followed.map_err(|error| error.to_string())?;
        n_lost = Some(collected.n_lost + followed.n_lost);
        (followed.exploration, followed.recorded)
    } else {
        let exploration = explore(&job, &session, &progress).map_err(|error| error.to_string())?;
        let recorded = record(&job, &exploration, &session).map_err(|error| error.to_string())?;
        (exploration, recorded)
    };
    let mut traced = Traced::default();
    traced.add(&job, &exploration, &recorded);
    let n_calls = exploration.n_calls();
    let mut inference = infer::infer(&traced.trace, options.threshold);
    let mut fallen = Vec::new();
    let mut effort = None;
    if options.attack > 0 {
        let calls = options.attack;
        effort = Some(attack::attack(machines, &job, &mut traced, &inference, calls, &progress)?);
        fallen = infer::confront(&traced.trace, &mut inference);
    }
    let tests = tests::make(
        options,
        machines,
        class_path,
        class,
        &tests::Subject {
            job: &job,
            exploration: &exploration,
            traced: &traced,
            inference: &inference,
        },
        &progress,
    )?;
    progress.done();
    let seconds = progress.elapsed().as_secs_f64();
    Ok(Inspected {
        class: class.to_owned(),
        job,
        exploration,
        n_calls,
        missing,
        n_lost,
        traced,
        inference,
        fallen,
        effort,
        tests,
        seconds,
    })
}

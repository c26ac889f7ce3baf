//! `nonpareil generate`: tests for classes, written only where the real JVM agrees.

pub(crate) mod classes;
mod group;
pub(crate) mod prepare;
mod report;

use std::io::Write as _;
use std::process::ExitCode;

use classfile::ClassPath;
use emit::json::Json;
use emit::junit::Framework;

use crate::inputs::Inputs;
use crate::machines::Machines;
use crate::options::{Format, GenerateOptions, JUnit, Strategy};
use crate::output::{self, Output, Replaces};
use crate::verify::junit_jars;
use crate::{exhaustive, inputs, random, watch};
use group::{Checking, Generated, check, one_group};
use prepare::prepare;
pub(crate) use report::cut_short;

/// Groups whose tests are checked in one go.
const AT_ONCE: usize = 16;

/// Generates; an `Err` is a usage or input error.
pub(crate) fn run(options: &GenerateOptions) -> Result<ExitCode, String> {
    if !options.count {
        output::check_folder("--output", &options.output)?;
    }
    watch::catch_interrupts();
    let machines = match options.strategy() {
        Strategy::All | Strategy::Random => Machines::new(&random::machine_options(options))?,
        Strategy::States | Strategy::Exhaustive => Machines::new(&options.machine)?,
    };
    let class_path = machines.classes()?;
    let framework = framework(options.junit);
    let junit = match options.no_verify || options.count {
        true => String::new(),
        false => match &options.test_classpath {
            Some(jars) => jars.clone(),
            None => junit_jars(framework, &class_path)?,
        },
    };
    if !options.count {
        output::recover(&options.output)?;
    }
    let classes = classes::chosen(&machines, &class_path, &options.explore)?;
    if matches!(options.strategy(), Strategy::All | Strategy::Random) {
        return random::run(options, &machines, &class_path, &junit, &classes);
    }
    let jars = options.test_classpath.as_deref();
    let inputs = inputs::collect(&machines, &options.explore, &options.machine, jars)?;
    let groups: Vec<&[String]> = match options.together {
        true => vec![&classes],
        false => classes.chunks(1).collect(),
    };
    if options.strategy() == Strategy::Exhaustive && options.count {
        return count_sequences(options, &machines, &class_path, &inputs, &groups);
    }
    let mut worlds = if options.count { Vec::new() } else { machines.worlds()? };
    let checking = Checking {
        options,
        machines: &machines,
        class_path: &class_path,
        framework,
        junit: &junit,
    };
    let mut generated = Vec::new();
    // With several classes, one that cannot be tested does not keep the others from it.
    let failed = |group: &[String], reason: String| match groups.len() {
        1 => Err(reason),
        _ => {
            crate::say(&format!("{}: {reason}", shown(group)));
            Ok(())
        }
    };
    for batch in groups.chunks(AT_ONCE) {
        let mut unchecked = Vec::new();
        for group in batch.iter().take_while(|_| !watch::was_interrupted()) {
            match one_group(checking, &inputs, &mut worlds, group) {
                Ok(one) => unchecked.push(one),
                Err(reason) => failed(group, reason)?,
            }
        }
        for one in check(checking, unchecked) {
            match one {
                Ok(one) => generated.push(one),
                Err((group, reason)) => failed(&group, reason)?,
            }
        }
    }
    write(options, &generated)?;
    let text = match options.format {
        Format::Human => report::human(options, &generated),
        Format::Json => report::json(options, &generated).render(),
    };
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
    let has_findings = generated.iter().any(|one| !one.exploration.stopped.is_empty());
    Ok(if has_findings { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Classes as people name them.
fn shown(classes: &[String]) -> String {
    let names: Vec<String> = classes.iter().map(|class| class.replace('/', ".")).collect();
    names.join(", ")
}

/// Writes the sources of all classes, and takes away what an earlier run wrote beyond them.
fn write(options: &GenerateOptions, generated: &[Generated]) -> Result<(), String> {
    let mut output = Output { files: Vec::new(), gone: Vec::new(), replaces: Replaces::Ours };
    for one in generated {
        let sources = one.sources.iter();
        output
            .files
            .extend(sources.map(|it| (it.path.clone().into(), it.text.clone().into_bytes())));
        if !one.sources.is_empty() && !watch::was_interrupted() {
            output.gone.extend_from_slice(&one.outdated);
        }
    }
    output::write(&options.output, &output)
}

/// How much of all sequences is redundant.
fn count_sequences(
    options: &GenerateOptions,
    machines: &Machines,
    class_path: &ClassPath,
    inputs: &Inputs,
    groups: &[&[String]],
) -> Result<ExitCode, String> {
    let mut texts = String::new();
    let mut objects = Vec::new();
    for group in groups {
        let job = prepare(machines, group, &options.explore, inputs)?.job;
        let class = &group.join(", ");
        let (length, most) = (options.length, options.max_tests);
        let rows = exhaustive::rows(machines, class_path, &job, length, most, options.mutants)?;
        texts.push_str(&exhaustive::human(class, options.length, &rows));
        objects.push(exhaustive::json(class, options.length, &rows));
    }
    let text = match options.format {
        Format::Human => texts,
        Format::Json => Json::List(objects).render(),
    };
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn framework(junit: JUnit) -> Framework {
    match junit {
        JUnit::Three => Framework::JUnit3,
        JUnit::Four => Framework::JUnit4,
        JUnit::Five => Framework::JUnit5,
    }
}

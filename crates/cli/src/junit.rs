//! `nonpareil run --junit`: a JUnit suite on the machine, and what came out of it.

use std::fmt::Write;
use std::io::{IsTerminal, Write as _};
use std::process::ExitCode;

use classfile::ClassPath;
use emit::json::Json;
use observe::junit::{self, Event, Failure, Hear, Limits, Node, Outcome, Report};
use vm::frame::Stop;
use vm::mode::Plain;

use crate::counted::counted;
use crate::options::{Format, RunOptions};
use crate::os_host::OsHost;
use crate::run::{boot, reason, start_agents, with_agents};
use crate::watch::Progress;
use crate::{say, watch};

/// Runs the suite; an `Err` is a usage or input error.
pub(crate) fn run(options: &RunOptions) -> Result<ExitCode, String> {
    let named = options.test_classes()?;
    let class_path =
        ClassPath::parse(&options.machine.classpath).map_err(|error| error.to_string())?;
    let host = || match options.format {
        Format::Human => OsHost::new(),
        Format::Json => OsHost::new().with_output_to_stderr(),
    };
    let machine = with_agents(options);
    let mut vm = boot(&machine, host())?;
    if let Some(code) = start_agents(&mut vm, &options.javaagent)? {
        return Ok(code);
    }
    watch::catch_interrupts();
    let mut plan = junit::plan(&class_path, vm.jdk, named).map_err(|error| error.to_string())?;
    let mut report = Report::default();
    loop {
        let limits = Limits { test_fuel: u64::MAX, is_enough: watch::is_interrupted };
        // What tests print on the same terminal would mix with it.
        let hear: Hear = Box::new(|_| {});
        let hear = if std::io::stdout().is_terminal() { hear } else { with_progress(hear) };
        let ran = junit::run_limited(&mut vm, &mut Plain, &plan, limits, hear)
            .map_err(|error| error.to_string())?;
        let has_stopped = ran.stop.is_some();
        let rest = plan.rest(&ran);
        report.merge(ran);
        match rest {
            // What stopped the machine is the business of one class; the others get a new machine.
            Some(rest) if has_stopped && !watch::is_interrupted() => {
                plan = rest;
                vm = boot(&machine, host())?;
                if let Some(code) = start_agents(&mut vm, &options.javaagent)? {
                    return Ok(code);
                }
            }
            _ => break,
        }
    }
    let has_none = report.tests().next().is_none() && report.counts().all() == 0;
    if has_none && !watch::is_interrupted() {
        let names: Vec<String> = named.iter().map(|name| name.replace('/', ".")).collect();
        return Err(format!("JUnit finds no tests in {}", names.join(", ")));
    }
    if watch::is_interrupted() {
        say("interrupted: the report has what ran until then");
    }
    let text = match options.format {
        Format::Human => human(&report),
        Format::Json => json(&report).render(),
    };
    // Whoever closed standard output does not want to know.
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
    let is_fine = report.counts().failed == 0 && report.stop.is_none();
    Ok(if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Shows on a terminal how many tests have run.
pub(crate) fn with_progress(mut hear: Hear) -> Hear {
    let progress = Progress::new("tests", None);
    let mut n_tests = 0_usize;
    Box::new(move |event| {
        hear(event);
        match event {
            Event::Finished(node) if node.is_test => {
                n_tests += 1;
                progress.show(&format!("{n_tests} have run"));
            }
            Event::Finished(node) if node.parent.is_none() => progress.done(),
            _ => {}
        }
    })
}

/// The report for people: classes with their tests, then one line with the sums.
fn human(report: &Report) -> String {
    let mut text = String::new();
    let mut shown_class = None;
    for (idx, node) in report.nodes.iter().enumerate() {
        let has_failed = matches!(node.outcome, Outcome::Failed(_));
        let is_skipped_class = matches!(node.outcome, Outcome::Skipped(_) | Outcome::Aborted(_));
        if !node.is_test && !has_failed && !is_skipped_class {
            continue;
        }
        let top = top_class(report, idx);
        if shown_class != Some(top) {
            if shown_class.is_some() {
                text.push('\n');
            }
            let top_node = &report.nodes[top];
            let _ = writeln!(text, "{}", top_node.class.as_ref().unwrap_or(&top_node.name));
            shown_class = Some(top);
        }
        write_node(&mut text, report, idx, top);
    }
    let counts = report.counts();
    let _ = write!(
        text,
        "\n{}: {} passed, {} failed, {} skipped",
        counted(counts.all(), "test"),
        counts.passed,
        counts.failed,
        counts.skipped
    );
    if counts.not_run > 0 {
        let _ = write!(text, ", {} not run", counts.not_run);
    }
    text.push('\n');
    text
}

/// The outermost class that a node belongs to, or its outermost container.
fn top_class(report: &Report, idx: usize) -> usize {
    let path: Vec<usize> = report.path(idx).collect();
    let is_class = |&&idx: &&usize| report.nodes[idx].class.is_some();
    path.iter().rev().find(is_class).or(path.last()).copied().unwrap_or(idx)
}

fn write_node(text: &mut String, report: &Report, idx: usize, top: usize) {
    let node = &report.nodes[idx];
    let mut names: Vec<&str> = report
        .path(idx)
        .take_while(|&idx| idx != top)
        .map(|idx| report.nodes[idx].name.as_str())
        .collect();
    names.reverse();
    let name =
        if names.is_empty() { "(the class as a whole)".to_owned() } else { names.join(" > ") };
    let name = name.replace('\n', "\\n");
    match &node.outcome {
        Outcome::Passed => {
            let _ = writeln!(text, "  passed   {name}");
        }
        Outcome::Failed(failures) => {
            let _ = writeln!(text, "  FAILED   {name}");
            for failure in failures {
                write_failure(text, failure);
            }
        }
        Outcome::Aborted(failure) => {
            let message = failure.message.as_deref().unwrap_or(&failure.class);
            let _ = writeln!(text, "  aborted  {name}: {message}");
        }
        Outcome::Skipped(reason) if reason.is_empty() => {
            let _ = writeln!(text, "  skipped  {name}");
        }
        Outcome::Skipped(reason) => {
            let _ = writeln!(text, "  skipped  {name}: {reason}");
        }
        Outcome::Stopped(stop) => {
            let _ = writeln!(text, "  FAILED   {name}\n      {}", stopped(stop));
        }
        Outcome::NotRun if report.is_below_skipped(idx) => {
            let _ = writeln!(text, "  skipped  {name}");
        }
        Outcome::NotRun => {
            let _ = writeln!(text, "  not run  {name}");
        }
    }
}

fn write_failure(text: &mut String, failure: &Failure) {
    for line in failure.trimmed_trace().lines() {
        let _ = writeln!(text, "      {}", line.replace('\t', "    "));
    }
}

fn stopped(stop: &Stop) -> String {
    match stop {
        Stop::Exit(code) => format!("the test ended the program: System.exit({code})"),
        Stop::OutOfFuel if watch::is_interrupted() => "interrupted".to_owned(),
        stop => reason(stop).replace('\n', "\n      "),
    }
}

/// The report for programs.
fn json(report: &Report) -> Json {
    let counts = report.counts();
    let summary = Json::Object(vec![
        ("tests", Json::Number(counts.all())),
        ("passed", Json::Number(counts.passed)),
        ("failed", Json::Number(counts.failed)),
        ("skipped", Json::Number(counts.skipped)),
        ("notRun", Json::Number(counts.not_run)),
    ]);
    let nodes = report.nodes.iter().map(|node| json_node(report, node)).collect();
    Json::Object(vec![
        ("version", Json::Number(1)),
        ("summary", summary),
        ("stopped", report.stop.as_ref().map_or(Json::Null, |stop| Json::text(stopped(stop)))),
        ("nodes", Json::List(nodes)),
    ])
}

fn json_node(report: &Report, node: &Node) -> Json {
    let parent = node.parent.map_or(Json::Null, |parent| Json::text(&report.nodes[parent].id));
    let mut members = vec![
        ("id", Json::text(&node.id)),
        ("parent", parent),
        ("kind", Json::text(if node.is_test { "test" } else { "container" })),
        ("name", Json::text(&node.name)),
        ("class", Json::optional(node.class.as_ref())),
        ("method", Json::optional(node.method.as_ref())),
        ("parameters", Json::optional(node.parameters.as_ref())),
    ];
    match &node.outcome {
        Outcome::Passed => members.push(("outcome", Json::text("passed"))),
        Outcome::Failed(failures) => {
            members.push(("outcome", Json::text("failed")));
            members.push(("failures", Json::List(failures.iter().map(json_failure).collect())));
        }
        Outcome::Aborted(failure) => {
            members.push(("outcome", Json::text("aborted")));
            members.push(("failures", Json::List(vec![json_failure(failure)])));
        }
        Outcome::Skipped(reason) => {
            members.push(("outcome", Json::text("skipped")));
            members.push(("reason", Json::text(reason)));
        }
        Outcome::Stopped(stop) => {
            members.push(("outcome", Json::text("stopped")));
            members.push(("reason", Json::text(reason(stop))));
        }
        Outcome::NotRun => members.push(("outcome", Json::text("not-run"))),
    }
    if !node.entries.is_empty() {
        let entry = |(key, value): &(String, String)| {
            Json::Object(vec![("key", Json::text(key)), ("value", Json::text(value))])
        };
        members.push(("entries", Json::List(node.entries.iter().map(entry).collect())));
    }
    Json::Object(members)
}

fn json_failure(failure: &Failure) -> Json {
    Json::Object(vec![
        ("class", Json::text(&failure.class)),
        ("message", Json::optional(failure.message.as_ref())),
        ("trace", Json::text(&failure.trace)),
    ])
}

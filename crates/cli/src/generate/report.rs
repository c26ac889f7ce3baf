//! What generation from states came to, for people and for programs.

use std::fmt::Write;

use emit::json::Json;
use emit::junit;
use generate::arguments::{self, ArgumentList};
use generate::states::table::{ListId, StateId};
use generate::states::{Exploration, Job};
use vm::frame::Stop;

use super::group::{FromTests, Generated};
use super::shown;
use crate::agreement::Checked;
use crate::counted::{counted, verb};
use crate::options::GenerateOptions;
use crate::{left_out, run};

pub(super) fn human(options: &GenerateOptions, generated: &[Generated]) -> String {
    let mut text = String::new();
    for one in generated {
        let exploration = &one.exploration;
        let _ = writeln!(text, "{}", shown(&one.classes));
        let _ = writeln!(
            text,
            "  {} ({}), {}, {} in {:.1} s",
            counted(exploration.n_states(), "state"),
            one.job.technique,
            counted(exploration.n_calls(), "call"),
            counted(n_tests(one), "test"),
            one.time.1.as_secs_f64(),
        );
        if let Some(from) = &one.from_tests {
            text.push_str(&from_tests_text(from));
        }
        for (number, iteration) in exploration.iterations.iter().enumerate().skip(1) {
            let _ = writeln!(
                text,
                "  iteration {number}: {} tried, {}, {} threw, {} left the state as it was, {}",
                counted(iteration.expanded, "state"),
                counted(iteration.calls, "call"),
                iteration.threw,
                iteration.preserved,
                counted(iteration.new_states, "new state"),
            );
        }
        if !exploration.is_complete {
            let _ = writeln!(text, "  {}", cut_short(&one.job, exploration));
        }
        for class in &exploration.fallen_back {
            let _ = writeln!(
                text,
                "  {} has no equals that helps; its whole state was compared",
                class.replace('/', ".")
            );
        }
        for (method, missing) in &one.missing {
            let _ =
                writeln!(text, "  not called: {method}, no value of type {missing} can be made");
        }
        for (state, list, stop, n_more) in shortest(one) {
            let more = match n_more {
                0 => String::new(),
                _ => format!("; so do {}", counted(n_more, "other call of this method")),
            };
            let _ = writeln!(
                text,
                "  found: {} does not come back: {}{more}",
                way(one, state, list.idx()),
                finding(stop)
            );
        }
        if one.n_alike > 0 {
            let _ = writeln!(
                text,
                "  {} only what others do, so no tests are for them (--all writes those too)",
                calls_do(one.n_alike)
            );
        }
        text.push_str(&one.counts.lines("call"));
        for reason in &one.left_out {
            let _ = writeln!(text, "  no test can be written for {reason}");
        }
        for line in left_out::disagreements(&one.disagreements).lines() {
            let _ = writeln!(text, "  {line}");
        }
        for source in &one.sources {
            let path = options.output.join(&source.path);
            let checked = if options.no_verify { Checked::No } else { Checked::Passes };
            let tests = checked.tests(source.tests.len());
            let _ = writeln!(text, "  {}: {tests}", path.display());
        }
    }
    text
}

pub(super) fn json(options: &GenerateOptions, generated: &[Generated]) -> Json {
    let classes = generated.iter().map(|one| {
        let exploration = &one.exploration;
        let iterations = exploration.iterations.iter().skip(1).map(|iteration| {
            Json::Object(vec![
                ("expanded", Json::Number(iteration.expanded)),
                ("calls", Json::Number(iteration.calls)),
                ("threw", Json::Number(iteration.threw)),
                ("preserved", Json::Number(iteration.preserved)),
                ("newStates", Json::Number(iteration.new_states)),
            ])
        });
        let findings = exploration.stopped.iter().map(|(state, list, stop)| {
            Json::Object(vec![
                ("calls", Json::text(way(one, *state, list.idx()))),
                ("reason", Json::text(finding(stop))),
            ])
        });
        let not_called = one.missing.iter().map(|(method, _)| Json::text(method.to_string()));
        let mut members = vec![
            ("class", Json::text(shown(&one.classes))),
            ("technique", Json::text(one.job.technique.name())),
            ("states", Json::Number(exploration.n_states())),
            ("calls", Json::Number(exploration.n_calls())),
            ("seconds", Json::Decimal(one.time.0.as_secs_f64(), 3)),
            ("complete", Json::Flag(exploration.is_complete)),
            ("callsAlike", Json::Number(one.n_alike)),
            ("drafts", Json::Number(one.n_drafts)),
            ("tests", Json::Number(n_tests(one))),
            ("unstable", Json::Number(one.counts.n_unstable)),
            ("touchOutside", Json::Number(one.counts.n_outside)),
            ("orderDependentTests", Json::Number(one.counts.n_unordered.0)),
            ("orderDependentChecks", Json::Number(one.counts.n_unordered.1)),
            ("iterations", Json::List(iterations.collect())),
            ("notCalled", Json::List(not_called.collect())),
            ("findings", Json::List(findings.collect())),
            ("disagreements", left_out::disagreements_json(one.disagreements.iter())),
            ("files", left_out::files_json(&options.output, one.sources.iter())),
        ];
        members.extend(one.from_tests.iter().map(|from| ("fromTests", from_tests_json(from))));
        Json::Object(members)
    });
    Json::Object(vec![("classes", Json::List(classes.collect()))])
}

fn calls_do(n_calls: usize) -> String {
    format!("{} {}", counted(n_calls, "call"), verb(n_calls, "does", "do"))
}

fn n_tests(one: &Generated) -> usize {
    one.sources.iter().map(|source| source.tests.len()).sum()
}

/// A call as people write it.
fn call_text(list: &ArgumentList) -> String {
    let arguments: Vec<String> = list
        .arguments
        .iter()
        .map(|argument| match argument {
            arguments::Argument::Constant(constant) => junit::spell(constant),
            arguments::Argument::Built(sequence, _) => match sequence.statements().last() {
                Some(statement) => match statement.method() {
                    Some(method) => format!("new {}(…)", simple(&method.class)),
                    None => "new array".to_owned(),
                },
                None => "…".to_owned(),
            },
        })
        .collect();
    let method = &list.method;
    match method.is_constructor() {
        false if list.receiver.is_some() => {
            format!("{}.{}({})", simple(&method.class), method.name, arguments.join(", "))
        }
        true => format!("new {}({})", simple(&method.class), arguments.join(", ")),
        false => format!("{}({})", method.name, arguments.join(", ")),
    }
}

fn simple(class: &str) -> &str {
    class.rsplit(['/', '$']).next().unwrap_or_default()
}

fn list_of(job: &Job, idx: usize) -> &ArgumentList {
    let n_makers = job.makers.len();
    if idx < n_makers { &job.makers[idx] } else { &job.lists[idx - n_makers] }
}

/// The calls that lead to a state and one more.
fn way(one: &Generated, state: StateId, list: usize) -> String {
    let mut path = Vec::new();
    one.exploration.table.path(state, &mut path);
    let mut calls: Vec<String> = path
        .iter()
        .map(|&step| call_text(list_of(&one.job, one.exploration.table.link(step).list.idx())))
        .collect();
    calls.push(call_text(list_of(&one.job, list)));
    calls.join("; ")
}

fn from_tests_text(from: &FromTests) -> String {
    let mut text = format!(
        "  from {}: {} with {}, {}",
        counted(from.n_tests, "test"),
        counted(from.n_calls, "call"),
        counted(from.n_lists, "argument list"),
        counted(from.n_states, "state")
    );
    if from.n_left_out > 0 {
        let calls = counted(from.n_left_out, "call");
        let _ = write!(text, "; {calls} with an argument that cannot be built again");
    }
    text.push('\n');
    if from.n_failed > 0 {
        let fail = verb(from.n_failed, "fails", "fail");
        let _ = writeln!(text, "  {} of these tests {fail}", from.n_failed);
    }
    for class in &from.left_out {
        let _ = writeln!(text, "  {class} stops the machine and was left out");
    }
    text
}

fn from_tests_json(from: &FromTests) -> Json {
    Json::Object(vec![
        ("tests", Json::Number(from.n_tests)),
        ("failed", Json::Number(from.n_failed)),
        (
            "leftOut",
            Json::List(from.left_out.iter().map(|name| Json::text(name.clone())).collect()),
        ),
        ("calls", Json::Number(from.n_calls)),
        ("argumentLists", Json::Number(from.n_lists)),
        ("states", Json::Number(from.n_states)),
        ("callsLeftOut", Json::Number(from.n_left_out)),
    ])
}

/// That an exploration came to no end, and what would let it go further.
pub(crate) fn cut_short(job: &Job, exploration: &Exploration) -> String {
    if job.most_states <= exploration.n_states() {
        return format!(
            "stopped at {}: not every state was tried (--max-states says how many are)",
            counted(exploration.n_states(), "state")
        );
    }
    match job.most_calls {
        Some(most) if most <= exploration.n_calls() => format!(
            "stopped after {}: not every state was tried (--iterations, --max-states or --time say how far to go)",
            counted(exploration.n_calls(), "call")
        ),
        _ => "stopped early: not every state was tried".to_owned(),
    }
}

/// Calls that did not come back: of those of one method that end alike the first, in the shortest way there, and how
/// many more there are.
fn shortest(one: &Generated) -> Vec<(StateId, ListId, &Stop, usize)> {
    let mut found: Vec<(StateId, ListId, &Stop, usize)> = Vec::new();
    for (state, list, stop) in &one.exploration.stopped {
        let method = |list: ListId| &list_of(&one.job, list.idx()).method;
        let is_known = |known: &&mut (StateId, ListId, &Stop, usize)| {
            method(known.1) == method(*list) && finding(known.2) == finding(stop)
        };
        match found.iter_mut().find(is_known) {
            Some(known) => known.3 += 1,
            None => found.push((*state, *list, stop, 0)),
        }
    }
    found
}

fn finding(stop: &Stop) -> String {
    match stop {
        Stop::OutOfFuel => "an endless loop, or a very long one (--fuel gives more)".to_owned(),
        other => run::reason(other),
    }
}

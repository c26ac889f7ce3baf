//! What `minimize` found, for people and for programs.

use std::fmt::Write;

use emit::json::Json;
use observe::record::{GRAMMAR, LARGEST_ASKED, MOST_BYTES_ASKED};

use super::judge::{Judged, Minimized, Row, Status};
use super::sources::Changes;
use crate::counted::{counted, verb};

/// The report for people.
pub(super) fn human(minimized: &Minimized, changes: Option<&Changes>) -> String {
    let mut text = String::new();
    let techniques = minimized.techniques;
    let _ = write!(text, "technique: {}", techniques.receiver);
    if techniques.arguments != techniques.receiver {
        let _ = write!(text, ", {} for arguments", techniques.arguments);
    }
    text.push('\n');
    write_list(&mut text, "classes under test", &minimized.classes_under_test);
    write_list(&mut text, "no part of a state", &by_class(&minimized.left_out));
    if !minimized.fallen_back.is_empty() {
        write_list(&mut text, "without an equals that helps", &minimized.fallen_back);
    }
    if !minimized.too_large.is_empty() {
        write_list(&mut text, &too_large(), &minimized.too_large);
    }
    if minimized.is_explained {
        let _ = writeln!(text, "states are written as expressions: {GRAMMAR}");
    }
    text.push('\n');
    write_table(&mut text, minimized);
    write_tests(&mut text, minimized);
    if let Some(order) = &minimized.priorities {
        text.push_str("\nby priority\n");
        for (place, &test) in order.iter().enumerate() {
            let _ = writeln!(text, "  {:>4}  {}", place + 1, minimized.tests[test].name());
        }
    }
    if let Some(changes) = changes {
        write_changes(&mut text, changes);
    }
    text
}

/// The heading of classes with large states.
pub(crate) fn too_large() -> String {
    let most = MOST_BYTES_ASKED >> 10;
    format!("with states of more than {LARGEST_ASKED} objects or {most} KB, compared as a whole")
}

/// Fields with those of one class in one word: `java.util.HashMap.{entrySet, modCount}`.
fn by_class(fields: &[String]) -> Vec<String> {
    let class = |field: &String| field.rsplit_once('.').map_or("", |(class, _)| class).to_owned();
    let together = |fields: &[String]| match fields {
        [field] => field.clone(),
        fields => {
            let class = class(&fields[0]);
            let names: Vec<&str> = fields.iter().map(|field| &field[class.len() + 1..]).collect();
            format!("{class}.{{{}}}", names.join(", "))
        }
    };
    fields.chunk_by(|a, b| class(a) == class(b)).map(together).collect()
}

/// A heading and names behind it, over as many lines as they need.
fn write_list(text: &mut String, heading: &str, names: &[String]) {
    const WIDTH: usize = 110;
    let mut line = format!("{heading}:");
    if names.is_empty() {
        line.push_str(" nothing");
    }
    for (idx, name) in names.iter().enumerate() {
        let comma = if idx + 1 < names.len() { "," } else { "" };
        if line.len() + name.len() + 2 > WIDTH {
            let _ = writeln!(text, "{line}");
            line = "   ".to_owned();
        }
        let _ = write!(line, " {name}{comma}");
    }
    let _ = writeln!(text, "{line}");
}

const HEADINGS: [&str; 7] =
    ["test class", "tests", "redundant", "executions", "distinct", "branches", "exceptions"];

fn write_table(text: &mut String, minimized: &Minimized) {
    let cells = |row: &Row| -> [String; 7] {
        [
            row.name.clone(),
            row.n_tests.to_string(),
            row.n_redundant.to_string(),
            row.n_executions.to_string(),
            row.n_distinct.to_string(),
            format!("{} -> {}", row.branches[0], row.branches[1]),
            format!("{} -> {}", row.exceptions[0], row.exceptions[1]),
        ]
    };
    let mut lines = vec![HEADINGS.map(str::to_owned)];
    lines.extend(minimized.rows.iter().map(cells));
    let mut total = cells(&minimized.total);
    let _ = write!(total[5], " of {}", minimized.n_branches);
    lines.push(total);
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
    let widths: Vec<usize> = (0..HEADINGS.len()).map(|column| width(column).unwrap_or(0)).collect();
    for line in &lines {
        let _ = write!(text, "{:<1$}", line[0], widths[0]);
        for (cell, width) in line.iter().zip(&widths).skip(1) {
            let _ = write!(text, "  {cell:>width$}");
        }
        text.push('\n');
    }
}

fn write_tests(text: &mut String, minimized: &Minimized) {
    let all = &minimized.tests;
    let mut write_group = |heading: &str, line: &dyn Fn(&Judged) -> Option<String>| {
        let mut is_first = true;
        for test in all {
            let Some(line) = line(test) else { continue };
            if std::mem::take(&mut is_first) {
                let _ = writeln!(text, "\n{heading}");
            }
            let _ = writeln!(text, "  {line}");
            for line in &test.explanation {
                let _ = writeln!(text, "      {line}");
            }
        }
    };
    write_group("redundant", &|test| match &test.status {
        Status::Redundant(by) => {
            let by: Vec<String> = by.iter().map(|&by| all[by].name()).collect();
            Some(format!("{}: because of {}", test.name(), by.join(", ")))
        }
        _ => None,
    });
    write_group("kept", &|test| {
        let is_shown = test.status == Status::Kept && !test.explanation.is_empty();
        is_shown.then(|| test.name())
    });
    write_group("left as they are", &|test| match &test.status {
        Status::NotPassed(why) => Some(format!("{}: {why}", test.name())),
        Status::Disabled => Some(format!("{}: it is disabled", test.name())),
        Status::Kept | Status::Redundant(_) | Status::NoCalls => None,
    });
    let n_idle = all.iter().filter(|test| test.status == Status::NoCalls).count();
    if n_idle > 0 {
        let _ = writeln!(
            text,
            "\n{} {} no class under test and {} left as {}",
            counted(n_idle, "test"),
            verb(n_idle, "calls", "call"),
            verb(n_idle, "is", "are"),
            verb(n_idle, "it is", "they are")
        );
    }
    let stays = |test: &&Judged| !test.is_method && test.status == Status::Kept;
    let n_staying = all.iter().filter(stays).count();
    if n_staying > 0 {
        let _ = writeln!(
            text,
            "\n{} {} no method of {} own to take out, as those that suite() makes, and {} kept",
            counted(n_staying, "test"),
            verb(n_staying, "has", "have"),
            verb(n_staying, "its", "their"),
            verb(n_staying, "is", "are")
        );
    }
}

fn write_changes(text: &mut String, changes: &Changes) {
    let _ = writeln!(
        text,
        "\n{} {} in {}",
        counted(changes.n_tests, "test"),
        changes.what_was_done(),
        counted(changes.files.len(), "file")
    );
    for file in &changes.files {
        let _ = writeln!(text, "  {}", file.shown.display());
    }
    for (test, why) in &changes.left_alone {
        let _ = writeln!(text, "  left alone: {test}: {why}");
    }
    for class in &changes.emptied {
        let _ = writeln!(text, "  no test is left in {class}");
    }
}

/// The report for programs.
pub(super) fn json(minimized: &Minimized, changes: Option<&Changes>) -> Json {
    let texts = |names: &[String]| Json::List(names.iter().map(Json::text).collect());
    let all = &minimized.tests;
    let names = |positions: &[usize]| {
        Json::List(positions.iter().map(|&idx| Json::text(all[idx].name())).collect())
    };
    let tests = all.iter().map(|test| json_test(test, &names)).collect();
    Json::Object(vec![
        ("version", Json::Number(1)),
        ("technique", Json::text(minimized.techniques.receiver.name())),
        ("argumentTechnique", Json::text(minimized.techniques.arguments.name())),
        ("ignoredFields", texts(&minimized.left_out)),
        ("withoutEquals", texts(&minimized.fallen_back)),
        ("tooLargeForEquals", texts(&minimized.too_large)),
        ("classesUnderTest", texts(&minimized.classes_under_test)),
        ("branches", Json::Number(minimized.n_branches)),
        ("summary", json_row(&minimized.total)),
        ("testClasses", Json::List(minimized.rows.iter().map(json_row).collect())),
        ("tests", Json::List(tests)),
        ("priorities", minimized.priorities.as_deref().map_or(Json::Null, names)),
        ("changes", changes.map_or(Json::Null, json_changes)),
    ])
}

fn json_row(row: &Row) -> Json {
    let number = |count: u64| Json::Number(usize::try_from(count).unwrap_or(usize::MAX));
    let pair = |[before, after]: [usize; 2]| {
        Json::Object(vec![("before", Json::Number(before)), ("after", Json::Number(after))])
    };
    Json::Object(vec![
        ("name", Json::text(&row.name)),
        ("tests", Json::Number(row.n_tests)),
        ("redundant", Json::Number(row.n_redundant)),
        ("executions", number(row.n_executions)),
        ("distinct", Json::Number(row.n_distinct)),
        ("coveredBranches", pair(row.branches)),
        ("exceptions", pair(row.exceptions)),
    ])
}

fn json_test(test: &Judged, names: &dyn Fn(&[usize]) -> Json) -> Json {
    let mut members = vec![
        ("class", Json::text(&test.class)),
        ("method", Json::text(&test.method)),
        ("parameters", Json::optional(test.parameters.as_ref())),
        ("executions", Json::Number(usize::try_from(test.n_executions).unwrap_or(usize::MAX))),
    ];
    match &test.status {
        Status::Kept => {
            members.push(("status", Json::text("kept")));
            if !test.is_method {
                members.push(("reason", Json::text("it has no method of its own to take out")));
            }
        }
        Status::Redundant(by) => {
            members.push(("status", Json::text("redundant")));
            members.push(("because", names(by)));
        }
        Status::Disabled => members.push(("status", Json::text("disabled"))),
        Status::NoCalls => members.push(("status", Json::text("no-calls"))),
        Status::NotPassed(why) => {
            members.push(("status", Json::text("not-passed")));
            members.push(("reason", Json::text(why)));
        }
    }
    if !test.explanation.is_empty() {
        let lines = test.explanation.iter().map(Json::text).collect();
        members.push(("explanation", Json::List(lines)));
    }
    Json::Object(members)
}

fn json_changes(changes: &Changes) -> Json {
    let files = changes.files.iter();
    let left_alone = changes.left_alone.iter().map(|(test, why)| {
        Json::Object(vec![("test", Json::text(test)), ("reason", Json::text(why))])
    });
    Json::Object(vec![
        ("tests", Json::Number(changes.n_tests)),
        (
            "files",
            Json::List(files.map(|file| Json::text(file.shown.display().to_string())).collect()),
        ),
        ("leftAlone", Json::List(left_alone.collect())),
        ("withoutTests", Json::List(changes.emptied.iter().map(Json::text).collect())),
    ])
}

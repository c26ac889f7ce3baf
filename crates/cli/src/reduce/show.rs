//! What `reduce` found, for people and for programs.

use std::fmt::Write;

use emit::json::Json;
use emit::outline;
use emit::prune::Focus;
use observe::junit::Counts;

use super::{Class, Failed, Reduced};
use crate::counted::{counted, verb};
use crate::options::ReduceOptions;

/// So many tests of a class are named.
const MOST_NAMES: usize = 5;

/// The report for people.
pub(super) fn human(
    options: &ReduceOptions,
    counts: Counts,
    failed: &[Failed],
    classes: &[Class],
) -> String {
    if failed.is_empty() {
        return format!("no test fails: {} passed, {} skipped\n", counts.passed, counts.skipped);
    }
    let not_run = match counts.not_run {
        0 => String::new(),
        n_tests => format!("; {n_tests} could not be run"),
    };
    let mut text = format!(
        "{} of {} {}, in {} of failures{not_run}\n\n",
        failed.len(),
        counted(counts.all(), "test"),
        verb(failed.len(), "fails", "fail"),
        counted(classes.len(), "class")
    );
    write_table(&mut text, failed, classes);
    for (number, class) in classes.iter().enumerate() {
        write_class(&mut text, options, failed, number, class);
    }
    text
}

fn write_table(text: &mut String, failed: &[Failed], classes: &[Class]) {
    let mut lines = vec![["", "tests", "exception", "where"].map(str::to_owned)];
    for (number, class) in classes.iter().enumerate() {
        let cause = &failed[class.representative].cause;
        let exception = cause.exception.rsplit('.').next().unwrap_or(&cause.exception);
        let place = match &cause.call {
            Some(call) if !cause.is_crash => format!("{} after {call}", cause.place),
            _ => cause.place.clone(),
        };
        lines.push([
            (number + 1).to_string(),
            class.members.len().to_string(),
            exception.to_owned(),
            place,
        ]);
    }
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
    let [first, second, third] = [0, 1, 2].map(|column| width(column).unwrap_or(0));
    for [number, n_tests, exception, place] in &lines {
        let _ =
            writeln!(text, "{number:>first$}  {n_tests:>second$}  {exception:<third$}  {place}");
    }
}

fn write_class(
    text: &mut String,
    options: &ReduceOptions,
    failed: &[Failed],
    number: usize,
    class: &Class,
) {
    let shown = &failed[class.representative];
    let _ = writeln!(text, "\n{}  {}", number + 1, shown.cause.exception);
    if let Some(message) = &shown.cause.message {
        let _ = writeln!(text, "   {}", message.lines().next().unwrap_or_default());
    }
    let names: Vec<&str> =
        class.members.iter().take(MOST_NAMES).map(|&idx| failed[idx].name.as_str()).collect();
    let more = match class.members.len() - names.len() {
        0 => String::new(),
        n_more => format!(" and {n_more} more"),
    };
    let _ = writeln!(text, "   in {}{more}", names.join(", "));
    let length = shown.source.as_ref().map_or(0, |source| source.length);
    match &class.reduced {
        None => {
            let length = counted(length, "statement");
            let _ = writeln!(text, "   shown by {} in {length}", shown.name);
        }
        Some(Err(why)) => {
            let _ = writeln!(text, "   shown by {} as it is: {why}", shown.name);
        }
        Some(Ok(reduced)) => {
            let now = match (options.no_shrink, reduced.n_statements) {
                (true, n) => counted(n, "statement"),
                (false, n) => format!("{n} of {}", counted(length, "statement")),
            };
            let _ =
                writeln!(text, "   shown by {} in {now}; {}", shown.name, confirmation(reduced));
            for line in reduced.method.lines() {
                let _ = writeln!(text, "{}", format!("       {line}").trim_end());
            }
            if let Some(output) = options.output.as_ref().filter(|_| reduced.doubt.is_none()) {
                let _ = writeln!(text, "   written to {}", output.join(&reduced.path).display());
            }
        }
    }
}

fn confirmation(reduced: &Reduced) -> String {
    match &reduced.doubt {
        None => "fails the same way on the real JVM".to_owned(),
        Some(doubt) => format!("not kept: {doubt}"),
    }
}

/// The report for programs.
pub(super) fn json(
    options: &ReduceOptions,
    counts: Counts,
    failed: &[Failed],
    classes: &[Class],
) -> Json {
    let summary = Json::Object(vec![
        ("tests", Json::Number(counts.all())),
        ("failed", Json::Number(failed.len())),
        ("notRun", Json::Number(counts.not_run)),
        ("classes", Json::Number(classes.len())),
    ]);
    let classes = classes.iter().map(|class| json_class(options, failed, class)).collect();
    Json::Object(vec![
        ("version", Json::Number(1)),
        ("summary", summary),
        ("classes", Json::List(classes)),
    ])
}

fn json_class(options: &ReduceOptions, failed: &[Failed], class: &Class) -> Json {
    let shown = &failed[class.representative];
    let cause = &shown.cause;
    let tests = class.members.iter().map(|&idx| Json::text(&failed[idx].name)).collect();
    let statements = |length: Option<usize>| length.map_or(Json::Null, Json::Number);
    let mut members = vec![
        ("exception", Json::text(&cause.exception)),
        ("message", Json::optional(cause.message.as_ref())),
        ("where", Json::text(&cause.place)),
        ("lastCall", Json::optional(cause.call.as_ref())),
        ("isCrash", Json::Flag(cause.is_crash)),
        ("tests", Json::List(tests)),
        ("representative", Json::text(&shown.name)),
        ("statements", statements(shown.source.as_ref().ok().map(|source| source.length))),
    ];
    match &class.reduced {
        None => {}
        Some(Err(why)) => members.push(("notReduced", Json::text(why))),
        Some(Ok(reduced)) => {
            let written = options.output.as_ref().filter(|_| reduced.doubt.is_none());
            let path = written.map(|output| output.join(&reduced.path).display().to_string());
            members.push((
                "reduced",
                Json::Object(vec![
                    ("class", Json::text(&reduced.class)),
                    ("statements", Json::Number(reduced.n_statements)),
                    ("confirmed", Json::Flag(reduced.doubt.is_none())),
                    ("doubt", Json::optional(reduced.doubt.as_ref())),
                    ("source", Json::text(&reduced.text)),
                    ("file", Json::optional(path.as_ref())),
                ]),
            ));
        }
    }
    Json::Object(members)
}

/// The source of a test alone, without its indentation.
pub(super) fn method_of(source: &str, focus: &Focus) -> Option<String> {
    let map = outline::locate(source).ok()?;
    let (_, class) = map.class(&focus.class)?;
    let is_it = |method: &&outline::MethodDecl| {
        method.name == focus.method
            && focus.parameters.as_ref().is_none_or(|wanted| method.parameters == *wanted)
    };
    let method = class.methods.iter().find(is_it)?;
    let text = &source[method.span.clone()];
    let line_start = source[..method.span.start].rfind('\n').map_or(0, |at| at + 1);
    let indent = &source[line_start..method.span.start];
    let lines = text.lines().map(|line| line.strip_prefix(indent).unwrap_or(line));
    Some(lines.collect::<Vec<&str>>().join("\n"))
}

//! What is said of tests that were left out, alike by all commands that write tests.

use std::fmt::Write;

use emit::json::Json;
use emit::junit::SourceFile;

use crate::counted::{counted, verb};
use crate::verify::Disagreement;

/// How many tests were left out for which reason.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LeftOut {
    /// They do not end alike in all worlds.
    pub(crate) n_unstable: usize,
    /// They would touch files, programs or the network, or wait for long.
    pub(crate) n_outside: usize,
    /// Tests, and checks of others, that depend on which tests ran before.
    pub(crate) n_unordered: (usize, usize),
}

impl LeftOut {
    /// A line for each reason that there is; `one` has no test: `call`.
    pub(crate) fn lines(&self, one: &str) -> String {
        let mut text = String::new();
        let LeftOut { n_unstable, n_outside, n_unordered: (n_tests, n_checks) } = *self;
        if n_unstable > 0 {
            let _ = writeln!(
                text,
                "  {} {} on time, place or hash codes and {} no test",
                counted(n_unstable, one),
                verb(n_unstable, "depends", "depend"),
                verb(n_unstable, "has", "have")
            );
        }
        text.push_str(&outside(n_outside, &counted(n_outside, one)));
        if n_tests + n_checks > 0 {
            let parts = [(n_tests, "test", ""), (n_checks, "check", " of others")];
            let parts = parts.into_iter().filter(|(number, ..)| *number > 0);
            let named: Vec<String> =
                parts.map(|(number, one, of)| format!("{}{of}", counted(number, one))).collect();
            let _ = writeln!(
                text,
                "  left out for depending on which tests ran before: {}",
                named.join(", ")
            );
        }
        text
    }
}

/// That so many have no test because they would touch what is the user's; `which` names them with their number.
pub(crate) fn outside(n_outside: usize, which: &str) -> String {
    let [touch, wait, have] = [("touches", "touch"), ("waits", "wait"), ("has", "have")]
        .map(|(does, do_)| verb(n_outside, does, do_));
    match n_outside {
        0 => String::new(),
        _ => format!(
            "  {which} {touch} files, programs or the network, or {wait} for long, and {have} no test\n"
        ),
    }
}

/// A line for each test that the real JVM disagrees about.
pub(crate) fn disagreements(all: &[Disagreement]) -> String {
    let line = |one: &Disagreement| {
        format!("disagreement, left out: {}.{}: {}\n", one.class, one.method, one.reason)
    };
    all.iter().map(line).collect()
}

/// The same for programs.
pub(crate) fn disagreements_json<'a>(all: impl Iterator<Item = &'a Disagreement>) -> Json {
    let one = |one: &Disagreement| {
        Json::Object(vec![
            ("class", Json::text(one.class.clone())),
            ("method", Json::text(one.method.clone())),
            ("reason", Json::text(one.reason.clone())),
        ])
    };
    Json::List(all.map(one).collect())
}

/// Files that were written below a folder, for programs.
pub(crate) fn files_json<'a>(
    folder: &std::path::Path,
    sources: impl Iterator<Item = &'a SourceFile>,
) -> Json {
    let one = |source: &SourceFile| {
        Json::Object(vec![
            ("path", Json::text(folder.join(&source.path).display().to_string())),
            ("tests", Json::Number(source.tests.len())),
        ])
    };
    Json::List(sources.map(one).collect())
}

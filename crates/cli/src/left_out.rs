//! What is said of tests that were left out, alike by all commands that write tests.

use std::fmt::Write;

use emit::json::Json;
use emit::junit::SourceFile;

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
    /// A line for each reason that there is; `what` has no test: `calls`.
    pub(crate) fn lines(&self, what: &str) -> String {
        let mut text = String::new();
        let LeftOut { n_unstable, n_outside, n_unordered: (n_tests, n_checks) } = *self;
        if n_unstable > 0 {
            let _ = writeln!(
                text,
                "  {n_unstable} {what} depend on time, place or hash codes and have no test"
            );
        }
        text.push_str(&outside(n_outside, what));
        if n_tests + n_checks > 0 {
            let _ = writeln!(
                text,
                "  {n_tests} tests and {n_checks} checks of others depend on which tests ran before and were left out"
            );
        }
        text
    }
}

/// How many of something have no test because they would touch what is the user's.
pub(crate) fn outside(n_outside: usize, what: &str) -> String {
    match n_outside {
        0 => String::new(),
        n => format!(
            "  {n} {what} touch files, programs or the network, or wait for long, and have no test\n"
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

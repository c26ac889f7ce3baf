//! Repository chores as code: `cargo run -p xtask -- tidy`, `… -- bench BINARY`,
//! `… -- experiments BINARY`.
//!
//! Reads files and runs commands; links no product crate.

mod bench;
mod experiments;
mod json;
mod tidy;

use std::process::ExitCode;

use bench::Keep;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["tidy"] => tidy::check(),
        ["experiments", binary] => {
            bench::java_home().and_then(|java_home| experiments::run(binary, &java_home))
        }
        ["experiments", binary, "redundancy"] => bench::java_home()
            .and_then(|java_home| experiments::run_redundancy(binary, &java_home)),
        ["experiments", binary, "strategies"] => bench::java_home()
            .and_then(|java_home| experiments::run_strategies(binary, &java_home)),
        ["experiments", binary, "random", section @ ..] if section.len() < 2 => bench::java_home()
            .and_then(|java_home| {
                experiments::run_random(binary, &java_home, section.first().copied())
            }),
        ["bench", "--record", binary] => bench::run(binary, &[], Keep::Record),
        ["bench", binary, filter @ ..] => bench::run(binary, filter, Keep::No),
        _ => Err("usage: xtask tidy | xtask bench [--record] BINARY | xtask bench BINARY PROGRAM… | xtask bench BINARY minimize|mutants | xtask experiments BINARY [redundancy|strategies|random [SECTION]]"
            .to_string()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            report(&message);
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::print_stderr, reason = "this is a command-line tool")]
fn report(message: &str) {
    eprintln!("{message}");
}

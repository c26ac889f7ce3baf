//! The `nonpareil` command: options in, exit code out. Decides nothing but what to call.

mod agreement;
mod assess;
mod attributes;
mod boot_image;
mod class_files;
mod class_path;
mod counted;
mod exhaustive;
mod files;
mod generate;
mod inputs;
mod inspect;
mod jdk;
mod junit;
mod left_out;
mod machines;
mod minimize;
mod options;
mod os_host;
mod output;
mod processes;
mod programs;
mod random;
mod reduce;
mod run;
mod selection;
mod side_by_side;
mod sockets;
mod source_text;
mod target;
mod verify;
mod watch;
mod watches;

use std::io::Write;
use std::panic;
use std::process::ExitCode;

use clap::Parser;

use options::{Command, Options};

/// Sequences, states and snapshots are many small pieces that come and go; the system's allocator takes a third
/// of the time of random generation.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Exit codes that are not the program's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Failure {
    /// A usage or input error.
    Input = 2,
    /// A mistake of ours.
    Internal = 70,
}

fn main() -> ExitCode {
    let options = match Options::try_parse() {
        Ok(options) => options,
        Err(error) => {
            // Help and version are no errors and go to standard output; clap knows.
            let _ = error.print();
            return if error.use_stderr() {
                ExitCode::from(Failure::Input as u8)
            } else {
                ExitCode::SUCCESS
            };
        }
    };
    let result = panic::catch_unwind(|| match &options.command {
        Command::Run(options) => run::run(options),
        Command::Generate(options) => generate::run(options),
        Command::Assess(options) => assess::run(options),
        Command::Minimize(options) => minimize::run(options),
        Command::Inspect(options) => inspect::run(options),
        Command::Reduce(options) => reduce::run(options),
    });
    match result {
        Ok(Ok(code)) => code,
        Ok(Err(message)) => {
            say(&format!("error: {message}"));
            ExitCode::from(Failure::Input as u8)
        }
        Err(_) => {
            say(
                "this is a bug in nonpareil; please report it with the lines above and the command",
            );
            ExitCode::from(Failure::Internal as u8)
        }
    }
}

/// A line for the user. Standard error may be closed; then nobody wants to know.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

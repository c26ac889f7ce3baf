//! Options of everything that explores states.

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use observe::state::mask::{FieldName, Mask};
use observe::state::technique::Technique;

/// Which classes, calls and arguments are tried, how far, and when two states are the same.
#[derive(Debug, Args)]
pub(crate) struct ExploreOptions {
    /// A class under test: with its package, or its simple name where only one class is called so; with `*`
    /// for any text all public classes whose names fit. May be given several times. Without --class and
    /// --package: all public classes in the folders of the class path, or in its jars where no folder has any.
    #[arg(long = "class", value_name = "NAME")]
    pub(crate) classes: Vec<String>,

    /// A package whose public classes are under test, with those below it: `com.acme`; `com.acme.*` without
    /// those below. May be one of the JDK. May be given several times.
    #[arg(long = "package", value_name = "NAME")]
    pub(crate) packages: Vec<String>,

    /// Only these methods: `push,pop`, or with parameters `remove(Object)`; constructors are named
    /// `new` or `new(int)`, and without such a name all are called.
    #[arg(long, value_name = "NAMES", value_parser = methods)]
    pub(crate) methods: Option<Methods>,

    /// Arguments for a type (`int=1,2,3`), a method (`push=1,2,3`, constructors by `new=1,2`) or a method's
    /// parameters one by one (`put=1,2;v`); may be given several times.
    #[arg(long, value_name = "NAME=VALUES")]
    pub(crate) arguments: Vec<String>,

    /// A folder of compiled JUnit tests, which are run; arguments are those with which they call the
    /// classes, objects are built as they build them. May be given several times.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) from_tests: Vec<PathBuf>,

    /// Also use default arguments where tests gave others.
    #[arg(long)]
    pub(crate) default_arguments: bool,

    /// Also call what only the class's own package sees.
    #[arg(long)]
    pub(crate) package_private: bool,

    /// How often every state found so far is tried with every call. Without this option, --time and
    /// --max-states: 3 times, but no further state is tried after 250000 calls per class.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) iterations: Option<u32>,

    /// Stop exploring after this time: `30s`, `5m`, `500ms`. The result then depends on the machine.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) time: Option<Duration>,

    /// Stop exploring at this many states per class; otherwise at 100000.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) max_states: Option<NonZero<usize>>,

    /// When two states are the same: whole-seq (the same calls led there), modifying-seq (the same
    /// changing calls did), whole-state (all fields are the same), monitor-equals (all fields that
    /// equals reads are), pairwise-equals (equals says so).
    #[arg(long, value_name = "NAME", default_value = "whole-state", value_parser = technique)]
    pub(crate) technique: Technique,

    /// A field that is no part of a state: `com.acme.Cart.version`; may be given several times.
    #[arg(long, value_name = "FIELD", value_parser = field)]
    pub(crate) ignore_field: Vec<FieldName>,

    /// Every field is part of a state, even counters and caches of the JDK's own classes.
    #[arg(long)]
    pub(crate) strict_state: bool,

    /// Bytecodes that one call may take before it counts as endless.
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) fuel: u64,

    /// Threads; otherwise as many as there are processors. The result is the same for any number.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) jobs: Option<NonZero<usize>>,
}

/// Iterations, states and calls of a class, where nobody says how far to go.
const ITERATIONS: u32 = 3;
const MOST_STATES: usize = 100_000;
const MOST_CALLS: usize = 250_000;

impl ExploreOptions {
    /// How often every state is tried with every call.
    pub(crate) fn n_iterations(&self) -> u32 {
        self.iterations.unwrap_or(ITERATIONS)
    }

    /// States per class, at most.
    pub(crate) fn most_states(&self) -> usize {
        self.max_states.map_or(MOST_STATES, NonZero::get)
    }

    /// Calls per class after which no further state is tried, where nothing else says how far to go.
    pub(crate) fn most_calls(&self) -> Option<usize> {
        let is_limited =
            self.iterations.is_some() || self.time.is_some() || self.max_states.is_some();
        (!is_limited).then_some(MOST_CALLS)
    }

    /// What is no part of a state.
    pub(crate) fn mask(&self) -> Mask {
        Mask { strict: self.strict_state, ignored: self.ignore_field.clone() }
    }

    /// Number of threads.
    pub(crate) fn n_workers(&self) -> usize {
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or_else(processors, NonZero::get)
    }

    /// The names of `--methods`.
    pub(crate) fn method_names(&self) -> Vec<String> {
        self.methods.as_ref().map_or_else(Vec::new, |methods| methods.0.clone())
    }
}

/// Names of methods.
#[derive(Debug, Clone)]
pub(crate) struct Methods(Vec<String>);

/// Splits at commas outside of parentheses.
fn methods(text: &str) -> Result<Methods, String> {
    let mut names = vec![String::new()];
    let mut depth = 0_u32;
    for letter in text.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                names.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(name) = names.last_mut() {
            name.push(letter);
        }
    }
    if names.iter().any(|name| name.trim().is_empty()) {
        return Err("an empty name".to_owned());
    }
    Ok(Methods(names.iter().map(|name| name.trim().to_owned()).collect()))
}

pub(super) fn technique(text: &str) -> Result<Technique, String> {
    Technique::of_name(text).ok_or_else(|| {
        let names: Vec<&str> = Technique::ALL.iter().map(|technique| technique.name()).collect();
        format!("one of {}", names.join(", "))
    })
}

pub(super) fn field(text: &str) -> Result<FieldName, String> {
    FieldName::parse(text).ok_or_else(|| "not of the form package.Class.field".to_owned())
}

/// Reads `30s`, `5m`, `500ms`, `1h`; a bare number is seconds.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let split = text.find(|letter: char| letter.is_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let seconds = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("{unit} is no unit of time; use ms, s, m or h")),
    };
    let number: f64 = number.parse().map_err(|_| format!("{text} is no time; write 30s"))?;
    Duration::try_from_secs_f64(number * seconds).map_err(|error| error.to_string())
}

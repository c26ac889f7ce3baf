//! Options of random generation.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use observe::contract::exceptions;

/// How sequences are drawn, for --strategy random.
#[derive(Debug, Args)]
#[command(next_help_heading = "Random generation (--strategy random)")]
pub(crate) struct RandomOptions {
    /// How the next call is chosen.
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Choose::Guided)]
    pub(crate) choose: Choose,

    /// Build on anything, whatever it did when it ran: undirected random testing, for comparison.
    #[arg(long)]
    pub(crate) no_feedback: bool,

    /// Stop after this many sequences. With it the result depends on --seed alone.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) max_sequences: Option<u64>,

    /// Probability that a call is repeated.
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.1, value_parser = probability)]
    pub(crate) repeat: f64,

    /// How often a repeated call is repeated, at most.
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    pub(crate) max_repeats: usize,

    /// Calls in a sequence, at most.
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    pub(crate) max_length: usize,

    /// Probability that null is passed although there are other values.
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.02, value_parser = probability)]
    pub(crate) nulls: f64,

    /// A file of literals to try, one per line, as in Java: `42`, `3.5`, `'x'`, `"text"`; `#` starts a
    /// comment.
    #[arg(long, value_name = "FILE")]
    pub(crate) literals: Option<PathBuf>,

    /// A contract of your own: a static boolean method `com.acme.Rules.isSorted` that takes objects and
    /// must give true; or a file that names such methods, one per line. Methods with an annotation
    /// called Contract in the classes under test, and `boolean repOk()`, need not be named.
    #[arg(long, value_name = "METHOD|FILE")]
    pub(crate) contracts: Vec<String>,

    /// A file of pre- and postconditions, one per line:
    /// `pre com.acme.Account.withdraw(int) = com.acme.Specs.canWithdraw`.
    #[arg(long, value_name = "FILE")]
    pub(crate) specs: Option<PathBuf>,

    /// A contract that is not judged: `compare-to-equals`; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub(crate) no_contract: Vec<String>,

    /// What a checked exception means.
    #[arg(long, value_enum, value_name = "VERDICT")]
    checked_exception: Option<Verdict>,

    /// What an unchecked exception means that has no option of its own.
    #[arg(long, value_enum, value_name = "VERDICT")]
    unchecked_exception: Option<Verdict>,

    /// What a NullPointerException means where null was passed.
    #[arg(long, value_enum, value_name = "VERDICT")]
    npe_on_null_input: Option<Verdict>,

    /// What a NullPointerException means where no null was passed.
    #[arg(long, value_enum, value_name = "VERDICT")]
    npe_on_non_null_input: Option<Verdict>,

    /// What a ClassCastException means.
    #[arg(long, value_enum, value_name = "VERDICT")]
    class_cast_exception: Option<Verdict>,

    /// What a ConcurrentModificationException means.
    #[arg(long, value_enum, value_name = "VERDICT")]
    cm_exception: Option<Verdict>,

    /// What an AssertionError means.
    #[arg(long, value_enum, value_name = "VERDICT")]
    assertion_error: Option<Verdict>,

    /// What running out of memory on small input means.
    #[arg(long, value_enum, value_name = "VERDICT")]
    oom_exception: Option<Verdict>,

    /// What a StackOverflowError means.
    #[arg(long, value_enum, value_name = "VERDICT")]
    sof_exception: Option<Verdict>,

    /// What a call means that does not come to an end.
    #[arg(long, value_enum, value_name = "VERDICT")]
    endless_loop: Option<Verdict>,

    /// What a call means that waits for what only another thread could do.
    #[arg(long, value_enum, value_name = "VERDICT")]
    endless_wait: Option<Verdict>,

    /// Another version of the classes: a class path. What the two do differently is reported, with tests
    /// that pass on this version and fail on that one.
    #[arg(long, value_name = "PATH")]
    pub(crate) against: Option<String>,

    /// Another JDK to compare with, likewise.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) against_jdk: Option<PathBuf>,
}

impl RandomOptions {
    /// The verdicts that were given, by the names of their options.
    pub(crate) fn verdicts(&self) -> Vec<(&'static str, exceptions::Verdict)> {
        let all = [
            ("checked-exception", self.checked_exception),
            ("unchecked-exception", self.unchecked_exception),
            ("npe-on-null-input", self.npe_on_null_input),
            ("npe-on-non-null-input", self.npe_on_non_null_input),
            ("class-cast-exception", self.class_cast_exception),
            ("cm-exception", self.cm_exception),
            ("assertion-error", self.assertion_error),
            ("oom-exception", self.oom_exception),
            ("sof-exception", self.sof_exception),
            ("endless-loop", self.endless_loop),
            ("endless-wait", self.endless_wait),
        ];
        let given = all.into_iter().filter_map(|(name, verdict)| Some((name, verdict?)));
        given
            .map(|(name, verdict)| match verdict {
                Verdict::Error => (name, exceptions::Verdict::Error),
                Verdict::Expected => (name, exceptions::Verdict::Expected),
                Verdict::Invalid => (name, exceptions::Verdict::Invalid),
            })
            .collect()
    }
}

/// What the end of a call means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Verdict {
    /// A finding.
    Error,
    /// A regression test expects it.
    Expected,
    /// No test is written.
    Invalid,
}

/// How the next call is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Choose {
    /// All calls alike.
    Uniform,
    /// Those first from which branches can be reached that no sequence has taken.
    Guided,
}

fn probability(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| format!("{text} is no number"))?;
    if (0.0..=1.0).contains(&number) {
        Ok(number)
    } else {
        Err("a probability lies between 0 and 1".to_owned())
    }
}

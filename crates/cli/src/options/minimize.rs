//! Options of `minimize`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use observe::state::mask::FieldName;
use observe::state::technique::Technique;

use super::explore::{field, technique};
use super::{Format, MachineOptions};

#[derive(Debug, Args)]
pub(crate) struct MinimizeOptions {
    #[command(flatten)]
    pub(crate) machine: MachineOptions,

    /// Folder of the compiled tests; may be given several times.
    #[arg(long, value_name = "FOLDER", required = true)]
    pub(crate) tests: Vec<PathBuf>,

    /// Folder of the sources of the tests, to be rewritten.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) sources: Option<PathBuf>,

    /// A class under test, with the classes inside it: with its package, or its simple name where only one
    /// class is called so; `*` stands for any text. May be given several times. Without --class and --package:
    /// the classes in folders of the class path that
    /// are in packages of the tests.
    #[arg(long = "class", value_name = "CLASS")]
    pub(crate) classes: Vec<String>,

    /// A package whose classes are under test, with those below it: `com.acme`; `com.acme.*` without those
    /// below. May be given several times.
    #[arg(long = "package", value_name = "NAME")]
    pub(crate) packages: Vec<String>,

    /// How a state is represented and compared.
    #[arg(long, value_name = "TECHNIQUE", default_value = "whole-state", value_parser = technique)]
    pub(crate) technique: Technique,

    /// How states of arguments are represented and compared; otherwise as those of receivers.
    #[arg(long, value_name = "TECHNIQUE", value_parser = technique)]
    pub(crate) argument_technique: Option<Technique>,

    /// A field that is no part of a state, such as com.acme.Cart.version; may be given several times.
    #[arg(long, value_name = "CLASS.FIELD", value_parser = field)]
    pub(crate) ignore_field: Vec<FieldName>,

    /// Leave no field of the JDK out of a state, and tell boxed objects apart.
    #[arg(long)]
    pub(crate) strict_state: bool,

    /// In which order tests get a chance to be kept.
    #[arg(long, value_enum, value_name = "ORDER", default_value_t = KeepOrder::Suite)]
    pub(crate) order: KeepOrder,

    /// Print all tests in the order that covers new method executions soonest.
    #[arg(long)]
    pub(crate) prioritize: bool,

    /// Print why: what a kept test alone does, and who else does what a redundant one does.
    #[arg(long)]
    pub(crate) explain: bool,

    /// Take the redundant tests out of the sources.
    #[arg(long, value_enum, value_name = "HOW", requires = "sources")]
    pub(crate) apply: Option<Apply>,

    /// Folder for the sources with redundant tests taken out; the other files of the folder of sources are
    /// copied.
    #[arg(long, value_name = "FOLDER", requires = "apply", conflicts_with = "in_place")]
    pub(crate) output: Option<PathBuf>,

    /// Change the sources themselves; refused where git knows of uncommitted changes or nothing at all.
    #[arg(long, requires = "apply")]
    pub(crate) in_place: bool,

    /// Change sources in place whatever git says.
    #[arg(long, requires = "in_place")]
    pub(crate) force: bool,

    /// Bytecodes (roughly) that one test may run.
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) fuel: u64,

    /// How many machines run parts of the suite at once; otherwise one per core.
    #[arg(long, value_name = "NUMBER")]
    jobs: Option<std::num::NonZero<usize>>,

    /// How the results are written.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Human)]
    pub(crate) format: Format,
}

impl MinimizeOptions {
    /// How many machines work at once.
    pub(crate) fn n_jobs(&self) -> usize {
        match self.jobs {
            Some(n_jobs) => n_jobs.get(),
            None => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        }
    }
}

/// In which order tests get a chance to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeepOrder {
    /// That of the suite.
    Suite,
    /// The test that adds most comes next.
    Greedy,
}

/// How tests are taken out of sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Apply {
    /// Turned into comments.
    Comment,
    /// Kept, but not run by JUnit.
    Disable,
    /// Removed.
    Delete,
}

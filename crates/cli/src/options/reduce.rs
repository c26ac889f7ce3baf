//! Options of `reduce`.

use std::path::PathBuf;

use clap::Args;

use super::{Format, MachineOptions};

#[derive(Debug, Args)]
pub(crate) struct ReduceOptions {
    #[command(flatten)]
    pub(crate) machine: MachineOptions,

    /// Folder of the compiled tests; may be given several times.
    #[arg(long, value_name = "FOLDER", required = true)]
    pub(crate) tests: Vec<PathBuf>,

    /// Folder of the sources of the tests, in which their packages start.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) sources: PathBuf,

    /// A class under test, with the classes inside it: with its package, or its simple name where only one
    /// class is called so; `*` stands for any text. May be given several times. Without --class and --package:
    /// all classes in folders of the class path
    /// that are no folders of tests, or, where there is none, in its jars.
    #[arg(long = "class", value_name = "CLASS")]
    pub(crate) classes: Vec<String>,

    /// A package whose classes are under test, with those below it: `com.acme`; `com.acme.*` without those
    /// below. May be given several times.
    #[arg(long = "package", value_name = "NAME")]
    pub(crate) packages: Vec<String>,

    /// Folder for the reduced test classes, one for each class of failures; what is there under other names
    /// stays.
    #[arg(long, short, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,

    /// Only put the failing tests into classes, and choose the shortest test of each.
    #[arg(long)]
    pub(crate) no_shrink: bool,

    /// How many smaller sources are tried for one test at most.
    #[arg(long, value_name = "NUMBER", default_value_t = 1000)]
    pub(crate) max_tries: usize,

    /// Bytecodes (roughly) that one test may run.
    #[arg(long, value_name = "NUMBER", default_value_t = 1_000_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) fuel: u64,

    /// How the results are written.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Human)]
    pub(crate) format: Format,
}

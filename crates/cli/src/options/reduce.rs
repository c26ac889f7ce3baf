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

    /// A class under test, with dots between packages; may be given several times. Otherwise all classes in
    /// folders of the class path that are no folders of tests, or, where there is none, in its jars.
    #[arg(long = "class", value_name = "CLASS")]
    pub(crate) classes: Vec<String>,

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
    #[arg(long, value_name = "NUMBER", default_value_t = 1_000_000_000)]
    pub(crate) fuel: u64,

    /// How the results are written.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Human)]
    pub(crate) format: Format,
}

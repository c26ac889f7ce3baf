//! The options of `nonpareil assess`.

use std::path::PathBuf;

use clap::Args;

use super::{Format, MachineOptions};

#[derive(Debug, Args)]
pub(crate) struct AssessOptions {
    #[command(flatten)]
    pub(crate) machine: MachineOptions,

    /// The folder of the compiled tests; the same as --tests.
    #[arg(value_name = "TESTS", required_unless_present = "tests", conflicts_with = "tests")]
    suite: Option<String>,

    /// The folder of the compiled tests; several with `:` between them.
    #[arg(long, value_name = "FOLDER")]
    tests: Option<String>,

    /// Compare with the tests in another folder: list what only one of the two suites covers.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) against: Option<String>,

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

    /// Judge the suite by mutants: small faults in the classes under test, of which tests notice some.
    #[arg(long)]
    pub(crate) mutants: bool,

    /// For every mutant, find all tests that notice it, not only the first.
    #[arg(long, requires = "mutants")]
    pub(crate) matrix: bool,

    /// Write coverage for lcov.
    #[arg(long, value_name = "FILE")]
    pub(crate) lcov: Option<PathBuf>,

    /// Write coverage as the XML of JaCoCo.
    #[arg(long, value_name = "FILE")]
    pub(crate) jacoco_xml: Option<PathBuf>,

    /// What stands before the paths of sources in the file for lcov, such as src/main/java.
    #[arg(long, value_name = "FOLDER", requires = "lcov")]
    pub(crate) source_folder: Option<String>,

    /// How the results are written.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Human)]
    pub(crate) format: Format,

    /// How many machines judge mutants at once; otherwise one per core.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) jobs: Option<std::num::NonZero<usize>>,
}

impl AssessOptions {
    /// The folder, or folders, of the compiled tests.
    pub(crate) fn tests(&self) -> &str {
        self.suite.as_deref().or(self.tests.as_deref()).unwrap_or_default()
    }
}

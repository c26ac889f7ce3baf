//! Options of `nonpareil inspect`.

use std::path::PathBuf;

use clap::Args;

use super::{ExploreOptions, Format, JUnit, MachineOptions};

#[derive(Debug, Args)]
pub(crate) struct InspectOptions {
    #[command(flatten)]
    pub(crate) explore: ExploreOptions,

    /// The part of instances that must satisfy a common property: above 0.5, below 1.
    #[arg(long, value_name = "NUMBER", default_value_t = 0.8, value_parser = threshold)]
    pub(crate) threshold: f64,

    /// More calls with which the universal properties of each pair of methods are attacked, about;
    /// 0 prints them unattacked.
    #[arg(long, value_name = "CALLS", default_value_t = 2000)]
    pub(crate) attack: usize,

    /// Write the common and the special tests to this folder as JUnit classes, checked on the real JVM.
    #[arg(long, short, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,

    /// Write a page with properties, tests and states to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// The JUnit that tests are written for.
    #[arg(long, value_enum, value_name = "VERSION", default_value_t = JUnit::Five)]
    pub(crate) junit: JUnit,

    /// Where JUnit is for the check on the real JVM: jars with `:` between them. Otherwise it is looked
    /// for on the class path and among the system's jars.
    #[arg(long, value_name = "PATH")]
    pub(crate) test_classpath: Option<String>,

    /// Do not compile and run the written tests on the real JVM.
    #[arg(long)]
    pub(crate) no_verify: bool,

    /// How the result is written.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Human)]
    pub(crate) format: Format,

    #[command(flatten)]
    pub(crate) machine: MachineOptions,
}

fn threshold(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.5 && value < 1.0 => Ok(value),
        _ => Err("a number above 0.5 and below 1".to_owned()),
    }
}

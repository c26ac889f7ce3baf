//! The options, once: parser, help and checks all come from here.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

mod assess;
mod explore;
mod inspect;
mod minimize;
mod random;
mod reduce;

pub(crate) use assess::AssessOptions;
pub(crate) use explore::ExploreOptions;
pub(crate) use inspect::InspectOptions;
pub(crate) use minimize::{Apply, KeepOrder, MinimizeOptions};
pub(crate) use random::{Choose, RandomOptions};
pub(crate) use reduce::ReduceOptions;

/// Generates, minimises, explains and judges unit tests for Java, on its own JVM.
#[derive(Debug, Parser)]
#[command(name = "nonpareil", version, disable_help_subcommand = true)]
pub(crate) struct Options {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a main class or a JUnit suite on the machine.
    Run(RunOptions),
    /// Write tests for classes, each of which shows something that no other does; find broken contracts.
    Generate(Box<GenerateOptions>),
    /// Tell what a JUnit suite is worth: coverage, exceptions, mutants; or compare two suites.
    Assess(AssessOptions),
    /// Find the redundant tests of a JUnit suite, and take them out if asked to.
    ///
    /// A test is redundant where every call it makes into the classes under test is, in its entry state, one
    /// that the tests that are kept make too. Ends with 0 where there is nothing to do or all was done, with 1
    /// where redundant tests were found and left, or tests did not pass, with 2 where options or input are
    /// wrong.
    Minimize(MinimizeOptions),
    /// Show how a class behaves: its algebraic properties, its special and its common tests.
    Inspect(InspectOptions),
    /// Put the failing tests of a JUnit suite into classes by cause, and show each class by one short test.
    ///
    /// Runs the suite on the machine. Tests fail for one reason in all likelihood where the same exception
    /// comes from the same place after the same call into the classes under test, or the same kind of assertion
    /// fails after it. Of each class the shortest test is taken, and pruned while it fails the same way:
    /// statements, other members and imports go, arguments become plain literals, variables that are used once
    /// give way to their values. Where an assertion failed, only what has nothing to do with it goes, since what it
    /// expects is right for just the calls that the test makes. What is left is compiled with javac and must fail
    /// the same way on the real JVM. The sources themselves are never changed. Ends with 0 where no test fails,
    /// with 1 where tests fail, with 2 where options or input are wrong.
    ///
    /// Example: nonpareil reduce --classpath target/classes:junit.jar --tests target/test-classes --sources
    /// src/test/java --output reduced
    Reduce(ReduceOptions),
}

#[derive(Debug, Args)]
pub(crate) struct GenerateOptions {
    #[command(flatten)]
    pub(crate) explore: ExploreOptions,

    /// How tests are found; otherwise by all of them together, or by states alone with --count, --together or
    /// --arguments, which mean nothing to random sequences.
    #[arg(long, value_enum, value_name = "NAME")]
    strategy: Option<Strategy>,

    /// Try the classes together: states are objects of any of them, and objects of one are arguments of
    /// the others.
    #[arg(long)]
    pub(crate) together: bool,

    /// Calls after the constructor, for --strategy exhaustive.
    #[arg(long, value_name = "NUMBER", default_value_t = 3)]
    pub(crate) length: usize,

    /// The folder that test sources are written to.
    ///
    /// All files come at once: a run that is killed leaves those of the run before, or all new ones. Only where
    /// the folder is the working folder, holds links or parts of other file systems, belongs to somebody else or
    /// has more than 20,000 entries, files come one by one; should such a run be killed among them, the next one
    /// that writes there completes them.
    #[arg(long, short, value_name = "FOLDER", default_value = "nonpareil-tests")]
    pub(crate) output: PathBuf,

    /// The JUnit that tests are written for.
    #[arg(long, value_enum, value_name = "VERSION", default_value_t = JUnit::Five)]
    pub(crate) junit: JUnit,

    /// Where JUnit is for the check on the real JVM: jars with `:` between them. Otherwise it is looked
    /// for on the class path and among the system's jars.
    #[arg(long, value_name = "PATH")]
    pub(crate) test_classpath: Option<String>,

    /// Do not compile and run the tests on the real JVM.
    #[arg(long)]
    pub(crate) no_verify: bool,

    /// Only explore and count: no tests are made or written.
    #[arg(long)]
    pub(crate) count: bool,

    /// With --count and all sequences, also count the mutants that they notice, before and after minimising.
    #[arg(long, requires = "count")]
    pub(crate) mutants: bool,

    /// Write a test for every call in every state (or, for random generation, for every sequence that led to
    /// something new), also where it does only what another test does.
    #[arg(long)]
    pub(crate) all: bool,

    /// Tests per class, at most; those for states that are reached first are written.
    #[arg(long, value_name = "NUMBER", default_value_t = 1000)]
    pub(crate) max_tests: usize,

    /// How the summary is written.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Human)]
    pub(crate) format: Format,

    #[command(flatten)]
    pub(crate) random: RandomOptions,

    #[command(flatten)]
    pub(crate) machine: MachineOptions,
}

impl GenerateOptions {
    /// How tests are found.
    pub(crate) fn strategy(&self) -> Strategy {
        let is_of_states = self.count || self.together || !self.explore.arguments.is_empty();
        let usual = if is_of_states { Strategy::States } else { Strategy::All };
        self.strategy.unwrap_or(usual)
    }
}

/// How tests are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Strategy {
    /// Random sequences and states together: of the tests of both those stay that take a way of a branch, end in a
    /// way, or notice a small fault (a mutant) that no other test does.
    All,
    /// Breadth first over states, as Rostra.
    States,
    /// All sequences of calls up to --length, equal states or not; with --count, how much of that is
    /// redundant under each technique.
    Exhaustive,
    /// Random sequences with feedback, as Randoop: also finds broken contracts.
    Random,
}

/// A version of JUnit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum JUnit {
    /// JUnit 3.
    #[value(name = "3")]
    Three,
    /// JUnit 4.13 or later.
    #[value(name = "4")]
    Four,
    /// JUnit 5.
    #[value(name = "5")]
    Five,
}

/// One machine alone runs whole suites, and may have as much memory as `java` takes on a machine of 8 GB.
#[derive(Debug, Args)]
#[command(mut_arg("memory", |memory| memory.default_value("2g")))]
pub(crate) struct RunOptions {
    #[command(flatten)]
    pub(crate) machine: MachineOptions,

    /// Run a JUnit suite with the JUnit of the class path: the named test classes, or, without names,
    /// all tests in the folders of the class path.
    #[arg(long)]
    pub(crate) junit: bool,

    /// A Java agent that is started before the program, with its options; may be given several times.
    #[arg(long, value_name = "JAR[=OPTIONS]")]
    pub(crate) javaagent: Vec<String>,

    /// How the results of a JUnit suite are written.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Human)]
    pub(crate) format: Format,

    /// The class whose `main` is run, with dots between packages, and its arguments; with --junit
    /// any number of test classes.
    #[arg(
        value_name = "CLASS [ARGUMENT]",
        required_unless_present = "junit",
        trailing_var_arg = true
    )]
    program: Vec<String>,
}

/// How results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Human,
    /// For programs.
    Json,
}

impl RunOptions {
    /// The named test classes; an option among them is a mistake.
    pub(crate) fn test_classes(&self) -> Result<&[String], String> {
        match self.program.iter().find(|word| word.starts_with('-')) {
            Some(option) => {
                Err(format!("{option} stands behind a class name\nhint: options come before it"))
            }
            None => Ok(&self.program),
        }
    }

    /// The class whose `main` is run.
    pub(crate) fn main(&self) -> &str {
        &self.program[0]
    }

    /// Arguments of `main`.
    pub(crate) fn arguments(&self) -> &[String] {
        &self.program[1..]
    }
}

/// How the machine is set up; common to all commands that run Java code.
#[derive(Debug, Clone, Args)]
pub(crate) struct MachineOptions {
    /// Where to look for classes: folders and jars with `:` between them.
    #[arg(
        long,
        visible_alias = "class-path",
        short_alias = 'c',
        value_name = "PATH",
        default_value = "."
    )]
    pub(crate) classpath: String,

    /// The JDK to run on; otherwise JAVA_HOME, otherwise the one of `java` on the PATH.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) jdk: Option<PathBuf>,

    /// A system property; may be given several times.
    #[arg(long = "property", short = 'D', value_name = "NAME=VALUE", value_parser = property)]
    pub(crate) properties: Vec<(String, String)>,

    #[command(flatten)]
    pub(crate) modules: ModuleOptions,

    /// Switch `assert` on in classes outside the JDK.
    #[arg(long, alias = "ea")]
    pub(crate) enable_assertions: bool,

    /// Memory for objects, in bytes or with a suffix k, m or g.
    ///
    /// With generate that draws random sequences, what the whole run may take on this computer beside the real JVM. Where
    /// that is too little for the classes, nothing is tried and the message says how much is enough; where memory gets
    /// short, fewer machines work on.
    #[arg(long, value_name = "SIZE", default_value = "1g", value_parser = size)]
    pub(crate) memory: usize,

    /// Seed of everything that is random.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Boot the class library anew instead of from the image in the user's cache folder.
    #[arg(long)]
    pub(crate) fresh_boot: bool,

    #[command(flatten)]
    pub(crate) grants: Grants,
}

/// Changes to the modules of the JDK, as `java` takes them.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Modules of the JDK")]
pub(crate) struct ModuleOptions {
    /// Let the class path reach all members of a package by reflection; may be given several times.
    #[arg(long, value_name = "MODULE/PACKAGE=TARGET", value_parser = of_package)]
    add_opens: Vec<String>,

    /// Let the class path use the public classes of a package; may be given several times.
    #[arg(long, value_name = "MODULE/PACKAGE=TARGET", value_parser = of_package)]
    add_exports: Vec<String>,

    /// Let a module read others; may be given several times.
    #[arg(long, value_name = "MODULE=TARGET", value_parser = of_module)]
    add_reads: Vec<String>,

    /// Modules, with commas between them, that are there beside the usual ones.
    #[arg(long, value_name = "MODULES")]
    add_modules: Vec<String>,
}

impl ModuleOptions {
    /// The system properties by which the module system learns of these options when it starts.
    pub(crate) fn properties(&self) -> Vec<(String, String)> {
        let named = [
            ("addopens", &self.add_opens),
            ("addexports", &self.add_exports),
            ("addreads", &self.add_reads),
            ("addmods", &self.add_modules),
        ];
        let numbered = |(name, values): (&str, &Vec<String>)| {
            let property = |(idx, value): (usize, &String)| {
                (format!("jdk.module.{name}.{idx}"), value.clone())
            };
            values.iter().enumerate().map(property).collect::<Vec<_>>()
        };
        named.into_iter().flat_map(numbered).collect()
    }
}

/// What Java code may reach outside the machine.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "What the program may reach")]
pub(crate) struct Grants {
    /// Let the program read a file, or all in a folder; may be given several times.
    #[arg(long, value_name = "PATH")]
    pub(crate) allow_read: Vec<PathBuf>,

    /// Let the program write (and read) a file, or all in a folder; may be given several times.
    #[arg(long, value_name = "PATH")]
    pub(crate) allow_write: Vec<PathBuf>,

    /// Show the program the real environment, user, locale and time zone.
    #[arg(long)]
    pub(crate) allow_env: bool,

    /// Show the program the real time.
    #[arg(long)]
    pub(crate) allow_clock: bool,

    /// Let the program use the network.
    #[arg(long)]
    pub(crate) allow_net: bool,

    /// Let the program start other programs.
    #[arg(long)]
    pub(crate) allow_run: bool,

    /// All of the above, everywhere.
    #[arg(long)]
    pub(crate) allow_all: bool,
}

fn property(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    if name.is_empty() {
        return Err("the name is missing; write NAME=VALUE".to_owned());
    }
    Ok((name.to_owned(), value.to_owned()))
}

fn of_package(text: &str) -> Result<String, String> {
    match text.split_once('=').and_then(|(source, target)| Some((source.split_once('/')?, target)))
    {
        Some(((module, package), target))
            if !module.is_empty() && !package.is_empty() && !target.is_empty() =>
        {
            Ok(text.to_owned())
        }
        _ => Err("write MODULE/PACKAGE=TARGET, such as java.base/java.lang=ALL-UNNAMED".to_owned()),
    }
}

fn of_module(text: &str) -> Result<String, String> {
    match text.split_once('=') {
        Some((module, target)) if !module.is_empty() && !target.is_empty() => Ok(text.to_owned()),
        _ => Err("write MODULE=TARGET, such as java.xml=ALL-UNNAMED".to_owned()),
    }
}

fn size(text: &str) -> Result<usize, String> {
    let lower = text.to_ascii_lowercase();
    let (digits, shift) = match lower.as_bytes().last() {
        Some(b'k') => (&lower[..lower.len() - 1], 10),
        Some(b'm') => (&lower[..lower.len() - 1], 20),
        Some(b'g') => (&lower[..lower.len() - 1], 30),
        _ => (lower.as_str(), 0),
    };
    const LEAST: usize = 4 << 20;
    const MOST: usize = vm::heap::MOST_MEMORY;
    let bytes = digits.parse::<usize>().ok().and_then(|number| number.checked_mul(1 << shift));
    match bytes {
        Some(bytes @ LEAST..=MOST) => Ok(bytes),
        Some(_) => Err(format!("between 4m and {}g is possible", MOST >> 30)),
        None => Err("write a number with k, m or g behind it, such as 512m".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_of_the_options_is_sound() {
        Options::command().debug_assert();
    }

    #[test]
    fn arguments_behind_the_class_belong_to_the_program() {
        let line = ["nonpareil", "run", "--classpath", "x.jar", "-Da=b", "Main", "--seed", "-x"];
        let Command::Run(options) = Options::parse_from(line).command else {
            panic!("another command")
        };
        assert_eq!(options.main(), "Main");
        assert_eq!(options.arguments(), ["--seed", "-x"]);
        assert_eq!(options.machine.properties, [("a".to_owned(), "b".to_owned())]);
    }

    #[test]
    fn run_has_more_memory_than_other_commands() {
        let line = ["nonpareil", "run", "Main"];
        let Command::Run(options) = Options::parse_from(line).command else {
            panic!("not run");
        };
        assert_eq!(options.machine.memory, 2 << 30);
        let line = ["nonpareil", "generate", "--class", "C"];
        let Command::Generate(options) = Options::parse_from(line).command else {
            panic!("not generate");
        };
        assert_eq!(options.machine.memory, 1 << 30);
    }

    #[test]
    fn a_memory_size_has_a_suffix_and_bounds() {
        assert_eq!(size("512m"), Ok(512 << 20));
        assert_eq!(size("2G"), Ok(2 << 30));
        assert!(size("1k").is_err());
        assert_eq!(size("13g"), Ok(13 << 30));
        assert_eq!(size("14g"), Err("between 4m and 13g is possible".to_owned()));
        assert!(size("lots").is_err());
    }
}

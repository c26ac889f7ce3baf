//! The experiments of Pacheco, Lahiri, Ernst and Ball (2007): coverage of four containers (figure 5), planted
//! faults instead of the libraries of that time, what `java.util` shows of itself (`java_util.rs`), and what
//! our own choices are worth (`choices.rs`). Each section can be run alone.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use super::{choices, java_util};
use crate::json::Json;

/// The heading of the chapter.
pub(super) const TITLE: &str = "## Feedback-directed random generation (Pacheco and others, 2007)";

const HEAD: &str = "### Containers (figure 5)

Branches of the algorithm, and combinations of predicates (see fixtures/containers); the mean of three runs of
three seconds, with the seconds after which nothing new was covered, and how much of it was covered in the first
second: what comes late is the last one or two of a hundred combinations, by luck. The paper counts blocks instead of branches,
and its predicates are not published; its values (Randoop with and without feedback) stand in parentheses. It
ran on a Pentium 4 with 3.6 GHz.

| container | unit | all | guided | s | in 1 s | uniform | s | no feedback | s |
|---|---|---|---|---|---|---|---|---|---|
";

const FAULTS_HEAD: &str = "### Planted faults

Classes below fixtures/bugs with one fault each, alone for ten seconds. A fault counts as found where the contract
that it breaks is reported for its class; the length is that of the shortest test. What else was reported stands in
the last column.

| class | contract | with feedback | length | without | length | else |
|---|---|---|---|---|---|---|
";

const CONTAINER_SECONDS: &str = "3s";
pub(super) const SEEDS: [&str; 3] = ["1", "2", "3"];
const FAULT_SECONDS: &str = "10s";

pub(super) const CONTAINERS: &str = "fixtures/containers/src/containers";
const BUGS: &str = "fixtures/bugs/src/bugs";
const FAULTS: &str = "fixtures/bugs/faults.txt";
pub(super) const CLASSES: &str = "target/random-classes";

pub(super) const GUIDED: &[&str] = &["--choose", "guided"];
pub(super) const UNIFORM: &[&str] = &["--choose", "uniform"];
const UNDIRECTED: &[&str] = &["--no-feedback"];

/// A container with the published values of Randoop with and without feedback: blocks and seconds,
/// predicates and seconds.
struct Container {
    class: &'static str,
    blocks: [[f64; 2]; 2],
    predicates: [[f64; 2]; 2],
}

const FIGURE_5: [Container; 4] = [
    Container {
        class: "BinTree",
        blocks: [[0.78, 0.21], [0.78, 0.13]],
        predicates: [[54.0, 1.6], [53.9, 4.2]],
    },
    Container {
        class: "BHeap",
        blocks: [[0.95, 0.59], [0.86, 6.6]],
        predicates: [[101.0, 4.2], [58.5, 15.0]],
    },
    Container {
        class: "FibHeap",
        blocks: [[1.0, 0.63], [0.98, 27.0]],
        predicates: [[96.0, 6.0], [90.3, 67.0]],
    },
    Container {
        class: "TreeMap",
        blocks: [[0.72, 0.84], [0.68, 1.9]],
        predicates: [[106.0, 10.0], [55.0, 1.9]],
    },
];

/// A part of the chapter: its name on the command line, and what runs it.
type Section = (&'static str, fn(&Tool<'_>) -> Result<String, String>);

const SECTIONS: &[Section] = &[
    ("containers", all_containers),
    ("faults", faults),
    ("java-util", java_util::section),
    ("choosing", choices::choosing),
    ("filters", choices::filters),
];

/// Runs one section, or all. `keep` gets each with its heading: a run takes long.
pub(super) fn run(
    binary: &str,
    java_home: &Path,
    wanted: Option<&str>,
    keep: &dyn Fn(&str) -> Result<(), String>,
) -> Result<(), String> {
    super::compile(java_home, CONTAINERS, CLASSES)?;
    super::compile(java_home, BUGS, CLASSES)?;
    super::compile(java_home, super::SUBJECTS, CLASSES)?;
    let tool = Tool { binary, java_home };
    let is_wanted = |name: &str| wanted.is_none_or(|wanted| wanted == name);
    let chosen: Vec<&Section> = SECTIONS.iter().filter(|(name, _)| is_wanted(name)).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = SECTIONS.iter().map(|(name, _)| *name).collect();
        return Err(format!("no such section: one of {}", names.join(", ")));
    }
    for (_, section) in chosen {
        keep(&section(&tool)?)?;
    }
    Ok(())
}

fn all_containers(tool: &Tool<'_>) -> Result<String, String> {
    let mut text = HEAD.to_owned();
    for container in &FIGURE_5 {
        let rows = containers(tool, container)?;
        super::super::bench::say(&rows);
        text.push_str(&rows);
    }
    Ok(text)
}

/// The release binary, with the JDK it is to use.
pub(super) struct Tool<'a> {
    binary: &'a str,
    java_home: &'a Path,
}

/// How long random generation goes on.
#[derive(Debug, Clone, Copy)]
pub(super) enum Budget {
    /// Until so many sequences are drawn: the same on any machine.
    Sequences(u32),
    /// So long.
    Seconds(u32),
}

impl std::fmt::Display for Budget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Budget::Sequences(number) => write!(f, "{number} sequences"),
            Budget::Seconds(number) => write!(f, "{number} s"),
        }
    }
}

impl Tool<'_> {
    /// What random generation says, in one thread.
    fn generate(&self, time: &str, seed: &str, more: &[&str]) -> Result<Json, String> {
        let own = ["--count", "--classpath", CLASSES, "--time", time, "--seed", seed];
        self.run(&[&own, more].concat())
    }

    /// What random generation says of our own classes with a budget.
    pub(super) fn draw(&self, budget: Budget, seed: &str, more: &[&str]) -> Result<Json, String> {
        self.draw_from(CLASSES, budget, seed, more)
    }

    /// What random generation says of a class path with a budget.
    pub(super) fn draw_from(
        &self,
        class_path: &str,
        budget: Budget,
        seed: &str,
        more: &[&str],
    ) -> Result<Json, String> {
        let (option, limit) = match budget {
            Budget::Sequences(number) => ("--max-sequences", number.to_string()),
            Budget::Seconds(number) => ("--time", format!("{number}s")),
        };
        let own = ["--count", "--classpath", class_path, option, &limit, "--seed", seed];
        self.run(&[&own, more].concat())
    }

    /// What random generation says, in one thread.
    pub(super) fn run(&self, more: &[&str]) -> Result<Json, String> {
        let output = Command::new(self.binary)
            .args(["generate", "--strategy", "random", "--format", "json", "--jobs", "1", "--jdk"])
            .arg(self.java_home)
            .args(more)
            .output()
            .map_err(|error| format!("{}: {error}", self.binary))?;
        let text = String::from_utf8_lossy(&output.stdout);
        if text.trim().is_empty() {
            return Err(format!("{more:?}: {}", String::from_utf8_lossy(&output.stderr)));
        }
        Json::parse(&text).map_err(|error| format!("{more:?}: {error}\n{text}"))
    }
}

/// What was covered in the end, of how much, when the last of it came, and which part of it came in the first second.
fn covered(tool: &Tool<'_>, class: &str, mode: &[&str]) -> Result<[f64; 4], String> {
    let mut sum = [0.0; 4];
    for seed in SEEDS {
        let more = [&["--class", class], mode].concat();
        let json = tool.generate(CONTAINER_SECONDS, seed, &more)?;
        sum[0] += json.number("branches.covered")?;
        sum[1] += json.number("branches.all")?;
        let growth: Vec<(f64, f64)> = json.list("growth").iter().filter_map(grown).collect();
        let Some(&(seconds, in_all)) = growth.last() else { continue };
        let soon = growth.iter().rev().find(|(seconds, _)| *seconds <= 1.0);
        sum[2] += seconds;
        sum[3] += soon.map_or(0.0, |(_, covered)| covered / in_all);
    }
    #[expect(clippy::cast_precision_loss, reason = "three")]
    let n_runs = SEEDS.len() as f64;
    Ok(sum.map(|figure| figure / n_runs))
}

/// Seconds, and what was covered by then.
fn grown(pair: &Json) -> Option<(f64, f64)> {
    match pair {
        Json::List(pair) => match &pair[..] {
            [Json::Number(seconds), Json::Number(covered)] => Some((*seconds, *covered)),
            _ => None,
        },
        _ => None,
    }
}

fn containers(tool: &Tool<'_>, container: &Container) -> Result<String, String> {
    let mut rows = String::new();
    let units =
        [("branches", "", &container.blocks), ("predicates", "Predicates", &container.predicates)];
    for (unit, suffix, published) in units {
        let class = format!("containers.{}{suffix}", container.class);
        let mut row = format!("| {} | {unit} |", container.class);
        let is_ratio = suffix.is_empty();
        let modes = [(GUIDED, Some(0)), (UNIFORM, None), (UNDIRECTED, Some(1))];
        for (idx, (mode, published_at)) in modes.into_iter().enumerate() {
            let [covered, all, seconds, soon] = covered(tool, &class, mode)?;
            // The default of the switch is not a combination.
            let all = if is_ratio { all } else { all - 1.0 };
            if idx == 0 {
                let _ = write!(row, " {all:.0} |");
            }
            let own =
                if is_ratio { format!("{:.2}", covered / all) } else { format!("{covered:.1}") };
            let _ = match published_at.map(|at: usize| published[at]) {
                Some([value, time]) => write!(row, " {own} ({value}) | {seconds:.2} ({time}) |"),
                None => write!(row, " {own} | {seconds:.2} |"),
            };
            if idx == 0 {
                let _ = write!(row, " {:.1} % |", soon * 100.0);
            }
        }
        let _ = writeln!(rows, "{row}");
    }
    Ok(rows)
}

/// A planted fault.
pub(super) struct Fault<'a> {
    pub(super) class: &'a str,
    /// Contracts that show it, the one it is about first.
    pub(super) contracts: Vec<&'a str>,
    /// Classes that are needed beside it.
    pub(super) others: Vec<&'a str>,
}

/// The list of planted faults.
pub(super) fn fault_list() -> Result<String, String> {
    std::fs::read_to_string(FAULTS).map_err(|error| format!("{FAULTS}: {error}"))
}

pub(super) fn faults_in(text: &str) -> Vec<Fault<'_>> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let fault = |line| {
        let mut words = str::split_whitespace(line);
        let class = words.next()?;
        let contracts = words.next()?.split('|').collect();
        Some(Fault { class, contracts, others: words.collect() })
    };
    lines.filter_map(fault).collect()
}

fn faults(tool: &Tool<'_>) -> Result<String, String> {
    let list = fault_list()?;
    let faults = faults_in(&list);
    let mut text = FAULTS_HEAD.to_owned();
    let mut n_found = [0, 0];
    for fault in &faults {
        let mut row = format!("| {} | {} |", fault.class, fault.contracts[0]);
        let mut more_reported = Vec::new();
        // Two at a time, since each works in one thread.
        let runs = std::thread::scope(|scope| {
            let start =
                |mode: &'static [&'static str]| scope.spawn(move || reported(tool, fault, mode));
            [start(GUIDED), start(UNDIRECTED)].map(|run| run.join())
        });
        for (idx, run) in runs.into_iter().enumerate() {
            let findings = run.map_err(|_| format!("{}: the run broke", fault.class))??;
            let (own, other): (Vec<Finding>, Vec<Finding>) = findings
                .into_iter()
                .partition(|finding| fault.contracts.contains(&finding.contract.as_str()));
            more_reported.extend(other.into_iter().map(|finding| finding.contract));
            let shortest = own.iter().map(|finding| finding.length).min();
            n_found[idx] += usize::from(shortest.is_some());
            let _ = match shortest {
                Some(length) => write!(row, " found | {length} |"),
                None => write!(row, " - | |"),
            };
        }
        more_reported.sort();
        more_reported.dedup();
        let _ = write!(row, " {} |", more_reported.join(", "));
        super::super::bench::say(&row);
        let _ = writeln!(text, "{row}");
    }
    let n_faults = faults.len();
    let [with, without] = n_found;
    let _ = writeln!(
        text,
        "| found | | **{with} of {n_faults}** | | **{without} of {n_faults}** | | |"
    );
    Ok(text)
}

/// A finding as far as the tables show it.
pub(super) struct Finding {
    pub(super) contract: String,
    pub(super) severity: String,
    pub(super) class: String,
    pub(super) method: String,
    pub(super) place: String,
    pub(super) message: String,
    pub(super) length: u64,
}

pub(super) fn findings(json: &Json) -> Vec<Finding> {
    let finding = |json: &Json| Finding {
        contract: json.text("contract").to_owned(),
        severity: json.text("severity").to_owned(),
        class: json.text("class").to_owned(),
        method: json.text("method").to_owned(),
        place: json.text("where").to_owned(),
        message: json.text("message").to_owned(),
        length: whole(json.number("length").unwrap_or_default()),
    };
    json.list("findings").iter().map(finding).collect()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
fn whole(figure: f64) -> u64 {
    figure as u64
}

fn reported(tool: &Tool<'_>, fault: &Fault<'_>, mode: &[&str]) -> Result<Vec<Finding>, String> {
    let mut more = mode.to_vec();
    for class in std::iter::once(&fault.class).chain(&fault.others) {
        more.extend(["--class", class]);
    }
    Ok(findings(&tool.generate(FAULT_SECONDS, "1", &more)?))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{BUGS, FAULTS, faults_in};

    #[test]
    fn every_class_with_a_planted_fault_is_in_the_table() {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let list = std::fs::read_to_string(repository.join(FAULTS)).expect("the list is there");
        let listed: Vec<String> =
            faults_in(&list).iter().map(|fault| fault.class.to_owned()).collect();
        let files = std::fs::read_dir(repository.join(BUGS)).expect("the classes are there");
        for file in files.flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            let Some(name) = name.strip_suffix(".java") else { continue };
            assert!(listed.contains(&format!("bugs.{name}")), "{name} is not in {FAULTS}");
        }
    }

    #[test]
    fn faults_in_reads_alternatives_and_companions() {
        let faults = faults_in("# a comment\nbugs.A  x|y  bugs.B bugs.C\nbugs.D z\n");
        assert_eq!(faults[0].contracts, ["x", "y"]);
        assert_eq!(faults[0].others, ["bugs.B", "bugs.C"]);
        assert_eq!((faults[1].class, faults[1].others.len()), ("bugs.D", 0));
    }
}

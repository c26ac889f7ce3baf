//! Tables 2 to 7 of Xie, Marinov and Notkin (2004): redundancy among all short sequences, and the states
//! that further iterations reach; with the further subjects and the mutants of their later talk.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use super::CLASSES;

const TECHNIQUES: [&str; 5] =
    ["whole-seq", "modifying-seq", "whole-state", "monitor-equals", "pairwise-equals"];

/// A subject with its published numbers; zero where there is none.
struct Subject {
    class: &'static str,
    options: &'static [&'static str],
    /// Jtest: tests, method executions; JCrasher: the same (table 2).
    made: [u32; 4],
    /// Per technique: % redundant tests and executions of Jtest, of JCrasher (table 3).
    redundant: [[f64; 4]; 5],
    /// Per technique but the first: states of JCrasher's tests, after one and two iterations; zero where
    /// the paper ran out of memory or time (table 6).
    states: [[u32; 3]; 4],
    /// % branches covered by Jtest, JCrasher (tables 5 and 7).
    branches: [f64; 2],
}

const SUBJECTS: [Subject; 13] = [
    Subject {
        class: "IntStack",
        options: &[],
        made: [94, 348, 6, 11],
        redundant: [
            [63.8, 58.6, 0.0, 0.0],
            [83.0, 81.6, 0.0, 0.0],
            [85.1, 84.2, 0.0, 0.0],
            [87.2, 86.8, 0.0, 0.0],
            [87.2, 86.8, 0.0, 0.0],
        ],
        states: [[4, 16, 61], [4, 15, 48], [4, 13, 40], [4, 13, 40]],
        branches: [66.7, 50.0],
    },
    Subject {
        class: "UBStack",
        options: &[],
        made: [1423, 14067, 14, 27],
        redundant: [
            [9.1, 5.6, 0.0, 0.0],
            [95.9, 96.9, 0.0, 0.0],
            [96.6, 97.7, 0.0, 0.0],
            [96.9, 98.1, 0.0, 0.0],
            [96.9, 98.1, 0.0, 0.0],
        ],
        states: [[5, 18, 61], [5, 14, 21], [5, 12, 13], [5, 12, 13]],
        branches: [93.8, 56.2],
    },
    Subject {
        class: "BSet",
        options: &[],
        made: [1643, 12492, 45, 87],
        redundant: [
            [27.9, 22.3, 0.0, 0.0],
            [98.3, 98.5, 0.0, 0.0],
            [98.3, 98.5, 31.1, 32.2],
            [98.5, 98.8, 31.1, 32.2],
            [98.5, 98.8, 31.1, 32.2],
        ],
        states: [[6, 9, 18], [5, 7, 7], [5, 5, 5], [5, 5, 5]],
        branches: [88.4, 55.8],
    },
    Subject {
        class: "BBag",
        options: &[],
        made: [1173, 5153, 90, 177],
        redundant: [
            [38.4, 32.9, 0.0, 0.0],
            [92.7, 92.8, 0.0, 0.0],
            [94.2, 94.5, 32.2, 32.8],
            [94.7, 95.1, 32.2, 32.8],
            [94.7, 95.1, 32.2, 32.8],
        ],
        states: [[9, 21, 93], [5, 8, 8], [5, 5, 5], [5, 5, 5]],
        branches: [85.2, 55.6],
    },
    Subject {
        class: "ShoppingCart",
        options: &[],
        made: [470, 1652, 31, 61],
        redundant: [
            [36.6, 32.2, 0.0, 0.0],
            [81.9, 82.2, 0.0, 0.0],
            [90.6, 91.6, 0.0, 0.0],
            [90.6, 91.6, 0.0, 0.0],
            [90.6, 91.6, 0.0, 0.0],
        ],
        states: [[15, 248, 0], [14, 184, 0], [6, 32, 162], [6, 31, 156]],
        branches: [92.9, 71.4],
    },
    Subject {
        class: "BankAccount",
        options: &[],
        made: [519, 2554, 135, 261],
        redundant: [
            [48.9, 43.1, 0.0, 0.0],
            [84.0, 82.4, 0.0, 0.0],
            [89.8, 89.3, 0.0, 0.0],
            [89.8, 89.3, 0.0, 0.0],
            [89.8, 89.3, 0.0, 0.0],
        ],
        states: [[90, 819, 0], [24, 45, 72], [24, 45, 72], [24, 45, 72]],
        branches: [100.0, 100.0],
    },
    Subject {
        class: "BinarySearchTree",
        options: &[],
        made: [1384, 6236, 36, 107],
        redundant: [
            [33.9, 28.8, 50.0, 63.6],
            [87.4, 87.1, 50.0, 63.6],
            [97.4, 97.8, 50.0, 63.6],
            [97.4, 97.8, 50.0, 63.6],
            [97.4, 97.8, 50.0, 63.6],
        ],
        states: [[10, 83, 658], [5, 14, 25], [5, 14, 25], [5, 14, 25]],
        branches: [85.7, 41.1],
    },
    Subject {
        class: "LinkedList",
        options: &["--ignore-field", "subjects.LinkedList.modCount"],
        made: [1965, 9272, 145, 347],
        redundant: [
            [49.5, 48.3, 48.3, 31.4],
            [95.0, 95.3, 48.3, 31.4],
            [98.1, 98.4, 48.3, 31.4],
            [98.1, 98.4, 48.3, 31.4],
            [98.1, 98.4, 48.3, 31.4],
        ],
        states: [[58, 3307, 0], [2, 3, 4], [2, 3, 4], [2, 3, 4]],
        branches: [63.3, 63.3],
    },
    further("BinomialHeap", &[], [6205, 438]),
    further("DisjSet", &[], [779, 64]),
    further("FibonacciHeap", &[], [3743, 150]),
    further("HashMap", &["--ignore-field", "subjects.HashMap.modCount"], [5186, 47]),
    further("TreeMap", &["--ignore-field", "subjects.TreeMap.modCount"], [931, 1000]),
];

/// A subject of the talk alone, of which only the numbers of tests are published.
const fn further(
    class: &'static str,
    options: &'static [&'static str],
    tests: [u32; 2],
) -> Subject {
    Subject {
        class,
        options,
        made: [tests[0], 0, tests[1], 0],
        redundant: [[0.0; 4]; 5],
        states: [[0; 3]; 4],
        branches: [0.0; 2],
    }
}

/// Averages of the talk for the suites of Jtest and of JCrasher: exceptions, % branches, % mutants killed.
const AVERAGES: [[f64; 3]; 2] = [[4.0, 77.0, 53.0], [2.0, 52.0, 30.0]];

const HEAD: &str = "
## Redundant tests (Xie, Marinov and Notkin, 2004, tables 2 to 7)

Jtest and JCrasher are not to be had any more; all sequences of up to three calls stand in for the first, of
one call for the second, over the arguments -1, 0 and 1 and without `equals` and `hashCode`. A subject with many
argument lists would have millions of sequences; they are cut off at 60,000 tests (marked *). Percentages are
of tests and method executions that minimising removes; branches, distinct exceptions and killed mutants are
those of the suite before and after. A mutant is killed by results where a call returns something else that a test
can write down, or throws otherwise; with states also where a call leaves the object in another state. The paper
does not tell its oracle. By results alone nothing guarantees that a minimised suite kills as many: a mutant may
leave a wrong state and return the right value, and the call that shows it later is redundant where the mutant is
not in place. With states, whole-state and the finer techniques must keep every killed mutant but those that
show in fields which are no part of a state. BinomialHeap, DisjSet, FibonacciHeap, HashMap (the talk's HeapMap) and TreeMap are
subjects of the talk alone (Xie, Marinov, Schulte and Notkin), which tells how many tests there were and averages
over its eleven subjects: 4 exceptions, 77 % of branches and 53 % of mutants for Jtest, 2, 52 % and 30 % for
JCrasher.

";

const GENERATION: &str = "
### States that further iterations reach

Distinct states after the tests of length one, and after one and two iterations more; a dash where the paper
ran out of memory or time.

| subject | technique | original | iteration 1 | iteration 2 |
|---|---|---|---|---|
";

/// Runs everything; gives the text.
pub(super) fn run(binary: &str, java_home: &Path) -> Result<String, String> {
    let mut text = HEAD.to_owned();
    for (title, length, at) in [("Jtest", "3", 0), ("JCrasher", "1", 2)] {
        let _ = writeln!(text, "### Minimising, as with {title}\n");
        let _ = writeln!(
            text,
            "| subject | technique | tests | executions | % tests | % executions | branches % | exceptions | mutants by results | with states | s |"
        );
        let _ = writeln!(text, "|---|---|---|---|---|---|---|---|---|---|---|");
        let mut sums = Sums::default();
        for subject in &SUBJECTS {
            let rows = minimise(binary, java_home, subject, length, at, &mut sums)?;
            super::super::bench::say(&rows);
            text.push_str(&rows);
        }
        text.push('\n');
        text.push_str(&sums.text(AVERAGES[at / 2]));
    }
    text.push_str(GENERATION);
    for subject in &SUBJECTS {
        let rows = generate(binary, java_home, subject)?;
        super::super::bench::say(&rows);
        text.push_str(&rows);
    }
    Ok(text)
}

fn said(
    binary: &str,
    java_home: &Path,
    subject: &Subject,
    more: &[&str],
) -> Result<String, String> {
    let class = format!("subjects.{}", subject.class);
    let methods = super::methods(java_home, subject.class)?;
    let output = Command::new(binary)
        .args(["generate", "--count", "--format", "json", "--classpath", CLASSES, "--jdk"])
        .arg(java_home)
        .args(["--class", &class, "--methods", &methods])
        .args(["--arguments", "int=-1,0,1", "--arguments", "Object=-1,0,1"])
        .args(subject.options)
        .args(more)
        .output()
        .map_err(|error| format!("{binary}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if text.is_empty() {
        return Err(format!("{class}: {}", String::from_utf8_lossy(&output.stderr)));
    }
    Ok(text)
}

/// All figures of this name, in order.
fn figures(text: &str, name: &str) -> Vec<f64> {
    let start = format!("\"{name}\": ");
    let lines = text.lines().filter_map(|line| line.trim().strip_prefix(&start));
    lines.filter_map(|figure| figure.trim_end_matches(',').parse().ok()).collect()
}

/// What the suites are worth before and after, over all subjects.
#[derive(Default)]
struct Sums {
    n_subjects: f64,
    /// Exceptions, % branches, % mutants.
    worth: [f64; 3],
    /// By technique: subjects that lose exceptions, branches, mutants killed by results and by states, each
    /// with what is lost.
    losses: [[Vec<String>; 4]; 5],
    /// Subjects of which a later technique finds less redundancy than an earlier one.
    decreasing: Vec<String>,
    /// Subjects of which whole-state finds more than 90 % of the tests redundant.
    n_over_90: usize,
}

impl Sums {
    fn text(&self, published: [f64; 3]) -> String {
        let mean = |at: usize| self.worth[at] / self.n_subjects.max(1.0);
        let mut text = format!(
            "Averages before minimising: {:.1} exceptions ({:.0}), {:.0} % of branches ({:.0}), {:.0} % of mutants \
             killed ({:.0}). Of {} subjects, {} have more than 90 % redundant tests under whole-state. ",
            mean(0),
            published[0],
            mean(1),
            published[1],
            mean(2),
            published[2],
            self.n_subjects,
            self.n_over_90,
        );
        match &self.decreasing[..] {
            [] => text.push_str("Redundancy never decreases from one technique to the next. "),
            some => {
                let _ = write!(text, "Redundancy decreases somewhere for {}. ", some.join(", "));
            }
        }
        for (technique, losses) in TECHNIQUES.iter().zip(&self.losses) {
            let names = ["exceptions", "branches", "mutants by results", "mutants by states"];
            let lost: Vec<String> = names
                .iter()
                .zip(losses)
                .filter(|(_, subjects)| !subjects.is_empty())
                .map(|(name, subjects)| format!("{name} ({})", subjects.join(", ")))
                .collect();
            let lost = if lost.is_empty() { "nothing".to_owned() } else { lost.join(" and ") };
            let _ = write!(text, "Minimised by {technique}, suites lose {lost}. ");
        }
        let mut text = text.trim_end().to_owned();
        text.push_str("\n\n");
        text
    }
}

/// A published number, or a dash where there is none.
fn shown(published: f64, digits: usize) -> String {
    if published == 0.0 { "-".to_owned() } else { format!("{published:.digits$}") }
}

fn minimise(
    binary: &str,
    java_home: &Path,
    subject: &Subject,
    length: &str,
    at: usize,
    sums: &mut Sums,
) -> Result<String, String> {
    let more =
        ["--strategy", "exhaustive", "--length", length, "--max-tests", "60000", "--mutants"];
    let json = said(binary, java_home, subject, &more)?;
    let of = |name: &str| figures(&json, name);
    let names = [
        "tests",
        "executions",
        "redundantTests",
        "redundantExecutions",
        "branches",
        "coveredBranches",
        "coveredBranchesKept",
        "exceptions",
        "exceptionsKept",
        "seconds",
        "mutants",
        "killedByResults",
        "killedByResultsKept",
        "killedByStates",
        "killedByStatesKept",
    ];
    let columns: Vec<Vec<f64>> = names.iter().map(|name| of(name)).collect();
    if columns.iter().any(|column| column.len() != TECHNIQUES.len()) {
        return Err(format!("{}: figures are missing in\n{json}", subject.class));
    }
    let star = if json.contains("\"complete\": false") { "*" } else { "" };
    let is_known = subject.branches[0] > 0.0;
    let percent = |part: f64, whole: f64| if whole == 0.0 { 100.0 } else { part * 100.0 / whole };
    let redundancy: Vec<f64> =
        columns[2].iter().zip(&columns[0]).map(|(&part, &whole)| percent(part, whole)).collect();
    if redundancy.windows(2).any(|pair| pair[1] < pair[0]) {
        sums.decreasing.push(subject.class.to_owned());
    }
    sums.n_over_90 += usize::from(redundancy[2] > 90.0);
    sums.n_subjects += 1.0;
    let worth = [
        columns[7][0],
        percent(columns[5][0], columns[4][0]),
        percent(columns[11][0], columns[10][0]),
    ];
    sums.worth.iter_mut().zip(worth).for_each(|(sum, worth)| *sum += worth);
    let mut rows = String::new();
    for (idx, technique) in TECHNIQUES.iter().enumerate() {
        let figure = |column: usize| columns[column][idx];
        for (which, (before, after)) in [(7, 8), (5, 6), (11, 12), (13, 14)].into_iter().enumerate()
        {
            let lost = figure(before) - figure(after);
            if lost > 0.0 {
                sums.losses[idx][which].push(format!("{} {lost}", subject.class));
            }
        }
        let published = subject.redundant[idx];
        let redundant = |at: usize| match is_known {
            true => format!("{:.1}", published[at]),
            false => "-".to_owned(),
        };
        let _ = writeln!(
            rows,
            "| {} | {technique} | {}{star} ({}) | {} ({}) | {:.1} ({}) | {:.1} ({}) | {:.1} -> {:.1} ({}) | {} -> {} | {} -> {} of {} | {} -> {} | {:.2} |",
            subject.class,
            figure(0),
            subject.made[at],
            figure(1),
            shown(f64::from(subject.made[at + 1]), 0),
            percent(figure(2), figure(0)),
            redundant(at),
            percent(figure(3), figure(1)),
            redundant(at + 1),
            percent(figure(5), figure(4)),
            percent(figure(6), figure(4)),
            shown(subject.branches[at / 2], 1),
            figure(7),
            figure(8),
            figure(11),
            figure(12),
            figure(10),
            figure(13),
            figure(14),
            figure(9),
        );
    }
    Ok(rows)
}

fn generate(binary: &str, java_home: &Path, subject: &Subject) -> Result<String, String> {
    let mut rows = String::new();
    for (technique, published) in TECHNIQUES[1..].iter().zip(&subject.states) {
        // Of what nobody published, less will do.
        let most = if subject.branches[0] > 0.0 { "200000" } else { "20000" };
        let more = ["--technique", technique, "--iterations", "3", "--max-states", most];
        let json = said(binary, java_home, subject, &more)?;
        let total = figures(&json, "states").first().copied().unwrap_or_default();
        let new = figures(&json, "newStates");
        let mut after = [total; 3];
        for idx in (0..2).rev() {
            after[idx] = after[idx + 1] - new.get(idx + 1).copied().unwrap_or_default();
        }
        let _ = write!(rows, "| {} | {technique} |", subject.class);
        for (ours, published) in after.iter().zip(published) {
            let published = match published {
                0 => "-".to_owned(),
                known => known.to_string(),
            };
            let _ = write!(rows, " {ours} ({published}) |");
        }
        rows.push('\n');
    }
    Ok(rows)
}

//! Minimising a suite beside running it: the same JUnit suite on the machine without recording, and under
//! `nonpareil minimize` with each technique, in turns. Whole processes, one machine at a time.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::explore::CLASSES;

const FOLDER: &str = "target/bench-minimize";
const ROUNDS: usize = 3;
const TECHNIQUES: [&str; 5] =
    ["whole-seq", "modifying-seq", "whole-state", "monitor-equals", "pairwise-equals"];
/// At most so many times the time of a run without recording.
const TARGET: f64 = 3.0;

/// Classes of which suites are generated: the tests, at most, and more options.
const SUITES: &[(&str, &str, &[&str])] = &[
    ("TreeMap", "2000", &["--ignore-field", "subjects.TreeMap.modCount"]),
    ("LinkedList", "2000", &["--ignore-field", "subjects.LinkedList.modCount"]),
];

const JARS: [&str; 8] = [
    "junit-jupiter-api",
    "junit-jupiter-params",
    "junit-jupiter-engine",
    "junit-platform-commons",
    "junit-platform-engine",
    "junit-platform-launcher",
    "opentest4j",
    "apiguardian-api",
];

/// Further classes under test.
const ROWS: &[&str] = &["--class", "large.Table$Row"];
/// Suites over states of many nodes, in `fixtures/bench/large`, with the classes they test and options.
const LARGE: &[(&str, &str, &str, &[&str])] = &[
    ("CatalogueTest", "Catalogue", "calls on states of 2,000 nodes", &[]),
    ("GrowthTest", "Catalogue", "states that grow to 500 nodes", &[]),
    ("LedgerTest", "Ledger", "states that grow to 20,000 nodes, and go back and forth", &[]),
    ("RecentTest", "Recent", "states of 10,000 nodes with three ways to each", &[]),
    ("TableTest", "Table", "rows that know the reader they come from", ROWS),
    ("LineTest", "Line", "an array that fills with 100,000 values", &[]),
    ("ShelfTest", "Shelf", "four collections behind one object, 100,000 puts into each", &[]),
];

/// A compiled suite.
struct Suite<'a> {
    name: &'a str,
    /// The class under test, where it is compiled to, and where the tests are.
    class: &'a str,
    classes: &'a str,
    tests: &'a str,
    options: &'a [&'a str],
}

/// Prints and gives the table.
pub(super) fn run(binary: &str, java_home: &Path) -> Result<String, String> {
    super::explore::compile(java_home)?;
    let mut text = String::from("## Minimising\n\n");
    super::line(
        &mut text,
        "| suite | tests | technique | run ms | minimize ms | times the run (target at most 3) |",
    );
    super::line(&mut text, "|---|---|---|---|---|---|");
    let jars = jars();
    for (class, most, options) in SUITES {
        let folder = format!("{FOLDER}/{class}");
        let _ = std::fs::remove_dir_all(&folder);
        let tests = make(binary, java_home, &folder, class, most, options)?;
        let (name, class) = (format!("generated for {class}"), format!("subjects.{class}"));
        let suite = Suite { name: &name, class: &class, classes: CLASSES, tests: &tests, options };
        measure(&mut text, binary, java_home, &jars, &suite)?;
    }
    let classes = format!("{FOLDER}/large/classes");
    let source = |name: &str| vec![PathBuf::from(format!("fixtures/bench/large/{name}.java"))];
    for (test, class, name, options) in LARGE {
        compile(java_home, &jars, &source(class), &classes)?;
        let tests = format!("{FOLDER}/large/{test}");
        compile(java_home, &format!("{classes}:{jars}"), &source(test), &tests)?;
        let class = format!("large.{class}");
        let suite = Suite { name, class: &class, classes: &classes, tests: &tests, options };
        measure(&mut text, binary, java_home, &jars, &suite)?;
    }
    text.push('\n');
    Ok(text)
}

/// Runs and minimises a suite with every technique, in turns.
fn measure(
    text: &mut String,
    binary: &str,
    java_home: &Path,
    jars: &str,
    suite: &Suite<'_>,
) -> Result<(), String> {
    let Suite { name, class, classes, tests, options } = suite;
    let home = java_home.display().to_string();
    let run_path = format!("{tests}:{classes}:{jars}");
    let mut commands = vec![vec!["run", "--jdk", &home, "--classpath", &run_path, "--junit"]];
    let class_path = format!("{classes}:{jars}");
    for technique in TECHNIQUES {
        let fixed = ["minimize", "--jdk", &home, "--classpath", &class_path, "--tests", tests];
        let more = ["--class", class, "--technique", technique, "--jobs", "1"];
        commands.push([&fixed[..], &more, options].concat());
    }
    let mut best = vec![Duration::MAX; commands.len()];
    let mut n_tests = String::new();
    for _ in 0..ROUNDS {
        for (best, command) in best.iter_mut().zip(&commands) {
            let (time, output) = timed(binary, command)?;
            *best = (*best).min(time);
            if let Some(row) = output.lines().find(|line| line.starts_with("all tests ")) {
                n_tests = row.split_whitespace().nth(2).unwrap_or_default().to_owned();
            }
        }
    }
    let ms = |idx: usize| best[idx].as_secs_f64() * 1e3;
    for (idx, technique) in TECHNIQUES.iter().enumerate() {
        let times = ms(idx + 1) / ms(0);
        let missed = if times > TARGET { " (missed)" } else { "" };
        let row = format!(
            "| {name} | {n_tests} | {technique} | {:.0} | {:.0} | {times:.2}{missed} |",
            ms(0),
            ms(idx + 1),
        );
        super::line(text, &row);
    }
    Ok(())
}

/// The class path of JUnit.
pub(crate) fn jars() -> String {
    JARS.map(|jar| format!("/usr/share/java/{jar}.jar")).join(":")
}

/// Generates and compiles a suite into a folder; gives where its classes are.
pub(super) fn make(
    binary: &str,
    java_home: &Path,
    folder: &str,
    class: &str,
    most: &str,
    options: &[&str],
) -> Result<String, String> {
    let (sources, compiled) = (format!("{folder}/java-{class}"), format!("{folder}/classes"));
    std::fs::create_dir_all(&compiled).map_err(|error| format!("{compiled}: {error}"))?;
    let home = java_home.display().to_string();
    let name = format!("subjects.{class}");
    let fixed = ["generate", "--jdk", &home, "--classpath", CLASSES, "--class", &name];
    let more = [
        "--strategy",
        "states",
        "--iterations",
        "3",
        "--max-tests",
        most,
        "--no-verify",
        "--output",
        &sources,
    ];
    timed(binary, &[&fixed[..], &more, options].concat())?;
    let folder = Path::new(&sources).join("subjects");
    let files = std::fs::read_dir(&folder).map_err(|error| format!("{sources}: {error}"))?;
    let files: Vec<PathBuf> = files.flatten().map(|entry| entry.path()).collect();
    compile(java_home, &format!("{CLASSES}:{}", jars()), &files, &compiled)?;
    Ok(compiled)
}

fn compile(
    java_home: &Path,
    class_path: &str,
    files: &[PathBuf],
    into: &str,
) -> Result<(), String> {
    let javac = Command::new(java_home.join("bin/javac"))
        .args(["-g", "-nowarn", "-cp", class_path, "-d", into])
        .args(files)
        .output()
        .map_err(|error| format!("javac: {error}"))?;
    if !javac.status.success() {
        return Err(format!("javac failed:\n{}", String::from_utf8_lossy(&javac.stderr)));
    }
    Ok(())
}

/// Runs a command that may find something: codes 0 and 1 are both fine.
pub(super) fn timed(binary: &str, arguments: &[&str]) -> Result<(Duration, String), String> {
    let start = Instant::now();
    let output = Command::new(binary)
        .args(arguments)
        .output()
        .map_err(|error| format!("{binary}: {error}"))?;
    let time = start.elapsed();
    if !matches!(output.status.code(), Some(0 | 1)) {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{} failed:\n{errors}", arguments.join(" ")));
    }
    Ok((time, String::from_utf8_lossy(&output.stdout).into_owned()))
}

//! The strategies beside each other: what one command without further options gives for classes of well-known
//! libraries and for our subjects, and what the suite is worth.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::super::bench::{jars, say};
use super::CLASSES;
use crate::json::Json;

const HEAD: &str = "## Strategies beside each other

One class at a time, nothing chosen but the strategy; random generation draws as many sequences as the default strategy
does, which has both states and sequences and keeps the tests that tell something. Tests, their lines, the branches of
the class that they take and the mutants that they notice, in per cent, and seconds for the whole command, with the check
on the real JVM.

| class | states: tests | lines | branches | mutants | s | random: tests | lines | branches | mutants | s | both: tests | lines | branches | mutants | s |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
";

const FOLDER: &str = "target/experiment-strategies";
/// As many as the default strategy draws for one class.
const SEQUENCES: &str = "40000";
const LANG: &str = "/usr/share/java/commons-lang3.jar";
const COLLECTIONS: &str = "/usr/share/java/commons-collections4.jar";
const GUAVA: &str = "/usr/share/java/guava.jar";

const SUBJECTS: &[(&str, &str)] = &[
    (CLASSES, "subjects.IntStack"),
    (CLASSES, "subjects.BankAccount"),
    (CLASSES, "subjects.LinkedList"),
    (CLASSES, "subjects.TreeMap"),
    (CLASSES, "subjects.BinomialHeap"),
    (LANG, "org.apache.commons.lang3.Range"),
    (LANG, "org.apache.commons.lang3.mutable.MutableInt"),
    (LANG, "org.apache.commons.lang3.math.Fraction"),
    (LANG, "org.apache.commons.lang3.text.StrBuilder"),
    (LANG, "org.apache.commons.lang3.StringUtils"),
    (COLLECTIONS, "org.apache.commons.collections4.map.LRUMap"),
    (COLLECTIONS, "org.apache.commons.collections4.queue.CircularFifoQueue"),
    (GUAVA, "com.google.common.base.Splitter"),
    (GUAVA, "com.google.common.collect.TreeRangeSet"),
];
const STRATEGIES: [&[&str]; 3] = [
    &["--strategy", "states"],
    &["--strategy", "random", "--max-sequences", SEQUENCES],
    &["--strategy", "all"],
];

/// The chapter.
pub(super) fn run(binary: &str, java_home: &Path) -> Result<String, String> {
    super::compile(java_home, super::SUBJECTS, CLASSES)?;
    let mut text = HEAD.to_owned();
    for (class_path, class) in SUBJECTS {
        let mut row = format!("| {} |", class.rsplit('.').next().unwrap_or(class));
        for (idx, options) in STRATEGIES.iter().enumerate() {
            let folder = format!("{FOLDER}/{class}-{idx}");
            let _ = std::fs::remove_dir_all(&folder);
            let tool = Tool { binary, java_home, class_path, class, folder: &folder };
            let _ = write!(row, "{}", tool.cells(options)?);
        }
        say(&row);
        let _ = writeln!(text, "{row}");
    }
    Ok(text)
}

struct Tool<'a> {
    binary: &'a str,
    java_home: &'a Path,
    class_path: &'a str,
    class: &'a str,
    folder: &'a str,
}

impl Tool<'_> {
    /// What one strategy gives.
    fn cells(&self, options: &[&str]) -> Result<String, String> {
        let (sources, classes) =
            (format!("{}/java", self.folder), format!("{}/tests", self.folder));
        let start = Instant::now();
        self.ask("generate", self.class_path, &[options, &["--output", &sources]].concat())?;
        let seconds = start.elapsed().as_secs_f64();
        let mut files = Vec::new();
        test_files(Path::new(&sources), &mut files);
        let mut n_lines = 0;
        for file in &files {
            let text = std::fs::read_to_string(file);
            n_lines +=
                text.map_err(|error| format!("{}: {error}", file.display()))?.lines().count();
        }
        let class_path = format!("{}:{}", self.class_path, jars());
        self.compile(&class_path, &files, &classes)?;
        let said = self.ask("assess", &class_path, &["--tests", &classes, "--mutants"])?;
        let json = Json::parse(&said)?;
        let percent = |part: f64, all: f64| 100.0 * part / all.max(1.0);
        let branches = percent(
            json.number("coverage.branches.covered")?,
            json.number("coverage.branches.total")?,
        );
        let of_mutants = |fate: &str| json.number(&format!("mutation.{fate}"));
        let killed = of_mutants("killed")?;
        let all = killed + of_mutants("survived")? + of_mutants("notCovered")?;
        let tests = json.number("summary.tests")?;
        let mutants = percent(killed, all + of_mutants("undecided")?);
        Ok(format!(" {tests} | {n_lines} | {branches:.0} | {mutants:.0} | {seconds:.1} |"))
    }

    fn ask(&self, command: &str, class_path: &str, options: &[&str]) -> Result<String, String> {
        let output = Command::new(self.binary)
            .args([command, "--format", "json", "--class", self.class, "--jdk"])
            .arg(self.java_home)
            .args(["--classpath", class_path])
            .args(options)
            .output()
            .map_err(|error| format!("{}: {error}", self.binary))?;
        match output.status.code() {
            Some(0 | 1) => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            _ => {
                let errors = String::from_utf8_lossy(&output.stderr);
                Err(format!("{command} {}: {errors}", self.class))
            }
        }
    }

    fn compile(&self, class_path: &str, files: &[PathBuf], into: &str) -> Result<(), String> {
        std::fs::create_dir_all(into).map_err(|error| format!("{into}: {error}"))?;
        let javac = Command::new(self.java_home.join("bin/javac"))
            .args(["-nowarn", "-cp", class_path, "-d", into])
            .args(files)
            .output()
            .map_err(|error| format!("javac: {error}"))?;
        match javac.status.success() {
            true => Ok(()),
            false => Err(format!("javac failed:\n{}", String::from_utf8_lossy(&javac.stderr))),
        }
    }
}

/// The files with tests that pass.
fn test_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            test_files(&path, files);
        } else if !path.to_string_lossy().contains("ErrorTest") {
            files.push(path);
        }
    }
    files.sort();
}

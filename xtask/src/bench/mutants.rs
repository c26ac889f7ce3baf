//! Judging mutants: generated suites against all mutants of their classes, with all cores. Whole processes,
//! beside the same command without mutants.

use std::path::Path;
use std::time::Duration;

use super::explore::CLASSES;
use super::minimize::{jars, make, timed};
use crate::json::Json;

const FOLDER: &str = "target/bench-mutants";
const ROUNDS: usize = 2;

/// Classes that a suite is generated for, and how many tests each has at most.
const SUITES: &[(&[&str], &str)] = &[
    (&["TreeMap"], "2000"),
    (
        &["TreeMap", "LinkedList", "HashMap", "BinomialHeap", "FibonacciHeap", "BinarySearchTree"],
        "300",
    ),
];

/// Prints and gives the table.
pub(super) fn run(binary: &str, java_home: &Path) -> Result<String, String> {
    super::explore::compile(java_home)?;
    let mut text = String::from("## Mutants\n\n");
    super::line(
        &mut text,
        "| classes | tests | mutants | killed | trials | assess s | with mutants s | mutants x tests per second |",
    );
    super::line(&mut text, "|---|---|---|---|---|---|---|---|");
    for (classes, most) in SUITES {
        let folder = format!("{FOLDER}/{}", classes.len());
        // What an earlier run left is not part of the suite.
        let _ = std::fs::remove_dir_all(&folder);
        for class in *classes {
            make(binary, java_home, &folder, class, most, &[])?;
        }
        let row = measure(binary, java_home, &folder, classes)?;
        super::line(&mut text, &row);
    }
    text.push('\n');
    Ok(text)
}

fn measure(
    binary: &str,
    java_home: &Path,
    folder: &str,
    classes: &[&str],
) -> Result<String, String> {
    let home = java_home.display().to_string();
    let (class_path, tests) = (format!("{CLASSES}:{}", jars()), format!("{folder}/classes"));
    let mut without = vec!["assess", "--jdk", &home, "--classpath", &class_path, "--tests", &tests];
    without.extend(["--format", "json"]);
    let names: Vec<String> = classes.iter().map(|class| format!("subjects.{class}")).collect();
    for name in &names {
        without.extend(["--class", name]);
    }
    let with = [&without[..], &["--mutants"]].concat();
    let mut best = [Duration::MAX; 2];
    let mut said = String::new();
    for _ in 0..ROUNDS {
        for (best, command) in best.iter_mut().zip([&without, &with]) {
            let time;
            (time, said) = timed(binary, command)?;
            *best = (*best).min(time);
        }
    }
    let json = Json::parse(&said)?;
    let [without, with] = best.map(|time| time.as_secs_f64());
    let mutants = json.list("mutants");
    let trials: Result<Vec<f64>, String> =
        mutants.iter().map(|mutant| mutant.number("trials")).collect();
    let tests = json.number("summary.tests")?;
    #[expect(clippy::cast_precision_loss, reason = "some hundreds")]
    let n_mutants = mutants.len() as f64;
    Ok(format!(
        "| {} | {tests} | {n_mutants} | {} | {} | {without:.2} | {with:.2} | {:.0} |",
        classes.join(", "),
        json.number("mutation.killed")?,
        trials?.iter().sum::<f64>(),
        n_mutants * tests / with,
    ))
}

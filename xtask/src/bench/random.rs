//! Random generation: sequences per second and core, memory per kept sequence, and how fast coverage comes to
//! its end.

use std::path::Path;
use std::process::Command;

use crate::json::Json;

const CLASSES: &str = "target/bench-containers";
const SECONDS: &str = "5s";

/// What is drawn from, and the rate that is aimed at.
const ROWS: &[(&str, &[&str], f64)] = &[
    ("IntStack", &["--class", "subjects.IntStack"], 100_000.0),
    ("BinTree", &["--class", "containers.BinTree"], 100_000.0),
    ("BHeap", &["--class", "containers.BHeap"], 100_000.0),
    ("FibHeap", &["--class", "containers.FibHeap"], 100_000.0),
    ("TreeMap", &["--class", "containers.TreeMap"], 100_000.0),
    ("java.util as a whole", &["--package", "java.util.*"], 20_000.0),
];

/// Prints and gives the table.
pub(super) fn run(binary: &str, java_home: &Path) -> Result<String, String> {
    super::explore::compile(java_home)?;
    crate::experiments::compile(java_home, "fixtures/containers/src/containers", CLASSES)?;
    let class_path = format!("{CLASSES}:{}", super::explore::CLASSES);
    let mut text = String::from("## Random generation\n\n");
    super::line(
        &mut text,
        "| what | sequences per second, one thread (target) | bytes per kept sequence (target below 1024) | branches | last new after s (target 1) |",
    );
    super::line(&mut text, "|---|---|---|---|---|");
    for (what, classes, target) in ROWS {
        let output = Command::new(binary)
            .args(["generate", "--strategy", "random", "--count", "--format", "json", "--jdk"])
            .arg(java_home)
            .args(["--classpath", &class_path, "--time", SECONDS, "--jobs", "1"])
            .args(*classes)
            .output()
            .map_err(|error| format!("{binary}: {error}"))?;
        let said = String::from_utf8_lossy(&output.stdout);
        let json = Json::parse(&said).map_err(|error| {
            format!("{what}: {error}\n{}", String::from_utf8_lossy(&output.stderr))
        })?;
        let rate = json.number("sequences")? / json.number("seconds")?.max(0.001);
        let bytes = json.number("componentBytes")? / json.number("components")?.max(1.0);
        let missed = if rate < *target { ", missed" } else { "" };
        let last = match json.list("growth").last() {
            Some(Json::List(pair)) => match pair.first() {
                Some(Json::Number(seconds)) => *seconds,
                _ => 0.0,
            },
            _ => 0.0,
        };
        let row = format!(
            "| {what} | {rate:.0} ({target:.0}{missed}) | {bytes:.0} | {:.0} of {:.0} | {last:.2} |",
            json.number("branches.covered")?,
            json.number("branches.all")?,
        );
        super::line(&mut text, &row);
    }
    text.push('\n');
    Ok(text)
}

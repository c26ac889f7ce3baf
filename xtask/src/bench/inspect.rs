//! Inferring properties: whole runs of `nonpareil inspect`, by pairs of calls.

use std::path::Path;

use super::explore::CLASSES;

/// Class, iterations, more options, and the seconds that were published for the authors' version.
const RUNS: &[(&str, &str, &[&str], &str)] = &[
    ("TreeMap", "5", &["--ignore-field", "subjects.TreeMap.modCount"], "296"),
    ("BinomialHeap", "5", &[], "393"),
    ("LinkedList", "4", &["--ignore-field", "subjects.LinkedList.modCount"], "22"),
    ("LinkedList", "5", &["--ignore-field", "subjects.LinkedList.modCount"], "74"),
    ("LinkedList", "6", &["--ignore-field", "subjects.LinkedList.modCount"], ""),
];

/// Prints and gives the table. The subjects are compiled.
pub(super) fn run(binary: &str, java_home: &Path) -> Result<String, String> {
    let mut text = String::from("## Inferring properties\n\n");
    let head =
        "| class | iterations | tests | pairs of calls | seconds in all | published seconds |";
    super::line(&mut text, head);
    super::line(&mut text, "|---|---|---|---|---|---|");
    let home = java_home.display().to_string();
    for (class, iterations, options, published) in RUNS {
        let class_name = format!("subjects.{class}");
        let fixed = [
            binary,
            "inspect",
            "--jdk",
            &home,
            "--classpath",
            CLASSES,
            "--class",
            &class_name,
            "--iterations",
            iterations,
            "--attack",
            "0",
            "--format",
            "json",
        ];
        let command: Vec<String> =
            fixed.iter().chain(options.iter()).map(|&word| word.to_owned()).collect();
        let (time, json) = super::timed(&command)?;
        let of = |name: &str| {
            let rest = json.split(&format!("\"{name}\": ")).nth(1).unwrap_or_default();
            rest.chars().take_while(char::is_ascii_digit).collect::<String>()
        };
        let row = format!(
            "| {class} | {iterations} | {} | {} | {:.2} | {published} |",
            of("calls"),
            of("pairs"),
            time.as_secs_f64()
        );
        super::line(&mut text, &row);
    }
    Ok(text)
}

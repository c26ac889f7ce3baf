//! The papers' experiments on our subjects, the published values beside ours: `docs/experiments.md`.
//!
//! Table 1 of Xie and Notkin (2005), tables 2 to 7 of Xie, Marinov and Notkin (2004; `rostra.rs`), and
//! the experiments of Pacheco and others (2007; `random.rs`). The subjects are written anew, so only where a
//! subject is known to be the same can a number be expected to be.

mod choices;
mod java_util;
mod random;
mod rostra;
mod strategies;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const CLASSES: &str = "target/experiment-classes";
const SUBJECTS: &str = "fixtures/subjects/src/subjects";
const RESULT: &str = "docs/experiments.md";

/// One benchmark: our class, more options, and for 3, 4 and 5 iterations the published numbers: universal,
/// conditional universal and common properties; generated, special, common tests, both; seconds.
struct Benchmark {
    class: &'static str,
    /// The methods that are called; all where empty.
    methods: &'static str,
    options: &'static [&'static str],
    published: [[f64; 8]; 3],
}

const fn benchmark(
    class: &'static str,
    methods: &'static str,
    options: &'static [&'static str],
    published: [[f64; 8]; 3],
) -> Benchmark {
    Benchmark { class, methods, options, published }
}

/// Table 1.
const BENCHMARKS: [Benchmark; 10] = [
    benchmark(
        "BinarySearchTree",
        "insert,remove,find",
        &[],
        [
            [6.0, 10.0, 7.0, 91.0, 6.0, 14.0, 3.0, 0.93],
            [6.0, 10.0, 6.0, 136.0, 5.0, 14.0, 3.0, 1.29],
            [6.0, 10.0, 6.0, 136.0, 5.0, 14.0, 3.0, 1.30],
        ],
    ),
    benchmark(
        "BinomialHeap",
        "",
        &[],
        [
            [22.0, 6.0, 56.0, 5272.0, 45.0, 63.0, 1.0, 44.37],
            [21.0, 5.0, 53.0, 12440.0, 45.0, 61.0, 1.0, 115.25],
            [21.0, 5.0, 51.0, 21456.0, 42.0, 59.0, 1.0, 392.97],
        ],
    ),
    benchmark(
        "FibonacciHeap",
        "",
        &[],
        [
            [15.0, 6.0, 72.0, 173.0, 51.0, 59.0, 8.0, 2.06],
            [13.0, 6.0, 81.0, 341.0, 55.0, 63.0, 9.0, 3.67],
            [12.0, 6.0, 80.0, 677.0, 52.0, 62.0, 7.0, 7.17],
        ],
    ),
    benchmark(
        "HashMap",
        "",
        &["--ignore-field", "subjects.HashMap.modCount"],
        [
            [81.0, 9.0, 19.0, 2213.0, 15.0, 88.0, 5.0, 15.33],
            [81.0, 9.0, 18.0, 7533.0, 14.0, 92.0, 9.0, 61.28],
            [81.0, 9.0, 19.0, 15345.0, 15.0, 92.0, 10.0, 163.21],
        ],
    ),
    benchmark(
        "HashSet",
        "",
        &[],
        [
            [43.0, 15.0, 18.0, 157.0, 15.0, 48.0, 7.0, 1.78],
            [43.0, 15.0, 16.0, 235.0, 14.0, 49.0, 9.0, 2.61],
            [43.0, 15.0, 16.0, 261.0, 14.0, 50.0, 10.0, 2.91],
        ],
    ),
    benchmark(
        "LinkedList",
        "",
        &["--ignore-field", "subjects.LinkedList.modCount"],
        [
            [56.0, 20.0, 24.0, 729.0, 22.0, 81.0, 5.0, 6.82],
            [55.0, 18.0, 43.0, 2241.0, 39.0, 96.0, 8.0, 21.62],
            [55.0, 18.0, 39.0, 6777.0, 37.0, 96.0, 8.0, 74.01],
        ],
    ),
    benchmark(
        "SortedList",
        "",
        &["--ignore-field", "subjects.LinkedList.modCount"],
        [
            [56.0, 14.0, 28.0, 820.0, 23.0, 84.0, 6.0, 10.41],
            [55.0, 14.0, 35.0, 2521.0, 30.0, 88.0, 4.0, 32.61],
            [55.0, 14.0, 44.0, 7624.0, 33.0, 95.0, 4.0, 108.35],
        ],
    ),
    benchmark(
        "TreeMap",
        "",
        &["--ignore-field", "subjects.TreeMap.modCount"],
        [
            [84.0, 9.0, 20.0, 2911.0, 16.0, 92.0, 6.0, 20.21],
            [84.0, 9.0, 18.0, 9421.0, 14.0, 95.0, 9.0, 82.85],
            [84.0, 9.0, 17.0, 16291.0, 13.0, 95.0, 9.0, 295.86],
        ],
    ),
    benchmark(
        "IntStack",
        "",
        &["--technique", "monitor-equals"],
        [
            [5.0, 0.0, 2.0, 66.0, 2.0, 4.0, 2.0, 0.53],
            [5.0, 0.0, 5.0, 201.0, 4.0, 6.0, 3.0, 1.06],
            [5.0, 0.0, 5.0, 606.0, 4.0, 6.0, 3.0, 2.29],
        ],
    ),
    benchmark(
        "UBStack",
        "",
        &[],
        [
            [10.0, 2.0, 7.0, 169.0, 7.0, 17.0, 1.0, 0.75],
            [10.0, 2.0, 7.0, 253.0, 7.0, 17.0, 3.0, 0.97],
            [10.0, 2.0, 6.0, 337.0, 6.0, 16.0, 1.0, 1.18],
        ],
    ),
];

const HEAD: &str = "# Experiments

`make experiments` writes this page: what the papers report, and what Nonpareil finds on its own versions of
their subjects. Published numbers stand in parentheses behind ours.

## Special and common tests (Xie and Notkin, 2005, table 1)

Arguments are -1, 0 and 1; `equals` and `hashCode` are not called; nothing is attacked; whole states are
compared, for IntStack what `equals` reads. Properties that follow from printed ones are not counted, nor are
those with observers as conditions, which the paper does not have.

Where ours differ, the reasons we know:

- IntStack is the paper's class word for word, and every number is the published one. For that, a universal s0
  or s0' must count as what a method is (it preserves or changes the state), not as a property.
- The other classes are written anew from what is known of them, and have other methods; where even the number
  of generated tests differs, states differ.
- Equal arguments make some right-hand sides the same (`push(S, i0_1)` and `push(S, i0_2)`); we count one.
- What follows from a method that always leads to the same state, or always returns the same, is not counted.
- The paper prints a common property of UBStack that 42 of 53 instances satisfy, which is below its threshold
  of 80%; its own limit was a little lower than told.

| subject | iterations | universal | conditional | common | tests | special | common tests | both | seconds |
|---|---|---|---|---|---|---|---|---|---|
";

/// Runs everything and writes the page.
pub(crate) fn run(binary: &str, java_home: &Path) -> Result<(), String> {
    compile(java_home, SUBJECTS, CLASSES)?;
    let mut text = HEAD.to_owned();
    for benchmark in &BENCHMARKS {
        let methods = match benchmark.methods {
            "" => methods(java_home, benchmark.class)?,
            chosen => chosen.to_owned(),
        };
        for (idx, published) in benchmark.published.iter().enumerate() {
            let iterations = (idx + 3).to_string();
            let start = Instant::now();
            let class = format!("subjects.{}", benchmark.class);
            let output = Command::new(binary)
                .args(["inspect", "--classpath", CLASSES, "--jdk"])
                .arg(java_home)
                .args(["--class", &class, "--methods", &methods, "--iterations", &iterations])
                .args(["--arguments", "int=-1,0,1", "--arguments", "Object=-1,0,1"])
                .args(["--attack", "0", "--format", "json"])
                .args(benchmark.options)
                .output()
                .map_err(|error| format!("{binary}: {error}"))?;
            let seconds = start.elapsed().as_secs_f64();
            let json = String::from_utf8_lossy(&output.stdout).into_owned();
            if json.is_empty() {
                let errors = String::from_utf8_lossy(&output.stderr);
                return Err(format!("inspect {class}: {errors}"));
            }
            let row = row(benchmark.class, &iterations, &json, seconds, published)?;
            super::bench::say(&row);
            let _ = writeln!(text, "{row}");
        }
    }
    text.push_str(&rostra::run(binary, java_home)?);
    std::fs::create_dir_all("docs").map_err(|error| format!("docs: {error}"))?;
    write(&text)?;
    run_random(binary, java_home, None)?;
    run_strategies(binary, java_home)
}

/// Runs the chapter on strategies alone and puts it into the page that is there.
pub(crate) fn run_strategies(binary: &str, java_home: &Path) -> Result<(), String> {
    let chapter = strategies::run(binary, java_home)?;
    let page = std::fs::read_to_string(RESULT).map_err(|error| format!("{RESULT}: {error}"))?;
    write(&with_chapter(&page, &chapter))
}

/// Runs the chapter on random generation, or one section of it, and puts it into the page that is there.
pub(crate) fn run_random(
    binary: &str,
    java_home: &Path,
    section: Option<&str>,
) -> Result<(), String> {
    let read = || std::fs::read_to_string(RESULT).map_err(|error| format!("{RESULT}: {error}"));
    let page = read()?;
    if !page.contains(random::TITLE) {
        write(&with_chapter(&page, random::TITLE))?;
    }
    random::run(binary, java_home, section, &|section| write(&with_chapter(&read()?, section)))
}

fn write(page: &str) -> Result<(), String> {
    std::fs::write(RESULT, page).map_err(|error| format!("{RESULT}: {error}"))
}

/// Runs the chapter on redundant tests alone and puts it into the page that is there.
pub(crate) fn run_redundancy(binary: &str, java_home: &Path) -> Result<(), String> {
    compile(java_home, SUBJECTS, CLASSES)?;
    let page = std::fs::read_to_string(RESULT).map_err(|error| format!("{RESULT}: {error}"))?;
    let chapter = rostra::run(binary, java_home)?;
    write(&with_chapter(&page, &chapter))
}

/// A page in which the chapter or section with the same heading is another; a new one comes last.
fn with_chapter(page: &str, chapter: &str) -> String {
    let chapter = chapter.trim_start();
    let heading = chapter.lines().next().unwrap_or_default();
    let mut parts: Vec<String> = Vec::new();
    let is_section = heading.starts_with("### ");
    for line in page.lines() {
        let is_heading = line.starts_with("## ") || is_section && line.starts_with("### ");
        if is_heading || parts.is_empty() {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut() {
            part.push_str(line);
            part.push('\n');
        }
    }
    match parts.iter_mut().find(|part| part.lines().next() == Some(heading)) {
        Some(part) => chapter.clone_into(part),
        None => parts.push(chapter.to_owned()),
    }
    let parts: Vec<&str> = parts.iter().map(|part| part.trim_end()).collect();
    parts.join("\n\n") + "\n"
}

fn row(
    class: &str,
    iterations: &str,
    json: &str,
    seconds: f64,
    published: &[f64; 8],
) -> Result<String, String> {
    let mut special = 0;
    let mut common = 0;
    let mut both = 0;
    for test in json.split("\"specialByArguments\": ").skip(1) {
        let is_special = test.starts_with("true");
        let is_common =
            test.split("\"common\": ").nth(1).is_some_and(|flag| flag.starts_with("true"));
        special += usize::from(is_special);
        common += usize::from(is_common);
        both += usize::from(is_special && is_common);
    }
    let ours = [
        number(json, "universal")?,
        number(json, "conditional")?,
        number(json, "common")?,
        number(json, "calls")?,
        special,
        common,
        both,
    ];
    let mut row = format!("| {class} | {iterations} |");
    for (ours, published) in ours.iter().zip(published) {
        let _ = write!(row, " {ours} ({published:.0}) |");
    }
    let _ = write!(row, " {seconds:.1} ({:.1}) |", published[7]);
    Ok(row)
}

/// The number behind a name, where it stands first.
fn number(json: &str, name: &str) -> Result<usize, String> {
    let rest = json.split(&format!("\"{name}\": ")).nth(1).unwrap_or_default();
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().map_err(|_| format!("no {name} in what inspect says"))
}

pub(crate) fn compile(java_home: &Path, folder: &str, classes: &str) -> Result<(), String> {
    let sources: Vec<PathBuf> = std::fs::read_dir(folder)
        .map_err(|error| format!("{folder}: {error}"))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "java"))
        .collect();
    std::fs::create_dir_all(classes).map_err(|error| format!("{classes}: {error}"))?;
    let javac = Command::new(java_home.join("bin/javac"))
        .args(["-nowarn", "-d", classes])
        .args(sources)
        .output()
        .map_err(|error| format!("javac: {error}"))?;
    if javac.status.success() {
        return Ok(());
    }
    Err(format!("javac failed:\n{}", String::from_utf8_lossy(&javac.stderr)))
}

/// The public methods of a class but `equals` and `hashCode`, with commas between them.
fn methods(java_home: &Path, class: &str) -> Result<String, String> {
    let output = Command::new(java_home.join("bin/javap"))
        .args(["-public", "-cp", CLASSES, &format!("subjects.{class}")])
        .output()
        .map_err(|error| format!("javap: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let parent = text.split(" extends subjects.").nth(1).and_then(|rest| rest.split(' ').next());
    let inherited = match parent {
        Some(parent) => methods(java_home, parent)?,
        None => String::new(),
    };
    let mut names: Vec<String> = text
        .lines()
        .filter_map(|line| line.split_once('('))
        .filter_map(|(head, _)| head.rsplit(' ').next().map(str::to_owned))
        .filter(|name| !name.contains('.') && name != "equals" && name != "hashCode")
        .collect();
    names.extend(inherited.split(',').filter(|name| !name.is_empty()).map(str::to_owned));
    names.sort();
    names.dedup();
    Ok(names.join(","))
}

#[cfg(test)]
mod tests {
    use super::with_chapter;

    #[test]
    fn a_chapter_replaces_the_one_with_its_heading() {
        let page = "# Page\n\n## One\n\na\n\n## Two\n\nb\n";
        assert_eq!(
            with_chapter(page, "\n## One\n\nc\n\n"),
            "# Page\n\n## One\n\nc\n\n## Two\n\nb\n"
        );
        let nested = "# Page\n\n## One\n\n### A\n\na\n\n### B\n\nb\n";
        assert_eq!(
            with_chapter(nested, "### A\n\nc\n"),
            "# Page\n\n## One\n\n### A\n\nc\n\n### B\n\nb\n"
        );
        assert_eq!(with_chapter(page, "## Three\n\nd\n"), format!("{page}\n## Three\n\nd\n"));
    }
}

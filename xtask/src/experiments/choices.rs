//! What our own choices are worth: how the next call is chosen, and when two values are the same. Measured on the
//! same number of sequences, so that the tables are the same on any machine; how calls are chosen also in the same
//! time, since that is what guided generation looks at.

use std::fmt::Write as _;

use super::random::{
    Budget, CLASSES, CONTAINERS, GUIDED, SEEDS, Tool, UNIFORM, fault_list, faults_in, findings,
};
use crate::json::Json;

const CHOOSING_HEAD: &str = "### Choosing calls

Guided against uniform with the same budget; means of three seeds. Planted faults: all classes of fixtures/bugs
together. Others: branches taken; containers and subjects one class at a time, summed up; jars and java.util as a
whole. Guided generation gives calls their share of time, not of sequences, so the rows with seconds count most.

| what | budget | of | guided | uniform |
|---|---|---|---|---|
";

const FILTERS_HEAD: &str = "### When two values are the same

The five techniques as equality filter, on the same number of sequences. Planted faults: all classes of fixtures/bugs
together, 5000 sequences, the mean of ten seeds and how far single seeds are apart. Containers: branches taken and
combinations of predicates, 2000 sequences for each class, means of three seeds. Sequences per second and bytes of kept
sequences are those of the planted faults.

The default is whole-state: what others find or cover more is less than single seeds are apart, and it keeps a third of
what whole-seq keeps. A random sequence has no one object whose changes it is about, so modifying-seq is the same
filter here.

| technique | faults | single seeds | branches | predicates | kept | bytes each | sequences per second |
|---|---|---|---|---|---|---|---|
";

const SUBJECTS: &str = "fixtures/subjects/src/subjects";
const JARS: [(&str, &str); 2] = [
    ("commons-lang3", "/usr/share/java/commons-lang3.jar"),
    ("commons-collections4", "/usr/share/java/commons-collections4.jar"),
];
const MANY_SEEDS: [&str; 10] = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"];
const TECHNIQUES: [&str; 5] =
    ["whole-seq", "modifying-seq", "whole-state", "monitor-equals", "pairwise-equals"];

/// What some runs came to, summed up.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    reached: f64,
    /// Of a single run.
    least: f64,
    most: f64,
    all: f64,
    kept: f64,
    bytes: f64,
    sequences: f64,
    seconds: f64,
}

impl Sum {
    fn add(&mut self, json: &Json, reached: f64, all: f64) -> Result<(), String> {
        self.least = if self.all == 0.0 { reached } else { self.least.min(reached) };
        self.most = self.most.max(reached);
        self.reached += reached;
        self.all += all;
        self.kept += json.number("components")?;
        self.bytes += json.number("componentBytes")?;
        self.sequences += json.number("sequences")?;
        self.seconds += json.number("seconds")?;
        Ok(())
    }
}

#[expect(clippy::cast_precision_loss, reason = "three")]
fn n_seeds() -> f64 {
    SEEDS.len() as f64
}

/// How many of the planted faults are found among all of them.
fn faults(tool: &Tool<'_>, budget: Budget, mode: &[&str], seeds: &[&str]) -> Result<Sum, String> {
    let list = fault_list()?;
    let faults = faults_in(&list);
    let mut more = mode.to_vec();
    for fault in &faults {
        for class in std::iter::once(&fault.class).chain(&fault.others) {
            more.extend(["--class", class]);
        }
    }
    let mut sum = Sum::default();
    for seed in seeds {
        let json = tool.draw(budget, seed, &more)?;
        let found = findings(&json);
        let is_found = |fault: &super::random::Fault<'_>| {
            found.iter().any(|finding| {
                let is_its_own = finding.class == fault.class
                    || finding
                        .class
                        .strip_prefix(fault.class)
                        .is_some_and(|rest| rest.starts_with('$'));
                is_its_own && fault.contracts.contains(&finding.contract.as_str())
            })
        };
        let n_found = count(faults.iter().filter(|fault| is_found(fault)).count());
        sum.add(&json, n_found, count(faults.len()))?;
    }
    Ok(sum)
}

#[expect(clippy::cast_precision_loss, reason = "a small count")]
fn count(number: usize) -> f64 {
    number as f64
}

/// Branches of the classes of a folder, one at a time.
fn one_by_one(
    tool: &Tool<'_>,
    folder: &str,
    is_wanted: &dyn Fn(&str) -> bool,
    budget: Budget,
    mode: &[&str],
) -> Result<Sum, String> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| format!("{folder}: {error}"))?.flatten()
    {
        let file = entry.file_name().to_string_lossy().into_owned();
        names.extend(file.strip_suffix(".java").filter(|name| is_wanted(name)).map(str::to_owned));
    }
    names.sort();
    let package = folder.rsplit('/').next().unwrap_or_default();
    let mut sum = Sum::default();
    for name in &names {
        let class = format!("{package}.{name}");
        for seed in SEEDS {
            let json = tool.draw(budget, seed, &[&["--class", class.as_str()], mode].concat())?;
            sum.add(&json, json.number("branches.covered")?, json.number("branches.all")?)?;
        }
    }
    Ok(sum)
}

fn is_container(name: &str) -> bool {
    !name.ends_with("Predicates")
}

/// Branches of a jar, or of what the mode names.
fn whole(tool: &Tool<'_>, path: &str, budget: Budget, mode: &[&str]) -> Result<Sum, String> {
    let mut sum = Sum::default();
    for seed in SEEDS {
        let json = tool.draw_from(path, budget, seed, mode)?;
        sum.add(&json, json.number("branches.covered")?, json.number("branches.all")?)?;
    }
    Ok(sum)
}

pub(super) fn choosing(tool: &Tool<'_>) -> Result<String, String> {
    let mut text = CHOOSING_HEAD.to_owned();
    let mut row = |what: &str, budget: Budget, sums: [Sum; 2]| {
        let [guided, uniform] = sums.map(|sum| sum.reached / n_seeds());
        let all = sums[0].all / n_seeds();
        let row = format!("| {what} | {budget} | {all:.0} | {guided:.1} | {uniform:.1} |");
        super::super::bench::say(&row);
        let _ = writeln!(text, "{row}");
    };
    let both = |run: &dyn Fn(&[&str]) -> Result<Sum, String>| {
        Ok::<_, String>([run(GUIDED)?, run(UNIFORM)?])
    };
    let few = Budget::Sequences(3000);
    for budget in [few, Budget::Seconds(3)] {
        row("planted faults", budget, both(&|mode| faults(tool, budget, mode, &SEEDS))?);
    }
    let budget = Budget::Sequences(1000);
    let run = |mode: &[&str]| one_by_one(tool, CONTAINERS, &is_container, budget, mode);
    row("containers", budget, both(&run)?);
    let run =
        |mode: &[&str]| one_by_one(tool, CONTAINERS, &|name| !is_container(name), budget, mode);
    row("predicates of containers", budget, both(&run)?);
    let budget = Budget::Sequences(500);
    let run = |mode: &[&str]| one_by_one(tool, SUBJECTS, &|_| true, budget, mode);
    row("subjects", budget, both(&run)?);
    for (name, path) in JARS {
        for budget in [few, Budget::Seconds(5)] {
            row(name, budget, both(&|mode| whole(tool, path, budget, mode))?);
        }
    }
    let budget = Budget::Seconds(5);
    let run = |mode: &[&str]| {
        whole(tool, CLASSES, budget, &[&["--package", "java.util.*"], mode].concat())
    };
    row("java.util", budget, both(&run)?);
    Ok(text)
}

pub(super) fn filters(tool: &Tool<'_>) -> Result<String, String> {
    let mut text = FILTERS_HEAD.to_owned();
    let few = Budget::Sequences(2000);
    for technique in TECHNIQUES {
        let mode = ["--technique", technique];
        let found = faults(tool, Budget::Sequences(5000), &mode, &MANY_SEEDS)?;
        let n_many = count(MANY_SEEDS.len());
        let branches = one_by_one(tool, CONTAINERS, &is_container, few, &mode)?;
        let predicates = one_by_one(tool, CONTAINERS, &|name| !is_container(name), few, &mode)?;
        let row = format!(
            "| {technique} | {:.1} of {:.0} | {:.0} to {:.0} | {:.1} of {:.0} | {:.1} | {:.0} | {:.0} | {:.0} |",
            found.reached / n_many,
            found.all / n_many,
            found.least,
            found.most,
            branches.reached / n_seeds(),
            branches.all / n_seeds(),
            predicates.reached / n_seeds(),
            found.kept / n_many,
            found.bytes / found.kept.max(1.0),
            found.sequences / found.seconds.max(0.001),
        );
        super::super::bench::say(&row);
        let _ = writeln!(text, "{row}");
    }
    Ok(text)
}

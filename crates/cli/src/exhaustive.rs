//! `nonpareil generate --strategy exhaustive`: all sequences of calls up to a length, and what of them is
//! redundant under each technique.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Instant;

use classfile::{ClassFile, ClassPath};
use distill::reduce::{Order, reduce};
use emit::json::Json;
use generate::sequences::{self, SequenceTest, Sequences, mutants};
use generate::states::Job;
use observe::coverage::{Probe, Ratio, measure};
use observe::state::technique::Technique;

use crate::counted::counted;
use crate::machines::Machines;

/// What came of one technique.
pub(crate) struct Row {
    technique: Technique,
    tests: usize,
    executions: usize,
    distinct: usize,
    states: usize,
    redundant_tests: usize,
    redundant_executions: usize,
    /// Branch coverage of all tests, and of the kept ones.
    coverage: (Ratio, Ratio),
    /// Distinct exceptions of all tests, and of the kept ones.
    exceptions: (usize, usize),
    mutants: Option<Mutants>,
    seconds: f64,
    is_complete: bool,
}

/// How many mutants there are, and how many all tests and the kept ones notice.
#[derive(Debug, Clone, Copy)]
struct Mutants {
    total: usize,
    by_results: (usize, usize),
    by_states: (usize, usize),
}

/// Tries every technique on the same sequences.
pub(crate) fn rows(
    machines: &Machines,
    class_path: &ClassPath,
    job: &Job,
    length: usize,
    most: usize,
    with_mutants: bool,
) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    let mut suites: Vec<Vec<bool>> = Vec::new();
    let mut tests = Vec::new();
    for technique in Technique::ALL {
        let job = Job { technique, ..job.clone() };
        let session = machines.session().map_err(|error| error.to_string())?;
        let start = Instant::now();
        let found =
            sequences::all(&job, session, length, most).map_err(|error| error.to_string())?;
        let covered: Vec<Vec<u32>> = found.tests.iter().map(|test| test.covered.clone()).collect();
        let reduction = reduce(&covered, Order::Suite);
        let seconds = start.elapsed().as_secs_f64();
        let kept: Vec<&SequenceTest> =
            reduction.kept.iter().map(|&idx| &found.tests[idx]).collect();
        rows.push(row(machines, class_path, &job, &found, &kept, seconds)?);
        let mut is_kept = vec![false; found.tests.len()];
        reduction.kept.iter().for_each(|&idx| is_kept[idx] = true);
        suites.push(is_kept);
        // The sequences are the same for every technique.
        tests = found.tests;
    }
    if with_mutants {
        suites.push(vec![true; tests.len()]);
        let session = machines.session().map_err(|error| error.to_string())?;
        let files: BTreeMap<String, Arc<ClassFile>> = job
            .classes
            .iter()
            .flat_map(|class| machines.files_of(class_path, class))
            .map(|file| (classfile::mutf8::display(file.name()), file))
            .collect();
        let files: Vec<_> = files.into_values().collect();
        let job = Job { fuel: job.fuel.min(MUTANT_FUEL), ..job.clone() };
        let killed = mutants::kill(&job, session, &files, &tests, &suites)
            .map_err(|error| error.to_string())?;
        let of = |counts: &[usize], idx: usize| (counts[rows.len()], counts[idx]);
        let found: Vec<Mutants> = (0..rows.len())
            .map(|idx| Mutants {
                total: killed.n_mutants,
                by_results: of(&killed.by_results, idx),
                by_states: of(&killed.by_states, idx),
            })
            .collect();
        for (row, mutants) in rows.iter_mut().zip(found) {
            row.mutants = Some(mutants);
        }
    }
    Ok(rows)
}

/// Bytecodes that one call of a mutant may take: it may go round for ever.
const MUTANT_FUEL: u64 = 100_000;

fn row(
    machines: &Machines,
    class_path: &ClassPath,
    job: &Job,
    found: &Sequences,
    kept: &[&SequenceTest],
    seconds: f64,
) -> Result<Row, String> {
    let all: Vec<&SequenceTest> = found.tests.iter().collect();
    let executions =
        |tests: &[&SequenceTest]| tests.iter().map(|test| test.n_executions).sum::<usize>();
    let exceptions = |tests: &[&SequenceTest]| {
        let mut numbers: Vec<u32> = tests.iter().filter_map(|test| test.threw).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.len()
    };
    Ok(Row {
        technique: job.technique,
        tests: all.len(),
        executions: executions(&all),
        distinct: found.n_executions,
        states: found.n_states,
        redundant_tests: all.len() - kept.len(),
        redundant_executions: executions(&all) - executions(kept),
        coverage: (
            coverage(machines, class_path, job, &all)?,
            coverage(machines, class_path, job, kept)?,
        ),
        exceptions: (exceptions(&all), exceptions(kept)),
        mutants: None,
        seconds,
        is_complete: found.is_complete,
    })
}

/// Branches of the classes under test that tests cover.
fn coverage(
    machines: &Machines,
    class_path: &ClassPath,
    job: &Job,
    tests: &[&SequenceTest],
) -> Result<Ratio, String> {
    let classes = job.classes.clone();
    let mut probe = Probe::new(Box::new(move |name| {
        classes.iter().any(|class| name == class || name.starts_with(&format!("{class}$")))
    }));
    let session = machines.session().map_err(|error| error.to_string())?;
    let session =
        sequences::watch(job, session, &mut probe, tests).map_err(|error| error.to_string())?;
    let file = |class: &String| machines.file_of(class_path, class);
    let files: Vec<_> = job.classes.iter().filter_map(file).collect();
    let mut sum = Ratio::default();
    for class in measure(&session.vm, &probe, &files).classes {
        sum += class.branches();
    }
    Ok(sum)
}

#[expect(clippy::cast_precision_loss, reason = "a percentage for people")]
fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 100.0 } else { part as f64 * 100.0 / whole as f64 }
}

/// The rows as a table.
pub(crate) fn human(class: &str, length: usize, rows: &[Row]) -> String {
    let mut text = format!(
        "{}, all sequences of up to {}\n",
        class.replace('/', "."),
        counted(length, "call")
    );
    let _ = writeln!(
        text,
        "  {:<16} {:>8} {:>10} {:>9} {:>7} {:>10} {:>10} {:>15} {:>10} {:>7}",
        "technique",
        "tests",
        "executions",
        "distinct",
        "states",
        "% tests",
        "% execs",
        "% branches",
        "exceptions",
        "seconds"
    );
    for row in rows {
        let (all, kept) = row.coverage;
        let branches = format!(
            "{:.1} -> {:.1}",
            percent(all.covered, all.total),
            percent(kept.covered, kept.total)
        );
        let _ = writeln!(
            text,
            "  {:<16} {:>8} {:>10} {:>9} {:>7} {:>10.1} {:>10.1} {:>15} {:>10} {:>7.2}{}{}",
            row.technique.name(),
            row.tests,
            row.executions,
            row.distinct,
            row.states,
            percent(row.redundant_tests, row.tests),
            percent(row.redundant_executions, row.executions),
            branches,
            format!("{} -> {}", row.exceptions.0, row.exceptions.1),
            row.seconds,
            row.mutants.map_or(String::new(), |Mutants { total, by_results, by_states }| {
                let (before, after) = by_results;
                let (before_states, after_states) = by_states;
                format!(
                    "  of {} {before} -> {after} by results, {before_states} -> {after_states} \
                     with states",
                    counted(total, "mutant")
                )
            }),
            if row.is_complete { "" } else { "  (stopped at --max-tests)" },
        );
    }
    text
}

/// The rows for programs.
pub(crate) fn json(class: &str, length: usize, rows: &[Row]) -> Json {
    let rows = rows.iter().map(|row| {
        let (all, kept) = row.coverage;
        let mutants = |get: &dyn Fn(&Mutants) -> usize| {
            row.mutants.as_ref().map_or(Json::Null, |mutants| Json::Number(get(mutants)))
        };
        Json::Object(vec![
            ("technique", Json::text(row.technique.name())),
            ("tests", Json::Number(row.tests)),
            ("executions", Json::Number(row.executions)),
            ("distinctExecutions", Json::Number(row.distinct)),
            ("states", Json::Number(row.states)),
            ("redundantTests", Json::Number(row.redundant_tests)),
            ("redundantExecutions", Json::Number(row.redundant_executions)),
            ("branches", Json::Number(all.total)),
            ("coveredBranches", Json::Number(all.covered)),
            ("coveredBranchesKept", Json::Number(kept.covered)),
            ("exceptions", Json::Number(row.exceptions.0)),
            ("exceptionsKept", Json::Number(row.exceptions.1)),
            ("mutants", mutants(&|it| it.total)),
            ("killedByResults", mutants(&|it| it.by_results.0)),
            ("killedByResultsKept", mutants(&|it| it.by_results.1)),
            ("killedByStates", mutants(&|it| it.by_states.0)),
            ("killedByStatesKept", mutants(&|it| it.by_states.1)),
            ("seconds", Json::Decimal(row.seconds, 3)),
            ("complete", Json::Flag(row.is_complete)),
        ])
    });
    Json::Object(vec![
        ("class", Json::text(class.replace('/', "."))),
        ("length", Json::Number(length)),
        ("techniques", Json::List(rows.collect())),
    ])
}

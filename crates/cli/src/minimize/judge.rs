//! From what was recorded to what is said of every test: figures and names, nothing printed yet.

use std::collections::{BTreeMap, BTreeSet};

use distill::reduce::{self, Order};
use observe::record::{Classes, RecordedSuite, Techniques, TestRun, Verdict};

use super::declared::together;
use super::explain::{Explained, explain};
use super::{Scope, techniques};
use crate::options::{KeepOrder, MinimizeOptions};
use crate::run::reason;

/// A suite and what is left of it.
pub(super) struct Minimized {
    pub(super) techniques: Techniques,
    /// Fields that objects had and that were no part of a state.
    pub(super) left_out: Vec<String>,
    /// Classes whose `equals` did not help.
    pub(super) fallen_back: Vec<String>,
    /// Classes with states that are too large to run `equals` on.
    pub(super) too_large: Vec<String>,
    pub(super) classes_under_test: Vec<String>,
    /// All tests in the order of the suite.
    pub(super) tests: Vec<Judged>,
    /// By test class, nested ones with their outermost.
    pub(super) rows: Vec<Row>,
    pub(super) total: Row,
    /// How many branch edges the classes under test have.
    pub(super) n_branches: usize,
    /// Whether explanations were asked for.
    pub(super) is_explained: bool,
    /// Positions of tests, where they were asked for.
    pub(super) priorities: Option<Vec<usize>>,
}

/// A test and what becomes of it.
pub(super) struct Judged {
    pub(super) class: String,
    pub(super) method: String,
    /// Whether that is a method: what is none cannot be taken out.
    pub(super) is_method: bool,
    pub(super) parameters: Option<String>,
    pub(super) n_executions: u64,
    pub(super) status: Status,
    /// Lines that say why, where that was asked for.
    pub(super) explanation: Vec<String>,
}

/// What becomes of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Status {
    /// It does what no other kept test does.
    Kept,
    /// The tests at these positions do all that it does.
    Redundant(Vec<usize>),
    /// It is disabled, and stays so.
    Disabled,
    /// It makes no call into the classes under test, so nothing can be said of it.
    NoCalls,
    /// It did not pass, for this reason, and stays as it is.
    NotPassed(String),
}

/// Figures of one test class, or of all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) n_tests: usize,
    pub(super) n_redundant: usize,
    pub(super) n_executions: u64,
    pub(super) n_distinct: usize,
    /// Before and after.
    pub(super) branches: [usize; 2],
    pub(super) exceptions: [usize; 2],
}

impl Judged {
    /// As people name it.
    pub(super) fn name(&self) -> String {
        // What data gives a name may go over several lines.
        let method = self.method.split(char::is_control).collect::<Vec<&str>>().join(" ");
        match &self.parameters {
            Some(parameters) => format!("{}.{method}({parameters})", self.class),
            None => format!("{}.{method}", self.class),
        }
    }

    /// The outermost class.
    fn top_class(&self) -> &str {
        top_class(&self.class)
    }
}

impl Minimized {
    pub(super) fn n_redundant(&self) -> usize {
        self.total.n_redundant
    }

    pub(super) fn n_not_passed(&self) -> usize {
        let is_not_passed = |test: &&Judged| matches!(test.status, Status::NotPassed(_));
        self.tests.iter().filter(is_not_passed).count()
    }
}

pub(super) fn top_class(name: &str) -> &str {
    let start = name.rfind('.').map_or(0, |at| at + 1);
    match name[start..].find('$') {
        Some(at) if at > 0 => &name[..start + at],
        _ => name,
    }
}

/// Says what becomes of every test.
pub(super) fn judge(
    options: &MinimizeOptions,
    scope: &Scope,
    recorded: &mut RecordedSuite,
) -> Result<Minimized, String> {
    let techniques = techniques(options);
    let classes = recorded.classes(techniques);
    let runs = by_method(recorded.tests.clone());
    if runs.is_empty() && !recorded.is_interrupted {
        return Err("JUnit finds no tests to run".to_owned());
    }
    let covered: Vec<Vec<u32>> = runs.iter().map(|test| covered(test, &classes)).collect();
    let mut tests: Vec<Judged> = runs.iter().map(judged).collect();
    for (test, covered) in tests.iter_mut().zip(&covered) {
        if test.status == Status::Kept && covered.is_empty() {
            test.status = Status::NoCalls;
        }
    }
    let candidates: Vec<usize> =
        (0..tests.len()).filter(|&idx| tests[idx].status == Status::Kept).collect();
    let of_candidates: Vec<Vec<u32>> = candidates.iter().map(|&idx| covered[idx].clone()).collect();
    let order = match options.order {
        KeepOrder::Suite => Order::Suite,
        KeepOrder::Greedy => Order::Greedy,
    };
    let staying: Vec<usize> =
        (0..candidates.len()).filter(|&at| !tests[candidates[at]].is_method).collect();
    let together = together(&options.tests, scope, &tests, &|test| test.status == Status::Kept);
    let together: Vec<Option<usize>> = candidates.iter().map(|&idx| together[idx]).collect();
    let reduction = reduce::reduce_together(&of_candidates, &staying, &together, order);
    for redundant in &reduction.redundant {
        let by = redundant.covered_by.iter().map(|&by| candidates[by]).collect();
        tests[candidates[redundant.test]].status = Status::Redundant(by);
    }
    if options.explain {
        let what = Explained { runs: &runs, covered: &covered, classes: &classes, techniques };
        explain(&mut tests, &what, recorded);
    }
    let priorities = options.prioritize.then(|| {
        let order = reduce::prioritize(&of_candidates);
        order.into_iter().map(|idx| candidates[idx]).collect()
    });
    let figures = Figures { runs: &runs, covered: &covered };
    let (rows, total) = figures.rows(&tests, &recorded.class_executions);
    Ok(Minimized {
        techniques,
        left_out: recorded.left_out.iter().cloned().collect(),
        fallen_back: classes.fallen_back,
        too_large: classes.too_large,
        classes_under_test: scope.names.shown(),
        tests,
        rows,
        total,
        n_branches: recorded.n_branches,
        is_explained: options.explain,
        priorities,
    })
}

/// One run for each test method: a class may run by itself and in suites.
fn by_method(runs: Vec<TestRun>) -> Vec<TestRun> {
    let mut known: BTreeMap<(String, String, Option<String>), usize> = BTreeMap::new();
    let mut all: Vec<TestRun> = Vec::with_capacity(runs.len());
    for run in runs {
        let name = (run.class.clone(), run.method.clone(), run.parameters.clone());
        let idx = *known.entry(name).or_insert(all.len());
        let Some(first) = all.get_mut(idx) else {
            all.push(run);
            continue;
        };
        first.n_cases += run.n_cases;
        first.n_executions += run.n_executions;
        for (own, more) in [
            (&mut first.executions, run.executions),
            (&mut first.edges, run.edges),
            (&mut first.exceptions, run.exceptions),
        ] {
            own.extend(more);
            own.sort_unstable();
            own.dedup();
        }
        // What goes wrong once is left as it is; what is skipped once may have run elsewhere.
        let is_worse = !matches!(run.verdict, Verdict::Passed | Verdict::Skipped);
        if is_worse || matches!(first.verdict, Verdict::Skipped) {
            first.verdict = run.verdict;
        }
    }
    all
}

/// The classes of executions that a test has, ascending, each once.
fn covered(test: &TestRun, classes: &Classes) -> Vec<u32> {
    let all: BTreeSet<u32> =
        test.executions.iter().map(|&execution| classes.of[execution as usize]).collect();
    all.into_iter().collect()
}

fn judged(test: &TestRun) -> Judged {
    let status = match &test.verdict {
        Verdict::Passed => Status::Kept,
        Verdict::Skipped => Status::Disabled,
        Verdict::Failed(failure) => Status::NotPassed(match &failure.message {
            Some(message) => {
                let first = message.lines().next().unwrap_or_default();
                format!("it fails: {}: {first}", failure.class)
            }
            None => format!("it fails: {}", failure.class),
        }),
        Verdict::Aborted(why) => Status::NotPassed(format!("it gives up: {why}")),
        Verdict::Stopped(vm::frame::Stop::OutOfFuel) => {
            Status::NotPassed("it does not come to an end within --fuel".to_owned())
        }
        Verdict::Stopped(vm::frame::Stop::OutOfMemory) => {
            Status::NotPassed("it takes all memory; --memory gives more".to_owned())
        }
        Verdict::Stopped(stop) => {
            let why = reason(stop);
            let first = why.lines().next().unwrap_or_default();
            Status::NotPassed(format!("it stops the machine: {first}"))
        }
        Verdict::NotRun => Status::NotPassed("it was not run".to_owned()),
        Verdict::LeftOut(why) => Status::NotPassed(why.clone()),
    };
    Judged {
        class: test.class.clone(),
        method: test.method.clone(),
        is_method: test.is_method,
        parameters: test.parameters.clone(),
        n_executions: test.n_executions,
        status,
        explanation: Vec::new(),
    }
}

/// What rows are counted from.
struct Figures<'a> {
    runs: &'a [TestRun],
    covered: &'a [Vec<u32>],
}

impl Figures<'_> {
    fn rows(&self, tests: &[Judged], class_executions: &BTreeMap<String, u64>) -> (Vec<Row>, Row) {
        let mut names: Vec<&str> = Vec::new();
        let mut members: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (idx, test) in tests.iter().enumerate() {
            let name = test.top_class();
            let of_class = members.entry(name).or_default();
            if of_class.is_empty() {
                names.push(name);
            }
            of_class.push(idx);
        }
        let shared = |wanted: Option<&str>| -> u64 {
            let is_wanted = |name: &str| wanted.is_none_or(|wanted| top_class(name) == wanted);
            let counts = class_executions.iter().filter(|(name, _)| is_wanted(name));
            counts.map(|(_, count)| count).sum()
        };
        let rows = names
            .iter()
            .map(|&name| {
                let mut row = self.row(name, tests, &members[name]);
                row.n_executions += shared(Some(name));
                row
            })
            .collect();
        let all: Vec<usize> = (0..tests.len()).collect();
        let mut total = self.row("all tests", tests, &all);
        total.n_executions += shared(None);
        (rows, total)
    }

    fn row(&self, name: &str, tests: &[Judged], members: &[usize]) -> Row {
        let is_kept = |&&idx: &&usize| !matches!(tests[idx].status, Status::Redundant(_));
        let kept: Vec<usize> = members.iter().filter(is_kept).copied().collect();
        let distinct: BTreeSet<u32> =
            members.iter().flat_map(|&idx| self.covered[idx].iter().copied()).collect();
        let branches = |members: &[usize]| {
            let edges = members.iter().flat_map(|&idx| &self.runs[idx].edges);
            edges.collect::<BTreeSet<_>>().len()
        };
        let exceptions = |members: &[usize]| {
            let all = members.iter().flat_map(|&idx| self.runs[idx].exceptions.iter().copied());
            all.collect::<BTreeSet<u32>>().len()
        };
        Row {
            name: name.to_owned(),
            n_tests: members.len(),
            n_redundant: members.len() - kept.len(),
            n_executions: members.iter().map(|&idx| tests[idx].n_executions).sum(),
            n_distinct: distinct.len(),
            branches: [branches(members), branches(&kept)],
            exceptions: [exceptions(members), exceptions(&kept)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::top_class;

    #[test]
    fn nested_classes_belong_to_their_outermost() {
        assert_eq!(top_class("a.b.CTest$Inner$1"), "a.b.CTest");
        assert_eq!(top_class("CTest$Inner"), "CTest");
        assert_eq!(top_class("a.$Odd"), "a.$Odd");
    }
}

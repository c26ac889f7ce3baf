//! What a suite is worth, as plain data: outcomes, method executions and states, coverage, exceptions,
//! mutants; and what one of two suites has that the other has not.
//!
//! Machines come from outside; several work at once on the mutants, and the result is the same for any
//! number of them.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use vm::vm::Vm;

use crate::coverage::{Coverage, Ratio};
use crate::junit::{Hear, Plan, Report};
use crate::mutation::{self, Escaped, Fate, Judging, Mutant, Survey, SurveyOptions, Verdict};
use crate::record::{NotRecorded, Suite, Techniques, Watch, record_suite};
use crate::state::mask::Mask;
use crate::state::technique::Technique;

/// What a suite is worth.
#[derive(Debug, Clone)]
pub struct Assessment {
    /// What came out of the tests.
    pub report: Report,
    /// Lines and branches of the classes under test.
    pub coverage: Coverage,
    /// Exceptions that left the classes under test.
    pub exceptions: BTreeSet<Escaped>,
    /// The method executions of the tests, or why they could not be counted.
    pub executions: Result<Executions, NotRecorded>,
    /// The mutants and what became of them, if they were asked for.
    pub mutants: Option<Vec<(Mutant, Verdict)>>,
}

/// How many method executions and states the tests have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Executions {
    /// All method executions.
    pub total: u64,
    /// What each technique tells apart, from the finest to the coarsest.
    pub techniques: Vec<Distinct>,
    /// Classes without an `equals` that helps, whose states were compared as a whole.
    pub fallen_back: Vec<String>,
    /// Java classes with states that were compared as a whole because they are too large to run `equals` on.
    pub too_large: Vec<String>,
}

/// What a technique tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Distinct {
    /// The technique.
    pub technique: Technique,
    /// Method executions.
    pub executions: usize,
    /// States that calls left objects of the classes under test in.
    pub states: usize,
}

/// What is to be found out.
#[derive(Debug, Clone)]
pub struct Question {
    /// The suite.
    pub plan: Plan,
    /// Classes under test, and all classes of the user.
    pub classes: SurveyOptions,
    /// Whether and how mutants are judged.
    pub mutants: Option<Judging>,
    /// How many machines work at once.
    pub n_jobs: usize,
    /// Bytecodes (roughly) that one test may run while method executions are counted.
    pub test_fuel: u64,
    /// Whether counting is to stop before the next test.
    pub is_enough: fn() -> bool,
}

/// Makes machines; each call gives a new one.
pub type NewMachine<'m> = &'m (dyn Fn() -> Result<Vm, String> + Sync);

/// Hears how far the judging of mutants is, done and all; says whether to go on.
pub type Progress<'p> = &'p (dyn Fn(usize, usize) -> bool + Sync);

/// Runs a suite and judges it; an `Err` is for the user.
pub fn assess(
    question: &Question,
    new_machine: NewMachine<'_>,
    progress: Progress<'_>,
    hear: &dyn Fn() -> Hear,
) -> Result<Assessment, String> {
    let classes = &question.classes;
    let mutants: Vec<Mutant> = match question.mutants {
        Some(_) => classes.files.iter().flat_map(|file| mutation::mutants(file)).collect(),
        None => Vec::new(),
    };
    let (parts, executions) = std::thread::scope(|scope| {
        let count = || count_executions(question, new_machine);
        let counting = (question.n_jobs > 1).then(|| scope.spawn(count));
        let parts = survey_parts(question, &mutants, new_machine, hear);
        let executions = match counting.map(std::thread::ScopedJoinHandle::join) {
            Some(Ok(executions)) => executions,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => count(),
        };
        (parts, executions)
    });
    let parts = parts?;
    let mut report = Report::default();
    let mut coverage: Option<Coverage> = None;
    let mut exceptions = BTreeSet::new();
    for (_, survey) in &parts {
        report.merge(survey.report.clone());
        exceptions.extend(survey.escaped.iter().cloned());
        match &mut coverage {
            Some(coverage) => coverage.merge(&survey.coverage),
            None => coverage = Some(survey.coverage.clone()),
        }
    }
    let mutants = match &question.mutants {
        Some(judging) => {
            let verdicts = judge_parts(question, judging, &parts, &mutants, new_machine, progress)?;
            Some(mutants.into_iter().zip(verdicts).collect())
        }
        None => None,
    };
    let coverage = coverage.unwrap_or_default();
    Ok(Assessment { report, coverage, exceptions, executions, mutants })
}

/// Runs the suite once more, under the recorder.
fn count_executions(
    question: &Question,
    new_machine: NewMachine<'_>,
) -> Result<Executions, NotRecorded> {
    let files = &question.classes.files;
    let names: Arc<BTreeSet<String>> =
        Arc::new(files.iter().map(|file| classfile::mutf8::display(file.name())).collect());
    let watch = || {
        let names = Arc::clone(&names);
        Watch {
            wanted: Box::new(move |name| is_part_of(&names, name)),
            techniques: Technique::ALL.map(Techniques::both).to_vec(),
            mask: Mask::standard(),
            with_texts: false,
            with_left_states: true,
        }
    };
    let suite = Suite {
        plan: &question.plan,
        watch: &watch,
        new_machine,
        test_fuel: question.test_fuel,
        hear: &|| Box::new(|_| {}),
        is_enough: question.is_enough,
        n_jobs: 1,
    };
    let mut recorded = record_suite::<false>(&suite, &[])?;
    let (mut fallen_back, mut too_large) = (Vec::new(), Vec::new());
    let techniques = Technique::ALL.map(|technique| {
        let classes = recorded.classes(Techniques::both(technique));
        fallen_back.extend(classes.fallen_back);
        too_large.extend(classes.too_large);
        let states = recorded.n_left_states(technique);
        Distinct { technique, executions: classes.n_classes as usize, states }
    });
    for names in [&mut fallen_back, &mut too_large] {
        names.sort();
        names.dedup();
    }
    let total = recorded.n_executions();
    Ok(Executions { total, techniques: techniques.to_vec(), fallen_back, too_large })
}

/// Whether a class is among these or inside one of them.
fn is_part_of(names: &BTreeSet<String>, name: &str) -> bool {
    let mut name = name.split('+').next().unwrap_or(name);
    loop {
        if names.contains(name) {
            return true;
        }
        match name.rsplit_once('$') {
            Some((outer, _)) if !outer.is_empty() => name = outer,
            _ => return false,
        }
    }
}

/// Surveys the suite; where a test stops the machine, the rest of the classes is a part of its own.
fn survey_parts(
    question: &Question,
    mutants: &[Mutant],
    new_machine: NewMachine<'_>,
    hear: &dyn Fn() -> Hear,
) -> Result<Vec<(Plan, Survey)>, String> {
    let mut parts = Vec::new();
    let mut plan = question.plan.clone();
    loop {
        let mut vm = new_machine()?;
        let survey = mutation::survey(&mut vm, &plan, &question.classes, mutants, hear())
            .map_err(|error| error.to_string())?;
        let rest = survey.report.stop.as_ref().and_then(|_| plan.rest(&survey.report));
        parts.push((plan, survey));
        match rest {
            Some(rest) => plan = rest,
            None => return Ok(parts),
        }
    }
}

fn judge_parts(
    question: &Question,
    judging: &Judging,
    parts: &[(Plan, Survey)],
    mutants: &[Mutant],
    new_machine: NewMachine<'_>,
    progress: Progress<'_>,
) -> Result<Vec<Verdict>, String> {
    let mut verdicts: Vec<Option<Verdict>> = vec![None; mutants.len()];
    for (plan, survey) in parts {
        let is_open = |idx: &usize| {
            judging.whole_matrix
                || verdicts[*idx].as_ref().is_none_or(|verdict| verdict.fate != Fate::Killed)
        };
        let open: Vec<usize> = (0..mutants.len()).filter(is_open).collect();
        // In turns, so that the mutants of one method, which cost alike, are spread.
        let n_jobs = question.n_jobs.clamp(1, open.len().max(1));
        let shares: Vec<Vec<usize>> = (0..n_jobs)
            .map(|job| open.iter().copied().skip(job).step_by(n_jobs).collect())
            .collect();
        let done = Mutex::new(0);
        let total = survey.n_tests() * n_jobs;
        let step = || {
            done.lock().is_ok_and(|mut done| {
                *done += 1;
                progress(*done, total)
            })
        };
        let work = |share: &[usize]| -> Result<Vec<Verdict>, String> {
            let mut vm = new_machine()?;
            let classes = &question.classes;
            mutation::judge(&mut vm, plan, classes, survey, mutants, share, judging, &step)
                .map_err(|error| error.to_string())
        };
        let work = &work;
        let results: Vec<Result<Vec<Verdict>, String>> = std::thread::scope(|scope| {
            let workers: Vec<_> =
                shares.iter().map(|share| scope.spawn(move || work(share))).collect();
            let join = |worker: std::thread::ScopedJoinHandle<'_, _>| match worker.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            workers.into_iter().map(join).collect()
        });
        for (share, result) in shares.iter().zip(results) {
            for (&idx, verdict) in share.iter().zip(result?) {
                verdicts[idx] = Some(match verdicts[idx].take() {
                    Some(earlier) => joined(earlier, verdict),
                    None => verdict,
                });
            }
        }
    }
    Ok(verdicts.into_iter().flatten().collect())
}

/// What two parts of a suite say together.
fn joined(mut earlier: Verdict, later: Verdict) -> Verdict {
    let rank = |fate: &Fate| match fate {
        Fate::NotCovered => 0,
        Fate::Survived => 1,
        Fate::Undecided(_) => 2,
        Fate::Killed => 3,
        Fate::Invalid(_) => 4,
    };
    if rank(&later.fate) > rank(&earlier.fate) {
        earlier.fate = later.fate;
    }
    earlier.killers.extend(later.killers);
    earlier.reason = earlier.reason.or(later.reason);
    earlier.n_trials += later.n_trials;
    earlier
}

/// How many mutants came out how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MutantCounts {
    /// Noticed by a test.
    pub killed: usize,
    /// Run by tests that all pass.
    pub survived: usize,
    /// Run by no test.
    pub not_covered: usize,
    /// Led to what the machine does not support.
    pub undecided: usize,
    /// Left out, being no valid code.
    pub invalid: usize,
}

impl MutantCounts {
    /// Killed ones, of all that count.
    pub fn score(&self) -> Ratio {
        let total = self.killed + self.survived + self.not_covered + self.undecided;
        Ratio { covered: self.killed, total }
    }
}

impl Assessment {
    /// Sums over the mutants.
    pub fn mutant_counts(&self) -> Option<MutantCounts> {
        let mut counts = MutantCounts::default();
        for (_, verdict) in self.mutants.as_ref()? {
            match verdict.fate {
                Fate::Killed => counts.killed += 1,
                Fate::Survived => counts.survived += 1,
                Fate::NotCovered => counts.not_covered += 1,
                Fate::Undecided(_) => counts.undecided += 1,
                Fate::Invalid(_) => counts.invalid += 1,
            }
        }
        Some(counts)
    }

    /// What this suite has that the other, judged on the same classes, has not.
    pub fn beyond(&self, other: &Assessment) -> Beyond {
        let mut beyond = Beyond::default();
        for (own, others) in self.coverage.classes.iter().zip(&other.coverage.classes) {
            let lines = |class: &crate::coverage::ClassCoverage| -> BTreeSet<u16> {
                let all = class.methods.iter().flat_map(|method| &method.lines);
                all.filter(|&(_, &covered)| covered).map(|(&line, _)| line).collect()
            };
            let only: Vec<u16> = lines(own).difference(&lines(others)).copied().collect();
            if !only.is_empty() {
                beyond.lines.push((own.name.clone(), only));
            }
            for (own_method, other_method) in own.methods.iter().zip(&others.methods) {
                for (a, b) in own_method.branches.iter().zip(&other_method.branches) {
                    let ways = a.edges.iter().zip(&b.edges).enumerate();
                    for (edge, _) in ways.filter(|&(_, (&a, &b))| a && !b) {
                        beyond.branches.push(Edge {
                            class: own.name.clone(),
                            method: own_method.name.clone(),
                            descriptor: own_method.descriptor.clone(),
                            line: a.line,
                            edge,
                            n_edges: a.edges.len(),
                        });
                    }
                }
            }
        }
        beyond.exceptions = self.exceptions.difference(&other.exceptions).cloned().collect();
        if let (Some(own), Some(others)) = (&self.mutants, &other.mutants) {
            let is_killed = |verdict: &Verdict| verdict.fate == Fate::Killed;
            let pairs = own.iter().zip(others);
            let only = pairs.filter(|((_, a), (_, b))| is_killed(a) && !is_killed(b));
            beyond.mutants = only.map(|((mutant, _), _)| mutant.clone()).collect();
        }
        beyond
    }
}

/// What only one of two suites has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Beyond {
    /// Lines by class, internal names.
    pub lines: Vec<(String, Vec<u16>)>,
    /// Ways of branches.
    pub branches: Vec<Edge>,
    /// Exceptions that leave the classes under test.
    pub exceptions: Vec<Escaped>,
    /// Mutants that it notices.
    pub mutants: Vec<Mutant>,
}

/// One way of a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// The class, internal name.
    pub class: String,
    /// The method's name.
    pub method: String,
    /// The method's descriptor.
    pub descriptor: String,
    /// The branch's line.
    pub line: Option<u16>,
    /// Which way: of a condition 0 is not jumping and 1 jumping, of a switch the case.
    pub edge: usize,
    /// Of how many.
    pub n_edges: usize,
}

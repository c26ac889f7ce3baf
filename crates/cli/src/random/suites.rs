//! Test sources of a campaign: regression tests that pass now, and tests that fail as long as a contract
//! is broken; both checked on the real JVM.

use std::collections::BTreeMap;
use std::collections::HashSet;

use ::generate::random::{Campaign, Finding, Merit, Worthy};
use ::generate::states::table::StateId;
use ::generate::states::tests::{Draft, settle};
use emit::junit::facts::Names;
use emit::junit::{self, SourceFile};
use observe::session::Session;
use suite::method::Method;
use suite::sequence::{Arg, Sequence, Statement, Var};
use suite::test::{Suite, Test};

use crate::options::GenerateOptions;
use crate::verify::{Disagreement, RealJvm};
use crate::watch::{self, Progress};

/// Tests per call that are there for a state alone, at most.
const STATES_PER_CALL: usize = 2;
/// Longer sequences are no test for a person unless they take a branch that no other does.
const LONG: usize = 30;

/// What came of one class.
pub(super) struct Written {
    pub(super) sources: Vec<SourceFile>,
    pub(super) disagreements: Vec<Disagreement>,
    /// Why tests cannot be written.
    pub(super) left_out: Vec<String>,
    /// Tests that do not end alike in all worlds.
    pub(super) n_unstable: usize,
}

/// What all classes share.
pub(super) struct Emission<'a> {
    pub(super) options: &'a GenerateOptions,
    pub(super) style: junit::Options,
    pub(super) names: &'a dyn Names,
    pub(super) real: Option<RealJvm<'a>>,
    pub(super) fuel: u64,
}

impl Emission<'_> {
    /// Regression tests for one class.
    pub(super) fn regression(
        &self,
        campaign: &Campaign,
        class: usize,
        worlds: &mut [Session],
        progress: &Progress,
    ) -> Result<Written, String> {
        let chosen = self.choose(campaign, class);
        let observers = &campaign.observers[class];
        let mut tests = Vec::new();
        let mut n_unstable = 0;
        let name = campaign.classes[class].replace('/', ".");
        for (idx, sequence) in chosen.iter().enumerate() {
            if tests.len() == self.options.max_tests || watch::is_interrupted() {
                break;
            }
            progress.show(&format!("{name}: {idx} of {} tests", chosen.len()));
            let draft = draft(sequence);
            // An observer that another class of the receiver changes things by is none there.
            match settle(worlds, &draft, observers, self.fuel) {
                Ok(Some(test)) => tests.push(test),
                Ok(None) => n_unstable += 1,
                Err(_) => n_unstable += 1,
            }
        }
        let mut written = self.write(&campaign.classes[class], tests, "Test", true)?;
        written.n_unstable = n_unstable;
        Ok(written)
    }

    /// The sequences of a class that become tests, none of them the beginning of another.
    fn choose<'c>(&self, campaign: &'c Campaign, class: usize) -> Vec<&'c Sequence> {
        let own = campaign.worthy.iter().filter(|worthy| worthy.class == class);
        let mut per_call: BTreeMap<&Method, usize> = BTreeMap::new();
        let mut chosen: Vec<&Worthy> = Vec::new();
        for worthy in own {
            let is_wanted = match worthy.merit {
                Merit::Branches(_) | Merit::Exception => true,
                Merit::State if self.options.random.all => true,
                Merit::State => {
                    let last = worthy.sequence.statements().last();
                    let Some(method) = last.and_then(|statement| statement.method()) else {
                        continue;
                    };
                    let n_known = per_call.entry(method).or_default();
                    *n_known += 1;
                    *n_known <= STATES_PER_CALL && worthy.sequence.len() <= LONG
                }
            };
            if is_wanted {
                chosen.push(worthy);
            }
        }
        let mut beginnings: HashSet<&[Statement]> = HashSet::new();
        for worthy in &chosen {
            let statements = worthy.sequence.statements();
            beginnings.extend((1..statements.len()).map(|len| &statements[..len]));
        }
        let mut seen: HashSet<&[Statement]> = HashSet::new();
        chosen
            .into_iter()
            .map(|worthy| &worthy.sequence)
            .filter(|sequence| !beginnings.contains(sequence.statements()))
            .filter(|sequence| seen.insert(sequence.statements()))
            .collect()
    }

    /// Tests that fail now, for one class.
    pub(super) fn errors(&self, class: &str, findings: &[&Finding]) -> Result<Written, String> {
        let tests = findings.iter().filter_map(|finding| finding.test()).collect();
        self.write(class, tests, "ErrorTest", false)
    }

    /// Tests that pass on this version and not on another, for one class.
    pub(super) fn versions(&self, class: &str, tests: Vec<Test>) -> Result<Written, String> {
        self.write(class, tests, "VersionTest", true)
    }

    /// Writes tests that all pass or all fail on the real JVM; what does not do so is left out.
    fn write(
        &self,
        class: &str,
        tests: Vec<Test>,
        suffix: &str,
        must_pass: bool,
    ) -> Result<Written, String> {
        let style = junit::Options { suffix: suffix.to_owned(), ..self.style.clone() };
        let mut suite = Suite { class: class.into(), tests };
        let left_out = junit::inexpressible(&suite, &style, self.names)
            .into_iter()
            .map(|(idx, reason)| format!("{}: {reason}", suite.tests[idx].title.method))
            .collect();
        let mut sources = junit::render(&suite, &style, self.names);
        let mut disagreements = Vec::new();
        while let (Some(real), false) = (&self.real, sources.is_empty()) {
            let failed = real.verify(&sources)?;
            let is_compiled = failed.iter().all(|one| !one.is_of_compiler());
            let mut wrong: Vec<usize> = Vec::new();
            for source in &sources {
                for test in &source.tests {
                    let is_it = |one: &&Disagreement| {
                        one.class == source.class && one.method == test.method
                    };
                    match (failed.iter().find(is_it), must_pass || !is_compiled) {
                        (Some(one), true) => {
                            wrong.push(test.idx);
                            disagreements.push(one.clone());
                        }
                        (None, false) => {
                            wrong.push(test.idx);
                            let (class, method) = (source.class.clone(), test.method.clone());
                            let reason = "passes on the real JVM".to_owned();
                            disagreements.push(Disagreement { class, method, reason });
                        }
                        _ => {}
                    }
                }
            }
            if wrong.is_empty() {
                break;
            }
            let mut idx = 0;
            suite.tests.retain(|_| {
                idx += 1;
                !wrong.contains(&(idx - 1))
            });
            sources = junit::render(&suite, &style, self.names);
        }
        Ok(Written { sources, disagreements, left_out, n_unstable: 0 })
    }
}

/// A test of the last call of a sequence.
pub(super) fn draft(sequence: &Sequence) -> Draft {
    let last = Var(sequence.next_var().0.saturating_sub(1));
    let statement = &sequence.statements()[last.idx()];
    let receiver = match statement.method() {
        Some(method) if method.is_constructor() => Some(last),
        Some(method) if method.has_receiver() => match statement.args.first() {
            Some(Arg::Var(var)) => Some(*var),
            _ => None,
        },
        _ => None,
    };
    let is_alone = receiver == Some(last) || receiver.is_none();
    let state = if is_alone { StateId::WORLD } else { StateId(1) };
    Draft {
        sequence: sequence.clone(),
        receiver,
        state,
        exercised: vec![last],
        executions: Vec::new(),
        end: None,
    }
}

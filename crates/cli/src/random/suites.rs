//! Test sources of a campaign: regression tests that pass now, and tests that fail as long as a contract
//! is broken; both checked on the real JVM.

use std::path::PathBuf;

use ::generate::order;
use ::generate::random::{Appraiser, Campaign, Finding};
use ::generate::states::table::StateId;
use ::generate::states::tests::{Draft, Settled, settle};
use emit::junit::facts::Names;
use emit::junit::{self, SourceFile};
use suite::sequence::{Arg, Sequence, Var};
use suite::test::{Suite, Test};

use super::checks::thin;
use super::choose::{Choice, choose};
use crate::agreement::{self, Agreed, Check, Must};
use crate::left_out::LeftOut;
use crate::machines::Machines;
use crate::options::GenerateOptions;
use crate::verify::{Disagreement, RealJvm};
use crate::watch::{self, Progress};

/// Suites that are checked in one go, at most.
const SUITES_AT_ONCE: usize = 40;

/// What came of one class.
#[derive(Default)]
pub(super) struct Written {
    pub(super) sources: Vec<SourceFile>,
    /// Files that an earlier run wrote beyond them.
    pub(super) outdated: Vec<PathBuf>,
    pub(super) disagreements: Vec<Disagreement>,
    /// Why tests cannot be written.
    pub(super) left_out: Vec<String>,
    /// How many tests were left out for other reasons.
    pub(super) counts: LeftOut,
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
    /// Regression tests of all classes.
    pub(super) fn regression(
        &self,
        campaign: &Campaign,
        machines: &Machines,
        progress: &Progress,
    ) -> Result<Vec<Written>, String> {
        let session = machines.session().map_err(|error| error.to_string())?;
        let mask = self.options.explore.mask();
        let mut appraiser = Appraiser::new(session, &campaign.classes, mask, self.fuel);
        let (all, most) = (self.options.random.all, self.options.max_tests);
        let is_raw =
            |sequence: &Sequence| junit::needs_raw_types(sequence, &self.style, self.names);
        let choice = choose(campaign, &mut appraiser, &is_raw, all, most, progress);
        let mut worlds = machines.worlds()?;
        let mut all = Vec::new();
        let mut n_tests = Vec::new();
        let Choice { by_class, mut n_unstable, mut n_outside } = choice;
        for (class, chosen) in by_class.into_iter().enumerate() {
            let name = campaign.classes[class].replace('/', ".");
            let n_chosen = chosen.len();
            let mut tests = Vec::new();
            for (idx, one) in chosen.into_iter().enumerate() {
                if watch::is_interrupted() {
                    break;
                }
                progress.show(&format!("{name}: {idx} of {n_chosen} tests"));
                // An observer that another class of the receiver changes things by is none there.
                let observers = &campaign.observers[class];
                match settle(&mut worlds, &draft(&one.sequence), observers, self.fuel) {
                    Ok(Settled::Test(test)) => tests.push((*test, one.shown)),
                    Ok(Settled::Outside) => n_outside[class] += 1,
                    Ok(Settled::Unstable) | Err(_) => n_unstable[class] += 1,
                }
            }
            thin(&mut tests);
            n_tests.push(tests.len());
            all.extend(tests.into_iter().map(|(test, _)| test));
        }
        progress.show("running the tests in other orders");
        let fresh = || machines.session();
        let unordered = order::settle(&fresh, &mut all, self.fuel);
        let unordered = unordered.map_err(|error| error.to_string())?;
        let mut tests = all.into_iter().zip(&unordered.tests);
        let mut suites: Vec<Suite> = Vec::new();
        let mut lost = Vec::new();
        let mut first = 0;
        for (class, n_tests) in campaign.classes.iter().zip(n_tests) {
            let own = tests.by_ref().take(n_tests).filter(|(_, goes)| !**goes);
            suites.push(Suite { class: class.clone(), tests: own.map(|(test, _)| test).collect() });
            lost.push(unordered.lost(first..first + n_tests));
            first += n_tests;
        }
        let mut written = Vec::new();
        // Many classes are compiled in one go, but not so many that the compiler has no room.
        for chunk in suites.chunks_mut(SUITES_AT_ONCE) {
            progress.show(&format!("{} classes checked on the real JVM", written.len()));
            written.extend(self.write(chunk, "Test", Must::Pass)?);
        }
        let counts = n_unstable.into_iter().zip(n_outside).zip(lost);
        for (one, ((n_unstable, n_outside), n_unordered)) in written.iter_mut().zip(counts) {
            one.counts = LeftOut { n_unstable, n_outside, n_unordered };
        }
        Ok(written)
    }

    /// Tests that fail now, for one class.
    pub(super) fn errors(&self, class: &str, findings: &[&Finding]) -> Result<Written, String> {
        let tests = findings.iter().filter_map(|finding| finding.test()).collect();
        self.write_one(class, tests, "ErrorTest", Must::Fail)
    }

    /// Tests that pass on this version and not on another, for one class.
    pub(super) fn versions(&self, class: &str, tests: Vec<Test>) -> Result<Written, String> {
        self.write_one(class, tests, "VersionTest", Must::Pass)
    }

    fn write_one(
        &self,
        class: &str,
        tests: Vec<Test>,
        suffix: &str,
        must: Must,
    ) -> Result<Written, String> {
        let mut suites = [Suite { class: class.into(), tests }];
        let mut written = self.write(&mut suites, suffix, must)?;
        Ok(written.pop().unwrap_or_default())
    }

    /// Tests that all pass or all fail on the real JVM; what does not do so is left out.
    fn write(
        &self,
        suites: &mut [Suite],
        suffix: &str,
        must: Must,
    ) -> Result<Vec<Written>, String> {
        let style = junit::Options { suffix: suffix.to_owned(), ..self.style.clone() };
        let (names, real) = (self.names, self.real.as_ref());
        let check = Check { names, style: &|_| &style, real, must };
        let agreed = agreement::agreed(suites, check)?;
        let written = suites.iter().zip(agreed).map(|(suite, agreed)| {
            let Agreed { sources, disagreements, left_out } = agreed;
            let folder = &self.options.output;
            let outdated = agreement::outdated(folder, &suite.class, sources.len(), &style, names);
            Written { sources, outdated, disagreements, left_out, ..Written::default() }
        });
        Ok(written.collect())
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

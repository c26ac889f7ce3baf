//! Test sources of a campaign: regression tests that pass now, and tests that fail as long as a contract
//! is broken; both checked on the real JVM.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ::generate::order;
use ::generate::random::{Appraiser, Campaign, Finding, States, settle_all};
use ::generate::states::table::StateId;
use ::generate::states::tests::{Draft, Settled};
use emit::junit::facts::Names;
use emit::junit::{self, SourceFile};
use suite::sequence::{Arg, Sequence, Var};
use suite::test::Suite;

use super::budget::Budget;
use super::checks::thin;
use super::choose::{Choice, Lane, Wish, choose};
use super::offered::Offered;
use super::telling::{Faults, Tests, keep_telling};
use crate::agreement::{self, Agreed, Check, Must};
use crate::counted::counted;
use crate::left_out::LeftOut;
use crate::machines::Machines;
use crate::options::GenerateOptions;
use crate::side_by_side::side_by_side;
use crate::verify::{Disagreement, RealJvm};
use crate::watch::{self, Progress};

/// Parts that all suites are checked in, about, and suites that a part has.
const PARTS: usize = 4;
const LEAST_AT_ONCE: usize = 5;
const MOST_AT_ONCE: usize = 40;

/// With so much memory there is room for a few machines that have loaded all classes, at the same time.
const MUCH_MEMORY: usize = 512 << 20;

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
    /// What its tests notice, where they were chosen by that.
    pub(super) faults: Option<Faults>,
}

/// What all classes share.
pub(super) struct Emission<'a> {
    pub(super) options: &'a GenerateOptions,
    pub(super) style: junit::Options,
    pub(super) names: &'a dyn Names,
    pub(super) real: Option<RealJvm<'a>>,
    pub(super) fuel: u64,
    /// Time that compiling tests and running them on the real JVM took so far.
    pub(super) real_time: Mutex<Duration>,
}

impl Emission<'_> {
    /// Regression tests of all classes. What is worth a test is forgotten on the way. Where tests out of states are
    /// offered, by class, only those stay of all that tell something.
    pub(super) fn regression(
        &self,
        campaign: &mut Campaign,
        offered: Option<&[Offered]>,
        machines: &Machines,
        budget: &Budget<'_>,
    ) -> Result<Vec<Written>, String> {
        let progress = budget.progress;
        let n_workers = budget.n_at_once(campaign.n_workers);
        let keeps_all = self.options.all;
        let wish = Wish {
            keeps_all,
            most: self.options.max_tests,
            time: budget.left_for_tests().filter(|_| !keeps_all),
            n_workers,
            keeps_machines: self.options.machine.memory >= MUCH_MEMORY,
        };
        let classes = &campaign.classes;
        let choice = choose(campaign, &|| self.lane(classes, machines), wish, progress)?;
        campaign.worthy = Vec::new();
        let campaign = &*campaign;
        let Choice { by_class, mut n_unstable, mut n_outside } = choice;
        let mut drafts = Vec::new();
        let mut shown = Vec::new();
        for (class, chosen) in by_class.into_iter().enumerate() {
            // An observer that another class of the receiver changes things by is none there.
            let observers = &*campaign.observers[class];
            for one in chosen {
                drafts.push((draft(&one.sequence), observers));
                shown.push((class, one.shown));
            }
        }
        if let Some(offered) = offered {
            let mut lane = self.lane(classes, machines)?;
            for (class, offered) in offered.iter().enumerate() {
                for draft in &offered.drafts {
                    let looked = lane.appraiser.appraise(&draft.sequence, States::All);
                    if let Ok(Some(one)) = looked
                        && !lane.appraiser.was_outside()
                    {
                        drafts.push((draft.clone(), &*offered.observers));
                        shown.push((class, one));
                    }
                }
            }
        }
        let n_drafts = drafts.len();
        let tell = |n_done: usize| {
            progress
                .show(&format!("{n_done} of {} seen in other worlds", counted(n_drafts, "test")));
            !watch::is_interrupted()
        };
        let worlds = machines.several()?;
        let settled = settle_all(&worlds, &drafts, self.fuel, n_workers, &tell)
            .map_err(|error| error.to_string())?;
        drop((drafts, worlds));
        let mut by_class: Vec<Tests> = campaign.classes.iter().map(|_| Vec::new()).collect();
        for ((class, shown), settled) in shown.into_iter().zip(settled) {
            match settled {
                Settled::Test(test) => by_class[class].push((*test, shown)),
                Settled::Outside => n_outside[class] += 1,
                Settled::Unstable => n_unstable[class] += 1,
            }
        }
        by_class.iter_mut().for_each(|tests| thin(tests));
        progress.show("running the tests in other orders");
        let lost = self.in_any_order(&mut by_class, machines)?;
        let mut faults: Vec<Option<Faults>> = vec![None; by_class.len()];
        if offered.is_some() && !keeps_all {
            progress.show("looking which faults the tests notice");
            let class_path = machines.classes()?;
            let files = |class: &Arc<str>| machines.files_of(&class_path, class);
            let files: Vec<_> = campaign.classes.iter().map(files).collect();
            let limits = (self.fuel, self.options.max_tests);
            let found = keep_telling(machines, &files, &mut by_class, limits, n_workers)?;
            faults = found.into_iter().map(Some).collect();
        }
        let suite = |(class, tests): (&Arc<str>, Tests)| Suite {
            class: class.clone(),
            tests: tests.into_iter().map(|(test, _)| test).collect(),
        };
        let suites = campaign.classes.iter().zip(by_class).map(suite).collect();
        let tell = |n_done: usize| {
            progress.show(&format!("{} checked on the real JVM", counted(n_done, "class")));
        };
        let mut written = self.write(suites, "Test", Must::Pass, &tell)?;
        let counts = n_unstable.into_iter().zip(n_outside).zip(lost).zip(faults);
        for (one, (((n_unstable, n_outside), n_unordered), faults)) in
            written.iter_mut().zip(counts)
        {
            one.counts = LeftOut { n_unstable, n_outside, n_unordered };
            one.faults = faults;
        }
        Ok(written)
    }

    /// Leaves out of all tests together what depends on which of them ran before; says by class how many tests and
    /// checks those were.
    fn in_any_order(
        &self,
        by_class: &mut [Tests],
        machines: &Machines,
    ) -> Result<Vec<(usize, usize)>, String> {
        let mut shown = Vec::new();
        let mut all = Vec::new();
        let mut n_tests = Vec::new();
        for tests in by_class.iter_mut() {
            n_tests.push(tests.len());
            for (test, one) in tests.drain(..) {
                all.push(test);
                shown.push(one);
            }
        }
        let fresh = || machines.session();
        let unordered = order::settle(&fresh, &mut all, self.fuel);
        let unordered = unordered.map_err(|error| error.to_string())?;
        let mut settled = all.into_iter().zip(shown).zip(&unordered.tests);
        let mut lost = Vec::new();
        let mut first = 0;
        for (tests, n_tests) in by_class.iter_mut().zip(n_tests) {
            let own = settled.by_ref().take(n_tests).filter(|(_, goes)| !**goes);
            tests.extend(own.map(|(test, _)| test));
            lost.push(unordered.lost(first..first + n_tests));
            first += n_tests;
        }
        Ok(lost)
    }

    /// What sequences are looked at with.
    fn lane<'a>(&'a self, classes: &[Arc<str>], machines: &Machines) -> Result<Lane<'a>, String> {
        let session = machines.session().map_err(|error| error.to_string())?;
        let mask = self.options.explore.mask();
        let appraiser = Appraiser::new(session, classes, mask, self.fuel);
        let is_raw =
            |sequence: &Sequence| junit::needs_raw_types(sequence, &self.style, self.names);
        Ok(Lane { appraiser, is_raw: Box::new(is_raw) })
    }

    /// Tests that fail now, by class.
    pub(super) fn errors(
        &self,
        by_class: &BTreeMap<&str, Vec<&Finding>>,
        progress: &Progress,
    ) -> Result<Vec<Written>, String> {
        let suite = |(class, findings): (&&str, &Vec<&Finding>)| Suite {
            class: (*class).into(),
            tests: findings.iter().filter_map(|finding| finding.test()).collect(),
        };
        let tell = |n_done: usize| {
            progress
                .show(&format!("findings of {} checked on the real JVM", counted(n_done, "class")));
        };
        self.write(by_class.iter().map(suite).collect(), "ErrorTest", Must::Fail, &tell)
    }

    /// Tests that pass on this version and not on another.
    pub(super) fn versions(
        &self,
        suites: Vec<Suite>,
        progress: &Progress,
    ) -> Result<Vec<Written>, String> {
        let tell = |n_done: usize| {
            progress.show(&format!(
                "differences of {} checked on the real JVM",
                counted(n_done, "class")
            ));
        };
        self.write(suites, "VersionTest", Must::Pass, &tell)
    }

    /// As `write_some`, for any number of suites; `tell` is told how many are done. Some are compiled while
    /// others run, and not so many in one go that the compiler has no room.
    fn write(
        &self,
        mut suites: Vec<Suite>,
        suffix: &str,
        must: Must,
        tell: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<Written>, String> {
        let start = Instant::now();
        let n_at_once = suites.len().div_ceil(PARTS).clamp(LEAST_AT_ONCE, MOST_AT_ONCE);
        let n_done = AtomicUsize::new(0);
        tell(0);
        let write = |some: &mut [Suite]| {
            let written = self.write_some(some, suffix, must);
            tell(n_done.fetch_add(some.len(), Ordering::Relaxed) + some.len());
            written
        };
        let parts = suites.chunks_mut(n_at_once).collect();
        let written = side_by_side(parts, self.options.explore.n_workers(), &write);
        *self.real_time.lock().unwrap_or_else(PoisonError::into_inner) += start.elapsed();
        let written: Result<Vec<Vec<Written>>, String> = written.into_iter().collect();
        Ok(written?.into_iter().flatten().collect())
    }

    /// Tests that all pass or all fail on the real JVM; what does not do so is left out.
    fn write_some(
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

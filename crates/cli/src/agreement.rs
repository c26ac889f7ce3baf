//! Tests that the real JVM agrees about: written, run there, and left out where it does not, until all that
//! are left do.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use emit::junit::facts::Names;
use emit::junit::{self, SourceFile};
use suite::test::Suite;

use crate::counted::{counted, verb};
use crate::output;
use crate::verify::{Disagreement, Ran, RealJvm, Runs};

/// What tests must do on the real JVM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Must {
    /// They hold what the code does.
    Pass,
    /// They show what is wrong.
    Fail,
}

/// What is known of written tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Checked {
    /// Nothing: nobody wanted to know.
    No,
    /// They pass.
    Passes,
    /// They pass with this version of the classes.
    PassesHere,
    /// They fail.
    Fails,
}

impl Checked {
    /// So many tests of which this is known, for people.
    pub(crate) fn tests(self, number: usize) -> String {
        let tests = counted(number, "test");
        let pass = verb(number, "it passes", "all pass");
        match self {
            Checked::No => format!("{tests}, not checked"),
            Checked::Passes => format!("{tests}, {pass} on the real JVM"),
            Checked::PassesHere => format!("{tests}, {pass} on the real JVM with this version"),
            Checked::Fails => {
                let fail = verb(number, "it fails", "all fail");
                let must = verb(number, "it must", "they must");
                format!("{tests}, {fail} on the real JVM, as {must}")
            }
        }
    }
}

/// How tests are written and checked.
#[derive(Clone, Copy)]
pub(crate) struct Check<'a> {
    /// What the classes are that tests name.
    pub(crate) names: &'a dyn Names,
    /// How the tests of each suite are written, by its position.
    pub(crate) style: &'a dyn Fn(usize) -> &'a junit::Options,
    /// Where they are run; `None` where nobody wants to know.
    pub(crate) real: Option<&'a RealJvm<'a>>,
    /// What they must do there.
    pub(crate) must: Must,
}

/// What is left of a suite.
#[derive(Default)]
pub(crate) struct Agreed {
    /// The tests as source files.
    pub(crate) sources: Vec<SourceFile>,
    /// Tests that the real JVM disagrees about.
    pub(crate) disagreements: Vec<Disagreement>,
    /// Why tests cannot be written.
    pub(crate) left_out: Vec<String>,
}

/// Takes out of suites what the real JVM disagrees about; says what is left of each.
pub(crate) fn agreed(suites: &mut [Suite], check: Check<'_>) -> Result<Vec<Agreed>, String> {
    let Check { names, style, real, must } = check;
    let mut all: Vec<Agreed> = Vec::new();
    for (idx, suite) in suites.iter().enumerate() {
        let style = style(idx);
        let reasons = junit::inexpressible(suite, style, names).into_iter();
        let left_out = reasons
            .map(|(idx, reason)| format!("{}: {reason}", suite.tests[idx].title.method))
            .collect();
        let sources = junit::render(suite, style, names);
        all.push(Agreed { sources, disagreements: Vec::new(), left_out });
    }
    let Some(real) = real else { return Ok(all) };
    let mut bench = real.bench()?;
    // What is left out may have kept the rest of its suite from compiling or passing, so that is checked again.
    let mut is_due = vec![true; suites.len()];
    let mut has_run = false;
    loop {
        let due = all.iter().zip(&is_due).filter(|(_, is_due)| **is_due);
        let sources: Vec<SourceFile> = due.flat_map(|(one, _)| one.sources.clone()).collect();
        if sources.is_empty() {
            return Ok(all);
        }
        let mut wrong = bench.compile(&sources)?;
        if wrong.is_empty() {
            let ran = match must {
                Must::Pass => bench.run(&sources, &Runs::ThereAndBack)?,
                // What failed once fails, and that may have taken long.
                Must::Fail if has_run => return Ok(all),
                Must::Fail => {
                    has_run = true;
                    let ran = bench.run(&sources, &Runs::Once(waiting(suites, &all)))?;
                    let wrong = passed(&sources, &ran);
                    Ran { failed: wrong, left: Vec::new() }
                }
            };
            for (is_due, agreed) in is_due.iter_mut().zip(&all) {
                *is_due &= agreed.has_any_of(&ran.left);
            }
            // Where nothing more goes, more time does not come.
            wrong = if ran.failed.is_empty() { ran.left } else { ran.failed };
        }
        for (idx, (suite, agreed)) in suites.iter_mut().zip(&mut all).enumerate() {
            let own = wrong.iter().filter(|one| agreed.has(one));
            let own: Vec<Disagreement> = own.cloned().collect();
            if !own.is_empty() {
                leave_out(suite, &agreed.sources, &own);
                agreed.sources = junit::render(suite, style(idx), names);
                agreed.disagreements.extend(own);
                is_due[idx] = true;
            }
        }
    }
}

impl Agreed {
    fn has(&self, one: &Disagreement) -> bool {
        self.sources.iter().any(|source| source.class == one.class)
    }

    fn has_any_of(&self, some: &[Disagreement]) -> bool {
        some.iter().any(|one| self.has(one))
    }
}

/// Files of an earlier run that held more tests of a class than these many files do.
pub(crate) fn outdated(
    folder: &Path,
    class: &str,
    n_files: usize,
    style: &junit::Options,
    names: &dyn Names,
) -> Vec<PathBuf> {
    let paths = (n_files..).map(|number| PathBuf::from(junit::path(class, number, style, names)));
    paths.take_while(|path| output::is_ours(&folder.join(path))).collect()
}

/// The tests that fail by taking too long, as `class#method`.
fn waiting(suites: &[Suite], all: &[Agreed]) -> HashSet<String> {
    let mut waiting = HashSet::new();
    for (suite, agreed) in suites.iter().zip(all) {
        for source in &agreed.sources {
            let slow = source.tests.iter().filter(|test| suite.tests[test.idx].must_end);
            waiting.extend(slow.map(|test| format!("{}#{}", source.class, test.method)));
        }
    }
    waiting
}

/// The tests that did not come to an end by failing.
fn passed(sources: &[SourceFile], ran: &Ran) -> Vec<Disagreement> {
    let all = sources.iter().flat_map(|source| source.tests.iter().map(move |test| (source, test)));
    let all = all.map(|(source, test)| Disagreement {
        class: source.class.clone(),
        method: test.method.clone(),
        reason: "passes on the real JVM".to_owned(),
        has_ended: true,
    });
    let known = |one: &Disagreement| {
        let others = ran.failed.iter().chain(&ran.left);
        others.into_iter().find(|other| other.class == one.class && other.method == one.method)
    };
    all.filter_map(|one| match known(&one) {
        Some(known) => (!known.has_ended).then(|| known.clone()),
        None => Some(one),
    })
    .collect()
}

fn leave_out(suite: &mut Suite, sources: &[SourceFile], wrong: &[Disagreement]) {
    let mut is_wrong = vec![false; suite.tests.len()];
    for source in sources {
        for test in &source.tests {
            is_wrong[test.idx] =
                wrong.iter().any(|one| one.class == source.class && one.method == test.method);
        }
    }
    let mut marks = is_wrong.into_iter();
    suite.tests.retain(|_| marks.next() == Some(false));
}

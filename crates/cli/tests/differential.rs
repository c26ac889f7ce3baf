//! Every program below `fixtures/vm` does the same on `java` and on our machine: the same
//! standard output, standard error and exit code, with each JDK whose class library we run.
//!
//! `NONPAREIL_FIXTURE=group/Name` (or a part of it) runs only what fits. The answers of `java`
//! are kept in the build folder, so only the first run starts it for every program.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use testkit::differ::{self, Plan, Verdict};
use testkit::fixture::{self, Fixture};
use testkit::jdk::{self, Jdk};
use testkit::root;

#[test]
fn programs_do_the_same_on_java_and_on_our_machine() {
    let filters: Vec<String> = env::var("NONPAREIL_FIXTURE").into_iter().collect();
    let folder = root::repository().join("fixtures/vm");
    let fixtures = fixture::discover(&folder).expect("the fixtures are readable");
    let fixtures = fixture::choose(fixtures, &filters);
    assert!(!fixtures.is_empty(), "no fixture fits {filters:?}");
    let jdks = jdk::installed();
    assert!(!jdks.is_empty(), "a JDK of one of the releases {:?} is needed", jdk::RELEASES);
    let reports: String = jdks.into_iter().map(|jdk| report(jdk, &fixtures)).collect();
    assert!(reports.is_empty(), "{reports}");
}

/// What differs with one JDK, or nothing.
fn report(jdk: Jdk, fixtures: &[Fixture]) -> String {
    let release = jdk.release;
    let plan = Plan {
        machine: PathBuf::from(env!("CARGO_BIN_EXE_nonpareil")),
        target: root::target(),
        jdk,
        // A busy machine slows both sides; a loop that never ends is still found.
        limit: Duration::from_secs(60),
        jobs: 2,
    };
    let (mut total, mut differing) = (0, Vec::new());
    let ran = differ::run(&plan, fixtures, &mut |verdict| {
        total += 1;
        differing.extend(row(verdict));
    });
    if let Err(error) = ran {
        return format!("JDK {release}: {error}\n");
    }
    if differing.is_empty() {
        return String::new();
    }
    format!("JDK {release}: {} of {total} differ\n{}\n", differing.len(), differing.join("\n"))
}

/// The first difference of a program that differs, and how our machine explains it.
fn row(verdict: &Verdict) -> Option<String> {
    let difference = verdict.difference.as_ref()?;
    let mut text = format!("{} ({}): {difference}", verdict.fixture.path(), verdict.ours.end);
    for line in String::from_utf8_lossy(&verdict.ours.stderr).lines().take(4) {
        text.push_str(&format!("\n     > {line}"));
    }
    Some(text)
}

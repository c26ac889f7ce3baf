//! Tests that hold in whatever order they run.
//!
//! Each test was settled alone, from the same world. On a real JVM tests share what is static: a counter, a
//! registry, a cache. So all tests are run one after the other, forwards and backwards, each order twice over,
//! and what then differs is left out: single checks, or tests that end in another way.

use std::ops::Range;

use observe::oracle::confirm::{Asked, Ending, ending};
use observe::oracle::{End, Observation};
use observe::outside::Reach;
use observe::session::{NotFound, Session};
use suite::test::{Subject, Test};

/// How often all tests run in one order.
const ROUNDS: usize = 2;

/// What was left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unordered {
    /// By test: whether it ends in another way after others.
    pub tests: Vec<bool>,
    /// By test: checks that came out otherwise after others; they are gone from it.
    pub checks: Vec<usize>,
}

impl Unordered {
    /// How many tests of these go, and how many checks of the others.
    pub fn lost(&self, range: Range<usize>) -> (usize, usize) {
        let n_tests = self.tests[range.clone()].iter().filter(|&&goes| goes).count();
        let kept = range.filter(|&idx| !self.tests[idx]);
        (n_tests, kept.map(|idx| self.checks[idx]).sum())
    }
}

/// Takes the checks out of tests that depend on which tests ran before, and says which tests as a whole do.
pub fn settle(
    fresh: &dyn Fn() -> Result<Session, NotFound>,
    tests: &mut [Test],
    fuel: u64,
) -> Result<Unordered, NotFound> {
    let mut found = Unordered { tests: vec![false; tests.len()], checks: vec![0; tests.len()] };
    let forwards: Vec<usize> = (0..tests.len()).collect();
    let backwards: Vec<usize> = forwards.iter().rev().copied().collect();
    for order in [forwards, backwards] {
        let mut session = fresh()?;
        'order: for _ in 0..ROUNDS {
            for &idx in &order {
                if found.tests[idx] {
                    continue;
                }
                let test = &mut tests[idx];
                let asked = Asked::of(test);
                let seen = asked.run(test, fuel).observe_for_good(&mut session)?;
                if seen.reach != Reach::Inside {
                    // What it does to files depends on which tests ran before.
                    found.tests[idx] = true;
                    continue;
                }
                if matches!(seen.end, Some(End::Stopped(_))) {
                    // The machine is no longer to be trusted, so the rest of the order says nothing.
                    found.tests[idx] = true;
                    break 'order;
                }
                match differences(test, &seen, &asked) {
                    Some(n_checks) => found.checks[idx] += n_checks,
                    None => found.tests[idx] = true,
                }
            }
        }
    }
    Ok(found)
}

/// Takes out the checks that a run does not confirm; how many. `None` where it does not even end alike.
fn differences(test: &mut Test, seen: &Observation, asked: &Asked) -> Option<usize> {
    let mut n_left_out = 0;
    match (ending(test.throws.as_ref(), seen), &mut test.throws) {
        (Ending::OtherMessage, Some(throws)) => {
            throws.message = None;
            n_left_out += 1;
        }
        (Ending::Alike, _) => {}
        _ => return None,
    }
    let last = test.sequence.next_var();
    let n_before = test.checks.len();
    let mut is_title_true = true;
    test.checks.retain(|check| {
        let is_kept = asked.is_confirmed(check, seen);
        let is_of_last = matches!(check.subject, Subject::Result(var) if var.0 + 1 == last.0);
        is_title_true &= is_kept || !is_of_last;
        is_kept
    });
    if !is_title_true {
        test.title.outcome.clear();
    }
    Some(n_left_out + n_before - test.checks.len())
}

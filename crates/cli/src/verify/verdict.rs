//! How tests ended on the real JVM, as the runner tells it.

use std::collections::{HashMap, VecDeque};

use super::{Disagreement, Ran};

/// What became of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It passed.
    Passed,
    /// It did not, and what happened.
    Failed(String),
    /// It did not come to its end; how.
    NoEnd(&'static str),
}

/// What the runner says of tests: nothing of those that did not run. The one that had begun last, if it said no
/// more, did not come to its end; where it said nothing at all, that is the first.
pub(super) fn told(names: &[&str], said: &str) -> Vec<Option<Verdict>> {
    let mut ended: HashMap<&str, VecDeque<Verdict>> = HashMap::new();
    let mut begun = None;
    for (test, word) in said.lines().filter_map(|line| line.split_once('\t')) {
        let verdict = match word {
            "begins" => {
                begun = Some(test);
                continue;
            }
            "passed" => Verdict::Passed,
            "stands still" => Verdict::NoEnd("stands still on the real JVM"),
            word => Verdict::Failed(word.trim_start_matches("failed ").to_owned()),
        };
        begun = None;
        ended.entry(test).or_default().push_back(verdict);
    }
    if ended.is_empty() && begun.is_none() {
        begun = names.first().copied();
    }
    let mut verdicts = Vec::new();
    for &name in names {
        let mut verdict = ended.get_mut(name).and_then(VecDeque::pop_front);
        if verdict.is_none() && begun == Some(name) {
            begun = None;
            verdict = Some(Verdict::NoEnd("did not come to its end"));
        }
        verdicts.push(verdict);
    }
    verdicts
}

/// What came of tests that may run several times: one that failed once has failed.
pub(super) fn ran(names: &[String], verdicts: &[Option<Verdict>]) -> Ran {
    let mut ran = Ran::default();
    for (name, verdict) in names.iter().zip(verdicts) {
        let (all, reason, has_ended) = match verdict {
            Some(Verdict::Passed) => continue,
            Some(Verdict::Failed(reason)) => (&mut ran.failed, reason.clone(), true),
            Some(Verdict::NoEnd(how)) => (&mut ran.failed, (*how).to_owned(), false),
            None => (&mut ran.left, "was not run".to_owned(), false),
        };
        let (class, method) = name.split_once('#').unwrap_or((name, ""));
        if !all.iter().any(|one| one.class == class && one.method == method) {
            let (class, method) = (class.to_owned(), method.to_owned());
            all.push(Disagreement { class, method, reason, has_ended });
        }
    }
    let Ran { failed, left } = &mut ran;
    left.retain(|one| !failed.iter().any(|it| it.class == one.class && it.method == one.method));
    ran
}

#[cfg(test)]
mod tests {
    use super::{Ran, ran, told};

    /// What came of tests of which the runner says this: those that failed, and those that were left.
    fn came(said: &str) -> (Vec<(String, String)>, Vec<String>) {
        let names = ["A#x", "A#y", "A#z", "A#z", "A#y", "A#x"];
        let verdicts = told(&names, said);
        let Ran { failed, left } = ran(&names.map(str::to_owned), &verdicts);
        let failed = failed.into_iter().map(|one| (one.method, one.reason)).collect();
        (failed, left.into_iter().map(|one| one.method).collect())
    }

    #[test]
    fn a_test_must_pass_each_time() {
        let said =
            "A#x\tpassed\nA#y\tpassed\nA#z\tpassed\nA#z\tpassed\nA#y\tfailed no\nA#x\tpassed\n";
        let (failed, left) = came(said);
        assert_eq!(failed, [("y".to_owned(), "no".to_owned())]);
        assert!(left.is_empty());
    }

    #[test]
    fn those_behind_an_endless_test_are_not_blamed_but_left() {
        let (failed, left) = came("A#x\tpassed\nA#y\tbegins\n");
        assert_eq!(failed, [("y".to_owned(), "did not come to its end".to_owned())]);
        assert_eq!(left, ["z", "x"]);
        let (failed, left) = came("A#x\tpassed\nA#y\tstands still\n");
        assert_eq!(failed, [("y".to_owned(), "stands still on the real JVM".to_owned())]);
        assert_eq!(left, ["z", "x"]);
    }

    #[test]
    fn tests_may_run_in_another_order_than_they_are_named_in() {
        let said = "A#z\tfailed no\nA#x\tpassed\nA#y\tpassed\nA#x\tpassed\nA#y\tbegins\n";
        let (failed, left) = came(said);
        let expected = [("y", "did not come to its end"), ("z", "no")];
        assert_eq!(failed.len(), 2);
        for (method, reason) in expected {
            assert!(failed.contains(&(method.to_owned(), reason.to_owned())), "{failed:?}");
        }
        assert!(left.is_empty());
    }

    #[test]
    fn a_jvm_that_says_nothing_fails_the_first_test() {
        let (failed, left) = came("");
        assert_eq!(failed, [("x".to_owned(), "did not come to its end".to_owned())]);
        assert_eq!(left, ["y", "z"]);
    }
}

//! How tests ended on the real JVM, as the runner tells it.

use super::{Disagreement, Runs};

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

/// What the runner says of tests, line by line, up to the first that did not come to its end.
pub(super) fn told(names: &[&str], said: &str) -> Vec<Verdict> {
    let mut lines = said.lines().filter_map(|line| line.split_once('\t'));
    let mut verdicts = Vec::new();
    for &name in names {
        let verdict = match lines.find(|(test, _)| *test == name).map(|(_, verdict)| verdict) {
            Some("passed") => Verdict::Passed,
            Some("stands still") => Verdict::NoEnd("stands still on the real JVM"),
            Some(verdict) => Verdict::Failed(verdict.trim_start_matches("failed ").to_owned()),
            None => Verdict::NoEnd("did not come to its end"),
        };
        let is_last = matches!(verdict, Verdict::NoEnd(_));
        verdicts.push(verdict);
        if is_last {
            break;
        }
    }
    verdicts
}

/// The tests that did not pass each time. What did not run is told of only where each runs once.
pub(super) fn failures(
    names: &[String],
    verdicts: &[Option<Verdict>],
    runs: &Runs,
) -> Vec<Disagreement> {
    let mut failed: Vec<Disagreement> = Vec::new();
    for (name, verdict) in names.iter().zip(verdicts) {
        let (reason, has_ended) = match verdict {
            Some(Verdict::Passed) => continue,
            Some(Verdict::Failed(reason)) => (reason.clone(), true),
            Some(Verdict::NoEnd(how)) => ((*how).to_owned(), false),
            None if *runs == Runs::ThereAndBack => continue,
            None => ("was not run".to_owned(), false),
        };
        let (class, method) = name.split_once('#').unwrap_or((name, ""));
        if !failed.iter().any(|one| one.class == class && one.method == method) {
            let (class, method) = (class.to_owned(), method.to_owned());
            failed.push(Disagreement { class, method, reason, has_ended });
        }
    }
    failed
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{Runs, Verdict, failures, told};

    fn methods(said: &str, runs: &Runs) -> Vec<(String, String)> {
        let names = ["A#x", "A#y", "A#z", "A#z", "A#y", "A#x"];
        let mut verdicts: Vec<Option<Verdict>> = told(&names, said).into_iter().map(Some).collect();
        verdicts.resize(names.len(), None);
        let failed = failures(&names.map(str::to_owned), &verdicts, runs);
        failed.into_iter().map(|one| (one.method, one.reason)).collect()
    }

    #[test]
    fn a_test_must_pass_each_time() {
        let said =
            "A#x\tpassed\nA#y\tpassed\nA#z\tpassed\nA#z\tpassed\nA#y\tfailed no\nA#x\tpassed\n";
        let failed = methods(said, &Runs::ThereAndBack);
        assert_eq!(failed, [("y".to_owned(), "no".to_owned())]);
    }

    #[test]
    fn those_behind_an_endless_test_are_not_blamed_where_all_are_to_pass() {
        let failed = methods("A#x\tpassed\n", &Runs::ThereAndBack);
        assert_eq!(failed, [("y".to_owned(), "did not come to its end".to_owned())]);
        let failed = methods("A#x\tpassed\nA#y\tstands still\n", &Runs::ThereAndBack);
        assert_eq!(failed, [("y".to_owned(), "stands still on the real JVM".to_owned())]);
    }

    #[test]
    fn what_did_not_run_has_not_failed() {
        let failed = methods("A#x\tfailed no\n", &Runs::Once(HashSet::new()));
        let reasons: Vec<&str> = failed.iter().map(|(_, reason)| reason.as_str()).collect();
        assert_eq!(reasons, ["no", "did not come to its end", "was not run"]);
    }
}

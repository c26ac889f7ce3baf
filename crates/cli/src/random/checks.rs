//! Takes checks out of tests that tell a reader nothing: what an observer says of a state that the last call
//! left as it was and that another test asks about, and what an observer says in every test alike.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ::generate::random::Shown;
use observe::state::fingerprint::Fingerprint;
use suite::method::Method;
use suite::test::{Check, Expected, Subject, Test};

/// An observer that says the same in so many tests says nothing.
const OFTEN: usize = 3;

/// Takes out what tells nothing of all tests of a class; each has at its side what it shows.
pub(super) fn thin(tests: &mut [(Test, Shown)]) {
    leave_known_states(tests);
    leave_constants(tests);
}

/// Where the last call leaves its object as it was, observers are asked only what no other test asks of
/// that state.
fn leave_known_states(tests: &mut [(Test, Shown)]) {
    let mut asked: HashSet<(Arc<Method>, Fingerprint)> = HashSet::new();
    let is_left =
        |shown: &Shown| shown.receiver.is_some_and(|(before, after)| before == Some(after));
    for (test, shown) in tests.iter() {
        let Some((before, after)) = shown.receiver else { continue };
        // What the last call itself says of a state is asked as well.
        asked.extend(called(test).cloned().zip(before));
        if !is_left(shown) {
            let observers = test.checks.iter().filter_map(observer);
            asked.extend(observers.map(|method| (method.clone(), after)));
        }
    }
    for (test, shown) in tests.iter_mut().filter(|(_, shown)| is_left(shown)) {
        let Some((_, after)) = shown.receiver else { continue };
        let is_new = |check: &Check| match observer(check) {
            Some(method) => !asked.contains(&(method.clone(), after)),
            None => true,
        };
        retain(test, &is_new);
        let observers = test.checks.iter().filter_map(observer);
        asked.extend(observers.map(|method| (method.clone(), after)));
    }
}

/// An observer that says the same in all tests is asked in the first one only.
fn leave_constants(tests: &mut [(Test, Shown)]) {
    let mut said: HashMap<Arc<Method>, (HashSet<Expected>, usize)> = HashMap::new();
    for check in tests.iter().flat_map(|(test, _)| &test.checks) {
        if let Some(method) = observer(check) {
            let (values, count) = said.entry(method.clone()).or_default();
            values.insert(check.expected.clone());
            *count += 1;
        }
    }
    let mut asked: HashSet<Arc<Method>> = HashSet::new();
    for (test, _) in tests {
        let is_telling = |check: &Check| {
            let Some(method) = observer(check) else { return true };
            let is_constant = said
                .get(method)
                .is_some_and(|(values, count)| values.len() == 1 && *count >= OFTEN);
            !is_constant || !asked.contains(method)
        };
        retain(test, &is_telling);
        asked.extend(test.checks.iter().filter_map(observer).cloned());
    }
}

/// The method that a test calls last, where it checks the result and nothing but the object decides about it.
fn called(test: &Test) -> Option<&Arc<Method>> {
    let statements = test.sequence.statements();
    let method = statements.last()?.method()?;
    let is_checked = |check: &Check| matches!(check.subject, Subject::Result(var) if var.idx() + 1 == statements.len());
    let is_checked = test.checks.iter().any(is_checked);
    (is_checked && method.has_receiver() && method.parameters.is_empty()).then_some(method)
}

fn observer(check: &Check) -> Option<&Arc<Method>> {
    match &check.subject {
        Subject::Observer { method, .. } => Some(method),
        Subject::Result(_) => None,
    }
}

/// Keeps the checks that tell something, or all where nothing else would be checked.
fn retain(test: &mut Test, is_telling: &dyn Fn(&Check) -> bool) {
    if test.throws.is_some() || test.checks.iter().any(is_telling) {
        test.checks.retain(is_telling);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use ::generate::random::Shown;
    use observe::state::fingerprint::Fingerprint;
    use suite::constant::Constant;
    use suite::method::Method;
    use suite::sequence::{Arg, Operation, Sequence, Var};
    use suite::test::{Check, Expected, Subject, Test, Title};

    use super::thin;

    fn method(name: &str, descriptor: &str) -> Arc<Method> {
        Arc::new(Method::new("Box", name, descriptor, false).expect("well formed"))
    }

    /// `new Box()` and a call; what `size` and `kind` say afterwards; the states around the call.
    fn test(call: &str, checked: Option<i32>, size: i32, states: (u128, u128)) -> (Test, Shown) {
        let mut sequence = Sequence::empty();
        let made = Operation::Call(method("<init>", "()V"));
        let made = sequence.push(made, vec![]).expect("fits");
        let call = Operation::Call(method(call, "()I"));
        let last = sequence.push(call, vec![Arg::Var(made)]).expect("fits");
        let equals = |value| Expected::Equals(Constant::Int(value));
        let observer = |name, value| Check {
            after: last,
            subject: Subject::Observer { receiver: Var(0), method: method(name, "()I") },
            expected: equals(value),
        };
        let result = checked.map(|value| Check {
            after: last,
            subject: Subject::Result(last),
            expected: equals(value),
        });
        let checks = result.into_iter().chain([observer("size", size), observer("kind", 7)]);
        let test = Test {
            sequence,
            checks: checks.collect(),
            throws: None,
            must_end: false,
            notes: Vec::new(),
            title: Title::default(),
        };
        let shown = Shown {
            branches: BTreeSet::new(),
            ends: BTreeSet::new(),
            states: Vec::new(),
            threw: None,
            cost: 0,
            receiver: Some((Some(Fingerprint(states.0)), Fingerprint(states.1))),
        };
        (test, shown)
    }

    fn asked(tests: &[(Test, Shown)]) -> Vec<Vec<&str>> {
        let names = |test: &Test| -> Vec<&str> {
            let name = |check: &Check| match &check.subject {
                Subject::Observer { method, .. } if &*method.name == "size" => "size",
                Subject::Observer { .. } => "kind",
                Subject::Result(_) => "result",
            };
            test.checks.iter().map(name).collect()
        };
        tests.iter().map(|(test, _)| names(test)).collect()
    }

    #[test]
    fn a_state_that_a_call_leaves_as_it_was_is_asked_about_once() {
        let mut tests = [test("look", Some(1), 1, (5, 5)), test("add", Some(2), 1, (4, 5))];
        thin(&mut tests);
        assert_eq!(asked(&tests), [vec!["result"], vec!["result", "size", "kind"]]);
    }

    #[test]
    fn what_a_test_calls_is_not_asked_again_in_another() {
        let mut tests = [test("size", Some(1), 1, (5, 5)), test("look", Some(2), 1, (5, 5))];
        tests[0].0.checks.remove(1);
        thin(&mut tests);
        assert_eq!(asked(&tests), [vec!["result", "kind"], vec!["result"]]);
    }

    #[test]
    fn a_test_keeps_its_only_checks() {
        let mut tests = [test("look", None, 1, (5, 5)), test("add", Some(2), 1, (4, 5))];
        thin(&mut tests);
        assert_eq!(asked(&tests)[0], ["size", "kind"]);
    }

    #[test]
    fn what_every_test_says_alike_is_said_once() {
        let mut tests = [
            test("add", Some(1), 1, (4, 5)),
            test("add", Some(1), 2, (5, 6)),
            test("add", Some(1), 3, (6, 7)),
        ];
        thin(&mut tests);
        assert_eq!(
            asked(&tests),
            [vec!["result", "size", "kind"], vec!["result", "size"], vec!["result", "size"]]
        );
    }
}

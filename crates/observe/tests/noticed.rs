//! Which mutants are noticed by tests that are calls and checks.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod machine;

use std::fs;
use std::sync::Arc;

use classfile::{ClassBytes, ClassFile};
use observe::mutation::{self, Limits, Mutant, noticed};
use observe::session::Session;
use suite::constant::Constant;
use suite::method::Method;
use suite::sequence::{Arg, Operation, Sequence, Var};
use suite::test::{Check, Expected, Subject, Test, Title};
use testkit::{jdk, root, suite as fixtures};

const LIMITS: Limits =
    Limits { fuel: 100_000, fuel_factor: 10, fuel_extra: 1000, most_tests: 10, most_cost: 1 << 30 };

fn method(name: &str, descriptor: &str) -> Arc<Method> {
    Arc::new(Method::new("Meter", name, descriptor, false).unwrap())
}

fn check(after: Var, subject: Subject, expected: Constant) -> Check {
    Check { after, subject, expected: Expected::Equals(expected) }
}

/// `new Meter().add(number)` and what it gives; and what an observer says afterwards.
fn test(number: i32, gives: Option<bool>, says: Option<(&str, i32)>) -> Test {
    let mut sequence = Sequence::empty();
    let receiver = sequence.push(Operation::Call(method("<init>", "()V")), vec![]).unwrap();
    let args = vec![Arg::Var(receiver), Arg::Constant(Constant::Int(number))];
    let added = sequence.push(Operation::Call(method("add", "(I)Z")), args).unwrap();
    let result = gives.map(|it| check(added, Subject::Result(added), Constant::Boolean(it)));
    let observed = says.map(|(name, number)| {
        let subject = Subject::Observer { receiver, method: method(name, "()I") };
        check(added, subject, Constant::Int(number))
    });
    Test {
        sequence,
        checks: result.into_iter().chain(observed).collect(),
        throws: None,
        must_end: false,
        notes: Vec::new(),
        title: Title::default(),
    }
}

/// The mutants that each of these tests notices, as people read them.
fn noticed_by(tests: &[Test], limits: Limits) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for jdk in jdk::installed() {
        let sources = root::repository().join("fixtures/mutation/calls");
        let classes = fixtures::compile(&jdk, "mutation/calls", &sources, "").unwrap();
        let bytes = fs::read(classes.join("Meter.class")).unwrap();
        let file = Arc::new(ClassFile::parse(ClassBytes::from_vec(bytes)).unwrap());
        let mutants = mutation::mutants(&file);
        let (vm, _) = machine::boot(&jdk, &classes.display().to_string());
        let mut session = Session::new(vm).unwrap();
        let found = noticed(&mut session, &[file], &mutants, tests, limits).unwrap();
        let described = |of: &Vec<u32>| -> Vec<String> {
            let name = |mutant: &Mutant| format!("{} {}", mutant.method, mutant.description());
            of.iter().map(|&idx| name(&mutants[idx as usize])).collect()
        };
        let found: Vec<Vec<String>> = found.iter().map(described).collect();
        assert!(all.is_empty() || all == found, "JDKs differ");
        all = found;
    }
    all
}

fn has(noticed: &[String], change: &str) -> bool {
    noticed.iter().any(|it| it.contains(change))
}

#[test]
fn a_test_notices_what_changes_its_results_or_what_observers_say() {
    let tests = [
        test(3, Some(true), None),
        test(3, None, Some(("total", 3))),
        test(10, Some(false), None),
        test(3, None, None),
    ];
    let found = noticed_by(&tests, LIMITS);
    assert!(has(&found[0], "add line 6: negated conditional"), "{found:#?}");
    assert!(!has(&found[0], "boundary") && !has(&found[0], "`+`"), "{found:#?}");
    assert!(has(&found[1], "add line 7: replaced `+`"), "{found:#?}");
    assert!(has(&found[1], "total line 14"), "what observers run is mutated as well: {found:#?}");
    assert!(has(&found[2], "boundary `<` to `<=`"), "{found:#?}");
    assert!(found[3].is_empty(), "who checks nothing notices nothing: {found:#?}");
}

#[test]
fn a_mutant_that_goes_round_for_ever_is_noticed() {
    let found = noticed_by(&[test(3, None, Some(("countdown", 3)))], LIMITS);
    assert!(has(&found[0], "countdown line 19: changed increment"), "{found:#?}");
}

#[test]
fn a_test_that_does_not_hold_notices_nothing() {
    let found = noticed_by(&[test(3, Some(false), None), test(3, Some(true), None)], LIMITS);
    assert!(found[0].is_empty() && !found[1].is_empty(), "{found:#?}");
}

#[test]
fn no_more_is_tried_than_was_asked_for() {
    let tests = [test(3, Some(true), None), test(4, Some(true), None)];
    let found = noticed_by(&tests, Limits { most_tests: 1, ..LIMITS });
    assert!(!found[0].is_empty() && found[1].is_empty(), "{found:#?}");
    let found = noticed_by(&tests, Limits { most_cost: 0, ..LIMITS });
    assert!(found[0].len() <= 1, "{found:#?}");
}

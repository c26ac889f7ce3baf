//! What a run shows that a test can check.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod machine;

use std::sync::Arc;

use observe::oracle::Run;
use observe::session::Session;
use suite::constant::Constant;
use suite::method::Method;
use suite::sequence::{Arg, Operation, Sequence};
use suite::test::Expected;
use testkit::{jdk, root, suite as fixtures};

fn method(name: &str, descriptor: &str) -> Arc<Method> {
    Arc::new(Method::new("Turner", name, descriptor, false).unwrap())
}

fn text(text: &str) -> Constant {
    Constant::Text(text.encode_utf16().collect())
}

/// What these observers say of `new Turner(text)`, one after the other.
fn said(of: &str, observers: &[(&str, &str)]) -> Vec<Option<Expected>> {
    let jdk = jdk::installed().into_iter().next().unwrap();
    let sources = root::repository().join("fixtures/states");
    let classes = fixtures::compile(&jdk, "states", &sources, "").unwrap();
    let (vm, _) = machine::boot(&jdk, &classes.display().to_string());
    let mut session = Session::new(vm).unwrap();
    let mut sequence = Sequence::empty();
    let maker = Operation::Call(method("<init>", "(Ljava/lang/String;)V"));
    let receiver = sequence.push(maker, vec![Arg::Constant(text(of))]).unwrap();
    let observers: Vec<_> =
        observers.iter().map(|(name, descriptor)| method(name, descriptor)).collect();
    let run = Run {
        sequence: &sequence,
        observers: &observers,
        receiver: Some(receiver),
        change: None,
        fuel: 1_000_000,
    };
    run.observe(&mut session).unwrap().observers
}

#[test]
fn a_question_that_changes_the_object_is_no_observer_there() {
    let text_of = ("text", "()Ljava/lang/String;");
    let turned = ("turned", "()Ljava/lang/String;");
    let equals = |it: &str| Some(Expected::Equals(text(it)));
    assert_eq!(said("ab", &[turned, text_of]), [None, equals("ab")]);
    // What reads the same backwards stays as it is.
    assert_eq!(said("aa", &[turned, text_of]), [equals("aa"), equals("aa")]);
}

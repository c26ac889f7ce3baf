//! What a run shows that a test can check, and what is asked of its objects.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod machine;

use std::sync::Arc;

use observe::oracle::Run;
use observe::session::Session;
use suite::constant::Constant;
use suite::method::Method;
use suite::sequence::{Arg, Operation, Sequence, Var};
use suite::test::Expected;
use testkit::{jdk, root, suite as fixtures};

const FUEL: u64 = 10_000_000;

fn method(class: &str, name: &str, descriptor: &str, is_static: bool) -> Arc<Method> {
    Arc::new(Method::new(class, name, descriptor, is_static).unwrap())
}

#[test]
fn an_object_is_asked_only_what_its_class_knows() {
    let valued = method("java/lang/Integer", "valueOf", "(I)Ljava/lang/Integer;", true);
    let mut sequence = Sequence::empty();
    let seven = vec![Arg::Constant(Constant::Int(7))];
    sequence.push(Operation::Call(valued), seven).unwrap();
    let observers = [
        method("java/lang/Integer", "intValue", "()I", false),
        method("java/lang/String", "length", "()I", false),
        method("java/lang/String", "trim", "()Ljava/lang/String;", false),
    ];
    for jdk in jdk::installed() {
        let mut session = Session::new(machine::boot(&jdk, "").0).unwrap();
        let run = Run {
            sequence: &sequence,
            observers: &observers,
            receiver: Some(Var(0)),
            change: None,
            fuel: FUEL,
        };
        let seen = run.observe(&mut session).unwrap();
        let seven = Some(Expected::Equals(Constant::Int(7)));
        assert_eq!(seen.observers, [seven, None, None], "on {}", jdk.release);
    }
}

#[test]
fn nothing_is_said_of_the_frames_of_an_exception() {
    let made = method("java/lang/Exception", "<init>", "()V", false);
    let mut sequence = Sequence::empty();
    sequence.push(Operation::Call(made), vec![]).unwrap();
    let frames = "()[Ljava/lang/StackTraceElement;";
    let observers = [method("java/lang/Exception", "getStackTrace", frames, false)];
    for jdk in jdk::installed() {
        let mut session = Session::new(machine::boot(&jdk, "").0).unwrap();
        let receiver = Some(Var(0));
        let run =
            Run { sequence: &sequence, observers: &observers, receiver, change: None, fuel: FUEL };
        let seen = run.observe(&mut session).unwrap();
        assert_eq!(seen.observers, [None], "on {}", jdk.release);
    }
}

#[test]
fn a_small_value_has_one_box_wherever_it_comes_from() {
    let values = [
        ("Boolean", "Z", Constant::Boolean(true), true),
        ("Boolean", "Z", Constant::Boolean(false), true),
        ("Byte", "B", Constant::Byte(-128), true),
        ("Character", "C", Constant::Char(127), true),
        ("Character", "C", Constant::Char(128), false),
        ("Short", "S", Constant::Short(-1), true),
        ("Integer", "I", Constant::Int(-128), true),
        ("Integer", "I", Constant::Int(127), true),
        ("Integer", "I", Constant::Int(128), false),
        ("Integer", "I", Constant::Int(i32::MIN), false),
        ("Long", "J", Constant::Long(0), true),
        ("Long", "J", Constant::Long(i64::MAX), false),
        ("Double", "D", Constant::Double(0), false),
    ];
    for jdk in jdk::installed() {
        let mut session = Session::new(machine::boot(&jdk, "").0).unwrap();
        for (name, descriptor, value, is_shared) in values.clone() {
            let class = format!("java/lang/{name}");
            let valued = method(&class, "valueOf", &format!("({descriptor})L{class};"), true);
            let mut sequence = Sequence::empty();
            sequence.push(Operation::Call(valued), vec![Arg::Constant(value.clone())]).unwrap();
            let (given, _) = session.run(&sequence, FUEL).unwrap();
            let boxed = Constant::Boxed(Box::new(value.clone()));
            let written = session.constant(&boxed).unwrap();
            assert_eq!(given == [written], is_shared, "{value:?} on {}", jdk.release);
        }
    }
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
    let maker = Operation::Call(method("Turner", "<init>", "(Ljava/lang/String;)V", false));
    let receiver = sequence.push(maker, vec![Arg::Constant(text(of))]).unwrap();
    let observers: Vec<_> = observers
        .iter()
        .map(|(name, descriptor)| method("Turner", name, descriptor, false))
        .collect();
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

//! What is asked of the objects of a run.

mod machine;

use std::sync::Arc;

use observe::oracle::Run;
use observe::session::Session;
use suite::constant::Constant;
use suite::method::Method;
use suite::sequence::{Arg, Operation, Sequence, Var};
use suite::test::Expected;
use testkit::jdk;

const FUEL: u64 = 10_000_000;

fn method(class: &str, name: &str, descriptor: &str, is_static: bool) -> Arc<Method> {
    Arc::new(Method::new(class, name, descriptor, is_static).expect("well formed"))
}

#[test]
fn an_object_is_asked_only_what_its_class_knows() {
    let valued = method("java/lang/Integer", "valueOf", "(I)Ljava/lang/Integer;", true);
    let mut sequence = Sequence::empty();
    let seven = vec![Arg::Constant(Constant::Int(7))];
    sequence.push(Operation::Call(valued), seven).expect("fits");
    let observers = [
        method("java/lang/Integer", "intValue", "()I", false),
        method("java/lang/String", "length", "()I", false),
        method("java/lang/String", "trim", "()Ljava/lang/String;", false),
    ];
    for jdk in jdk::installed() {
        let mut session = Session::new(machine::boot(&jdk, "").0).expect("it starts");
        let run = Run {
            sequence: &sequence,
            observers: &observers,
            receiver: Some(Var(0)),
            change: None,
            fuel: FUEL,
        };
        let seen = run.observe(&mut session).expect("it is there");
        let seven = Some(Expected::Equals(Constant::Int(7)));
        assert_eq!(seen.observers, [seven, None, None], "on {}", jdk.release);
    }
}

#[test]
fn nothing_is_said_of_the_frames_of_an_exception() {
    let made = method("java/lang/Exception", "<init>", "()V", false);
    let mut sequence = Sequence::empty();
    sequence.push(Operation::Call(made), vec![]).expect("fits");
    let frames = "()[Ljava/lang/StackTraceElement;";
    let observers = [method("java/lang/Exception", "getStackTrace", frames, false)];
    for jdk in jdk::installed() {
        let mut session = Session::new(machine::boot(&jdk, "").0).expect("it starts");
        let receiver = Some(Var(0));
        let run =
            Run { sequence: &sequence, observers: &observers, receiver, change: None, fuel: FUEL };
        let seen = run.observe(&mut session).expect("it is there");
        assert_eq!(seen.observers, [None], "on {}", jdk.release);
    }
}

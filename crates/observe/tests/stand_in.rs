//! Stand-ins on the machine: their classes outlive rollbacks where they should, and tell worlds apart. And values
//! of other classes than a sequence takes them for.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod machine;

use std::sync::Arc;

use observe::session::Session;
use suite::method::Method;
use suite::sequence::{Arg, Operation, Sequence};
use suite::stand_in::{Behaviour, StandIn};
use testkit::jdk;
use vm::interp::Outcome;
use vm::value::Ref;

const FUEL: u64 = 100_000;

fn session() -> Session {
    Session::new(machine::boot(&jdk::installed()[0], "").0).unwrap()
}

fn made(behaviour: Behaviour) -> Sequence {
    let of = "java/util/function/IntUnaryOperator";
    let stand_in = StandIn { of: of.into(), behaviour };
    let mut sequence = Sequence::empty();
    let made = sequence.push(Operation::StandIn(Arc::new(stand_in)), vec![]).unwrap();
    let apply = Method::new(of, "applyAsInt", "(I)I", false).unwrap();
    let three = Arg::Constant(suite::constant::Constant::Int(3));
    sequence.push(Operation::Call(Arc::new(apply)), vec![Arg::Var(made), three]).unwrap();
    sequence
}

#[test]
fn a_stand_in_is_made_again_after_a_rollback() {
    let mut session = session();
    let (identity, zero) = (made(Behaviour::Identity), made(Behaviour::Default));
    // One class is there before the mark, the other only behind it.
    session.prepare(&identity).unwrap();
    for _ in 0..3 {
        let mark = session.vm.mark();
        let (values, stopped) = session.run(&identity, FUEL).unwrap();
        assert!(stopped.is_none());
        assert_eq!(values[1], 3);
        for _ in 0..2 {
            let (values, stopped) = session.run(&zero, FUEL).unwrap();
            assert!(stopped.is_none());
            assert_eq!(values[1], 0);
        }
        session.vm.rollback(mark);
    }
    let throwing = made(Behaviour::Throws);
    session.prepare(&throwing).unwrap();
    let (values, stopped) = session.run(&throwing, FUEL).unwrap();
    assert_eq!(values.len(), 1);
    let Some(Outcome::Threw(exception)) = stopped else { panic!("{stopped:?}") };
    let class = session.vm.class_of(exception);
    assert_eq!(session.vm.class(class).name.to_string(), "java/lang/UnsupportedOperationException");
}

#[test]
fn stand_ins_for_the_same_have_the_same_class_in_a_session_and_are_different_objects() {
    let mut session = session();
    let (one, other) = (made(Behaviour::Identity), made(Behaviour::Default));
    session.prepare(&one).unwrap();
    session.prepare(&other).unwrap();
    let mut class = |sequence: &Sequence| {
        let (values, _) = session.run(sequence, FUEL).unwrap();
        (session.vm.class_of(Ref::from_slot(values[0])), values[0])
    };
    let (first, again, another) = (class(&one), class(&one), class(&other));
    assert_eq!(first.0, again.0);
    assert_ne!(first.1, again.1);
    assert_ne!(first.0, another.0);
}

#[test]
fn the_name_of_a_class_tells_worlds_apart_and_nothing_else() {
    let name = |seed: u64, asked_before: &[Behaviour]| {
        let mut session = session();
        session.vm.options.seed = seed;
        for behaviour in asked_before {
            session.prepare(&made(behaviour.clone())).unwrap();
        }
        let of = "java/util/function/IntUnaryOperator".into();
        let stand_in = StandIn { of, behaviour: Behaviour::Identity };
        let made = session.stand_in(&Arc::new(stand_in)).unwrap();
        session.vm.class(made.class).name.to_string()
    };
    let plain = name(1, &[]);
    assert_eq!(plain, name(1, &[Behaviour::Throws, Behaviour::Default]));
    assert_ne!(plain, name(2, &[]));
}

#[test]
fn a_value_of_another_class_than_it_is_used_as_fails_as_a_cast_does() {
    const SET: &str = "java/util/BitSet";
    let call = |class: &str, name: &str, descriptor: &str| {
        Operation::Call(Arc::new(Method::new(class, name, descriptor, false).unwrap()))
    };
    let mut session = session();
    let mut start = Sequence::empty();
    let set = start.push(call(SET, "<init>", "()V"), vec![]).unwrap();
    let list = start.push(call("java/util/ArrayList", "<init>", "()V"), vec![]).unwrap();
    let text = Arg::Constant(suite::constant::Constant::text("no set"));
    let add = call("java/util/ArrayList", "add", "(Ljava/lang/Object;)Z");
    let get = call("java/util/ArrayList", "get", "(I)Ljava/lang/Object;");
    let zero = Arg::Constant(suite::constant::Constant::Int(0));
    for (kept, holds) in [(Arg::Var(set), true), (text, false)] {
        let mut sequence = start.clone();
        sequence.push(add.clone(), vec![Arg::Var(list), kept]).unwrap();
        let found = sequence.push(get.clone(), vec![Arg::Var(list), zero.clone()]).unwrap();
        for (operation, args) in [
            (call(SET, "cardinality", "()I"), vec![Arg::Var(found)]),
            (call(SET, "and", "(Ljava/util/BitSet;)V"), vec![Arg::Var(set), Arg::Var(found)]),
            (Operation::Array(suite::types::Type::class(SET)), vec![Arg::Var(found)]),
        ] {
            let sequence = sequence.clone().then(operation, args).unwrap();
            session.prepare(&sequence).unwrap();
            let (_, stopped) = session.run(&sequence, FUEL).unwrap();
            assert_eq!(stopped.is_none(), holds, "{stopped:?}");
            if let Some(stopped) = stopped {
                let Outcome::Threw(exception) = stopped else { panic!("{stopped:?}") };
                let class = session.vm.class(session.vm.class_of(exception));
                assert_eq!(class.name.to_string(), "java/lang/ClassCastException");
            }
        }
    }
}

#[test]
fn what_cannot_be_stood_in_for_is_an_error() {
    let mut session = session();
    // Final; without an accessible constructor; not there at all.
    for of in ["java/lang/String", "java/lang/Enum", "p/Nothing"] {
        let stand_in = Arc::new(StandIn { of: of.into(), behaviour: Behaviour::Default });
        let sequence = Sequence::empty().then(Operation::StandIn(stand_in), vec![]).unwrap();
        let failed = session.prepare(&sequence).is_err()
            || !matches!(session.run(&sequence, FUEL), Ok((_, None)));
        assert!(failed, "{of}");
    }
}

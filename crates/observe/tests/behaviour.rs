//! Which calls do the same: those that read the same.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod machine;

use observe::behaviour::Behaviour;
use observe::session::Session;
use observe::state::fingerprint::Fingerprint;
use observe::state::mask::{FieldName, Mask};
use testkit::{jdk, root, suite};
use vm::interp::Outcome;
use vm::value::Value;

/// A maker of objects in `fixtures/states/Looks.java`, with its only parameter's type.
type Maker<'a> = (&'a str, char);

/// What a method does on the object that a maker makes of an argument.
fn behaviour(
    session: &mut Session,
    mask: &Mask,
    maker: Maker,
    argument: u64,
    method: &str,
) -> Fingerprint {
    let class = session.class("Looks").unwrap();
    let vm = &mut session.vm;
    let mark = vm.mark();
    let descriptor = format!("({})LLooks;", maker.1);
    let made = vm.lookup_method(class, maker.0.as_bytes(), descriptor.as_bytes()).unwrap();
    let Outcome::Returned(Value::Ref(object)) = vm.call_plain(made, &[argument]) else { panic!() };
    let returns = match method {
        "first" | "sum" | "own" => "()I",
        "copied" => "()[I",
        "forget" | "compare" => "()V",
        "name" => "()Ljava/lang/String;",
        _ => "()Z",
    };
    let called = vm.lookup_method(class, method.as_bytes(), returns.as_bytes()).unwrap();
    let mut behaviour = Behaviour::new(mask.clone());
    let outcome = vm.call(&mut behaviour, called, &[object.to_slot()], Some(100_000));
    assert!(matches!(outcome, Outcome::Returned(_)), "{outcome:?}");
    let done = behaviour.finish(vm, &outcome).behaviour;
    vm.rollback(mark);
    done
}

/// Whether a method does the same on what a maker makes of two arguments.
fn check(same: bool, maker: Maker, (one, other): (u64, u64), method: &str) {
    check_masked(&Mask::standard(), same, maker, (one, other), method);
}

fn check_masked(mask: &Mask, same: bool, maker: Maker, (one, other): (u64, u64), method: &str) {
    for jdk in jdk::installed() {
        let sources = root::repository().join("fixtures/states");
        let classes = suite::compile(&jdk, "states", &sources, "").unwrap();
        let (vm, _) = machine::boot(&jdk, &classes.display().to_string());
        let mut session = Session::new(vm).unwrap();
        // The first call may load classes, which later ones find loaded.
        behaviour(&mut session, mask, maker, one, method);
        let again = behaviour(&mut session, mask, maker, one, method);
        assert_eq!(behaviour(&mut session, mask, maker, one, method), again, "{method} again");
        let other = behaviour(&mut session, mask, maker, other, method);
        assert_eq!(again == other, same, "{method}");
    }
}

const NAMED: Maker = ("named", 'I');
const NUMBERED: Maker = ("numbered", 'I');

#[test]
fn what_a_call_does_not_look_at_makes_no_difference() {
    check(true, NUMBERED, (2, 3), "first");
    check(false, NUMBERED, (2, 3), "sum");
    check(true, NUMBERED, (2, 3), "own");
}

#[test]
fn what_a_native_is_given_is_looked_at() {
    check(false, NUMBERED, (2, 3), "copied");
}

#[test]
fn one_object_in_two_places_is_not_two_objects() {
    check(false, ("paired", 'Z'), (0, 1), "isPair");
    check(true, ("paired", 'Z'), (0, 1), "first");
}

#[test]
fn the_class_of_an_object_is_looked_at_with_it() {
    check(false, ("holding", 'Z'), (0, 1), "isText");
    check(true, ("holding", 'Z'), (0, 1), "isNamed");
}

#[test]
fn a_text_counts_where_it_is_read_or_given_back_but_not_where_it_is_passed_on() {
    let letters = (u64::from(b'b'), u64::from(b'c'));
    check(false, NAMED, letters, "isNamed");
    check(false, NAMED, letters, "name");
    check(true, NAMED, letters, "forget");
}

#[test]
fn a_field_that_is_no_part_of_a_state_is_not_looked_at() {
    let other = FieldName { class: "Looks".to_owned(), field: "other".to_owned() };
    let mask = Mask { strict: false, ignored: vec![other] };
    check_masked(&mask, true, ("paired", 'Z'), (0, 1), "compare");
    check(false, ("paired", 'Z'), (0, 1), "compare");
}

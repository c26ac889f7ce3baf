//! What single sequences show, and tests that must hold in whatever order they run.

use std::sync::Arc;

use generate::order;
use generate::random::{Appraiser, Machines, States, Worlds, settle_all};
use generate::states::table::StateId;
use generate::states::tests::{Draft, Settled};
use observe::session::{NotFound, Session};
use observe::state::mask::Mask;
use suite::constant::Constant;
use suite::method::Method;
use suite::sequence::{Arg, Operation, Sequence, Var};
use suite::test::{Check, Expected, Subject, Test, Throws, Title};
use testkit::jdk;
use vm::image::Base;

use super::{Workshop, machine};

const FUEL: u64 = 1_000_000;

fn method(class: &str, name: &str, descriptor: &str) -> Arc<Method> {
    let is_static = class == "order/Registry";
    Arc::new(Method::new(class, name, descriptor, is_static).unwrap())
}

fn registered(sequence: &mut Sequence, name: &str, descriptor: &str, args: &[Constant]) -> Var {
    let call = Operation::Call(method("order/Registry", name, descriptor));
    sequence.push(call, args.iter().cloned().map(Arg::Constant).collect()).unwrap()
}

/// A ticket of a price.
fn ticket(sequence: &mut Sequence, price: i32) -> Var {
    let call = Operation::Call(method("order/Ticket", "<init>", "(I)V"));
    sequence.push(call, vec![Arg::Constant(Constant::Int(price))]).unwrap()
}

fn test(sequence: Sequence, checks: Vec<Check>, throws: Option<Throws>) -> Test {
    let title = Title { outcome: "returnsTrue".to_owned(), ..Title::default() };
    Test { sequence, checks, throws, must_end: false, notes: Vec::new(), title }
}

#[test]
fn sequences_show_branches_and_ends_and_tests_lose_what_depends_on_others() {
    let jdk = jdk::installed().into_iter().next().unwrap();
    let workshop = Workshop::of(&jdk, "order/src");
    let session = workshop.fresh().unwrap();
    let fresh = || Ok(workshop.like(&session, 1)?.remove(0));
    let classes: [Arc<str>; 2] = ["order/Registry".into(), "order/Ticket".into()];
    let mut appraiser = Appraiser::new(fresh().unwrap(), &classes, Mask::standard(), FUEL);

    let text = "Ljava/lang/String;";
    let (known, asked) = (format!("({text}I)Z"), format!("({text})Z"));
    let a = Constant::text("a");
    let mut short = Sequence::empty();
    registered(&mut short, "isName", &asked, std::slice::from_ref(&a));
    let mut long = Sequence::empty();
    registered(&mut long, "register", &known, &[a.clone(), Constant::Int(1)]);
    registered(&mut long, "isName", &asked, std::slice::from_ref(&a));
    let little = appraiser.appraise(&short, States::All).unwrap().unwrap();
    let much = appraiser.appraise(&long, States::All).unwrap().unwrap();
    assert!(!little.branches.is_empty() && little.branches.is_subset(&much.branches));
    assert!(little.ends.is_subset(&much.ends) && little.ends.len() < much.ends.len());
    assert_eq!(much.states.len(), 2);
    assert!(little.cost < much.cost);
    let again = appraiser.appraise(&short, States::All).unwrap().unwrap();
    assert_eq!((again.branches, again.states), (little.branches, little.states));

    let mut thrown = Sequence::empty();
    ticket(&mut thrown, -1);
    let shown = appraiser.appraise(&thrown, States::Last).unwrap().unwrap();
    assert_eq!(shown.threw.as_deref(), Some("java/lang/IllegalArgumentException"));
    registered(&mut thrown, "isName", &asked, std::slice::from_ref(&a));
    assert!(appraiser.appraise(&thrown, States::Last).unwrap().is_none(), "it ends too early");

    // Alone, each of these tests holds.
    let mut tests = Vec::new();
    for price in [5, 6] {
        let mut sequence = Sequence::empty();
        let made = ticket(&mut sequence, price);
        let says = |name: &str, value: i32| Check {
            after: made,
            subject: Subject::Observer {
                receiver: made,
                method: method("order/Ticket", name, "()I"),
            },
            expected: Expected::Equals(Constant::Int(value)),
        };
        tests.push(test(sequence, vec![says("number", 1), says("price", price)], None));
    }
    let mut sequence = Sequence::empty();
    registered(&mut sequence, "find", &format!("({text})I"), std::slice::from_ref(&a));
    let class = "java/lang/IllegalStateException".into();
    tests.push(test(sequence, Vec::new(), Some(Throws { class, message: None })));
    let mut sequence = Sequence::empty();
    let said = registered(&mut sequence, "register", &known, &[a, Constant::Int(1)]);
    let expected = Expected::Equals(Constant::Boolean(true));
    let check = Check { after: said, subject: Subject::Result(said), expected };
    tests.push(test(sequence, vec![check], None));

    let lost = order::settle(&fresh, &mut tests, FUEL).unwrap();
    assert_eq!(lost.tests, [false, false, true, false], "what was registered is found");
    assert_eq!(lost.checks, [1, 1, 0, 1]);
    assert_eq!(lost.lost(0..4), (1, 3));
    let left: Vec<usize> = tests.iter().map(|test| test.checks.len()).collect();
    assert_eq!(left, [1, 1, 0, 0], "prices stay, and nobody counts");
    assert_eq!(tests[3].title.outcome, "", "its name says no more than it checks");
}

#[test]
fn a_sequence_that_runs_again_may_take_no_more_memory_than_when_it_was_drawn() {
    let jdk = jdk::installed().into_iter().next().unwrap();
    let workshop = Workshop::of(&jdk, "order/src");
    let session = workshop.fresh().unwrap();
    let classes: [Arc<str>; 1] = ["java/util/ArrayList".into()];
    let mut appraiser = Appraiser::new(session, &classes, Mask::standard(), FUEL);
    let mut threw = |capacity: i32| {
        let mut sequence = Sequence::empty();
        let make = Operation::Call(method("java/util/ArrayList", "<init>", "(I)V"));
        sequence.push(make, vec![Arg::Constant(Constant::Int(capacity))]).unwrap();
        appraiser.appraise(&sequence, States::Last).unwrap().unwrap().threw
    };
    assert_eq!(threw(1_000_000), None, "4 MB are not much");
    assert_eq!(threw(6_000_000).as_deref(), Some("java/lang/OutOfMemoryError"));
    assert_eq!(threw(1_000_000), None, "the next one may take as much again");
}

/// The same world twice.
struct Twice<'a> {
    workshop: &'a Workshop<'a>,
    base: Base,
}

impl Worlds for Twice<'_> {
    fn number(&self) -> usize {
        2
    }

    fn machine(&self, _: usize) -> Result<Session, NotFound> {
        let host = machine::host(self.workshop.jdk, &self.workshop.class_path).0;
        Ok(Session::new(self.base.machine(host).unwrap()).unwrap())
    }
}

#[test]
fn many_drafts_become_the_same_tests_on_one_thread_and_on_two() {
    let jdk = jdk::installed().into_iter().next().unwrap();
    let workshop = Workshop::of(&jdk, "order/src");
    let base = Base::of(&workshop.fresh().unwrap().vm).unwrap();
    let worlds = Twice { workshop: &workshop, base };
    let draft = |number: usize| {
        let mut sequence = Sequence::empty();
        let name = Constant::text(&format!("name {number}"));
        let known = "(Ljava/lang/String;I)Z";
        let made = registered(&mut sequence, "register", known, &[name, Constant::Int(1)]);
        let exercised = vec![made];
        let (executions, end) = (Vec::new(), None);
        Draft { sequence, receiver: None, state: StateId::WORLD, exercised, executions, end }
    };
    let drafts: Vec<(Draft, &[Arc<Method>])> = (0..900).map(|it| (draft(it), &[][..])).collect();
    let settle = |n_workers: usize, most: usize| {
        let tell = |n_done: usize| n_done < most;
        let settled = settle_all(&worlds, &drafts, FUEL, n_workers, &tell).unwrap();
        let test = |one: Settled| match one {
            Settled::Test(test) => *test,
            other => panic!("{other:?}"),
        };
        settled.into_iter().map(test).collect::<Vec<Test>>()
    };
    let one = settle(1, usize::MAX);
    assert_eq!(one.len(), drafts.len());
    assert!(one.iter().zip(&drafts).all(|(test, (draft, _))| test.sequence == draft.sequence));
    assert!(one == settle(2, usize::MAX), "two threads lead elsewhere than one");
    // What was begun when somebody interrupts is finished.
    let some = settle(1, 1);
    assert!(!some.is_empty() && some.len() < one.len() && some == one[..some.len()]);
}

//! Contracts: each is broken by the class made for it and by no other, and the class library breaks none.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod machine;

use std::collections::BTreeSet;

use ::suite::method::Method;
use ::suite::sequence::{Arg, Operation, Var};
use ::suite::test::Expected;
use observe::contract::exceptions::{Exceptions, Input, OPTIONS, Verdict, crash_location};
use observe::contract::specs::Specs;
use observe::contract::{Contracts, Severity, Slow, Violation};
use observe::session::Session;
use testkit::jdk::Jdk;
use testkit::{jdk, root, suite};
use vm::interp::Outcome;
use vm::value::{Ref, Value};

const FUEL: u64 = 10_000_000;

/// The broken classes, the contract of each, and whether breaking it is only a warning.
const BROKEN: &[(&str, &str, Severity)] = &[
    ("EqualsReflexive", "equals-reflexive", Severity::Error),
    ("EqualsNull", "equals-null", Severity::Error),
    ("EqualsReturns", "equals-returns", Severity::Error),
    ("EqualsSymmetric", "equals-symmetric", Severity::Error),
    ("EqualsTransitive", "equals-transitive", Severity::Error),
    ("EqualsHashCode", "equals-hash-code", Severity::Error),
    ("HashCodeReturns", "hash-code-returns", Severity::Error),
    ("HashCodeOverflow", "hash-code-returns", Severity::Error),
    ("HashCodeStable", "hash-code-stable", Severity::Error),
    ("ToStringReturns", "to-string-returns", Severity::Error),
    ("ToStringStable", "to-string-stable", Severity::Warning),
    ("CompareToReturns", "compare-to-returns", Severity::Error),
    ("CompareToSelf", "compare-to-returns", Severity::Error),
    ("CompareToAntisymmetric", "compare-to-antisymmetric", Severity::Error),
    ("CompareToTransitive", "compare-to-transitive", Severity::Error),
    ("CompareToEquals", "compare-to-equals", Severity::Warning),
    ("ComparatorOrder", "comparator-order", Severity::Error),
    ("ComparatorSigns", "comparator-signs", Severity::Error),
    ("ComparatorTransitive", "comparator-transitive", Severity::Error),
    ("CloneFresh", "clone-fresh", Severity::Error),
    ("CloneEqual", "clone-equal", Severity::Error),
    ("CollectionSize", "collection-size", Severity::Error),
    ("CollectionEmpty", "collection-empty", Severity::Error),
    ("CollectionContains", "collection-contains", Severity::Error),
    ("CollectionAdd", "collection-add", Severity::Error),
    ("ListEqualsCopy", "list-equals-copy", Severity::Error),
    ("SetEqualsCopy", "set-equals-copy", Severity::Error),
    ("MapEqualsCopy", "map-equals-copy", Severity::Error),
    ("MapKeys", "map-keys", Severity::Error),
    ("IteratorHasNext", "iterator-has-next", Severity::Error),
    ("IteratorNext", "iterator-next", Severity::Error),
    ("IteratorEnd", "iterator-end", Severity::Error),
    ("CloseTwice", "close-twice", Severity::Error),
    ("CloseAgain", "close-twice", Severity::Warning),
    ("SerialRoundTrip", "serial-round-trip", Severity::Error),
    ("Invariant", "invariant", Severity::Error),
];

/// A machine with `fixtures/contracts` on it.
struct Judge {
    session: Session,
    contracts: Contracts,
}

impl Judge {
    fn new(jdk: &Jdk) -> Judge {
        let sources = root::repository().join("fixtures/contracts");
        let classes = suite::compile(jdk, "contracts", &sources, "").unwrap();
        let (vm, _) = machine::boot(jdk, &classes.display().to_string());
        let mut session = Session::new(vm).unwrap();
        let mut contracts = Contracts::standard(&mut session).unwrap();
        contracts.slow = Slow::Always;
        Judge { session, contracts }
    }

    /// The objects that a static method gives.
    fn objects(&mut self, class: &str, method: &str) -> Vec<(Var, Ref)> {
        let class = self.session.class(class).unwrap();
        let vm = &mut self.session.vm;
        let method = vm.lookup_method(class, method.as_bytes(), b"()[Ljava/lang/Object;").unwrap();
        let array = match vm.call_plain(method, &[]) {
            Outcome::Returned(Value::Ref(array)) => array,
            Outcome::Threw(exception) => panic!("{}", vm.describe_throwable(exception)),
            other => panic!("{other:?}"),
        };
        let n_objects = vm.heap.array_length(array);
        (0..n_objects).map(|idx| (Var(idx), vm.heap.element_ref(array, idx))).collect()
    }

    /// All that is broken by these objects, alone, in pairs and in triples.
    fn judge(&mut self, objects: &[(Var, Ref)]) -> Vec<Violation> {
        let next = Var(u32::try_from(objects.len()).unwrap());
        let Judge { session, contracts } = self;
        let mut found = Vec::new();
        for &one in objects {
            found.extend(contracts.of_object(session, one, next, FUEL));
            for &other in objects.iter().filter(|&&other| other != one) {
                found.extend(contracts.of_pair(session, one, other, next, FUEL));
                for &third in objects.iter().filter(|&&third| third != one && third != other) {
                    found.extend(contracts.of_triple(session, one, other, third, next, FUEL));
                    // All fours of many would take long.
                    let fours = objects.iter().filter(|four| ![one, other, third].contains(four));
                    for &fourth in fours.take(if objects.len() <= 4 { 1 } else { 0 }) {
                        let others = [other, third, fourth];
                        found.extend(contracts.of_comparator(session, one, others, next, FUEL));
                    }
                }
            }
        }
        found
    }

    fn judge_class(&mut self, class: &str, method: &str) -> Vec<Violation> {
        // What is loaded under a mark is forgotten with it.
        self.session.class(class).unwrap();
        let mark = self.session.vm.mark();
        let objects = self.objects(class, method);
        let found = self.judge(&objects);
        self.session.vm.rollback(mark);
        found
    }
}

fn on_each_jdk(check: impl Fn(&mut Judge)) {
    for jdk in jdk::installed() {
        check(&mut Judge::new(&jdk));
    }
}

fn names(found: &[Violation]) -> BTreeSet<&str> {
    found.iter().map(|violation| &*violation.contract).collect()
}

fn messages(found: &[Violation]) -> BTreeSet<String> {
    found.iter().map(|violation| format!("{}: {}", violation.contract, violation.message)).collect()
}

#[test]
fn each_contract_is_broken_by_the_class_made_for_it_and_no_other() {
    on_each_jdk(|judge| {
        for &(class, contract, severity) in BROKEN {
            let found = judge.judge_class(&format!("broken/{class}"), "objects");
            assert_eq!(names(&found), BTreeSet::from([contract]), "{class}: {found:#?}");
            for violation in found {
                assert_eq!(violation.severity, severity, "{class}");
                assert!(violation.message.starts_with(class), "{}", violation.message);
                assert!(!violation.statements.is_empty(), "{class}");
                let shows = usize::from(violation.threw.is_some())
                    + usize::from(violation.must_throw.is_some());
                assert_eq!(shows == 0, broken_check(&violation), "{class}: {violation:#?}");
            }
        }
    });
}

/// Whether the last check is about the last statements, as where it is the one that fails.
fn broken_check(violation: &Violation) -> bool {
    let last = violation.statements.len();
    violation.checks.last().is_some_and(|check| {
        let first = violation.checks.iter().map(|check| check.after.idx()).min().unwrap_or(0);
        check.after.idx() + 1 >= last && check.after.idx() >= first
    }) && violation.threw.is_none()
        && violation.must_throw.is_none()
}

#[test]
fn every_contract_has_a_class_that_breaks_it() {
    let broken: BTreeSet<&str> = BROKEN.iter().map(|(_, contract, _)| *contract).collect();
    let standard: BTreeSet<&str> = Contracts::list().map(|(id, _)| id).collect();
    assert_eq!(broken, standard);
}

#[test]
fn the_manual_names_every_contract_and_option() {
    let manual = std::fs::read_to_string(root::repository().join("docs/contracts.md")).unwrap();
    for (id, rule) in Contracts::list() {
        assert!(manual.contains(&format!("| `{id}` | {rule} | ")), "{id}: {rule}");
    }
    for (_, option, verdict, when) in OPTIONS {
        assert!(manual.contains(&format!("| `--{option}` | {verdict} | {when} |")), "{option}");
    }
}

#[test]
fn lawful_classes_and_the_class_library_break_nothing() {
    on_each_jdk(|judge| {
        let lawful = [
            "Point",
            "Bag",
            "Row",
            "Group",
            "Table",
            "Countdown",
            "Steps",
            "Door",
            "Counter",
            "ByLength",
        ];
        for class in lawful {
            let found = judge.judge_class(&format!("lawful/{class}"), "objects");
            assert!(found.is_empty(), "{class}: {:#?}", messages(&found));
        }
        let groups = [
            "selfish",
            "mixed",
            "closed",
            "lists",
            "sets",
            "maps",
            "values",
            "others",
            "views",
            "wrappers",
            "concurrent",
            "times",
        ];
        let mut broken = BTreeSet::new();
        for method in groups {
            broken.extend(messages(&judge.judge_class("lawful/Library", method)));
        }
        assert!(broken.is_empty(), "{broken:#?}");
        let found = judge.judge_class("lawful/Library", "decimals");
        assert_eq!(names(&found), BTreeSet::from(["compare-to-equals"]));
        assert!(found.iter().all(|violation| violation.severity == Severity::Warning));
    });
}

#[test]
fn faults_of_the_class_library_are_found() {
    on_each_jdk(|judge| {
        for (method, class) in [("strangers", "ConcurrentHashMap"), ("enums", "EnumMap")] {
            let found = judge.judge_class("lawful/Library", method);
            let wanted = format!(
                "equals-returns: {class}, TreeMap: x.equals(y) must return, but equals throws \
                 ClassCastException"
            );
            assert_eq!(messages(&found), BTreeSet::from([wanted]));
        }
    });
}

#[test]
fn what_is_inside_collections_is_known() {
    on_each_jdk(|judge| {
        let mark = judge.session.vm.mark();
        let objects = judge.objects("lawful/Library", "contents");
        let Judge { session, contracts } = judge;
        let inside: Vec<[bool; 3]> = objects
            .iter()
            .map(|(_, object)| {
                let content = contracts.content(session, &[*object], FUEL);
                [content.has_null, content.has_itself, content.is_mixed]
            })
            .collect();
        session.vm.rollback(mark);
        let wanted = ["", "itself", "null", "null", "itself", "itself", "mixed", "null mixed"];
        for (inside, wanted) in inside.iter().zip(wanted) {
            let words = ["null", "itself", "mixed"].map(|word| wanted.contains(word));
            assert_eq!(*inside, words, "{wanted}");
        }
        assert_eq!(inside.len(), wanted.len());
    });
}

#[test]
fn a_violation_says_how_a_test_can_show_it() {
    let mut judge = Judge::new(&jdk::installed()[0]);
    let found = judge.judge_class("broken/EqualsReflexive", "objects");
    let [violation] = &found[..] else { panic!("{found:#?}") };
    let [statement] = &violation.statements[..] else { panic!("{violation:#?}") };
    assert_eq!(statement.args, [Arg::Var(Var(0)), Arg::Var(Var(0))]);
    assert_eq!(
        statement.method().unwrap().to_string(),
        "java.lang.Object.equals(java.lang.Object)"
    );
    assert_eq!(violation.checks[0].after, Var(1));
    assert_eq!(
        violation.message,
        "EqualsReflexive: x.equals(x) must be true, but equals gives false"
    );

    let found = judge.judge_class("broken/HashCodeReturns", "objects");
    let threw = found[0].threw.as_ref().unwrap();
    assert_eq!(&*threw.class, "java/lang/NullPointerException");
    assert_eq!(threw.location.as_deref(), Some("broken.HashCodeReturns.hashCode"));
    assert!(found[0].message.ends_with("but hashCode throws NullPointerException"));

    let found = judge.judge_class("broken/IteratorEnd", "objects");
    let throws = found[0].must_throw.as_ref().unwrap();
    assert_eq!(&*throws.class, "java/util/NoSuchElementException");

    let found = judge.judge_class("broken/CollectionSize", "objects");
    assert!(found[0].message.ends_with("its elements, but toArray gives 2 of them"));

    let found = judge.judge_class("broken/CompareToAntisymmetric", "objects");
    let message = &found[0].message;
    let called: Vec<&str> =
        found[0].statements.iter().map(|statement| &*statement.method().unwrap().name).collect();
    assert!(message.ends_with("have opposite signs, but compareTo breaks that"), "{message}");
    assert_eq!(called, ["compareTo", "compareTo", "signum", "signum", "negateExact"]);
    assert_eq!(found[0].checks[0].expected, Expected::EqualTo(Var(4)));
    assert_eq!(found[0].statements[4].args, [Arg::Var(Var(5))]);
}

#[test]
fn judging_leaves_the_machine_as_it_was() {
    let mut judge = Judge::new(&jdk::installed()[0]);
    let mark = judge.session.vm.mark();
    let objects = judge.objects("broken/HashCodeStable", "objects");
    let used = judge.session.vm.heap.used();
    let first = judge.judge(&objects);
    assert_eq!(judge.session.vm.heap.used(), used);
    assert_eq!(judge.judge(&objects), first);
    judge.session.vm.rollback(mark);
}

#[test]
fn classes_that_judging_needs_are_loaded_for_good_once() {
    let mut judge = Judge::new(&jdk::installed()[0]);
    judge.contracts.slow = Slow::Never;
    assert!(!judge.contracts.settle(&mut judge.session), "what all need is settled at the start");
    assert!(judge.judge_class("lawful/Library", "lists").is_empty());
    let mark = judge.session.vm.mark();
    assert!(!judge.contracts.settle(&mut judge.session), "not under a mark");
    judge.session.vm.rollback(mark);
    assert!(judge.contracts.settle(&mut judge.session));
    assert!(!judge.contracts.settle(&mut judge.session), "once is enough");
    assert!(judge.judge_class("lawful/Library", "lists").is_empty());
    let again = judge.contracts.take_met();
    assert!(!again.contains("java/util/LinkedList$ListItr"), "{again:?}");
}

#[test]
fn concatenations_of_judged_classes_are_linked_for_good() {
    let mut judge = Judge::new(&jdk::installed()[0]);
    judge.contracts.slow = Slow::Never;
    let mut n_new = || {
        judge.session.class("lawful/Point").unwrap();
        let mark = judge.session.vm.mark();
        let object = judge.objects("lawful/Point", "objects")[0].1;
        let vm = &mut judge.session.vm;
        let n_classes = vm.classes.len();
        let class = vm.class_of(object);
        let to_string = vm.lookup_method(class, b"toString", b"()Ljava/lang/String;").unwrap();
        let outcome = vm.call_plain(to_string, &[object.to_slot()]);
        let Outcome::Returned(Value::Ref(text)) = outcome else { panic!("{outcome:?}") };
        assert_eq!(vm.string_text(text), "1, 2");
        let n_new = vm.classes.len() - n_classes;
        let objects = [(Var(0), object)];
        assert!(judge.judge(&objects).is_empty());
        judge.session.vm.rollback(mark);
        judge.contracts.settle(&mut judge.session);
        n_new
    };
    assert!(n_new() > 0, "the machine writes a class for it");
    assert_eq!(n_new(), 0);
}

#[test]
fn contracts_of_the_user_are_named_or_annotated() {
    let mut judge = Judge::new(&jdk::installed()[0]);
    let Judge { session, contracts } = &mut judge;
    contracts.add_user(session, "lawful.Rules.isPositive").unwrap();
    assert_eq!(contracts.add_annotated(session, "lawful/Rules").unwrap(), 2);
    assert_eq!(contracts.add_annotated(session, "lawful/Point").unwrap(), 0);
    let problem = contracts.add_user(session, "lawful.Rules.canWithdraw").unwrap_err();
    assert!(problem.to_string().contains("static boolean canWithdraw"), "{problem}");
    let problem = contracts.add_user(session, "lawful.Nobody.knows").unwrap_err();
    assert!(problem.to_string().contains("lawful.Nobody"), "{problem}");

    let found = judge.judge_class("broken/UserContract", "objects");
    assert_eq!(names(&found), BTreeSet::from(["lawful.Rules.isPositive"]));
    let statement = &found[0].statements[0];
    assert!(
        matches!(&statement.operation, Operation::Call(method) if &*method.name == "isPositive")
    );
    assert!(judge.judge_class("lawful/Counter", "objects").is_empty());
    let found = judge.judge_class("lawful/Point", "objects");
    assert_eq!(names(&found), BTreeSet::from(["lawful.Rules.areInOrder"]));

    assert!(judge.contracts.switch_off("lawful.Rules.areInOrder"));
    assert!(judge.judge_class("lawful/Point", "objects").is_empty());
    assert!(!judge.contracts.switch_off("equals-reflexiv"));
}

#[test]
fn slow_contracts_have_their_turn() {
    let mut judge = Judge::new(&jdk::installed()[0]);
    judge.contracts.slow = Slow::OneIn(3);
    let found: Vec<usize> =
        (0..8).map(|_| judge.judge_class("broken/SerialRoundTrip", "objects").len()).collect();
    assert_eq!(found, [1, 1, 1, 1, 0, 1, 0, 1]);
    judge.contracts.slow = Slow::Never;
    assert!(judge.judge_class("broken/SerialRoundTrip", "objects").is_empty());
}

#[test]
fn conditions_of_a_text_judge_calls() {
    let mut judge = Judge::new(&jdk::installed()[0]);
    let session = &mut judge.session;
    let mut specs = Specs::parse(
        "pre  lawful.Account.withdraw(int) = lawful.Rules.canWithdraw\n\
         post lawful.Account.withdraw(int) = lawful.Rules.hasWithdrawn\n\
         post lawful.Account(int) = lawful.Rules.isNew\n",
    )
    .unwrap();
    specs.bind(session).unwrap();
    let withdraw = Method::new("lawful/Account", "withdraw", "(I)I", false).unwrap();
    let make = Method::new("lawful/Account", "<init>", "(I)V", false).unwrap();
    let class = session.class("lawful/Account").unwrap();
    let mark = session.vm.mark();
    let account = session.complete(|vm| vm.new_object(class)).unwrap().to_slot();

    let pre: Vec<_> = specs.pre_of(&withdraw).collect();
    let [pre] = pre[..] else { panic!("{pre:?}") };
    assert!(pre.lets(session, &[account, 1], FUEL));
    assert!(!pre.lets(session, &[account, 0], FUEL));
    assert_eq!(specs.pre_of(&make).count(), 0);

    let post: Vec<_> = specs.post_of(&withdraw).collect();
    let [post] = post[..] else { panic!("{post:?}") };
    let one = Arg::Constant(::suite::constant::Constant::Int(1));
    let args = |left: i32| {
        [
            (Arg::Var(Var(0)), account),
            (one.clone(), 1),
            (Arg::Var(Var(1)), Value::Int(left).to_slot()),
        ]
    };
    assert_eq!(post.judge(session, &args(0), Var(2), FUEL), None);
    let violation = post.judge(session, &args(-1), Var(2), FUEL).unwrap();
    assert_eq!(&*violation.contract, "lawful.Rules.hasWithdrawn");
    assert_eq!(violation.statements[0].args.len(), 3);
    assert_eq!(specs.post_of(&make).count(), 1);
    session.vm.rollback(mark);

    for (text, wanted) in [
        ("pre lawful.Nobody.x() = lawful.Rules.isNew", "line 1: class lawful.Nobody"),
        (
            "pre lawful.Account.withdraw(long) = lawful.Rules.isNew",
            "line 1: there is no lawful.Account",
        ),
        (
            "\npost lawful.Account.withdraw(int) = lawful.Rules.canWithdraw",
            "line 2: lawful.Rules has no method `static boolean canWithdraw(lawful.Account, int, int)`",
        ),
    ] {
        let error = Specs::parse(text).unwrap().bind(session).unwrap_err().to_string();
        assert!(error.starts_with(wanted), "{error}");
    }
}

#[test]
fn how_a_call_ends_is_looked_up_in_the_table() {
    let mut judge = Judge::new(&jdk::installed()[0]);
    let table = Exceptions::standard();
    let vm = &mut judge.session.vm;
    let input = |had_null: bool| Input { had_null, is_small: true, stands_in: false };
    for (class, had_null, wanted) in [
        ("java/lang/NullPointerException", true, Verdict::Expected),
        ("java/lang/NullPointerException", false, Verdict::Error),
        ("java/lang/IllegalStateException", false, Verdict::Expected),
        ("java/io/FileNotFoundException", false, Verdict::Expected),
        ("java/lang/ClassCastException", false, Verdict::Expected),
        ("java/util/ConcurrentModificationException", false, Verdict::Invalid),
        ("java/lang/AssertionError", false, Verdict::Error),
        ("java/lang/StackOverflowError", false, Verdict::Error),
        ("java/lang/NoClassDefFoundError", false, Verdict::Invalid),
    ] {
        let class_id = vm.complete(|vm| vm.boot_class(class)).unwrap();
        let exception = vm.complete(|vm| vm.new_object(class_id)).unwrap();
        let outcome = Outcome::Threw(exception);
        assert_eq!(table.classify(vm, &outcome, input(had_null)), wanted, "{class}");
        assert_eq!(crash_location(vm, exception), None);
    }
    let memory = Outcome::Stopped(vm::frame::Stop::OutOfMemory);
    assert_eq!(table.classify(vm, &memory, input(false)), Verdict::Error);
    let large = Input { is_small: false, ..input(false) };
    let made_up = Input { stands_in: true, ..input(false) };
    assert_eq!(table.classify(vm, &memory, large), Verdict::Invalid);
    let endless = Outcome::Stopped(vm::frame::Stop::OutOfFuel);
    assert_eq!(table.classify(vm, &endless, input(false)), Verdict::Error);
    assert_eq!(table.classify(vm, &endless, large), Verdict::Invalid, "large numbers take long");
    assert_eq!(table.classify(vm, &endless, made_up), Verdict::Invalid, "it may have no end");
    for (is_circle, wanted) in [(true, Verdict::Error), (false, Verdict::Invalid)] {
        let deadlock = vm::frame::Deadlock { waiting: Vec::new(), is_circle };
        let waiting = Outcome::Stopped(vm::frame::Stop::Deadlocked(deadlock));
        assert_eq!(table.classify(vm, &waiting, large), wanted);
    }
    assert_eq!(table.classify(vm, &Outcome::Returned(Value::Int(1)), large), Verdict::Expected);
}

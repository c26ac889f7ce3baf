//! Method executions are recorded where a client calls into a candidate, and found the same or not as each
//! technique has it.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod machine;

use std::collections::BTreeSet;

use classfile::ClassPath;
use observe::junit;
use observe::record::{Recorder, Recording, Techniques, Watch};
use observe::state::mask::Mask;
use observe::state::technique::Technique;
use testkit::jdk::Jdk;
use testkit::{jdk, root, suite};
use vm::vm::Vm;

const JARS: &[&str] = &[
    "junit-jupiter-api",
    "junit-jupiter-engine",
    "junit-jupiter-params",
    "junit-platform-engine",
    "junit-platform-commons",
    "junit-platform-launcher",
    "opentest4j",
    "apiguardian-api",
    "univocity-parsers",
];

/// Runs tests of `fixtures/<folder>` with all techniques; `wanted` are prefixes of internal names.
fn record(
    jdk: &Jdk,
    folder: &str,
    named: &[&str],
    wanted: &'static [&'static str],
) -> (Vm, Recording) {
    record_with(jdk, folder, named, wanted, true)
}

fn record_with(
    jdk: &Jdk,
    folder: &str,
    named: &[&str],
    wanted: &'static [&'static str],
    with_texts: bool,
) -> (Vm, Recording) {
    let sources = root::repository().join("fixtures").join(folder);
    let jars = suite::jars(JARS);
    let classes = suite::compile(jdk, folder, &sources, &jars).unwrap();
    let spec = format!("{}:{jars}", classes.display());
    let class_path = ClassPath::parse(&spec).unwrap();
    let named: Vec<String> = named.iter().map(|&name| name.to_owned()).collect();
    let plan = junit::plan(&class_path, u16::try_from(jdk.release).unwrap(), &named).unwrap();
    let (mut vm, _) = machine::boot(jdk, &spec);
    let is_wanted = move |name: &str| {
        let outer = name.split(['$', '+']).next().unwrap_or(name);
        wanted.contains(&outer)
    };
    let mut techniques: Vec<Techniques> = Technique::ALL.map(Techniques::both).to_vec();
    let (receiver, arguments) = (Technique::WholeState, Technique::WholeSeq);
    techniques.push(Techniques { receiver, arguments });
    let mut recorder = Recorder::<true>::new(Watch {
        wanted: Box::new(is_wanted),
        techniques,
        mask: Mask::standard(),
        with_texts,
        with_left_states: true,
    });
    let hear = recorder.hear();
    let report = junit::run(&mut vm, &mut recorder, &plan, None, hear).unwrap();
    assert_eq!(report.counts().failed, 0, "{report:?}");
    let recording = recorder.finish(&mut vm, &report);
    (vm, recording)
}

/// The tests that are redundant for those before them.
fn redundant(vm: &mut Vm, recording: &mut Recording, techniques: Techniques) -> Vec<String> {
    let classes = recording.classes(vm, techniques);
    let mut seen = BTreeSet::new();
    let mut redundant = Vec::new();
    for test in &recording.tests {
        let keys: BTreeSet<u32> =
            test.executions.iter().map(|&execution| classes.of[execution as usize]).collect();
        if keys.is_subset(&seen) {
            redundant.push(test.method.clone());
        }
        seen.extend(keys);
    }
    redundant
}

#[test]
fn the_example_of_the_paper_has_the_redundant_tests_of_the_paper() {
    for jdk in jdk::installed() {
        let (mut vm, mut recording) =
            record(&jdk, "subjects", &["subjects.IntStackTest"], &["subjects/IntStack"]);
        let names: Vec<&str> = recording.tests.iter().map(|test| test.method.as_str()).collect();
        assert_eq!(names, ["t1", "t2", "t3"]);
        let counts: Vec<u64> = recording.tests.iter().map(|test| test.n_executions).collect();
        assert_eq!(counts, [6, 3, 4]);
        let expected: [(Technique, &[&str]); 5] = [
            (Technique::WholeSeq, &[]),
            (Technique::ModifyingSeq, &["t3"]),
            (Technique::WholeState, &["t3"]),
            (Technique::MonitorEquals, &["t2", "t3"]),
            (Technique::PairwiseEquals, &["t2", "t3"]),
        ];
        for (technique, expected) in expected {
            let found = redundant(&mut vm, &mut recording, Techniques::both(technique));
            assert_eq!(found, expected, "{technique} on JDK {}", jdk.release);
        }
        let mixed = Techniques { receiver: Technique::WholeState, arguments: Technique::WholeSeq };
        assert_eq!(redundant(&mut vm, &mut recording, mixed), ["t3"]);
    }
}

#[test]
fn keeping_receivers_without_their_plain_arguments_changes_no_result() {
    let jdk = jdk::installed().remove(0);
    let tests =
        ["BBagTest", "HashMapTest", "IntStackGrowthTest", "ShoppingCartTest", "TreeMapTest"]
            .map(|test| format!("subjects.{test}"));
    let tests = tests.each_ref().map(String::as_str);
    let wanted: &[&str] = &[
        "subjects/BBag",
        "subjects/HashMap",
        "subjects/IntStack",
        "subjects/ShoppingCart",
        "subjects/TreeMap",
    ];
    // With texts, entry states are kept as a whole.
    let (mut vm, mut whole) = record_with(&jdk, "subjects", &tests, wanted, true);
    let (mut other_vm, mut apart) = record_with(&jdk, "subjects", &tests, wanted, false);
    let (receiver, arguments) = (Technique::WholeState, Technique::WholeSeq);
    let mixed = Techniques { receiver, arguments };
    for techniques in Technique::ALL.map(Techniques::both).into_iter().chain([mixed]) {
        let n_classes = whole.classes(&mut vm, techniques).n_classes;
        assert!(n_classes > 50, "{n_classes}");
        assert_eq!(apart.classes(&mut other_vm, techniques).n_classes, n_classes);
        assert_eq!(
            redundant(&mut other_vm, &mut apart, techniques),
            redundant(&mut vm, &mut whole, techniques)
        );
    }
}

#[test]
fn a_receiver_that_a_constant_holds_is_kept_as_it_was_at_every_call() {
    let jdk = jdk::installed().remove(0);
    // With texts, entry states are kept as a whole.
    for with_texts in [true, false] {
        let (mut vm, mut recording) =
            record_with(&jdk, "record", &["single.RegisterTest"], &["single/Register"], with_texts);
        assert_eq!(recording.tests[0].n_executions, 2);
        for technique in Technique::ALL {
            let n_classes = recording.classes(&mut vm, Techniques::both(technique)).n_classes;
            assert_eq!(n_classes, 2, "{technique}");
        }
    }
}

#[test]
fn executions_are_printed_as_the_expressions_of_the_paper() {
    let jdk = jdk::installed().remove(0);
    let (_, recording) =
        record(&jdk, "subjects", &["subjects.IntStackTest"], &["subjects/IntStack"]);
    let texts = |with_all: bool| -> Vec<String> {
        let executions = recording.tests[0].executions.iter();
        executions.map(|&execution| recording.text(execution, with_all).unwrap()).collect()
    };
    assert!(
        texts(true).contains(&"push(push(isEmpty(<init>().state).state, 3).state, 2)".to_owned())
    );
    assert!(texts(false).contains(&"push(push(<init>().state, 3).state, 2)".to_owned()));
}

#[test]
fn every_technique_says_why_two_executions_are_or_are_not_the_same() {
    let jdk = jdk::installed().remove(0);
    let (mut vm, mut recording) =
        record(&jdk, "subjects", &["subjects.IntStackTest"], &["subjects/IntStack"]);
    // The executions of t1, t2 and t3 by their expressions.
    let mut look = |test: usize, text: &str| {
        let executions = recording.tests[test].executions.clone();
        let mut looks = executions.iter().map(|&it| recording.look(&mut vm, it).unwrap());
        looks.find(|look| look.texts[0] == text).unwrap()
    };
    let in_t1 = "push(pop(push(push(isEmpty(<init>().state).state, 3).state, 2).state).state, 5)";
    let five = look(0, in_t1);
    let two = look(0, "push(push(isEmpty(<init>().state).state, 3).state, 2)");
    let five_in_t2 = look(1, "push(push(<init>().state, 3).state, 5)");
    let two_in_t3 = look(2, "push(push(<init>().state, 3).state, 2)");
    let unlike = |technique, expected: &str| {
        let both = Techniques::both(technique);
        assert_eq!(five.unlike(&five_in_t2, both), expected, "{technique}");
    };
    unlike(Technique::WholeSeq, "call 2 of this: isEmpty() vs push(3)");
    unlike(Technique::ModifyingSeq, "call 3 of this: push(2) vs no call");
    unlike(Technique::WholeState, "this.store[1]: 2 vs 0");
    let alike = |technique, expected: &str| {
        let both = Techniques::both(technique);
        assert_eq!(five.alike(&five_in_t2, both), expected, "{technique}");
    };
    alike(
        Technique::MonitorEquals,
        "the same in all that equals reads (this.store[1]: 2 vs 0, which it does not read)",
    );
    alike(Technique::PairwiseEquals, "equals says they are the same (this.store[1]: 2 vs 0)");
    let unlike = |technique, expected: &str| {
        let both = Techniques::both(technique);
        assert_eq!(five.unlike(&two, both), expected, "{technique}");
    };
    unlike(Technique::MonitorEquals, "argument 1: 5 vs 2");
    unlike(Technique::PairwiseEquals, "this.store[1]: 2 vs 0, and equals says they differ");
    let whole_seq = Techniques::both(Technique::WholeSeq);
    assert_eq!(two.unlike(&two_in_t3, whole_seq), "call 2 of this: isEmpty() vs push(3)");
    let modifying = Techniques::both(Technique::ModifyingSeq);
    let expected =
        "the same but for calls that change nothing (call 2 of this: isEmpty() vs push(3))";
    assert_eq!(two.alike(&two_in_t3, modifying), expected);
    let whole_state = Techniques::both(Technique::WholeState);
    let expected = "the same state after other calls (call 2 of this: isEmpty() vs push(3))";
    assert_eq!(two.alike(&two_in_t3, whole_state), expected);
    let mixed = Techniques { receiver: Technique::MonitorEquals, arguments: Technique::WholeSeq };
    assert_eq!(two.unlike(&five, mixed), "argument 1: 2 vs 5");
    let read =
        "this = IntStack, this.size = 1, this.store = int[], this.store[0] = 3, argument 1 = 5";
    assert_eq!(five.state(Technique::MonitorEquals, 20).as_deref(), Some(read));
    assert_eq!(five.state(Technique::WholeSeq, 20), None);
}

#[test]
fn states_that_calls_leave_objects_in_are_counted_by_every_technique() {
    let jdk = jdk::installed().remove(0);
    let (mut vm, mut recording) =
        record(&jdk, "subjects", &["subjects.IntStackTest"], &["subjects/IntStack"]);
    let counts = Technique::ALL.map(|technique| recording.n_left_states(&mut vm, technique));
    // t1 leaves six histories, t2 and t3 two more each; isEmpty() changes nothing; both 3, 5 are one state,
    // and `equals` does not see what pop() leaves behind.
    assert_eq!(counts, [10, 6, 5, 4, 4]);
}

/// The executions of tests by name: methods with their expressions, sorted.
fn shown(recording: &Recording, test: &str) -> Vec<String> {
    let test = recording.tests.iter().find(|run| run.method == test).unwrap();
    let mut shown: Vec<String> =
        test.executions.iter().map(|&execution| recording.text(execution, true).unwrap()).collect();
    shown.sort();
    shown
}

const COUNTER: &[&str] = &["crossing/Counter", "crossing/Step", "crossing/Bag"];

fn check_crossing(recording: &Recording, test: &str, n_executions: u64, expected: &[&str]) {
    assert_eq!(shown(recording, test), expected, "{test}");
    let run = recording.tests.iter().find(|run| run.method == test).unwrap();
    assert_eq!(run.n_executions, n_executions, "{test}");
}

#[test]
fn only_calls_that_cross_from_a_client_into_a_candidate_are_recorded() {
    for jdk in jdk::installed() {
        let (_, recording) = record(&jdk, "record", &["crossing.CrossingTest"], COUNTER);
        let check = |test, n_executions, expected: &[&str]| {
            check_crossing(&recording, test, n_executions, expected);
        };
        check("callsOnItselfAreInside", 2, &["<init>()", "twice(<init>().state)"]);
        let each = "each(<init>().state, <ImmutableCollections.ListN>)";
        check("callsBackThroughTheLibraryAreInside", 2, &["<init>()", each]);
        let run =
            recording.tests.iter().find(|run| run.method == "callsOfAClientFromInsideAreInside");
        assert_eq!(run.unwrap().n_executions, 2);
        let compare = "compareTo(<init>().state, <init>().state)";
        check("callsThatTheLibraryMakesForTheTestAreNot", 3, &["<init>()", compare]);
        let size = "size(step(<init>().state).retval)";
        check(
            "callsOnAnotherCandidateFromOutsideAreNot",
            3,
            &["<init>()", size, "step(<init>().state)"],
        );
        check("reflection", 2, &["<init>()", "twice(<init>().state)"]);
        let bag = [
            "<init>()",
            "add(<init>().state, \"x\")",
            "hashCode(size(add(<init>().state, \"x\").state).state)",
        ];
        check(
            "inheritedFromOutside",
            4,
            &[bag[0], bag[1], bag[2], "size(add(<init>().state, \"x\").state)"],
        );
        check("staticMethods", 1, &["describe(\"test\")"]);
        let run = recording.tests.iter().find(|run| run.method == "threads").unwrap();
        assert_eq!(run.n_executions, 5, "{:?}", shown(&recording, "threads"));
    }
}

#[test]
fn exceptions_that_come_out_of_candidates_are_counted_and_caught_ones_are_not() {
    let jdk = jdk::installed().remove(0);
    let (_, recording) = record(&jdk, "record", &["crossing.CrossingTest"], COUNTER);
    let run = recording.tests.iter().find(|run| run.method == "exceptions").unwrap();
    assert_eq!(run.n_executions, 4);
    let exceptions: Vec<String> = run
        .exceptions
        .iter()
        .map(|&number| &recording.exceptions[number as usize])
        .map(|exception| format!("{} {}", exception.class, exception.method))
        .collect();
    assert_eq!(exceptions, ["java.lang.IllegalStateException crossing.Counter.fail(boolean)"]);
}

#[test]
fn histories_survive_a_collector_that_moves_objects() {
    for jdk in jdk::installed() {
        let (mut vm, mut recording) = record(&jdk, "record", &["crossing.HistoryTest"], COUNTER);
        assert!(vm.gc.stats.n_collections() > 5);
        assert_eq!(shown(&recording, "inPeace"), shown(&recording, "amongGarbage"));
        for technique in Technique::ALL {
            let classes = recording.classes(&mut vm, Techniques::both(technique)).of;
            let keys = |test: &str| -> BTreeSet<u32> {
                let run = recording.tests.iter().find(|run| run.method == test).unwrap();
                run.executions.iter().map(|&execution| classes[execution as usize]).collect()
            };
            assert_eq!(keys("inPeace"), keys("amongGarbage"), "{technique}");
            // The listeners are two classes, so the calls of `tell` differ; what follows does not.
            let common = keys("insideACall").intersection(&keys("insideAQuietCall")).count();
            assert_eq!(common, if technique == Technique::WholeSeq { 1 } else { 2 }, "{technique}");
        }
    }
}

#[test]
fn what_runs_around_tests_belongs_to_the_tests_it_runs_for() {
    for jdk in jdk::installed() {
        let (_, recording) = record(&jdk, "record", &["crossing.AroundTest"], COUNTER);
        let sizes = |test: &str| -> Vec<String> {
            let shown = shown(&recording, test).into_iter();
            shown.filter_map(|text| Some(text.strip_prefix("<init>(")?.to_owned())).collect()
        };
        let names: Vec<(&str, usize)> =
            recording.tests.iter().map(|test| (test.method.as_str(), test.n_cases)).collect();
        assert_eq!(names, [("first", 1), ("second", 2), ("third", 1)]);
        assert_eq!(sizes("first"), ["1)", "10)", "2)", "3)", "4)"]);
        assert_eq!(sizes("second"), ["1)", "10)", "2)", "3)", "5)", "6)"]);
        assert_eq!(sizes("third"), ["1)", "10)", "2)", "20)", "3)", "7)"]);
    }
}

#[test]
fn the_last_call_before_a_failure_is_known_whatever_runs_behind_it() {
    use observe::last_call::LastCalls;
    let jdk = jdk::installed().into_iter().next().unwrap();
    let jars = suite::jars(&[JARS, &["junit4", "hamcrest"]].concat());
    let fixtures = root::repository().join("fixtures/reduce");
    let main = suite::compile(&jdk, "reduce/main", &fixtures.join("main"), &jars).unwrap();
    let class_path = format!("{}:{jars}", main.display());
    let tests = suite::compile(&jdk, "reduce/tests", &fixtures.join("tests"), &class_path).unwrap();
    let spec = format!("{}:{class_path}", tests.display());
    let class_path = ClassPath::parse(&spec).unwrap();
    let plan = junit::plan(&class_path, u16::try_from(jdk.release).unwrap(), &[]).unwrap();
    let (mut vm, _) = machine::boot(&jdk, &spec);
    let mut mode = LastCalls::new(Box::new(|name| name == "shop/Cart"));
    let hear = mode.hear();
    let report = junit::run(&mut vm, &mut mode, &plan, None, hear).unwrap();
    let calls = mode.finish();
    let call = |class: &str, method: &str| {
        let is_it = |node: &&junit::Node| {
            node.class.as_deref() == Some(class) && node.method.as_deref() == Some(method)
        };
        let node = report.tests().find(is_it).unwrap();
        calls.get(&node.id).map(String::as_str)
    };
    assert_eq!(call("shop.CartTest", "sumsUp"), Some("shop.Cart.total()"));
    assert_eq!(call("shop.CartTest", "removesTwice"), Some("shop.Cart.remove(java.lang.String)"));
    // The block behind `finally` calls `add`.
    let old = call("shop.OldCartTest", "removesFromEmpty");
    assert_eq!(old, Some("shop.Cart.remove(java.lang.String)"));
}

#[test]
fn states_too_large_to_run_equals_on_are_compared_as_a_whole_and_that_is_said() {
    let jdk = jdk::installed().remove(0);
    let (mut vm, mut recording) = record(&jdk, "record", &["large.CrowdTest"], &["large/Crowd"]);
    for technique in [Technique::MonitorEquals, Technique::PairwiseEquals] {
        let techniques = Techniques::both(technique);
        let classes = recording.classes(&mut vm, techniques);
        assert_eq!(classes.too_large, ["large.Crowd"]);
        // To `equals` a turned crowd is the same, but only a small one is asked.
        let [_, small, _, large, again] = &recording.tests[..] else { panic!() };
        let n_classes = |test: &observe::record::TestRun| {
            let of = test.executions.iter().map(|&execution| classes.of[execution as usize]);
            of.collect::<BTreeSet<u32>>().len()
        };
        assert_eq!((n_classes(small), n_classes(large), n_classes(again)), (3, 4, 3));
        let redundant = redundant(&mut vm, &mut recording, techniques);
        assert_eq!(redundant, ["e_largeAgain"]);
    }
    let whole = recording.classes(&mut vm, Techniques::both(Technique::WholeState));
    assert_eq!(whole.too_large, Vec::<String>::new());
}

#[test]
fn what_a_constructor_does_for_objects_of_two_subclasses_is_not_the_same() {
    let jdk = jdk::installed().remove(0);
    let (mut vm, mut recording) = record(&jdk, "record", &["made.ShapeTest"], &["made/Shape"]);
    for technique in Technique::ALL {
        let redundant = redundant(&mut vm, &mut recording, Techniques::both(technique));
        assert_eq!(redundant, ["b_another"], "{technique}");
    }
    // Still one kind of exception, whatever the objects were.
    let [.., point, again] = &recording.tests[..] else { panic!() };
    assert_eq!((&point.exceptions, &again.exceptions), (&vec![0], &vec![0]));
    assert_eq!(recording.exceptions.len(), 1);
}

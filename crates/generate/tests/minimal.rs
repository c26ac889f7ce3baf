//! A generated suite is itself minimal: every test has a method execution that no other test of it has, so
//! minimising it removes nothing. Over all subjects and all techniques; the tests are not compiled but run on
//! the machine under the same recorder that `minimize` uses, observers included.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../../observe/tests/machine/mod.rs"]
mod machine;

use std::collections::BTreeSet;
use std::sync::Arc;

use generate::api::{self, Choice};
use generate::arguments::{self, Given, Implementations, Plan, Pool};
use generate::states::tests::{Settled, drafts, needed, observers, settle};
use generate::states::{Job, Unwatched, explore};
use observe::junit::{Event, Node, Outcome, Report};
use observe::record::{Recorder, Recording, Techniques, Watch};
use observe::session::Session;
use observe::state::mask::Mask;
use observe::state::technique::Technique;
use suite::test::{Subject, Test};
use testkit::jdk::Jdk;
use testkit::{jdk, root};
use vm::image::Base;
use vm::interp::Outcome as CallOutcome;

const FUEL: u64 = 1_000_000;

/// The public classes of the subjects that have a constructor.
fn subjects() -> Vec<String> {
    let folder = root::repository().join("fixtures/subjects/src/subjects");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert!(names.len() > 15, "{names:?}");
    names
}

/// The suite that is generated for a class.
fn generated(
    class: &str,
    technique: Technique,
    session: &(dyn Fn() -> Session + Sync),
) -> Vec<Test> {
    let mut first = session();
    let choice = Choice { package_private: false, methods: Vec::new() };
    let api = api::of_class(&mut first, class, &choice).unwrap();
    let mut given = Given::parse(&["int=0,1".to_owned(), "Object=1,2".to_owned()]).unwrap();
    given.settle(&api.methods.iter().map(|method| &**method).collect::<Vec<_>>()).unwrap();
    let plan = Plan {
        given,
        depth: 2,
        most_per_method: 8,
        own_constants: false,
        always_defaults: false,
        implementations: Arc::new(Implementations::none()),
    };
    let (makers, _) = arguments::lists(&mut first, &api.constructors, &Pool::default(), &plan);
    let (lists, _) = arguments::lists(&mut first, &api.methods, &Pool::default(), &plan);
    let job = Job {
        classes: vec![class.to_owned()],
        makers,
        lists,
        technique,
        mask: Mask::standard(),
        iterations: Some(3),
        most_states: 300,
        most_calls: None,
        fuel: FUEL,
        n_workers: 1,
        keep_calls: true,
    };
    let exploration = explore(&job, &|| Ok(session()), &Unwatched).unwrap();
    let observers = observers(&job, &exploration);
    let mut world = [first];
    let mut settled = Vec::new();
    for draft in drafts(&job, &exploration) {
        if let Settled::Test(test) = settle(&mut world, &draft, &observers, FUEL).unwrap() {
            settled.push((draft, *test));
        }
    }
    let is_needed = needed(&job, &settled);
    let all = settled.into_iter().zip(is_needed);
    all.filter(|(_, is_needed)| *is_needed).map(|((_, test), _)| test).collect()
}

fn node(idx: usize) -> Node {
    Node {
        id: idx.to_string(),
        parent: None,
        name: idx.to_string(),
        class: Some("GeneratedTest".to_owned()),
        method: Some(format!("test{idx}")),
        parameters: None,
        is_test: true,
        outcome: Outcome::Passed,
        entries: Vec::new(),
    }
}

/// Runs the tests under the recorder.
fn record(tests: &[Test], class: &str, technique: Technique, session: &mut Session) -> Recording {
    let own = class.to_owned();
    let is_wanted = move |name: &str| name.split(['$', '+']).next() == Some(&own);
    let mut recorder = Recorder::<false>::new(Watch {
        wanted: Box::new(is_wanted),
        techniques: vec![Techniques::both(technique)],
        mask: Mask::standard(),
        with_texts: true,
        with_left_states: false,
    });
    let mut hear = recorder.hear();
    let nodes: Vec<Node> = (0..tests.len()).map(node).collect();
    // Nothing is collected under a mark, so values stay where they are.
    let _mark = session.vm.mark();
    for (test, node) in tests.iter().zip(&nodes) {
        hear(&Event::Started(node));
        let (values, end) = session.run_in(&mut recorder, &test.sequence, FUEL).unwrap();
        let has_thrown = matches!(end, Some(CallOutcome::Threw(_)));
        assert_eq!(has_thrown, test.throws.is_some(), "{:?}", test.title);
        for check in &test.checks {
            if let Subject::Observer { receiver, method } = &check.subject {
                let resolved = session.resolve(method).unwrap();
                let receiver = values[receiver.idx()];
                session.call(&mut recorder, &resolved, &[receiver], FUEL);
            }
        }
        hear(&Event::Finished(node));
    }
    let report = Report { nodes, stop: None };
    recorder.finish(&mut session.vm, &report)
}

/// The tests that have no execution of their own, as they read.
fn redundant(
    recording: &mut Recording,
    technique: Technique,
    session: &mut Session,
) -> Vec<String> {
    let classes = recording.classes(&mut session.vm, Techniques::both(technique)).of;
    let covered: Vec<BTreeSet<u32>> = recording
        .tests
        .iter()
        .map(|test| test.executions.iter().map(|&it| classes[it as usize]).collect())
        .collect();
    let mut n_tests = vec![0; classes.len()];
    covered.iter().flatten().for_each(|&class| n_tests[class as usize] += 1);
    let is_redundant = |idx: &usize| covered[*idx].iter().all(|&class| n_tests[class as usize] > 1);
    let show = |idx: usize| -> String {
        let executions = recording.tests[idx].executions.iter();
        let texts: Vec<String> = executions.map(|&it| recording.text(it, true).unwrap()).collect();
        texts.join(" ; ")
    };
    (0..covered.len()).filter(is_redundant).map(show).collect()
}

fn check(jdk: &Jdk, technique: Technique) {
    let sources = root::repository().join("fixtures/subjects/src");
    let classes = testkit::suite::compile(jdk, "subjects", &sources, "").unwrap();
    let class_path = classes.display().to_string();
    let base = Base::of(&machine::boot(jdk, &class_path).0).unwrap();
    let session = || {
        let host = machine::host(jdk, &class_path).0;
        Session::new(base.machine(host).unwrap()).unwrap()
    };
    let mut n_tests = 0;
    let mut failures = Vec::new();
    for subject in subjects() {
        let class = format!("subjects/{subject}");
        let tests = generated(&class, technique, &session);
        let mut session = session();
        let mut recording = record(&tests, &class, technique, &mut session);
        assert_eq!(recording.tests.len(), tests.len());
        assert!(!tests.is_empty(), "{subject} has tests");
        n_tests += tests.len();
        let found = redundant(&mut recording, technique, &mut session);
        if !found.is_empty() {
            let shown: Vec<&str> = found.iter().take(3).map(String::as_str).collect();
            failures.push(format!(
                "{subject}: {} of {}:\n  {}",
                found.len(),
                tests.len(),
                shown.join("\n  ")
            ));
        }
    }
    assert!(n_tests > 700, "{n_tests}");
    assert!(failures.is_empty(), "{technique}\n{}", failures.join("\n"));
}

#[test]
fn no_generated_test_is_redundant_by_whole_sequences() {
    check(&jdk::installed()[0], Technique::WholeSeq);
}

#[test]
fn no_generated_test_is_redundant_by_modifying_sequences() {
    check(&jdk::installed()[0], Technique::ModifyingSeq);
}

#[test]
fn no_generated_test_is_redundant_by_whole_states() {
    check(&jdk::installed()[0], Technique::WholeState);
}

#[test]
fn no_generated_test_is_redundant_by_what_equals_reads() {
    check(&jdk::installed()[0], Technique::MonitorEquals);
}

#[test]
fn no_generated_test_is_redundant_by_what_equals_says() {
    check(&jdk::installed()[0], Technique::PairwiseEquals);
}

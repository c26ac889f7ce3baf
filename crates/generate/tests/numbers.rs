//! Numbers of states and tests that are known from the literature or by hand, and must come out exactly.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../../observe/tests/machine/mod.rs"]
mod machine;

use std::sync::Arc;

use generate::api::{self, Choice};
use generate::arguments::{self, Given, Implementations, Plan, Pool};
use generate::states::{Exploration, Job, Unwatched, explore};
use observe::session::Session;
use observe::state::mask::{FieldName, Mask};
use observe::state::technique::Technique;
use testkit::jdk::Jdk;
use testkit::{jdk, root, suite};

/// What is explored.
struct Subject<'a> {
    class: &'a str,
    methods: &'a [&'a str],
    arguments: &'a [&'a str],
    technique: Technique,
    iterations: u32,
    n_workers: usize,
}

impl Subject<'_> {
    fn explore(&self, jdk: &Jdk) -> Exploration {
        let sources = root::repository().join("fixtures/subjects/src");
        let classes = suite::compile(jdk, "subjects", &sources, "").unwrap();
        let class_path = classes.display().to_string();
        let session = || Ok(Session::new(machine::boot(jdk, &class_path).0).unwrap());
        let mut first: Session = session().unwrap();
        let choice = Choice {
            package_private: false,
            methods: self.methods.iter().map(|&name| name.to_owned()).collect(),
        };
        let api = api::of_class(&mut first, self.class, &choice).unwrap();
        let texts: Vec<String> = self.arguments.iter().map(|&text| text.to_owned()).collect();
        let mut given = Given::parse(&texts).unwrap();
        given.settle(&api.methods.iter().map(|method| &**method).collect::<Vec<_>>()).unwrap();
        let plan = Plan {
            given,
            depth: 2,
            most_per_method: 1000,
            own_constants: false,
            always_defaults: false,
            implementations: Arc::new(Implementations::none()),
        };
        let (makers, _) = arguments::lists(&mut first, &api.constructors, &Pool::default(), &plan);
        let (lists, _) = arguments::lists(&mut first, &api.methods, &Pool::default(), &plan);
        let counter = FieldName { class: self.class.to_owned(), field: "modCount".to_owned() };
        let job = Job {
            classes: vec![self.class.to_owned()],
            makers,
            lists,
            technique: self.technique,
            mask: Mask { strict: false, ignored: vec![counter] },
            iterations: Some(self.iterations),
            most_states: usize::MAX,
            most_calls: None,
            fuel: 1_000_000,
            n_workers: self.n_workers,
            keep_calls: false,
        };
        explore(&job, &session, &Unwatched).unwrap()
    }
}

fn numbers(from: u32, to: u32) -> String {
    (from..=to).map(|number| number.to_string()).collect::<Vec<_>>().join(",")
}

fn unique_stack(n: u32, n_workers: usize) -> usize {
    let push = format!("push={}", numbers(1, n));
    let subject = Subject {
        class: "subjects/UniqueIntStack",
        methods: &["push"],
        arguments: &[&push],
        technique: Technique::WholeState,
        iterations: n,
        n_workers,
    };
    let exploration = subject.explore(&jdk::installed()[0]);
    assert_eq!(exploration.stopped, []);
    exploration.n_states()
}

#[test]
fn a_unique_stack_has_as_many_states_as_partial_permutations() {
    assert_eq!([1, 2, 3, 6, 7].map(|n| unique_stack(n, 1)), [2, 5, 16, 1957, 13_700]);
}

#[test]
fn two_workers_find_what_one_finds() {
    assert_eq!(unique_stack(7, 2), 13_700);
}

fn tree_map(jdk: &Jdk, n: u32) -> usize {
    let put = format!("put={};v", numbers(1, n));
    let remove = format!("remove={}", numbers(1, n));
    let subject = Subject {
        class: "java/util/TreeMap",
        methods: &["new()", "put", "remove(Object)"],
        arguments: &[&put, &remove],
        technique: Technique::WholeState,
        iterations: n,
        n_workers: 2,
    };
    subject.explore(jdk).n_states()
}

#[test]
fn the_tree_map_of_the_jdk_has_the_published_states() {
    for jdk in jdk::installed() {
        assert_eq!([4, 5, 6, 7, 8].map(|n| tree_map(&jdk, n)), [25, 72, 185, 537, 1613]);
    }
}

#[test]
fn an_int_stack_needs_the_published_tests() {
    let tests = |iterations| {
        let subject = Subject {
            class: "subjects/IntStack",
            methods: &["push", "pop", "isEmpty"],
            arguments: &["push=-1,0,1"],
            technique: Technique::MonitorEquals,
            iterations,
            n_workers: 1,
        };
        let exploration = subject.explore(&jdk::installed()[0]);
        assert_eq!(exploration.fallen_back, Vec::<String>::new());
        exploration.n_calls()
    };
    assert_eq!([3, 4, 5].map(tests), [66, 201, 606]);
}

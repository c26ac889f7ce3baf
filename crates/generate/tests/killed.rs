//! Mutants that all sequences of calls notice, and what is left of that when the suite is minimised.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../../observe/tests/machine/mod.rs"]
mod machine;

use std::sync::Arc;

use classfile::{ClassFile, ClassPath};
use generate::api::{self, Choice};
use generate::arguments::{self, Given, Implementations, Plan, Pool};
use generate::sequences::{self, mutants};
use generate::states::Job;
use observe::session::Session;
use observe::state::mask::Mask;
use observe::state::technique::Technique;
use testkit::{jdk, root};
use vm::image::Base;

#[test]
fn a_suite_without_redundant_tests_kills_what_all_sequences_kill_and_no_tests_kill_nothing() {
    let jdk = jdk::installed().remove(0);
    let sources = root::repository().join("fixtures/subjects/src");
    let classes = testkit::suite::compile(&jdk, "subjects", &sources, "").unwrap();
    let class_path = classes.display().to_string();
    let base = Base::of(&machine::boot(&jdk, &class_path).0).unwrap();
    let session = || {
        let host = machine::host(&jdk, &class_path).0;
        Session::new(base.machine(host).unwrap()).unwrap()
    };
    let class = "subjects/IntStack";
    let mut first = session();
    let methods = ["new()", "push", "pop", "isEmpty"].map(str::to_owned).to_vec();
    let choice = Choice { package_private: false, methods };
    let api = api::of_class(&mut first, class, &choice).unwrap();
    let mut given = Given::parse(&["int=1,2".to_owned()]).unwrap();
    given.settle(&api.methods.iter().map(|method| &**method).collect::<Vec<_>>()).unwrap();
    let plan = Plan {
        given,
        depth: 2,
        most_per_method: 100,
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
        technique: Technique::WholeState,
        mask: Mask::standard(),
        iterations: None,
        most_states: usize::MAX,
        most_calls: None,
        fuel: 100_000,
        n_workers: 1,
        keep_calls: false,
    };
    let found = sequences::all(&job, session(), 3, usize::MAX).unwrap();
    // The constructor alone, four calls on a new stack, of which one throws, twelve sequences of two, of which
    // one throws, and four calls behind each of the other eleven.
    assert_eq!(found.tests.len(), 1 + 4 + 12 + 44);
    // As a minimal suite: every test that has a method execution which none before it has.
    let mut seen = std::collections::BTreeSet::new();
    let is_new = |test: &sequences::SequenceTest| {
        let n_before = seen.len();
        seen.extend(test.covered.iter().copied());
        seen.len() > n_before
    };
    let kept: Vec<bool> = found.tests.iter().map(is_new).collect();
    assert!(kept.iter().filter(|&&is_kept| is_kept).count() < found.tests.len());
    let path = ClassPath::parse(&class_path).unwrap();
    let bytes = path.find(&format!("{class}.class"), 17).unwrap().unwrap();
    let file = Arc::new(ClassFile::parse(bytes).unwrap());
    let n = found.tests.len();
    let suites = [vec![true; n], kept, vec![false; n]];
    let killed = mutants::kill(&job, session(), &[file], &found.tests, &suites).unwrap();
    for counts in [&killed.by_results, &killed.by_states] {
        let [all, kept, none] = counts[..] else { panic!("{killed:?}") };
        assert!(all > 8 && all < killed.n_mutants, "{killed:?}");
        assert_eq!((kept, none), (all, 0), "{killed:?}");
    }
    assert!(killed.by_states[0] > killed.by_results[0], "{killed:?}");
}

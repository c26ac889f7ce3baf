//! Call sites and constants that Java code or the machine links: the same results whoever links,
//! and after a rollback a site links again as if for the first time.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod machine;

use machine::{method, with_java};
use vm::interp::Outcome;
use vm::value::{ClassId, MethodId, Value};
use vm::vm::Vm;

const SOURCE: &str = include_str!("machine/CallSites.java");
const N_CASES: u64 = 14;

fn run(vm: &mut Vm, case_method: MethodId, case: u64) -> String {
    match vm.call_plain(case_method, &[case, 5]) {
        Outcome::Returned(Value::Ref(text)) => vm.string_text(text),
        Outcome::Threw(exception) => panic!("{case} threw {}", vm.describe_throwable(exception)),
        other => panic!("{case} gave {other:?}"),
    }
}

fn case_method(vm: &Vm, class: ClassId) -> MethodId {
    method(vm, class, "run", "(II)Ljava/lang/String;")
}

#[test]
fn call_sites_give_the_same_whoever_links_them() {
    with_java("call-sites", SOURCE, |vm, class| {
        let class = class(vm, "CallSites");
        let cases = case_method(vm, class);
        let mark = vm.mark();
        let ours: Vec<String> = (0..N_CASES).map(|case| run(vm, cases, case)).collect();
        vm.rollback(mark);
        vm.options.properties.push(("nonpareil.linkage".into(), "jdk".into()));
        let theirs: Vec<String> = (0..N_CASES).map(|case| run(vm, cases, case)).collect();
        assert_eq!(ours, theirs);
    });
}

#[test]
fn a_site_that_was_rolled_back_links_again() {
    with_java("call-sites", SOURCE, |vm, class| {
        let class = class(vm, "CallSites");
        let cases = case_method(vm, class);
        let mark = vm.mark();
        let first: Vec<String> = (0..N_CASES).map(|case| run(vm, cases, case)).collect();
        let top = vm.heap.top;
        vm.rollback_to(&mark);
        let n_classes = vm.classes.len();
        // Backwards, so that no class gets the number it had before.
        for case in (0..N_CASES).rev() {
            assert_eq!(run(vm, cases, case), first[usize::try_from(case).unwrap()], "{case}");
        }
        assert!(n_classes < vm.classes.len());
        vm.rollback_to(&mark);
        assert_eq!(n_classes, vm.classes.len());
        let again: Vec<String> = (0..N_CASES).map(|case| run(vm, cases, case)).collect();
        assert_eq!(again, first);
        assert_eq!(vm.heap.top, top, "linking again takes the same room");
    });
}

#[test]
fn sites_linked_before_a_mark_stay_linked() {
    with_java("call-sites", SOURCE, |vm, class| {
        let class = class(vm, "CallSites");
        let cases = case_method(vm, class);
        let first: Vec<String> = (0..N_CASES).map(|case| run(vm, cases, case)).collect();
        let n_classes = vm.classes.len();
        for _ in 0..3 {
            let mark = vm.mark();
            for case in 0..N_CASES {
                assert_eq!(run(vm, cases, case), first[usize::try_from(case).unwrap()], "{case}");
            }
            assert_eq!(n_classes, vm.classes.len());
            vm.rollback(mark);
        }
    });
}

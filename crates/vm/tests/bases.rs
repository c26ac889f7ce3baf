//! Machines of one base in several OS threads: each does what a machine does that is alone, and
//! none sees what another one writes.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod machine;

use std::collections::BTreeSet;

use machine::{method, with_java};
use vm::host::fixed::FixedHost;
use vm::image::Base;
use vm::interp::Outcome;
use vm::link::DefineOptions;
use vm::value::{ClassId, LoaderId, MethodId, Value};
use vm::vm::Vm;

const SOURCE: &str = include_str!("machine/Travel.java");

fn is_shared<T: Send + Sync>() {}
fn moves<T: Send>() {}

#[test]
fn a_base_is_shared_between_threads_and_a_machine_moves_between_them() {
    is_shared::<Base>();
    moves::<Vm>();
}

/// Defines what another machine was given, in a machine that has only booted.
fn define_same(from: &[std::sync::Arc<vm::class::Class>], to: &mut Vm) {
    for class in from {
        let bytes = class.class_file().bytes().clone();
        let options = DefineOptions::default();
        to.complete(|vm| vm.define_class(LoaderId::BOOT, bytes.clone(), &options)).unwrap();
    }
}

/// The classes that are not the library's.
fn own_classes(vm: &Vm) -> Vec<std::sync::Arc<vm::class::Class>> {
    let classes = vm.classes.iter().map(|rt| rt.class.clone());
    let is_own = |class: &std::sync::Arc<vm::class::Class>| {
        class.has_file() && vm.image.find_class(class.name.as_bytes()).is_none()
    };
    classes.filter(is_own).collect()
}

fn op(vm: &Vm) -> MethodId {
    let symbol = vm.symbols.intern(b"Travel");
    let class: ClassId = vm.loaders[0].classes[&symbol];
    method(vm, class, "op", "(III)Ljava/lang/String;")
}

/// Calls in an order that the seed chooses, some under a mark that is rolled back.
fn explore(vm: &mut Vm, seed: u64) -> Vec<String> {
    let op = op(vm);
    let mut results = Vec::new();
    let mut state = seed;
    for round in 0..60 {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let args = [(state >> 33) % 29, (state >> 40) % 50, (state >> 48) % 1000];
        let mark = (round % 3 == 0).then(|| vm.mark());
        let text = match vm.call_plain(op, &args) {
            Outcome::Returned(Value::Ref(text)) => vm.string_text(text),
            other => panic!("{args:?} gave {other:?}"),
        };
        results.push(text);
        if let Some(mark) = mark {
            vm.rollback(mark);
        }
    }
    results
}

#[test]
fn machines_side_by_side_give_what_one_alone_gives() {
    with_java("bases", SOURCE, |own, _| {
        let classes = own_classes(own);
        let host = || Box::new(FixedHost::new());
        let base = Base::boot(&own.image, own.options.clone(), host()).unwrap();
        let work = &|seed: u64| {
            let mut vm = base.machine(host()).unwrap();
            define_same(&classes, &mut vm);
            // Made in one thread, used in another.
            std::thread::scope(|scope| scope.spawn(move || explore(&mut vm, seed)).join().unwrap())
        };
        let alone: Vec<_> = (0..4).map(work).collect();
        let together: Vec<_> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..4).map(|seed| scope.spawn(move || work(seed))).collect();
            workers.into_iter().map(|worker| worker.join().unwrap()).collect()
        });
        assert_eq!(alone, together);
        assert_eq!(alone[0], explore(own, 0), "as one that booted itself");
        assert_eq!(alone.iter().collect::<BTreeSet<_>>().len(), 4, "the seeds differ");
    });
}

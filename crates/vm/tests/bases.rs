//! Machines of one base in several OS threads: each does what a machine does that is alone, and
//! none sees what another one writes.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod machine;

use std::collections::BTreeSet;

use machine::{method, with_java};
use vm::host::fixed::FixedHost;
use vm::host::guard::{Guard, Policy};
use vm::host::scratch::Scratch;
use vm::host::{Host, OpenHow};
use vm::image::{Base, FreezeError};
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

/// Starts a thread that waits in the middle of something, or lets it go on to its end.
fn start_or_release(vm: &mut Vm) -> String {
    match vm.call_plain(op(vm), &[27, 3, 900]) {
        Outcome::Returned(Value::Ref(text)) => vm.string_text(text),
        other => panic!("{other:?}"),
    }
}

#[test]
fn machines_of_a_frozen_one_go_on_where_it_was() {
    with_java("bases", SOURCE, |own, _| {
        let first = explore(own, 7);
        while start_or_release(own) != "started" {}
        let text = own.complete(|vm| vm.new_string("held")).unwrap();
        let held = own.handles.hold(text);
        let base = Base::of(own).unwrap();
        let n_classes = own.classes.len();
        let go_on = |vm: &mut Vm, seed: u64| {
            assert_eq!(vm.classes.len(), n_classes);
            assert_eq!(vm.string_text(vm.handles.get(&held)), "held");
            let released = start_or_release(vm);
            assert!(released.starts_with("ended "), "{released}");
            let before = explore(vm, seed);
            vm.collect_outside();
            (before, explore(vm, seed), vm.world.hashes, vm.virtual_nanos)
        };
        let go_on_in_another = |seed: u64| {
            let mut vm = base.machine(Box::new(FixedHost::new())).unwrap();
            go_on(&mut vm, seed)
        };
        let together: Vec<_> = std::thread::scope(|scope| {
            let work = &go_on_in_another;
            let workers: Vec<_> = (7..10).map(|seed| scope.spawn(move || work(seed))).collect();
            workers.into_iter().map(|worker| worker.join().unwrap()).collect()
        });
        let alone: Vec<_> = (7..10).map(go_on_in_another).collect();
        assert_eq!(alone, together);
        assert_ne!(first, alone[0].0, "not the state at the start");
        // The frozen machine itself goes on like those that were made from it.
        assert_eq!(go_on(own, 7), alone[0]);
    });
}

/// A host with one file.
fn host_with_file() -> Box<dyn Host> {
    let read = vec![b"/home".to_vec(), b"/usr".to_vec()];
    let policy = Policy { read, ..Policy::default() };
    let mut host = Scratch::new(Guard::new(FixedHost::new(), policy));
    let how = OpenHow { write: true, create: true, mode: 0o600, ..OpenHow::default() };
    let file = host.open(b"/tmp/letters", how).unwrap();
    assert_eq!(host.write(file, Some(0), b"abcd"), Ok(4));
    host.close(file).unwrap();
    Box::new(host)
}

#[test]
fn files_open_for_reading_are_open_in_machines_of_a_frozen_one() {
    const SOURCE: &str = r#"
        import java.io.*;
        class Letters {
            static FileInputStream in;
            static OutputStream out;
            static int next() throws IOException {
                if (in == null) in = new FileInputStream("/tmp/letters");
                return in.read();
            }
            static int write() throws IOException { out = new FileOutputStream("/tmp/other"); return 0; }
        }
    "#;
    with_java("letters", SOURCE, |own, class| {
        let classes = own_classes(own);
        let letters = class(own, "Letters");
        let next = method(own, letters, "next", "()I");
        let write = method(own, letters, "write", "()I");
        let plain = Box::new(FixedHost::new());
        let base = Base::boot(&own.image, own.options.clone(), plain).unwrap();
        let mut vm = base.machine(host_with_file()).unwrap();
        define_same(&classes, &mut vm);
        let letter = |vm: &mut Vm| vm.call_plain(next, &[]);
        let returned = |letter: u8| Outcome::Returned(Value::Int(i32::from(letter)));
        assert_eq!(letter(&mut vm), returned(b'a'));
        let frozen = Base::of(&vm).unwrap();
        let mut another = frozen.machine(host_with_file()).unwrap();
        assert_eq!(letter(&mut another), returned(b'b'));
        assert_eq!(letter(&mut another), returned(b'c'));
        assert_eq!(letter(&mut vm), returned(b'b'));
        assert!(frozen.machine(Box::new(FixedHost::new())).is_err(), "the file is not there");
        assert_eq!(vm.call_plain(write, &[]), Outcome::Returned(Value::Int(0)));
        assert!(matches!(Base::of(&vm), Err(FreezeError::Writing(path)) if path == "/tmp/other"));
    });
}

#[test]
fn a_machine_with_an_open_mark_is_not_frozen() {
    with_java("bases", SOURCE, |own, _| {
        let mark = own.mark();
        assert!(Base::of(own).is_err());
        own.rollback(mark);
        assert!(Base::of(own).is_ok());
    });
}

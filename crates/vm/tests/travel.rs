//! Time travel over real Java code: random programs of calls, marks and rollbacks. After a rollback
//! the whole heap is bit for bit what it was, and the same calls give the same results again.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod machine;

use machine::{method, with_java};
use vm::interp::Outcome;
use vm::mode::Plain;
use vm::travel::Mark;
use vm::value::{MethodId, Ref, Value};
use vm::vm::Vm;

const SOURCE: &str = include_str!("machine/Travel.java");
const N_OPS: u64 = 29;

/// A small generator with a fixed sequence.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// All that Java code can see of a machine.
#[derive(PartialEq)]
struct Snapshot {
    base: Vec<u8>,
    literals: Vec<u8>,
    perm: Vec<u8>,
    raw: Vec<u8>,
    main: Vec<u8>,
    tables: String,
}

fn bytes(vm: &Vm, from: usize, to: usize) -> Vec<u8> {
    vm.heap.bytes(Ref(u32::try_from(from >> 3).unwrap()), 0, to - from).to_vec()
}

fn snapshot(vm: &Vm) -> Snapshot {
    let heap = &vm.heap;
    let classes: Vec<_> = vm
        .classes
        .iter()
        .map(|rt| (rt.mirror, rt.array_class, rt.initialised_at, rt.made_at))
        .collect();
    let loaders: Vec<_> = vm
        .loaders
        .iter()
        .map(|loader| {
            let mut names: Vec<String> = loader.classes.keys().map(ToString::to_string).collect();
            names.sort();
            (loader.java, loader.packages.len(), names)
        })
        .collect();
    let threads: Vec<_> = vm
        .threads
        .iter()
        .enumerate()
        .map(|(idx, t)| {
            let frame = if idx == vm.current { vm.frame } else { t.frame };
            (t.id, t.java, t.state, t.permit, t.woken, frame as usize, t.hooks.len(), t.daemon)
        })
        .collect();
    let movable: Vec<_> = vm
        .strings
        .movable
        .iter()
        .map(|hash| {
            vm.strings.by_hash[hash].iter().filter(|s| !heap.is_fixed(**s)).collect::<Vec<_>>()
        })
        .collect();
    let registers: Vec<_> = (0..vm.threads.len())
        .map(|idx| {
            let walk = vm.walk_thread(idx);
            walk.map(|a| (a.method, a.bci)).collect::<Vec<_>>()
        })
        .collect();
    let tables = format!(
        "{classes:?}\n{loaders:?}\n{threads:?}\n{movable:?}\n{registers:?}\n{:?} {} {} {} {}",
        vm.world,
        vm.virtual_nanos,
        vm.methods.len(),
        vm.current,
        vm.modules.defined.len(),
    );
    // The raw region's first word is the end of its part in use.
    let raw_used = vm.heap.load_u64(Ref(u32::try_from(heap.raw_start >> 3).unwrap()), 0);
    Snapshot {
        base: bytes(vm, vm::heap::FIRST_BYTE, heap.base_end),
        literals: bytes(vm, heap.literals_start, heap.literals_top),
        perm: bytes(vm, heap.perm_start, heap.perm_top),
        raw: bytes(vm, heap.raw_start, heap.raw_start + usize::try_from(raw_used).unwrap()),
        main: bytes(vm, heap.main_start, heap.top),
        tables,
    }
}

fn assert_same(vm: &Vm, then: &Snapshot) {
    let mut now = snapshot(vm);
    // Literals made since stay.
    now.literals.truncate(then.literals.len());
    for (a, b) in now.tables.lines().zip(then.tables.lines()) {
        assert_eq!(a, b);
    }
    for (name, a, b) in [
        ("base", &now.base, &then.base),
        ("literals", &now.literals, &then.literals),
        ("perm", &now.perm, &then.perm),
        ("raw", &now.raw, &then.raw),
        ("main", &now.main, &then.main),
    ] {
        assert_eq!(a.len(), b.len(), "{name}");
        let difference = a.iter().zip(b).position(|(a, b)| a != b);
        assert_eq!(difference, None, "{name}");
    }
}

#[derive(Clone, Copy, Debug)]
struct Op {
    kind: u64,
    a: u64,
    b: u64,
    fuel: Option<u64>,
}

fn random_op(random: &mut Random) -> Op {
    Op { kind: random.below(N_OPS), a: random.below(50), b: random.below(1000), fuel: None }
}

fn perform(vm: &mut Vm, op_method: MethodId, op: Op) -> String {
    let args = [op.kind, op.a, op.b];
    match vm.call(&mut Plain, op_method, &args, op.fuel) {
        Outcome::Returned(Value::Ref(text)) => vm.string_text(text),
        Outcome::Returned(other) => panic!("{op:?} gave {other:?}"),
        Outcome::Threw(exception) => panic!("{op:?} threw {}", vm.describe_throwable(exception)),
        Outcome::Stopped(stop) => {
            assert!(op.fuel.is_some(), "{op:?} stopped: {stop:?}");
            format!("{stop:?}")
        }
    }
}

struct Open {
    mark: Mark,
    snapshot: Snapshot,
    since: Vec<(Op, String)>,
}

fn explore(vm: &mut Vm, op: MethodId, seed: u64, n_steps: usize) {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut open: Vec<Open> = Vec::new();
    for _ in 0..n_steps {
        match random.below(10) {
            0 | 1 if open.len() < 5 => {
                let snapshot = snapshot(vm);
                let mark = vm.mark();
                open.push(Open { mark, snapshot, since: Vec::new() });
            }
            2 if !open.is_empty() => {
                let idx = usize::try_from(random.below(open.len() as u64)).unwrap();
                let undone = open.drain(idx..).next().unwrap();
                vm.rollback(undone.mark);
                assert_same(vm, &undone.snapshot);
            }
            3 if !open.is_empty() => {
                // Again from the mark: the same calls give the same results and the same heap.
                let state = open.last().unwrap();
                let after = snapshot(vm);
                vm.rollback_to(&state.mark);
                assert_same(vm, &state.snapshot);
                for (again, result) in &state.since {
                    assert_eq!(&perform(vm, op, *again), result, "{again:?}");
                }
                if !state.since.iter().any(|(op, _)| op.fuel.is_some()) {
                    assert!(
                        after.main == snapshot(vm).main,
                        "the heap differs after the same calls"
                    );
                }
            }
            4 if !open.is_empty() && random.below(2) == 0 => {
                let idx = open.len() - 1;
                let kept = open.pop().unwrap();
                vm.commit(kept.mark);
                if let Some(outer) = idx.checked_sub(1).map(|idx| &mut open[idx]) {
                    outer.since.extend(kept.since);
                }
            }
            5 if !open.is_empty() => {
                // A call that does not come back, then as if it had never been.
                let idx = open.len() - 1;
                let mut stopped = random_op(&mut random);
                stopped.fuel = Some(random.below(3000));
                let _ = perform(vm, op, stopped);
                vm.rollback_to(&open[idx].mark);
                assert_same(vm, &open[idx].snapshot);
                open[idx].since.clear();
            }
            _ => {
                let next = random_op(&mut random);
                let result = perform(vm, op, next);
                if let Some(youngest) = open.last_mut() {
                    youngest.since.push((next, result));
                }
            }
        }
    }
    while let Some(last) = open.pop() {
        vm.rollback(last.mark);
        assert_same(vm, &last.snapshot);
    }
}

#[test]
fn rollback_restores_everything_after_random_java_programs() {
    with_java("travel", SOURCE, |vm, class| {
        let op = method(vm, class(vm, "Travel"), "op", "(III)Ljava/lang/String;");
        for seed in 1..=12 {
            explore(vm, op, seed, 120);
        }
        // The machine is as good as ever.
        vm.collect_outside();
        for kind in 0..N_OPS {
            perform(vm, op, Op { kind, a: 3, b: 4, fuel: None });
        }
    });
}

#[test]
fn a_class_loaded_under_a_mark_is_loaded_again_after_the_rollback() {
    with_java("travel-classes", SOURCE, |vm, class| {
        let op = method(vm, class(vm, "Travel"), "op", "(III)Ljava/lang/String;");
        let n_classes = vm.classes.len();
        let mark = vm.mark();
        let load = Op { kind: 7, a: 1, b: 0, fuel: None };
        let first = perform(vm, op, load);
        let n_loaded = vm.classes.len();
        assert!(n_loaded > n_classes);
        for _ in 0..3 {
            vm.rollback_to(&mark);
            assert_eq!(vm.classes.len(), n_classes);
            assert_eq!(perform(vm, op, load), first);
            assert_eq!(vm.classes.len(), n_loaded);
        }
        vm.commit(mark);
        assert_eq!(vm.classes.len(), n_loaded);
        assert_eq!(perform(vm, op, load), first);
    });
}

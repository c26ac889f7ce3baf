//! What marks, rollbacks and collections cost: `cargo bench -p vm --bench travel`.
#![expect(clippy::print_stdout, reason = "the figures go to the terminal")]

#[path = "../tests/machine/mod.rs"]
mod machine;

use std::time::Instant;

use machine::{method, with_java};
use vm::interp::Outcome;
use vm::value::Value;
use vm::vm::Vm;

const SOURCE: &str = r"
class Cell {
    int number; long wide; Object reference;
    static final Cell CELL = new Cell();
    static Object sink;
    static void touch(int x) { Cell c = CELL; c.number = x; c.wide = x; c.reference = c; }
    static int allocate(int n) { for (int i = 0; i < n; i++) { sink = new Cell(); } return n; }
    static int build(int n) { Object[] last = null; for (int i = 0; i < n; i++) { last = new Object[] { last, i }; } sink = last; return n; }
}
";

/// Nanoseconds per round, the best of several runs.
fn measure(n_rounds: u32, mut round: impl FnMut(u32)) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..40 {
        let start = Instant::now();
        for idx in 0..n_rounds {
            round(idx);
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(n_rounds));
    }
    best
}

fn report(name: &str, nanos: f64) {
    println!("{name:<40} {nanos:>12.1} ns");
}

fn call(vm: &mut Vm, method: vm::value::MethodId, arg: u32) {
    let outcome = vm.call_plain(method, &[u64::from(arg)]);
    assert!(matches!(outcome, Outcome::Returned(Value::Void | Value::Int(_))), "{outcome:?}");
}

fn main() {
    with_java("bench-travel", SOURCE, |vm, class| {
        let cell = class(vm, "Cell");
        report("JDK", f64::from(vm.jdk));
        let touch = method(vm, cell, "touch", "(I)V");
        let allocate = method(vm, cell, "allocate", "(I)I");
        let build = method(vm, cell, "build", "(I)I");
        for idx in 0..100 {
            call(vm, touch, idx);
        }
        let nanos = measure(50_000, |_| {
            let mark = vm.mark();
            vm.rollback(mark);
        });
        report("mark, rollback", nanos);
        let nanos = measure(50_000, |idx| call(vm, touch, idx));
        report("call that writes three fields", nanos);
        let nanos = measure(50_000, |idx| {
            let mark = vm.mark();
            call(vm, touch, idx);
            vm.rollback(mark);
        });
        report("mark, the call, rollback", nanos);
        let mark = vm.mark();
        let nanos = measure(50_000, |idx| {
            call(vm, touch, idx);
            vm.rollback_to(&mark);
        });
        vm.rollback(mark);
        report("the call, rollback_to", nanos);
        for nursery in [256 << 10, 1 << 20, 2 << 20, 4 << 20, 8 << 20, 16 << 20] {
            vm.heap.nursery = nursery;
            let nanos = measure(1, |_| call(vm, allocate, 1_000_000)) / 1e6;
            report(&format!("short-lived object of 32 bytes, {} k", nursery >> 10), nanos);
        }
        let nanos = measure(1, |_| call(vm, build, 200_000)) / 2e5;
        report("object that stays", nanos);
        println!("{:?}", vm.gc.stats);
    });
}

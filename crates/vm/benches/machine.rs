//! What calls from Rust, marks, rollbacks, collections and machines cost, as a Markdown table:
//! `cargo bench -p vm --bench machine`.
#![expect(clippy::print_stdout, reason = "the figures go to the terminal")]

#[path = "../tests/machine/mod.rs"]
mod machine;

use std::time::Instant;

use machine::{method, with_java};
use vm::host::fixed::FixedHost;
use vm::image::Base;
use vm::interp::Outcome;
use vm::value::{MethodId, Value};
use vm::vm::Vm;

/// `fifty` executes fifty bytecodes, its `return` included, and writes three fields.
const SOURCE: &str = r"
class Cell {
    int number; long wide; Object reference;
    static final Cell CELL = new Cell();
    static Object sink;
    int get() { return number; }
    void fifty(int x) {
        int a = x * 31 + number;
        int b = a ^ a >>> 7;
        int c = (a & b) + (x | b) - (a << 3);
        number = -(a + b + c);
        wide = (long) a * b - c;
        reference = a == 12345 ? null : this;
    }
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

/// One row of the table.
fn report(vm: &Vm, what: &str, cost: f64, unit: &str, goal: &str) {
    println!("| {} | {what} | {cost:.1} {unit} | {goal} |", vm.jdk);
}

fn call(vm: &mut Vm, method: MethodId, args: &[u64]) {
    let outcome = vm.call_plain(method, args);
    assert!(matches!(outcome, Outcome::Returned(Value::Void | Value::Int(_))), "{outcome:?}");
}

fn main() {
    println!("| JDK | what | cost | goal |\n|---|---|---|---|");
    with_java("bench-machine", SOURCE, |vm, class| {
        let cell = class(vm, "Cell");
        vm.complete(|vm| vm.ensure_initialised(cell)).expect("starts");
        let object = vm.complete(|vm| vm.new_object(cell)).expect("room").to_slot();
        let get = method(vm, cell, "get", "()I");
        let fifty = method(vm, cell, "fifty", "(I)V");
        let nanos = measure(100_000, |_| call(vm, get, &[object]));
        report(vm, "call of a getter from Rust", nanos, "ns", "60 ns");
        let nanos = measure(100_000, |_| {
            let mark = vm.mark();
            vm.rollback(mark);
        });
        report(vm, "mark, rollback", nanos, "ns", "50 ns");
        let nanos = measure(50_000, |idx| call(vm, fifty, &[object, u64::from(idx)]));
        report(vm, "call of fifty bytecodes that write three fields", nanos, "ns", "");
        let nanos = measure(50_000, |idx| {
            let mark = vm.mark();
            call(vm, fifty, &[object, u64::from(idx)]);
            vm.rollback(mark);
        });
        report(vm, "mark, that call, rollback", nanos, "ns", "1000 ns");
        let mark = vm.mark();
        let nanos = measure(50_000, |idx| {
            call(vm, fifty, &[object, u64::from(idx)]);
            vm.rollback_to(&mark);
        });
        vm.rollback(mark);
        report(vm, "that call, rollback to a mark that stays", nanos, "ns", "");
        collections(vm, method(vm, cell, "allocate", "(I)I"), method(vm, cell, "build", "(I)I"));
        machines(vm);
    });
}

fn collections(vm: &mut Vm, allocate: MethodId, build: MethodId) {
    let nanos = measure(1, |_| call(vm, allocate, &[1_000_000])) / 1e6;
    report(vm, "object of 32 bytes that dies young, made in a loop", nanos, "ns", "");
    let nanos = measure(1, |_| call(vm, build, &[200_000])) / 2e5;
    report(vm, "three objects that stay, made in a loop", nanos, "ns", "");
}

/// Kilobytes of memory that only this process has.
fn private_memory() -> u32 {
    let text = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap_or_default();
    let dirty = text.lines().find_map(|line| line.strip_prefix("Private_Dirty:"));
    dirty.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

fn machines(vm: &Vm) {
    const N_MACHINES: u32 = 20;
    let host = || Box::new(FixedHost::new());
    let booted = Base::boot(&vm.image, vm.options.clone(), host()).expect("boots");
    let frozen = Base::of(vm).expect("can be frozen");
    for (base, what) in [(&booted, "booted"), (&frozen, "frozen")] {
        let nanos = measure(1, |_| drop(base.machine(host()).expect("starts")));
        report(vm, &format!("machine from a {what} base, made and dropped"), nanos / 1e3, "µs", "");
        let before = private_memory();
        let machines: Vec<Vm> =
            (0..N_MACHINES).map(|_| base.machine(host()).expect("starts")).collect();
        let kilobytes = f64::from(private_memory().saturating_sub(before)) / f64::from(N_MACHINES);
        report(
            vm,
            &format!("memory of a machine beyond a {what} base"),
            kilobytes,
            "kB",
            "1024 kB",
        );
        drop(machines);
    }
}

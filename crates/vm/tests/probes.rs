//! Probes see what happens, and a shadow domain follows values and overrules branches.
#![expect(unsafe_code, reason = "a shadow domain is told of registers by address")]

mod machine;

use std::collections::{BTreeMap, BTreeSet};

use machine::{method, with_java};
use vm::code::Op;
use vm::interp::Outcome;
use vm::mode::{Mode, Place};
use vm::value::{ClassId, Kind, MethodId, Ref, Value};
use vm::vm::Vm;

const SOURCE: &str = r#"
class Probed {
    int field; long wide; static int counter;
    Probed(int v) { field = v; }
    int bump(int by) { field = field + by; wide += by; counter++; return field; }
    static int run(int n) {
        Probed p = new Probed(n);
        int[] a = new int[2];
        a[1] = p.bump(3);
        if (a[1] > 5) { try { throw new RuntimeException("x"); } catch (RuntimeException e) { return a[1]; } }
        return -1;
    }
    static int tainted(int secret, int open) {
        int[] box = { 0, open };
        box[0] = secret * 2 + 1;
        Probed p = new Probed(box[0]);
        int copy = identity(p.field);
        if (copy > 100) return open;
        return copy;
    }
    static int identity(int x) { return x; }
}
"#;

#[derive(Default)]
struct Log {
    events: Vec<String>,
}

impl Mode for Log {
    const READS: bool = true;
    const WRITES: bool = true;
    const BRANCHES: bool = true;
    const CALLS: bool = true;
    const ALLOCATIONS: bool = true;
    const EXCEPTIONS: bool = true;

    fn field_read(&mut self, vm: &mut Vm, object: Ref, _: u32, kind: Kind) {
        if vm.external_name(vm.class_of(object)) == "Probed" {
            self.events.push(format!("read {kind:?}"));
        }
    }
    fn field_write(&mut self, vm: &mut Vm, object: Ref, _: u32, kind: Kind, new: u64) {
        if vm.external_name(vm.class_of(object)) == "Probed" {
            self.events.push(format!("write {kind:?} {new}"));
        }
    }
    fn static_write(&mut self, vm: &mut Vm, granule: u32, _: Kind, new: u64) {
        let probed = vm.loaders[0].classes[&vm.symbols.intern(b"Probed")];
        let mirror = vm.mirror(probed).0;
        if (mirror..mirror + 100).contains(&granule) {
            self.events.push(format!("static {new}"));
        }
    }
    fn array_write(&mut self, vm: &mut Vm, array: Ref, idx: u32, _: Kind, new: u64) {
        if vm.external_name(vm.class_of(array)) == "[I" {
            self.events.push(format!("element {idx} {new}"));
        }
    }
    fn branch(&mut self, vm: &mut Vm, place: Place, edge: u32) {
        if vm.external_signature(place.method).contains("Probed") {
            self.events.push(format!("branch {edge}"));
        }
    }
    fn enter(&mut self, vm: &mut Vm, method: MethodId, _: &[u64]) {
        let signature = vm.external_signature(method);
        if signature.contains(" Probed.") {
            self.events.push(format!("enter {}", vm.method(method).name));
        }
    }
    fn leave(&mut self, vm: &mut Vm, method: MethodId, result: Option<u64>) {
        let signature = vm.external_signature(method);
        if signature.contains(" Probed.") && signature.starts_with("int") {
            self.events.push(format!("leave {} {result:?}", vm.method(method).name));
        }
    }
    fn allocated(&mut self, vm: &mut Vm, object: Ref, class: ClassId) {
        assert_eq!(vm.class_of(object), class);
        if vm.external_name(class) == "Probed" {
            self.events.push("new".into());
        }
    }
    fn thrown(&mut self, vm: &mut Vm, exception: Ref) {
        self.events.push(format!("thrown {}", vm.external_name(vm.class_of(exception))));
    }
}

#[test]
fn probes_report_reads_writes_branches_calls_allocations_and_exceptions_in_order() {
    with_java("probes", SOURCE, |vm, class| {
        let run = method(vm, class(vm, "Probed"), "run", "(I)I");
        // Once without observers, so that classes are loaded.
        assert_eq!(vm.call_plain(run, &[4]), Outcome::Returned(Value::Int(7)));
        let mut log = Log::default();
        assert_eq!(vm.call(&mut log, run, &[4], None), Outcome::Returned(Value::Int(7)));
        let expected = [
            "enter run",
            "new",
            "enter <init>",
            "write Int 4",
            "enter bump",
            "read Int",
            "write Int 7",
            "read Long",
            "write Long 3",
            "static 2",
            "read Int",
            "leave bump Some(7)",
            "element 1 7",
            "branch 0",
            "thrown java.lang.RuntimeException",
            "leave run Some(7)",
        ];
        assert_eq!(log.events, expected);
    });
}

/// Follows which registers and heap bytes come from the tainted argument.
#[derive(Default)]
struct Taint {
    registers: BTreeSet<usize>,
    memory: BTreeSet<usize>,
    watched: Option<MethodId>,
    seed: bool,
    branches_on_taint: u32,
    turn: bool,
    result: Option<bool>,
    steps: BTreeMap<MethodId, u32>,
}

impl Mode for Taint {
    const CALLS: bool = true;
    const STEPS: bool = true;
    const SHADOW: bool = true;

    fn step(&mut self, method: MethodId, _: u32) {
        *self.steps.entry(method).or_default() += 1;
    }
    fn enter(&mut self, _: &mut Vm, method: MethodId, args: &[u64]) {
        if Some(method) == self.watched && std::mem::take(&mut self.seed) {
            self.registers.insert(args.as_ptr() as usize);
        }
    }
    fn leave(&mut self, vm: &mut Vm, method: MethodId, _: Option<u64>) {
        if Some(method) == self.watched {
            // SAFETY: the frame that is being left is on top.
            let first = unsafe { (*vm.frame).fp } as usize;
            self.result = Some(self.registers.contains(&first));
        }
    }
    fn shadow_compute(&mut self, _: Op, dst: *mut u64, b: *const u64, c: *const u64) {
        let tainted =
            self.registers.contains(&(b as usize)) || self.registers.contains(&(c as usize));
        self.set(dst, tainted);
    }
    fn shadow_load(&mut self, dst: *mut u64, address: usize) {
        let tainted = self.memory.contains(&address);
        self.set(dst, tainted);
    }
    fn shadow_store(&mut self, src: *const u64, address: usize) {
        if self.registers.contains(&(src as usize)) {
            self.memory.insert(address);
        } else {
            self.memory.remove(&address);
        }
    }
    fn shadow_branch(&mut self, _: Op, a: *const u64, b: *const u64, taken: bool) -> bool {
        let tainted =
            self.registers.contains(&(a as usize)) || self.registers.contains(&(b as usize));
        if tainted {
            self.branches_on_taint += 1;
        }
        if tainted && self.turn { !taken } else { taken }
    }
}

impl Taint {
    fn set(&mut self, dst: *mut u64, tainted: bool) {
        if tainted {
            self.registers.insert(dst as usize);
        } else {
            self.registers.remove(&(dst as usize));
        }
    }

    /// `call_plain` seeds no taint: the entry is not an instruction, so the test plants it.
    fn plant(vm: &Vm, method: MethodId) -> Taint {
        let thread = &vm.threads[vm.current];
        Taint {
            watched: Some(method),
            registers: BTreeSet::from([thread.registers.start() as usize]),
            ..Taint::default()
        }
    }
}

#[test]
fn a_taint_domain_follows_values_through_registers_arrays_fields_and_calls() {
    with_java("probes", SOURCE, |vm, class| {
        let tainted = method(vm, class(vm, "Probed"), "tainted", "(II)I");
        assert_eq!(vm.call_plain(tainted, &[5, 9]), Outcome::Returned(Value::Int(11)));
        let mut taint = Taint::plant(vm, tainted);
        assert_eq!(vm.call(&mut taint, tainted, &[5, 9], None), Outcome::Returned(Value::Int(11)));
        assert_eq!(taint.branches_on_taint, 1);
        assert_eq!(taint.result, Some(true), "the result comes from the tainted argument");
        assert!(10 < taint.steps[&tainted]);

        let mut taint = Taint::plant(vm, tainted);
        assert_eq!(vm.call(&mut taint, tainted, &[70, 9], None), Outcome::Returned(Value::Int(9)));
        assert_eq!(taint.result, Some(false), "the other argument is not tainted");
    });
}

#[test]
fn a_domain_may_overrule_a_branch() {
    with_java("probes", SOURCE, |vm, class| {
        let tainted = method(vm, class(vm, "Probed"), "tainted", "(II)I");
        let mut taint = Taint { turn: true, ..Taint::plant(vm, tainted) };
        assert_eq!(vm.call(&mut taint, tainted, &[5, 9], None), Outcome::Returned(Value::Int(9)));
    });
}

/// Notes the edges of conditions in one method.
#[derive(Default)]
struct Edges {
    taken: Vec<u32>,
}

impl Mode for Edges {
    const BRANCHES: bool = true;

    fn branch(&mut self, vm: &mut Vm, place: Place, edge: u32) {
        if vm.external_signature(place.method).contains("Huge.run") {
            self.taken.push(edge);
        }
    }
}

#[test]
fn a_branch_in_a_huge_method_tells_its_edge_the_right_way_round() {
    // So long that compare-and-branch instructions go over a `goto`, whatever they skip.
    let body = "l = 1L;\n".repeat(17_000);
    let source = format!(
        "class Huge {{ static int run(int x) {{ long l; int s = 0; if (x > 5) s = 7; {body} return s; }} }}"
    );
    with_java("huge", &source, |vm, class| {
        let run = method(vm, class(vm, "Huge"), "run", "(I)I");
        // The bytecode is `if_icmple`: taken where the statement is left out.
        for (x, edge) in [(9, 0), (2, 1)] {
            let mut edges = Edges::default();
            vm.call(&mut edges, run, &[x], None);
            assert_eq!(edges.taken, [edge], "x = {x}");
        }
    });
}

/// Loops of all shapes of tests; `faulty` throws in the test itself, inside of and outside a `try`.
const LOOPS: &str = r#"
class Loops {
    int next; Loops rest;
    static int ints(int n) { int s = 0; for (int i = 0; i < n; i++) { s += i; } return s; }
    static int constant(int n) { int s = 0; while (n > 3) { n--; s++; } return s; }
    static int longs(int n) { int s = 0; for (long i = 0; i != n; i++) { s++; } return s; }
    static int references(int n) {
        Loops all = null;
        for (int i = 0; i < n; i++) { Loops l = new Loops(); l.rest = all; all = l; }
        int s = 0;
        for (Loops l = all; l != null; l = l.rest) { s++; }
        return s;
    }
    static int arrays(int n) { int[] a = new int[n]; int s = 0; for (int x : a) { s++; } return s; }
    static int calls(int n) { int s = 0; while (less(s, n)) { s++; } return s; }
    static boolean less(int a, int b) { return a < b; }
    static int faulty(int n) {
        int s = 0;
        int[] a = new int[n];
        try {
            while (a[s] == 0) { s++; }
        } catch (ArrayIndexOutOfBoundsException e) {
            s += 100;
        }
        while (s < 110) {
            try { s += 200; } finally { s -= 199; }
        }
        try {
            int i = 0;
            while (a[i] == 0) {
                try { i++; } catch (RuntimeException e) { return -1; }
            }
        } catch (ArrayIndexOutOfBoundsException e) {
            return s + e.getStackTrace()[0].getLineNumber();
        }
        return -2;
    }
}
"#;

/// How often each branch of a method went either way, in the order of the code.
#[derive(Default)]
struct Rounds {
    method: &'static str,
    counts: BTreeMap<u16, [u32; 2]>,
}

impl Mode for Rounds {
    const BRANCHES: bool = true;
    fn branch(&mut self, vm: &mut Vm, place: Place, edge: u32) {
        if vm.external_signature(place.method).contains(&format!(" Loops.{}(", self.method)) {
            self.counts.entry(place.bci).or_default()[edge as usize] += 1;
        }
    }
}

#[test]
fn branches_of_loops_tell_each_round_once_and_faults_in_their_tests_are_caught() {
    with_java("loops", LOOPS, |vm, class| {
        let loops = class(vm, "Loops");
        for (name, result, edges) in [
            ("ints", 10, vec![[5, 1]]),
            ("constant", 2, vec![[2, 1]]),
            ("longs", 5, vec![[5, 1]]),
            ("references", 5, vec![[5, 1], [5, 1]]),
            ("arrays", 5, vec![[5, 1]]),
            ("calls", 5, vec![[5, 1]]),
            ("faulty", 110 + 30, vec![[5, 0], [5, 1], [5, 0]]),
        ] {
            let method = method(vm, loops, name, "(I)I");
            for _ in 0..2 {
                let mut mode = Rounds { method: name, ..Rounds::default() };
                let outcome = vm.call(&mut mode, method, &[5], None);
                assert_eq!(outcome, Outcome::Returned(Value::Int(result)), "{name}");
                assert_eq!(mode.counts.into_values().collect::<Vec<_>>(), edges, "{name}");
            }
        }
    });
}

//! Calls from Rust: every way a call can end is data, and the machine goes on afterwards.

mod machine;

use machine::{method, with_java};
use vm::frame::Stop;
use vm::interp::Outcome;
use vm::mode::Plain;
use vm::value::{LoaderId, Value};

const SOURCE: &str = r#"
class Calls {
    static int add(int a, long b, double c) { return (int) (a + b + c); }
    static void endless() { while (true) { } }
    static int recurse(int n) { return recurse(n + 1) + 1; }
    static int caughtOverflow() { try { return recurse(0); } catch (StackOverflowError e) { return 42; } }
    static int[] hoard() { int[][] all = new int[1000][]; for (int i = 0; i < 1000; i++) all[i] = new int[1 << 20]; return all[7]; }
    static int caughtHoard() { try { return hoard().length; } catch (OutOfMemoryError e) { return 43; } }
    static void leave() { System.exit(3); }
    static void boom() { throw new IllegalStateException("boom"); }
    static void stuck() throws Exception { Object o = new Object(); synchronized (o) { o.wait(); } }
    static native int missing(int x);
    static synchronized int locked(int n) { synchronized (Calls.class) { return n + 1; } }
    interface Shape { double area(); }
    record Square(double side) implements Shape { public double area() { return side * side; } }
    record Circle(double radius) implements Shape { public double area() { return Math.PI * radius * radius; } }
    static long everything(int n) {
        java.util.Map<String, Integer> map = new java.util.HashMap<>();
        StringBuilder text = new StringBuilder();
        Shape[] shapes = { new Square(2), new Circle(1) };
        double area = 0;
        long sum = 0;
        for (int i = 0; i < n; i++) {
            map.merge("k" + i % 10, i, Integer::sum);
            area += shapes[i & 1].area();
            Object o = shapes[i & 1];
            if (o instanceof Square s) sum += (long) s.side();
            try { if (i % 7 == 0) throw new RuntimeException(); } catch (RuntimeException e) { sum++; }
            switch (i % 5) { case 0: sum += 1; break; case 3: sum -= 2; break; default: sum ^= 3; }
            switch (i % 1000) { case 5: sum++; break; case 500: sum--; break; }
            int[][] grid = new int[3][4];
            grid[1][2] = i; sum += grid[1][2] + grid.length;
            byte[] b = new byte[4]; char[] c = new char[4]; short[] h = new short[4]; long[] l = new long[4];
            float[] f = new float[4]; double[] d = new double[4]; boolean[] z = new boolean[4];
            b[1] = (byte) i; c[1] = (char) i; h[1] = (short) i; l[1] = i; f[1] = i; d[1] = i; z[1] = i > 3;
            sum += b[1] + c[1] + h[1] + l[1] + (long) f[1] + (long) d[1] + (z[1] ? 1 : 0);
            sum += locked(i) + (sum / 3) % 5 - (sum >>> 60) + (int) (area % 7);
            text.setLength(0); text.append(i).append('x').append(area);
            sum += text.length() + text.toString().hashCode() % 3;
            sum += java.util.List.of(3, 1, 2).stream().mapToInt(x -> x).sum();
            Object[] copy = new Object[] { "a", i, o }.clone(); sum += copy.length;
        }
        return sum + map.size();
    }
    static long loop(int n) { long sum = 0; for (int i = 0; i < n; i++) { sum += i ^ (sum >> 3); if (sum < 0) sum = -sum; } return sum; }
}
"#;

#[test]
fn arguments_and_results_cross_the_border_with_their_types() {
    with_java("calls", SOURCE, |vm, class| {
        let add = method(vm, class(vm, "Calls"), "add", "(IJD)I");
        let args =
            [Value::Int(1).to_slot(), Value::Long(2).to_slot(), 0, Value::Double(3.5).to_slot(), 0];
        assert_eq!(vm.call_plain(add, &args), Outcome::Returned(Value::Int(6)));
    });
}

#[test]
fn a_call_from_outside_has_a_caller_as_tests_are() {
    with_java("calls", SOURCE, |vm, _| {
        let handles = vm.complete(|vm| {
            let class = vm.boot_class("java/lang/invoke/MethodHandles")?;
            vm.ensure_initialised(class)?;
            Ok(class)
        });
        let handles = handles.expect("the JDK has method handles");
        let lookup = method(vm, handles, "lookup", "()Ljava/lang/invoke/MethodHandles$Lookup;");
        for _ in 0..2 {
            let mark = vm.mark();
            let Outcome::Returned(Value::Ref(found)) = vm.call_plain(lookup, &[]) else {
                panic!("there is a caller");
            };
            let caller = vm.get_field_ref(found, "lookupClass", "Ljava/lang/Class;");
            let caller = vm.class_of_mirror(caller);
            assert_ne!(vm.class(caller).loader, LoaderId::BOOT);
            assert_eq!(vm.module_name_of(caller), None);
            vm.rollback(mark);
        }
    });
}

#[test]
fn an_endless_loop_runs_out_of_fuel_and_the_machine_goes_on() {
    with_java("calls", SOURCE, |vm, class| {
        let calls = class(vm, "Calls");
        let endless = method(vm, calls, "endless", "()V");
        for _ in 0..3 {
            let outcome = vm.call(&mut Plain, endless, &[], Some(1_000_000));
            assert_eq!(outcome, Outcome::Stopped(Stop::OutOfFuel));
        }
        let overflow = method(vm, calls, "caughtOverflow", "()I");
        assert_eq!(vm.call_plain(overflow, &[]), Outcome::Returned(Value::Int(42)));
    });
}

#[test]
fn out_of_memory_can_be_caught_and_the_memory_comes_back() {
    with_java("calls", SOURCE, |vm, class| {
        let hoard = method(vm, class(vm, "Calls"), "caughtHoard", "()I");
        for _ in 0..3 {
            assert_eq!(vm.call_plain(hoard, &[]), Outcome::Returned(Value::Int(43)));
        }
    });
}

#[test]
fn exit_deadlock_and_exceptions_are_told_apart() {
    with_java("calls", SOURCE, |vm, class| {
        let calls = class(vm, "Calls");
        let leave = method(vm, calls, "leave", "()V");
        assert_eq!(vm.call_plain(leave, &[]), Outcome::Stopped(Stop::Exit(3)));
        let stuck = method(vm, calls, "stuck", "()V");
        assert!(matches!(vm.call_plain(stuck, &[]), Outcome::Stopped(Stop::Deadlocked(_))));
        let boom = method(vm, calls, "boom", "()V");
        let Outcome::Threw(exception) = vm.call_plain(boom, &[]) else {
            panic!("boom did not throw")
        };
        assert_eq!(vm.external_name(vm.class_of(exception)), "java.lang.IllegalStateException");
        let missing = method(vm, calls, "missing", "(I)I");
        let Outcome::Threw(error) = vm.call_plain(missing, &[1]) else {
            panic!("a missing native did not throw")
        };
        let text = vm.describe_throwable(error);
        assert!(
            text.contains("UnsatisfiedLinkError") && text.contains("'int Calls.missing(int)'"),
            "{text}"
        );
    });
}

#[test]
fn long_loops_need_no_host_stack() {
    // Handlers reach each other by tail calls; a missed one would overflow this small stack at once.
    let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(|| {
        with_java("calls", SOURCE, |vm, class| {
            let run = method(vm, class(vm, "Calls"), "loop", "(I)J");
            let outcome = vm.call_plain(run, &[Value::Int(2_000_000).to_slot()]);
            assert!(matches!(outcome, Outcome::Returned(Value::Long(_))), "{outcome:?}");
            let everything = method(vm, class(vm, "Calls"), "everything", "(I)J");
            let outcome = vm.call_plain(everything, &[Value::Int(3_000).to_slot()]);
            assert!(matches!(outcome, Outcome::Returned(Value::Long(_))), "{outcome:?}");
            // A handler that does not end in a jump leaves its frame behind: thousands per slice.
            assert!(vm.run.deepest < 16 << 10, "{} bytes of host stack", vm.run.deepest);
        });
    });
    thread.expect("a thread starts").join().expect("the loop ends");
}

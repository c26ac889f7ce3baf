//! Green threads seen from Rust: time travel over threads in the middle of something, deadlocks as
//! outcomes, and schedules that only the seed decides.

mod machine;

use machine::{method, with_java};
use vm::frame::Stop;
use vm::interp::Outcome;
use vm::thread::State;
use vm::value::{ClassId, Value};
use vm::vm::Vm;

const SOURCE: &str = r#"
class Threads {
    static class Adder extends Thread {
        Integer asked, answered;
        Adder() { super("adder"); setDaemon(true); }
        public synchronized void run() {
            int sum = 0;
            try {
                while (true) {
                    while (asked == null) wait();
                    if (asked == 0) return;
                    sum = add(sum, 20);
                    answered = sum;
                    asked = null;
                    notifyAll();
                }
            } catch (InterruptedException e) {
                throw new Error(e);
            }
        }
        // Waits for more at some depth, so that the stack holds something.
        int add(int sum, int depth) throws InterruptedException {
            if (depth > 0) return add(sum, depth - 1);
            wait(5);
            return sum + asked;
        }
        synchronized int ask(int x) throws InterruptedException {
            asked = x;
            notifyAll();
            while (asked != null) wait();
            return answered;
        }
        void end() throws InterruptedException {
            synchronized (this) { asked = 0; notifyAll(); }
            join();
        }
    }
    static Adder adder;
    static void begin() { adder = new Adder(); adder.start(); }
    static int ask(int x) throws Exception { return adder.ask(x); }
    static void end() throws Exception { adder.end(); }
    static boolean alive() { return adder.isAlive(); }

    static int crowd(int n) throws Exception {
        int[] sum = new int[1];
        Thread[] threads = new Thread[n];
        for (int i = 0; i < n; i++) {
            int k = i;
            threads[i] = new Thread(() -> { synchronized (sum) { sum[0] += k; } });
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
        return sum[0];
    }
    static void leave(int n) {
        for (int i = 0; i < n; i++) new Thread(() -> { while (true) Thread.yield(); }).start();
    }

    static volatile int race;
    static int next(int n) { return n + 1; }
    static int race() throws Exception {
        race = 0;
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> { for (int k = 0; k < 100_000; k++) race = next(race); });
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
        return race;
    }

    static void embrace() throws Exception {
        Object left = new StringBuilder(), right = new int[0];
        Thread other = new Thread(() -> {
            synchronized (right) {
                Thread.yield();
                nap();
                synchronized (left) { }
            }
        }, "other");
        synchronized (left) {
            other.start();
            nap();
            synchronized (right) { }
        }
    }
    /** The same with locks that are objects. */
    static void embraceByLocks() throws Exception {
        var left = new java.util.concurrent.locks.ReentrantLock();
        var right = new java.util.concurrent.locks.ReentrantLock();
        Thread other = new Thread(() -> {
            right.lock();
            nap();
            left.lock();
        }, "other");
        left.lock();
        other.start();
        nap();
        right.lock();
    }
    static void nap() {
        try { Thread.sleep(10); } catch (InterruptedException e) { throw new Error(e); }
    }
    static void forever() throws Exception {
        // A housekeeper of the library that wakes up every minute.
        java.lang.ref.Cleaner.create().register(new Object(), () -> { });
        Object gate = new Object();
        synchronized (gate) { gate.wait(); }
    }
    static long sleepLong() throws Exception {
        long before = System.nanoTime();
        Thread.sleep(86_400_000L * 300);
        return (System.nanoTime() - before) / 86_400_000_000_000L;
    }
    static int hash() { return new Object().hashCode(); }
    static int locked;
    static synchronized int stuckHolding() throws Exception { locked++; Thread.currentThread().join(); return locked; }
    static synchronized int touch() { return locked; }
}
"#;

fn call(vm: &mut Vm, class: ClassId, name: &str, descriptor: &str, args: &[u64]) -> Value {
    match vm.call_plain(method(vm, class, name, descriptor), args) {
        Outcome::Returned(value) => value,
        Outcome::Threw(exception) => panic!("{name} threw {}", vm.describe_throwable(exception)),
        Outcome::Stopped(stop) => panic!("{name} stopped: {stop:?}"),
    }
}

fn ask(vm: &mut Vm, class: ClassId, x: u64) -> i32 {
    match call(vm, class, "ask", "(I)I", &[x]) {
        Value::Int(answer) => answer,
        other => panic!("not an int: {other:?}"),
    }
}

fn n_alive(vm: &Vm) -> usize {
    vm.threads.iter().filter(|thread| thread.state != State::Ended && !thread.housekeeper).count()
}

#[test]
fn rollback_takes_back_what_another_thread_did_in_the_middle_of_its_loop() {
    with_java("threads", SOURCE, |vm, class| {
        let class = class(vm, "Threads");
        call(vm, class, "begin", "()V", &[]);
        assert_eq!(ask(vm, class, 5), 5);
        let outer = vm.mark();
        assert_eq!(ask(vm, class, 10), 15);
        let inner = vm.mark();
        assert_eq!(ask(vm, class, 100), 115);
        assert_eq!(ask(vm, class, 1), 116);
        vm.rollback_to(&inner);
        assert_eq!(ask(vm, class, 7), 22);
        vm.rollback(inner);
        assert_eq!(ask(vm, class, 1), 16);
        let inner = vm.mark();
        assert_eq!(ask(vm, class, 4), 20);
        vm.commit(inner);
        assert_eq!(ask(vm, class, 4), 24);
        vm.rollback_to(&outer);
        for _ in 0..50 {
            assert_eq!(ask(vm, class, 1), 6);
            vm.rollback_to(&outer);
        }
        vm.rollback(outer);
        assert_eq!(ask(vm, class, 1), 6);
    });
}

#[test]
fn rollback_brings_back_threads_that_ended_and_forgets_new_ones() {
    with_java("threads", SOURCE, |vm, class| {
        let class = class(vm, "Threads");
        call(vm, class, "begin", "()V", &[]);
        assert_eq!(ask(vm, class, 5), 5);
        let n_before = n_alive(vm);
        let mark = vm.mark();
        for _ in 0..20 {
            call(vm, class, "end", "()V", &[]);
            assert_eq!(call(vm, class, "alive", "()Z", &[]), Value::Int(0));
            assert_eq!(call(vm, class, "crowd", "(I)I", &[30]), Value::Int(435));
            call(vm, class, "leave", "(I)V", &[3]);
            assert_eq!(n_alive(vm), n_before - 1 + 3);
            vm.rollback_to(&mark);
            assert_eq!(n_alive(vm), n_before);
            assert_eq!(ask(vm, class, 2), 7);
            assert_eq!(call(vm, class, "alive", "()Z", &[]), Value::Int(1));
            vm.rollback_to(&mark);
        }
        vm.rollback(mark);
        assert_eq!(ask(vm, class, 1), 6);
        call(vm, class, "end", "()V", &[]);
        assert_eq!(n_alive(vm), n_before - 1);
    });
}

#[test]
fn a_race_ends_the_same_way_after_every_rollback() {
    with_java("threads", SOURCE, |vm, class| {
        let class = class(vm, "Threads");
        let mark = vm.mark();
        let first = call(vm, class, "race", "()I", &[]);
        let hash = call(vm, class, "hash", "()I", &[]);
        assert_ne!(first, Value::Int(400_000), "the threads take turns");
        for _ in 0..3 {
            vm.rollback_to(&mark);
            assert_eq!(call(vm, class, "race", "()I", &[]), first);
            assert_eq!(call(vm, class, "hash", "()I", &[]), hash);
        }
        vm.rollback(mark);
    });
}

#[test]
fn a_deadlock_is_an_outcome_that_names_the_threads_and_a_rollback_resolves_it() {
    with_java("threads", SOURCE, |vm, class| {
        let class = class(vm, "Threads");
        let mark = vm.mark();
        for _ in 0..3 {
            let embrace = method(vm, class, "embrace", "()V");
            let Outcome::Stopped(Stop::Deadlocked(deadlock)) = vm.call_plain(embrace, &[]) else {
                panic!("no deadlock");
            };
            assert!(deadlock.is_circle);
            let text = deadlock.waiting.join("\n");
            let main = "thread \"main\" waits for the lock of a [I held by thread \"other\" in Threads.embrace";
            assert!(text.contains(main), "{text}");
            let other = "thread \"other\" waits for the lock of a java.lang.StringBuilder held by thread \"main\"";
            assert!(text.contains(other), "{text}");
            vm.rollback_to(&mark);
            assert_eq!(call(vm, class, "crowd", "(I)I", &[3]), Value::Int(3));
            vm.rollback_to(&mark);
        }
        vm.rollback(mark);
    });
}

#[test]
fn threads_that_hold_each_others_locks_wait_in_a_circle_whatever_the_locks_are() {
    with_java("threads", SOURCE, |vm, class| {
        let class = class(vm, "Threads");
        let embrace = method(vm, class, "embraceByLocks", "()V");
        let Outcome::Stopped(Stop::Deadlocked(deadlock)) = vm.call_plain(embrace, &[]) else {
            panic!("no deadlock");
        };
        assert!(deadlock.is_circle, "{:?}", deadlock.waiting);
    });
}

#[test]
fn waiting_for_nobody_is_a_deadlock_even_while_the_library_keeps_house() {
    with_java("threads", SOURCE, |vm, class| {
        let class = class(vm, "Threads");
        let forever = method(vm, class, "forever", "()V");
        let Outcome::Stopped(Stop::Deadlocked(deadlock)) = vm.call_plain(forever, &[]) else {
            panic!("no deadlock");
        };
        assert!(!deadlock.is_circle, "nobody else waits");
        let text = deadlock.waiting.join("\n");
        assert!(
            text.contains("thread \"main\" waits to be notified on a java.lang.Object"),
            "{text}"
        );
    });
}

#[test]
fn sleeping_for_most_of_a_year_takes_no_time() {
    with_java("threads", SOURCE, |vm, class| {
        let class = class(vm, "Threads");
        assert_eq!(call(vm, class, "sleepLong", "()J", &[]), Value::Long(300));
    });
}

#[test]
fn rollback_releases_locks_of_a_call_that_never_came_back() {
    with_java("threads", SOURCE, |vm, class| {
        let class = class(vm, "Threads");
        call(vm, class, "touch", "()I", &[]);
        let mark = vm.mark();
        let stuck = method(vm, class, "stuckHolding", "()I");
        assert!(matches!(vm.call_plain(stuck, &[]), Outcome::Stopped(Stop::Deadlocked(_))));
        assert!(vm.holds_lock(vm.mirror(class)));
        vm.rollback(mark);
        assert!(!vm.holds_lock(vm.mirror(class)));
        assert_eq!(call(vm, class, "touch", "()I", &[]), Value::Int(0));
    });
}

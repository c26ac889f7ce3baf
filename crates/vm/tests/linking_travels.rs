//! Loading, linking, initialisation and interning are taken back by a rollback and happen again.

mod machine;

use machine::{method, with_java};
use vm::interp::Outcome;
use vm::value::{ClassId, MethodId, Value};
use vm::vm::Vm;

const SOURCE: &str = r#"
import java.util.*;
import java.util.function.*;

class Test {
    static int runs;

    static class Counted {
        static int value;
        static { value = ++runs; }
    }

    static class Fails {
        static { if (runs >= 0) throw new IllegalStateException("run " + runs); }
        static void use() {}
    }

    interface Shape { default String name() { return "shape"; } }
    record Square(int side) implements Shape {}
    enum Colour { RED, GREEN { public String toString() { return "green!"; } } }

    /** Everything that loads, links and initialises; the same text each time it runs first. */
    static int work() throws Exception {
        StringBuilder text = new StringBuilder();
        text.append(Counted.value).append(runs);
        try { Fails.use(); } catch (ExceptionInInitializerError e) { text.append(e.getCause().getMessage()); }
        try { Fails.use(); } catch (NoClassDefFoundError e) { text.append(e.getCause().getMessage()); }
        Supplier<String> lambda = () -> "lambda" + runs;
        text.append(lambda.get());
        text.append(new Square(3)).append(new Square(3).name());
        text.append(Arrays.toString(Colour.values()));
        text.append(Class.forName("java.util.concurrent.ConcurrentSkipListMap").getDeclaredMethods().length);
        text.append(new Square[2][3].getClass());
        String fresh = new String("fresh" + runs);
        text.append(fresh.intern() == fresh).append("fresh1" == fresh.intern());
        ClassLoader loader = new ClassLoader(null) {};
        text.append(Class.forName("java.util.ArrayDeque", true, loader).getConstructor().newInstance());
        text.append(String.format("%5.2f", 1.5));
        text.append(new TreeMap<>(Map.of("a", 1)).descendingMap());
        return text.toString().hashCode();
    }

    static int counted() { return Counted.value; }
    static int fails() { try { Fails.use(); return 0; } catch (ExceptionInInitializerError e) { return 1; } catch (NoClassDefFoundError e) { return 2; } }
}
"#;

/// Sizes of the tables beside the heap.
fn sizes(vm: &Vm) -> [usize; 6] {
    let known: usize = vm.loaders.iter().map(|loader| loader.classes.len()).sum();
    let initialised = vm.classes.iter().filter(|class| class.initialised_at.is_some()).count();
    let arrays = vm.classes.iter().filter(|class| class.array_class.is_some()).count();
    [vm.classes.len(), vm.methods.len(), vm.loaders.len(), known, initialised, arrays]
}

fn call(vm: &mut Vm, method: MethodId) -> i32 {
    match vm.call_plain(method, &[]) {
        Outcome::Returned(Value::Int(value)) => value,
        Outcome::Threw(exception) => panic!("{}", vm.describe_throwable(exception)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn rollback_takes_back_what_was_linked_and_it_links_again() {
    with_java("travels", SOURCE, |vm, class| {
        let test: ClassId = class(vm, "Test");
        let work = method(vm, test, "work", "()I");
        let before = sizes(vm);
        let mark = vm.mark();
        let first = call(vm, work);
        let after = sizes(vm);
        assert!(before[0] + 100 < after[0], "only {} classes were loaded", after[0] - before[0]);
        for _ in 0..3 {
            vm.rollback_to(&mark);
            assert_eq!(sizes(vm), before);
            assert_eq!(call(vm, work), first);
            assert_eq!(sizes(vm), after);
        }
        vm.rollback(mark);
        assert_eq!(sizes(vm), before);
        assert_eq!(call(vm, work), first);
    });
}

#[test]
fn what_an_inner_mark_commits_an_outer_one_takes_back() {
    with_java("commits", SOURCE, |vm, class| {
        let test: ClassId = class(vm, "Test");
        let work = method(vm, test, "work", "()I");
        let counted = method(vm, test, "counted", "()I");
        let before = sizes(vm);
        let outer = vm.mark();
        let inner = vm.mark();
        let first = call(vm, work);
        let after = sizes(vm);
        vm.commit(inner);
        assert_eq!(call(vm, counted), 1);
        let again = vm.mark();
        assert_eq!(call(vm, counted), 1);
        vm.rollback(again);
        assert_eq!(sizes(vm), after);
        assert_eq!(call(vm, counted), 1);
        vm.rollback_to(&outer);
        assert_eq!(sizes(vm), before);
        assert_eq!(call(vm, work), first);
        vm.rollback(outer);
        assert_eq!(sizes(vm), before);
        assert_eq!(call(vm, counted), 1);
        assert_eq!(call(vm, counted), 1);
    });
}

#[test]
fn a_failed_initialiser_may_fail_again_after_a_rollback() {
    with_java("fails", SOURCE, |vm, class| {
        let test: ClassId = class(vm, "Test");
        let fails = method(vm, test, "fails", "()I");
        let mark = vm.mark();
        for _ in 0..3 {
            assert_eq!(call(vm, fails), 1);
            assert_eq!(call(vm, fails), 2);
            vm.rollback_to(&mark);
        }
        vm.rollback(mark);
        assert_eq!(call(vm, fails), 1);
        let mark = vm.mark();
        assert_eq!(call(vm, fails), 2);
        vm.rollback(mark);
        assert_eq!(call(vm, fails), 2);
    });
}

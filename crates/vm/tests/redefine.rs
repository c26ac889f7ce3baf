//! New code for a class that is there: calls run it, frames in the middle of the old code go on with that,
//! and a rollback takes it back, whether or not some frame stands in the class.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod machine;

use classfile::ClassBytes;
use machine::{method, with_java};
use vm::boot::Unfinished;
use vm::interp::Outcome;
use vm::value::{ClassId, Value};
use vm::vm::Vm;

const SOURCE: &str = r#"
    import java.util.function.IntUnaryOperator;

    class Redefined {
        static int calls;
        static final Object lock = new Object();
        static boolean go;
        static int result;
        static Thread thread;

        static int twice(int x) {
            calls++;
            IntUnaryOperator doubled = y -> y * 2;
            String text = "x" + x;
            return doubled.applyAsInt(x) + text.length();
        }

        static int through(int x) {
            return twice(x);
        }

        static int standing(int x) {
            try {
                synchronized (lock) {
                    while (!go) {
                        lock.wait();
                    }
                }
            } catch (InterruptedException e) {
                return -1;
            }
            IntUnaryOperator tripled = y -> y * 3;
            int[] garbage = new int[1000];
            return tripled.applyAsInt(x) + garbage.length;
        }

        static int start(int x) throws Exception {
            thread = new Thread(() -> result = standing(x));
            thread.start();
            while (thread.getState() != Thread.State.WAITING) {
                Thread.sleep(1);
            }
            return 0;
        }

        static int finish(int x) throws Exception {
            synchronized (lock) {
                go = true;
                lock.notifyAll();
            }
            thread.join();
            System.gc();
            return result;
        }
    }
"#;

const IADD: u8 = 96;
const ISUB: u8 = 100;
const IRETURN: u8 = 172;
const ARETURN: u8 = 176;

fn call(vm: &mut Vm, class: ClassId, name: &str, x: u64) -> i32 {
    let called = method(vm, class, name, "(I)I");
    match vm.call_plain(called, &[x]) {
        Outcome::Returned(Value::Int(value)) => value,
        other => panic!("{name}: {other:?}"),
    }
}

/// The class file with the last occurrence of an opcode in some methods' code replaced.
fn with_opcode(vm: &Vm, class: ClassId, names: &[&str], old: u8, new: u8) -> ClassBytes {
    let file = vm.class(class).class_file();
    let mut bytes = file.bytes().to_vec();
    for name in names {
        let code = file.method(name.as_bytes(), b"(I)I").unwrap().code.as_ref().unwrap();
        let at = classfile::instructions::iter(file.instructions(code))
            .filter(|instruction| instruction.opcode == old)
            .last()
            .unwrap();
        bytes[code.code.start as usize + usize::from(at.pc)] = new;
    }
    ClassBytes::from_vec(bytes)
}

#[test]
fn a_redefinition_lasts_until_the_mark_is_rolled_back() {
    with_java("redefine", SOURCE, |vm, class| {
        let class = class(vm, "Redefined");
        let changed = with_opcode(vm, class, &["twice", "standing"], IADD, ISUB);
        // Before the original was ever called, and afterwards.
        for _ in 0..2 {
            for _ in 0..3 {
                let mark = vm.mark();
                vm.redefine_class(class, &changed).unwrap();
                assert_eq!(call(vm, class, "through", 10), 20 - 3);
                vm.redefine_class(class, &changed).unwrap();
                assert_eq!(call(vm, class, "through", 4), 8 - 2);
                vm.rollback(mark);
            }
            assert_eq!(call(vm, class, "through", 10), 20 + 3);
        }
        vm.redefine_class(class, &changed).unwrap();
        assert_eq!(call(vm, class, "through", 10), 20 - 3);
    });
}

#[test]
fn frames_in_the_middle_of_old_code_go_on_with_it() {
    with_java("redefine", SOURCE, |vm, class| {
        let class = class(vm, "Redefined");
        let changed = with_opcode(vm, class, &["twice", "standing"], IADD, ISUB);
        call(vm, class, "start", 5);
        for _ in 0..2 {
            let mark = vm.mark();
            vm.redefine_class(class, &changed).unwrap();
            assert_eq!(call(vm, class, "finish", 0), 15 + 1000);
            assert_eq!(call(vm, class, "standing", 5), 15 - 1000);
            vm.rollback(mark);
        }
        let mark = vm.mark();
        assert_eq!(call(vm, class, "finish", 0), 15 + 1000);
        assert_eq!(call(vm, class, "standing", 5), 15 + 1000);
        vm.rollback(mark);
        vm.redefine_class(class, &changed).unwrap();
        assert_eq!(call(vm, class, "through", 10), 20 - 3);
        assert_eq!(call(vm, class, "finish", 0), 15 + 1000);
        assert_eq!(call(vm, class, "standing", 5), 15 - 1000);
    });
}

#[test]
fn code_that_does_not_verify_is_refused() {
    with_java("redefine", SOURCE, |vm, class| {
        let class = class(vm, "Redefined");
        let changed = with_opcode(vm, class, &["twice"], IRETURN, ARETURN);
        match vm.redefine_class(class, &changed) {
            Err(Unfinished::Threw(error)) => {
                assert_eq!(vm.external_name(vm.class_of(error)), "java.lang.VerifyError");
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(call(vm, class, "through", 1), 4);
    });
}

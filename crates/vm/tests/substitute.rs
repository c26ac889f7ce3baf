//! Another body for a method under a mark: it runs instead, its call sites work, and a rollback puts the
//! original back.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod machine;

use classfile::{ClassBytes, ClassFile};
use machine::{method, with_java};
use vm::interp::Outcome;
use vm::substitute::NoSubstitute;
use vm::value::{ClassId, LoaderId, Value};
use vm::vm::Vm;

const SOURCE: &str = r#"
    import java.util.function.IntUnaryOperator;

    class Substituted {
        static int calls;

        static int twice(int x) {
            calls++;
            IntUnaryOperator doubled = y -> y * 2;
            String text = "x" + x;
            return doubled.applyAsInt(x) + text.length();
        }

        static int through(int x) {
            return twice(x);
        }

        int field = 7;
        int other = 8;

        int get() {
            return field;
        }

        static int listed(int x) {
            java.util.ArrayList<Object> list = new java.util.ArrayList<>();
            list.add("element");
            return list.get(0) == null ? x : -x;
        }

        static int got(int x) {
            return new Substituted().get() + x;
        }
    }
"#;

fn through(vm: &mut Vm, class: ClassId, x: u64) -> i32 {
    let through = method(vm, class, "through", "(I)I");
    match vm.call_plain(through, &[x]) {
        Outcome::Returned(Value::Int(value)) => value,
        other => panic!("{other:?}"),
    }
}

/// The class file with the last occurrence of an opcode in a method's code replaced.
fn with_opcode(vm: &Vm, class: ClassId, name: &str, old: u8, new: u8) -> ClassFile {
    let file = vm.class(class).class_file();
    let code = file.method(name.as_bytes(), b"(I)I").unwrap().code.as_ref().unwrap();
    let mut bytes = file.bytes().to_vec();
    let at = classfile::instructions::iter(file.instructions(code))
        .filter(|instruction| instruction.opcode == old)
        .last()
        .unwrap();
    bytes[code.code.start as usize + usize::from(at.pc)] = new;
    ClassFile::parse(ClassBytes::from_vec(bytes)).unwrap()
}

const IADD: u8 = 96;
const ISUB: u8 = 100;
const IRETURN: u8 = 172;
const ARETURN: u8 = 176;

#[test]
fn a_substitute_runs_until_the_mark_is_rolled_back() {
    with_java("substitute", SOURCE, |vm, class| {
        let class = class(vm, "Substituted");
        let twice = method(vm, class, "twice", "(I)I");
        let file = with_opcode(vm, class, "twice", IADD, ISUB);
        let substitute = vm.prepare_substitute(twice, &file, &|bci| bci).unwrap();
        // Before the original was ever called, and afterwards.
        for _ in 0..2 {
            for _ in 0..3 {
                let mark = vm.mark();
                assert!(vm.substitute(substitute));
                assert_eq!(through(vm, class, 10), 20 - 3);
                assert_eq!(through(vm, class, 4), 8 - 2);
                vm.rollback(mark);
            }
            assert_eq!(through(vm, class, 10), 20 + 3);
        }
        let mark = vm.mark();
        assert!(vm.substitute(substitute));
        vm.rollback_to(&mark);
        assert_eq!(through(vm, class, 10), 20 + 3);
        vm.rollback(mark);
    });
}

/// A call site that reads the field itself, as the method it calls would, has to see another body.
#[test]
fn a_substitute_for_a_method_that_only_gives_a_field_is_run() {
    with_java("substitute", SOURCE, |vm, class| {
        let class = class(vm, "Substituted");
        let (get, got) = (method(vm, class, "get", "()I"), method(vm, class, "got", "(I)I"));
        let call = |vm: &mut Vm| match vm.call_plain(got, &[100]) {
            Outcome::Returned(Value::Int(value)) => value,
            other => panic!("{other:?}"),
        };
        let file = vm.class(class).class_file();
        let code = file.method(b"get", b"()I").unwrap().code.as_ref().unwrap();
        let mut bytes = file.bytes().to_vec();
        // `bipush 42; nop; nop; ireturn` for `aload_0; getfield; ireturn`.
        let at = code.code.start as usize;
        bytes[at..at + 4].copy_from_slice(&[16, 42, 0, 0]);
        let file = ClassFile::parse(ClassBytes::from_vec(bytes)).unwrap();
        let substitute = vm.prepare_substitute(get, &file, &|bci| bci).unwrap();
        for _ in 0..2 {
            let mark = vm.mark();
            assert!(vm.substitute(substitute));
            assert_eq!([call(vm), call(vm)], [142, 142]);
            vm.rollback(mark);
            assert_eq!([call(vm), call(vm)], [107, 107]);
        }
    });
}

/// The machine runs `ArrayList.get` itself, but not where the method has another body.
#[test]
fn a_substitute_for_an_intrinsic_is_run() {
    with_java("substitute", SOURCE, |vm, class| {
        let list = vm.find_loaded_class(LoaderId::BOOT, b"java/util/ArrayList").unwrap();
        let listed = class(vm, "Substituted");
        let listed = method(vm, listed, "listed", "(I)I");
        let call = |vm: &mut Vm| match vm.call_plain(listed, &[5]) {
            Outcome::Returned(Value::Int(value)) => value,
            other => panic!("{other:?}"),
        };
        let descriptor = "(I)Ljava/lang/Object;";
        let get = method(vm, list, "get", descriptor);
        let file = vm.class(list).class_file();
        let code = file.method(b"get", descriptor.as_bytes()).unwrap().code.as_ref().unwrap();
        let mut bytes = file.bytes().to_vec();
        let (at, len) = (code.code.start as usize, file.instructions(code).len());
        // Nothing, then `aconst_null; areturn`.
        bytes[at..at + len].fill(0);
        bytes[at + len - 2..at + len].copy_from_slice(&[1, 176]);
        let file = ClassFile::parse(ClassBytes::from_vec(bytes)).unwrap();
        let substitute = vm.prepare_substitute(get, &file, &|bci| bci).unwrap();
        for _ in 0..2 {
            assert_eq!([call(vm), call(vm)], [-5, -5]);
            let mark = vm.mark();
            assert!(vm.substitute(substitute));
            assert_eq!([call(vm), call(vm)], [5, 5]);
            vm.rollback(mark);
        }
    });
}

#[test]
fn a_body_that_does_not_verify_is_no_substitute() {
    with_java("substitute", SOURCE, |vm, class| {
        let class = class(vm, "Substituted");
        let twice = method(vm, class, "twice", "(I)I");
        let file = with_opcode(vm, class, "twice", IRETURN, ARETURN);
        let refused = vm.prepare_substitute(twice, &file, &|bci| bci);
        assert!(matches!(refused, Err(NoSubstitute::Invalid(_))), "{refused:?}");
        assert_eq!(through(vm, class, 1), 4);
    });
}

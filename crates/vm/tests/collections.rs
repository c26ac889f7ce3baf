//! The collector under Java code that was quickened: what a call still needs stays.

mod machine;

use machine::{method, with_java};
use vm::code::Op;
use vm::interp::Outcome;
use vm::value::{MethodId, Value};
use vm::vm::Vm;

/// Each method makes an object that only an argument of a later call refers to, then garbage enough
/// for several collections, then calls a method that the machine runs itself.
const SOURCE: &str = r"
class Arguments {
    static Object sink;
    static String fresh(int x) {
        for (int i = 0; i < 3000; i++) sink = new int[8];
        return new StringBuilder().append('<').append(x).append('>').toString();
    }
    static char[] letters(int x) { return fresh(x).toCharArray(); }
    static int equal(int x) { return fresh(x).equals(fresh(x)) ? 1 : 0; }
    static int letter(int x) { return fresh(x).charAt(place(x)) == '<' ? 1 : 0; }
    static int copied(int x) {
        char[] to = new char[3];
        System.arraycopy(letters(x), 0, to, place(x), 3);
        return to[0] == '<' && to[1] == '0' + x % 10 && to[2] == '>' ? 1 : 0;
    }
    static int place(int x) { fresh(x); return 0; }
}
";

fn n_intrinsics(vm: &Vm, method: MethodId) -> usize {
    let code = vm.methods.code(method).expect("was called");
    // Nobody runs the code while it is looked at.
    let ops = code.insns.iter().map(|insn| insn.get());
    #[expect(unsafe_code, reason = "see above")]
    ops.filter(|insn| unsafe { (**insn).op } == Op::intrinsic_q as u16).count()
}

#[test]
fn arguments_of_an_intrinsic_stay_over_a_collection() {
    with_java("arguments", SOURCE, |vm, class| {
        let class = class(vm, "Arguments");
        for name in ["equal", "letter", "copied"] {
            let method = method(vm, class, name, "(I)I");
            // The collector first looks at the method when it has been quickened.
            vm.heap.nursery = 16 << 20;
            vm.collect_outside();
            let n_before = vm.gc.stats.n_young;
            vm.call_plain(method, &[0]);
            assert_eq!(vm.gc.stats.n_young, n_before);
            assert!(n_intrinsics(vm, method) > 0, "{name} has no intrinsic");
            vm.heap.nursery = 32 << 10;
            vm.collect_outside();
            for x in 0..10 {
                let n_before = vm.gc.stats.n_young;
                let outcome = vm.call_plain(method, &[x]);
                assert_eq!(outcome, Outcome::Returned(Value::Int(1)), "{name}({x})");
                assert!(vm.gc.stats.n_young > n_before + 1, "{name}({x}) collects");
            }
        }
    });
}

//! One-instruction code that frames and methods point at where there is no translated code.

use crate::code::{Insn, Op};

macro_rules! stubs {
    ($($op:ident => $name:ident,)*) => {
        $(static $name: Insn = Insn { op: Op::$op as u16, a: 0, b: 0, c: 0 };)*

        /// The stub with this operation.
        pub fn stub(op: Op) -> *const Insn {
            match op {
                $(Op::$op => &raw const $name,)*
                _ => unreachable!("internal: no stub for {op:?}"),
            }
        }
    };
}

stubs! {
    compile => COMPILE,
    native => NATIVE,
    abstract_method => ABSTRACT_METHOD,
    hook => HOOK,
}

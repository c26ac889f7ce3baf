//! Exceptions that the machine throws, and stack traces.

use crate::frame::Trap;
use crate::value::{ClassId, Ref};
use crate::vm::Vm;

impl Vm {
    /// A new exception of a boot class, ready to throw: fields as the constructor leaves them, stack
    /// trace filled in. For `return Err(vm.throw("java/lang/IllegalArgumentException", "…"))`.
    pub fn throw(&mut self, class: &str, message: &str) -> Trap {
        let _ = (class, message);
        unreachable!("internal: not written yet")
    }

    /// As `throw` without a message (`getMessage()` is null).
    pub fn throw_plain(&mut self, class: &str) -> Trap {
        let _ = class;
        unreachable!("internal: not written yet")
    }

    /// A new throwable of a class, with message and cause (null: none). Its constructor does not run.
    pub fn new_throwable(&mut self, class: ClassId, message: Option<&str>, cause: Ref) -> Result<Ref, Trap> {
        let _ = (class, message, cause);
        unreachable!("internal: not written yet")
    }

    /// `Throwable.fillInStackTrace`: a compact backtrace (method and bytecode index per frame, a
    /// `long[]`) in `backtrace`; depth in `depth`.
    pub fn fill_in_stack_trace(&mut self, throwable: Ref) -> Result<(), Trap> {
        let _ = throwable;
        unreachable!("internal: not written yet")
    }
}

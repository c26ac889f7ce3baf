//! Class initialisation, JVMS §5.5.

use crate::frame::Res;
use crate::value::{ClassId, Ref};
use crate::vm::Vm;

impl Vm {
    /// Makes sure a class is initialised (or being initialised by this thread). Needs Java code to
    /// run where it is not: `Trap::Upcall` with `Hook::ClassInit`, then the caller repeats.
    pub fn ensure_initialised(&mut self, class: ClassId) -> Res<()> {
        let _ = class;
        unreachable!("internal: not written yet")
    }

    /// Whether initialisation has ended successfully.
    pub fn is_initialised(&self, class: ClassId) -> bool {
        let _ = class;
        unreachable!("internal: not written yet")
    }

    /// `<clinit>` returned; called by the interpreter for `Hook::ClassInit`.
    pub fn class_init_returned(&mut self, class: ClassId) {
        let _ = class;
        unreachable!("internal: not written yet")
    }

    /// `<clinit>` threw; gives what is thrown instead (`ExceptionInInitializerError` or the Error itself).
    pub fn class_init_threw(&mut self, class: ClassId, exception: Ref) -> Ref {
        let _ = (class, exception);
        unreachable!("internal: not written yet")
    }
}

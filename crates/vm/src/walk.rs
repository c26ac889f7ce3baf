//! Walking the frames of the running thread, youngest first.
#![expect(unsafe_code, reason = "frames are reached through raw pointers; see `frame.rs`")]

use crate::code::Insn;
use crate::frame::Frame;
use crate::value::{MethodId, Ref};
use crate::vm::Vm;

/// One Java frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Activation {
    /// The method.
    pub method: MethodId,
    /// The bytecode index of the current instruction; zero for natives.
    pub bci: u16,
    /// The frame itself.
    pub frame: *mut Frame,
}

impl Activation {
    /// A reference that a Java method was given, by the number of its variable, where the method has
    /// not written to the variable since.
    pub(crate) fn parameter(&self, variable: usize) -> Ref {
        // SAFETY: the frame is one of a thread that stands still while natives run, and its first
        // registers are the parameters.
        Ref::from_slot(unsafe { *(*self.frame).fp.add(variable) })
    }
}

/// Iterator over the frames of one thread. Hook frames are passed over.
#[derive(Debug)]
pub struct Walk {
    next: *mut Frame,
    first: *mut Frame,
    /// Whether the frame above is a hook frame (or there is none), so that `pc` is the
    /// instruction itself and not the one behind a call.
    at_instruction: bool,
}

impl Vm {
    /// The frames of the running thread. The interpreter saves the top frame's `pc` before any code
    /// outside it runs, so natives and slow paths may walk at any time.
    pub fn walk(&self) -> Walk {
        let first = self.threads[self.current].frames.start();
        Walk { next: self.frame, first, at_instruction: true }
    }

    /// The frames of a thread that is not running.
    pub fn walk_thread(&self, thread: usize) -> Walk {
        if thread == self.current {
            return self.walk();
        }
        let thread = &self.threads[thread];
        Walk { next: thread.frame, first: thread.frames.start(), at_instruction: true }
    }
}

impl Iterator for Walk {
    type Item = Activation;

    fn next(&mut self) -> Option<Activation> {
        loop {
            if self.next < self.first {
                return None;
            }
            let frame = self.next;
            // SAFETY: `frame` lies between the first and the top frame of its thread; methods and
            // code outlive the frames that run them.
            unsafe {
                self.next = frame.sub(1);
                let rt = (*frame).method;
                if rt.is_null() {
                    self.at_instruction = true;
                    continue;
                }
                let at_instruction = std::mem::replace(&mut self.at_instruction, false);
                let method = (*(*rt).method).id;
                let code = (*rt).code;
                let mut bci = 0;
                if !code.is_null() {
                    let code = &*code;
                    let distance = ((*frame).pc as usize).wrapping_sub(code.entry() as usize);
                    let position = distance / size_of::<Insn>();
                    if position <= code.insns.len() {
                        let position =
                            if at_instruction { position } else { position.saturating_sub(1) };
                        bci = code.bci_at(u32::try_from(position).unwrap_or(0));
                    }
                }
                return Some(Activation { method, bci, frame });
            }
        }
    }
}

//! Another body for a method, for a while: what mutants need. A substitute is verified and translated
//! once; putting it in place is an exchange of pointers, since call sites hold the method and not its
//! code, and the rollback of the youngest mark puts the original back.
//!
//! Invariant: of the two bodies the one in place belongs to the method table and the other one to
//! [`Substitutes`]; both live as long as the machine, so undo entries may point into either.
#![expect(unsafe_code, reason = "methods are reached through raw pointers; see `stack.rs`")]

use std::sync::Arc;

use classfile::ClassFile;

use crate::boot::Unfinished;
use crate::class::{Method, MethodRt};
use crate::code::{Code, Insn, translate_from};
use crate::intrinsic::Intrinsic;
use crate::travel::Undo;
use crate::value::MethodId;
use crate::vm::Vm;

/// Names a substitute of one machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Substitute(usize);

/// Why there is no substitute.
#[derive(Debug)]
pub enum NoSubstitute {
    /// The new body does not verify, or cannot be translated.
    Invalid(String),
    /// Classes that verification asks for could not be loaded.
    Unfinished(Unfinished),
}

/// All substitutes of a machine.
#[derive(Debug, Default)]
pub struct Substitutes {
    all: Vec<Body>,
}

/// The body that is not in place: the new one, or meanwhile the original.
#[derive(Debug)]
struct Body {
    method: MethodId,
    /// The linked method that the body was made for.
    linked: *const Method,
    entry: *const Insn,
    /// Null for an original that was never called.
    code: *const Code,
    n_regs: u32,
    /// As in `MethodRt`; a substitute has none.
    intrinsic: Option<Intrinsic>,
    /// As in `MethodRt`.
    is_looked_up: bool,
    /// As in `MethodRt`.
    is_substituted: bool,
    /// As in `MethodRt`.
    getter: u16,
    /// As in `MethodRt`.
    is_empty: bool,
}

// SAFETY: owned by one machine and reached only through it.
unsafe impl Send for Substitutes {}

impl Drop for Body {
    fn drop(&mut self) {
        if !self.code.is_null() {
            // SAFETY: see the invariant of this file; codes come from `Box::into_raw`.
            unsafe { drop(Box::from_raw(self.code.cast_mut())) }
        }
    }
}

impl Vm {
    /// Prepares the body that a method has in `file`, a variant of its class file in which nothing else
    /// differs. `origin` tells where an instruction stands in the original body, for stack traces and
    /// call sites.
    ///
    /// The class must have been loaded while no mark was open.
    pub fn prepare_substitute(
        &mut self,
        method: MethodId,
        file: &ClassFile,
        origin: &dyn Fn(u16) -> u16,
    ) -> Result<Substitute, NoSubstitute> {
        let class = Arc::clone(self.class(self.method(method).class));
        assert!(
            self.classes[class.id.idx()].made_at == 0,
            "internal: a class that a rollback takes back gets no substitutes"
        );
        let slot = usize::from(self.method(method).slot);
        let verified = self.complete(|vm| vm.verify_substitute(&class, file, slot));
        verified.map_err(NoSubstitute::Unfinished)?.map_err(NoSubstitute::Invalid)?;
        let mut code = translate_from(file, &class, self.method(method))
            .map_err(|error| NoSubstitute::Invalid(error.0))?;
        for (_, bci) in &mut code.bci_map {
            *bci = origin(*bci);
        }
        let n_regs = file.methods()[slot]
            .code
            .as_ref()
            .map_or(0, |code| u32::from(code.max_locals) + u32::from(code.max_stack));
        let code: *const Code = Box::into_raw(Box::new(code));
        // SAFETY: the code was made just now.
        let entry = unsafe { (*code).entry() };
        let linked: *const Method = self.method(method);
        self.substitutes.all.push(Body {
            method,
            linked,
            entry,
            code,
            n_regs,
            intrinsic: None,
            is_looked_up: true,
            is_substituted: true,
            getter: 0,
            is_empty: false,
        });
        Ok(Substitute(self.substitutes.all.len() - 1))
    }

    /// Puts a substitute in place until the youngest mark is rolled back, for good where none is open.
    /// `false`, and nothing is done, where a thread is in the middle of the method, or an agent has redefined
    /// its class.
    pub fn substitute(&mut self, substitute: Substitute) -> bool {
        let Body { method, linked, .. } = self.substitutes.all[substitute.0];
        if !std::ptr::eq(linked, self.method(method)) {
            return false;
        }
        let is_running = (0..self.threads.len())
            .any(|thread| self.walk_thread(thread).any(|activation| activation.method == method));
        if is_running {
            return false;
        }
        self.exchange(substitute);
        if self.depth() > 0 {
            self.marks.remember(Undo::Substituted(substitute));
        }
        true
    }

    /// Changes the two bodies; the method does not run.
    pub(crate) fn exchange(&mut self, substitute: Substitute) {
        let other = &mut self.substitutes.all[substitute.0];
        let rt: *mut MethodRt = self.methods.rt(other.method);
        // SAFETY: entries of the method table never move.
        let rt = unsafe { &mut *rt };
        std::mem::swap(&mut rt.entry, &mut other.entry);
        std::mem::swap(&mut rt.code, &mut other.code);
        std::mem::swap(&mut rt.n_regs, &mut other.n_regs);
        std::mem::swap(&mut rt.intrinsic, &mut other.intrinsic);
        std::mem::swap(&mut rt.is_looked_up, &mut other.is_looked_up);
        std::mem::swap(&mut rt.is_substituted, &mut other.is_substituted);
        std::mem::swap(&mut rt.getter, &mut other.getter);
        std::mem::swap(&mut rt.is_empty, &mut other.is_empty);
    }
}

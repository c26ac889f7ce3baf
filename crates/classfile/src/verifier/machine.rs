//! The abstract machine both ways of verification run: a current frame, typed pushes and pops.

use rustc_hash::FxHashMap;

use super::frame::{DeclaredFrame, Frame};
use super::layout::Layout;
use super::method::Method;
use super::vtype::{NameId, Names, OBJECT, VType};
use super::{Hierarchy, VerifyFailure};

/// The most words compared or merged for one method, many times what a sensible method of the
/// greatest size needs, and done in a second or two.
const WORK_LIMIT: u64 = 1 << 27;
/// The most words kept in frames for one method.
const STORAGE_LIMIT: usize = 1 << 24;

pub(super) type Outcome<T, H> = Result<T, VerifyFailure<<H as Hierarchy>::Suspend>>;

pub(super) struct Machine<'c, 'h, H: Hierarchy> {
    pub(super) method: &'h Method<'c>,
    pub(super) layout: &'h Layout,
    pub(super) hierarchy: &'h mut H,
    pub(super) names: Names<'c>,
    /// What the hierarchy has answered.
    pub(super) assignable: FxHashMap<(NameId, NameId), bool>,
    pub(super) merged: FxHashMap<(NameId, NameId), NameId>,
    pub(super) this_class: VType,
    pub(super) frame: Frame,
    /// Whether a local variable may have changed since the flag was last cleared.
    pub(super) locals_changed: bool,
    /// The instruction being looked at.
    pub(super) pc: usize,
    work: u64,
    storage: usize,
}

impl<'c, 'h, H: Hierarchy> Machine<'c, 'h, H> {
    pub(super) fn new(method: &'h Method<'c>, layout: &'h Layout, hierarchy: &'h mut H) -> Self {
        let mut names = Names::new();
        let this_class = VType::Object(names.id(method.class.name()));
        let mut frame = Frame::new(method.body.max_locals, method.is_constructor);
        let mut local = 0;
        if !method.is_static {
            let receiver =
                if method.is_constructor { VType::UninitializedThis } else { this_class };
            frame.set_local(0, receiver);
            local = 1;
        }
        for param in method.descriptor.iter().flat_map(|descriptor| descriptor.params()) {
            frame.set_local(local, names.vtype(param));
            local += param.slots();
        }
        Machine {
            method,
            layout,
            hierarchy,
            names,
            assignable: FxHashMap::default(),
            merged: FxHashMap::default(),
            this_class,
            frame,
            locals_changed: true,
            pc: 0,
            work: 0,
            storage: 0,
        }
    }

    #[cold]
    pub(super) fn fail<T>(&self, message: impl Into<String>) -> Outcome<T, H> {
        Err(VerifyFailure::Invalid { message: message.into(), bci: self.pc as u16 })
    }

    /// Counts work against the limit.
    pub(super) fn spend(&mut self, n_words: usize) -> Outcome<(), H> {
        self.work += n_words as u64 + 1;
        if WORK_LIMIT < self.work {
            return self.fail("Method is too complex to verify");
        }
        Ok(())
    }

    /// Counts the words of a frame that is going to be kept against the limit.
    pub(super) fn reserve(&mut self, n_words: usize) -> Outcome<(), H> {
        self.storage += n_words + 8;
        if STORAGE_LIMIT < self.storage {
            return self.fail("Method is too complex to verify");
        }
        Ok(())
    }

    /// Pushes a value of one or two words, given its first.
    pub(super) fn push(&mut self, value: VType) -> Outcome<(), H> {
        self.push_word(value)?;
        match value.high() {
            Some(high) => self.push_word(high),
            None => Ok(()),
        }
    }

    /// Pushes one word.
    pub(super) fn push_word(&mut self, word: VType) -> Outcome<(), H> {
        if usize::from(self.method.body.max_stack) <= self.frame.stack.len() {
            return self.fail("Operand stack overflow");
        }
        self.frame.stack.push(word);
        Ok(())
    }

    pub(super) fn pop_word(&mut self) -> Outcome<VType, H> {
        match self.frame.stack.pop() {
            Some(word) => Ok(word),
            None => self.fail("Operand stack underflow"),
        }
    }

    /// Pops a value that can be used as `wanted`, given by its first word; gives what it was.
    pub(super) fn pop(&mut self, wanted: VType) -> Outcome<VType, H> {
        if let Some(high) = wanted.high() {
            let top = self.pop_word()?;
            if top != high {
                return self.bad_operand();
            }
        }
        let found = self.pop_word()?;
        if found != wanted && !self.is_assignable(found, wanted)? {
            return self.bad_operand();
        }
        Ok(found)
    }

    /// Pops an object whose constructor has run, or null.
    pub(super) fn pop_object(&mut self) -> Outcome<VType, H> {
        self.pop(VType::Object(OBJECT))
    }

    /// Pops any reference, also one not yet initialized.
    pub(super) fn pop_reference(&mut self) -> Outcome<VType, H> {
        let found = self.pop_word()?;
        if !found.is_reference() {
            return self.bad_operand();
        }
        Ok(found)
    }

    pub(super) fn bad_operand<T>(&self) -> Outcome<T, H> {
        self.fail("Bad type on operand stack")
    }

    /// The local variable, which must have a type.
    pub(super) fn check_local(&mut self, local: u16, wanted: VType) -> Outcome<(), H> {
        let local = usize::from(local);
        let next = self.frame.local(local + 1);
        if self.frame.local(local) != wanted || wanted.high().is_some_and(|high| next != high) {
            return self.fail("Bad local variable type");
        }
        Ok(())
    }

    pub(super) fn set_local(&mut self, local: u16, value: VType) {
        self.frame.set_local(usize::from(local), value);
        self.locals_changed = true;
    }

    /// Whether the current frame, with `stack` as its stack, may go on as `target`.
    pub(super) fn is_frame_assignable(
        &mut self,
        stack: Option<VType>,
        target: &DeclaredFrame,
    ) -> Outcome<bool, H> {
        self.spend(target.locals.len() + target.stack.len())?;
        if self.frame.this_uninitialized && !target.this_uninitialized {
            return Ok(false);
        }
        // Any type may go on as an unusable one.
        for &(idx, wanted) in &target.locals {
            if !self.is_word_assignable(self.frame.local(usize::from(idx)), wanted)? {
                return Ok(false);
            }
        }
        if let Some(thrown) = stack {
            return match *target.stack {
                [wanted] => self.is_word_assignable(thrown, wanted),
                _ => Ok(false),
            };
        }
        if self.frame.stack.len() != target.stack.len() {
            return Ok(false);
        }
        for idx in 0..target.stack.len() {
            if !self.is_word_assignable(self.frame.stack[idx], target.stack[idx])? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn is_word_assignable(&mut self, from: VType, to: VType) -> Outcome<bool, H> {
        if from == to { Ok(true) } else { self.is_assignable(from, to) }
    }

    /// The type of what a handler catches; it must be a `Throwable`.
    pub(super) fn caught_type(&mut self, catch_type: u16) -> Outcome<VType, H> {
        let throwable = VType::Object(super::vtype::THROWABLE);
        if catch_type == 0 {
            return Ok(throwable);
        }
        let caught = VType::Object(self.names.id(self.method.pool.class_name(catch_type)));
        if caught != throwable && !self.is_assignable(caught, throwable)? {
            return self.fail("Catch type is not a subclass of Throwable in exception handler");
        }
        Ok(caught)
    }
}

//! Class initialisation, JVMS §5.5.
//!
//! States live in the mirror, so that rollback undoes them. A class is marked as in progress before
//! its superclasses are initialised; each static initialiser that must run is an upcall, after
//! which the interrupted instruction asks again. Whether a request comes from that repetition or
//! from inside a superclass's initialiser is told by the number of hooks on the thread's stack.

use std::sync::Arc;

use crate::class::{Class, flags};
use crate::frame::{Hook, Res, Trap, Upcall};
use crate::thread::State;
use crate::travel::Undo;
use crate::value::{ClassId, Kind, Ref};
use crate::vm::Vm;

/// How far a class has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum InitState {
    /// Linked but not verified.
    Loaded = 0,
    /// Verified.
    Verified = 1,
    /// In progress: superclasses and superinterfaces first.
    Supers = 2,
    /// In progress: the static initialiser runs.
    Running = 3,
    /// Done.
    Initialised = 4,
    /// Failed for good.
    Failed = 5,
}

impl Vm {
    /// Makes sure a class is initialised (or being initialised by this thread). Needs Java code to
    /// run where it is not: `Trap::Upcall` with `Hook::ClassInit`, then the caller repeats.
    pub fn ensure_initialised(&mut self, class: ClassId) -> Res<()> {
        if self.classes[class.idx()].initialised_at.is_some() {
            return Ok(());
        }
        self.initialise(class, None)
    }

    /// Whether initialisation has ended successfully.
    #[inline]
    pub fn is_initialised(&self, class: ClassId) -> bool {
        self.classes[class.idx()].initialised_at.is_some()
    }

    /// How far a class has come.
    pub fn init_state(&self, class: ClassId) -> InitState {
        match self.heap.load_u32(self.mirror(class), self.known.class_init_state) {
            0 => InitState::Loaded,
            1 => InitState::Verified,
            2 => InitState::Supers,
            3 => InitState::Running,
            4 => InitState::Initialised,
            _ => InitState::Failed,
        }
    }

    /// Whether the running thread is initialising the class (or it is initialised): what static
    /// access checks need beyond `is_initialised`.
    pub fn is_initialised_for_me(&self, class: ClassId) -> bool {
        match self.init_state(class) {
            InitState::Initialised => true,
            InitState::Supers | InitState::Running => self.is_mine(class),
            _ => false,
        }
    }

    /// `<clinit>` returned; called by the interpreter for `Hook::ClassInit`.
    pub fn class_init_returned(&mut self, class: ClassId) {
        self.finish(class, InitState::Initialised);
    }

    /// `<clinit>` threw; gives what is thrown instead (`ExceptionInInitializerError` or the Error itself).
    pub fn class_init_threw(&mut self, class: ClassId, exception: Ref) -> Ref {
        let error = if self.instance_of(exception, self.known.error) {
            exception
        } else {
            match self.new_throwable(self.known.exception_in_initializer_error, None, exception) {
                Ok(error) => error,
                Err(Trap::Throw(other)) => other,
                Err(_) => exception,
            }
        };
        // The classes that waited for this superclass fail with it, each remembering what it saw.
        let mut failed = class;
        let mut seen = exception;
        loop {
            let behalf = self.heap.load_u32(self.mirror(failed), self.known.class_init_behalf);
            self.fail(failed, seen);
            match behalf.checked_sub(1) {
                Some(next) => failed = ClassId(next),
                None => return error,
            }
            seen = error;
        }
    }

    /// Verifies a class and what it extends, superclasses first, before others look at its members.
    pub(crate) fn ensure_verified(&mut self, class: ClassId) -> Res<()> {
        let linked = Arc::clone(self.class(class));
        for &ancestor in &linked.supers {
            if self.init_state(ancestor) == InitState::Loaded {
                self.verify_class(ancestor)?;
                self.set_init_state(ancestor, InitState::Verified);
            }
        }
        Ok(())
    }

    /// One step of JVMS §5.5 for a class, on behalf of a subclass or of the running code.
    fn initialise(&mut self, class: ClassId, behalf: Option<ClassId>) -> Res<()> {
        match self.init_state(class) {
            InitState::Initialised => return Ok(()),
            InitState::Failed => return Err(self.failed_before(class)),
            InitState::Running if self.is_mine(class) => return Ok(()),
            InitState::Supers if self.is_mine(class) => {
                let begun_at = self.heap.load_u32(self.mirror(class), self.known.class_init_depth);
                if begun_at < self.n_hooks() {
                    // Asked for from inside a superclass's initialiser.
                    return Ok(());
                }
            }
            InitState::Supers | InitState::Running => {
                self.block(State::Initialising(class));
                return Err(Trap::Blocked);
            }
            InitState::Loaded => {
                self.verify_class(class)?;
                self.set_init_state(class, InitState::Verified);
                self.begin(class, behalf)?;
            }
            InitState::Verified => self.begin(class, behalf)?,
        }
        self.initialise_supers(class)?;
        self.run_initialiser(class)
    }

    fn begin(&mut self, class: ClassId, behalf: Option<ClassId>) -> Res<()> {
        self.set_string_constants(class)?;
        let mirror = self.mirror(class);
        let thread = self.my_word();
        let n_hooks = self.n_hooks();
        self.heap.store_u32(mirror, self.known.class_init_thread, thread);
        self.heap.store_u32(mirror, self.known.class_init_depth, n_hooks);
        self.heap.store_u32(
            mirror,
            self.known.class_init_behalf,
            behalf.map_or(0, |class| class.0 + 1),
        );
        self.set_init_state(class, InitState::Supers);
        Ok(())
    }

    /// Step 7: the superclass, then every superinterface that declares a default method.
    fn initialise_supers(&mut self, class: ClassId) -> Res<()> {
        let linked = Arc::clone(self.class(class));
        if linked.is_interface() {
            return Ok(());
        }
        if let Some(sup) = linked.super_class {
            self.initialise_super(sup, class)?;
        }
        self.initialise_interfaces(&linked, class)
    }

    fn initialise_interfaces(&mut self, of: &Class, class: ClassId) -> Res<()> {
        for &interface in &of.interfaces {
            let linked = Arc::clone(self.class(interface));
            self.initialise_interfaces(&linked, class)?;
            const NOT_DEFAULT: u16 = flags::ABSTRACT | flags::STATIC;
            let has_default = linked.methods.iter().any(|m| m.flags & NOT_DEFAULT == 0);
            if has_default {
                self.initialise_super(interface, class)?;
            }
        }
        Ok(())
    }

    fn initialise_super(&mut self, sup: ClassId, class: ClassId) -> Res<()> {
        if self.is_initialised(sup) {
            return Ok(());
        }
        match self.initialise(sup, Some(class)) {
            Err(Trap::Throw(exception)) => {
                self.fail(class, exception);
                Err(Trap::Throw(exception))
            }
            other => other,
        }
    }

    /// Steps 9 and 10.
    fn run_initialiser(&mut self, class: ClassId) -> Res<()> {
        let linked = self.class(class);
        let initialiser = linked.methods.iter().find(|method| method.is_static_initialiser());
        let Some(method) = initialiser.map(|method| method.id) else {
            self.finish(class, InitState::Initialised);
            return Ok(());
        };
        self.set_init_state(class, InitState::Running);
        let hook = Hook::ClassInit(class);
        Err(Trap::Upcall(Box::new(Upcall { method, args: Vec::new(), hook })))
    }

    fn finish(&mut self, class: ClassId, state: InitState) {
        self.set_init_state(class, state);
        let mirror = self.mirror(class);
        self.heap.store_u32(mirror, self.known.class_init_thread, 0);
        self.heap.store_u32(mirror, self.known.class_init_behalf, 0);
        if state == InitState::Initialised {
            let depth = self.depth();
            self.classes[class.idx()].initialised_at = Some(depth);
            self.marks.remember(Undo::Initialised(class));
        }
        self.wake_initialising(class);
    }

    /// Marks a class as failed and keeps what later attempts give as the cause.
    fn fail(&mut self, class: ClassId, exception: Ref) {
        if self.init_state(class) == InitState::Failed {
            return;
        }
        self.finish(class, InitState::Failed);
        let name = self.external_name(self.class_of(exception));
        let message = self.heap.load_ref(exception, self.known.throwable_detail_message);
        let colon = if message.is_null() {
            String::new()
        } else {
            format!(": {}", self.string_text(message))
        };
        let thread = self.current_thread_name();
        let text = format!("Exception {name}{colon} [in thread \"{thread}\"]");
        let backtrace = self.heap.load_ref(exception, self.known.throwable_backtrace);
        let depth = self.heap.load_u32(exception, self.known.throwable_depth);
        if let Ok(record) =
            self.new_throwable(self.known.exception_in_initializer_error, Some(&text), Ref::NULL)
        {
            // It shows where the original was thrown and cannot be given another cause.
            self.heap.store_ref(record, self.known.throwable_backtrace, backtrace);
            self.heap.store_u32(record, self.known.throwable_depth, depth);
            self.heap.store_ref(record, self.known.throwable_cause, Ref::NULL);
            let mirror = self.mirror(class);
            self.heap.store_ref(mirror, self.known.class_init_error, record);
        }
    }

    fn failed_before(&mut self, class: ClassId) -> Trap {
        let message = format!("Could not initialize class {}", self.external_name(class));
        let cause = self.heap.load_ref(self.mirror(class), self.known.class_init_error);
        self.throw_with_cause("java/lang/NoClassDefFoundError", Some(&message), cause)
    }

    /// Step 6 for strings; the other constants were set when the mirror was made.
    fn set_string_constants(&mut self, class: ClassId) -> Res<()> {
        let linked = Arc::clone(self.class(class));
        let Some(file) = linked.file() else { return Ok(()) };
        for (info, field) in file.fields().iter().zip(&linked.fields) {
            if info.constant_value == 0 || !field.is_static() || field.kind != Kind::Ref {
                continue;
            }
            if let Some(text) = file.constant_pool().try_string(info.constant_value) {
                let string = self.intern_mutf8(text)?;
                let mirror = self.mirror(class);
                self.heap.store_ref(mirror, field.offset, string);
            }
        }
        Ok(())
    }

    fn set_init_state(&mut self, class: ClassId, state: InitState) {
        let mirror = self.mirror(class);
        self.heap.store_u32(mirror, self.known.class_init_state, state as u32);
    }

    fn is_mine(&self, class: ClassId) -> bool {
        self.heap.load_u32(self.mirror(class), self.known.class_init_thread) == self.my_word()
    }

    /// The running thread as a non-zero word.
    fn my_word(&self) -> u32 {
        self.threads.get(self.current).map_or(1, |thread| thread.id.0 + 1)
    }

    #[expect(clippy::cast_possible_truncation, reason = "frames are bounded far below")]
    fn n_hooks(&self) -> u32 {
        self.threads.get(self.current).map_or(0, |thread| thread.hooks.len() as u32)
    }

    fn current_thread_name(&self) -> String {
        let java = self.threads.get(self.current).map_or(Ref::NULL, |thread| thread.java);
        let name =
            java.some().map_or(Ref::NULL, |java| self.heap.load_ref(java, self.known.thread_name));
        name.some().map_or("main".into(), |name| self.string_text(name))
    }
}

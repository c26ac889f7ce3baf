//! How a thread begins and ends: `Thread.start0`, then `run`, `dispatchUncaughtException` where it
//! threw, `Thread.exit`, and the word to those who joined it.
//!
//! A new thread has one hook frame at the bottom of its stack. Whenever the interpreter comes to
//! it, or a call made here comes back, it asks `Vm::thread_step` what to do.
#![expect(unsafe_code, reason = "stacks are raw memory; see `stack.rs`")]

use crate::code::Op;
use crate::frame::{Frame, Hook, Res, Trap, Upcall};
use crate::host::Handle;
use crate::interp::stub;
use crate::thread::{State, Thread};
use crate::value::{MethodId, Ref, ThreadId};
use crate::vm::Vm;

/// What a thread does next, or is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// `run`.
    Run,
    /// `dispatchUncaughtException`.
    Report,
    /// `exit`.
    Exit,
    /// Nothing any more.
    End,
}

impl Vm {
    /// The green thread behind a `java.lang.Thread` that is alive.
    pub fn thread_of(&self, java: Ref) -> Option<usize> {
        let id = self.thread_eetop(java).checked_sub(1)?;
        self.threads.binary_search_by_key(&id, |thread| u64::from(thread.id.0)).ok()
    }

    /// Gives the first thread its `java.lang.Thread`, whose constructor has not run yet and asks
    /// for the current thread.
    pub fn attach_first_thread(&mut self, java: Ref) -> Res<()> {
        let fields = self.thread_fields()?;
        if let Some(priority) = self.lookup_field(fields.class, b"priority", b"I") {
            self.heap.store_u32(java, priority.offset, 5);
        }
        self.set_thread_eetop(java, u64::from(self.threads[0].id.0) + 1)?;
        self.threads[0].java = java;
        self.threads[0].current = java;
        Ok(())
    }

    /// Says that the first thread can run, once its constructor has.
    pub fn first_thread_made(&mut self) {
        self.set_state(0, State::Runnable);
    }

    /// `Thread.start0`: a new green thread, ready to run.
    pub fn start_thread(&mut self, java: Ref) -> Res<()> {
        let fields = self.thread_fields()?;
        if self.thread_eetop(java) != 0 {
            return Err(self.throw_plain("java/lang/IllegalThreadStateException"));
        }
        let stack_size = self.thread_stack_size(java)?;
        self.drop_ended_threads(16 + self.threads.len() / 4);
        let Ok(stacks) = self.new_stacks(stack_size) else {
            let text = "unable to create native thread: possibly out of memory or process/resource limits reached";
            return Err(self.throw("java/lang/OutOfMemoryError", text));
        };
        self.world.threads += 1;
        let id = ThreadId(self.world.threads);
        let mut thread = Thread::new(id, java, stacks);
        let stillborn = self.lookup_field(fields.class, b"stillborn", b"Z");
        if stillborn.is_some_and(|field| self.heap.load_u8(java, field.offset) != 0) {
            thread.step = Step::Exit;
        }
        thread.daemon = self.thread_daemon(java)?;
        thread.housekeeper = self.is_subtype(self.class_of(java), fields.housekeeper);
        thread.saved_for = self.marks.youngest();
        push_bottom(&mut thread);
        self.threads.push(thread);
        self.set_thread_eetop(java, u64::from(id.0) + 1)?;
        self.set_thread_status(java, State::Runnable);
        Ok(())
    }

    /// The running thread stands at its bottom, or a call of its last step came back, perhaps with an
    /// exception: the next call, or `None` where the thread has ended.
    pub fn thread_step(&mut self, thrown: Option<Ref>) -> Option<Upcall> {
        let bottom = self.threads[self.current].frames.start();
        let mut step = self.threads[self.current].step;
        let mut thrown = thrown;
        if self.frame >= bottom || thrown.is_some() {
            step = self.step_after(step, thrown);
        }
        if self.frame < bottom {
            let thread = &mut self.threads[self.current];
            push_bottom(thread);
            self.frame = thread.frame;
        }
        loop {
            self.threads[self.current].step = step;
            match self.call_of_step(step, thrown) {
                Ok(Some(upcall)) => return Some(upcall),
                Ok(None) => {
                    self.thread_ended();
                    return None;
                }
                Err(Trap::Throw(exception)) => {
                    thrown = Some(exception);
                    step = self.step_after(step, thrown);
                }
                Err(_) => step = Step::End,
            }
        }
    }

    fn step_after(&mut self, step: Step, thrown: Option<Ref>) -> Step {
        match (step, thrown) {
            (Step::Run, Some(_)) => Step::Report,
            (Step::Report, Some(exception)) => {
                self.tell_failed_report(exception);
                Step::Exit
            }
            (Step::Run | Step::Report, None) => Step::Exit,
            (Step::Exit | Step::End, _) => Step::End,
        }
    }

    fn call_of_step(&mut self, step: Step, thrown: Option<Ref>) -> Res<Option<Upcall>> {
        let java = self.threads[self.current].java;
        let mut args = vec![java.to_slot()];
        let method = match step {
            Step::Run => self.thread_method(java, "run", "()V")?,
            Step::Report => {
                args.push(thrown.unwrap_or(Ref::NULL).to_slot());
                self.thread_method(java, "dispatchUncaughtException", "(Ljava/lang/Throwable;)V")?
            }
            Step::Exit => self.thread_method(java, "exit", "()V")?,
            Step::End => return Ok(None),
        };
        Ok(Some(Upcall { method, args, hook: Hook::Entry }))
    }

    /// A method of `java.lang.Thread` as this thread has it.
    pub(crate) fn thread_method(
        &mut self,
        java: Ref,
        name: &str,
        descriptor: &str,
    ) -> Res<MethodId> {
        let class = self.thread_fields()?.class;
        let Some(method) = self.lookup_method(class, name.as_bytes(), descriptor.as_bytes()) else {
            return Err(self.throw("java/lang/NoSuchMethodError", name));
        };
        if self.method(method).is_private() {
            return Ok(method);
        }
        self.select_method(self.class_of(java), method)
    }

    /// What HotSpot prints where reporting an uncaught exception itself throws.
    pub(crate) fn tell_failed_report(&mut self, exception: Ref) {
        let class = self.class(self.class_of(exception)).name;
        let class = String::from_utf8_lossy(class.as_bytes()).replace('/', ".");
        let name = self.thread_name(self.threads[self.current].java);
        let text = format!(
            "\nException: {class} thrown from the UncaughtExceptionHandler in thread \"{name}\"\n"
        );
        // Standard error may be closed; there is nobody left to tell.
        let _ = self.host.write(Handle::STDERR, None, text.as_bytes());
    }

    /// The running thread's code has ended.
    pub fn thread_ended(&mut self) {
        self.finish_thread(self.current);
    }

    /// Ends a thread for those who watch it, as soon as the lock of its `java.lang.Thread` is free.
    pub(crate) fn finish_thread(&mut self, idx: usize) {
        let java = self.threads[idx].java;
        if self.lock_owner(java).is_some_and(|owner| owner != self.threads[idx].id) {
            self.set_state(idx, State::Ending);
            return;
        }
        self.end_java_thread(java);
        self.set_state(idx, State::Ended);
        self.scheduler.n_ended += 1;
    }

    /// Marks a `java.lang.Thread` as terminated and tells those who joined it.
    pub(crate) fn end_java_thread(&mut self, java: Ref) {
        self.set_thread_status(java, State::Ended);
        if self.set_thread_eetop(java, 0).is_err() {
            unreachable!("internal: the fields of Thread are known by now");
        }
        self.notify_all(java);
    }

    /// Forgets ended threads once there are more than `most`, where no mark could bring them back.
    pub(crate) fn drop_ended_threads(&mut self, most: usize) {
        if self.depth() > 0 || self.scheduler.n_ended <= most {
            return;
        }
        self.scheduler.n_ended = 0;
        let running = self.threads[self.current].id;
        let (alive, ended): (Vec<_>, Vec<_>) =
            self.threads.drain(..).partition(|thread| thread.is_alive() || thread.id == running);
        self.threads = alive;
        self.current = self.threads.iter().position(|thread| thread.id == running).unwrap_or(0);
        for mut thread in ended {
            self.keep_stacks(thread.take_stacks());
        }
    }
}

/// Puts the lowest hook frame on an empty stack.
pub(crate) fn push_bottom(thread: &mut Thread) {
    let frame = thread.frames.start();
    // SAFETY: a thread that can run has room for frames.
    unsafe {
        frame.write(Frame {
            pc: stub(Op::hook),
            fp: thread.registers.start(),
            method: std::ptr::null(),
            extra: 0,
        });
    }
    thread.frame = frame;
    thread.hooks.clear();
    thread.hooks.push(Hook::Entry);
}

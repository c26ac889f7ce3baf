//! Calls that the machine makes: from Rust into Java, upcalls of natives and slow paths, and what
//! happens when they come back.

use super::{Exit, Flow, slow, stub, table, unwind};
use crate::class::MethodRt;
use crate::code::{Insn, Op};
use crate::frame::{Deadlock, Frame, Hook, Stop, Trap, Upcall};
use crate::mode::{Mode, Plain};
use crate::native::Args;
use crate::thread::State;
use crate::value::{MethodId, Ref, Value};
use crate::vm::Vm;

/// How a call from Rust ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It returned.
    Returned(Value),
    /// It threw this exception.
    Threw(Ref),
    /// It did not come back.
    Stopped(Stop),
}

impl Vm {
    /// Calls a method on the current thread and runs until it comes back. Other threads run while
    /// this one waits, and in turns with it. `fuel` limits the bytecodes executed (roughly).
    ///
    /// Never call this from a native: natives return [`Trap::Upcall`].
    pub fn call<M: Mode>(
        &mut self,
        mode: &mut M,
        method: MethodId,
        args: &[u64],
        fuel: Option<u64>,
    ) -> Outcome {
        let old_mode = std::mem::replace(&mut self.mode, (&raw mut *mode).cast());
        self.run.on_leave = if M::CALLS { Some(unwind::leave_probe::<M>) } else { None };
        self.run.on_enter = if M::CALLS { Some(unwind::entered::<M>) } else { None };
        self.run.on_thrown = if M::EXCEPTIONS { Some(unwind::thrown_probe::<M>) } else { None };
        self.fuel_reserve = fuel.map_or(i64::MAX, |f| i64::try_from(f).unwrap_or(i64::MAX));
        self.fuel = 0;
        self.refuel();
        let outcome = self.run_call::<M>(method, args);
        if let Some(given) = fuel {
            let left = self.fuel.max(0).saturating_add(self.fuel_reserve.max(0));
            self.fuel_used += given.saturating_sub(left.unsigned_abs());
        }
        self.mode = old_mode;
        self.run.on_leave = None;
        self.run.on_enter = None;
        self.run.on_thrown = None;
        outcome
    }

    /// Calls a method without observers and without a fuel limit.
    pub fn call_plain(&mut self, method: MethodId, args: &[u64]) -> Outcome {
        self.call(&mut Plain, method, args, None)
    }

    fn run_call<M: Mode>(&mut self, method: MethodId, args: &[u64]) -> Outcome {
        let caller = self.current;
        let bottom = self.frame;
        let n_hooks = self.threads[caller].hooks.len();
        let returns = self.method(method).returns;
        let upcall = Upcall { method, args: args.to_vec(), hook: Hook::Entry };
        let mut flow = push_upcall(self, upcall);
        loop {
            let exit = if flow.pc.is_null() {
                flow.exit_code()
            } else {
                let vm: *mut Vm = self;
                let here = std::hint::black_box(0_u8);
                self.run.host_stack = (&raw const here) as usize;
                // SAFETY: `flow` is where a slow path said to go on; the table fits the mode set above.
                unsafe { super::dispatch(flow.pc, flow.fp, vm, (*vm).heap.base, table::<M>()) }
            };
            match exit {
                Exit::Done if self.current == caller && self.frame == bottom => {
                    if let Some(exception) = std::mem::take(&mut self.run.thrown).some() {
                        return Outcome::Threw(exception);
                    }
                    return Outcome::Returned(Value::from_slot(returns, self.run.result));
                }
                // A green thread came to its end, or to the end of one step of its life.
                Exit::Done => {
                    let thrown = std::mem::take(&mut self.run.thrown).some();
                    flow = match self.thread_step(thrown) {
                        Some(upcall) => push_upcall(self, upcall),
                        None => self.next_thread(),
                    };
                }
                Exit::Reschedule => flow = self.next_thread(),
                Exit::Stop => {
                    let stop = self.stop.take().unwrap_or(Stop::Unsupported("unknown stop".into()));
                    self.abandon(caller, bottom, n_hooks);
                    return Outcome::Stopped(stop);
                }
            }
        }
    }

    /// Drops the frames of a call that will never come back.
    fn abandon(&mut self, caller: usize, bottom: *mut Frame, n_hooks: usize) {
        if self.current != caller {
            self.switch_to(caller);
        }
        self.frame = bottom;
        self.threads[caller].hooks.truncate(n_hooks);
        self.set_state(caller, State::Runnable);
        self.threads[caller].woken = None;
        self.resumed = None;
    }

    /// Switches to a thread that can run.
    fn next_thread(&mut self) -> Flow {
        self.refuel();
        match self.schedule() {
            Some(idx) => {
                if idx != self.current {
                    self.switch_to(idx);
                }
                if let Some(thrown) = self.take_stop() {
                    return unwind::throw(self, thrown);
                }
                // SAFETY: a runnable thread has a top frame, whose `pc` is where it goes on.
                unsafe { Flow::at((*self.frame).pc, (*self.frame).fp) }
            }
            None => {
                if self.stop.is_none() {
                    let waiting = self.describe_waiting();
                    let is_circle = !self.threads_in_circles(true).is_empty();
                    self.stop = Some(Stop::Deadlocked(Deadlock { waiting, is_circle }));
                }
                Flow::exit(Exit::Stop)
            }
        }
    }

    /// Moves the next slice of fuel from the reserve.
    pub(super) fn refuel(&mut self) {
        let whole = self.slice();
        if self.fuel < whole {
            let slice = (whole - self.fuel.max(0)).min(self.fuel_reserve);
            self.fuel = self.fuel.max(0) + slice;
            if self.fuel_reserve != i64::MAX {
                self.fuel_reserve -= slice;
            }
        }
    }

    /// Makes the interpreter look up from its work at the next call or backward branch.
    pub fn poll_soon(&mut self) {
        if self.fuel > 0 {
            if self.fuel_reserve != i64::MAX {
                self.fuel_reserve += self.fuel;
            }
            self.fuel = 0;
        }
    }

    /// Takes the youngest hook off the running thread, with its frame.
    pub(super) fn pop_hook(&mut self) -> Hook {
        // SAFETY: the top frame is a hook frame, so there is a frame position below it.
        self.frame = unsafe { self.frame.sub(1) };
        self.thread().hooks.pop().expect("internal: hook frame without a hook")
    }
}

/// Pushes a hook frame and the callee on the running thread.
pub(super) fn push_upcall(vm: *mut Vm, upcall: Upcall) -> Flow {
    // SAFETY: the frames and registers written lie below the limits checked here.
    unsafe {
        let vm = &mut *vm;
        let rt = vm.methods.rt(upcall.method);
        let below = vm.frame;
        let thread = &vm.threads[vm.current];
        let fp = if below < thread.frames.start() {
            thread.registers.start()
        } else if (*below).method.is_null() {
            (*below).fp.add(2)
        } else {
            (*below).fp.add((*(*below).method).n_regs as usize + 2)
        };
        let hook_frame = below.add(1);
        let callee = below.add(2);
        let n_regs = ((*rt).n_regs as usize).max(upcall.args.len());
        if callee >= vm.frame_limit || fp.add(n_regs) >= vm.reg_limit {
            let trap = match (upcall.hook, vm.stack_overflow()) {
                // The static initialiser cannot run: for the class that is as if it had thrown.
                (Hook::ClassInit(class), Trap::Throw(error)) => {
                    Trap::Throw(vm.class_init_threw(class, error))
                }
                (_, trap) => trap,
            };
            return trapped(vm, trap);
        }
        let mut locked = 0;
        if (*rt).careful != 0 {
            let object = if (*(*rt).method).is_static() {
                vm.mirror((*(*rt).method).class)
            } else {
                Ref::from_slot(upcall.args[0])
            };
            if let Err(trap) = vm.lock(object) {
                return trapped(vm, trap);
            }
            locked = object.to_slot();
        }
        *hook_frame = Frame { pc: stub(Op::hook), fp, method: std::ptr::null(), extra: 0 };
        for (idx, &word) in upcall.args.iter().enumerate() {
            fp.add(idx).write(word);
        }
        *callee = Frame { pc: (*rt).entry, fp, method: rt, extra: locked };
        vm.frame = callee;
        vm.thread().hooks.push(upcall.hook);
        if let Some(on_enter) = vm.run.on_enter {
            on_enter(vm, rt, fp);
        }
        Flow::at((*rt).entry, fp)
    }
}

/// Goes on after a trap of the instruction or native at the top frame's `pc`.
#[cold]
pub(super) fn trapped(vm: *mut Vm, trap: Trap) -> Flow {
    match trap {
        Trap::Throw(exception) => unwind::throw(vm, exception),
        Trap::Upcall(upcall) => push_upcall(vm, *upcall),
        Trap::Blocked => Flow::exit(Exit::Reschedule),
        Trap::Collect(what) => {
            // SAFETY: the top frame's `pc` is saved, and whatever trapped keeps no reference.
            unsafe {
                match (*vm).collect_and_retry(what) {
                    Ok(()) => Flow::at((*(*vm).frame).pc, (*(*vm).frame).fp),
                    Err(trap) => trapped(vm, trap),
                }
            }
        }
        Trap::Stop(stop) => {
            // SAFETY: the machine outlives its slow paths.
            unsafe { (*vm).stop = Some(*stop) };
            Flow::exit(Exit::Stop)
        }
    }
}

/// Runs the native whose frame is on top. Not part of the handler, since what it owns while the
/// native runs would keep the handler from ending in a jump.
#[inline(never)]
pub(super) fn run_native(vm: *mut Vm, pc: *const Insn, fp: *mut u64) -> Flow {
    // SAFETY: the native's frame is on top, its arguments are its first registers.
    unsafe {
        let frame = (*vm).frame;
        let rt = (*frame).method;
        (*frame).pc = pc;
        let Some(function) = (*rt).native else {
            return slow::link_native(vm, pc, fp);
        };
        let args = Args::new(std::slice::from_raw_parts(fp, usize::from((*rt).arg_slots)));
        match function(&mut *vm, args) {
            Ok(word) => native_returned(vm, word),
            Err(trap) => trapped(vm, trap),
        }
    }
}

/// A native came back with its result word: leaves its frame.
#[inline]
pub(super) fn native_returned(vm: *mut Vm, word: u64) -> Flow {
    // SAFETY: the top frame is the native's, the one below its caller's.
    unsafe {
        let frame = (*vm).frame;
        let rt: *const MethodRt = (*frame).method;
        if (*rt).careful != 0
            && let Err(trap) = (*vm).unlock(Ref::from_slot((*frame).extra))
        {
            (*vm).frame = frame.sub(1);
            return trapped(vm, trap);
        }
        if let Some(on_leave) = (*vm).run.on_leave {
            on_leave(vm, (*(*rt).method).id, Some(word));
        }
        let caller = frame.sub(1);
        (*vm).frame = caller;
        // Where the callee gives nothing, its first register is dead in the caller too.
        *(*frame).fp = word;
        Flow::at((*caller).pc, (*caller).fp)
    }
}

/// A call that the machine made came back with a result word.
pub(super) fn hook_returned(vm: *mut Vm, word: u64) -> Flow {
    // SAFETY: the top frame is the hook frame; the interrupted frame is below it.
    unsafe {
        let hook = (*vm).pop_hook();
        let result = match hook {
            Hook::Entry => {
                (*vm).run.result = word;
                (*vm).run.thrown = Ref::NULL;
                return Flow::exit(Exit::Done);
            }
            Hook::Retry => Ok(()),
            Hook::ClassInit(class) => {
                (*vm).class_init_returned(class);
                Ok(())
            }
            Hook::LoadedClass { loader, name, asked, keep_exception } => {
                (*vm).class_loaded(loader, name, asked, keep_exception, Ref::from_slot(word))
            }
            Hook::NativeResult => return native_returned(vm, word),
            Hook::Reflect { returns } => match (*vm).box_value(returns, word) {
                Ok(boxed) => return native_returned(vm, boxed.to_slot()),
                Err(trap) => Err(trap),
            },
            Hook::ReflectNew { object } => return native_returned(vm, object.to_slot()),
            Hook::Transformed { ticket } => {
                (*vm).transformed(ticket, Ref::from_slot(word));
                Ok(())
            }
            Hook::Resume { state } | Hook::Attempt { state } => {
                (*vm).resumed = Some((state, word));
                Ok(())
            }
            Hook::CallSite { class, tag, root } => (*vm).call_site_returned(class, tag, root, word),
        };
        match result {
            // Run the interrupted instruction or native again.
            Ok(()) => Flow::at((*(*vm).frame).pc, (*(*vm).frame).fp),
            Err(trap) => trapped(vm, trap),
        }
    }
}

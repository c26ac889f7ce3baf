//! The end of a program: what follows after `main` came back. The main thread ends like any other;
//! then the machine's own thread waits for all that are no daemons and runs the shutdown hooks.

use crate::frame::{Res, Stop, Trap};
use crate::interp::Outcome;
use crate::mode::Mode;
use crate::stack::Reserved;
use crate::thread::{Stacks, Thread};
use crate::value::{MethodId, Ref, ThreadId};
use crate::vm::Vm;

impl Vm {
    /// Ends the main thread, with what it threw if it did, waits for the other threads and runs the
    /// shutdown hooks. `Err` where the machine stopped on the way, by `System.exit` or worse.
    pub fn end_program<M: Mode>(&mut self, mode: &mut M, thrown: Option<Ref>) -> Result<(), Stop> {
        let group = self.thread_group(self.threads[0].java);
        let group = self.handles.hold(group);
        if let Some(exception) = thrown {
            let main = self.threads[0].java;
            let descriptor = "(Ljava/lang/Throwable;)V";
            let method = self.thread_method(main, "dispatchUncaughtException", descriptor);
            let args = [main.to_slot(), exception.to_slot()];
            if let Some(failure) = self.call_for_end(mode, method, &args)? {
                self.tell_failed_report(failure);
            }
        }
        let main = self.threads[0].java;
        let exit = self.thread_method(main, "exit", "()V");
        self.call_for_end(mode, exit, &[main.to_slot()])?;
        let group = self.handles.release(group);
        self.become_last_thread(mode, group)?;
        self.await_others(mode)?;
        let shutdown = self.static_method("java/lang/Shutdown", "shutdown", "()V");
        self.call_for_end(mode, shutdown, &[])?;
        // Nobody is left to be told of a failure.
        let _ = self.force_mappings();
        Ok(())
    }

    /// Calls a method; gives what it threw.
    fn call_for_end<M: Mode>(
        &mut self,
        mode: &mut M,
        method: Res<MethodId>,
        args: &[u64],
    ) -> Result<Option<Ref>, Stop> {
        let method = match method {
            Ok(method) => method,
            Err(Trap::Throw(exception)) => return Ok(Some(exception)),
            Err(Trap::Stop(stop)) => return Err(*stop),
            Err(Trap::Upcall(_) | Trap::Blocked | Trap::Collect(_)) => {
                unreachable!("internal: methods of boot classes are found without running code")
            }
        };
        match self.call(mode, method, args, None) {
            Outcome::Returned(_) => Ok(None),
            Outcome::Threw(exception) => Ok(Some(exception)),
            Outcome::Stopped(stop) => Err(stop),
        }
    }

    /// Lets the main `Thread` end and puts another in its place, as HotSpot does.
    fn become_last_thread<M: Mode>(&mut self, mode: &mut M, group: Ref) -> Result<(), Stop> {
        // A thread without code carries the main `Thread` to its end, which may have to wait.
        let main = self.threads[0].java;
        self.world.threads += 1;
        let id = ThreadId(self.world.threads);
        let stacks = Stacks { registers: Reserved::empty(), frames: Reserved::empty() };
        self.threads.push(Thread::new(id, main, stacks));
        let made = self.set_thread_eetop(main, u64::from(id.0) + 1).and_then(|()| {
            let class = self.thread_fields()?.class;
            let last = self.new_object(class)?;
            let name = self.new_string("DestroyJavaVM")?;
            self.attach_first_thread(last)?;
            let descriptor = b"(Ljava/lang/ThreadGroup;Ljava/lang/String;)V";
            let constructor = self.lookup_method(class, b"<init>", descriptor);
            Ok((constructor, [last.to_slot(), group.to_slot(), name.to_slot()]))
        });
        self.finish_thread(self.threads.len() - 1);
        // Without room for another `Thread` the main one goes on.
        if let Ok((Some(constructor), args)) = made {
            self.call_for_end(mode, Ok(constructor), &args)?;
            self.first_thread_made();
        }
        Ok(())
    }

    /// Joins one thread after the other until only daemons are left.
    fn await_others<M: Mode>(&mut self, mode: &mut M) -> Result<(), Stop> {
        loop {
            let mut others = self.threads[1..].iter();
            let Some(other) = others.find(|thread| thread.is_alive() && !thread.daemon) else {
                return Ok(());
            };
            let java = other.java;
            let join = self.thread_method(java, "join", "()V");
            // An interrupt is no reason to leave before the others.
            self.call_for_end(mode, join, &[java.to_slot()])?;
        }
    }

    fn static_method(&mut self, class: &str, name: &str, descriptor: &str) -> Res<MethodId> {
        let class = self.boot_class(class)?;
        match self.lookup_method(class, name.as_bytes(), descriptor.as_bytes()) {
            Some(method) => Ok(method),
            None => Err(self.throw("java/lang/NoSuchMethodError", name)),
        }
    }
}

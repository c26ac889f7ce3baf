//! Waiting and waking: `Object.wait` and `notify`, `LockSupport.park`, `Thread.sleep`, interrupts.
//!
//! The waiting functions are called again when the thread is woken. The first time they put the
//! thread to sleep and return `Trap::Blocked`; the second time `woken` says why they go on.

use crate::frame::{Res, Trap};
use crate::thread::{State, Wake};
use crate::value::Ref;
use crate::vm::Vm;

const NANOS_PER_MILLI: i64 = 1_000_000;

impl Vm {
    /// `Object.wait`; zero milliseconds wait for ever.
    pub fn object_wait(&mut self, object: Ref, millis: i64) -> Res<()> {
        if let Some(why) = self.thread().woken {
            let holds = self.thread().saved_lock_count;
            self.lock_again(object, holds)?;
            self.thread().woken = None;
            self.throw_stop()?;
            if why == Wake::Interrupted && self.take_interrupt() {
                return Err(self.throw_plain("java/lang/InterruptedException"));
            }
            return Ok(());
        }
        if millis < 0 {
            return Err(
                self.throw("java/lang/IllegalArgumentException", "timeout value is negative")
            );
        }
        if !self.holds_lock(object) {
            return Err(self.not_owner());
        }
        if self.take_interrupt() {
            return Err(self.throw_plain("java/lang/InterruptedException"));
        }
        let until =
            if millis == 0 { None } else { self.deadline(millis.saturating_mul(NANOS_PER_MILLI)) };
        self.thread().saved_lock_count = self.unlock_wholly(object).unwrap_or(1);
        self.block(State::Waiting { object, until });
        Err(Trap::Blocked)
    }

    /// Lets the other threads run where reading from a descriptor has to wait for another program;
    /// for natives, which run again afterwards.
    pub(crate) fn await_program(&mut self, descriptor: i32) -> Res<()> {
        match self.pipe_behind(descriptor) {
            Some(pipe) if self.host.must_wait(pipe) => Err(self.come_back_later()),
            _ => Ok(()),
        }
    }

    /// Ends the turn of the running thread, which can run again at once; its native begins anew.
    pub(crate) fn come_back_later(&mut self) -> Trap {
        self.block(State::Runnable);
        Trap::Blocked
    }

    /// `Object.notify` (the longest waiting thread) and `Object.notifyAll`.
    pub fn object_notify(&mut self, object: Ref, all: bool) -> Res<()> {
        if !self.holds_lock(object) {
            return Err(self.not_owner());
        }
        if all {
            self.notify_all(object);
        } else if let Some(idx) = self.waiting_on(object).min_by_key(|&idx| self.threads[idx].since)
        {
            self.wake(idx, Wake::Signalled);
        }
        Ok(())
    }

    /// Wakes all threads that wait on an object.
    pub(crate) fn notify_all(&mut self, object: Ref) {
        let waiting: Vec<usize> = self.waiting_on(object).collect();
        for idx in waiting {
            self.wake(idx, Wake::Signalled);
        }
    }

    fn waiting_on(&self, object: Ref) -> impl Iterator<Item = usize> {
        let waits = move |state| matches!(state, State::Waiting { object: on, .. } if on == object);
        self.threads.iter().enumerate().filter(move |(_, t)| waits(t.state)).map(|(idx, _)| idx)
    }

    fn not_owner(&mut self) -> Trap {
        self.throw("java/lang/IllegalMonitorStateException", "current thread is not owner")
    }

    /// `Unsafe.park`: relative nanoseconds (zero: for ever) or absolute milliseconds since the epoch.
    pub fn park(&mut self, is_absolute: bool, time: i64) -> Res<()> {
        if self.thread().woken.take().is_some() || std::mem::take(&mut self.thread().permit) {
            return self.throw_stop();
        }
        let current = self.thread().current;
        if time < 0 || (is_absolute && time == 0) || self.thread_interrupted(current) {
            return Ok(());
        }
        let until = if is_absolute {
            let left = i128::from(time) * i128::from(NANOS_PER_MILLI) - self.epoch_nanos();
            if left <= 0 {
                return Ok(());
            }
            self.deadline(i64::try_from(left).unwrap_or(i64::MAX))
        } else if time == 0 {
            None
        } else {
            self.deadline(time)
        };
        self.block(State::Parked { until });
        Err(Trap::Blocked)
    }

    /// `Unsafe.unpark`; a thread that is not alive is left alone.
    pub fn unpark(&mut self, java: Ref) {
        let Some(idx) = self.thread_of(java) else { return };
        if let State::Parked { .. } = self.threads[idx].state {
            self.wake(idx, Wake::Signalled);
        } else {
            if idx != self.current {
                self.save_thread(idx);
            }
            self.threads[idx].permit = true;
        }
    }

    /// `Thread.sleep`.
    pub fn sleep(&mut self, nanos: i64) -> Res<()> {
        if let Some(why) = self.thread().woken.take() {
            self.throw_stop()?;
            return if why == Wake::Interrupted { self.check_sleep() } else { Ok(()) };
        }
        self.check_sleep()?;
        if nanos <= 0 {
            self.yield_turn();
            return Ok(());
        }
        let until = self.deadline(nanos);
        self.block(State::Sleeping { until });
        Err(Trap::Blocked)
    }

    fn check_sleep(&mut self) -> Res<()> {
        if self.take_interrupt() {
            return Err(self.throw("java/lang/InterruptedException", "sleep interrupted"));
        }
        Ok(())
    }

    /// `Thread.interrupt0`: the flag is set already; wakes the thread if it waits.
    pub fn interrupt(&mut self, java: Ref) {
        if let Some(idx) = self.thread_of(java) {
            self.wake(idx, Wake::Interrupted);
        }
    }

    /// `Thread.suspend0` and `Thread.resume0` of JDK 17.
    pub fn suspend(&mut self, java: Ref, suspended: bool) {
        let Some(idx) = self.thread_of(java) else { return };
        if idx != self.current {
            self.save_thread(idx);
        }
        self.threads[idx].suspended = suspended;
        self.end_turn();
    }

    /// `Thread.stop0` of JDK 17: the thread throws, at once or when it runs next, and is interrupted;
    /// a sleep or wait that ends by that takes the interrupt with it.
    pub fn stop_thread(&mut self, java: Ref, thrown: Ref) -> Res<()> {
        let Some(idx) = self.thread_of(java) else { return Ok(()) };
        if idx == self.current {
            return Err(Trap::Throw(thrown));
        }
        self.save_thread(idx);
        self.threads[idx].stopped_by = thrown;
        let state = self.threads[idx].state;
        if !matches!(state, State::Sleeping { .. } | State::Waiting { .. }) {
            self.set_thread_interrupted(java, true);
        }
        self.wake(idx, Wake::Signalled);
        Ok(())
    }

    /// Throws what ended the wait of the running thread, if it was stopped.
    fn throw_stop(&mut self) -> Res<()> {
        match std::mem::take(&mut self.thread().stopped_by).some() {
            Some(thrown) => Err(Trap::Throw(thrown)),
            None => Ok(()),
        }
    }

    /// What the running thread has to throw because it was stopped. A native that was waiting ends
    /// first: it may need its lock again.
    pub(crate) fn take_stop(&mut self) -> Option<Ref> {
        let thread = &mut self.threads[self.current];
        if thread.stopped_by.is_null() {
            return None;
        }
        if thread.woken.is_some() {
            self.poll_soon();
            return None;
        }
        std::mem::take(&mut thread.stopped_by).some()
    }

    /// Clears the running thread's interrupt flag; whether it was set.
    fn take_interrupt(&mut self) -> bool {
        let current = self.thread().current;
        let interrupted = self.thread_interrupted(current);
        if interrupted {
            self.set_thread_interrupted(current, false);
        }
        interrupted
    }
}

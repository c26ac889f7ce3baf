//! What a mark keeps of green threads: the running one has an empty stack, so its small state is
//! enough; another one is copied, stacks and all, before it is first changed.
#![expect(unsafe_code, reason = "stacks are reached through raw pointers")]

use crate::frame::{Frame, Hook};
use crate::thread::{Patience, State, Step, Thread, Wake};
use crate::value::Ref;

/// A thread's state beside its stacks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scalars {
    state: State,
    permit: bool,
    woken: Option<Wake>,
    saved_lock_count: u32,
    patience: Option<Patience>,
    allocated: u64,
    since: u64,
    daemon: bool,
    current: Ref,
    scoped_values: Ref,
    suspended: bool,
    stopped_by: Ref,
    step: Step,
    saved_for: u64,
}

/// A whole thread as it was.
#[derive(Debug)]
pub struct SavedThread {
    /// Position in the list of threads.
    pub thread: usize,
    scalars: Scalars,
    hooks: Vec<Hook>,
    pub(crate) frames: Vec<Frame>,
    registers: Vec<u64>,
}

// SAFETY: the pointers in frames are only followed by the machine that the thread belongs to.
unsafe impl Send for SavedThread {}
// SAFETY: as above.
unsafe impl Sync for SavedThread {}

impl Thread {
    /// The state beside the stacks.
    pub(super) fn scalars(&self) -> Scalars {
        Scalars {
            state: self.state,
            permit: self.permit,
            woken: self.woken,
            saved_lock_count: self.saved_lock_count,
            patience: self.patience,
            allocated: self.allocated,
            since: self.since,
            daemon: self.daemon,
            current: self.current,
            scoped_values: self.scoped_values,
            suspended: self.suspended,
            stopped_by: self.stopped_by,
            step: self.step,
            saved_for: self.saved_for,
        }
    }

    /// Puts the state beside the stacks back.
    pub(super) fn restore(&mut self, scalars: Scalars) {
        self.state = scalars.state;
        self.permit = scalars.permit;
        self.woken = scalars.woken;
        self.saved_lock_count = scalars.saved_lock_count;
        self.patience = scalars.patience;
        self.allocated = scalars.allocated;
        self.since = scalars.since;
        self.daemon = scalars.daemon;
        self.current = scalars.current;
        self.scoped_values = scalars.scoped_values;
        self.suspended = scalars.suspended;
        self.stopped_by = scalars.stopped_by;
        self.step = scalars.step;
        self.saved_for = scalars.saved_for;
    }

    /// Number of frames of a thread that is not running.
    fn n_frames(&self) -> usize {
        (self.frame as usize + size_of::<Frame>() - self.frames.start() as usize)
            / size_of::<Frame>()
    }
}

impl SavedThread {
    /// Copies a thread that is not running.
    pub(crate) fn of(thread: &Thread, idx: usize) -> SavedThread {
        // SAFETY: the stack holds `n_frames` frames, each with registers in the thread's own stack;
        // methods outlive the frames that run them.
        let (frames, registers) = unsafe {
            let frames = std::slice::from_raw_parts(thread.frames.start(), thread.n_frames());
            let first = thread.registers.start() as usize;
            let n_registers = frames
                .iter()
                .filter(|frame| !frame.method.is_null())
                .map(|frame| {
                    let method = &*frame.method;
                    let used = (method.n_regs as usize).max(usize::from(method.arg_slots));
                    (frame.fp as usize - first) / size_of::<u64>() + used
                })
                .max()
                .unwrap_or(0)
                .min(thread.registers.capacity());
            let registers = std::slice::from_raw_parts(thread.registers.start(), n_registers);
            (frames.to_vec(), registers.to_vec())
        };
        SavedThread {
            thread: idx,
            scalars: thread.scalars(),
            hooks: thread.hooks.clone(),
            frames,
            registers,
        }
    }

    /// Copies the running thread between two calls from outside, when its stack is empty.
    pub(crate) fn of_idle(thread: &Thread, idx: usize) -> SavedThread {
        SavedThread {
            thread: idx,
            scalars: thread.scalars(),
            hooks: Vec::new(),
            frames: Vec::new(),
            registers: Vec::new(),
        }
    }

    /// The same thread with these frames, for another machine.
    pub(crate) fn with_frames(&self, frames: Vec<Frame>) -> SavedThread {
        SavedThread {
            thread: self.thread,
            scalars: self.scalars,
            hooks: self.hooks.clone(),
            frames,
            registers: self.registers.clone(),
        }
    }

    /// Makes the thread what it was.
    pub(crate) fn restore(self, thread: &mut Thread) {
        thread.restore(self.scalars);
        thread.hooks = self.hooks;
        // SAFETY: both were copied from the same stacks.
        unsafe {
            let frames = thread.frames.start();
            frames.copy_from_nonoverlapping(self.frames.as_ptr(), self.frames.len());
            let registers = thread.registers.start();
            registers.copy_from_nonoverlapping(self.registers.as_ptr(), self.registers.len());
            thread.frame = frames.add(self.frames.len()).wrapping_sub(1);
        }
    }
}

//! Green threads: their stacks and what they wait for.
//!
//! Who runs next is decided in `schedule.rs`; how a thread begins and ends is in `life.rs`. A thread
//! that waits runs its instruction or native again when it is woken, and finds the reason in
//! `woken`. For time travel, whoever changes a thread that is not running calls `Vm::save_thread`
//! first (`travel.rs`).
#![expect(unsafe_code, reason = "stacks are raw memory; see `stack.rs`")]

pub(crate) mod fields;
mod life;
mod program;
mod wait;

use std::io;

pub use fields::ThreadFields;
pub use life::Step;
pub(crate) use life::push_bottom;

use crate::frame::{Frame, Hook};
use crate::stack::Reserved;
use crate::value::{Ref, ThreadId};

/// Registers of an ordinary thread.
const REGISTERS: usize = 256 << 10;
/// Frames of an ordinary thread.
const FRAMES: usize = 20 << 10;
/// The `stackSize` in bytes that an ordinary thread's stacks stand for.
const ORDINARY_STACK: usize = 1 << 20;
/// Bounds of a `stackSize` that is honoured.
const STACK_BOUNDS: std::ops::RangeInclusive<usize> = (64 << 10)..=(1 << 30);
/// Room that ordinary calls leave free for the machine's own frames.
const SPARE_FRAMES: usize = 16;
/// See `SPARE_FRAMES`.
const SPARE_REGISTERS: usize = 1024;

/// What a thread is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Can run.
    Runnable,
    /// Wants the lock of an object that another thread holds.
    Blocked(Ref),
    /// In `Object.wait`, until notified or (virtual nanoseconds) `until`.
    Waiting {
        /// The object waited on.
        object: Ref,
        /// Deadline; `None` waits for ever.
        until: Option<i64>,
    },
    /// In `LockSupport.park`, likewise.
    Parked {
        /// Deadline; `None` waits for ever.
        until: Option<i64>,
    },
    /// In `Thread.sleep`.
    Sleeping {
        /// Deadline; `None` sleeps for ever.
        until: Option<i64>,
    },
    /// Waits for something outside the machine and looks again at `until`.
    Outside {
        /// When it looks again.
        until: i64,
    },
    /// Waits for another thread's class initialisation.
    Initialising(crate::value::ClassId),
    /// In `waitForReferencePendingList`.
    AwaitingReferences,
    /// Its code has ended; it wants the lock of its `java.lang.Thread` to say so.
    Ending,
    /// Ended.
    Ended,
}

/// One green thread.
#[derive(Debug)]
pub struct Thread {
    /// Own identifier.
    pub id: ThreadId,
    /// The `java.lang.Thread`; null while the machine boots. A root of the collector.
    pub java: Ref,
    /// What `Thread.currentThread` gives: `java`, or the virtual thread mounted on it. A root.
    pub current: Ref,
    /// `Thread.scopedValueCache` of JDK 25. A root.
    pub scoped_values: Ref,
    /// What it is doing.
    pub state: State,
    /// Registers.
    pub registers: Reserved<u64>,
    /// Frames.
    pub frames: Reserved<Frame>,
    /// Top frame while not running, whose `pc` is where the thread goes on; the running thread's is
    /// `Vm::frame`. Points one before the first frame when the stack is empty.
    pub frame: *mut Frame,
    /// Hooks of the hook frames on the stack, youngest last.
    pub hooks: Vec<Hook>,
    /// Permit of `LockSupport`.
    pub permit: bool,
    /// Set by whoever wakes the thread, read by the native that is run again.
    pub woken: Option<Wake>,
    /// Recursion count to restore after `Object.wait`.
    pub saved_lock_count: u32,
    /// How the native that waits for something outside does so; `None` while none does.
    pub patience: Option<Patience>,
    /// Bytes that it has allocated; of the running thread, less those that the heap counts now.
    pub allocated: u64,
    /// Order of arrival where it waits; smaller waits longer.
    pub since: u64,
    /// Daemon threads do not keep the program alive.
    pub daemon: bool,
    /// One of the library's housekeepers: its deadlines are no progress of the program.
    pub housekeeper: bool,
    /// `Thread.suspend` was called on it.
    pub suspended: bool,
    /// What `Thread.stop` of another thread makes it throw, or null. A root.
    pub stopped_by: Ref,
    /// Where it stands between `start` and its end.
    pub step: Step,
    /// The mark that this thread was last saved for; see `travel`.
    pub saved_for: u64,
}

// SAFETY: the pointers refer to the thread's own stacks and to code of the machine that owns it.
unsafe impl Send for Thread {}

/// How a thread waits for something outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// When it gives up.
    pub until: i64,
    /// How often it has looked in vain.
    pub n_looks: u32,
}

/// Why a thread was woken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wake {
    /// `notify`, `unpark` or the like.
    Signalled,
    /// The deadline passed.
    TimedOut,
    /// `Thread.interrupt`.
    Interrupted,
}

impl Thread {
    /// A thread with empty stacks that can run.
    pub fn new(id: ThreadId, java: Ref, stacks: Stacks) -> Thread {
        let frame = stacks.frames.start().wrapping_sub(1);
        Thread {
            id,
            java,
            current: java,
            scoped_values: Ref::NULL,
            state: State::Runnable,
            registers: stacks.registers,
            frames: stacks.frames,
            frame,
            hooks: Vec::new(),
            permit: false,
            woken: None,
            saved_lock_count: 0,
            patience: None,
            allocated: 0,
            since: 0,
            daemon: false,
            housekeeper: false,
            suspended: false,
            stopped_by: Ref::NULL,
            step: Step::Run,
            saved_for: 0,
        }
    }

    /// The first thread of a machine; its `java.lang.Thread` comes later.
    pub fn first() -> io::Result<Thread> {
        Ok(Thread::new(ThreadId(0), Ref::NULL, Stacks::ordinary()?))
    }

    /// Where ordinary calls must not push a frame any more.
    pub fn frame_limit(&self) -> *mut Frame {
        // SAFETY: a thread that can run has more frames than the spare ones.
        unsafe { self.frames.end().sub(SPARE_FRAMES) }
    }

    /// Where ordinary calls must not use a register any more.
    pub fn reg_limit(&self) -> *mut u64 {
        // SAFETY: a thread that can run has more registers than the spare ones.
        unsafe { self.registers.end().sub(SPARE_REGISTERS) }
    }

    /// Whether the thread has neither ended nor is about to.
    pub fn is_alive(&self) -> bool {
        self.state != State::Ended
    }

    /// Shows the collector every reference that the thread itself holds. Registers are not among them.
    pub fn for_each_root(&mut self, visit: &mut dyn FnMut(&mut Ref)) {
        visit(&mut self.java);
        visit(&mut self.current);
        visit(&mut self.scoped_values);
        visit(&mut self.stopped_by);
        if let State::Blocked(object) | State::Waiting { object, .. } = &mut self.state {
            visit(object);
        }
        for hook in &mut self.hooks {
            match hook {
                Hook::ReflectNew { object } => visit(object),
                Hook::CallSite { root, .. } => visit(root),
                _ => {}
            }
        }
    }

    /// Takes the stacks of a thread that has ended.
    pub fn take_stacks(&mut self) -> Stacks {
        let registers = std::mem::replace(&mut self.registers, Reserved::empty());
        let frames = std::mem::replace(&mut self.frames, Reserved::empty());
        self.frame = self.frames.start().wrapping_sub(1);
        Stacks { registers, frames }
    }
}

/// The two stacks of a thread.
#[derive(Debug)]
pub struct Stacks {
    /// Registers.
    pub registers: Reserved<u64>,
    /// Frames.
    pub frames: Reserved<Frame>,
}

impl Stacks {
    /// Stacks of the usual size.
    pub fn ordinary() -> io::Result<Stacks> {
        Ok(Stacks { registers: Reserved::new(REGISTERS)?, frames: Reserved::new(FRAMES)? })
    }

    /// Stacks for a thread made with this `stackSize`; zero leaves the choice to the machine.
    pub fn for_size(stack_size: usize) -> io::Result<Stacks> {
        if stack_size == 0 {
            return Stacks::ordinary();
        }
        let size = stack_size.clamp(*STACK_BOUNDS.start(), *STACK_BOUNDS.end());
        let scaled = |ordinary: usize| ordinary * (size >> 10) / (ORDINARY_STACK >> 10);
        Ok(Stacks {
            registers: Reserved::new(scaled(REGISTERS))?,
            frames: Reserved::new(scaled(FRAMES))?,
        })
    }

    /// Whether these are of the usual size.
    pub fn is_ordinary(&self) -> bool {
        self.registers.capacity() == REGISTERS && self.frames.capacity() == FRAMES
    }
}

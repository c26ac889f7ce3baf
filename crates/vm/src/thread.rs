//! Green threads: their stacks and what they wait for. Scheduling is in `schedule.rs`.

use crate::code::Insn;
use crate::frame::{Frame, Hook};
use crate::stack::Reserved;
use crate::value::{Ref, ThreadId};

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
        /// Deadline.
        until: i64,
    },
    /// Waits for another thread's class initialisation.
    Initialising(crate::value::ClassId),
    /// In `waitForReferencePendingList`.
    AwaitingReferences,
    /// Ended.
    Ended,
}

/// One green thread.
#[derive(Debug)]
pub struct Thread {
    /// Own identifier.
    pub id: ThreadId,
    /// The `java.lang.Thread`. A root of the collector.
    pub java: Ref,
    /// What it is doing.
    pub state: State,
    /// Registers.
    pub registers: Reserved<u64>,
    /// Frames.
    pub frames: Reserved<Frame>,
    /// Top frame while not running; the running thread's is `Vm::frame`. Points one before the
    /// first frame when the stack is empty.
    pub frame: *mut Frame,
    /// Hooks of the hook frames on the stack, youngest last.
    pub hooks: Vec<Hook>,
    /// Position to go on at while not running (the top frame's `pc` field is stale for the top).
    pub pc: *const Insn,
    /// Permit of `LockSupport`.
    pub permit: bool,
    /// Set by whoever wakes the thread, read by the native that is run again.
    pub woken: Option<Wake>,
    /// Recursion count to restore after `Object.wait`.
    pub saved_lock_count: u32,
    /// Order of arrival where it waits; smaller waits longer.
    pub since: u64,
    /// Daemon threads do not keep the program alive.
    pub daemon: bool,
    /// The mark that this thread was last saved for; see `travel`.
    pub saved_for: u64,
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

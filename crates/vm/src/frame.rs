//! Frames and the calls that the machine itself makes into Java.
//!
//! A green thread has two stacks: registers (`u64`, see `code.rs`) and frames. A call pushes a
//! frame; nothing of it lives on the host's stack, so Java recursion is bounded by us alone.
//!
//! Where Rust code needs Java code to run first (class initialisation, `ClassLoader.loadClass`,
//! reflective calls), it returns [`Trap::Upcall`]: a hook frame and the callee are pushed, and when
//! the callee returns the hook says how to go on, usually by running the interrupted instruction
//! or native again from its start. Such code is therefore written to be repeatable.

use crate::class::MethodRt;
use crate::code::Insn;
use crate::symbol::Symbol;
use crate::value::{ClassId, Kind, LoaderId, MethodId, Ref};

/// One activation.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Frame {
    /// Where this frame goes on when its callee returns. While a hook frame stands directly above,
    /// the instruction itself (it runs again); otherwise the one behind the call.
    pub pc: *const Insn,
    /// First register.
    pub fp: *mut u64,
    /// The method; null for a hook frame.
    pub method: *const MethodRt,
    /// Hook frames: position in the thread's hook list. Synchronized methods: the locked object.
    pub extra: u64,
}

/// What to do when a call that the machine made comes back.
#[derive(Debug, Clone)]
pub enum Hook {
    /// End of a call from outside (`Vm::call`), or of a thread's `run`.
    Entry,
    /// Run the interrupted instruction or native again; the result is dropped.
    Retry,
    /// `<clinit>` of a class ended; then as `Retry`.
    ClassInit(ClassId),
    /// `loadClass` gave a class: record it under the initiating loader; then as `Retry`. An
    /// exception becomes the `NoClassDefFoundError` of JVMS §5.3 unless `keep_exception`.
    LoadedClass {
        /// Initiating loader.
        loader: LoaderId,
        /// Internal name of the class.
        name: Symbol,
        /// What was asked for: the same, or an array of it. Errors speak of this.
        asked: Symbol,
        /// Whether a `ClassNotFoundException` goes on as it is.
        keep_exception: bool,
    },
    /// The result is the result of the native below.
    NativeResult,
    /// Reflective call: box the result and make it the result of the native below; wrap what is
    /// thrown in `InvocationTargetException`.
    Reflect {
        /// Kind of the callee's result.
        returns: Kind,
    },
    /// Reflective construction: the new object is the result of the native below; wrap what is thrown.
    ReflectNew {
        /// Register-stack position of the object: the callee's receiver is kept there.
        object: Ref,
    },
    /// A native with several steps: called again with the result of the callee. `state` is the
    /// native's own; the native finds both in `Vm::resumed`.
    Resume {
        /// What the native wants to remember.
        state: u64,
    },
    /// As `Resume`, but an exception comes back too: the state then has its highest bit set, and the
    /// result is the exception.
    Attempt {
        /// What the native wants to remember; its highest bit is clear.
        state: u64,
    },
    /// A transformer gave a class file or null; see `instrument`. An exception counts as null.
    Transformed {
        /// The step that waits for it.
        ticket: u64,
    },
    /// The result is kept in the hook's slot of the interrupted site; see `link_call_site`.
    CallSite {
        /// Class whose constant pool holds the site.
        class: ClassId,
        /// Kind of linkage, private to `invoke`.
        tag: u32,
        /// A root that must survive the call, such as the appendix box.
        root: Ref,
    },
}

/// A call that must happen before the current instruction or native can go on.
#[derive(Debug)]
pub struct Upcall {
    /// The method, already selected (no virtual dispatch happens).
    pub method: MethodId,
    /// Register words of the arguments, receiver first, two words per long and double.
    pub args: Vec<u64>,
    /// What happens afterwards.
    pub hook: Hook,
}

/// Why an instruction or native could not finish normally.
#[derive(Debug)]
pub enum Trap {
    /// A Java exception.
    Throw(Ref),
    /// Java code must run first.
    Upcall(Box<Upcall>),
    /// The thread was put to sleep by the code that returns this; the instruction or native runs
    /// again when the thread is woken.
    Blocked,
    /// The heap must be collected; then the instruction or native runs again.
    Collect(Collect),
    /// The machine stops: see [`Stop`].
    Stop(Box<Stop>),
}

/// What a collection is to bring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Collect {
    /// Room for so many bytes; where there is none, an `OutOfMemoryError` is thrown instead.
    Room(usize),
    /// All garbage gone, as `System.gc` asks.
    Everything,
}

/// Why the machine stopped before a call came back.
#[derive(Debug, Clone, PartialEq)]
pub enum Stop {
    /// `System.exit` or `Runtime.halt`.
    Exit(i32),
    /// The fuel of the call is used up.
    OutOfFuel,
    /// The heap limit was hit where no `OutOfMemoryError` could be thrown.
    OutOfMemory,
    /// No thread can ever run again.
    Deadlocked(Deadlock),
    /// Something this machine does not do; the text names it.
    Unsupported(String),
}

/// Threads that wait and that nobody will wake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deadlock {
    /// What each of them waits for, oldest thread first.
    pub waiting: Vec<String>,
    /// Whether some of them wait for each other, rather than for what none of them promised to do.
    pub is_circle: bool,
}

/// Result of anything that may trap.
pub type Res<T> = Result<T, Trap>;

//! Other programs, as the machine asks its host to start them. What they do is outside of time travel.

use super::Handle;

/// A program to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The program as it was named, then its arguments.
    pub words: Vec<Vec<u8>>,
    /// Its environment.
    pub environment: Vec<(Vec<u8>, Vec<u8>)>,
    /// Its working folder; `None` for that of the machine.
    pub folder: Option<Vec<u8>>,
    /// Its standard input, output and error.
    pub streams: [Stream; 3],
    /// What it writes to standard error goes where standard output goes.
    pub merges_errors: bool,
}

/// Where a standard stream of a program leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// To a new pipe.
    Pipe,
    /// To an open file.
    File(Handle),
    /// Nowhere.
    Nowhere,
}

/// A process as others see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Its id.
    pub id: u32,
    /// The process that started it; `None` for one that nobody did or that is not shown.
    pub parent: Option<u32>,
    /// When it was started, milliseconds since the epoch.
    pub started: i64,
    /// How long it has run, where that is known.
    pub cpu_nanos: Option<i64>,
    /// Number of the user it runs for.
    pub user: u32,
    /// The program's file and its arguments, where they are shown.
    pub command: Option<Vec<u8>>,
    /// See `command`.
    pub arguments: Option<Vec<Vec<u8>>>,
}

/// A program that was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Started {
    /// Its process id.
    pub process: u32,
    /// The near ends of the pipes.
    pub pipes: [Option<Handle>; 3],
}

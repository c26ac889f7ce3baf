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

/// A program that was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Started {
    /// Its process id.
    pub process: u32,
    /// The near ends of the pipes.
    pub pipes: [Option<Handle>; 3],
}

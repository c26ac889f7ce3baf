//! Makes much into little: which tests of a suite are worth keeping, and why; what a class always, mostly
//! and rarely does; a sequence that shows something, as short as it can be; findings by their causes.
//!
//! Works on plain data that others measured. Must not know: how tests are run, files, terminals.

pub mod shrink;

pub mod group;

pub mod reduce;

pub mod infer;

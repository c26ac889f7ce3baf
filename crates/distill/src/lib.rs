//! Makes much into little: which tests of a suite are worth keeping, and why; what a class always, mostly
//! and rarely does.
//!
//! Works on plain data that others measured. Must not know: how tests are run, files, terminals.

pub mod reduce;

pub mod infer;

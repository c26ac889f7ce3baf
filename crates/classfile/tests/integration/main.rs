//! Tests of the crate from outside: on the real JDKs, on hand-made and on damaged input.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test may panic and tell its timing"
)]

mod assembler;
mod hierarchy;
mod jdk;
mod verdict;

mod class_path;
mod format_rules;
mod jar;
mod jdk_classes;
mod jimage;
mod model;
mod mutation;
mod verifier_rules;

//! Plain data: Java types and methods by name, sequences of calls, what is checked after them, tests.
//!
//! Stands below everything that makes, runs or writes tests. Knows nothing of execution and nothing of
//! Java's syntax: a sequence here is what a test does, not how it is spelled.

pub mod constant;
pub mod java_type;
pub mod method;
pub mod sequence;
pub mod stand_in;
pub mod test;
pub mod types;

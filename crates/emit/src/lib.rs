//! Turns data into text: JUnit source, JSON, test sources without the tests that are not needed, coverage in
//! the formats of other tools.
//!
//! Everything here takes plain data and gives text back; the caller writes files. Knows nothing of
//! anything that executes.

pub mod coverage;
pub mod jacoco;
pub mod json;
pub mod junit;
pub mod lcov;
pub mod lex;
pub mod outline;
pub mod page;
pub mod prune;
pub mod rewrite;

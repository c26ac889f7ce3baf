//! Turns data into text: JUnit source, JSON, test sources without the tests that are not needed.
//!
//! Everything here takes plain data and gives text back; the caller writes files. Knows nothing of
//! anything that executes.

pub mod json;
pub mod junit;
pub mod lex;
pub mod outline;
pub mod page;
pub mod rewrite;

//! Turns suite data into text: JUnit source, JSON.
//!
//! Everything here takes plain data and gives text back; the caller writes files. Knows nothing of
//! anything that executes.

pub mod json;

//! Chooses what to run next: which calls, on which states, with which arguments.
//!
//! Stands above the machine and its observers, below everything that writes. Knows nothing of Java's
//! syntax, files or terminals.

pub mod api;
pub mod arguments;
mod calls;
pub mod generics;
pub mod order;
pub mod random;
pub mod sequences;
pub mod stand_ins;
pub mod states;
mod threads;
mod words;

//! Runs code of the user on the machine and reports what it did: outcomes of JUnit suites, coverage.
//!
//! Stands between the machine and the explorers: knows how one test or suite is run and watched, not
//! how tests are chosen, and nothing of solvers, files to write or terminals.

pub mod arguments;
pub mod assemble;
pub mod assessment;
pub mod behaviour;
mod caches;
pub mod contract;
pub mod coverage;
pub mod harvest;
pub mod java;
pub mod junit;
pub mod known_ways;
pub mod last_call;
pub mod mutation;
pub mod oracle;
pub mod outside;
pub mod record;
pub mod session;
pub mod snapshot;
pub mod stand_in;
pub mod state;

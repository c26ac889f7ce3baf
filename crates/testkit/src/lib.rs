//! Runs the Java programs below `fixtures/` on a real JVM and on ours, and compares what they did.
//!
//! Development only: tests and the `differ` command use it, no product crate does.
//! A fixture is one `.java` file with a `main`; both machines run the same class files,
//! compiled by the `javac` of the JDK whose class library they use.
//!
//! This crate knows nothing of the product's code: our machine is a command like any other.

pub mod compare;
pub mod compile;
pub mod differ;
pub mod digest;
pub mod fixture;
pub mod jdk;
pub mod oracle;
pub mod process;
pub mod root;
pub mod suite;

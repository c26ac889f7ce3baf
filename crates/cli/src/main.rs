//! The `nonpareil` command.

fn main() {}

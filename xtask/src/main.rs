//! Repository chores as code.

fn main() {}

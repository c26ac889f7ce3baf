//! Natives of `sun.nio`.

pub(crate) mod ch;
pub(crate) mod fs;

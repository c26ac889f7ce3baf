//! Natives of `sun.nio`.


pub(crate) mod fs;

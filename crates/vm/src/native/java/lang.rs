//! Natives of `java.lang`.

pub(crate) mod object;
pub(crate) mod object_wait;
pub(crate) mod thread;

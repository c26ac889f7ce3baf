//! Natives of the `jdk` packages.

pub(crate) mod internal;

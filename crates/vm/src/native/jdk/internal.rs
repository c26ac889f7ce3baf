//! Natives of the `jdk.internal` packages.

pub(crate) mod continuation;
pub(crate) mod loader;
pub(crate) mod reflect;
pub(crate) mod unsafe_park;

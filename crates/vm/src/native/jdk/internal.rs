//! Natives of the `jdk.internal` packages.

pub(crate) mod loader;
pub(crate) mod reflect;

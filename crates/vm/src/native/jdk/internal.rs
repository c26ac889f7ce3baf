//! Natives of the `jdk.internal` packages.

pub(crate) mod continuation;
pub(crate) mod jimage;
pub(crate) mod loader;
pub(crate) mod misc;
pub(crate) mod perf;
pub(crate) mod reflect;
pub(crate) mod system_props;
pub(crate) mod unsafe_park;
pub(crate) mod vm;

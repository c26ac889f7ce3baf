//! Natives of the `jdk.internal` packages.

pub(crate) mod jimage;
pub(crate) mod loader;
pub(crate) mod misc;
pub(crate) mod perf;
pub(crate) mod reflect;
pub(crate) mod system_props;
pub(crate) mod vm;

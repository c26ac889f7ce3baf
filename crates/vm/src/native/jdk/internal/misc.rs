//! Natives of `jdk.internal.misc`.

pub(crate) mod cds;
pub(crate) mod signal;
pub(crate) mod switches;
pub(crate) mod unsafe_access;
pub(crate) mod unsafe_blocks;
pub(crate) mod unsafe_classes;
pub(crate) mod unsafe_park;
pub(crate) mod vm;

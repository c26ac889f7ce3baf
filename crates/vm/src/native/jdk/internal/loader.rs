//! Natives of `jdk.internal.loader`.

pub(crate) mod boot_loader;
pub(crate) mod native_libraries;

//! Natives of `jdk.internal.reflect`.

pub(crate) mod accessor;
pub(crate) mod constant_pool;
pub(crate) mod reflection;

//! Natives of the `sun` packages.

pub(crate) mod management;
pub(crate) mod nio;

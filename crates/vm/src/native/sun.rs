//! Natives of the `sun` packages.

pub(crate) mod nio;

//! Natives of the `sun` packages.

pub(crate) mod attach;
pub(crate) mod desktop;
pub(crate) mod instrument;
pub(crate) mod management;
pub(crate) mod nio;
pub(crate) mod rmi;
pub(crate) mod unix_system;

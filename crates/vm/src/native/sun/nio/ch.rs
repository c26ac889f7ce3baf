//! Natives of `sun.nio.ch`: file channels, and sockets as far as they are refused.

pub(crate) mod file_dispatcher;
pub(crate) mod io_util;
pub(crate) mod mapping;
pub(crate) mod net;

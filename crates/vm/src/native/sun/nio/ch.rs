//! Natives of `sun.nio.ch`: file channels, and sockets and selectors.

pub(crate) mod extended_options;
pub(crate) mod file_dispatcher;
pub(crate) mod inherited;
pub(crate) mod io_util;
pub(crate) mod local_sockets;
pub(crate) mod mapping;
pub(crate) mod multicast;
pub(crate) mod net;
pub(crate) mod selectors;
pub(crate) mod socket_dispatcher;
pub(crate) mod sockets;

//! Natives of the `java` packages.

pub(crate) mod io;
pub(crate) mod lang;
pub(crate) mod net;
pub(crate) mod security;
pub(crate) mod util;

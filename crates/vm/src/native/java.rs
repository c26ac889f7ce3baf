//! Natives of the `java` packages.

pub(crate) mod lang;

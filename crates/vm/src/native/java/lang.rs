//! Natives of `java.lang`.

pub(crate) mod object;

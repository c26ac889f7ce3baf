//! Natives of `java.lang.reflect`.

pub(crate) mod array;
pub(crate) mod executable;
pub(crate) mod field;

//! Natives of `java.lang`.

pub(crate) mod class;
pub(crate) mod class_loader;
pub(crate) mod invoke;
pub(crate) mod module;
pub(crate) mod object;
pub(crate) mod object_wait;
pub(crate) mod reflect;
pub(crate) mod thread;

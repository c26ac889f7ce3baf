//! Natives of `java.lang`.

pub(crate) mod class;
pub(crate) mod class_loader;
pub(crate) mod floating;
pub(crate) mod invoke;
pub(crate) mod module;
pub(crate) mod null_pointer_exception;
pub(crate) mod object;
pub(crate) mod object_wait;
pub(crate) mod process;
pub(crate) mod reference;
pub(crate) mod reflect;
pub(crate) mod runtime;
pub(crate) mod shutdown;
pub(crate) mod stack_trace_element;
pub(crate) mod stack_walker;
pub(crate) mod strict_math;
pub(crate) mod string;
pub(crate) mod system;
pub(crate) mod thread;
pub(crate) mod throwable;

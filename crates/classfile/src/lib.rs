//! Bytes to a checked, immutable class model: class files, jars, JDK image, class path lookup.
//!
//! Everything that comes from outside is checked once, here; what the other crates receive they
//! may trust. This crate knows nothing of execution and nothing of tests.

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test may panic"))]

pub mod access;
mod bytes;
mod class_file;
mod class_path;
mod constant_pool;
pub mod descriptor;
mod error;
pub mod instructions;
mod jar;
mod jimage;
pub mod mutf8;
mod names;
mod parser;
mod reader;
pub mod verifier;

pub use bytes::ClassBytes;
pub use class_file::{
    BootstrapMethod, ClassFile, Code, ExceptionEntry, FieldInfo, InnerClass, MethodInfo,
    RecordComponent, Span,
};
pub use class_path::{ClassPath, ClassPathEntry, ClassPathError};
pub use constant_pool::{Constant, ConstantPool};
pub use descriptor::{FieldType, MethodDescriptor};
pub use error::{ClassFormatError, ClassFormatErrorKind};
pub use jar::{Jar, JarError};
pub use jimage::{JImage, JImageError};

//! What is wrong with a class file: which Java error it is, where, and in which class.
//!
//! The messages follow the words of HotSpot where it has any, since Java code can see them.

use std::borrow::Cow;
use std::fmt;

/// Which Java error a bad class file stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassFormatErrorKind {
    /// `java.lang.ClassFormatError`.
    ClassFormat,
    /// `java.lang.UnsupportedClassVersionError`.
    UnsupportedClassVersion,
}

/// A class file that breaks a rule of JVMS chapter 4.
#[derive(Clone)]
pub struct ClassFormatError(Box<Fault>);

#[derive(Clone)]
struct Fault {
    kind: ClassFormatErrorKind,
    message: Cow<'static, str>,
    offset: usize,
    class: Option<String>,
}

impl ClassFormatError {
    #[cold]
    pub(crate) fn at(offset: usize, message: impl Into<Cow<'static, str>>) -> Self {
        ClassFormatError(Box::new(Fault {
            kind: ClassFormatErrorKind::ClassFormat,
            message: message.into(),
            offset,
            class: None,
        }))
    }

    #[cold]
    pub(crate) fn version(major: u16, minor: u16, message: &str) -> Self {
        ClassFormatError(Box::new(Fault {
            kind: ClassFormatErrorKind::UnsupportedClassVersion,
            message: format!("{message} (class file version {major}.{minor})").into(),
            offset: 4,
            class: None,
        }))
    }

    pub(crate) fn in_class(mut self, name: String) -> Self {
        self.0.class.get_or_insert(name);
        self
    }

    /// Which Java error this is.
    pub fn kind(&self) -> ClassFormatErrorKind {
        self.0.kind
    }

    /// The message without class and position.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The position in the class file where the fault was noticed.
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// The class's own name in internal form, when the fault lies behind it.
    pub fn class(&self) -> Option<&str> {
        self.0.class.as_deref()
    }
}

impl fmt::Display for ClassFormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        if let Some(class) = &self.0.class {
            write!(f, " in class file {class}")?;
        }
        write!(f, " (at byte {})", self.0.offset)
    }
}

impl fmt::Debug for ClassFormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.0.kind)
    }
}

impl std::error::Error for ClassFormatError {}

#[cfg(test)]
mod tests {
    use super::ClassFormatError;

    #[test]
    fn an_error_is_as_small_as_a_pointer() {
        assert_eq!(size_of::<ClassFormatError>(), size_of::<usize>());
    }
}

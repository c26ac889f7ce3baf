//! The constant pool (JVMS §4.4) as a table of decoded entries.
//!
//! The parser has checked that every entry is well formed and points at entries of the right
//! kind, so following an entry's own indices cannot fail. Indices that come from elsewhere, such
//! as bytecode, may be anything: every lookup therefore gives an `Option`, or for the short forms
//! an empty name, and never panics.

use crate::{ClassBytes, Span};

/// One entry of the constant pool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constant {
    /// Index 0, and the index behind a `long` or `double`.
    Unusable,
    /// Modified UTF-8 text.
    Utf8(Span),
    /// An `int`.
    Integer(i32),
    /// A `float`, as its bits.
    Float(u32),
    /// A `long`.
    Long(i64),
    /// A `double`, as its bits.
    Double(u64),
    /// A class, interface or array type; `name` is a `Utf8`.
    Class {
        /// Index of the internal name or array descriptor.
        name: u16,
    },
    /// A string; `utf8` is a `Utf8`.
    String {
        /// Index of the text.
        utf8: u16,
    },
    /// A field.
    FieldRef {
        /// Index of the `Class`.
        class: u16,
        /// Index of the `NameAndType`.
        name_and_type: u16,
    },
    /// A method of a class.
    MethodRef {
        /// Index of the `Class`.
        class: u16,
        /// Index of the `NameAndType`.
        name_and_type: u16,
    },
    /// A method of an interface.
    InterfaceMethodRef {
        /// Index of the `Class`.
        class: u16,
        /// Index of the `NameAndType`.
        name_and_type: u16,
    },
    /// A member's name and descriptor.
    NameAndType {
        /// Index of the name.
        name: u16,
        /// Index of the descriptor.
        descriptor: u16,
    },
    /// A method handle.
    MethodHandle {
        /// The reference kind, 1 to 9 (JVMS table 5.4.3.5-A).
        kind: u8,
        /// Index of the field or method reference.
        reference: u16,
    },
    /// A method type.
    MethodType {
        /// Index of the descriptor.
        descriptor: u16,
    },
    /// A dynamically computed constant.
    Dynamic {
        /// Index into the bootstrap methods.
        bootstrap: u16,
        /// Index of the `NameAndType`.
        name_and_type: u16,
    },
    /// A dynamically computed call site.
    InvokeDynamic {
        /// Index into the bootstrap methods.
        bootstrap: u16,
        /// Index of the `NameAndType`.
        name_and_type: u16,
    },
    /// A module.
    Module {
        /// Index of the name.
        name: u16,
    },
    /// A package.
    Package {
        /// Index of the name.
        name: u16,
    },
}

/// The constant pool of a checked class file.
pub struct ConstantPool {
    bytes: ClassBytes,
    /// Invariant: at most 65,535 entries, the first `Unusable`; once the parser is done, every
    /// span lies within `bytes` and every index names an entry of the kind it must have.
    entries: Box<[Constant]>,
}

impl ConstantPool {
    pub(crate) fn new(bytes: ClassBytes, entries: Box<[Constant]>) -> Self {
        ConstantPool { bytes, entries }
    }

    pub(crate) fn bytes(&self) -> &ClassBytes {
        &self.bytes
    }

    /// One more than the greatest index, as the class file counts it.
    #[expect(clippy::len_without_is_empty, reason = "a constant pool always has its first entry")]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The entries in order, the unusable first one included.
    pub fn entries(&self) -> &[Constant] {
        &self.entries
    }

    /// The entry at an index; `None` if the pool has no such index.
    #[inline]
    pub fn get(&self, idx: u16) -> Option<Constant> {
        self.entries.get(usize::from(idx)).copied()
    }

    /// The text of a `Utf8` entry; empty if it is none.
    pub fn utf8(&self, idx: u16) -> &[u8] {
        self.try_utf8(idx).unwrap_or_default()
    }

    /// The text of a `Utf8` entry.
    #[inline]
    pub fn try_utf8(&self, idx: u16) -> Option<&[u8]> {
        match self.get(idx)? {
            Constant::Utf8(span) => self.bytes.get(span.range()),
            _ => None,
        }
    }

    /// The name of a `Class` entry, internal form or array descriptor; empty if it is none.
    pub fn class_name(&self, idx: u16) -> &[u8] {
        self.try_class_name(idx).unwrap_or_default()
    }

    /// The name of a `Class` entry, internal form or array descriptor.
    pub fn try_class_name(&self, idx: u16) -> Option<&[u8]> {
        match self.get(idx)? {
            Constant::Class { name } => self.try_utf8(name),
            _ => None,
        }
    }

    /// Name and descriptor of a `NameAndType` entry; empty if it is none.
    pub fn name_and_type(&self, idx: u16) -> (&[u8], &[u8]) {
        self.try_name_and_type(idx).unwrap_or_default()
    }

    /// Name and descriptor of a `NameAndType` entry.
    pub fn try_name_and_type(&self, idx: u16) -> Option<(&[u8], &[u8])> {
        match self.get(idx)? {
            Constant::NameAndType { name, descriptor } => {
                Some((self.try_utf8(name)?, self.try_utf8(descriptor)?))
            }
            _ => None,
        }
    }

    /// Class, name and descriptor of a field or method reference; empty if it is none.
    pub fn member_ref(&self, idx: u16) -> (&[u8], &[u8], &[u8]) {
        self.try_member_ref(idx).unwrap_or_default()
    }

    /// Class, name and descriptor of a field or method reference.
    pub fn try_member_ref(&self, idx: u16) -> Option<(&[u8], &[u8], &[u8])> {
        match self.get(idx)? {
            Constant::FieldRef { class, name_and_type }
            | Constant::MethodRef { class, name_and_type }
            | Constant::InterfaceMethodRef { class, name_and_type } => {
                let (name, descriptor) = self.try_name_and_type(name_and_type)?;
                Some((self.try_class_name(class)?, name, descriptor))
            }
            _ => None,
        }
    }

    /// Bootstrap method index, name and descriptor of a `Dynamic` or `InvokeDynamic` entry.
    pub fn try_dynamic(&self, idx: u16) -> Option<(u16, &[u8], &[u8])> {
        match self.get(idx)? {
            Constant::Dynamic { bootstrap, name_and_type }
            | Constant::InvokeDynamic { bootstrap, name_and_type } => {
                let (name, descriptor) = self.try_name_and_type(name_and_type)?;
                Some((bootstrap, name, descriptor))
            }
            _ => None,
        }
    }

    /// The text of a `String` entry, modified UTF-8.
    pub fn try_string(&self, idx: u16) -> Option<&[u8]> {
        match self.get(idx)? {
            Constant::String { utf8 } => self.try_utf8(utf8),
            _ => None,
        }
    }

    /// The descriptor of a `MethodType` entry.
    pub fn try_method_type(&self, idx: u16) -> Option<&[u8]> {
        match self.get(idx)? {
            Constant::MethodType { descriptor } => self.try_utf8(descriptor),
            _ => None,
        }
    }
}

//! Values that a test can write down without a call.

use std::sync::Arc;

use crate::types::Type;

/// A constant. Floating point is kept by its bits, so that equality is identity: `-0.0` is not `0.0`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Constant {
    /// `null`.
    Null,
    /// A `boolean`.
    Boolean(bool),
    /// A `byte`.
    Byte(i8),
    /// A `char`.
    Char(u16),
    /// A `short`.
    Short(i16),
    /// An `int`.
    Int(i32),
    /// A `long`.
    Long(i64),
    /// The bits of a `float`.
    Float(u32),
    /// The bits of a `double`.
    Double(u64),
    /// A string, in UTF-16 as Java keeps it.
    Text(Arc<[u16]>),
    /// A constant of an enum type.
    Enum {
        /// Internal name of the enum type.
        class: Arc<str>,
        /// Name of the constant.
        name: Arc<str>,
    },
    /// A class literal.
    Class(Type),
    /// A primitive constant in the object that boxes it: `Integer.valueOf(1)`.
    Boxed(Box<Constant>),
}

impl Constant {
    /// A string constant.
    pub fn text(text: &str) -> Constant {
        Constant::Text(text.encode_utf16().collect())
    }

    /// The most exact type of the constant; `None` for `null`, which fits every reference type.
    pub fn natural_type(&self) -> Option<Type> {
        Some(match self {
            Constant::Null => return None,
            Constant::Boolean(_) => Type::Boolean,
            Constant::Byte(_) => Type::Byte,
            Constant::Char(_) => Type::Char,
            Constant::Short(_) => Type::Short,
            Constant::Int(_) => Type::Int,
            Constant::Long(_) => Type::Long,
            Constant::Float(_) => Type::Float,
            Constant::Double(_) => Type::Double,
            Constant::Text(_) => Type::class("java/lang/String"),
            Constant::Enum { class, .. } => Type::Class(class.clone()),
            Constant::Class(_) => Type::class("java/lang/Class"),
            Constant::Boxed(inner) => Type::class(inner.box_class()?),
        })
    }

    /// Internal name of the class that boxes this primitive constant; `None` for references.
    pub fn box_class(&self) -> Option<&'static str> {
        Some(match self {
            Constant::Boolean(_) => "java/lang/Boolean",
            Constant::Byte(_) => "java/lang/Byte",
            Constant::Char(_) => "java/lang/Character",
            Constant::Short(_) => "java/lang/Short",
            Constant::Int(_) => "java/lang/Integer",
            Constant::Long(_) => "java/lang/Long",
            Constant::Float(_) => "java/lang/Float",
            Constant::Double(_) => "java/lang/Double",
            _ => return None,
        })
    }

    /// Whether the constant may stand where this type is wanted, as far as names alone tell: a
    /// reference constant fits every reference type, a primitive one exactly its own.
    pub fn fits(&self, wanted: &Type) -> bool {
        match self.natural_type() {
            None | Some(Type::Class(_) | Type::Array(_)) => wanted.is_reference(),
            Some(own) => own == *wanted,
        }
    }
}

//! Java types by name, as descriptors tell them apart (JVMS §4.3).

use std::fmt;
use std::sync::Arc;

/// A Java type.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// `boolean`.
    Boolean,
    /// `byte`.
    Byte,
    /// `char`.
    Char,
    /// `short`.
    Short,
    /// `int`.
    Int,
    /// `long`.
    Long,
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// No value; only as a result.
    Void,
    /// A class or interface by internal name: `java/util/Map$Entry`.
    Class(Arc<str>),
    /// An array of this element type.
    Array(Box<Type>),
}

impl Type {
    /// The class type with this internal name.
    pub fn class(name: &str) -> Type {
        Type::Class(name.into())
    }

    /// The type that a whole descriptor means; `None` where it is none.
    pub fn of_descriptor(descriptor: &str) -> Option<Type> {
        let (found, rest) = Type::first(descriptor)?;
        rest.is_empty().then_some(found)
    }

    /// The type at the start of a descriptor, and what follows it.
    fn first(descriptor: &str) -> Option<(Type, &str)> {
        let rest = descriptor.get(1..)?;
        Some(match descriptor.as_bytes().first()? {
            b'Z' => (Type::Boolean, rest),
            b'B' => (Type::Byte, rest),
            b'C' => (Type::Char, rest),
            b'S' => (Type::Short, rest),
            b'I' => (Type::Int, rest),
            b'J' => (Type::Long, rest),
            b'F' => (Type::Float, rest),
            b'D' => (Type::Double, rest),
            b'V' => (Type::Void, rest),
            b'L' => {
                let (name, rest) = rest.split_once(';')?;
                (Type::class(name), rest)
            }
            b'[' => {
                let (element, rest) = Type::first(rest)?;
                (Type::Array(Box::new(element)), rest)
            }
            _ => return None,
        })
    }

    /// The internal name, where it is a class.
    pub fn class_name(&self) -> Option<&Arc<str>> {
        match self {
            Type::Class(name) => Some(name),
            _ => None,
        }
    }

    /// Whether values of this type are references.
    pub fn is_reference(&self) -> bool {
        matches!(self, Type::Class(_) | Type::Array(_))
    }

    /// The descriptor.
    pub fn descriptor(&self) -> String {
        match self {
            Type::Boolean => "Z".to_owned(),
            Type::Byte => "B".to_owned(),
            Type::Char => "C".to_owned(),
            Type::Short => "S".to_owned(),
            Type::Int => "I".to_owned(),
            Type::Long => "J".to_owned(),
            Type::Float => "F".to_owned(),
            Type::Double => "D".to_owned(),
            Type::Void => "V".to_owned(),
            Type::Class(name) => format!("L{name};"),
            Type::Array(element) => format!("[{}", element.descriptor()),
        }
    }
}

/// As people write it with full names: `int`, `java.util.Map$Entry[]`.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Type::Boolean => "boolean",
            Type::Byte => "byte",
            Type::Char => "char",
            Type::Short => "short",
            Type::Int => "int",
            Type::Long => "long",
            Type::Float => "float",
            Type::Double => "double",
            Type::Void => "void",
            Type::Class(name) => return f.write_str(&name.replace('/', ".")),
            Type::Array(element) => return write!(f, "{element}[]"),
        })
    }
}

/// Parameter types and result of a method descriptor; `None` where it is none.
pub fn signature(descriptor: &str) -> Option<(Vec<Type>, Type)> {
    let (parameters, result) = descriptor.strip_prefix('(')?.split_once(')')?;
    let mut types = Vec::new();
    let mut rest = parameters;
    while !rest.is_empty() {
        let (parameter, behind) = Type::first(rest)?;
        types.push(parameter);
        rest = behind;
    }
    Some((types, Type::of_descriptor(result)?))
}

#[cfg(test)]
mod tests {
    use super::{Type, signature};

    #[test]
    fn a_method_descriptor_falls_into_its_types() {
        let (parameters, result) = signature("(I[[Ljava/lang/String;J)V").expect("well formed");
        let names: Vec<String> = parameters.iter().map(Type::to_string).collect();
        assert_eq!(names, ["int", "java.lang.String[][]", "long"]);
        assert_eq!(result, Type::Void);
    }

    #[test]
    fn what_is_no_descriptor_gives_nothing() {
        for text in ["", "(", "()", "(Ljava/lang/String)V", "(Q)V", "()II", "([)V"] {
            assert_eq!(signature(text), None, "{text}");
        }
    }

    #[test]
    fn a_type_gives_back_its_descriptor() {
        for text in ["Z", "[[D", "Ljava/util/Map$Entry;", "[Ljava/lang/Object;"] {
            assert_eq!(
                Type::of_descriptor(text).map(|found| found.descriptor()).as_deref(),
                Some(text)
            );
        }
    }
}

//! Field and method descriptors (JVMS §4.3): checking them and taking them apart.

use crate::names;

/// The type a field descriptor stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldType<'a> {
    /// `B`
    Byte,
    /// `C`
    Char,
    /// `D`
    Double,
    /// `F`
    Float,
    /// `I`
    Int,
    /// `J`
    Long,
    /// `S`
    Short,
    /// `Z`
    Boolean,
    /// `Lname;`, with the class name in internal form.
    Object(&'a [u8]),
    /// `[…`, with the whole descriptor, brackets included.
    Array(&'a [u8]),
}

impl<'a> FieldType<'a> {
    /// Parses a whole field descriptor; `None` if it is not one.
    pub fn parse(descriptor: &'a [u8]) -> Option<Self> {
        let (field_type, rest) = split_first(descriptor)?;
        rest.is_empty().then_some(field_type)
    }

    /// How many local variables or stack words a value takes: 2 for `long` and `double`, else 1.
    pub fn slots(self) -> usize {
        match self {
            FieldType::Long | FieldType::Double => 2,
            _ => 1,
        }
    }

    /// Whether values are references.
    pub fn is_reference(self) -> bool {
        matches!(self, FieldType::Object(_) | FieldType::Array(_))
    }

    /// The type of an array's elements; `None` unless this is an array.
    pub fn element(self) -> Option<FieldType<'a>> {
        match self {
            FieldType::Array(descriptor) => split_first(&descriptor[1..]).map(|split| split.0),
            _ => None,
        }
    }

    /// For a reference type, what a `CONSTANT_Class` would hold: an internal name, or for an array
    /// its descriptor.
    pub fn class_name(self) -> Option<&'a [u8]> {
        match self {
            FieldType::Object(name) | FieldType::Array(name) => Some(name),
            _ => None,
        }
    }
}

/// A checked method descriptor.
#[derive(Clone, Copy, Debug)]
pub struct MethodDescriptor<'a> {
    params: &'a [u8],
    return_type: Option<FieldType<'a>>,
    arg_slots: usize,
}

impl<'a> MethodDescriptor<'a> {
    /// Parses a whole method descriptor; `None` if it is not one. More than 255 words of
    /// parameters are not an error here, since the limit counts the receiver too.
    pub fn parse(descriptor: &'a [u8]) -> Option<Self> {
        let params = descriptor.strip_prefix(b"(")?;
        let mut rest = params;
        let mut arg_slots = 0;
        while *rest.first()? != b')' {
            let (param, after) = split_first(rest)?;
            arg_slots += param.slots();
            rest = after;
        }
        let params = &params[..params.len() - rest.len()];
        let return_type = match &rest[1..] {
            b"V" => None,
            descriptor => Some(FieldType::parse(descriptor)?),
        };
        Some(MethodDescriptor { params, return_type, arg_slots })
    }

    /// The parameters' types in order.
    pub fn params(&self) -> Params<'a> {
        Params { rest: self.params }
    }

    /// The type of the result; `None` for `void`.
    pub fn return_type(&self) -> Option<FieldType<'a>> {
        self.return_type
    }

    /// How many words the parameters take, without a receiver.
    pub fn arg_slots(&self) -> usize {
        self.arg_slots
    }
}

/// Iterator over the parameters of a [`MethodDescriptor`].
#[derive(Clone, Debug)]
pub struct Params<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Params<'a> {
    type Item = FieldType<'a>;

    fn next(&mut self) -> Option<FieldType<'a>> {
        let (param, rest) = split_first(self.rest)?;
        self.rest = rest;
        Some(param)
    }
}

/// Whether a `CONSTANT_Class` may have this name: a class name or an array descriptor.
pub(crate) fn is_class_or_array_name(name: &[u8]) -> bool {
    match name.first() {
        Some(b'[') => matches!(FieldType::parse(name), Some(FieldType::Array(_))),
        _ => names::is_class_name(name),
    }
}

fn split_first(descriptor: &[u8]) -> Option<(FieldType<'_>, &[u8])> {
    let (&tag, rest) = descriptor.split_first()?;
    let field_type = match tag {
        b'B' => FieldType::Byte,
        b'C' => FieldType::Char,
        b'D' => FieldType::Double,
        b'F' => FieldType::Float,
        b'I' => FieldType::Int,
        b'J' => FieldType::Long,
        b'S' => FieldType::Short,
        b'Z' => FieldType::Boolean,
        b'L' => {
            let end = rest.iter().position(|&byte| byte == b';')?;
            let name = &rest[..end];
            return names::is_class_name(name)
                .then_some((FieldType::Object(name), &rest[end + 1..]));
        }
        b'[' => {
            let n_dimensions = descriptor.iter().take_while(|&&byte| byte == b'[').count();
            if 255 < n_dimensions {
                return None;
            }
            let (_, after) = split_first(&descriptor[n_dimensions..])?;
            let array = &descriptor[..descriptor.len() - after.len()];
            return Some((FieldType::Array(array), after));
        }
        _ => return None,
    };
    Some((field_type, rest))
}

#[cfg(test)]
mod tests {
    use super::{FieldType, MethodDescriptor};

    #[test]
    fn a_method_descriptor_gives_parameters_result_and_words() {
        let descriptor = MethodDescriptor::parse(b"(IJ[[Ljava/lang/String;LA;D)[I").unwrap();
        assert_eq!(
            descriptor.params().collect::<Vec<_>>(),
            [
                FieldType::Int,
                FieldType::Long,
                FieldType::Array(b"[[Ljava/lang/String;"),
                FieldType::Object(b"A"),
                FieldType::Double
            ]
        );
        assert_eq!(descriptor.return_type(), Some(FieldType::Array(b"[I")));
        assert_eq!(descriptor.arg_slots(), 7);
        assert_eq!(MethodDescriptor::parse(b"()V").unwrap().return_type(), None);
    }

    #[test]
    fn broken_descriptors_are_refused() {
        for bad in [&b""[..], b"V", b"L;", b"LA", b"[", b"[V", b"II", b"La.b;", b"La//b;", b"(I)V"]
        {
            assert_eq!(FieldType::parse(bad), None, "{bad:?}");
        }
        for bad in [&b""[..], b"I", b"(", b"()", b"(V)V", b"(I)", b"(I)VV", b"(L)V", b"()[V", b"(I"]
        {
            assert!(MethodDescriptor::parse(bad).is_none(), "{bad:?}");
        }
    }

    #[test]
    fn an_array_has_at_most_255_dimensions() {
        let mut descriptor = vec![b'['; 255];
        descriptor.push(b'I');
        assert!(FieldType::parse(&descriptor).is_some());
        descriptor.insert(0, b'[');
        assert!(FieldType::parse(&descriptor).is_none());
    }

    #[test]
    fn the_element_of_an_array_drops_one_bracket() {
        let array = FieldType::parse(b"[[J").unwrap();
        assert_eq!(array.element(), Some(FieldType::Array(b"[J")));
        assert_eq!(array.element().unwrap().element(), Some(FieldType::Long));
        assert_eq!(FieldType::Int.element(), None);
    }
}

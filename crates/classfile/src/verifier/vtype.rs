//! Verification types (JVMS §4.10.1.2) in eight bytes, and the table of class names behind them.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::descriptor::FieldType;

/// The type of one word of a frame; a `long` or `double` takes two words, low half first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VType {
    /// Unusable.
    Top,
    Int,
    Float,
    Long,
    LongHigh,
    Double,
    DoubleHigh,
    Null,
    /// `this` of a constructor that has not called another yet.
    UninitializedThis,
    /// Made by the `new` at this position, constructor not called yet.
    Uninitialized(u16),
    /// An object of a class, interface or array type.
    Object(NameId),
    /// Where to go on after the subroutine entered by a `jsr`; only while inferring.
    ReturnAddress(u16),
}

impl VType {
    /// Whether this is the second word of a value.
    pub(super) fn is_high(self) -> bool {
        matches!(self, VType::LongHigh | VType::DoubleHigh)
    }

    /// The second word that follows this first one.
    pub(super) fn high(self) -> Option<VType> {
        match self {
            VType::Long => Some(VType::LongHigh),
            VType::Double => Some(VType::DoubleHigh),
            _ => None,
        }
    }

    /// Whether this is a reference, initialized or not.
    pub(super) fn is_reference(self) -> bool {
        matches!(
            self,
            VType::Null | VType::UninitializedThis | VType::Uninitialized(_) | VType::Object(_)
        )
    }
}

/// A class name known to [`Names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct NameId(u32);

/// `java/lang/Object`, in every [`Names`].
pub(super) const OBJECT: NameId = NameId(0);
/// `java/lang/Throwable`, in every [`Names`].
pub(super) const THROWABLE: NameId = NameId(1);

/// The class names of one verification, each once: internal names and array descriptors.
pub(super) struct Names<'c> {
    ids: FxHashMap<Cow<'c, [u8]>, NameId>,
    names: Vec<Cow<'c, [u8]>>,
}

impl<'c> Names<'c> {
    pub(super) fn new() -> Self {
        let mut names = Names { ids: FxHashMap::default(), names: Vec::with_capacity(16) };
        names.id(b"java/lang/Object");
        names.id(b"java/lang/Throwable");
        names
    }

    pub(super) fn id(&mut self, name: &'c [u8]) -> NameId {
        match self.ids.get(name) {
            Some(&id) => id,
            None => self.add(Cow::Borrowed(name)),
        }
    }

    pub(super) fn id_of_owned(&mut self, name: Vec<u8>) -> NameId {
        match self.ids.get(&name[..]) {
            Some(&id) => id,
            None => self.add(Cow::Owned(name)),
        }
    }

    fn add(&mut self, name: Cow<'c, [u8]>) -> NameId {
        let id = NameId(self.names.len() as u32);
        self.names.push(name.clone());
        self.ids.insert(name, id);
        id
    }

    pub(super) fn get(&self, id: NameId) -> &[u8] {
        &self.names[id.0 as usize]
    }

    /// The type a value of a field type has in a frame: small integers are `int`s.
    pub(super) fn vtype(&mut self, field_type: FieldType<'c>) -> VType {
        match field_type {
            FieldType::Byte
            | FieldType::Char
            | FieldType::Int
            | FieldType::Short
            | FieldType::Boolean => VType::Int,
            FieldType::Float => VType::Float,
            FieldType::Long => VType::Long,
            FieldType::Double => VType::Double,
            FieldType::Object(name) | FieldType::Array(name) => VType::Object(self.id(name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::VType;

    #[test]
    fn a_word_of_a_frame_takes_eight_bytes() {
        assert_eq!(size_of::<VType>(), 8);
    }
}

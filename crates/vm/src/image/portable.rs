//! Values as bytes and back. Structures are named field by field, so that one that gets a new
//! field cannot be written half.

use std::sync::Arc;

use classfile::JImage;
use rustc_hash::FxHashMap;

use super::relocate::Relocation;
use crate::symbol::{Symbol, Symbols};
use crate::value::{ClassId, Kind, LoaderId, MethodId, Ref, ThreadId};

/// Bytes under construction.
pub(super) struct Writer<'a> {
    pub(super) bytes: Vec<u8>,
    /// Where objects go.
    pub(super) relocation: &'a Relocation,
    /// The JDK's class library, which class files need not be copied from.
    pub(super) library: &'a JImage,
    symbols: Vec<Symbol>,
    known: FxHashMap<Symbol, u32>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(relocation: &'a Relocation, library: &'a JImage) -> Writer<'a> {
        Writer {
            bytes: Vec::new(),
            relocation,
            library,
            symbols: Vec::new(),
            known: FxHashMap::default(),
        }
    }

    /// Everything written, behind the names it uses.
    pub(super) fn finish(self) -> Vec<u8> {
        let mut all = Vec::with_capacity(self.bytes.len() * 2);
        put_len(&mut all, self.symbols.len());
        for symbol in &self.symbols {
            put_len(&mut all, symbol.as_bytes().len());
            all.extend_from_slice(symbol.as_bytes());
        }
        all.extend_from_slice(&self.bytes);
        all
    }

    pub(super) fn len(&mut self, len: usize) {
        put_len(&mut self.bytes, len);
    }

    pub(super) fn raw(&mut self, bytes: &[u8]) {
        self.len(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }
}

fn put_len(bytes: &mut Vec<u8>, len: usize) {
    let len = u32::try_from(len).expect("internal: an image of more than four gigabytes");
    bytes.extend_from_slice(&len.to_le_bytes());
}

/// Bytes being read. Everything is checked: an image may have been made by a broken build.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    symbols: Vec<Symbol>,
    /// The JDK's class library.
    pub(super) library: &'a Arc<JImage>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        bytes: &'a [u8],
        names: &Symbols,
        library: &'a Arc<JImage>,
    ) -> Option<Reader<'a>> {
        let mut reader = Reader { bytes, symbols: Vec::new(), library };
        for _ in 0..reader.len()? {
            let name = reader.raw()?;
            reader.symbols.push(names.intern(name));
        }
        Some(reader)
    }

    /// Whether everything was read.
    pub(super) fn is_done(&self) -> bool {
        self.bytes.is_empty()
    }

    /// A length; never more than there are bytes left.
    pub(super) fn len(&mut self) -> Option<usize> {
        let len = u32::take(self)? as usize;
        (len <= self.bytes.len()).then_some(len)
    }

    pub(super) fn raw(&mut self) -> Option<&'a [u8]> {
        let len = self.len()?;
        self.some(len)
    }

    fn some(&mut self, len: usize) -> Option<&'a [u8]> {
        let (some, rest) = self.bytes.split_at_checked(len)?;
        self.bytes = rest;
        Some(some)
    }
}

/// A value that can be written and read.
pub(super) trait Portable: Sized {
    /// Writes it.
    fn put(&self, writer: &mut Writer<'_>);
    /// Reads it; `None` where the bytes are not such a value.
    fn take(reader: &mut Reader<'_>) -> Option<Self>;
}

macro_rules! numbers {
    ($($type:ty)*) => { $(
        impl Portable for $type {
            fn put(&self, writer: &mut Writer<'_>) {
                writer.bytes.extend_from_slice(&self.to_le_bytes());
            }

            fn take(reader: &mut Reader<'_>) -> Option<$type> {
                let bytes = reader.some(size_of::<$type>())?;
                Some(<$type>::from_le_bytes(bytes.try_into().ok()?))
            }
        }
    )* };
}

numbers! { u8 u16 u32 u64 i64 }

macro_rules! ids {
    ($($type:ident)*) => { $(
        impl Portable for $type {
            fn put(&self, writer: &mut Writer<'_>) {
                self.0.put(writer);
            }

            fn take(reader: &mut Reader<'_>) -> Option<$type> {
                u32::take(reader).map($type)
            }
        }
    )* };
}

ids! { ClassId MethodId LoaderId ThreadId }

impl Portable for Ref {
    fn put(&self, writer: &mut Writer<'_>) {
        writer.relocation.apply(*self).0.put(writer);
    }

    fn take(reader: &mut Reader<'_>) -> Option<Ref> {
        u32::take(reader).map(Ref)
    }
}

impl Portable for bool {
    fn put(&self, writer: &mut Writer<'_>) {
        u8::from(*self).put(writer);
    }

    fn take(reader: &mut Reader<'_>) -> Option<bool> {
        match u8::take(reader)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl Portable for Symbol {
    #[expect(clippy::cast_possible_truncation, reason = "far fewer names than 2^32")]
    fn put(&self, writer: &mut Writer<'_>) {
        let next = writer.symbols.len() as u32;
        let idx = *writer.known.entry(*self).or_insert(next);
        if idx == next {
            writer.symbols.push(*self);
        }
        idx.put(writer);
    }

    fn take(reader: &mut Reader<'_>) -> Option<Symbol> {
        let idx = u32::take(reader)?;
        reader.symbols.get(idx as usize).copied()
    }
}

impl Portable for Kind {
    fn put(&self, writer: &mut Writer<'_>) {
        self.descriptor().put(writer);
    }

    fn take(reader: &mut Reader<'_>) -> Option<Kind> {
        Kind::of_descriptor(&[u8::take(reader)?])
    }
}

impl<T: Portable> Portable for Option<T> {
    fn put(&self, writer: &mut Writer<'_>) {
        self.is_some().put(writer);
        if let Some(value) = self {
            value.put(writer);
        }
    }

    fn take(reader: &mut Reader<'_>) -> Option<Option<T>> {
        if bool::take(reader)? { T::take(reader).map(Some) } else { Some(None) }
    }
}

impl<T: Portable> Portable for Box<[T]> {
    fn put(&self, writer: &mut Writer<'_>) {
        writer.len(self.len());
        self.iter().for_each(|value| value.put(writer));
    }

    fn take(reader: &mut Reader<'_>) -> Option<Box<[T]>> {
        (0..reader.len()?).map(|_| T::take(reader)).collect()
    }
}

impl<T: Portable> Portable for Vec<T> {
    fn put(&self, writer: &mut Writer<'_>) {
        writer.len(self.len());
        self.iter().for_each(|value| value.put(writer));
    }

    fn take(reader: &mut Reader<'_>) -> Option<Vec<T>> {
        (0..reader.len()?).map(|_| T::take(reader)).collect()
    }
}

impl<A: Portable, B: Portable> Portable for (A, B) {
    fn put(&self, writer: &mut Writer<'_>) {
        self.0.put(writer);
        self.1.put(writer);
    }

    fn take(reader: &mut Reader<'_>) -> Option<(A, B)> {
        Some((A::take(reader)?, B::take(reader)?))
    }
}

/// Makes a structure portable; names all its fields.
macro_rules! portable {
    ($type:ty { $($field:ident),* $(,)? }) => {
        impl $crate::image::portable::Portable for $type {
            fn put(&self, writer: &mut $crate::image::portable::Writer<'_>) {
                let Self { $($field),* } = self;
                $($crate::image::portable::Portable::put($field, writer);)*
            }

            fn take(reader: &mut $crate::image::portable::Reader<'_>) -> Option<Self> {
                Some(Self { $($field: $crate::image::portable::Portable::take(reader)?),* })
            }
        }
    };
}
pub(super) use portable;

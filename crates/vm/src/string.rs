//! Java strings: making them, reading them, interning them.
//!
//! A string holds Latin-1 bytes (coder 0) where it can, else UTF-16 units in the machine's byte
//! order (coder 1). String constants lie in the literal region, which outlives rollbacks, so code
//! may hold their addresses; a string that `intern` canonised stays where it is.

use std::hash::Hasher;
use std::sync::Arc;

use classfile::mutf8;
use rustc_hash::{FxHashMap, FxHasher};

use crate::frame::{Res, Stop, Trap};
use crate::heap::{ELEMENTS_OFFSET, LENGTH_OFFSET};
use crate::travel::Undo;
use crate::value::{Kind, Ref};
use crate::vm::Vm;

/// Interned strings by a hash of their content; equal hashes share a list, in which literals
/// stand before the strings that `Undo::Interned` takes out again.
#[derive(Debug, Default, Clone)]
pub struct InternTable {
    /// Strings by hash.
    pub by_hash: FxHashMap<u64, Vec<Ref>>,
    /// Strings of the booted base, shared with other machines.
    pub base: Arc<FxHashMap<u64, Vec<Ref>>>,
    /// Hashes of the strings that lie in the main region, which the collector moves or drops; in
    /// the order of interning. A string is entered into both by `add_movable`.
    pub movable: Vec<u64>,
}

impl InternTable {
    /// Enters a string of the main region (`String.intern` of one that is new).
    pub fn add_movable(&mut self, hash: u64, string: Ref) {
        self.by_hash.entry(hash).or_default().push(string);
        self.movable.push(hash);
    }
}

/// The content of a string as it lies in its array.
#[derive(Debug, PartialEq, Eq)]
struct Content {
    coder: u8,
    bytes: Vec<u8>,
}

const LATIN1: u8 = 0;
const UTF16: u8 = 1;

impl Content {
    fn of_units(units: impl Iterator<Item = u16> + Clone) -> Content {
        if units.clone().all(|unit| unit < 0x100) {
            let bytes = units.map(|unit| unit.to_le_bytes()[0]).collect();
            return Content { coder: LATIN1, bytes };
        }
        Content { coder: UTF16, bytes: units.flat_map(u16::to_ne_bytes).collect() }
    }

    fn of_mutf8(bytes: &[u8]) -> Content {
        if bytes.is_ascii() {
            return Content { coder: LATIN1, bytes: bytes.to_vec() };
        }
        let units: Vec<u16> = mutf8::decode(bytes).collect();
        Content::of_units(units.iter().copied())
    }

    fn hash(&self) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write_u8(self.coder);
        hasher.write(&self.bytes);
        hasher.finish()
    }
}

impl Vm {
    /// A new Java string.
    pub fn new_string(&mut self, text: &str) -> Res<Ref> {
        if text.is_ascii() {
            return self.string_of(LATIN1, text.as_bytes());
        }
        let units: Vec<u16> = text.encode_utf16().collect();
        self.new_string_utf16(&units)
    }

    /// A new Java string of UTF-16 units.
    pub fn new_string_utf16(&mut self, units: &[u16]) -> Res<Ref> {
        let content = Content::of_units(units.iter().copied());
        self.string_of(content.coder, &content.bytes)
    }

    /// A new Java string of Latin-1 characters.
    pub fn new_string_latin1(&mut self, bytes: &[u8]) -> Res<Ref> {
        self.string_of(LATIN1, bytes)
    }

    /// A new Java string of modified UTF-8.
    pub fn new_string_mutf8(&mut self, bytes: &[u8]) -> Res<Ref> {
        let content = Content::of_mutf8(bytes);
        self.string_of(content.coder, &content.bytes)
    }

    /// The canonical string with this content, in the literal region when it is new. Where
    /// `String.intern` came first it is that string, which the collector may move: only what
    /// [`Vm::is_literal`] may be kept in code.
    pub fn intern_mutf8(&mut self, bytes: &[u8]) -> Res<Ref> {
        let content = Content::of_mutf8(bytes);
        let hash = content.hash();
        if let Some(known) = self.interned(hash, &content) {
            return Ok(known);
        }
        let string = self.new_literal(&content)?;
        self.strings.by_hash.entry(hash).or_default().insert(0, string);
        Ok(string)
    }

    /// `String.intern`.
    pub fn intern(&mut self, string: Ref) -> Res<Ref> {
        let content = self.string_content(string);
        let hash = content.hash();
        if let Some(known) = self.interned(hash, &content) {
            return Ok(known);
        }
        self.strings.add_movable(hash, string);
        self.marks.remember(Undo::Interned(hash));
        Ok(string)
    }

    /// Whether a string lies in the literal region: never moved, never rolled back.
    pub fn is_literal(&self, string: Ref) -> bool {
        string.byte_offset() < self.heap.literals_top
    }

    /// The literals that lie at this byte of the heap or behind it, as modified UTF-8, in order of content.
    #[expect(clippy::iter_over_hash_type, reason = "they are sorted")]
    pub fn literals_from(&self, byte: usize) -> Vec<Vec<u8>> {
        let mut literals = Vec::new();
        for strings in self.strings.by_hash.values() {
            let known = strings.iter().copied().filter(|&string| self.is_literal(string));
            let late = known.filter(|string| string.byte_offset() >= byte);
            literals.extend(late.map(|string| self.string_mutf8(string)));
        }
        literals.sort_unstable();
        literals
    }

    /// The text of a Java string; lone surrogates become U+FFFD.
    pub fn string_text(&self, string: Ref) -> String {
        let (coder, bytes) = self.string_bytes(string);
        if coder == LATIN1 {
            return bytes.iter().map(|&byte| char::from(byte)).collect();
        }
        char::decode_utf16(units(bytes))
            .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect()
    }

    /// The UTF-16 units of a Java string.
    pub fn string_utf16(&self, string: Ref) -> Vec<u16> {
        let (coder, bytes) = self.string_bytes(string);
        if coder == LATIN1 {
            bytes.iter().map(|&byte| u16::from(byte)).collect()
        } else {
            units(bytes).collect()
        }
    }

    /// A Java string as modified UTF-8.
    pub fn string_mutf8(&self, string: Ref) -> Vec<u8> {
        let (coder, bytes) = self.string_bytes(string);
        if coder == LATIN1 && bytes.iter().all(|byte| matches!(byte, 1..=0x7F)) {
            return bytes.to_vec();
        }
        mutf8::encode(self.string_utf16(string))
    }

    /// Length of a Java string in UTF-16 units.
    pub fn string_length(&self, string: Ref) -> usize {
        let (coder, bytes) = self.string_bytes(string);
        bytes.len() >> coder
    }

    /// Coder and bytes of a Java string.
    pub fn string_bytes(&self, string: Ref) -> (u8, &[u8]) {
        let coder = self.heap.load_u8(string, self.known.string_coder);
        // A string whose constructor threw has no array.
        let Some(value) = self.heap.load_ref(string, self.known.string_value).some() else {
            return (LATIN1, &[]);
        };
        let len = self.heap.array_length(value) as usize;
        (coder, self.heap.bytes(value, ELEMENTS_OFFSET, len))
    }

    fn string_of(&mut self, coder: u8, bytes: &[u8]) -> Res<Ref> {
        let value = self.new_byte_array(bytes)?;
        let string = self.new_object(self.known.string)?;
        self.heap.store_ref(string, self.known.string_value, value);
        self.heap.store_u8(string, self.known.string_coder, coder);
        Ok(string)
    }

    fn string_content(&self, string: Ref) -> Content {
        let (coder, bytes) = self.string_bytes(string);
        if coder == LATIN1 {
            return Content { coder, bytes: bytes.to_vec() };
        }
        Content::of_units(units(bytes))
    }

    fn interned(&self, hash: u64, content: &Content) -> Option<Ref> {
        let tables = [&*self.strings.base, &self.strings.by_hash];
        let mut candidates =
            tables.into_iter().filter_map(|table| table.get(&hash)).flatten().copied();
        candidates.find(|&string| {
            let (coder, bytes) = self.string_bytes(string);
            if coder == content.coder {
                bytes == content.bytes
            } else {
                self.string_content(string) == *content
            }
        })
    }

    #[expect(clippy::cast_possible_truncation, reason = "a constant has at most 65,535 bytes")]
    fn new_literal(&mut self, content: &Content) -> Res<Ref> {
        let array_class = self.known.arrays[Kind::Byte as usize];
        let array_size = ELEMENTS_OFFSET as usize + content.bytes.len();
        let string_size = self.class(self.known.string).instance_size as usize;
        let full = || Trap::Stop(Box::new(Stop::OutOfMemory));
        let value = self.heap.allocate_literal(array_class.0, array_size).ok_or_else(full)?;
        let string =
            self.heap.allocate_literal(self.known.string.0, string_size).ok_or_else(full)?;
        // A literal outlives every open mark, so what it holds must not be undone: no logging.
        let heap = &mut self.heap;
        let limits = (heap.log_limit, heap.ref_limit);
        (heap.log_limit, heap.ref_limit) = (0, 0);
        heap.store_u32(value, LENGTH_OFFSET, content.bytes.len() as u32);
        heap.store_bytes(value, ELEMENTS_OFFSET, &content.bytes);
        heap.store_ref(string, self.known.string_value, value);
        heap.store_u8(string, self.known.string_coder, content.coder);
        (heap.log_limit, heap.ref_limit) = limits;
        Ok(string)
    }
}

fn units(bytes: &[u8]) -> impl Iterator<Item = u16> + Clone {
    bytes.chunks_exact(2).map(|pair| u16::from_ne_bytes([pair[0], pair[1]]))
}

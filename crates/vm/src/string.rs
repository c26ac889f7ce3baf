//! Java strings: making them, reading them, interning them.

use rustc_hash::FxHashMap;

use crate::frame::Res;
use crate::value::Ref;
use crate::vm::Vm;

/// Interned strings by a hash of their content; equal hashes share a list.
#[derive(Debug, Default)]
pub struct InternTable {
    /// Strings by hash.
    pub by_hash: FxHashMap<u64, Vec<Ref>>,
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

impl Vm {
    /// A new Java string.
    pub fn new_string(&mut self, text: &str) -> Res<Ref> {
        let _ = text;
        unreachable!("internal: not written yet")
    }

    /// A new Java string of UTF-16 units.
    pub fn new_string_utf16(&mut self, units: &[u16]) -> Res<Ref> {
        let _ = units;
        unreachable!("internal: not written yet")
    }

    /// A new Java string of modified UTF-8.
    pub fn new_string_mutf8(&mut self, bytes: &[u8]) -> Res<Ref> {
        let _ = bytes;
        unreachable!("internal: not written yet")
    }

    /// The canonical string with this content, in the literal region when it is new.
    pub fn intern_mutf8(&mut self, bytes: &[u8]) -> Res<Ref> {
        let _ = bytes;
        unreachable!("internal: not written yet")
    }

    /// `String.intern`.
    pub fn intern(&mut self, string: Ref) -> Res<Ref> {
        let _ = string;
        unreachable!("internal: not written yet")
    }

    /// The text of a Java string; lone surrogates become U+FFFD.
    pub fn string_text(&self, string: Ref) -> String {
        let _ = string;
        unreachable!("internal: not written yet")
    }

    /// The UTF-16 units of a Java string.
    pub fn string_utf16(&self, string: Ref) -> Vec<u16> {
        let _ = string;
        unreachable!("internal: not written yet")
    }
}

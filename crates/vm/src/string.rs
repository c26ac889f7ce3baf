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

//! Interned names: class names, member names and descriptors compare by address.

use std::sync::Mutex;

use rustc_hash::FxHashSet;

/// An interned byte string in modified UTF-8. Equal exactly when the addresses are equal, as long
/// as both come from the same `Symbols`.
#[derive(Clone, Copy)]
pub struct Symbol(&'static [u8]);

impl Symbol {
    /// The bytes, modified UTF-8.
    #[inline]
    pub fn as_bytes(self) -> &'static [u8] {
        self.0
    }
}

impl PartialEq for Symbol {
    #[inline]
    fn eq(&self, other: &Symbol) -> bool {
        std::ptr::eq(self.0.as_ptr(), other.0.as_ptr()) && self.0.len() == other.0.len()
    }
}

impl Eq for Symbol {}

impl std::hash::Hash for Symbol {
    #[inline]
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.as_ptr().hash(state);
    }
}

impl std::fmt::Display for Symbol {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&String::from_utf8_lossy(self.0))
    }
}

impl std::fmt::Debug for Symbol {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// The table of names that a booted base and all machines made from it share.
///
/// Names live as long as the process: there are few distinct ones, and a name may be held by
/// any machine.
#[derive(Debug, Default)]
pub struct Symbols {
    names: Mutex<FxHashSet<&'static [u8]>>,
}

impl Symbols {
    /// The symbol with these bytes.
    pub fn intern(&self, bytes: &[u8]) -> Symbol {
        let mut names = self.names.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(known) = names.get(bytes) {
            return Symbol(known);
        }
        let name: &'static [u8] = Box::leak(bytes.to_vec().into_boxed_slice());
        names.insert(name);
        Symbol(name)
    }
}

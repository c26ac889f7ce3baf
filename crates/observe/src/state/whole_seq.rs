//! WholeSeq: two states are the same iff the same calls led to them.
//!
//! A state is an expression (figure 2 of the paper): `push(<init>().state, 3).state`. Keys are
//! fingerprints of expressions, made from the fingerprints of their parts, so a call costs the same
//! however long the history is. Merges nothing but equal histories; keeps a stack apart from itself
//! after `isEmpty()`.

use super::fingerprint::{Fingerprint, Mixer, Sink};

const STATE: u64 = 11;
const RESULT: u64 = 12;
const PRIMITIVE: u64 = 13;

/// The state of the receiver after a call: `method(receiver, args…).state`. `method` is a key of its
/// full signature; `parts` are the expressions of receiver and arguments.
pub fn state_after(method: u64, parts: &[Fingerprint]) -> Fingerprint {
    invocation(STATE, method, parts)
}

/// What a call gives: `method(receiver, args…).retval`.
pub fn result_of(method: u64, parts: &[Fingerprint]) -> Fingerprint {
    invocation(RESULT, method, parts)
}

/// A primitive value, a string or `null`, by the words that stand for it.
pub fn value(words: &[u64]) -> Fingerprint {
    let mut mixer = Mixer::new(PRIMITIVE);
    for &word in words {
        mixer.word(word);
    }
    mixer.finish()
}

fn invocation(purpose: u64, method: u64, parts: &[Fingerprint]) -> Fingerprint {
    let mut mixer = Mixer::new(purpose);
    mixer.word(method);
    for &part in parts {
        mixer.fingerprint(part);
    }
    mixer.finish()
}

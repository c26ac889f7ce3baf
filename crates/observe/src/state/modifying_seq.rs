//! ModifyingSeq: two states are the same iff the same state-changing calls led to them.
//!
//! As `whole_seq`, but a call that leaves everything reachable from its receiver as it was is no part
//! of the expression. A write of the same value is no change, nor is a write that is undone before the
//! call ends: what counts is the state before and after, not the writes. Merges a stack with itself
//! after `isEmpty()`; keeps it apart from itself after `push(3); pop()` even where nothing is left.

use super::fingerprint::Fingerprint;
use super::whole_seq;

/// The expression of a receiver after a call, from its expression before and the fingerprints of
/// everything reachable before and after.
pub fn state_after(
    method: u64,
    parts: &[Fingerprint],
    before: (Fingerprint, Fingerprint),
    after: Fingerprint,
) -> Fingerprint {
    let (expression, heap) = before;
    if heap == after { expression } else { whole_seq::state_after(method, parts) }
}

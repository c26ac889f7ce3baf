//! WholeState: two states are the same iff everything reachable is isomorphic.
//!
//! Merges a stack that was pushed and popped back with one that never was, where nothing is left
//! behind; keeps them apart where a stale array element is left. Costs one walk over what is reachable.

use vm::vm::Vm;

use super::canonical_heap::{CanonicalHeap, Root};
use super::fingerprint::Fingerprint;

/// The key of a state.
#[inline]
pub fn key(heap: &mut CanonicalHeap, vm: &Vm, roots: &[Root]) -> Fingerprint {
    heap.fingerprint(vm, roots)
}

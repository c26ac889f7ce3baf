//! Loops turned round. Compilers test at the top of a loop and jump back there from its end:
//!
//! ```text
//! head: if (!c) goto exit            head: if (!c) goto exit
//! body: …                            body: …
//!       goto head                          if (c) goto body
//!                                          goto exit
//! ```
//!
//! The test is copied to the end, so that a round costs one instruction less. The copy has the
//! bytecode indices of the original, and the branch with its `goto` looks like one that was turned
//! round to reach far, so that probes and stack traces see no difference.

use classfile::ExceptionEntry;

use super::flow::{self, Depths};
use crate::code::bytecode::{Bytes, length};

/// Longest test that is copied, in bytes.
const LONGEST: usize = 24;

/// Methods with more exception handlers are left as they are.
const MOST_HANDLERS: usize = 100;

/// The test at the top of a loop.
#[derive(Debug, Clone, Copy)]
pub(super) struct Test {
    /// Where it begins.
    pub(super) start: usize,
    /// Behind the conditional branch at its end.
    pub(super) body: usize,
}

/// The test at `target`, if a `goto` at `from` may be replaced by a copy of it.
pub(super) fn test_of_loop(
    bytes: Bytes<'_>,
    depths: &Depths,
    handlers: &[ExceptionEntry],
    target: usize,
    from: usize,
) -> Option<Test> {
    if target >= from || depths.depth[target] != 0 || handlers.len() > MOST_HANDLERS {
        return None;
    }
    let mut at = target;
    while !matches!(bytes.u1(at), 153..=166 | 198 | 199) {
        let next = at + length(bytes, at);
        if !flow::falls_through(bytes, at) || next <= at || next - target > LONGEST || next >= from
        {
            return None;
        }
        at = next;
    }
    let body = at + length(bytes, at);
    let leaves = i64::from(bytes.i2(at + 1)) > i64::try_from(from - at).unwrap_or(i64::MAX);
    if body >= from || !leaves || depths.depth[body] != 0 {
        return None;
    }
    // The copy is protected by the same handlers.
    let alike = handlers.iter().all(|entry| {
        let range = usize::from(entry.start_pc)..usize::from(entry.end_pc);
        let n_inside = (target..body).filter(|at| range.contains(at)).count();
        let here = range.contains(&from);
        n_inside == if here { body - target } else { 0 }
    });
    alike.then_some(Test { start: target, body })
}

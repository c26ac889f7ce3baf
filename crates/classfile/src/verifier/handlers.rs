//! Which exception handlers must be looked at where.
//!
//! Any instruction may throw, so its frame flows into all handlers that cover it. Handlers see
//! local variables only, so nothing new flows while no variable changes and no handler begins to
//! cover; most instructions need no look at the exception table at all.

use super::Hierarchy;
use super::machine::{Machine, Outcome};
use super::method::Method;
use crate::class_file::ExceptionEntry;

pub(super) struct Handlers {
    /// Where a range starts, one bit for each byte of code; empty if there are no handlers.
    starts: Box<[u64]>,
}

impl Handlers {
    pub(super) fn new(method: &Method<'_>) -> Self {
        let table = &method.body.exception_table;
        let len = if table.is_empty() { 0 } else { method.code.len().div_ceil(64) };
        let mut starts: Box<[u64]> = vec![0; len].into();
        for handler in table {
            let pc = usize::from(handler.start_pc);
            starts[pc / 64] |= 1 << (pc % 64);
        }
        Handlers { starts }
    }

    /// Whether the current frame may tell the handlers something new; counts as told afterwards.
    pub(super) fn are_due<H: Hierarchy>(
        &self,
        machine: &mut Machine<'_, '_, H>,
    ) -> Outcome<bool, H> {
        let Some(word) = self.starts.get(machine.pc / 64) else { return Ok(false) };
        let is_start = word >> (machine.pc % 64) & 1 != 0;
        let is_due = machine.locals_changed || is_start;
        machine.locals_changed = false;
        if is_due {
            // To look at a handler costs as much as to look at several words.
            machine.spend(8 * machine.method.body.exception_table.len())?;
        }
        Ok(is_due)
    }
}

/// The handlers that cover a position.
pub(super) fn covering<'c>(
    method: &Method<'c>,
    pc: usize,
) -> impl Iterator<Item = &'c ExceptionEntry> + use<'c> {
    let covers = move |handler: &&ExceptionEntry| {
        usize::from(handler.start_pc) <= pc && pc < usize::from(handler.end_pc)
    };
    method.body.exception_table.iter().filter(covers)
}

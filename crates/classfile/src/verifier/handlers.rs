//! Which exception handlers must be looked at where.
//!
//! Any instruction may throw, so its frame flows into all handlers that cover it. Handlers see
//! local variables only, so nothing new flows while no variable changes and no handler begins to
//! cover; most instructions need no look at the exception table at all.
//!
//! Nested `finally` blocks make tables of thousands of handlers, of which few cover any one
//! position. So those that do are kept while the position moves on, instead of being looked for
//! in the whole table each time.

use super::Hierarchy;
use super::machine::{Machine, Outcome};
use super::method::Method;
use crate::class_file::ExceptionEntry;

pub(super) struct Handlers {
    /// Where a range starts, one bit for each byte of code; empty if there are no handlers.
    starts: Box<[u64]>,
    /// The handlers in the order in which their ranges start.
    by_start: Box<[u16]>,
    /// How many of those start at `at` or before.
    n_started: usize,
    /// The position last looked at.
    at: usize,
    /// The handlers that cover it, in order of the table.
    covering: Vec<u16>,
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
        let mut by_start: Box<[u16]> = (0..table.len()).map(|idx| idx as u16).collect();
        by_start.sort_by_key(|&idx| table[usize::from(idx)].start_pc);
        Handlers { starts, by_start, n_started: 0, at: 0, covering: Vec::new() }
    }

    /// Whether the current frame may tell the handlers something new; counts as told afterwards.
    /// If so, [`Handlers::covering`] gives those of the current position.
    pub(super) fn are_due<H: Hierarchy>(
        &mut self,
        machine: &mut Machine<'_, '_, H>,
    ) -> Outcome<bool, H> {
        let Some(word) = self.starts.get(machine.pc / 64) else { return Ok(false) };
        let is_start = word >> (machine.pc % 64) & 1 != 0;
        let is_due = machine.locals_changed || is_start;
        machine.locals_changed = false;
        if is_due {
            let n_looked_at = self.move_to(&machine.method.body.exception_table, machine.pc);
            // To look at a handler costs as much as to look at several words.
            machine.spend(8 * n_looked_at)?;
        }
        Ok(is_due)
    }

    /// Finds the handlers that cover a position; gives how many it had to look at.
    fn move_to(&mut self, table: &[ExceptionEntry], pc: usize) -> usize {
        if pc < self.at {
            self.n_started = 0;
            self.covering.clear();
        }
        self.at = pc;
        let covers = |idx: u16| pc < usize::from(table[usize::from(idx)].end_pc);
        let n_before = self.covering.len();
        self.covering.retain(|&idx| covers(idx));
        let started = &self.by_start[self.n_started..];
        let n_new = started
            .iter()
            .take_while(|&&idx| usize::from(table[usize::from(idx)].start_pc) <= pc)
            .count();
        if 0 < n_new {
            self.covering.extend(started[..n_new].iter().copied().filter(|&idx| covers(idx)));
            self.covering.sort_unstable();
            self.n_started += n_new;
        }
        n_before + n_new
    }

    /// The handler number `n`, in order of the table, of those that cover the current position.
    pub(super) fn covering<'c>(&self, method: &Method<'c>, n: usize) -> Option<&'c ExceptionEntry> {
        self.covering.get(n).map(|&idx| &method.body.exception_table[usize::from(idx)])
    }
}

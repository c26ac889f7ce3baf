//! Time as Java code sees it. With a host that has a real clock it is the real one; otherwise it
//! is virtual: it starts at the host's epoch and moves when all threads sleep, and a little with
//! every question, so that a loop that waits for a deadline comes to an end.

use crate::vm::Vm;

/// What asking for the time costs in virtual nanoseconds.
const COST_OF_A_LOOK: i64 = 1_000;

impl Vm {
    /// `System.nanoTime`.
    pub fn nano_time(&mut self) -> i64 {
        match self.host.nano_time() {
            Some(real) => real,
            None => {
                self.virtual_nanos = self.virtual_nanos.saturating_add(COST_OF_A_LOOK);
                self.virtual_nanos
            }
        }
    }

    /// Nanoseconds since the epoch.
    pub fn epoch_nanos(&mut self) -> i128 {
        let host = self.host.epoch_nanos();
        match self.host.nano_time() {
            Some(_) => host,
            None => host + i128::from(self.nano_time()),
        }
    }
}

//! Time as Java code sees it. With a host that has a real clock it is the real one; otherwise it
//! is virtual: it starts at the host's epoch and moves when all threads sleep, and a little with
//! every question, so that a loop that waits for a deadline comes to an end.

use crate::vm::Vm;

/// How often a machine asked for what differs from run to run; never taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Chances {
    /// Looks at the clock.
    pub n_looks: i64,
    /// Random bytes.
    pub n_random: u64,
}

impl Vm {
    /// `System.nanoTime`.
    pub fn nano_time(&mut self) -> i64 {
        self.chances.n_looks += 1;
        match self.host.nano_time() {
            Some(real) => real,
            None => {
                let cost = self.host.fixed_clock().look_nanos;
                self.virtual_nanos = self.virtual_nanos.saturating_add(cost);
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

    /// From now on clock and random devices answer as they might have as well; the same number twice, without time
    /// passing, changes nothing but the clock.
    pub fn try_luck(&mut self, number: u64) {
        // Some days and a bit.
        const STEP: i64 = 123_456_789_012_345;
        self.options.seed ^= number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let by = STEP.saturating_mul(i64::try_from(number).unwrap_or(i64::MAX));
        self.virtual_nanos = self.virtual_nanos.saturating_add(by);
    }
}

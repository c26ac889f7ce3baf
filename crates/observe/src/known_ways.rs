//! Remembers which ways of branches need not be looked at again, a few thousand of them.
//!
//! Modes of the machine ask it at every branch, so it is one look at a table: each way has one place there, by the
//! address of its instruction, and whatever comes to lie in the same place drives it out. Addresses hold as long as
//! the machine keeps its translated code.

/// Ways that are remembered at most.
const N_WAYS: usize = 2048;

/// Ways of branches by the address of their instruction.
#[derive(Debug)]
pub struct KnownWays(Box<[usize; N_WAYS]>);

impl Default for KnownWays {
    fn default() -> KnownWays {
        KnownWays(Box::new([0; N_WAYS]))
    }
}

impl KnownWays {
    /// Whether a way is remembered; from now on it is. Cases of switches beyond the second never are.
    #[inline(always)]
    pub fn knows(&mut self, address: usize, edge: u32) -> bool {
        if edge > 1 {
            return false;
        }
        // Instructions are eight bytes or more.
        let way = address | edge as usize;
        let place = &mut self.0[(way ^ way >> 2) % N_WAYS];
        std::mem::replace(place, way) == way
    }

    /// Remembers nothing any longer.
    pub fn forget(&mut self) {
        self.0.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::KnownWays;

    #[test]
    fn a_way_is_known_from_the_second_time_on_until_it_is_forgotten() {
        let mut known = KnownWays::default();
        assert!(!known.knows(0x1000, 0));
        assert!(!known.knows(0x1000, 1));
        assert!(known.knows(0x1000, 0));
        assert!(known.knows(0x1000, 1));
        assert!(!known.knows(0x1000, 2));
        assert!(!known.knows(0x1000, 2));
        known.forget();
        assert!(!known.knows(0x1000, 0));
    }
}

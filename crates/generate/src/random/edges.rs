//! Watches which way branches go in the classes under test, and says what is new.

use observe::known_ways::KnownWays;
use rustc_hash::FxHashSet;
use vm::mode::{Mode, Place};
use vm::value::MethodId;
use vm::vm::Vm;

/// A way that a branch went.
pub(super) type Edge = (Place, u32);

/// Takes down branches of watched methods.
#[derive(Debug, Default)]
pub(super) struct EdgeWatch {
    /// By method: two bits per bytecode index, where the method is watched.
    seen: Vec<Option<Box<[u64]>>>,
    /// By watched method: two bits per position of its code, for what was seen there; the same again, but
    /// cheaper to ask.
    positions: Vec<Vec<u64>>,
    /// Branches that are of no interest any more.
    settled: KnownWays,
    /// Cases of switches beyond the second.
    cases: FxHashSet<Edge>,
    /// What this watch has not seen before.
    pub(super) new: Vec<Edge>,
}

impl EdgeWatch {
    /// Watches a method with that many bytes of code.
    pub(super) fn watch(&mut self, method: MethodId, n_bytes: usize) {
        if self.seen.len() <= method.idx() {
            self.seen.resize_with(method.idx() + 1, || None);
            self.positions.resize_with(method.idx() + 1, Vec::new);
        }
        self.seen[method.idx()] = Some(vec![0; n_bytes / 32 + 1].into());
    }
}

impl EdgeWatch {
    /// Forgets positions in code, which is translated anew.
    pub(super) fn forget_positions(&mut self) {
        self.positions.iter_mut().for_each(Vec::clear);
        self.forget_addresses();
    }

    /// Forgets addresses of code, some of which is gone.
    pub(super) fn forget_addresses(&mut self) {
        self.settled.forget();
    }
}

impl Mode for EdgeWatch {
    const BRANCHES: bool = true;

    #[inline]
    fn wants_branches(&mut self, _: &mut Vm, method: MethodId) -> bool {
        matches!(self.seen.get(method.idx()), Some(Some(_)))
    }

    /// Each way is looked at once; then it is known here until another takes its place.
    #[inline(always)]
    fn knows_branch(&mut self, address: usize, edge: u32) -> bool {
        self.settled.knows(address, edge)
    }

    #[inline]
    fn wants_branch(&mut self, _: &mut Vm, method: MethodId, position: u32, edge: u32) -> bool {
        if !matches!(self.seen.get(method.idx()), Some(Some(_))) {
            return false;
        }
        if edge > 1 {
            return true;
        }
        let bits = &mut self.positions[method.idx()];
        let at = position as usize * 2 + edge as usize;
        if bits.len() <= at / 64 {
            bits.resize(at / 64 + 1, 0);
        }
        let is_new = bits[at / 64] >> (at % 64) & 1 == 0;
        bits[at / 64] |= 1 << (at % 64);
        is_new
    }

    #[inline]
    fn branch(&mut self, _: &mut Vm, place: Place, edge: u32) {
        let Some(Some(bits)) = self.seen.get_mut(place.method.idx()) else { return };
        if edge < 2 {
            let at = usize::from(place.bci) * 2 + edge as usize;
            let Some(word) = bits.get_mut(at / 64) else { return };
            if *word >> (at % 64) & 1 == 0 {
                *word |= 1 << (at % 64);
                self.new.push((place, edge));
            }
        } else if self.cases.insert((place, edge)) {
            self.new.push((place, edge));
        }
    }
}

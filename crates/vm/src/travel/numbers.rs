//! Which numbers of classes and methods still mean what they meant: a rollback takes back classes that were loaded
//! since its mark, and the next ones get their numbers. Whoever remembers anything by such a number asks here first.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::vm::Vm;

/// What numbers mean on a machine at some time, as far as it is known to somebody; by default on none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Numbering {
    machine: u64,
    n_times: u64,
}

/// Classes and methods below these numbers are the ones they were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StillThere {
    /// Number of classes.
    pub n_classes: usize,
    /// Number of methods.
    pub n_methods: usize,
}

/// The rollbacks that took classes back.
#[derive(Debug)]
pub(crate) struct TakenBack {
    /// Tells machines apart: who moves from one to another knows nothing there.
    machine: u64,
    n_times: u64,
    /// What each left, with its number; without those after which a later one left no more. So both rise.
    left: Vec<(u64, StillThere)>,
}

impl Default for TakenBack {
    fn default() -> TakenBack {
        static MACHINES: AtomicU64 = AtomicU64::new(0);
        let machine = MACHINES.fetch_add(1, Ordering::Relaxed) + 1;
        TakenBack { machine, n_times: 0, left: Vec::new() }
    }
}

impl TakenBack {
    /// Classes or methods were taken back; so many are left.
    pub(crate) fn add(&mut self, mut left: StillThere) {
        self.n_times += 1;
        while let Some(&(_, before)) = self.left.last()
            && (before.n_classes >= left.n_classes || before.n_methods >= left.n_methods)
        {
            // Rather too few than too many.
            left.n_methods = left.n_methods.min(before.n_methods);
            left.n_classes = left.n_classes.min(before.n_classes);
            self.left.pop();
        }
        self.left.push((self.n_times, left));
    }

    /// The least that was left since that many rollbacks.
    fn left_since(&self, n_times: u64) -> Option<StillThere> {
        let first = self.left.partition_point(|&(number, _)| number <= n_times);
        self.left.get(first).map(|&(_, left)| left)
    }
}

impl Vm {
    /// What numbers mean now.
    #[inline]
    pub fn numbering(&self) -> Numbering {
        let TakenBack { machine, n_times, .. } = self.taken_back;
        Numbering { machine, n_times }
    }

    /// What is left of the classes and methods of that time, if some were taken back since, and nothing on another
    /// machine; brings it up to now.
    #[inline]
    pub fn renumbered(&self, known: &mut Numbering) -> Option<StillThere> {
        if *known == self.numbering() {
            return None;
        }
        self.left_since(known)
    }

    #[cold]
    fn left_since(&self, known: &mut Numbering) -> Option<StillThere> {
        let before = std::mem::replace(known, self.numbering());
        if before.machine != known.machine {
            return Some(StillThere { n_classes: 0, n_methods: 0 });
        }
        self.taken_back.left_since(before.n_times)
    }
}

#[cfg(test)]
mod tests {
    use super::{StillThere, TakenBack};

    #[test]
    fn of_several_rollbacks_the_one_that_left_least_counts() {
        let mut taken = TakenBack::default();
        let left = |n_classes| StillThere { n_classes, n_methods: 10 * n_classes };
        for n_classes in [50, 70, 60, 65] {
            taken.add(left(n_classes));
        }
        let since = |n_times: u64| taken.left_since(n_times).map(|left| left.n_classes);
        let all: Vec<_> = (0..5).map(since).collect();
        assert_eq!(all, [Some(50), Some(60), Some(60), Some(65), None]);
    }
}

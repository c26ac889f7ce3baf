//! Watching writes while no mark is open: which words of what is there now are not what they were.
//!
//! The same log and the same barriers as those of marks, but nothing is ever undone: the collector goes on
//! working, and ends the watch, since it moves what was watched. A mark ends it as well.

use super::Heap;

impl Heap {
    /// Watches writes into everything that is there now, from now on. Gives `false` where a mark is open:
    /// then nothing is watched.
    pub fn watch_writes(&mut self) -> bool {
        if self.log_limit != 0 && !self.trail.is_watching() {
            return false;
        }
        self.trail.watch();
        self.log_limit = self.top;
        self.ref_limit = self.top;
        true
    }

    /// The granules whose content is not what it was when the watch began, each once; `None` where
    /// nothing has been watched since.
    pub fn changed_granules(&self) -> Option<impl Iterator<Item = u32> + '_> {
        let entries = self.trail.is_watching().then_some(&self.trail.entries)?;
        let changed = entries.iter().filter(|entry| self.granule(entry.granule) != entry.old);
        Some(changed.map(|entry| entry.granule))
    }

    /// How many granules were written since the watch began.
    pub fn n_watched_writes(&self) -> usize {
        if self.trail.is_watching() { self.trail.entries.len() } else { 0 }
    }

    /// Watches no longer.
    pub fn end_watch(&mut self) {
        if self.trail.is_watching() {
            self.trail.end_watch();
            self.log_limit = 0;
            self.ref_limit = self.young_start;
        }
    }

    /// Whether the collector wants to know of a write of references that was logged: the log of a mark says it
    /// all, that of a watch is gone when the collector comes.
    #[inline]
    pub(super) fn is_to_be_remembered(&self, at: usize) -> bool {
        self.trail.is_watching() && at < self.young_start
    }

    fn granule(&self, granule: u32) -> u64 {
        self.load_u64(crate::value::Ref(granule), 0)
    }
}

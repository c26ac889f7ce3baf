//! The collector.

/// State of the collector between collections.
#[derive(Debug, Default)]
pub struct Collector {
    /// The next collection looks at everything.
    all_next: bool,
}

impl Collector {
    /// The next collection looks at everything: the remembered set is not complete.
    pub(crate) fn collect_all_next(&mut self) {
        self.all_next = true;
    }

    /// Classes from this number on were rolled back.
    pub(crate) fn classes_dropped(&mut self, n_classes: usize) {
        let _ = n_classes;
    }
}

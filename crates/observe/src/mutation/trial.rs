//! Something that is tried and taken back: the machine, and the files that it keeps in memory.

use vm::travel::Mark;
use vm::vm::Vm;

/// A trial that is under way.
#[derive(Debug)]
#[must_use = "a trial is taken back"]
pub(super) struct Trial {
    mark: Mark,
}

impl Trial {
    pub(super) fn begin(vm: &mut Vm) -> Trial {
        vm.host.keep_files();
        Trial { mark: vm.mark() }
    }

    /// Everything is as it was.
    pub(super) fn end(self, vm: &mut Vm) {
        vm.rollback(self.mark);
        vm.host.restore_files();
    }
}

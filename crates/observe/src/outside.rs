//! Whether a run asked for anything outside: files, programs, the network, or much time.
//!
//! On this machine that is denied, or happens in memory, and code may go on as if nothing had been; on a real
//! JVM it would be done. So such a run must never become a test. What a run leaves behind counts as well:
//! threads that still run, and files that are to be deleted at exit. Waiting takes no time on this machine, where the
//! clock is virtual; on a real JVM a test would wait as long, and hours are soon said.

use vm::host::Asked;
use vm::mode::Plain;
use vm::travel::Undo;
use vm::value::LoaderId;
use vm::vm::Vm;

/// Virtual milliseconds that threads get which a run left behind.
const PATIENCE: u64 = 60_000;
/// Virtual nanoseconds that a test may wait.
const LONGEST_WAIT: i64 = 500_000_000;
/// The class that remembers files to delete at exit.
const DELETES_AT_EXIT: &[u8] = b"java/io/DeleteOnExitHook";

/// How far a run reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Reach {
    /// Nowhere.
    #[default]
    Inside,
    /// It waited for long.
    Waited,
    /// It looked at what is outside.
    Looked,
    /// It would have changed something outside.
    Changed,
}

/// The beginning of a run.
#[derive(Debug, Clone, Copy)]
pub struct Start {
    asked: Asked,
    n_threads: u32,
    nanos: i64,
    n_looks: i64,
}

impl Start {
    /// A run begins now.
    pub fn now(vm: &Vm) -> Start {
        Start {
            asked: vm.host.asked(),
            n_threads: vm.world.threads,
            nanos: vm.virtual_nanos,
            n_looks: vm.chances.n_looks,
        }
    }

    /// How far the run reached until now.
    pub fn reach(&self, vm: &Vm) -> Reach {
        let asked = vm.host.asked();
        if asked.would_change_more_than(self.asked) {
            Reach::Changed
        } else if asked.is_more_than(self.asked) {
            Reach::Looked
        } else if self.waited(vm) > LONGEST_WAIT {
            Reach::Waited
        } else {
            Reach::Inside
        }
    }

    /// Virtual nanoseconds that passed, but for those that looks at the clock take.
    fn waited(&self, vm: &Vm) -> i64 {
        let n_looks = vm.chances.n_looks - self.n_looks;
        let looking = n_looks.saturating_mul(vm.host.fixed_clock().look_nanos);
        vm.virtual_nanos.saturating_sub(self.nanos).saturating_sub(looking)
    }

    /// How far the run reached, with what it left behind to go on by itself. Asked under the mark that the
    /// run began with, before it is rolled back; leaves the machine as it is.
    pub fn whole_reach(&self, vm: &mut Vm, fuel: u64) -> Reach {
        if vm.world.threads > self.n_threads && vm.stop.is_none() {
            let thread = vm.find_loaded_class(LoaderId::BOOT, b"java/lang/Thread");
            let sleep = thread.and_then(|thread| vm.lookup_method(thread, b"sleep", b"(J)V"));
            if let Some(sleep) = sleep {
                let mark = vm.mark();
                let _ = vm.call(&mut Plain, sleep, &[PATIENCE, 0], Some(fuel));
                vm.rollback(mark);
            }
        }
        let deletes = |undo: &Undo| matches!(undo, Undo::Initialised(class) if vm.class(*class).name.as_bytes() == DELETES_AT_EXIT);
        if vm.marks.undo().iter().any(deletes) {
            return Reach::Changed;
        }
        self.reach(vm)
    }
}

/// The classes that were initialised under the open marks, by internal name.
pub fn initialised(vm: &Vm) -> Vec<String> {
    let classes = vm.marks.undo().iter().filter_map(|undo| match undo {
        Undo::Initialised(class) => Some(vm.class(*class)),
        _ => None,
    });
    classes.filter(|class| !class.hidden).map(|class| class.name.to_string()).collect()
}

/// Of the classes from this number on those that have been initialised, by internal name.
pub fn loaded(vm: &Vm, n_classes: usize) -> Vec<String> {
    let loaded = vm.classes[n_classes..].iter().map(|entry| &entry.class);
    let loaded =
        loaded.filter(|class| !class.hidden && class.has_file() && vm.is_initialised(class.id));
    loaded.map(|class| class.name.to_string()).collect()
}

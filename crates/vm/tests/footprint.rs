//! What a machine costs beyond the base it shares, in bytes that only it has. The only test of its
//! process, since it looks at the memory of the whole process.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod machine;

use machine::{method, with_java};
use vm::host::fixed::FixedHost;
use vm::image::Base;
use vm::interp::Outcome;
use vm::link::DefineOptions;
use vm::value::LoaderId;

const N_MACHINES: u64 = 20;

/// Adds to a list, which grows now and then, and counts.
const SOURCE: &str = r"
import java.util.*;
class Work {
    static final List<String> LIST = new ArrayList<>();
    static int count;
    static int step(int x) { LIST.add(Integer.toString(x)); count += LIST.hashCode(); return LIST.size(); }
}
";

/// Kilobytes of memory that only this process has.
fn private_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap();
    let line = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
    };
    line("Private_Dirty:") + line("Private_Clean:")
}

#[test]
fn a_machine_beyond_the_base_costs_less_than_a_megabyte() {
    with_java("footprint", SOURCE, |own, class| {
        let file = own.class(class(own, "Work")).class_file().bytes().clone();
        let host = || Box::new(FixedHost::new());
        let base = Base::boot(&own.image, own.options.clone(), host()).unwrap();
        let start = || {
            let mut vm = base.machine(host()).unwrap();
            let options = DefineOptions::default();
            let class = vm.complete(|vm| vm.define_class(LoaderId::BOOT, file.clone(), &options));
            let class = class.unwrap();
            vm.complete(|vm| vm.ensure_initialised(class)).unwrap();
            (vm, class)
        };
        // The first one brings in what all share.
        let first = start();
        let before = private_memory();
        let mut machines: Vec<_> = (0..N_MACHINES).map(|_| start()).collect();
        let fresh = private_memory().saturating_sub(before) / N_MACHINES;
        assert!(fresh < 1024, "a machine takes {fresh} kB");
        for (vm, class) in &mut machines {
            let step = method(vm, *class, "step", "(I)I");
            for round in 0..200 {
                let mark = vm.mark();
                for x in 0..10 {
                    let outcome = vm.call_plain(step, &[round + x]);
                    assert!(matches!(outcome, Outcome::Returned(_)), "{outcome:?}");
                }
                vm.rollback(mark);
            }
        }
        let explored = private_memory().saturating_sub(before) / N_MACHINES;
        assert!(explored < 1024, "a machine that explores takes {explored} kB");
        let frozen = Base::of(&machines[0].0).unwrap();
        let goes_on = frozen.machine(host()).unwrap();
        let before = private_memory();
        let warm: Vec<_> = (0..N_MACHINES).map(|_| frozen.machine(host()).unwrap()).collect();
        let kilobytes = private_memory().saturating_sub(before) / N_MACHINES;
        assert!(kilobytes < 1024, "a machine of a frozen one takes {kilobytes} kB");
        drop((machines, first, warm, goes_on));
    });
}

//! `java.lang.Runtime`: memory figures and the processor count.

use crate::frame::Res;
use crate::native::{Args, NativeRow, one};
use crate::vm::Vm;

const RUNTIME: &str = "java/lang/Runtime";

pub(crate) const NATIVES: &[NativeRow] = &[
    // One processor: green threads run one at a time, and pools sized by it stay small.
    (RUNTIME, "availableProcessors", "()I", one),
    (RUNTIME, "freeMemory", "()J", free_memory),
    (RUNTIME, "totalMemory", "()J", max_memory),
    (RUNTIME, "maxMemory", "()J", max_memory),
    (RUNTIME, "gc", "()V", gc),
];

fn max_memory(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(vm.options.heap_limit as u64)
}

fn free_memory(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(vm.options.heap_limit.saturating_sub(vm.heap.used()) as u64)
}

/// Whoever asked for a collection looks for its effects next, so the thread that hands out cleared
/// references gets its turn first.
fn gc(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    vm.collect_everything()?;
    if !vm.world.pending.is_null() {
        vm.end_turn();
    }
    Ok(0)
}

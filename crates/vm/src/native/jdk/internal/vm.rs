//! `jdk.internal.vm` and `jdk.internal.platform`: what this machine can do, and the container.

pub(crate) mod continuation;

use crate::frame::Res;
use crate::native::{Args, NativeRow, zero};
use crate::vm::Vm;

pub(crate) const NATIVES: &[NativeRow] = &[
    ("jdk/internal/vm/ForeignLinkerSupport", "isSupported0", "()Z", zero),
    ("jdk/internal/vm/VMSupport", "getVMTemporaryDirectory", "()Ljava/lang/String;", temporary),
    // No container: memory and processors are the machine's own.
    ("jdk/internal/platform/CgroupMetrics", "isUseContainerSupport", "()Z", zero),
    ("jdk/internal/platform/CgroupMetrics", "isContainerized0", "()Z", zero),
    ("jdk/internal/platform/CgroupMetrics", "getTotalMemorySize0", "()J", total_memory),
    ("jdk/internal/platform/CgroupMetrics", "getTotalSwapSize0", "()J", zero),
];

fn temporary(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let folder = vm.host.platform().temporary_dir;
    Ok(vm.new_string(&folder)?.to_slot())
}

fn total_memory(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(vm.options.heap_limit as u64)
}

//! `jdk.internal.perf.Perf`: performance counters that nobody outside reads.

use crate::frame::Res;
use crate::native::{Args, NativeRow, new_direct_buffer, nothing};
use crate::vm::Vm;

const PERF: &str = "jdk/internal/perf/Perf";

pub(crate) const NATIVES: &[NativeRow] = &[
    (PERF, "createLong", "(Ljava/lang/String;IIJ)Ljava/nio/ByteBuffer;", create_long),
    (PERF, "detach", "(Ljava/nio/ByteBuffer;)V", nothing),
    (PERF, "highResCounter", "()J", high_res_counter),
    (PERF, "highResFrequency", "()J", high_res_frequency),
];

/// A counter: eight bytes of raw memory behind a direct buffer.
fn create_long(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    args.reference();
    let (_variability, _units) = (args.int(), args.int());
    let value = args.long();
    let Some(address) = vm.heap.raw_allocate(8) else {
        return Err(vm.throw_plain("java/lang/OutOfMemoryError"));
    };
    if !vm.heap.raw_store(address, &value.to_le_bytes()) {
        unreachable!("internal: a new block has room for what it was made for");
    }
    new_direct_buffer(vm, address, 8)
}

fn high_res_counter(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(vm.nano_time().cast_unsigned())
}

fn high_res_frequency(_: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(1_000_000_000)
}

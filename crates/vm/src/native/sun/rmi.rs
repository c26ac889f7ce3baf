//! `sun.rmi.transport.GC`: when the heap was last collected as a whole, by which the leases of remote
//! objects decide whether it is time to collect again.

use crate::frame::Res;
use crate::native::{Args, NativeRow};
use crate::vm::Vm;

const NANOS_PER_MILLI: i64 = 1_000_000;

pub(crate) const NATIVES: &[NativeRow] =
    &[("sun/rmi/transport/GC", "maxObjectInspectionAge", "()J", since_last_full_collection)];

/// Milliseconds since the last collection of the whole heap, or since the start where there was none.
fn since_last_full_collection(vm: &mut Vm, _args: Args<'_>) -> Res<u64> {
    let ended = vm.gc.stats.last[1].map_or(0, |past| past.nanos.1);
    let millis = (vm.now() - ended).max(0) / NANOS_PER_MILLI;
    Ok(millis.cast_unsigned())
}

//! `jdk.internal.misc.Signal`: no signal of the computer reaches the program.

use crate::frame::Res;
use crate::native::{Args, NativeRow, nothing, zero};
use crate::vm::Vm;

const SIGNAL: &str = "jdk/internal/misc/Signal";

pub(crate) const NATIVES: &[NativeRow] = &[
    (SIGNAL, "findSignal0", "(Ljava/lang/String;)I", find_signal),
    (SIGNAL, "handle0", "(IJ)J", zero),
    (SIGNAL, "raise0", "(I)V", nothing),
];

/// -1: there is no such signal.
fn find_signal(_: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(u64::from((-1_i32).cast_unsigned()))
}

//! `jdk.internal.misc.CDS`: HotSpot's archive of classes, which this machine does not have.

use crate::frame::Res;
use crate::native::{Args, NativeRow, nothing, zero};
use crate::vm::Vm;

const CDS: &str = "jdk/internal/misc/CDS";

pub(crate) const NATIVES: &[NativeRow] = &[
    (CDS, "isDumpingArchive0", "()Z", zero),
    (CDS, "isDumpingClassList0", "()Z", zero),
    (CDS, "isSharingEnabled0", "()Z", zero),
    (CDS, "getCDSConfigStatus", "()I", zero),
    (CDS, "needsClassInitBarrier0", "(Ljava/lang/Class;)Z", zero),
    (CDS, "initializeFromArchive", "(Ljava/lang/Class;)V", nothing),
    (CDS, "defineArchivedModules", "(Ljava/lang/ClassLoader;Ljava/lang/ClassLoader;)V", nothing),
    (CDS, "logLambdaFormInvoker", "(Ljava/lang/String;)V", nothing),
    (CDS, "getRandomSeedForDumping", "()J", random_seed),
];

/// Fixes the iteration order of `Set.of` and `Map.of`; zero would leave it to the clock.
fn random_seed(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(vm.options.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
}

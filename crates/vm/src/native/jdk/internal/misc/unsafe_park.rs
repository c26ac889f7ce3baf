//! `jdk.internal.misc.Unsafe`: parking, what `LockSupport` and the locks of `java.util.concurrent`
//! are made of.

use crate::frame::Res;
use crate::native::{Args, NativeRow};
use crate::vm::Vm;

const UNSAFE: &str = "jdk/internal/misc/Unsafe";

pub(crate) const NATIVES: &[NativeRow] =
    &[(UNSAFE, "park", "(ZJ)V", park), (UNSAFE, "unpark", "(Ljava/lang/Object;)V", unpark)];

fn park(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let _unsafe = args.reference();
    let is_absolute = args.boolean();
    let time = args.long();
    vm.park(is_absolute, time)?;
    Ok(0)
}

fn unpark(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let _unsafe = args.reference();
    let thread = args.reference();
    vm.unpark(thread);
    Ok(0)
}

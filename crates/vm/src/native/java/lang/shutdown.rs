//! `java.lang.Shutdown`: the end of the program.

use crate::frame::{Res, Stop, Trap};
use crate::native::{Args, NativeRow, nothing};
use crate::vm::Vm;

const SHUTDOWN: &str = "java/lang/Shutdown";

pub(crate) const NATIVES: &[NativeRow] =
    &[(SHUTDOWN, "beforeHalt", "()V", nothing), (SHUTDOWN, "halt0", "(I)V", halt)];

fn halt(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    // Nobody is left to be told of a failure.
    let _ = vm.force_mappings();
    Err(Trap::Stop(Box::new(Stop::Exit(args.int()))))
}

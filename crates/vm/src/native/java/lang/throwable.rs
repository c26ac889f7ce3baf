//! `java.lang.Throwable`: the backtrace. How it is read is in the file of `StackTraceElement`.

use crate::frame::Res;
use crate::native::{Args, NativeRow};
use crate::vm::Vm;

pub(crate) const NATIVES: &[NativeRow] =
    &[("java/lang/Throwable", "fillInStackTrace", "(I)Ljava/lang/Throwable;", fill_in_stack_trace)];

fn fill_in_stack_trace(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let throwable = args.reference();
    vm.fill_in_stack_trace(throwable)?;
    Ok(throwable.to_slot())
}

//! `java.lang.Object`: waiting on an object and waking those who do.

use crate::frame::Res;
use crate::native::{Args, NativeRow};
use crate::vm::Vm;

const OBJECT: &str = "java/lang/Object";

pub(crate) const NATIVES: &[NativeRow] = &[
    (OBJECT, "notify", "()V", notify),
    (OBJECT, "notifyAll", "()V", notify_all),
    (OBJECT, "wait", "(J)V", wait),
    (OBJECT, "wait0", "(J)V", wait),
];

fn wait(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let object = args.reference();
    let millis = args.long();
    vm.object_wait(object, millis)?;
    Ok(0)
}

fn notify(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let object = args.reference();
    vm.object_notify(object, false)?;
    Ok(0)
}

fn notify_all(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let object = args.reference();
    vm.object_notify(object, true)?;
    Ok(0)
}

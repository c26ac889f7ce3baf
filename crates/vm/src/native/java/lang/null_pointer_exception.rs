//! `java.lang.NullPointerException`: the message that tells what was null.

use crate::frame::Res;
use crate::native::{Args, NativeRow};
use crate::vm::Vm;

pub(crate) const NATIVES: &[NativeRow] = &[(
    "java/lang/NullPointerException",
    "getExtendedNPEMessage",
    "()Ljava/lang/String;",
    get_extended_npe_message,
)];

fn get_extended_npe_message(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let exception = args.reference();
    match vm.npe_message(exception) {
        Some(message) => Ok(vm.new_string(&message)?.to_slot()),
        None => Ok(0),
    }
}

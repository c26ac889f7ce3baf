//! `java.lang.String` and `java.lang.StringUTF16`.

use crate::frame::Res;
use crate::native::{Args, NativeRow, zero};
use crate::vm::Vm;

pub(crate) const NATIVES: &[NativeRow] = &[
    ("java/lang/String", "intern", "()Ljava/lang/String;", intern),
    // Elements of arrays are little-endian on every machine, so that raw copies agree.
    ("java/lang/StringUTF16", "isBigEndian", "()Z", zero),
];

fn intern(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let string = args.reference();
    Ok(vm.intern(string)?.to_slot())
}

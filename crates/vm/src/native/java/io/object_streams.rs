//! `java.io.ObjectStreamClass`.

use crate::frame::Res;
use crate::native::{Args, NativeRow, nothing};
use crate::vm::Vm;

const STREAM_CLASS: &str = "java/io/ObjectStreamClass";

pub(crate) const NATIVES: &[NativeRow] = &[
    (STREAM_CLASS, "initNative", "()V", nothing),
    (STREAM_CLASS, "hasStaticInitializer", "(Ljava/lang/Class;)Z", has_static_initializer),
];

fn has_static_initializer(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let mirror = args.reference();
    if mirror.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    let class = vm.class(vm.class_of_mirror(mirror));
    Ok(u64::from(class.method(b"<clinit>", b"()V").is_some()))
}

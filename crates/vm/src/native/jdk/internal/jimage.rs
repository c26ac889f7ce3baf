//! `jdk.internal.jimage.NativeImageBuffer`: the JDK's image as one direct buffer.

use std::path::Path;

use crate::frame::Res;
use crate::native::{Args, NativeRow, new_direct_buffer};
use crate::vm::Vm;
use crate::window::IMAGE_ADDRESS;

pub(crate) const NATIVES: &[NativeRow] = &[(
    "jdk/internal/jimage/NativeImageBuffer",
    "getNativeMap",
    "(Ljava/lang/String;)Ljava/nio/ByteBuffer;",
    native_map,
)];

/// The image of this machine; null for any other file, which Java code then reads itself.
fn native_map(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = args.reference();
    if path.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    if Path::new(&vm.string_text(path)) != vm.image.path() {
        return Ok(0);
    }
    let length = vm.image.map().len();
    new_direct_buffer(vm, IMAGE_ADDRESS, length)
}

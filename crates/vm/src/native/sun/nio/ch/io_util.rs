//! `IOUtil`, `NativeThread` and `FileKey`.

use crate::files::Nature;
use crate::frame::Res;
use crate::heap::ELEMENTS_OFFSET;
use crate::native::java::io::{descriptor_number, or_io, set_descriptor_number};
use crate::native::{Args, NativeRow, nothing, zero};
use crate::vm::Vm;

const IO_UTIL: &str = "sun/nio/ch/IOUtil";
const THREAD: &str = "sun/nio/ch/NativeThread";
const KEY: &str = "sun/nio/ch/FileKey";

pub(crate) const NATIVES: &[NativeRow] = &[
    (IO_UTIL, "iovMax", "()I", iov_max),
    (IO_UTIL, "writevMax", "()J", writev_max),
    (IO_UTIL, "fdLimit", "()I", descriptor_limit),
    (IO_UTIL, "fdVal", "(Ljava/io/FileDescriptor;)I", descriptor_value),
    (IO_UTIL, "setfdVal", "(Ljava/io/FileDescriptor;I)V", set_descriptor_value),
    (IO_UTIL, "configureBlocking", "(Ljava/io/FileDescriptor;Z)V", configure_blocking),
    // Nobody waits in the operating system, so nobody has to be signalled there.
    (THREAD, "init", "()V", nothing),
    (THREAD, "current", "()J", current),
    (THREAD, "current0", "()J", current),
    (THREAD, "signal", "(J)V", nothing),
    (THREAD, "signal0", "(J)V", nothing),
    (THREAD, "supportPendingSignals0", "()Z", zero),
    (KEY, "init", "(Ljava/io/FileDescriptor;)V", file_key),
    (KEY, "init", "(Ljava/io/FileDescriptor;[J)V", file_key_in_array),
];

fn iov_max(_: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(1024)
}

fn writev_max(_: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(i32::MAX as u64)
}

fn descriptor_limit(_: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(1024)
}

fn descriptor_value(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let descriptor = args.reference();
    Ok(u64::from(descriptor_number(vm, descriptor)?.cast_unsigned()))
}

fn set_descriptor_value(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let descriptor = args.reference();
    set_descriptor_number(vm, descriptor, args.int());
    Ok(0)
}

fn configure_blocking(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let descriptor = args.reference();
    let is_blocking = args.boolean();
    let number = descriptor_number(vm, descriptor)?;
    if vm.files.table.is_socket(number)
        && let Ok(Nature::Socket { blocking }) = vm.nature_mut(number)
    {
        *blocking = is_blocking;
    }
    Ok(0)
}

/// A number that is not zero: a thread that waits for a socket is known by it.
fn current(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(u64::from(vm.thread().id.0) + 1)
}

fn file_key(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let key = args.reference();
    let descriptor = args.reference();
    let number = descriptor_number(vm, descriptor)?;
    let result = vm.file_metadata(number);
    let metadata = or_io(vm, result)?;
    vm.set_field_long(key, "st_dev", metadata.device.cast_signed());
    vm.set_field_long(key, "st_ino", metadata.inode.cast_signed());
    Ok(0)
}

fn file_key_in_array(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let descriptor = args.reference();
    let array = args.reference();
    let number = descriptor_number(vm, descriptor)?;
    let result = vm.file_metadata(number);
    let metadata = or_io(vm, result)?;
    if array.is_null() || vm.heap.array_length(array) < 2 {
        return Err(vm.throw_plain("java/lang/IndexOutOfBoundsException"));
    }
    vm.heap.store_u64(array, ELEMENTS_OFFSET, metadata.device);
    vm.heap.store_u64(array, ELEMENTS_OFFSET + 8, metadata.inode);
    Ok(0)
}

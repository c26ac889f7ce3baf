//! Bytes between descriptors and raw memory: `UnixNativeDispatcher.read` and `write`, and the file
//! copies of `UnixCopyFile` (JDK 17) and `UnixFileSystem` (JDK 25).

use crate::files::Nature;
use crate::frame::Res;
use crate::host::{Failure, errno};
use crate::native::{Args, NativeRow, nothing, zero};
use crate::vm::Vm;

use super::{DISPATCHER, or_unix, unix_failure};

const LINUX: &str = "sun/nio/fs/LinuxNativeDispatcher";

pub(crate) const NATIVES: &[NativeRow] = &[
    (DISPATCHER, "read", "(IJI)I", read),
    (DISPATCHER, "read0", "(IJI)I", read),
    (DISPATCHER, "write", "(IJI)I", write),
    (DISPATCHER, "write0", "(IJI)I", write),
    ("sun/nio/fs/UnixCopyFile", "transfer", "(IIJ)V", copy),
    ("sun/nio/fs/UnixFileSystem", "bufferedCopy0", "(IIJIJ)V", copy),
    (LINUX, "init", "()V", nothing),
    // Advice about access patterns is for disks.
    (LINUX, "posix_fadvise", "(IJJI)I", zero),
    (LINUX, "directCopy0", "(IIJ)I", no_direct_copy),
];

/// The Java side copies through a buffer where the system cannot copy directly.
fn no_direct_copy(_: &mut Vm, _: Args<'_>) -> Res<u64> {
    const UNSUPPORTED_CASE: i32 = -6;
    Ok(u64::from(UNSUPPORTED_CASE.cast_unsigned()))
}

fn read(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let descriptor = args.int();
    let address = args.long().cast_unsigned();
    let length = usize::try_from(args.int()).unwrap_or(0);
    if let Ok(Nature::Signals(count)) = vm.nature_mut(descriptor) {
        let n = std::mem::take(count);
        return if n > 0 { Ok(n) } else { Err(unix_failure(vm, Failure::Os(errno::EAGAIN))) };
    }
    let mut buffer = vec![0; length];
    let result = vm.read_file(descriptor, &mut buffer);
    let n = or_unix(vm, result)?;
    if !vm.heap.raw_store(address, &buffer[..n]) {
        return Err(unix_failure(vm, Failure::Os(errno::EINVAL)));
    }
    Ok(n as u64)
}

fn write(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let descriptor = args.int();
    let address = args.long();
    let length = usize::try_from(args.int()).unwrap_or(0);
    if let Ok(Nature::Signals(count)) = vm.nature_mut(descriptor) {
        *count += length as u64;
        return Ok(length as u64);
    }
    let Some(bytes) = vm.raw_bytes(address, length).map(<[u8]>::to_vec) else {
        return Err(unix_failure(vm, Failure::Os(errno::EINVAL)));
    };
    let result = vm.write_file(descriptor, &bytes);
    or_unix(vm, result)?;
    Ok(length as u64)
}

/// Copies the rest of one file to another. The remaining arguments, among them a flag that asks
/// to stop, change only while other threads run, which they do not here.
fn copy(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let to = args.int();
    let from = args.int();
    let mut buffer = vec![0; 64 << 10];
    loop {
        let result = vm.read_file(from, &mut buffer);
        let n = or_unix(vm, result)?;
        if n == 0 {
            return Ok(0);
        }
        let result = vm.write_file(to, &buffer[..n]);
        or_unix(vm, result)?;
    }
}

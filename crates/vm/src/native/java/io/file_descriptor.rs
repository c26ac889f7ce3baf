//! `java.io.FileDescriptor`, `FileCleanable` and `Console`.

use crate::frame::Res;
use crate::host::{Handle, OpenHow};
use crate::native::{Args, NativeRow, zero};
use crate::vm::Vm;

use super::{descriptor_number, or_io, set_descriptor_number};

const DESCRIPTOR: &str = "java/io/FileDescriptor";

pub(crate) const NATIVES: &[NativeRow] = &[
    (DESCRIPTOR, "getHandle", "(I)J", handle),
    (DESCRIPTOR, "getAppend", "(I)Z", append),
    (DESCRIPTOR, "close0", "()V", close),
    (DESCRIPTOR, "sync", "()V", sync),
    (DESCRIPTOR, "sync0", "()V", sync),
    ("java/io/FileCleanable", "cleanupClose0", "(IJ)V", cleanup_close),
    ("java/io/Console", "istty", "()Z", is_terminal),
    ("java/io/Console", "ttyStatus", "()I", terminal_status),
    ("java/io/Console", "encoding", "()Ljava/lang/String;", zero),
];

/// Only Windows has handles.
fn handle(_: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(u64::MAX)
}

fn append(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let number = args.int();
    Ok(u64::from(vm.files.table.get(number).is_ok_and(|file| file.append)))
}

fn close(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let descriptor = args.reference();
    let number = descriptor_number(vm, descriptor)?;
    if number == -1 {
        return Ok(0);
    }
    set_descriptor_number(vm, descriptor, -1);
    if (0..=2).contains(&number) {
        // Another file must not become a standard stream by taking its number.
        let null = vm.open_file(b"/dev/null", OpenHow { read: true, ..OpenHow::default() });
        let null = or_io(vm, null)?;
        let result = vm.duplicate_file_onto(null, number).and_then(|()| vm.close_file(null));
        or_io(vm, result)?;
        return Ok(0);
    }
    let result = vm.close_file(number);
    or_io(vm, result)?;
    Ok(0)
}

fn cleanup_close(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let number = args.int();
    let result = vm.close_file(number);
    or_io(vm, result)?;
    Ok(0)
}

fn sync(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let descriptor = args.reference();
    let number = descriptor_number(vm, descriptor)?;
    if vm.sync_file(number).is_err() {
        return Err(vm.throw("java/io/SyncFailedException", "sync failed"));
    }
    Ok(0)
}

fn is_terminal(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let both = vm.host.is_terminal(Handle::STDIN) && vm.host.is_terminal(Handle::STDOUT);
    Ok(u64::from(both))
}

/// Bit 0: standard input, bit 1: standard output, bit 2: standard error.
fn terminal_status(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let mut status = 0;
    for (bit, handle) in [Handle::STDIN, Handle::STDOUT, Handle::STDERR].into_iter().enumerate() {
        status |= u64::from(vm.host.is_terminal(handle)) << bit;
    }
    Ok(status)
}

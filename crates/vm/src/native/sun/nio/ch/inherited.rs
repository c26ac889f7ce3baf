//! `sun.nio.ch.InheritedChannel`: whether standard input is a socket. That it is not is what the
//! machine can say; natives that work on such a socket are missing.

use crate::frame::Res;
use crate::host::OpenHow;
use crate::native::{Args, NativeRow, io_failure};
use crate::vm::Vm;

const INHERITED: &str = "sun/nio/ch/InheritedChannel";

pub(crate) const NATIVES: &[NativeRow] = &[
    (INHERITED, "open0", "(Ljava/lang/String;I)I", open),
    (INHERITED, "dup", "(I)I", duplicate),
    (INHERITED, "dup2", "(II)V", duplicate_onto),
    (INHERITED, "close0", "(I)V", close),
    (INHERITED, "soType0", "(I)I", socket_type),
];

fn open(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = vm.string_text(args.reference());
    let how = OpenHow { read: true, write: true, ..OpenHow::default() };
    let result = vm.open_file(path.as_bytes(), how);
    let number = result.map_err(|failure| io_failure(vm, failure))?;
    Ok(u64::from(number.cast_unsigned()))
}

fn duplicate(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let result = vm.duplicate_file(args.int());
    let number = result.map_err(|failure| io_failure(vm, failure))?;
    Ok(u64::from(number.cast_unsigned()))
}

fn duplicate_onto(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let result = vm.duplicate_file_onto(args.int(), args.int());
    result.map_err(|failure| io_failure(vm, failure))?;
    Ok(0)
}

fn close(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let result = vm.close_file(args.int());
    result.map_err(|failure| io_failure(vm, failure))?;
    Ok(0)
}

/// 1 for a socket, -1 for anything else.
fn socket_type(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    const FORMAT: u32 = 0o170_000;
    const SOCKET: u32 = 0o140_000;
    let metadata = vm.file_metadata(args.int());
    let is_socket = metadata.is_ok_and(|metadata| metadata.mode & FORMAT == SOCKET);
    Ok(if is_socket { 1 } else { u64::from(u32::MAX) })
}

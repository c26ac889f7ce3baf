//! Natives of `sun.nio.fs`: the calls behind `java.nio.file.Files`. Paths come as addresses of
//! zero-terminated bytes in raw memory; errors are `UnixException` with the error number.

pub(crate) mod attributes;
pub(crate) mod directories;
pub(crate) mod extended;
pub(crate) mod mounts;
pub(crate) mod paths;
pub(crate) mod transfer;
pub(crate) mod watching;

use crate::frame::{Res, Trap};
use crate::host::{Failure, HostResult};
use crate::native::{Args, denied};
use crate::value::Ref;
use crate::vm::Vm;

const DISPATCHER: &str = "sun/nio/fs/UnixNativeDispatcher";

/// Longest path that is read from raw memory.
const LONGEST_PATH: usize = 64 << 10;

/// The bytes at an address up to a zero byte.
fn c_string(vm: &mut Vm, address: i64) -> Res<Vec<u8>> {
    let mut bytes = Vec::new();
    while bytes.len() < LONGEST_PATH {
        let at = address.wrapping_add(i64::try_from(bytes.len()).unwrap_or(0));
        match vm.raw_bytes(at, 1) {
            Some([0]) => return Ok(bytes),
            Some(byte) => bytes.extend_from_slice(byte),
            None => break,
        }
    }
    Err(vm.throw("java/lang/InternalError", "a path that is not in raw memory"))
}

/// Reads the next argument, the address of a path.
fn path_argument(vm: &mut Vm, args: &mut Args<'_>) -> Res<Vec<u8>> {
    let address = args.long();
    c_string(vm, address)
}

/// Reads a folder's descriptor and a path relative to it.
fn path_at_argument(vm: &mut Vm, args: &mut Args<'_>) -> Res<Vec<u8>> {
    let folder = args.int();
    let path = path_argument(vm, args)?;
    if path.starts_with(b"/") {
        return Ok(path);
    }
    let opened = vm.files.table.get(folder).map(|file| file.path.clone());
    // Any descriptor that is not open stands for the working folder, as AT_FDCWD does.
    let Ok(mut whole) = opened else { return Ok(path) };
    whole.push(b'/');
    whole.extend_from_slice(&path);
    Ok(whole)
}

/// Whether one of the youngest frames is a method of that class.
fn is_called_by(vm: &Vm, class: &[u8], n_frames: usize) -> bool {
    vm.walk()
        .take(n_frames)
        .any(|activation| vm.class(vm.method(activation.method).class).name.as_bytes() == class)
}

/// Turns a host result into a Java one.
fn or_unix<T>(vm: &mut Vm, result: HostResult<T>) -> Res<T> {
    result.map_err(|failure| unix_failure(vm, failure))
}

fn unix_failure(vm: &mut Vm, failure: Failure) -> Trap {
    match failure {
        Failure::Os(number) => unix_exception(vm, number).unwrap_or_else(|trap| trap),
        Failure::Denied(denial) => denied(vm, denial),
    }
}

fn unix_exception(vm: &mut Vm, number: i32) -> Res<Trap> {
    let class = vm.boot_class("sun/nio/fs/UnixException")?;
    let exception = vm.new_throwable(class, None, Ref::NULL)?;
    let offset = vm.field_offset(class, "errno", "I");
    vm.heap.store_u32(exception, offset, number.cast_unsigned());
    Ok(Trap::Throw(exception))
}

/// The error number of a host result, zero for success; what the user did not grant is thrown.
fn errno_of(vm: &mut Vm, result: HostResult<()>) -> Res<u64> {
    match result {
        Ok(()) => Ok(0),
        Err(Failure::Os(number)) => Ok(u64::from(number.cast_unsigned())),
        Err(Failure::Denied(denial)) => Err(denied(vm, denial)),
    }
}

//! `UnixNativeDispatcher`: listing folders. A stream of names is a block of raw memory: position,
//! end, descriptor to close (or -1), then the names, each with its length before it. It travels in
//! time like all raw memory.

use crate::frame::{Res, Trap};
use crate::host::{Failure, errno};
use crate::native::{Args, NativeRow};
use crate::vm::Vm;

use super::{DISPATCHER, or_unix, path_argument, unix_failure};

pub(crate) const NATIVES: &[NativeRow] = &[
    (DISPATCHER, "opendir0", "(J)J", open),
    (DISPATCHER, "fdopendir", "(I)J", open_descriptor),
    (DISPATCHER, "closedir", "(J)V", close),
    (DISPATCHER, "readdir", "(J)[B", next),
    (DISPATCHER, "readdir0", "(J)[B", next),
    (DISPATCHER, "rewind", "(J)V", rewind),
];

const HEAD: u64 = 24;
pub(super) const NO_DESCRIPTOR: u64 = u64::MAX;

fn open_stream(vm: &mut Vm, path: &[u8], descriptor: u64) -> Res<u64> {
    let result = vm.host.list(path);
    let names = or_unix(vm, result)?;
    new_stream(vm, &names, descriptor)
}

/// A stream of names; `NO_DESCRIPTOR` where nothing is to be closed with it.
pub(super) fn new_stream(vm: &mut Vm, names: &[Vec<u8>], descriptor: u64) -> Res<u64> {
    let mut content = Vec::new();
    for name in names {
        content.extend_from_slice(&(name.len() as u64).to_le_bytes());
        content.extend_from_slice(name);
    }
    let Some(address) = vm.heap.raw_allocate(HEAD + content.len() as u64) else {
        return Err(unix_failure(vm, Failure::Os(errno::ENOMEM)));
    };
    let end = HEAD + content.len() as u64;
    let stored = [HEAD, end, descriptor]
        .into_iter()
        .enumerate()
        .all(|(idx, word)| vm.heap.raw_store(address + idx as u64 * 8, &word.to_le_bytes()));
    if !stored || !vm.heap.raw_store(address + HEAD, &content) {
        unreachable!("internal: a new block has room for what it was made for");
    }
    Ok(address)
}

fn word(vm: &mut Vm, address: u64) -> Res<u64> {
    match vm.heap.raw_bytes(address, 8).and_then(|bytes| bytes.try_into().ok()) {
        Some(bytes) => Ok(u64::from_le_bytes(bytes)),
        None => Err(unix_failure(vm, Failure::Os(errno::EBADF))),
    }
}

fn open(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = path_argument(vm, &mut args)?;
    open_stream(vm, &path, NO_DESCRIPTOR)
}

fn open_descriptor(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let descriptor = args.int();
    let result = vm.files.table.get(descriptor).map(|file| file.path.clone());
    let path = or_unix(vm, result)?;
    open_stream(vm, &path, u64::from(descriptor.cast_unsigned()))
}

fn close(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let address = args.long().cast_unsigned();
    let descriptor = word(vm, address + 16)?;
    vm.heap.raw_free(address);
    if descriptor != NO_DESCRIPTOR {
        let result = vm.close_file(i32::try_from(descriptor).unwrap_or(-1));
        or_unix(vm, result)?;
    }
    Ok(0)
}

/// The next name; null behind the last one.
fn next(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let address = args.long().cast_unsigned();
    match next_name(vm, address)? {
        Some(name) => Ok(vm.new_byte_array(&name)?.to_slot()),
        None => Ok(0),
    }
}

/// The next name of a stream; `None` behind the last one.
pub(super) fn next_name(vm: &mut Vm, address: u64) -> Res<Option<Vec<u8>>> {
    let position = word(vm, address)?;
    let end = word(vm, address + 8)?;
    if position >= end {
        return Ok(None);
    }
    let length = word(vm, address + position)?;
    let name = vm
        .heap
        .raw_bytes(address + position + 8, usize::try_from(length).unwrap_or(usize::MAX))
        .map(<[u8]>::to_vec);
    let Some(name) = name else { return Err(broken(vm)) };
    if !vm.heap.raw_store(address, &(position + 8 + length).to_le_bytes()) {
        return Err(broken(vm));
    }
    Ok(Some(name))
}

fn rewind(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let address = args.long().cast_unsigned();
    if !vm.heap.raw_store(address, &HEAD.to_le_bytes()) {
        return Err(broken(vm));
    }
    Ok(0)
}

fn broken(vm: &mut Vm) -> Trap {
    unix_failure(vm, Failure::Os(errno::EBADF))
}

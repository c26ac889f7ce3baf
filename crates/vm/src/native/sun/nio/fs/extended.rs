//! `UnixNativeDispatcher`: extended attributes of files, by descriptor. They are what
//! `UserDefinedFileAttributeView` and `DosFileAttributeView` stand on.

use crate::frame::Res;
use crate::host::{Change, Failure, errno};
use crate::native::sun::nio::fs::attributes::{descriptor_path, done};
use crate::native::{Args, NativeRow};
use crate::vm::Vm;

use super::{DISPATCHER, or_unix, path_argument};

pub(crate) const NATIVES: &[NativeRow] = &[
    (DISPATCHER, "fgetxattr0", "(IJJI)I", value),
    (DISPATCHER, "fsetxattr0", "(IJJI)V", set_value),
    (DISPATCHER, "fremovexattr0", "(IJ)V", remove),
    (DISPATCHER, "flistxattr", "(IJI)I", names),
    (DISPATCHER, "flistxattr0", "(IJI)I", names),
];

/// Stores bytes where they fit and gives their number; no room at all asks for the number alone.
fn deliver(vm: &mut Vm, bytes: &[u8], address: i64, room: i32) -> Res<u64> {
    let room = usize::try_from(room).unwrap_or(0);
    if room > 0 {
        let fits = bytes.len() <= room && vm.heap.raw_store(address.cast_unsigned(), bytes);
        if !fits {
            return or_unix(vm, Err(Failure::Os(errno::ERANGE)));
        }
    }
    Ok(bytes.len() as u64)
}

fn value(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = descriptor_path(vm, &mut args)?;
    let name = path_argument(vm, &mut args)?;
    let (address, room) = (args.long(), args.int());
    let result = vm.host.attribute(&path, &name);
    let bytes = or_unix(vm, result)?;
    deliver(vm, &bytes, address, room)
}

fn set_value(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = descriptor_path(vm, &mut args)?;
    let name = path_argument(vm, &mut args)?;
    let address = args.long();
    let length = usize::try_from(args.int()).unwrap_or(0);
    let value = match length {
        0 => Some(Vec::new()),
        _ => vm.raw_bytes(address, length).map(<[u8]>::to_vec),
    };
    let Some(value) = value else { return or_unix(vm, Err(Failure::Os(errno::EINVAL))) };
    let result = vm.host.change(Change::SetAttribute { path: &path, name: &name, value: &value });
    done(vm, result)
}

fn remove(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = descriptor_path(vm, &mut args)?;
    let name = path_argument(vm, &mut args)?;
    let result = vm.host.change(Change::RemoveAttribute { path: &path, name: &name });
    done(vm, result)
}

/// The names with a zero byte behind each.
fn names(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = descriptor_path(vm, &mut args)?;
    let (address, room) = (args.long(), args.int());
    let result = vm.host.attribute_names(&path);
    let mut bytes = Vec::new();
    for name in or_unix(vm, result)? {
        bytes.extend(name);
        bytes.push(0);
    }
    deliver(vm, &bytes, address, room)
}

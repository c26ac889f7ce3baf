//! `UnixNativeDispatcher`: opening, and changes of the file system.

use crate::frame::Res;
use crate::host::{Change, Failure, HostResult, OpenHow, errno};
use crate::native::{Args, NativeRow};
use crate::vm::Vm;

use super::{DISPATCHER, is_called_by, or_unix, path_argument, path_at_argument};

pub(crate) const NATIVES: &[NativeRow] = &[
    (DISPATCHER, "init", "()I", init),
    (DISPATCHER, "getcwd", "()[B", working_dir),
    (DISPATCHER, "strerror", "(I)[B", error_text),
    (DISPATCHER, "open0", "(JII)I", open),
    (DISPATCHER, "openat0", "(IJII)I", open_at),
    (DISPATCHER, "close0", "(I)V", close),
    (DISPATCHER, "dup", "(I)I", duplicate),
    (DISPATCHER, "link0", "(JJ)V", link),
    (DISPATCHER, "unlink0", "(J)V", unlink),
    (DISPATCHER, "unlinkat0", "(IJI)V", unlink_at),
    (DISPATCHER, "rename0", "(JJ)V", rename),
    (DISPATCHER, "renameat0", "(IJIJ)V", rename_at),
    (DISPATCHER, "mkdir0", "(JI)V", make_directory),
    (DISPATCHER, "rmdir0", "(J)V", remove_directory),
    (DISPATCHER, "readlink0", "(J)[B", read_link),
    (DISPATCHER, "realpath0", "(J)[B", real_path),
    (DISPATCHER, "symlink0", "(JJ)V", symbolic_link),
];

/// What the dispatcher can do; the bits differ between JDKs.
fn init(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    const OPENAT: u64 = 1 << 1;
    const BIRTHTIME: u64 = 1 << 16;
    const FUTIMENS_AND_LUTIMES_17: u64 = 1 << 3 | 1 << 4;
    let times = if vm.jdk < 21 { FUTIMENS_AND_LUTIMES_17 } else { 0 };
    Ok(OPENAT | BIRTHTIME | times)
}

fn working_dir(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let folder = vm.host.platform().user_dir;
    Ok(vm.new_byte_array(folder.as_bytes())?.to_slot())
}

fn error_text(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let text = errno::text(args.int());
    Ok(vm.new_byte_array(text.as_bytes())?.to_slot())
}

/// The flags of `open` on Linux, which the JDK's classes have built in.
fn how_of(flags: i32, mode: i32) -> OpenHow {
    const ACCESS: i32 = 0o3;
    const WRITE_ONLY: i32 = 0o1;
    const READ_WRITE: i32 = 0o2;
    const CREATE: i32 = 0o100;
    const EXCLUSIVE: i32 = 0o200;
    const TRUNCATE: i32 = 0o1000;
    const APPEND: i32 = 0o2000;
    const NO_FOLLOW: i32 = 0o400_000;
    let access = flags & ACCESS;
    OpenHow {
        read: access != WRITE_ONLY,
        write: access == WRITE_ONLY || access == READ_WRITE,
        append: flags & APPEND != 0,
        create: flags & CREATE != 0,
        exclusive: flags & EXCLUSIVE != 0,
        truncate: flags & TRUNCATE != 0,
        no_follow: flags & NO_FOLLOW != 0,
        mode: mode.cast_unsigned() & 0o7777,
    }
}

fn opened(vm: &mut Vm, path: &[u8], how: OpenHow) -> Res<u64> {
    let mut result = vm.open_file(path, how);
    // The lists of file types that a user or computer may have are not there for who may not see them.
    if matches!(result, Err(Failure::Denied(_)))
        && is_called_by(vm, b"sun/nio/fs/MimeTypesFileTypeDetector", 20)
    {
        result = Err(Failure::Os(errno::ENOENT));
    }
    Ok(u64::from(or_unix(vm, result)?.cast_unsigned()))
}

fn open(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = path_argument(vm, &mut args)?;
    let flags = args.int();
    let how = how_of(flags, args.int());
    opened(vm, &path, how)
}

fn open_at(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = path_at_argument(vm, &mut args)?;
    let flags = args.int();
    let how = how_of(flags, args.int());
    opened(vm, &path, how)
}

fn close(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let result = vm.close_file(args.int());
    or_unix(vm, result)?;
    Ok(0)
}

fn duplicate(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let result = vm.duplicate_file(args.int());
    Ok(u64::from(or_unix(vm, result)?.cast_unsigned()))
}

fn done(vm: &mut Vm, result: HostResult<()>) -> Res<u64> {
    or_unix(vm, result)?;
    Ok(0)
}

fn link(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let existing = path_argument(vm, &mut args)?;
    let path = path_argument(vm, &mut args)?;
    let result = vm.host.change(Change::HardLink { existing: &existing, path: &path });
    done(vm, result)
}

fn unlink(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = path_argument(vm, &mut args)?;
    let result = vm.host.change(Change::RemoveFile { path: &path });
    done(vm, result)
}

fn unlink_at(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    const REMOVE_DIRECTORY: i32 = 0x200;
    let path = path_at_argument(vm, &mut args)?;
    let result = if args.int() & REMOVE_DIRECTORY != 0 {
        vm.host.change(Change::RemoveDirectory { path: &path })
    } else {
        vm.host.change(Change::RemoveFile { path: &path })
    };
    done(vm, result)
}

fn rename(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let from = path_argument(vm, &mut args)?;
    let to = path_argument(vm, &mut args)?;
    let result = vm.host.change(Change::Rename { from: &from, to: &to });
    done(vm, result)
}

fn rename_at(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let from = path_at_argument(vm, &mut args)?;
    let to = path_at_argument(vm, &mut args)?;
    let result = vm.host.change(Change::Rename { from: &from, to: &to });
    done(vm, result)
}

fn make_directory(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = path_argument(vm, &mut args)?;
    let mode = args.int().cast_unsigned() & 0o7777;
    let result = vm.host.change(Change::MakeDirectory { path: &path, mode });
    done(vm, result)
}

fn remove_directory(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = path_argument(vm, &mut args)?;
    let result = vm.host.change(Change::RemoveDirectory { path: &path });
    done(vm, result)
}

fn read_link(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = path_argument(vm, &mut args)?;
    let result = vm.host.read_link(&path);
    let target = or_unix(vm, result)?;
    Ok(vm.new_byte_array(&target)?.to_slot())
}

fn real_path(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = path_argument(vm, &mut args)?;
    let result = vm.host.real_path(&path);
    let real = or_unix(vm, result)?;
    Ok(vm.new_byte_array(&real)?.to_slot())
}

fn symbolic_link(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let target = path_argument(vm, &mut args)?;
    let path = path_argument(vm, &mut args)?;
    let result = vm.host.change(Change::SymbolicLink { target: &target, path: &path });
    done(vm, result)
}

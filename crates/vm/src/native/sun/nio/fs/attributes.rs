//! `UnixNativeDispatcher`: what is known of a file, and changes of that.

use crate::files;
use crate::frame::Res;
use crate::host::{Change, Failure, HostResult, Links, Metadata, errno};
use crate::native::sun::attach;
use crate::native::{Args, NativeRow, zero};
use crate::value::Ref;
use crate::vm::Vm;

use super::{DISPATCHER, errno_of, is_called_by, or_unix, path_argument, path_at_argument};

pub(crate) const NATIVES: &[NativeRow] = &[
    (DISPATCHER, "stat0", "(JLsun/nio/fs/UnixFileAttributes;)V", stat),
    (DISPATCHER, "stat0", "(JLsun/nio/fs/UnixFileAttributes;)I", stat_with_number),
    (DISPATCHER, "stat1", "(J)I", mode_of),
    (DISPATCHER, "lstat0", "(JLsun/nio/fs/UnixFileAttributes;)V", stat_link),
    (DISPATCHER, "fstat", "(ILsun/nio/fs/UnixFileAttributes;)V", stat_descriptor),
    (DISPATCHER, "fstat0", "(ILsun/nio/fs/UnixFileAttributes;)V", stat_descriptor),
    (DISPATCHER, "fstatat0", "(IJILsun/nio/fs/UnixFileAttributes;)V", stat_at),
    (DISPATCHER, "access0", "(JI)V", access),
    (DISPATCHER, "access0", "(JI)I", access_with_number),
    (DISPATCHER, "exists0", "(J)Z", exists),
    (DISPATCHER, "chown0", "(JII)V", change_owner),
    (DISPATCHER, "lchown0", "(JII)V", change_link_owner),
    (DISPATCHER, "fchown", "(III)V", change_descriptor_owner),
    (DISPATCHER, "fchown0", "(III)V", change_descriptor_owner),
    (DISPATCHER, "chmod0", "(JI)V", change_mode),
    (DISPATCHER, "fchmod", "(II)V", change_descriptor_mode),
    (DISPATCHER, "fchmod0", "(II)V", change_descriptor_mode),
    (DISPATCHER, "fchmodat0", "(IJII)V", change_mode_at),
    (DISPATCHER, "fchmodatNoFollowSupported0", "()Z", zero),
    (DISPATCHER, "utimes0", "(JJJ)V", set_times_in_micros),
    (DISPATCHER, "lutimes0", "(JJJ)V", set_link_times_in_micros),
    (DISPATCHER, "futimes", "(IJJ)V", set_descriptor_times_in_micros),
    (DISPATCHER, "futimens", "(IJJ)V", set_descriptor_times),
    (DISPATCHER, "futimens0", "(IJJ)V", set_descriptor_times),
    (DISPATCHER, "utimensat0", "(IJJJI)V", set_times_at),
    (DISPATCHER, "getpwuid", "(I)[B", user_name),
    (DISPATCHER, "getgrgid", "(I)[B", group_name),
    (DISPATCHER, "getpwnam0", "(J)I", user_number),
    (DISPATCHER, "getgrnam0", "(J)I", group_number),
    (DISPATCHER, "statvfs0", "(JLsun/nio/fs/UnixFileStoreAttributes;)V", file_store),
];

const NO_FOLLOW: i32 = 0x100;

fn links_of(flags: i32) -> Links {
    if flags & NO_FOLLOW != 0 { Links::Keep } else { Links::Follow }
}

fn metadata(vm: &mut Vm, path: &[u8], links: Links) -> HostResult<Metadata> {
    if files::is_device(path) {
        return Ok(files::device_metadata());
    }
    if attach::is_own_socket(vm, path) {
        return Ok(files::device_metadata());
    }
    let metadata = vm.host.metadata(path, links);
    attach::absent_if_own(vm, path, metadata)
}

/// Writes a `UnixFileAttributes`.
fn fill(vm: &mut Vm, attributes: Ref, metadata: &Metadata) {
    let class = vm.class_of(attributes);
    let ints = [
        ("st_mode", metadata.mode),
        ("st_nlink", u32::try_from(metadata.links).unwrap_or(u32::MAX)),
        ("st_uid", metadata.user),
        ("st_gid", metadata.group),
    ];
    for (name, value) in ints {
        let offset = vm.field_offset(class, name, "I");
        vm.heap.store_u32(attributes, offset, value);
    }
    let longs = [
        ("st_ino", metadata.inode),
        ("st_dev", metadata.device),
        ("st_rdev", metadata.special_device),
        ("st_size", metadata.size),
    ];
    for (name, value) in longs {
        let offset = vm.field_offset(class, name, "J");
        vm.heap.store_u64(attributes, offset, value);
    }
    let birth = metadata.created.unwrap_or(metadata.modified);
    let times = [
        ("st_atime", metadata.accessed),
        ("st_mtime", metadata.modified),
        ("st_ctime", metadata.changed),
        ("st_birthtime", birth),
    ];
    for (name, nanos) in times {
        let parts =
            [("sec", nanos.div_euclid(1_000_000_000)), ("nsec", nanos.rem_euclid(1_000_000_000))];
        for (unit, value) in parts {
            if let Some(offset) = vm.try_field_offset(class, &format!("{name}_{unit}"), "J") {
                let value = i64::try_from(value).unwrap_or(0);
                vm.heap.store_u64(attributes, offset, value.cast_unsigned());
            }
        }
    }
    if let Some(offset) = vm.try_field_offset(class, "birthtime_available", "Z") {
        vm.heap.store_u8(attributes, offset, u8::from(metadata.created.is_some()));
    }
}

fn filled(vm: &mut Vm, attributes: Ref, result: HostResult<Metadata>) -> Res<u64> {
    let metadata = or_unix(vm, result)?;
    fill(vm, attributes, &metadata);
    Ok(0)
}

fn stat(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = path_argument(vm, &mut args)?;
    let result = metadata(vm, &path, Links::Follow);
    filled(vm, args.reference(), result)
}

fn stat_with_number(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = path_argument(vm, &mut args)?;
    let attributes = args.reference();
    let result = metadata(vm, &path, Links::Follow).map(|metadata| fill(vm, attributes, &metadata));
    if matches!(result, Err(Failure::Denied(_))) && is_for_uri(vm) {
        return Ok(u64::from(errno::ENOENT.cast_unsigned()));
    }
    errno_of(vm, result)
}

/// `Path.toUri` looks at the file only to end the URI of a folder with a slash; JDK 17 goes on
/// without where it may not look.
fn is_for_uri(vm: &Vm) -> bool {
    is_called_by(vm, b"sun/nio/fs/UnixUriUtils", 5)
}

/// The mode alone; zero where there is no such file.
fn mode_of(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = path_argument(vm, &mut args)?;
    match metadata(vm, &path, Links::Follow) {
        Ok(metadata) => Ok(u64::from(metadata.mode)),
        Err(Failure::Os(_)) => Ok(0),
        Err(failure) => or_unix(vm, Err(failure)),
    }
}

fn stat_link(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = path_argument(vm, &mut args)?;
    let result = metadata(vm, &path, Links::Keep);
    filled(vm, args.reference(), result)
}

fn stat_descriptor(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let result = vm.file_metadata(args.int());
    filled(vm, args.reference(), result)
}

fn stat_at(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = path_at_argument(vm, &mut args)?;
    let links = links_of(args.int());
    let result = metadata(vm, &path, links);
    filled(vm, args.reference(), result)
}

fn accessible(vm: &mut Vm, args: &mut Args<'_>) -> Res<HostResult<()>> {
    let path = path_argument(vm, args)?;
    let mode = args.int();
    if files::is_device(&path) {
        return Ok(Ok(()));
    }
    let result = vm.host.access(&path, mode);
    Ok(attach::absent_if_own(vm, &path, result))
}

fn access(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let result = accessible(vm, &mut args)?;
    done(vm, result)
}

fn access_with_number(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let result = accessible(vm, &mut args)?;
    errno_of(vm, result)
}

fn exists(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = path_argument(vm, &mut args)?;
    match metadata(vm, &path, Links::Follow) {
        Ok(_) => Ok(1),
        Err(Failure::Os(_)) => Ok(0),
        Err(failure) => or_unix(vm, Err(failure)),
    }
}

pub(super) fn done(vm: &mut Vm, result: HostResult<()>) -> Res<u64> {
    or_unix(vm, result)?;
    Ok(0)
}

/// The path a descriptor was opened with.
pub(super) fn descriptor_path(vm: &mut Vm, args: &mut Args<'_>) -> Res<Vec<u8>> {
    let result = vm.files.table.get(args.int()).map(|file| file.path.clone());
    or_unix(vm, result)
}

fn set_owner(vm: &mut Vm, path: &[u8], args: &mut Args<'_>, links: Links) -> Res<u64> {
    let user = args.int();
    let group = args.int();
    let result = vm.host.change(Change::SetOwner { path, user, group, links });
    done(vm, result)
}

fn change_owner(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = path_argument(vm, &mut args)?;
    set_owner(vm, &path, &mut args, Links::Follow)
}

fn change_link_owner(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = path_argument(vm, &mut args)?;
    set_owner(vm, &path, &mut args, Links::Keep)
}

fn change_descriptor_owner(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = descriptor_path(vm, &mut args)?;
    set_owner(vm, &path, &mut args, Links::Follow)
}

fn set_mode(vm: &mut Vm, path: &[u8], args: &mut Args<'_>) -> Res<u64> {
    let mode = args.int().cast_unsigned() & 0o7777;
    let result = vm.host.change(Change::SetMode { path, mode });
    done(vm, result)
}

fn change_mode(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = path_argument(vm, &mut args)?;
    set_mode(vm, &path, &mut args)
}

fn change_descriptor_mode(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = descriptor_path(vm, &mut args)?;
    set_mode(vm, &path, &mut args)
}

fn change_mode_at(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = path_at_argument(vm, &mut args)?;
    set_mode(vm, &path, &mut args)
}

fn set_times(vm: &mut Vm, path: &[u8], args: &mut Args<'_>, unit: i128, links: Links) -> Res<u64> {
    let accessed = Some(i128::from(args.long()) * unit);
    let modified = Some(i128::from(args.long()) * unit);
    let result = vm.host.change(Change::SetTimes { path, accessed, modified, links });
    done(vm, result)
}

const NANOS: i128 = 1;
const MICROS: i128 = 1_000;

fn set_times_in_micros(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = path_argument(vm, &mut args)?;
    set_times(vm, &path, &mut args, MICROS, Links::Follow)
}

fn set_link_times_in_micros(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = path_argument(vm, &mut args)?;
    set_times(vm, &path, &mut args, MICROS, Links::Keep)
}

fn set_descriptor_times_in_micros(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = descriptor_path(vm, &mut args)?;
    set_times(vm, &path, &mut args, MICROS, Links::Follow)
}

fn set_descriptor_times(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = descriptor_path(vm, &mut args)?;
    set_times(vm, &path, &mut args, NANOS, Links::Follow)
}

fn set_times_at(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = path_at_argument(vm, &mut args)?;
    let mut behind = args;
    behind.long();
    behind.long();
    let links = links_of(behind.int());
    set_times(vm, &path, &mut args, NANOS, links)
}

fn owner_name(vm: &mut Vm, id: i32, is_group: bool) -> Res<u64> {
    let result = vm.host.owner_name(id.cast_unsigned(), is_group);
    let name = or_unix(vm, result)?;
    Ok(vm.new_byte_array(&name)?.to_slot())
}

fn user_name(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    owner_name(vm, args.int(), false)
}

fn group_name(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    owner_name(vm, args.int(), true)
}

/// The number of a user or group; -1 for one that is not known.
fn owner_number(vm: &mut Vm, args: &mut Args<'_>, is_group: bool) -> Res<u64> {
    let name = path_argument(vm, args)?;
    match vm.host.owner_number(&name, is_group) {
        Ok(number) => Ok(u64::from(number)),
        Err(Failure::Os(errno::ENOENT)) => Ok(u64::from(u32::MAX)),
        Err(failure) => or_unix(vm, Err(failure)),
    }
}

fn user_number(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    owner_number(vm, &mut args, false)
}

fn group_number(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    owner_number(vm, &mut args, true)
}

fn file_store(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = path_argument(vm, &mut args)?;
    let attributes = args.reference();
    let result = vm.host.space(&path);
    let space = or_unix(vm, result)?;
    let class = vm.class_of(attributes);
    // Bytes, counted in blocks of one.
    let values = [
        ("f_frsize", 1),
        ("f_blocks", space.total),
        ("f_bfree", space.free),
        ("f_bavail", space.usable),
    ];
    for (name, value) in values {
        let offset = vm.field_offset(class, name, "J");
        vm.heap.store_u64(attributes, offset, value);
    }
    Ok(0)
}

//! `java.io.UnixFileSystem`: the operations behind `java.io.File`. Names gained a `0` in JDK 25.

use crate::files;
use crate::frame::{Res, Trap};
use crate::host::{Change, Failure, HostResult, Links, Metadata, OpenHow, errno};
use crate::native::sun::attach;
use crate::native::{Args, NativeRow, denied, io_failure};
use crate::value::Ref;
use crate::vm::Vm;

const FS: &str = "java/io/UnixFileSystem";

pub(crate) const NATIVES: &[NativeRow] = &[
    (FS, "canonicalize0", "(Ljava/lang/String;)Ljava/lang/String;", canonicalize),
    (FS, "getBooleanAttributes0", "(Ljava/io/File;)I", boolean_attributes),
    (FS, "checkAccess", "(Ljava/io/File;I)Z", check_access),
    (FS, "checkAccess0", "(Ljava/io/File;I)Z", check_access),
    (FS, "getLastModifiedTime", "(Ljava/io/File;)J", last_modified),
    (FS, "getLastModifiedTime0", "(Ljava/io/File;)J", last_modified),
    (FS, "getLength", "(Ljava/io/File;)J", length),
    (FS, "getLength0", "(Ljava/io/File;)J", length),
    (FS, "setPermission", "(Ljava/io/File;IZZ)Z", set_permission),
    (FS, "setPermission0", "(Ljava/io/File;IZZ)Z", set_permission),
    (FS, "createFileExclusively", "(Ljava/lang/String;)Z", create_exclusively),
    (FS, "createFileExclusively0", "(Ljava/lang/String;)Z", create_exclusively),
    (FS, "delete0", "(Ljava/io/File;)Z", delete),
    (FS, "list", "(Ljava/io/File;)[Ljava/lang/String;", list),
    (FS, "list0", "(Ljava/io/File;)[Ljava/lang/String;", list),
    (FS, "createDirectory", "(Ljava/io/File;)Z", create_directory),
    (FS, "createDirectory0", "(Ljava/io/File;)Z", create_directory),
    (FS, "rename0", "(Ljava/io/File;Ljava/io/File;)Z", rename),
    (FS, "setLastModifiedTime", "(Ljava/io/File;J)Z", set_last_modified),
    (FS, "setLastModifiedTime0", "(Ljava/io/File;J)Z", set_last_modified),
    (FS, "setReadOnly", "(Ljava/io/File;)Z", set_read_only),
    (FS, "setReadOnly0", "(Ljava/io/File;)Z", set_read_only),
    (FS, "getSpace", "(Ljava/io/File;I)J", space),
    (FS, "getSpace0", "(Ljava/io/File;I)J", space),
    (FS, "getNameMax0", "(Ljava/lang/String;)J", name_max),
];

/// The path in a `java.io.File`.
fn path_of(vm: &mut Vm, file: Ref) -> Res<Vec<u8>> {
    if file.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    let class = vm.boot_class("java/io/File")?;
    let offset = vm.field_offset(class, "path", "Ljava/lang/String;");
    let path = vm.heap.load_ref(file, offset);
    Ok(vm.string_text(path).into_bytes())
}

/// Reads the file system itself and a `File`.
fn file_argument(vm: &mut Vm, args: &mut Args<'_>) -> Res<Vec<u8>> {
    args.reference();
    let file = args.reference();
    path_of(vm, file)
}

fn string_argument(vm: &mut Vm, args: &mut Args<'_>) -> Res<Vec<u8>> {
    args.reference();
    let path = args.reference();
    if path.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    Ok(vm.string_text(path).into_bytes())
}

fn metadata(vm: &mut Vm, path: &[u8]) -> HostResult<Metadata> {
    if files::is_device(path) {
        return Ok(files::device_metadata());
    }
    if attach::is_own_socket(vm, path) {
        return Ok(files::device_metadata());
    }
    let metadata = vm.host.metadata(path, Links::Follow);
    attach::absent_if_own(vm, path, metadata)
}

/// `None` where the system said no; what the user did not grant is thrown.
fn unless_denied<T>(vm: &mut Vm, result: HostResult<T>) -> Result<Option<T>, Trap> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Failure::Os(_)) => Ok(None),
        Err(Failure::Denied(denial)) => Err(denied(vm, denial)),
    }
}

fn change(vm: &mut Vm, change: Change<'_>) -> Res<u64> {
    let result = vm.host.change(change);
    Ok(u64::from(unless_denied(vm, result)?.is_some()))
}

/// Without `.`, `..` and links, as far as the path exists; the rest by the text alone.
fn canonicalize(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = string_argument(vm, &mut args)?;
    let mut known = path.clone();
    let mut missing: Vec<Vec<u8>> = Vec::new();
    let mut real = loop {
        // The machine's own devices are where they are said to be.
        if files::is_device(&known) {
            break known;
        }
        if let Ok(real) = vm.host.real_path(&known) {
            break real;
        }
        while known.len() > 1 && known.ends_with(b"/") {
            known.pop();
        }
        match known.iter().rposition(|&byte| byte == b'/') {
            Some(cut) if known.len() > 1 => {
                missing.push(known.split_off(cut)[1..].to_vec());
                if known.is_empty() {
                    known.push(b'/');
                }
            }
            _ => break b"/".to_vec(),
        }
    };
    for part in missing.iter().rev() {
        match part.as_slice() {
            b"" | b"." => {}
            b".." => {
                let cut = real.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
                real.truncate(cut.max(1));
            }
            part => {
                if !real.ends_with(b"/") {
                    real.push(b'/');
                }
                real.extend_from_slice(part);
            }
        }
    }
    let text = String::from_utf8_lossy(&real);
    Ok(vm.new_string(&text)?.to_slot())
}

fn boolean_attributes(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    const EXISTS: u64 = 1;
    const REGULAR: u64 = 2;
    const DIRECTORY: u64 = 4;
    let path = file_argument(vm, &mut args)?;
    let result = metadata(vm, &path);
    let Some(metadata) = unless_denied(vm, result)? else { return Ok(0) };
    let mut bits = EXISTS;
    if metadata.is_regular() {
        bits |= REGULAR;
    }
    if metadata.is_directory() {
        bits |= DIRECTORY;
    }
    Ok(bits)
}

fn check_access(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = file_argument(vm, &mut args)?;
    let mode = args.int();
    if files::is_device(&path) {
        return Ok(1);
    }
    let result = vm.host.access(&path, mode);
    let result = attach::absent_if_own(vm, &path, result);
    Ok(u64::from(unless_denied(vm, result)?.is_some()))
}

fn last_modified(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = file_argument(vm, &mut args)?;
    let result = metadata(vm, &path);
    let Some(metadata) = unless_denied(vm, result)? else { return Ok(0) };
    let millis = metadata.modified.div_euclid(1_000_000);
    Ok(i64::try_from(millis).unwrap_or(0).cast_unsigned())
}

fn length(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = file_argument(vm, &mut args)?;
    let result = metadata(vm, &path);
    Ok(unless_denied(vm, result)?.map_or(0, |metadata| metadata.size))
}

fn set_permission(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = file_argument(vm, &mut args)?;
    let access = args.int().cast_unsigned() & 7;
    let enable = args.boolean();
    let owner_only = args.boolean();
    let bits = if owner_only { access << 6 } else { access << 6 | access << 3 | access };
    let result = vm.host.metadata(&path, Links::Follow);
    let Some(metadata) = unless_denied(vm, result)? else { return Ok(0) };
    let old = metadata.mode & 0o7777;
    let mode = if enable { old | bits } else { old & !bits };
    change(vm, Change::SetMode { path: &path, mode })
}

fn create_exclusively(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = string_argument(vm, &mut args)?;
    let how = OpenHow {
        read: true,
        write: true,
        create: true,
        exclusive: true,
        mode: 0o666,
        ..OpenHow::default()
    };
    let result = vm.open_file(&path, how).and_then(|number| vm.close_file(number));
    match result {
        Ok(()) => Ok(1),
        Err(Failure::Os(errno::EEXIST)) => Ok(0),
        Err(failure) => Err(io_failure(vm, failure)),
    }
}

fn delete(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = file_argument(vm, &mut args)?;
    match vm.host.change(Change::RemoveFile { path: &path }) {
        Err(Failure::Os(errno::EISDIR | errno::EPERM)) => {
            change(vm, Change::RemoveDirectory { path: &path })
        }
        result => Ok(u64::from(unless_denied(vm, result)?.is_some())),
    }
}

fn list(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = file_argument(vm, &mut args)?;
    let result = vm.host.list(&path);
    let Some(names) = unless_denied(vm, result)? else { return Ok(0) };
    let mut strings = Vec::with_capacity(names.len());
    for name in names {
        strings.push(vm.new_string(&String::from_utf8_lossy(&name))?);
    }
    let string = vm.known.string;
    Ok(vm.new_ref_array(string, &strings)?.to_slot())
}

fn create_directory(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = file_argument(vm, &mut args)?;
    change(vm, Change::MakeDirectory { path: &path, mode: 0o777 })
}

fn rename(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let from = file_argument(vm, &mut args)?;
    let to = args.reference();
    let to = path_of(vm, to)?;
    change(vm, Change::Rename { from: &from, to: &to })
}

fn set_last_modified(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = file_argument(vm, &mut args)?;
    let modified = Some(i128::from(args.long()) * 1_000_000);
    let links = Links::Follow;
    change(vm, Change::SetTimes { path: &path, accessed: None, modified, links })
}

fn set_read_only(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = file_argument(vm, &mut args)?;
    let result = vm.host.metadata(&path, Links::Follow);
    let Some(metadata) = unless_denied(vm, result)? else { return Ok(0) };
    change(vm, Change::SetMode { path: &path, mode: metadata.mode & 0o7777 & !0o222 })
}

fn space(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = file_argument(vm, &mut args)?;
    let which = args.int();
    let result = vm.host.space(&path);
    let Some(space) = unless_denied(vm, result)? else { return Ok(0) };
    Ok(match which {
        0 => space.total,
        1 => space.free,
        _ => space.usable,
    })
}

/// What Linux file systems have.
fn name_max(_: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(255)
}

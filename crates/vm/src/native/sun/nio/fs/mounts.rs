//! `LinuxNativeDispatcher`: the table of mounted file systems, a text with one per line.

use crate::frame::Res;
use crate::host::{Failure, OpenHow};
use crate::native::{Args, NativeRow};
use crate::vm::Vm;

use super::directories::{NO_DESCRIPTOR, new_stream, next_name};
use super::{DISPATCHER, or_unix, path_argument};

const LINUX: &str = "sun/nio/fs/LinuxNativeDispatcher";

pub(crate) const NATIVES: &[NativeRow] = &[
    (LINUX, "setmntent0", "(JJ)J", open),
    (LINUX, "getmntent0", "(JLsun/nio/fs/UnixMountEntry;JI)I", next),
    (LINUX, "endmntent", "(J)V", close),
    (DISPATCHER, "getlinelen", "(J)I", line_length),
];

const NONE_LEFT: u64 = u32::MAX as u64;

fn open(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let path = path_argument(vm, &mut args)?;
    let result = vm.open_file(&path, OpenHow { read: true, ..OpenHow::default() });
    if matches!(result, Err(Failure::Denied(_))) {
        // Who may not see the table sees the least that a computer has.
        let folder = vm.host.platform().temporary_dir;
        let lines = [format!("tmpfs {folder} tmpfs rw"), "rootfs / rootfs rw".to_owned()];
        return new_stream(vm, &lines.map(String::into_bytes), NO_DESCRIPTOR);
    }
    let number = or_unix(vm, result)?;
    let mut text = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let result = vm.read_file(number, &mut buffer);
        match or_unix(vm, result)? {
            0 => break,
            n => text.extend_from_slice(&buffer[..n]),
        }
    }
    let result = vm.close_file(number);
    or_unix(vm, result)?;
    let is_entry = |line: &&[u8]| !line.is_empty() && !line.starts_with(b"#");
    let lines: Vec<Vec<u8>> =
        text.split(|&byte| byte == b'\n').filter(is_entry).map(<[u8]>::to_vec).collect();
    new_stream(vm, &lines, NO_DESCRIPTOR)
}

fn line_length(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let stream = args.long().cast_unsigned();
    Ok(next_name(vm, stream)?.map_or(NONE_LEFT, |line| line.len() as u64 + 1))
}

/// Fills an entry from the next line; -1 behind the last one.
fn next(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let stream = args.long().cast_unsigned();
    let entry = args.reference();
    let Some(line) = next_name(vm, stream)? else { return Ok(NONE_LEFT) };
    let mut fields = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
    for name in ["name", "dir", "fstype", "opts"] {
        let value = unescape(fields.next().unwrap_or_default());
        let value = vm.new_byte_array(&value)?;
        vm.set_field_ref(entry, name, "[B", value);
    }
    Ok(0)
}

/// Blanks in names are written as octal numbers.
fn unescape(field: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((&byte, tail)) = rest.split_first() {
        let octal = tail
            .get(..3)
            .filter(|_| byte == b'\\')
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        match octal {
            Some(value) => {
                plain.push(value);
                rest = &tail[3..];
            }
            None => {
                plain.push(byte);
                rest = tail;
            }
        }
    }
    plain
}

fn close(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    vm.heap.raw_free(args.long().cast_unsigned());
    Ok(0)
}

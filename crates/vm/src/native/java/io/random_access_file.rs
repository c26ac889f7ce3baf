//! `java.io.RandomAccessFile`. Names lost or gained a `0` between JDK 17 and 25.

use crate::frame::Res;
use crate::host::OpenHow;
use crate::native::{Args, NativeRow};
use crate::vm::Vm;

use super::{open_for, open_number, or_io, read_byte, read_range, write_range};

const FILE: &str = "java/io/RandomAccessFile";

pub(crate) const NATIVES: &[NativeRow] = &[
    (FILE, "open0", "(Ljava/lang/String;I)V", open),
    (FILE, "read0", "()I", read),
    (FILE, "readBytes", "([BII)I", read_bytes),
    (FILE, "readBytes0", "([BII)I", read_bytes),
    (FILE, "write0", "(I)V", write),
    (FILE, "writeBytes", "([BII)V", write_bytes),
    (FILE, "writeBytes0", "([BII)V", write_bytes),
    (FILE, "getFilePointer", "()J", file_pointer),
    (FILE, "seek0", "(J)V", seek),
    (FILE, "length", "()J", length),
    (FILE, "length0", "()J", length),
    (FILE, "setLength", "(J)V", set_length),
    (FILE, "setLength0", "(J)V", set_length),
];

fn open(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    const READ_WRITE: i32 = 2;
    let file = args.reference();
    let path = args.reference();
    let writes = args.int() & READ_WRITE != 0;
    let how =
        OpenHow { read: true, write: writes, create: writes, mode: 0o666, ..OpenHow::default() };
    open_for(vm, FILE, file, path, how)
}

fn read(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let file = args.reference();
    let number = open_number(vm, FILE, file)?;
    read_byte(vm, number)
}

fn read_bytes(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let file = args.reference();
    let array = args.reference();
    let offset = args.int();
    let length = args.int();
    crate::native::check_range(vm, array, offset, length)?;
    if length == 0 {
        return Ok(0);
    }
    let number = open_number(vm, FILE, file)?;
    read_range(vm, number, array, offset, length)
}

fn write(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let file = args.reference();
    let [byte, ..] = args.int().to_le_bytes();
    let number = open_number(vm, FILE, file)?;
    let result = vm.write_file(number, &[byte]);
    or_io(vm, result)?;
    Ok(0)
}

fn write_bytes(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let file = args.reference();
    let array = args.reference();
    let offset = args.int();
    let length = args.int();
    crate::native::check_range(vm, array, offset, length)?;
    if length == 0 {
        return Ok(0);
    }
    let number = open_number(vm, FILE, file)?;
    write_range(vm, number, array, offset, length)
}

fn file_pointer(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let file = args.reference();
    let number = open_number(vm, FILE, file)?;
    let result = vm.file_position(number);
    or_io(vm, result)
}

fn seek(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let file = args.reference();
    let position = args.long();
    let number = open_number(vm, FILE, file)?;
    let Ok(position) = u64::try_from(position) else {
        return Err(vm.throw("java/io/IOException", "Negative seek offset"));
    };
    let result = vm.seek_file(number, position);
    or_io(vm, result)?;
    Ok(0)
}

fn length(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let file = args.reference();
    let number = open_number(vm, FILE, file)?;
    let result = vm.file_metadata(number);
    Ok(or_io(vm, result)?.size)
}

/// A position behind the new end moves to it.
fn set_length(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let file = args.reference();
    let size = args.long();
    let number = open_number(vm, FILE, file)?;
    let Ok(size) = u64::try_from(size) else {
        return Err(vm.throw("java/io/IOException", "Invalid argument"));
    };
    let result = vm.file_position(number);
    let position = or_io(vm, result)?;
    let result = vm.set_file_size(number, size);
    or_io(vm, result)?;
    if position > size {
        let result = vm.seek_file(number, size);
        or_io(vm, result)?;
    }
    Ok(0)
}

//! `java.io.FileInputStream` and `java.io.FileOutputStream`.

use crate::frame::Res;
use crate::host::OpenHow;
use crate::native::{Args, NativeRow};
use crate::vm::Vm;

use super::{descriptor_number, open_for, open_number, or_io, read_byte, read_range, write_range};

const INPUT: &str = "java/io/FileInputStream";
const OUTPUT: &str = "java/io/FileOutputStream";

pub(crate) const NATIVES: &[NativeRow] = &[
    (INPUT, "open0", "(Ljava/lang/String;)V", open_input),
    (INPUT, "read0", "()I", read),
    (INPUT, "readBytes", "([BII)I", read_bytes),
    (INPUT, "skip0", "(J)J", skip),
    (INPUT, "available0", "()I", available),
    (INPUT, "length0", "()J", length),
    (INPUT, "position0", "()J", position),
    (INPUT, "isRegularFile0", "(Ljava/io/FileDescriptor;)Z", is_regular_file),
    (OUTPUT, "open0", "(Ljava/lang/String;Z)V", open_output),
    (OUTPUT, "write", "(IZ)V", write),
    (OUTPUT, "writeBytes", "([BIIZ)V", write_bytes),
];

fn open_input(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let stream = args.reference();
    let path = args.reference();
    open_for(vm, INPUT, stream, path, OpenHow { read: true, ..OpenHow::default() })
}

fn read(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let stream = args.reference();
    let number = open_number(vm, INPUT, stream)?;
    read_byte(vm, number)
}

fn read_bytes(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let stream = args.reference();
    let array = args.reference();
    let offset = args.int();
    let length = args.int();
    // The range is judged before the stream, as the JDK's own code does.
    crate::native::check_range(vm, array, offset, length)?;
    if length == 0 {
        return Ok(0);
    }
    let number = open_number(vm, INPUT, stream)?;
    read_range(vm, number, array, offset, length)
}

fn skip(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let stream = args.reference();
    let count = args.long();
    let number = open_number(vm, INPUT, stream)?;
    let result = vm.file_position(number);
    let start = or_io(vm, result)?;
    let Some(end) = start.checked_add_signed(count) else {
        return Err(vm.throw("java/io/IOException", "Invalid argument"));
    };
    let result = vm.seek_file(number, end);
    or_io(vm, result)?;
    Ok(end.wrapping_sub(start))
}

fn available(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let stream = args.reference();
    let number = open_number(vm, INPUT, stream)?;
    let result = vm.available_in_file(number);
    Ok(or_io(vm, result)?.min(i32::MAX as u64))
}

fn length(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let stream = args.reference();
    let number = open_number(vm, INPUT, stream)?;
    let result = vm.file_metadata(number);
    Ok(or_io(vm, result)?.size)
}

fn position(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let stream = args.reference();
    let number = open_number(vm, INPUT, stream)?;
    let result = vm.file_position(number);
    or_io(vm, result)
}

fn is_regular_file(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    let descriptor = args.reference();
    let number = descriptor_number(vm, descriptor)?;
    let result = vm.file_metadata(number);
    Ok(u64::from(or_io(vm, result)?.is_regular()))
}

fn open_output(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let stream = args.reference();
    let path = args.reference();
    let append = args.boolean();
    let how = OpenHow {
        write: true,
        create: true,
        append,
        truncate: !append,
        mode: 0o666,
        ..OpenHow::default()
    };
    open_for(vm, OUTPUT, stream, path, how)
}

fn write(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let stream = args.reference();
    let [byte, ..] = args.int().to_le_bytes();
    let number = open_number(vm, OUTPUT, stream)?;
    let result = vm.write_file(number, &[byte]);
    or_io(vm, result)?;
    Ok(0)
}

fn write_bytes(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let stream = args.reference();
    let array = args.reference();
    let offset = args.int();
    let length = args.int();
    crate::native::check_range(vm, array, offset, length)?;
    if length == 0 {
        return Ok(0);
    }
    let number = open_number(vm, OUTPUT, stream)?;
    write_range(vm, number, array, offset, length)
}

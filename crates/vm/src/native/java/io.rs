//! Natives of `java.io`.

pub(crate) mod file_descriptor;
pub(crate) mod file_streams;
pub(crate) mod object_streams;
pub(crate) mod random_access_file;
pub(crate) mod unix_file_system;

use crate::frame::{Res, Trap};
use crate::host::{Failure, OpenHow, errno};
use crate::native::{check_range, denied, io_failure};
use crate::value::Ref;
use crate::vm::Vm;

/// Most bytes moved at once, so that one call does not copy a whole array twice.
const CHUNK: usize = 64 << 10;

/// The descriptor number in a `java.io.FileDescriptor`; -1 when it is closed.
pub(crate) fn descriptor_number(vm: &mut Vm, file_descriptor: Ref) -> Res<i32> {
    if file_descriptor.is_null() {
        return Ok(-1);
    }
    let offset = vm.field_offset(vm.class_of(file_descriptor), "fd", "I");
    Ok(vm.heap.load_u32(file_descriptor, offset).cast_signed())
}

/// Writes the descriptor number of a `java.io.FileDescriptor`.
pub(crate) fn set_descriptor_number(vm: &mut Vm, file_descriptor: Ref, number: i32) {
    let offset = vm.field_offset(vm.class_of(file_descriptor), "fd", "I");
    vm.heap.store_u32(file_descriptor, offset, number.cast_unsigned());
}

/// The `FileDescriptor` of a stream or `RandomAccessFile`.
fn descriptor_of(vm: &mut Vm, holder: &str, stream: Ref) -> Res<Ref> {
    let class = vm.boot_class(holder)?;
    let offset = vm.field_offset(class, "fd", "Ljava/io/FileDescriptor;");
    Ok(vm.heap.load_ref(stream, offset))
}

/// The open descriptor number of a stream; `IOException` when it is closed.
fn open_number(vm: &mut Vm, holder: &str, stream: Ref) -> Res<i32> {
    let descriptor = descriptor_of(vm, holder, stream)?;
    match descriptor_number(vm, descriptor)? {
        -1 => Err(vm.throw("java/io/IOException", "Stream Closed")),
        number => Ok(number),
    }
}

/// Opens a path for a stream and stores the descriptor in it.
fn open_for(vm: &mut Vm, holder: &str, stream: Ref, path: Ref, how: OpenHow) -> Res<u64> {
    if path.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    let text = vm.string_text(path);
    let number = match open_regular(vm, text.as_bytes(), how) {
        Ok(number) => number,
        Err(Failure::Os(number)) => {
            let text = format!("{text} ({})", errno::text(number));
            return Err(vm.throw("java/io/FileNotFoundException", &text));
        }
        Err(Failure::Denied(denial)) => return Err(denied(vm, denial)),
    };
    let descriptor = descriptor_of(vm, holder, stream)?;
    set_descriptor_number(vm, descriptor, number);
    let append = vm.field_offset(vm.class_of(descriptor), "append", "Z");
    vm.heap.store_u8(descriptor, append, u8::from(how.append));
    Ok(0)
}

/// Opens anything but a folder.
fn open_regular(vm: &mut Vm, path: &[u8], how: OpenHow) -> Result<i32, Failure> {
    let number = vm.open_file(path, how)?;
    if vm.file_metadata(number)?.is_directory() {
        vm.close_file(number)?;
        return Err(Failure::Os(errno::EISDIR));
    }
    Ok(number)
}

/// Reads into a range of a `byte[]`; -1 at the end.
fn read_range(vm: &mut Vm, number: i32, array: Ref, offset: i32, length: i32) -> Res<u64> {
    let (at, length) = check_range(vm, array, offset, length)?;
    if length == 0 {
        return Ok(0);
    }
    vm.await_program(number)?;
    let mut buffer = vec![0; length.min(CHUNK)];
    let mut total = 0;
    // A regular file fills the whole range; a stream gives what it has.
    while total < length {
        let room = (length - total).min(buffer.len());
        let n = match vm.read_file(number, &mut buffer[..room]) {
            Ok(n) => n,
            Err(failure) => return Err(io_failure(vm, failure)),
        };
        #[expect(clippy::cast_possible_truncation, reason = "within an array")]
        vm.heap.store_bytes(array, at + total as u32, &buffer[..n]);
        total += n;
        if n < room || vm.file_position(number).is_err() {
            break;
        }
    }
    Ok(if total == 0 { minus_one() } else { total as u64 })
}

/// Reads one byte; -1 at the end.
fn read_byte(vm: &mut Vm, number: i32) -> Res<u64> {
    vm.await_program(number)?;
    let mut byte = [0];
    match vm.read_file(number, &mut byte) {
        Ok(0) => Ok(minus_one()),
        Ok(_) => Ok(u64::from(byte[0])),
        Err(failure) => Err(io_failure(vm, failure)),
    }
}

/// Writes a range of a `byte[]`.
fn write_range(vm: &mut Vm, number: i32, array: Ref, offset: i32, length: i32) -> Res<u64> {
    let (at, length) = check_range(vm, array, offset, length)?;
    let bytes = vm.heap.bytes(array, at, length).to_vec();
    match vm.write_file(number, &bytes) {
        Ok(()) => Ok(0),
        Err(failure) => Err(io_failure(vm, failure)),
    }
}

/// The `int` -1 in a register.
fn minus_one() -> u64 {
    u64::from(u32::MAX)
}

/// Turns a host result into a Java one.
pub(crate) fn or_io<T>(vm: &mut Vm, result: Result<T, Failure>) -> Result<T, Trap> {
    result.map_err(|failure| io_failure(vm, failure))
}

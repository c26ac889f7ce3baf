//! `FileDispatcherImpl` (JDK 17), `UnixFileDispatcherImpl` and `UnixDispatcher` (JDK 25): files and
//! raw memory.

use crate::frame::Res;
use crate::host::{Failure, errno};
use crate::native::java::io::{descriptor_number, or_io};
use crate::native::sun::nio::ch::socket_dispatcher;
use crate::native::{Args, NativeRow, io_failure, nothing, zero};
use crate::vm::Vm;

macro_rules! rows {
    ($($name:literal $descriptor:literal $function:ident,)*) => {
        pub(crate) const NATIVES: &[NativeRow] = &[
            $(
                (DISPATCHER, $name, $descriptor, $function),
                (UNIX_DISPATCHER, $name, $descriptor, $function),
            )*
            (DISPATCHER, "init", "()V", nothing),
            (DISPATCHER, "init0", "()V", nothing),
            (DISPATCHER, "canTransferToFromOverlappedMap0", "()Z", zero),
            (DISPATCHER, "transferTo0", "", unsupported),
            (DISPATCHER, "transferFrom0", "", unsupported),
            ("sun/nio/ch/UnixDispatcher", "init", "()V", nothing),
            ("sun/nio/ch/UnixDispatcher", "close0", "(Ljava/io/FileDescriptor;)V", close),
            ("sun/nio/ch/UnixDispatcher", "preClose0", "(Ljava/io/FileDescriptor;)V", pre_close),
        ];
    };
}

const DISPATCHER: &str = "sun/nio/ch/FileDispatcherImpl";
const UNIX_DISPATCHER: &str = "sun/nio/ch/UnixFileDispatcherImpl";

rows! {
    "read0" "(Ljava/io/FileDescriptor;JI)I" read,
    "pread0" "(Ljava/io/FileDescriptor;JIJ)I" read_at,
    "readv0" "(Ljava/io/FileDescriptor;JI)J" read_vector,
    "write0" "(Ljava/io/FileDescriptor;JI)I" write,
    "pwrite0" "(Ljava/io/FileDescriptor;JIJ)I" write_at,
    "writev0" "(Ljava/io/FileDescriptor;JI)J" write_vector,
    "force0" "(Ljava/io/FileDescriptor;Z)I" force,
    "seek0" "(Ljava/io/FileDescriptor;J)J" seek,
    "truncate0" "(Ljava/io/FileDescriptor;J)I" truncate,
    "size0" "(Ljava/io/FileDescriptor;)J" size,
    "available0" "(Ljava/io/FileDescriptor;)I" available,
    "isOther0" "(Ljava/io/FileDescriptor;)Z" is_other,
    // No other program competes for the files of this one.
    "lock0" "(Ljava/io/FileDescriptor;ZJJZ)I" zero,
    "release0" "(Ljava/io/FileDescriptor;JJ)V" nothing,
    "close0" "(Ljava/io/FileDescriptor;)V" close,
    "preClose0" "(Ljava/io/FileDescriptor;)V" pre_close,
    "dup0" "(Ljava/io/FileDescriptor;Ljava/io/FileDescriptor;)V" duplicate,
    "closeIntFD" "(I)V" close_number,
    "setDirect0" "(Ljava/io/FileDescriptor;)I" no_direct,
}

const END: u64 = u32::MAX as u64;

fn number(vm: &mut Vm, args: &mut Args<'_>) -> Res<i32> {
    let descriptor = args.reference();
    if descriptor.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    descriptor_number(vm, descriptor)
}

/// Stores at a raw address what was read; -1 for the end of the file.
pub(super) fn store(vm: &mut Vm, address: i64, bytes: &[u8]) -> Res<()> {
    if vm.heap.raw_store(address.cast_unsigned(), bytes) {
        return Ok(());
    }
    Err(io_failure(vm, Failure::Os(errno::EINVAL)))
}

pub(super) fn load(vm: &mut Vm, address: i64, length: usize) -> Res<Vec<u8>> {
    match vm.raw_bytes(address, length).map(<[u8]>::to_vec) {
        Some(bytes) => Ok(bytes),
        None => Err(io_failure(vm, Failure::Os(errno::EINVAL))),
    }
}

pub(super) fn length_argument(args: &mut Args<'_>) -> usize {
    usize::try_from(args.int()).unwrap_or(0)
}

fn read(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let all = args;
    let number = number(vm, &mut args)?;
    if vm.files.table.is_socket(number) {
        return socket_dispatcher::read(vm, all);
    }
    let address = args.long();
    let length = length_argument(&mut args);
    let n = read_into(vm, number, address, length)?;
    Ok(if n == 0 && length > 0 { END } else { n as u64 })
}

fn read_into(vm: &mut Vm, number: i32, address: i64, length: usize) -> Res<usize> {
    let mut buffer = vec![0; length];
    let result = vm.read_file(number, &mut buffer);
    let n = or_io(vm, result)?;
    store(vm, address, &buffer[..n])?;
    Ok(n)
}

fn read_at(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let number = number(vm, &mut args)?;
    let address = args.long();
    let mut buffer = vec![0; length_argument(&mut args)];
    let Ok(at) = u64::try_from(args.long()) else {
        return Err(io_failure(vm, Failure::Os(errno::EINVAL)));
    };
    let result = vm.read_file_at(number, at, &mut buffer);
    let n = or_io(vm, result)?;
    store(vm, address, &buffer[..n])?;
    Ok(if n == 0 && !buffer.is_empty() { END } else { n as u64 })
}

/// The pairs of address and length of an `iovec` array.
pub(super) fn vector(vm: &mut Vm, args: &mut Args<'_>) -> Res<Vec<(i64, usize)>> {
    let address = args.long();
    let count = length_argument(args);
    let words = load(vm, address, count.saturating_mul(16))?;
    let word = |bytes: &[u8]| i64::from_le_bytes(bytes.try_into().unwrap_or([0; 8]));
    Ok(words
        .chunks_exact(16)
        .map(|pair| (word(&pair[..8]), usize::try_from(word(&pair[8..])).unwrap_or(0)))
        .collect())
}

fn read_vector(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let all = args;
    let number = number(vm, &mut args)?;
    if vm.files.table.is_socket(number) {
        return socket_dispatcher::read_vector(vm, all);
    }
    let mut total = 0;
    let mut wanted = 0;
    for (address, length) in vector(vm, &mut args)? {
        let n = read_into(vm, number, address, length)?;
        total += n;
        wanted += length;
        if n < length {
            break;
        }
    }
    Ok(if total == 0 && wanted > 0 { u64::MAX } else { total as u64 })
}

fn write(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let all = args;
    let number = number(vm, &mut args)?;
    if vm.files.table.is_socket(number) {
        return socket_dispatcher::write(vm, all);
    }
    let address = args.long();
    let length = length_argument(&mut args);
    let bytes = load(vm, address, length)?;
    let result = vm.write_file(number, &bytes);
    or_io(vm, result)?;
    Ok(length as u64)
}

fn write_at(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let number = number(vm, &mut args)?;
    let address = args.long();
    let length = length_argument(&mut args);
    let Ok(at) = u64::try_from(args.long()) else {
        return Err(io_failure(vm, Failure::Os(errno::EINVAL)));
    };
    let bytes = load(vm, address, length)?;
    let result = vm.write_file_at(number, at, &bytes);
    Ok(or_io(vm, result)? as u64)
}

fn write_vector(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let all = args;
    let number = number(vm, &mut args)?;
    if vm.files.table.is_socket(number) {
        return socket_dispatcher::write_vector(vm, all);
    }
    let mut total = 0;
    for (address, length) in vector(vm, &mut args)? {
        let bytes = load(vm, address, length)?;
        let result = vm.write_file(number, &bytes);
        or_io(vm, result)?;
        total += length as u64;
    }
    Ok(total)
}

fn force(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let number = number(vm, &mut args)?;
    let result = vm.sync_file(number);
    or_io(vm, result)?;
    Ok(0)
}

/// Moves the position, or tells it where the offset is negative.
fn seek(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let number = number(vm, &mut args)?;
    if let Ok(position) = u64::try_from(args.long()) {
        let result = vm.seek_file(number, position);
        or_io(vm, result)?;
    }
    let result = vm.file_position(number);
    or_io(vm, result)
}

fn truncate(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let number = number(vm, &mut args)?;
    let size = u64::try_from(args.long()).unwrap_or(0);
    let result = vm.set_file_size(number, size);
    or_io(vm, result)?;
    Ok(0)
}

fn size(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let number = number(vm, &mut args)?;
    let result = vm.file_metadata(number);
    Ok(or_io(vm, result)?.size)
}

fn available(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let number = number(vm, &mut args)?;
    let result = vm.available_in_file(number);
    Ok(or_io(vm, result)?.min(i32::MAX as u64))
}

/// Whether this is neither a regular file nor a folder nor a link.
fn is_other(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let number = number(vm, &mut args)?;
    let result = vm.file_metadata(number);
    let metadata = or_io(vm, result)?;
    Ok(u64::from(!metadata.is_regular() && !metadata.is_directory()))
}

fn close(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let number = number(vm, &mut args)?;
    if number >= 0 {
        let result = vm.close_file(number);
        or_io(vm, result)?;
    }
    Ok(0)
}

/// Wakes who waits for a socket that is about to be closed.
fn pre_close(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let number = number(vm, &mut args)?;
    let result = vm.hollow_socket(number);
    or_io(vm, result)?;
    Ok(0)
}

fn close_number(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let result = vm.close_file(args.int());
    or_io(vm, result)?;
    Ok(0)
}

fn duplicate(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let from = number(vm, &mut args)?;
    let to = number(vm, &mut args)?;
    let result = vm.duplicate_file_onto(from, to);
    or_io(vm, result)?;
    Ok(0)
}

/// Direct I/O is refused, as by a file system that has none.
fn no_direct(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Err(vm.throw("java/lang/UnsupportedOperationException", "Error setting up DirectIO"))
}

/// `IOStatus.UNSUPPORTED`: the Java side copies through a buffer.
fn unsupported(_: &mut Vm, _: Args<'_>) -> Res<u64> {
    const UNSUPPORTED: i64 = -4;
    Ok(UNSUPPORTED.cast_unsigned())
}

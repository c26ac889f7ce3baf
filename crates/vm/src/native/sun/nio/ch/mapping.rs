//! `FileChannel.map`; see `files::mappings`.

use crate::files::mappings::{Access, PAGE};
use crate::frame::Res;
use crate::native::java::io::{descriptor_number, or_io};
use crate::native::{Args, NativeRow, nothing, one};
use crate::value::Ref;
use crate::vm::Vm;

const CHANNEL: &str = "sun/nio/ch/FileChannelImpl";
const UNIX_DISPATCHER: &str = "sun/nio/ch/UnixFileDispatcherImpl";
const MAPPED: &str = "java/nio/MappedMemoryUtils";

pub(crate) const NATIVES: &[NativeRow] = &[
    (CHANNEL, "initIDs", "()J", page_size),
    (CHANNEL, "maxDirectTransferSize0", "()I", most_bytes),
    (CHANNEL, "transferTo0", "", unsupported),
    (CHANNEL, "map0", "(IJJZ)J", map_channel),
    (CHANNEL, "unmap0", "(JJ)I", unmap),
    (UNIX_DISPATCHER, "allocationGranularity0", "()J", page_size),
    (UNIX_DISPATCHER, "map0", "(Ljava/io/FileDescriptor;IJJZ)J", map_descriptor),
    (UNIX_DISPATCHER, "unmap0", "(JJ)I", unmap),
    (MAPPED, "isLoaded0", "(JJJ)Z", one),
    (MAPPED, "load0", "(JJ)V", nothing),
    (MAPPED, "unload0", "(JJ)V", nothing),
    (MAPPED, "force0", "(Ljava/io/FileDescriptor;JJ)V", force),
];

fn page_size(_: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(PAGE)
}

fn most_bytes(_: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(i32::MAX as u64)
}

/// `IOStatus.UNSUPPORTED`: the Java side copies through a buffer.
fn unsupported(_: &mut Vm, _: Args<'_>) -> Res<u64> {
    const UNSUPPORTED: i64 = -4;
    Ok(UNSUPPORTED.cast_unsigned())
}

fn map_channel(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let channel = args.reference();
    let descriptor = vm.get_field_ref(channel, "fd", "Ljava/io/FileDescriptor;");
    map(vm, descriptor, args)
}

fn map_descriptor(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let descriptor = args.reference();
    map(vm, descriptor, args)
}

fn map(vm: &mut Vm, descriptor: Ref, mut args: Args<'_>) -> Res<u64> {
    let access = match args.int() {
        0 => Access::Read,
        1 => Access::Write,
        _ => Access::Private,
    };
    let position = args.long();
    let length = args.long();
    let number = descriptor_number(vm, descriptor)?;
    let (Ok(position), Ok(size)) = (u64::try_from(position), usize::try_from(length)) else {
        return Err(vm.throw("java/io/IOException", "Invalid argument"));
    };
    let result = vm.map_file(number, position, size, access);
    match or_io(vm, result)? {
        Some(address) => Ok(address),
        None => Err(vm.throw("java/lang/OutOfMemoryError", "Map failed")),
    }
}

fn unmap(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let (address, size) = (args.long().cast_unsigned(), args.long().cast_unsigned());
    let result = vm.unmap_file(address, size);
    or_io(vm, result)?;
    Ok(0)
}

fn force(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let _descriptor = args.reference();
    let address = args.long().cast_unsigned();
    let result = vm.force_mapping(address);
    or_io(vm, result)?;
    Ok(0)
}

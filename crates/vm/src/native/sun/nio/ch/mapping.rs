//! `FileChannel.map`: a mapped file is raw memory with a copy of the file. Read-only and private
//! mappings need no more; what a program writes to a shared one goes back with `force` and when
//! it is unmapped.

use crate::files::Mapping;
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

const PAGE: u64 = 4096;

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
    const READ_WRITE: i32 = 1;
    let protection = args.int();
    let position = args.long();
    let length = args.long();
    let number = descriptor_number(vm, descriptor)?;
    let (Ok(position), Ok(size)) = (u64::try_from(position), usize::try_from(length)) else {
        return Err(vm.throw("java/io/IOException", "Invalid argument"));
    };
    let Some(block) = vm.heap.raw_allocate(size as u64 + PAGE) else {
        return Err(vm.throw("java/lang/OutOfMemoryError", "Map failed"));
    };
    // The Java side rounds addresses down to pages.
    let address = block.next_multiple_of(PAGE);
    let mut content = vec![0; size];
    let mut filled = 0;
    while filled < size {
        let result = vm.read_file_at(number, position + filled as u64, &mut content[filled..]);
        match or_io(vm, result)? {
            0 => break,
            n => filled += n,
        }
    }
    if !vm.heap.raw_store(address, &content) {
        unreachable!("internal: a new block has room for what it was made for");
    }
    let mut written_to = None;
    if protection == READ_WRITE {
        // A descriptor of its own: the channel may be closed before the mapping ends.
        let result = vm.duplicate_file(number);
        written_to = Some(or_io(vm, result)?);
    }
    vm.add_mapping(Mapping { block, address, size, written_to, position });
    Ok(address)
}

fn unmap(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let address = args.long().cast_unsigned();
    if let Some(mapping) = vm.take_mapping(address) {
        let result = vm.write_mapping(mapping);
        or_io(vm, result)?;
        if let Some(number) = mapping.written_to {
            let result = vm.close_file(number);
            or_io(vm, result)?;
        }
        vm.heap.raw_free(mapping.block);
    }
    Ok(0)
}

fn force(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let _descriptor = args.reference();
    let address = args.long().cast_unsigned();
    if let Some(mapping) = vm.mapping_at(address) {
        let result = vm.write_mapping(mapping);
        or_io(vm, result)?;
    }
    Ok(0)
}

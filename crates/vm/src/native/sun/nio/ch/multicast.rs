//! `sun.nio.ch.Net`: groups of receivers, the interface that packets to groups leave by, and urgent
//! data. Groups are options of a socket; their bytes are laid out as the system has them.

use crate::frame::Res;
use crate::host::{Failure, errno};
use crate::native::sun::nio::ch::sockets::{UNAVAILABLE, as_int, open_socket, or_socket};
use crate::native::{Args, NativeRow, byte_range};
use crate::value::Ref;
use crate::vm::Vm;

const NET: &str = "sun/nio/ch/Net";

pub(crate) const NATIVES: &[NativeRow] = &[
    (NET, "joinOrDrop4", "(ZLjava/io/FileDescriptor;III)I", join_or_drop_v4),
    (NET, "blockOrUnblock4", "(ZLjava/io/FileDescriptor;III)I", block_or_unblock_v4),
    (NET, "joinOrDrop6", "(ZLjava/io/FileDescriptor;[BI[B)I", join_or_drop_v6),
    (NET, "blockOrUnblock6", "(ZLjava/io/FileDescriptor;[BI[B)I", block_or_unblock_v6),
    (NET, "setInterface4", "(Ljava/io/FileDescriptor;I)V", set_interface_v4),
    (NET, "getInterface4", "(Ljava/io/FileDescriptor;)I", interface_v4),
    (NET, "setInterface6", "(Ljava/io/FileDescriptor;I)V", set_interface_v6),
    (NET, "getInterface6", "(Ljava/io/FileDescriptor;)I", interface_v6),
    (NET, "sendOOB", "(Ljava/io/FileDescriptor;B)I", send_urgent),
];

/// Level of options of version 4.
const IP: i32 = 0;
/// Level of options of version 6.
const IPV6: i32 = 41;
const INTERFACE_V4: i32 = 32;
const INTERFACE_V6: i32 = 17;

/// Sets an option; a system that does not have it is told by a status.
fn set_group(vm: &mut Vm, descriptor: Ref, level: i32, name: i32, value: &[u8]) -> Res<u64> {
    const NO_SUCH_OPTION: i32 = 92;
    let socket = open_socket(vm, descriptor)?;
    let result =
        vm.host.network().and_then(|network| network.set_option(socket.handle, level, name, value));
    if let Err(Failure::Os(NO_SUCH_OPTION | errno::ENOTSUP)) = result {
        return Ok(as_int(UNAVAILABLE));
    }
    or_socket(vm, result)?;
    Ok(0)
}

/// The arguments of the natives for version 4: the descriptor, and group, interface and source as the
/// system orders them.
fn arguments_v4(args: &mut Args<'_>) -> (Ref, [i32; 3]) {
    (args.reference(), [args.int(), args.int(), args.int()])
}

fn join_or_drop_v4(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let joins = args.boolean();
    let (descriptor, parts) = arguments_v4(&mut args);
    let bytes = parts.map(i32::to_be_bytes).concat();
    match (parts[2], joins) {
        (0, true) => set_group(vm, descriptor, IP, 35, &bytes[..8]),
        (0, false) => set_group(vm, descriptor, IP, 36, &bytes[..8]),
        (_, true) => set_group(vm, descriptor, IP, 39, &bytes),
        (_, false) => set_group(vm, descriptor, IP, 40, &bytes),
    }
}

fn block_or_unblock_v4(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let blocks = args.boolean();
    let (descriptor, parts) = arguments_v4(&mut args);
    let bytes = parts.map(i32::to_be_bytes).concat();
    set_group(vm, descriptor, IP, if blocks { 38 } else { 37 }, &bytes)
}

/// `group_source_req`: an interface, and group and source as addresses in wide rooms.
fn group_and_source(group: &[u8], index: i32, source: &[u8]) -> Vec<u8> {
    const FAMILY: u16 = 10;
    const ROOM: usize = 128;
    let mut bytes = index.to_ne_bytes().to_vec();
    bytes.extend([0; 4]);
    for ip in [group, source] {
        let end = bytes.len() + ROOM;
        bytes.extend(FAMILY.to_ne_bytes());
        bytes.extend([0; 6]);
        bytes.extend(ip);
        bytes.resize(end, 0);
    }
    bytes
}

fn join_or_drop_v6(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let joins = args.boolean();
    let descriptor = args.reference();
    let group = args.reference();
    let mut group = byte_range(vm, group, 0, 16)?.to_vec();
    let index = args.int();
    match args.reference().some() {
        None => {
            group.extend(index.to_ne_bytes());
            set_group(vm, descriptor, IPV6, if joins { 20 } else { 21 }, &group)
        }
        Some(source) => {
            let source = byte_range(vm, source, 0, 16)?;
            let bytes = group_and_source(&group, index, source);
            set_group(vm, descriptor, IPV6, if joins { 46 } else { 47 }, &bytes)
        }
    }
}

fn block_or_unblock_v6(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let blocks = args.boolean();
    let descriptor = args.reference();
    let group = args.reference();
    let group = byte_range(vm, group, 0, 16)?.to_vec();
    let index = args.int();
    let source = args.reference();
    let source = byte_range(vm, source, 0, 16)?;
    let bytes = group_and_source(&group, index, source);
    set_group(vm, descriptor, IPV6, if blocks { 43 } else { 44 }, &bytes)
}

/// Sets an option of four bytes or throws.
fn set_interface(vm: &mut Vm, descriptor: Ref, level: i32, name: i32, value: [u8; 4]) -> Res<u64> {
    let socket = open_socket(vm, descriptor)?;
    let result = vm
        .host
        .network()
        .and_then(|network| network.set_option(socket.handle, level, name, &value));
    or_socket(vm, result)?;
    Ok(0)
}

fn interface(vm: &mut Vm, descriptor: Ref, level: i32, name: i32) -> Res<[u8; 4]> {
    let socket = open_socket(vm, descriptor)?;
    let result =
        vm.host.network().and_then(|network| network.option(socket.handle, level, name, 4));
    Ok(or_socket(vm, result)?.try_into().unwrap_or_default())
}

fn set_interface_v4(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let descriptor = args.reference();
    set_interface(vm, descriptor, IP, INTERFACE_V4, args.int().to_be_bytes())
}

fn interface_v4(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let bytes = interface(vm, args.reference(), IP, INTERFACE_V4)?;
    Ok(u64::from(u32::from_be_bytes(bytes)))
}

fn set_interface_v6(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let descriptor = args.reference();
    set_interface(vm, descriptor, IPV6, INTERFACE_V6, args.int().to_ne_bytes())
}

fn interface_v6(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let bytes = interface(vm, args.reference(), IPV6, INTERFACE_V6)?;
    Ok(u64::from(u32::from_ne_bytes(bytes)))
}

/// How many bytes were sent: one.
fn send_urgent(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let socket = open_socket(vm, args.reference())?;
    let [byte, ..] = args.int().to_le_bytes();
    let result = vm.host.network().and_then(|network| network.send_urgent(socket.handle, byte));
    or_socket(vm, result)?;
    Ok(1)
}

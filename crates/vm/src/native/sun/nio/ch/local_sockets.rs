//! `sun.nio.ch.UnixDomainSockets`: sockets that are paths in the file system. Binding makes a file and
//! connecting uses one, so both ask for the right to write there.

use crate::frame::Res;
use crate::host::network::{Address, Family, Transport};
use crate::native::sun::nio::ch::sockets::{accept_from, connect_to, open_socket, or_socket};
use crate::native::{Args, NativeRow, byte_range, io_failure, one};
use crate::value::Ref;
use crate::vm::Vm;

const SOCKETS: &str = "sun/nio/ch/UnixDomainSockets";

pub(crate) const NATIVES: &[NativeRow] = &[
    (SOCKETS, "init", "()Z", one),
    (SOCKETS, "socket0", "()I", socket),
    (SOCKETS, "bind0", "(Ljava/io/FileDescriptor;[B)V", bind),
    (SOCKETS, "connect0", "(Ljava/io/FileDescriptor;[B)I", connect),
    (
        SOCKETS,
        "accept0",
        "(Ljava/io/FileDescriptor;Ljava/io/FileDescriptor;[Ljava/lang/Object;)I",
        accept,
    ),
    (SOCKETS, "localAddress0", "(Ljava/io/FileDescriptor;)[B", local_address),
];

/// The system keeps so many bytes, and a zero byte behind them.
const LONGEST_PATH: usize = 107;

fn socket(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let result = vm.open_socket(Family::Local, Transport::Stream);
    Ok(u64::from(or_socket(vm, result)?.cast_unsigned()))
}

/// The path in an array of bytes, where the program may write.
fn path_argument(vm: &mut Vm, path: Ref) -> Res<Address> {
    if path.is_null() {
        return Ok(Address::Local(Vec::new()));
    }
    let n = vm.heap.array_length(path);
    let path = byte_range(vm, path, 0, i32::try_from(n).unwrap_or(0))?.to_vec();
    if path.len() > LONGEST_PATH {
        return Err(vm.throw("java/net/SocketException", "Unix domain path too long"));
    }
    let result = vm.host.may_write(&path);
    result.map_err(|failure| io_failure(vm, failure))?;
    Ok(Address::Local(path))
}

fn bind(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let socket = open_socket(vm, args.reference())?;
    let address = path_argument(vm, args.reference())?;
    let result = vm.host.network().and_then(|network| network.bind(socket.handle, &address));
    or_socket(vm, result)?;
    Ok(0)
}

fn connect(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let descriptor = args.reference();
    let address = path_argument(vm, args.reference())?;
    connect_to(vm, descriptor, &address)
}

fn path_bytes(vm: &mut Vm, address: Address) -> Res<Ref> {
    match address {
        Address::Local(path) => vm.new_byte_array(&path),
        Address::Internet(_) => vm.new_byte_array(&[]),
    }
}

fn accept(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let descriptor = args.reference();
    accept_from(vm, descriptor, &mut args, &mut path_bytes)
}

fn local_address(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let socket = open_socket(vm, args.reference())?;
    let result = vm.host.network().and_then(|network| network.local_address(socket.handle));
    let address = or_socket(vm, result)?;
    Ok(path_bytes(vm, address)?.to_slot())
}

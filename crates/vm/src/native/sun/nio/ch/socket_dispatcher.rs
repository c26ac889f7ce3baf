//! Reading and writing sockets and pipes: `SocketDispatcher`, `DatagramDispatcher`,
//! `DatagramChannelImpl`.

use crate::files::sockets::Socket;
use crate::frame::Res;
use crate::host::network::bits;
use crate::host::{Failure, errno};
use crate::native::sun::nio::ch::file_dispatcher::{length_argument, load, store, vector};
use crate::native::sun::nio::ch::sockets::{
    INTERRUPTED, SYSTEM_ADDRESS_SIZE, UNAVAILABLE, as_int, load_address, or_socket, socket_failure,
    socket_of, store_address,
};
use crate::native::{Args, NativeRow};
use crate::value::Ref;
use crate::vm::Vm;

const SOCKET: &str = "sun/nio/ch/SocketDispatcher";
const DATAGRAM: &str = "sun/nio/ch/DatagramDispatcher";
const CHANNEL: &str = "sun/nio/ch/DatagramChannelImpl";

pub(crate) const NATIVES: &[NativeRow] = &[
    (SOCKET, "read0", "(Ljava/io/FileDescriptor;JI)I", read),
    (SOCKET, "readv0", "(Ljava/io/FileDescriptor;JI)J", read_vector),
    (SOCKET, "write0", "(Ljava/io/FileDescriptor;JI)I", write),
    (SOCKET, "writev0", "(Ljava/io/FileDescriptor;JI)J", write_vector),
    (DATAGRAM, "read0", "(Ljava/io/FileDescriptor;JI)I", read_packet),
    (DATAGRAM, "readv0", "(Ljava/io/FileDescriptor;JI)J", read_packet_vector),
    (DATAGRAM, "write0", "(Ljava/io/FileDescriptor;JI)I", write),
    (DATAGRAM, "writev0", "(Ljava/io/FileDescriptor;JI)J", write_vector),
    (CHANNEL, "receive0", "(Ljava/io/FileDescriptor;JIJZ)I", receive),
    (CHANNEL, "send0", "(Ljava/io/FileDescriptor;JIJI)I", send),
    (CHANNEL, "disconnect0", "(Ljava/io/FileDescriptor;Z)V", disconnect),
];

const END: u64 = u64::MAX;

/// What was done, or why not; a trap where it could not even be tried.
type Attempt = Res<Result<u64, Failure>>;

/// Does something with a socket once it is ready for it; `EAGAIN` counts as not ready.
fn when_ready(
    vm: &mut Vm,
    descriptor: Ref,
    asked: i16,
    act: &mut dyn FnMut(&mut Vm, Socket) -> Attempt,
) -> Res<u64> {
    vm.wait_outside(None, INTERRUPTED, &mut |vm| {
        let Some(socket) = socket_of(vm, descriptor)? else { return Ok(Some(INTERRUPTED)) };
        let ready = vm.socket_ready(socket, asked);
        let result = match or_socket(vm, ready)? {
            0 => Err(Failure::Os(errno::EAGAIN)),
            _ => act(vm, socket)?,
        };
        match result {
            Ok(word) => Ok(Some(word)),
            Err(Failure::Os(errno::EAGAIN)) if socket.blocking => Ok(None),
            Err(Failure::Os(errno::EAGAIN)) => Ok(Some(UNAVAILABLE)),
            Err(Failure::Os(errno::ECONNRESET)) if asked == bits::IN => {
                Err(vm.throw("sun/net/ConnectionResetException", "Connection reset"))
            }
            Err(Failure::Os(errno::ECONNREFUSED)) if asked == bits::IN => {
                Err(vm.throw_plain("java/net/PortUnreachableException"))
            }
            Err(Failure::Os(number @ (errno::EPIPE | errno::ECONNRESET))) => {
                Err(vm.throw("java/io/IOException", &errno::text(number)))
            }
            Err(failure) => Err(socket_failure(vm, failure)),
        }
    })
}

/// Reads into pieces of raw memory; `end` where there is nothing more to come.
fn read_pieces(vm: &mut Vm, descriptor: Ref, pieces: &[(i64, usize)], end: u64) -> Res<u64> {
    let size = pieces.iter().map(|&(_, length)| length).sum();
    when_ready(vm, descriptor, bits::IN, &mut |vm, socket| {
        let mut buffer = vec![0; size];
        let n = match vm.host.read(socket.handle, None, &mut buffer) {
            Ok(0) if size > 0 => return Ok(Ok(end)),
            Ok(n) => n,
            Err(failure) => return Ok(Err(failure)),
        };
        let mut rest = &buffer[..n];
        for &(address, length) in pieces {
            let (piece, behind) = rest.split_at(rest.len().min(length));
            store(vm, address, piece)?;
            rest = behind;
        }
        Ok(Ok(n as u64))
    })
}

fn write_pieces(vm: &mut Vm, descriptor: Ref, pieces: &[(i64, usize)]) -> Res<u64> {
    let mut bytes = Vec::new();
    for &(address, length) in pieces {
        bytes.extend(load(vm, address, length)?);
    }
    when_ready(vm, descriptor, bits::OUT, &mut |vm, socket| {
        Ok(vm.host.write(socket.handle, None, &bytes).map(|n| n as u64))
    })
}

pub(super) fn read(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let descriptor = args.reference();
    let piece = (args.long(), length_argument(&mut args));
    read_pieces(vm, descriptor, &[piece], END).map(as_int)
}

pub(super) fn read_vector(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let descriptor = args.reference();
    let pieces = vector(vm, &mut args)?;
    read_pieces(vm, descriptor, &pieces, END)
}

pub(super) fn write(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let descriptor = args.reference();
    let piece = (args.long(), length_argument(&mut args));
    write_pieces(vm, descriptor, &[piece]).map(as_int)
}

pub(super) fn write_vector(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let descriptor = args.reference();
    let pieces = vector(vm, &mut args)?;
    write_pieces(vm, descriptor, &pieces)
}

/// A packet may be empty.
fn read_packet(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let descriptor = args.reference();
    let piece = (args.long(), length_argument(&mut args));
    read_pieces(vm, descriptor, &[piece], 0).map(as_int)
}

fn read_packet_vector(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let descriptor = args.reference();
    let pieces = vector(vm, &mut args)?;
    read_pieces(vm, descriptor, &pieces, 0)
}

/// Stores the sender's address as a `sockaddr`.
fn receive(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let descriptor = args.reference();
    let address = args.long();
    let length = length_argument(&mut args);
    let sender = args.long();
    when_ready(vm, descriptor, bits::IN, &mut |vm, socket| {
        let mut buffer = vec![0; length];
        match vm.host.network().and_then(|network| network.receive(socket.handle, &mut buffer)) {
            Ok((n, from)) => {
                store(vm, address, &buffer[..n])?;
                store(vm, sender, &store_address(&from))?;
                Ok(Ok(n as u64))
            }
            Err(failure) => Ok(Err(failure)),
        }
    })
    .map(as_int)
}

fn send(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let descriptor = args.reference();
    let address = args.long();
    let length = length_argument(&mut args);
    let target = args.long();
    let bytes = load(vm, address, length)?;
    let Some(to) = load_address(&load(vm, target, SYSTEM_ADDRESS_SIZE)?) else {
        return Err(vm.throw("java/net/SocketException", "Protocol family unavailable"));
    };
    when_ready(vm, descriptor, bits::OUT, &mut |vm, socket| {
        let result = vm.host.network().and_then(|network| network.send(socket.handle, &bytes, &to));
        Ok(result.map(|n| n as u64))
    })
    .map(as_int)
}

fn disconnect(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let Some(socket) = socket_of(vm, args.reference())? else { return Ok(0) };
    let result = vm.host.network().and_then(|network| network.disconnect(socket.handle));
    or_socket(vm, result)?;
    Ok(0)
}

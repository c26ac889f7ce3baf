//! `jdk.net.LinuxSocketOptions`: options of sockets that Linux alone has, by descriptor.

use crate::files::sockets::Socket;
use crate::frame::Res;
use crate::host::{Failure, errno};
use crate::native::sun::nio::ch::sockets::{or_socket, socket_failure};
use crate::native::{Args, NativeRow, one};
use crate::vm::Vm;

const OPTIONS: &str = "jdk/net/LinuxSocketOptions";

pub(crate) const NATIVES: &[NativeRow] = &[
    (OPTIONS, "keepAliveOptionsSupported0", "()Z", one),
    (OPTIONS, "quickAckSupported0", "()Z", one),
    (OPTIONS, "incomingNapiIdSupported0", "()Z", one),
    (OPTIONS, "setTcpKeepAliveTime0", "(II)V", |vm, args| set(vm, args, KEEP_IDLE)),
    (OPTIONS, "getTcpKeepAliveTime0", "(I)I", |vm, args| get(vm, args, KEEP_IDLE)),
    (OPTIONS, "setTcpKeepAliveIntvl0", "(II)V", |vm, args| set(vm, args, KEEP_INTERVAL)),
    (OPTIONS, "getTcpKeepAliveIntvl0", "(I)I", |vm, args| get(vm, args, KEEP_INTERVAL)),
    (OPTIONS, "setTcpKeepAliveProbes0", "(II)V", |vm, args| set(vm, args, KEEP_COUNT)),
    (OPTIONS, "getTcpKeepAliveProbes0", "(I)I", |vm, args| get(vm, args, KEEP_COUNT)),
    (OPTIONS, "setQuickAck0", "(IZ)V", |vm, args| set(vm, args, QUICK_ACK)),
    (OPTIONS, "getQuickAck0", "(I)Z", |vm, args| get(vm, args, QUICK_ACK)),
    (OPTIONS, "getIncomingNapiId0", "(I)I", |vm, args| get(vm, args, INCOMING_NAPI_ID)),
    (OPTIONS, "getSoPeerCred0", "(I)J", peer_credentials),
    (OPTIONS, "setIpDontFragment0", "(IZZ)V", set_whole_packets),
    (OPTIONS, "getIpDontFragment0", "(IZ)Z", whole_packets),
];

/// Level and name of an option.
type Name = (i32, i32);

const KEEP_IDLE: Name = (6, 4);
const KEEP_INTERVAL: Name = (6, 5);
const KEEP_COUNT: Name = (6, 6);
const QUICK_ACK: Name = (6, 12);
const INCOMING_NAPI_ID: Name = (1, 56);
const PEER_CREDENTIALS: Name = (1, 17);
const MTU_DISCOVER: Name = (0, 10);
const MTU_DISCOVER_V6: Name = (41, 23);

fn socket(vm: &mut Vm, args: &mut Args<'_>) -> Res<Socket> {
    let result = vm.files.table.socket(args.int());
    match or_socket(vm, result)? {
        Some(socket) => Ok(socket),
        None => Err(socket_failure(vm, Failure::Os(errno::EBADF))),
    }
}

fn store(vm: &mut Vm, socket: Socket, (level, name): Name, value: i32) -> Res<u64> {
    let value = value.to_ne_bytes();
    let result = vm
        .host
        .network()
        .and_then(|network| network.set_option(socket.handle, level, name, &value));
    or_socket(vm, result)?;
    Ok(0)
}

fn load(vm: &mut Vm, socket: Socket, (level, name): Name, size: usize) -> Res<Vec<i32>> {
    let result =
        vm.host.network().and_then(|network| network.option(socket.handle, level, name, size));
    let bytes = or_socket(vm, result)?;
    let (words, _) = bytes.as_chunks::<4>();
    Ok(words.iter().map(|word| i32::from_ne_bytes(*word)).collect())
}

fn set(vm: &mut Vm, mut args: Args<'_>, name: Name) -> Res<u64> {
    let socket = socket(vm, &mut args)?;
    store(vm, socket, name, args.int())
}

fn get(vm: &mut Vm, mut args: Args<'_>, name: Name) -> Res<u64> {
    let socket = socket(vm, &mut args)?;
    let words = load(vm, socket, name, 4)?;
    Ok(words.first().map_or(0, |word| u64::from(word.cast_unsigned())))
}

/// User in the upper half, group in the lower one.
fn peer_credentials(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let socket = socket(vm, &mut args)?;
    match load(vm, socket, PEER_CREDENTIALS, 12)?[..] {
        [_, -1, _] => Err(vm.throw("java/net/SocketException", "Please connect the socket first")),
        [_, user, group] => {
            Ok(u64::from(user.cast_unsigned()) << 32 | u64::from(group.cast_unsigned()))
        }
        _ => Ok(u64::MAX),
    }
}

fn set_whole_packets(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let socket = socket(vm, &mut args)?;
    let value = if args.boolean() { 2 } else { 0 };
    if args.boolean() {
        store(vm, socket, MTU_DISCOVER_V6, value)?;
    }
    store(vm, socket, MTU_DISCOVER, value)
}

fn whole_packets(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let socket = socket(vm, &mut args)?;
    let words = load(vm, socket, MTU_DISCOVER, 4)?;
    Ok(u64::from(words.first() == Some(&2)))
}

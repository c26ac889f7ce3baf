//! `sun.nio.ch.Net`: making, binding, connecting and asking sockets.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6};

use crate::files::sockets::Socket;
use crate::frame::{Res, Trap};
use crate::host::network::{Address, Family, Transport, bits};
use crate::host::{Failure, errno};
use crate::native::java::io::{descriptor_number, set_descriptor_number};
use crate::native::java::net::{address_of, new_address, new_socket_address, scope_of};
use crate::native::{Args, NativeRow, denied, zero};
use crate::value::Ref;
use crate::vm::Vm;

const NET: &str = "sun/nio/ch/Net";
const ASYNCHRONOUS: &str = "sun/nio/ch/UnixAsynchronousSocketChannelImpl";

pub(crate) const NATIVES: &[NativeRow] = &[
    (NET, "socket0", "(ZZZZ)I", socket),
    (NET, "bind0", "(Ljava/io/FileDescriptor;ZZLjava/net/InetAddress;I)V", bind),
    (NET, "listen", "(Ljava/io/FileDescriptor;I)V", listen),
    (NET, "connect0", "(ZLjava/io/FileDescriptor;Ljava/net/InetAddress;I)I", connect),
    (NET, "accept", "", accept),
    (NET, "shutdown", "(Ljava/io/FileDescriptor;I)V", shut_down),
    (NET, "localPort", "(Ljava/io/FileDescriptor;)I", local_port),
    (NET, "localInetAddress", "", local_address),
    (NET, "remotePort", "(Ljava/io/FileDescriptor;)I", remote_port),
    (NET, "remoteInetAddress", "", remote_address),
    (NET, "getIntOption0", "(Ljava/io/FileDescriptor;ZII)I", option),
    (NET, "setIntOption0", "(Ljava/io/FileDescriptor;ZIIIZ)V", set_option),
    (NET, "poll", "(Ljava/io/FileDescriptor;IJ)I", poll),
    (NET, "pollConnect", "(Ljava/io/FileDescriptor;J)Z", poll_connect),
    (NET, "available", "(Ljava/io/FileDescriptor;)I", available),
    (ASYNCHRONOUS, "checkConnect", "(I)V", check_connect),
    (NET, "discardOOB", "(Ljava/io/FileDescriptor;)Z", zero),
];

/// `IOStatus`: nothing to read or no room to write.
pub(super) const UNAVAILABLE: u64 = (-2i64).cast_unsigned();
/// `IOStatus`: look again whether the socket is still open.
pub(super) const INTERRUPTED: u64 = (-3i64).cast_unsigned();

const SOCKET_LEVEL: i32 = 1;
const ERROR_OPTION: i32 = 4;
const LINGER_OPTION: i32 = 13;

/// A count or `IOStatus` as the word of an `int`.
pub(super) fn as_int(word: u64) -> u64 {
    word & u64::from(u32::MAX)
}

/// The exception for something that the network refused.
pub(super) fn socket_failure(vm: &mut Vm, failure: Failure) -> Trap {
    let number = match failure {
        Failure::Os(number) => number,
        Failure::Denied(denial) => return denied(vm, denial),
    };
    let class = match number {
        errno::EPROTO => "java/net/ProtocolException",
        errno::ECONNREFUSED | errno::ETIMEDOUT | errno::ENOTCONN => "java/net/ConnectException",
        errno::EHOSTUNREACH => "java/net/NoRouteToHostException",
        errno::EADDRINUSE | errno::EADDRNOTAVAIL | errno::EACCES => "java/net/BindException",
        _ => "java/net/SocketException",
    };
    vm.throw(class, &errno::text(number))
}

pub(super) fn or_socket<T>(vm: &mut Vm, result: Result<T, Failure>) -> Res<T> {
    result.map_err(|failure| socket_failure(vm, failure))
}

/// The socket behind a `FileDescriptor`; `None` while another thread closes it.
pub(super) fn socket_of(vm: &mut Vm, descriptor: Ref) -> Res<Option<Socket>> {
    let number = descriptor_number(vm, descriptor)?;
    let result = vm.files.table.socket(number);
    or_socket(vm, result)
}

/// As `socket_of`, for questions that an open socket alone can answer.
pub(super) fn open_socket(vm: &mut Vm, descriptor: Ref) -> Res<Socket> {
    match socket_of(vm, descriptor)? {
        Some(socket) => Ok(socket),
        None => Err(socket_failure(vm, Failure::Os(errno::EBADF))),
    }
}

fn socket(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let prefers_ipv6 = args.boolean();
    let is_stream = args.boolean();
    let reuses_address = args.boolean();
    let family = if prefers_ipv6 { Family::Ipv6 } else { Family::Ipv4 };
    let transport = if is_stream { Transport::Stream } else { Transport::Datagram };
    let result = vm.open_socket(family, transport);
    let number = or_socket(vm, result)?;
    let result = vm.files.table.socket(number);
    let Some(socket) = or_socket(vm, result)? else { return Ok(number_word(number)) };
    if reuses_address {
        const REUSE_ADDRESS: i32 = 2;
        set(vm, socket, (SOCKET_LEVEL, REUSE_ADDRESS), 1)?;
    }
    if transport == Transport::Datagram {
        // Packets of groups that another socket joined are not for this one.
        const MULTICAST_ALL: (i32, i32) = (0, 49);
        const MULTICAST_HOPS: (i32, i32) = (41, 18);
        set(vm, socket, MULTICAST_ALL, 0)?;
        if prefers_ipv6 {
            set(vm, socket, MULTICAST_HOPS, 1)?;
        }
    }
    Ok(number_word(number))
}

fn number_word(number: i32) -> u64 {
    u64::from(number.cast_unsigned())
}

/// Sets an option that is a number.
fn set(vm: &mut Vm, socket: Socket, (level, name): (i32, i32), value: i32) -> Res<()> {
    let value = value.to_ne_bytes();
    let result = vm
        .host
        .network()
        .and_then(|network| network.set_option(socket.handle, level, name, &value));
    or_socket(vm, result)
}

/// Address and port, the next two arguments; a socket of version 6 takes mapped addresses.
fn address_argument(vm: &mut Vm, args: &mut Args<'_>, prefers_ipv6: bool) -> Res<Address> {
    let address = args.reference();
    let port = u16::try_from(args.int()).unwrap_or(0);
    let (ip, scope) = address_of(vm, address)?;
    let ip = match ip {
        IpAddr::V4(ip) if !prefers_ipv6 => return Ok(Address::Internet((ip, port).into())),
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Ipv6Addr::UNSPECIFIED,
        IpAddr::V4(ip) => ip.to_ipv6_mapped(),
        IpAddr::V6(ip) => ip,
    };
    Ok(Address::Internet(SocketAddr::V6(SocketAddrV6::new(ip, port, 0, scope))))
}

fn bind(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let socket = open_socket(vm, args.reference())?;
    let prefers_ipv6 = args.boolean();
    args.boolean();
    let address = address_argument(vm, &mut args, prefers_ipv6)?;
    let result = vm.host.network().and_then(|network| network.bind(socket.handle, &address));
    or_socket(vm, result)?;
    Ok(0)
}

fn listen(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let socket = open_socket(vm, args.reference())?;
    let backlog = args.int();
    let result = vm.host.network().and_then(|network| network.listen(socket.handle, backlog));
    or_socket(vm, result)?;
    Ok(0)
}

fn connect(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let prefers_ipv6 = args.boolean();
    let descriptor = args.reference();
    let address = address_argument(vm, &mut args, prefers_ipv6)?;
    connect_to(vm, descriptor, &address)
}

/// 1 where it is connected.
pub(super) fn connect_to(vm: &mut Vm, descriptor: Ref, address: &Address) -> Res<u64> {
    vm.wait_outside(None, INTERRUPTED, &mut |vm| {
        let Some(socket) = socket_of(vm, descriptor)? else { return Ok(Some(INTERRUPTED)) };
        // A connection that is made or refused shows in being writable.
        let result = vm.host.network().and_then(|network| network.connect(socket.handle, address));
        match or_socket(vm, result)? {
            true => Ok(Some(1)),
            false if socket.blocking => Ok(None),
            false => Ok(Some(UNAVAILABLE)),
        }
    })
    .map(as_int)
}

/// Fills in the new descriptor and an array with the address of the other side.
fn accept(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    // What is loaded first need not be loaded after the connection was taken.
    for ip in [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)] {
        new_socket_address(vm, SocketAddr::new(ip, 0))?;
    }
    let descriptor = args.reference();
    accept_from(vm, descriptor, &mut args, &mut |vm, from| match from {
        Address::Internet(from) => new_socket_address(vm, from),
        Address::Local(_) => Ok(Ref::NULL),
    })
}

/// Takes the next connection; `describe` makes the object for the address of the other side, which
/// must not need Java code.
pub(super) fn accept_from(
    vm: &mut Vm,
    descriptor: Ref,
    args: &mut Args<'_>,
    describe: &mut dyn FnMut(&mut Vm, Address) -> Res<Ref>,
) -> Res<u64> {
    let new_descriptor = args.reference();
    let addresses = args.reference();
    vm.wait_outside(None, INTERRUPTED, &mut |vm| {
        let Some(socket) = socket_of(vm, descriptor)? else { return Ok(Some(INTERRUPTED)) };
        match vm.host.network().and_then(|network| network.accept(socket.handle)) {
            Ok((handle, from)) => {
                let number = vm.adopt_socket(handle);
                set_descriptor_number(vm, new_descriptor, number);
                let address = describe(vm, from)?;
                if !addresses.is_null() && vm.heap.array_length(addresses) > 0 {
                    vm.heap.set_element_ref(addresses, 0, address);
                }
                Ok(Some(1))
            }
            Err(Failure::Os(errno::EAGAIN)) if socket.blocking => Ok(None),
            Err(Failure::Os(errno::EAGAIN)) => Ok(Some(UNAVAILABLE)),
            Err(failure) => Err(socket_failure(vm, failure)),
        }
    })
    .map(as_int)
}

fn shut_down(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let Some(socket) = socket_of(vm, args.reference())? else { return Ok(0) };
    let how = args.int();
    match vm.host.network().and_then(|network| network.shut_down(socket.handle, how)) {
        Ok(()) | Err(Failure::Os(errno::ENOTCONN)) => Ok(0),
        Err(failure) => Err(socket_failure(vm, failure)),
    }
}

/// Where a socket is bound or connected; one of the file system has no such address.
fn internet(vm: &mut Vm, result: Result<Address, Failure>) -> Res<SocketAddr> {
    match or_socket(vm, result)? {
        Address::Internet(address) => Ok(address),
        Address::Local(_) => Err(socket_failure(vm, Failure::Os(errno::EAFNOSUPPORT))),
    }
}

fn local(vm: &mut Vm, mut args: Args<'_>) -> Res<SocketAddr> {
    let socket = open_socket(vm, args.reference())?;
    let result = vm.host.network().and_then(|network| network.local_address(socket.handle));
    internet(vm, result)
}

fn remote(vm: &mut Vm, mut args: Args<'_>) -> Res<SocketAddr> {
    let socket = open_socket(vm, args.reference())?;
    let result = vm.host.network().and_then(|network| network.peer_address(socket.handle));
    internet(vm, result)
}

fn local_port(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    Ok(u64::from(local(vm, args)?.port()))
}

fn local_address(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    let address = local(vm, args)?;
    Ok(new_address(vm, address.ip(), scope_of(&address), Ref::NULL)?.to_slot())
}

fn remote_port(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    Ok(u64::from(remote(vm, args)?.port()))
}

fn remote_address(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    let address = remote(vm, args)?;
    Ok(new_address(vm, address.ip(), scope_of(&address), Ref::NULL)?.to_slot())
}

fn int_of(bytes: &[u8]) -> i32 {
    match bytes {
        [byte] => i32::from(*byte),
        _ => bytes.first_chunk().map_or(0, |bytes| i32::from_ne_bytes(*bytes)),
    }
}

/// Options that are one byte: time to live and loopback of multicasts.
fn is_byte(level: i32, name: i32) -> bool {
    level == 0 && matches!(name, 33 | 34)
}

/// Sizes of buffers, which the system doubles for its own needs.
fn is_buffer_size(level: i32, name: i32) -> bool {
    level == SOCKET_LEVEL && matches!(name, 7 | 8)
}

fn option(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let socket = open_socket(vm, args.reference())?;
    let is_converted = args.boolean();
    let level = args.int();
    let name = args.int();
    let size = match (level, name) {
        (SOCKET_LEVEL, LINGER_OPTION) => 8,
        _ if is_byte(level, name) => 1,
        _ => 4,
    };
    let result =
        vm.host.network().and_then(|network| network.option(socket.handle, level, name, size));
    let bytes = or_socket(vm, result)?;
    let value = match (level, name) {
        (SOCKET_LEVEL, LINGER_OPTION) if int_of(&bytes) == 0 => -1,
        (SOCKET_LEVEL, LINGER_OPTION) => int_of(bytes.get(4..).unwrap_or(&[])),
        _ if is_converted && is_buffer_size(level, name) => int_of(&bytes) / 2,
        _ => int_of(&bytes),
    };
    Ok(u64::from(value.cast_unsigned()))
}

fn set_option(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let socket = open_socket(vm, args.reference())?;
    args.boolean();
    let level = args.int();
    let name = args.int();
    let value = args.int();
    const TRAFFIC_CLASS: (i32, i32) = (41, 67);
    if (level, name) == TRAFFIC_CLASS {
        // What goes out by mapped addresses has the class of version 4.
        const TYPE_OF_SERVICE: (i32, i32) = (0, 1);
        set(vm, socket, TYPE_OF_SERVICE, value)?;
    }
    let bytes = match (level, name) {
        (SOCKET_LEVEL, LINGER_OPTION) => {
            [i32::from(value >= 0).to_ne_bytes(), value.max(0).to_ne_bytes()].concat()
        }
        _ if is_byte(level, name) => vec![u8::try_from(value).unwrap_or(u8::MAX)],
        _ => value.to_ne_bytes().to_vec(),
    };
    let result = vm
        .host
        .network()
        .and_then(|network| network.set_option(socket.handle, level, name, &bytes));
    or_socket(vm, result)?;
    Ok(0)
}

/// Nanoseconds of a timeout in milliseconds; negative waits for ever.
pub(super) fn patience(millis: i64) -> Option<i64> {
    (millis >= 0).then(|| millis.saturating_mul(1_000_000))
}

fn poll(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let descriptor = args.reference();
    let asked = i16::try_from(args.int()).unwrap_or(0);
    let millis = args.long();
    vm.wait_outside(patience(millis), 0, &mut |vm| {
        let Some(socket) = socket_of(vm, descriptor)? else { return Ok(Some(0)) };
        let result = vm.socket_ready(socket, asked);
        let ready = or_socket(vm, result)?;
        Ok((ready != 0).then_some(u64::from(ready.cast_unsigned())))
    })
}

fn poll_connect(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let descriptor = args.reference();
    let millis = args.long();
    vm.wait_outside(patience(millis), 0, &mut |vm| {
        let Some(socket) = socket_of(vm, descriptor)? else { return Ok(Some(0)) };
        let result = vm.socket_ready(socket, bits::OUT);
        if or_socket(vm, result)? == 0 {
            return Ok(None);
        }
        connected(vm, socket)?;
        Ok(Some(1))
    })
}

/// Throws what kept a socket that is ready now from being connected.
fn connected(vm: &mut Vm, socket: Socket) -> Res<()> {
    let result = vm
        .host
        .network()
        .and_then(|network| network.option(socket.handle, SOCKET_LEVEL, ERROR_OPTION, 4));
    match int_of(&or_socket(vm, result)?) {
        0 => Ok(()),
        number => Err(socket_failure(vm, Failure::Os(number))),
    }
}

fn check_connect(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let result = vm.files.table.socket(args.int());
    match or_socket(vm, result)? {
        Some(socket) => connected(vm, socket)?,
        None => return Err(socket_failure(vm, Failure::Os(errno::EBADF))),
    }
    Ok(0)
}

fn available(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let socket = open_socket(vm, args.reference())?;
    let result = vm.host.available(socket.handle);
    Ok(or_socket(vm, result)?.min(i32::MAX as u64))
}

const INET: u16 = 2;
const INET6: u16 = 10;
/// Bytes of a `sockaddr` for version 6, the larger one.
pub(super) const SYSTEM_ADDRESS_SIZE: usize = 28;

/// Reads a `sockaddr` in raw memory; `None` where it is not one of the Internet.
pub(super) fn load_address(bytes: &[u8]) -> Option<Address> {
    let family = u16::from_ne_bytes([*bytes.first()?, *bytes.get(1)?]);
    let port = u16::from_be_bytes([*bytes.get(2)?, *bytes.get(3)?]);
    match family {
        INET => {
            let ip: [u8; 4] = bytes.get(4..8)?.try_into().ok()?;
            Some(Address::Internet(SocketAddr::from((ip, port))))
        }
        INET6 => {
            let ip: [u8; 16] = bytes.get(8..24)?.try_into().ok()?;
            let scope = u32::from_ne_bytes(bytes.get(24..28)?.try_into().ok()?);
            let address = SocketAddrV6::new(Ipv6Addr::from(ip), port, 0, scope);
            Some(Address::Internet(SocketAddr::V6(address)))
        }
        _ => None,
    }
}

/// The bytes of a `sockaddr`.
pub(super) fn store_address(address: &Address) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(SYSTEM_ADDRESS_SIZE);
    match address {
        Address::Internet(SocketAddr::V4(address)) => {
            bytes.extend(INET.to_ne_bytes());
            bytes.extend(address.port().to_be_bytes());
            bytes.extend(address.ip().octets());
            bytes.extend([0; 8]);
        }
        Address::Internet(SocketAddr::V6(address)) => {
            bytes.extend(INET6.to_ne_bytes());
            bytes.extend(address.port().to_be_bytes());
            bytes.extend(address.flowinfo().to_ne_bytes());
            bytes.extend(address.ip().octets());
            bytes.extend(address.scope_id().to_ne_bytes());
        }
        Address::Local(_) => {}
    }
    bytes
}

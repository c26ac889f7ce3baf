//! Natives of `java.net`: addresses and names. The loopback address is known without the network.

pub(crate) mod interfaces;

use std::net::{Ipv4Addr, SocketAddrV4};

use crate::frame::Res;
use crate::host::network::{Network, Transport, bits};
use crate::host::{Failure, Handle, Right, errno};
use crate::native::sun::nio::ch::net::{refusal, refuse};
use crate::native::{Args, NativeRow, nothing, one, zero};
use crate::value::Ref;
use crate::vm::Vm;

const INET4_IMPL: &str = "java/net/Inet4AddressImpl";
const INET6_IMPL: &str = "java/net/Inet6AddressImpl";

pub(crate) const NATIVES: &[NativeRow] = &[
    ("java/net/InetAddress", "init", "()V", nothing),
    ("java/net/InetAddress", "isIPv4Available", "()Z", one),
    ("java/net/InetAddress", "isIPv6Supported", "()Z", zero),
    ("java/net/InetAddressImplFactory", "isIPv6Supported", "()Z", zero),
    ("java/net/Inet4Address", "init", "()V", nothing),
    ("java/net/Inet6Address", "init", "()V", nothing),
    (INET4_IMPL, "getLocalHostName", "()Ljava/lang/String;", local_host_name),
    (INET6_IMPL, "getLocalHostName", "()Ljava/lang/String;", local_host_name),
    (INET4_IMPL, "lookupAllHostAddr", "", look_up),
    (INET6_IMPL, "lookupAllHostAddr", "", look_up),
    (INET4_IMPL, "getHostByAddr", "([B)Ljava/lang/String;", host_by_address),
    (INET6_IMPL, "getHostByAddr", "([B)Ljava/lang/String;", host_by_address),
    (INET4_IMPL, "isReachable0", "([BI[BI)Z", is_reachable),
    (INET6_IMPL, "isReachable0", "", refuse),
    ("java/net/AbstractPlainSocketImpl", "isReusePortAvailable0", "()Z", one),
    ("java/net/AbstractPlainDatagramSocketImpl", "isReusePortAvailable0", "()Z", one),
    ("java/net/DatagramPacket", "init", "()V", nothing),
    ("java/net/PlainSocketImpl", "initProto", "()V", nothing),
    ("java/net/PlainSocketImpl", "socketCreate", "(ZZ)V", refuse),
    ("java/net/PlainDatagramSocketImpl", "init", "()V", nothing),
    ("java/net/PlainDatagramSocketImpl", "datagramSocketCreate", "()V", refuse),
    ("java/net/SocketInputStream", "init", "()V", nothing),
    ("java/net/SocketOutputStream", "init", "()V", nothing),
    ("sun/net/spi/DefaultProxySelector", "init", "()Z", zero),
    ("sun/net/spi/DefaultProxySelector", "getSystemProxies", "", zero),
];

const LOCAL_HOST: &str = "localhost";
const HOLDER: &str = "java/net/InetAddress$InetAddressHolder";
const HOLDER_TYPE: &str = "Ljava/net/InetAddress$InetAddressHolder;";
const IPV4: i32 = 1;

/// The name of the real computer is for those who may use its network.
fn local_host_name(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let name = vm.host.network().and_then(|network| network.own_name());
    let name = name.unwrap_or_else(|_| LOCAL_HOST.to_owned());
    Ok(vm.new_string(&name)?.to_slot())
}

/// `InetAddress[]`; the local host is known without the network.
fn look_up(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    let name = args.reference();
    if name.is_null() {
        return Err(vm.throw("java/lang/NullPointerException", "host argument is null"));
    }
    let text = vm.string_text(name);
    let found = match vm.host.network().and_then(|network| network.look_up(&text)) {
        Ok(found) => found,
        Err(_) if text == LOCAL_HOST => vec![Ipv4Addr::LOCALHOST],
        Err(_) => return Err(refusal(vm)),
    };
    if found.is_empty() {
        let message = format!("{text}: Name or service not known");
        return Err(vm.throw("java/net/UnknownHostException", &message));
    }
    let mut addresses = Vec::new();
    for ip in found {
        addresses.push(new_address(vm, ip, name)?);
    }
    let class = vm.boot_class("java/net/InetAddress")?;
    Ok(vm.new_ref_array(class, &addresses)?.to_slot())
}

/// An `Inet4Address` as its constructor leaves it; the name may be null.
pub(crate) fn new_address(vm: &mut Vm, ip: Ipv4Addr, name: Ref) -> Res<Ref> {
    let class = vm.boot_class("java/net/Inet4Address")?;
    vm.ensure_initialised(class)?;
    let holder_class = vm.boot_class(HOLDER)?;
    let address = vm.new_object(class)?;
    let holder = vm.new_object(holder_class)?;
    vm.set_field_ref(holder, "hostName", "Ljava/lang/String;", name);
    vm.set_field_ref(holder, "originalHostName", "Ljava/lang/String;", name);
    vm.set_field_int(holder, "address", ip.to_bits().cast_signed());
    vm.set_field_int(holder, "family", IPV4);
    vm.set_field_ref(address, "holder", HOLDER_TYPE, holder);
    Ok(address)
}

/// The number in an `InetAddress`; `None` for one of version 6.
pub(crate) fn address_of(vm: &mut Vm, address: Ref) -> Res<Option<Ipv4Addr>> {
    if address.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    let holder = vm.get_field_ref(address, "holder", HOLDER_TYPE);
    let is_ipv4 = vm.get_field_int(holder, "family") == IPV4;
    let number = vm.get_field_int(holder, "address").cast_unsigned();
    Ok(is_ipv4.then(|| Ipv4Addr::from_bits(number)))
}

/// An `InetSocketAddress` as its constructor leaves it.
pub(crate) fn new_socket_address(vm: &mut Vm, address: SocketAddrV4) -> Res<Ref> {
    let class = vm.boot_class("java/net/InetSocketAddress")?;
    vm.ensure_initialised(class)?;
    let holder_class = vm.boot_class("java/net/InetSocketAddress$InetSocketAddressHolder")?;
    let ip = new_address(vm, *address.ip(), Ref::NULL)?;
    let result = vm.new_object(class)?;
    let holder = vm.new_object(holder_class)?;
    vm.set_field_ref(holder, "addr", "Ljava/net/InetAddress;", ip);
    vm.set_field_int(holder, "port", i32::from(address.port()));
    let holder_type = "Ljava/net/InetSocketAddress$InetSocketAddressHolder;";
    vm.set_field_ref(result, "holder", holder_type, holder);
    Ok(result)
}

/// Whether a host answers at all, asked by a connection to its echo service: one that is refused is an
/// answer too. Stays in the network that long; the other threads wait.
fn is_reachable(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    const ECHO_PORT: u16 = 7;
    args.reference();
    let address = args.reference();
    let millis = args.int();
    let bytes = crate::native::byte_range(vm, address, 0, 4)?;
    let octets: [u8; 4] = bytes.try_into().unwrap_or_default();
    let address = SocketAddrV4::new(Ipv4Addr::from(octets), ECHO_PORT);
    let result = vm.host.network().and_then(|network| {
        let socket = network.socket(Transport::Stream)?;
        let answer = answers(network, socket, address, millis);
        Ok((socket, answer))
    });
    let Ok((socket, answer)) = result else { return Err(refusal(vm)) };
    let _ = vm.host.close(socket);
    Ok(u64::from(answer))
}

/// Whether a connection is made or refused in time.
fn answers(network: &mut dyn Network, socket: Handle, to: SocketAddrV4, millis: i32) -> bool {
    const SOCKET_LEVEL: i32 = 1;
    const ERROR_OPTION: i32 = 4;
    let refused = errno::ECONNREFUSED.to_ne_bytes();
    match network.connect(socket, to) {
        Ok(true) | Err(Failure::Os(errno::ECONNREFUSED)) => true,
        Err(_) => false,
        Ok(false) => {
            let ready = network.ready(&[(socket, bits::OUT)], millis);
            ready.is_ok_and(|ready| ready.first().is_some_and(|&bits| bits != 0))
                && network
                    .option(socket, SOCKET_LEVEL, ERROR_OPTION, 4)
                    .is_ok_and(|error| error == [0; 4] || error == refused)
        }
    }
}

fn host_by_address(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    let address = args.reference();
    let bytes = crate::native::byte_range(vm, address, 0, 4)?;
    if bytes == Ipv4Addr::LOCALHOST.octets() {
        return Ok(vm.new_string(LOCAL_HOST)?.to_slot());
    }
    match vm.host.ask(Right::Network) {
        Ok(()) => Err(vm.throw_plain("java/net/UnknownHostException")),
        Err(_) => Err(refusal(vm)),
    }
}

//! Natives of `java.net`: addresses and names. The loopback address is known without the network.

pub(crate) mod interfaces;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6};

use crate::frame::Res;
use crate::host::network::{Address, Family, Network, Transport, bits};
use crate::host::{Failure, Handle, errno};
use crate::native::sun::nio::ch::net::{has_ipv6, refusal, refuse};
use crate::native::{Args, NativeRow, byte_range, nothing, one, zero};
use crate::value::Ref;
use crate::vm::Vm;

const INET4_IMPL: &str = "java/net/Inet4AddressImpl";
const INET6_IMPL: &str = "java/net/Inet6AddressImpl";

pub(crate) const NATIVES: &[NativeRow] = &[
    ("java/net/InetAddress", "init", "()V", nothing),
    ("java/net/InetAddress", "isIPv4Available", "()Z", one),
    ("java/net/InetAddress", "isIPv6Supported", "()Z", has_ipv6),
    ("java/net/InetAddressImplFactory", "isIPv6Supported", "()Z", has_ipv6),
    ("java/net/Inet4Address", "init", "()V", nothing),
    ("java/net/Inet6Address", "init", "()V", nothing),
    (INET4_IMPL, "getLocalHostName", "()Ljava/lang/String;", local_host_name),
    (INET6_IMPL, "getLocalHostName", "()Ljava/lang/String;", local_host_name),
    (INET4_IMPL, "lookupAllHostAddr", "", look_up_v4),
    (INET6_IMPL, "lookupAllHostAddr", "(Ljava/lang/String;)[Ljava/net/InetAddress;", look_up_all),
    (INET6_IMPL, "lookupAllHostAddr", "(Ljava/lang/String;I)[Ljava/net/InetAddress;", look_up_some),
    (INET4_IMPL, "getHostByAddr", "([B)Ljava/lang/String;", host_by_address),
    (INET6_IMPL, "getHostByAddr", "([B)Ljava/lang/String;", host_by_address),
    (INET4_IMPL, "isReachable0", "([BI[BI)Z", is_reachable),
    (INET6_IMPL, "isReachable0", "([BII[BII)Z", is_reachable_v6),
    ("java/net/AbstractPlainSocketImpl", "isReusePortAvailable0", "()Z", one),
    ("java/net/AbstractPlainDatagramSocketImpl", "isReusePortAvailable0", "()Z", one),
    ("java/net/DatagramPacket", "init", "()V", nothing),
    ("java/net/PlainSocketImpl", "initProto", "()V", nothing),
    ("java/net/PlainSocketImpl", "socketCreate", "(ZZ)V", refuse),
    ("java/net/PlainDatagramSocketImpl", "init", "()V", nothing),
    ("java/net/PlainDatagramSocketImpl", "datagramSocketCreate", "()V", refuse),
    ("java/net/SocketInputStream", "init", "()V", nothing),
    ("java/net/SocketOutputStream", "init", "()V", nothing),
    ("sun/net/dns/ResolverConfigurationImpl", "fallbackDomain0", "()Ljava/lang/String;", zero),
    ("sun/net/dns/ResolverConfigurationImpl", "localDomain0", "()Ljava/lang/String;", zero),
    ("sun/net/spi/DefaultProxySelector", "init", "()Z", zero),
    ("sun/net/spi/DefaultProxySelector", "getSystemProxies", "", zero),
];

const LOCAL_HOST: &str = "localhost";
const HOLDER: &str = "java/net/InetAddress$InetAddressHolder";
const HOLDER_TYPE: &str = "Ljava/net/InetAddress$InetAddressHolder;";
const HOLDER6: &str = "java/net/Inet6Address$Inet6AddressHolder";
const HOLDER6_TYPE: &str = "Ljava/net/Inet6Address$Inet6AddressHolder;";
const IPV4: i32 = 1;
const IPV6: i32 = 2;

/// The name of the real computer is for those who may use its network.
fn local_host_name(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let name = vm.host.network().and_then(|network| network.own_name());
    let name = name.unwrap_or_else(|_| LOCAL_HOST.to_owned());
    Ok(vm.new_string(&name)?.to_slot())
}

/// Which addresses of a name are wanted, as `LookupPolicy` has it.
mod wanted {
    pub(super) const IPV4: i32 = 1;
    pub(super) const IPV6: i32 = 2;
    pub(super) const IPV4_FIRST: i32 = 4;
    pub(super) const IPV6_FIRST: i32 = 8;
}

fn look_up_v4(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    look_up(vm, args.reference(), wanted::IPV4)
}

/// The order is that of `java.net.preferIPv6Addresses`.
fn look_up_all(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    const PREFERS_IPV4: u32 = 0;
    const PREFERS_IPV6: u32 = 1;
    args.reference();
    let class = vm.boot_class("java/net/InetAddress")?;
    let (mirror, offset) = vm.static_slot(class, "preferIPv6Address", "I");
    let first = match vm.heap.load_u32(mirror, offset) {
        PREFERS_IPV4 => wanted::IPV4_FIRST,
        PREFERS_IPV6 => wanted::IPV6_FIRST,
        _ => 0,
    };
    look_up(vm, args.reference(), wanted::IPV4 | wanted::IPV6 | first)
}

fn look_up_some(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    let name = args.reference();
    look_up(vm, name, args.int())
}

/// `InetAddress[]`; the local host is known without the network.
fn look_up(vm: &mut Vm, name: Ref, wanted: i32) -> Res<u64> {
    if name.is_null() {
        return Err(vm.throw("java/lang/NullPointerException", "host argument is null"));
    }
    let text = vm.string_text(name);
    let mut found = match vm.host.network().and_then(|network| network.look_up(&text)) {
        Ok(found) => found,
        Err(_) if text == LOCAL_HOST => vec![IpAddr::V4(Ipv4Addr::LOCALHOST)],
        Err(_) => return Err(refusal(vm)),
    };
    found.retain(|ip| wanted & if ip.is_ipv4() { wanted::IPV4 } else { wanted::IPV6 } != 0);
    if wanted & wanted::IPV4_FIRST != 0 {
        found.sort_by_key(IpAddr::is_ipv6);
    } else if wanted & wanted::IPV6_FIRST != 0 {
        found.sort_by_key(IpAddr::is_ipv4);
    }
    if found.is_empty() {
        let message = format!("{text}: Name or service not known");
        return Err(vm.throw("java/net/UnknownHostException", &message));
    }
    let mut addresses = Vec::new();
    for ip in found {
        addresses.push(new_address(vm, ip, 0, name)?);
    }
    let class = vm.boot_class("java/net/InetAddress")?;
    Ok(vm.new_ref_array(class, &addresses)?.to_slot())
}

/// An `Inet4Address` or `Inet6Address` as its constructor leaves it; the name may be null. A mapped
/// address is one of version 4.
pub(crate) fn new_address(vm: &mut Vm, ip: IpAddr, scope: u32, name: Ref) -> Res<Ref> {
    let ip = ip.to_canonical();
    let class = match ip {
        IpAddr::V4(_) => "java/net/Inet4Address",
        IpAddr::V6(_) => "java/net/Inet6Address",
    };
    let class = vm.boot_class(class)?;
    vm.ensure_initialised(class)?;
    let holder_class = vm.boot_class(HOLDER)?;
    let address = vm.new_object(class)?;
    let holder = vm.new_object(holder_class)?;
    vm.set_field_ref(holder, "hostName", "Ljava/lang/String;", name);
    vm.set_field_ref(holder, "originalHostName", "Ljava/lang/String;", name);
    vm.set_field_ref(address, "holder", HOLDER_TYPE, holder);
    match ip {
        IpAddr::V4(ip) => {
            vm.set_field_int(holder, "address", ip.to_bits().cast_signed());
            vm.set_field_int(holder, "family", IPV4);
        }
        IpAddr::V6(ip) => {
            vm.set_field_int(holder, "family", IPV6);
            let holder_class = vm.boot_class(HOLDER6)?;
            let holder = vm.new_object(holder_class)?;
            let octets = vm.new_byte_array(&ip.octets())?;
            vm.set_field_ref(holder, "ipaddress", "[B", octets);
            vm.set_field_int(holder, "scope_id", scope.cast_signed());
            let is_set = vm.field_offset(holder_class, "scope_id_set", "Z");
            vm.heap.store_u8(holder, is_set, u8::from(scope != 0));
            vm.set_field_ref(address, "holder6", HOLDER6_TYPE, holder);
        }
    }
    Ok(address)
}

/// The number in an `InetAddress`, and its scope.
pub(crate) fn address_of(vm: &mut Vm, address: Ref) -> Res<(IpAddr, u32)> {
    if address.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    let holder = vm.get_field_ref(address, "holder", HOLDER_TYPE);
    if vm.get_field_int(holder, "family") != IPV6 {
        let number = vm.get_field_int(holder, "address").cast_unsigned();
        return Ok((IpAddr::V4(Ipv4Addr::from_bits(number)), 0));
    }
    let holder = vm.get_field_ref(address, "holder6", HOLDER6_TYPE);
    let octets = vm.get_field_ref(holder, "ipaddress", "[B");
    let octets: [u8; 16] = byte_range(vm, octets, 0, 16)?.try_into().unwrap_or_default();
    let scope = vm.get_field_int(holder, "scope_id").cast_unsigned();
    Ok((IpAddr::V6(Ipv6Addr::from(octets)), scope))
}

/// The scope of an address, where it has one.
pub(crate) fn scope_of(address: &SocketAddr) -> u32 {
    match address {
        SocketAddr::V4(_) => 0,
        SocketAddr::V6(address) => address.scope_id(),
    }
}

/// An `InetSocketAddress` as its constructor leaves it.
pub(crate) fn new_socket_address(vm: &mut Vm, address: SocketAddr) -> Res<Ref> {
    let class = vm.boot_class("java/net/InetSocketAddress")?;
    vm.ensure_initialised(class)?;
    let holder_class = vm.boot_class("java/net/InetSocketAddress$InetSocketAddressHolder")?;
    let ip = new_address(vm, address.ip(), scope_of(&address), Ref::NULL)?;
    let result = vm.new_object(class)?;
    let holder = vm.new_object(holder_class)?;
    vm.set_field_ref(holder, "addr", "Ljava/net/InetAddress;", ip);
    vm.set_field_int(holder, "port", i32::from(address.port()));
    let holder_type = "Ljava/net/InetSocketAddress$InetSocketAddressHolder;";
    vm.set_field_ref(result, "holder", holder_type, holder);
    Ok(result)
}

/// The address in an array of 4 or 16 bytes.
fn ip_in(vm: &mut Vm, octets: Ref) -> Res<IpAddr> {
    if vm.heap.array_length(octets) == 16 {
        let octets: [u8; 16] = byte_range(vm, octets, 0, 16)?.try_into().unwrap_or_default();
        return Ok(IpAddr::V6(Ipv6Addr::from(octets)));
    }
    let octets: [u8; 4] = byte_range(vm, octets, 0, 4)?.try_into().unwrap_or_default();
    Ok(IpAddr::V4(Ipv4Addr::from(octets)))
}

fn is_reachable(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    let ip = ip_in(vm, args.reference())?;
    let millis = args.int();
    is_answering(vm, SocketAddr::new(ip, ECHO_PORT), millis)
}

fn is_reachable_v6(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    let ip = ip_in(vm, args.reference())?;
    let scope = args.int().cast_unsigned();
    let millis = args.int();
    let address = match ip {
        IpAddr::V4(_) => SocketAddr::new(ip, ECHO_PORT),
        IpAddr::V6(ip) => SocketAddr::V6(SocketAddrV6::new(ip, ECHO_PORT, 0, scope)),
    };
    is_answering(vm, address, millis)
}

const ECHO_PORT: u16 = 7;

/// Whether a host answers at all, asked by a connection to its echo service: one that is refused is an
/// answer too. Stays in the network that long; the other threads wait.
fn is_answering(vm: &mut Vm, address: SocketAddr, millis: i32) -> Res<u64> {
    let family = if address.is_ipv4() { Family::Ipv4 } else { Family::Ipv6 };
    let address = Address::Internet(address);
    let result = vm.host.network().and_then(|network| {
        let socket = network.socket(family, Transport::Stream)?;
        let answer = answers(network, socket, &address, millis);
        Ok((socket, answer))
    });
    let Ok((socket, answer)) = result else { return Err(refusal(vm)) };
    let _ = vm.host.close(socket);
    Ok(u64::from(answer))
}

/// Whether a connection is made or refused in time.
fn answers(network: &mut dyn Network, socket: Handle, to: &Address, millis: i32) -> bool {
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
    let ip = ip_in(vm, args.reference())?;
    if ip == IpAddr::V4(Ipv4Addr::LOCALHOST) {
        return Ok(vm.new_string(LOCAL_HOST)?.to_slot());
    }
    match vm.host.network().and_then(|network| network.name_of(ip)) {
        Ok(Some(name)) => Ok(vm.new_string(&name)?.to_slot()),
        Ok(None) => Err(vm.throw_plain("java/net/UnknownHostException")),
        Err(_) => Err(refusal(vm)),
    }
}

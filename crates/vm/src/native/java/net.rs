//! Natives of `java.net`: the loopback address is known, everything else needs the network.

use crate::frame::Res;
use crate::host::Right;
use crate::native::sun::nio::ch::net::{refusal, refuse};
use crate::native::{Args, NativeRow, nothing, one, zero};
use crate::value::Ref;
use crate::vm::Vm;

const INET4_IMPL: &str = "java/net/Inet4AddressImpl";
const INET6_IMPL: &str = "java/net/Inet6AddressImpl";
const INTERFACE: &str = "java/net/NetworkInterface";

pub(crate) const NATIVES: &[NativeRow] = &[
    ("java/net/InetAddress", "init", "()V", nothing),
    ("java/net/InetAddress", "isIPv4Available", "()Z", one),
    ("java/net/InetAddress", "isIPv6Supported", "()Z", zero),
    ("java/net/InetAddressImplFactory", "isIPv6Supported", "()Z", zero),
    ("java/net/Inet4Address", "init", "()V", nothing),
    ("java/net/Inet6Address", "init", "()V", nothing),
    (INTERFACE, "init", "()V", nothing),
    (INTERFACE, "getAll", "()[Ljava/net/NetworkInterface;", refuse),
    (INTERFACE, "getByName0", "", refuse),
    (INTERFACE, "getByIndex0", "", refuse),
    (INTERFACE, "getByInetAddress0", "", refuse),
    (INTERFACE, "boundInetAddress0", "", refuse),
    (INET4_IMPL, "getLocalHostName", "()Ljava/lang/String;", local_host_name),
    (INET6_IMPL, "getLocalHostName", "()Ljava/lang/String;", local_host_name),
    (INET4_IMPL, "lookupAllHostAddr", "", look_up),
    (INET6_IMPL, "lookupAllHostAddr", "", look_up),
    (INET4_IMPL, "getHostByAddr", "([B)Ljava/lang/String;", host_by_address),
    (INET6_IMPL, "getHostByAddr", "([B)Ljava/lang/String;", host_by_address),
    (INET4_IMPL, "isReachable0", "", refuse),
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
const LOOPBACK: u32 = 0x7f00_0001;

fn local_host_name(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(vm.new_string(LOCAL_HOST)?.to_slot())
}

/// `InetAddress[]` with the loopback address for the local host.
fn look_up(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    let name = args.reference();
    if name.is_null() {
        return Err(vm.throw("java/lang/NullPointerException", "host argument is null"));
    }
    let text = vm.string_text(name);
    if text != LOCAL_HOST {
        if vm.host.ask(Right::Network).is_err() {
            return Err(refusal(vm));
        }
        let message = format!("{text}: this machine looks up no names");
        return Err(vm.throw("java/net/UnknownHostException", &message));
    }
    let address = loopback(vm, name)?;
    let class = vm.boot_class("java/net/InetAddress")?;
    Ok(vm.new_ref_array(class, &[address])?.to_slot())
}

/// An `Inet4Address` as its constructor leaves it.
fn loopback(vm: &mut Vm, name: Ref) -> Res<Ref> {
    const IPV4: i32 = 1;
    let class = vm.boot_class("java/net/Inet4Address")?;
    vm.ensure_initialised(class)?;
    let holder_class = vm.boot_class("java/net/InetAddress$InetAddressHolder")?;
    let address = vm.new_object(class)?;
    let holder = vm.new_object(holder_class)?;
    vm.set_field_ref(holder, "hostName", "Ljava/lang/String;", name);
    vm.set_field_ref(holder, "originalHostName", "Ljava/lang/String;", name);
    vm.set_field_int(holder, "address", LOOPBACK.cast_signed());
    vm.set_field_int(holder, "family", IPV4);
    vm.set_field_ref(address, "holder", "Ljava/net/InetAddress$InetAddressHolder;", holder);
    Ok(address)
}

fn host_by_address(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    let address = args.reference();
    let bytes = crate::native::byte_range(vm, address, 0, 4)?;
    if bytes == LOOPBACK.to_be_bytes() {
        return Ok(vm.new_string(LOCAL_HOST)?.to_slot());
    }
    Err(refusal(vm))
}

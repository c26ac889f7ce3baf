//! `java.net.NetworkInterface`: the interfaces of the host with their addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::{HOLDER6_TYPE, address_of, new_address};
use crate::frame::Res;
use crate::host::Failure;
use crate::host::network::Interface;
use crate::native::{Args, NativeRow, io_failure, nothing};
use crate::value::Ref;
use crate::vm::Vm;

const INTERFACE: &str = "java/net/NetworkInterface";

pub(crate) const NATIVES: &[NativeRow] = &[
    (INTERFACE, "init", "()V", nothing),
    (INTERFACE, "getAll", "()[Ljava/net/NetworkInterface;", all),
    (INTERFACE, "getByName0", "(Ljava/lang/String;)Ljava/net/NetworkInterface;", by_name),
    (INTERFACE, "getByIndex0", "(I)Ljava/net/NetworkInterface;", by_index),
    (INTERFACE, "getByInetAddress0", "", by_address),
    (INTERFACE, "boundInetAddress0", "(Ljava/net/InetAddress;)Z", is_bound),
    (INTERFACE, "isUp0", "(Ljava/lang/String;I)Z", |vm, args| flag(vm, args, UP | RUNNING)),
    (INTERFACE, "isLoopback0", "(Ljava/lang/String;I)Z", |vm, args| flag(vm, args, LOOPBACK)),
    (INTERFACE, "isP2P0", "(Ljava/lang/String;I)Z", |vm, args| flag(vm, args, POINT_TO_POINT)),
    (INTERFACE, "supportsMulticast0", "(Ljava/lang/String;I)Z", |vm, args| {
        flag(vm, args, MULTICAST)
    }),
    (INTERFACE, "getMTU0", "(Ljava/lang/String;I)I", mtu),
    (INTERFACE, "getMacAddr0", "([BLjava/lang/String;I)[B", hardware),
];

const UP: u32 = 0x1;
const LOOPBACK: u32 = 0x8;
const POINT_TO_POINT: u32 = 0x10;
const RUNNING: u32 = 0x40;
const MULTICAST: u32 = 0x1000;

/// Those of the real computer are for those who may use its network; others see the loopback alone.
fn interfaces(vm: &mut Vm) -> Res<Vec<Interface>> {
    match vm.host.network().and_then(|network| network.interfaces()) {
        Err(Failure::Denied(_)) => Ok(vec![Interface {
            name: "lo".to_owned(),
            index: 1,
            flags: UP | LOOPBACK | RUNNING,
            mtu: 65_536,
            addresses: vec![
                (IpAddr::V6(Ipv6Addr::LOCALHOST), 128),
                (IpAddr::V4(Ipv4Addr::LOCALHOST), 8),
            ],
            hardware: None,
        }]),
        result => result.map_err(|failure| io_failure(vm, failure)),
    }
}

/// A `NetworkInterface` as the JDK's own native leaves it.
fn new_interface(vm: &mut Vm, interface: &Interface) -> Res<Ref> {
    let class = vm.boot_class(INTERFACE)?;
    vm.ensure_initialised(class)?;
    let address_class = vm.boot_class("java/net/InetAddress")?;
    let binding_class = vm.boot_class("java/net/InterfaceAddress")?;
    let mut addresses = Vec::new();
    let mut bindings = Vec::new();
    let object = vm.new_object(class)?;
    for &(ip, n_bits) in &interface.addresses {
        let address = new_address(vm, ip, interface.index, Ref::NULL)?;
        let binding = vm.new_object(binding_class)?;
        vm.set_field_ref(binding, "address", "Ljava/net/InetAddress;", address);
        if ip.is_ipv6() {
            let holder = vm.get_field_ref(address, "holder6", HOLDER6_TYPE);
            vm.set_field_ref(holder, "scope_ifname", "Ljava/net/NetworkInterface;", object);
        }
        if let IpAddr::V4(ip) = ip
            && interface.flags & LOOPBACK == 0
        {
            let rest = u32::MAX.checked_shr(u32::from(n_bits)).unwrap_or(0);
            let broadcast = IpAddr::V4(Ipv4Addr::from_bits(ip.to_bits() | rest));
            let broadcast = new_address(vm, broadcast, 0, Ref::NULL)?;
            vm.set_field_ref(binding, "broadcast", "Ljava/net/Inet4Address;", broadcast);
        }
        let offset = vm.field_offset(binding_class, "maskLength", "S");
        vm.heap.store_u16(binding, offset, u16::from(n_bits));
        addresses.push(address);
        bindings.push(binding);
    }
    let name = vm.new_string(&interface.name)?;
    let addresses = vm.new_ref_array(address_class, &addresses)?;
    let bindings = vm.new_ref_array(binding_class, &bindings)?;
    let children = vm.new_ref_array(class, &[])?;
    vm.set_field_ref(object, "name", "Ljava/lang/String;", name);
    vm.set_field_ref(object, "displayName", "Ljava/lang/String;", name);
    vm.set_field_int(object, "index", i32::try_from(interface.index).unwrap_or(-1));
    vm.set_field_ref(object, "addrs", "[Ljava/net/InetAddress;", addresses);
    vm.set_field_ref(object, "bindings", "[Ljava/net/InterfaceAddress;", bindings);
    vm.set_field_ref(object, "childs", "[Ljava/net/NetworkInterface;", children);
    Ok(object)
}

fn all(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let mut objects = Vec::new();
    for interface in interfaces(vm)? {
        objects.push(new_interface(vm, &interface)?);
    }
    let class = vm.boot_class(INTERFACE)?;
    Ok(vm.new_ref_array(class, &objects)?.to_slot())
}

/// The first interface of which something holds, or null.
fn first(vm: &mut Vm, holds: &dyn Fn(&Interface) -> bool) -> Res<u64> {
    match interfaces(vm)?.iter().find(|interface| holds(interface)) {
        Some(interface) => Ok(new_interface(vm, interface)?.to_slot()),
        None => Ok(0),
    }
}

fn by_name(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let name = args.reference();
    let name = vm.string_text(name);
    first(vm, &|interface| interface.name == name)
}

fn by_index(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let index = args.int();
    first(vm, &|interface| i32::try_from(interface.index) == Ok(index))
}

fn by_address(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let (ip, _) = address_of(vm, args.reference())?;
    first(vm, &|interface| interface.addresses.iter().any(|&(own, _)| own == ip))
}

/// The loopback addresses are bound on every computer, known without the network.
fn is_bound(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let (ip, _) = address_of(vm, args.reference())?;
    let has = |interface: &Interface| interface.addresses.iter().any(|&(own, _)| own == ip);
    Ok(u64::from(ip.is_loopback() || interfaces(vm)?.iter().any(has)))
}

fn hardware(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    let name = args.reference();
    let name = vm.string_text(name);
    let found = interfaces(vm)?.into_iter().find(|interface| interface.name == name);
    match found.and_then(|interface| interface.hardware) {
        Some(bytes) => Ok(vm.new_byte_array(&bytes)?.to_slot()),
        None => Ok(0),
    }
}

/// Whether all these flags hold for the interface with a name.
fn flag(vm: &mut Vm, mut args: Args<'_>, flags: u32) -> Res<u64> {
    let name = args.reference();
    let name = vm.string_text(name);
    let found = interfaces(vm)?.into_iter().find(|interface| interface.name == name);
    Ok(u64::from(found.is_some_and(|interface| interface.flags & flags == flags)))
}

fn mtu(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let name = args.reference();
    let name = vm.string_text(name);
    let found = interfaces(vm)?.into_iter().find(|interface| interface.name == name);
    Ok(found.map_or(0, |interface| u64::from(interface.mtu)))
}

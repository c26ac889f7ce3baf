//! `java.net.NetworkInterface`: the interfaces of the host with their addresses of version 4.

use std::net::Ipv4Addr;

use super::{address_of, new_address};
use crate::frame::Res;
use crate::host::network::Interface;
use crate::native::{Args, NativeRow, io_failure, nothing, zero};
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
    // Addresses of the hardware are not told, as for interfaces that have none.
    (INTERFACE, "getMacAddr0", "([BLjava/lang/String;I)[B", zero),
];

const UP: u32 = 0x1;
const LOOPBACK: u32 = 0x8;
const POINT_TO_POINT: u32 = 0x10;
const RUNNING: u32 = 0x40;
const MULTICAST: u32 = 0x1000;

fn interfaces(vm: &mut Vm) -> Res<Vec<Interface>> {
    let result = vm.host.network().and_then(|network| network.interfaces());
    result.map_err(|failure| io_failure(vm, failure))
}

/// A `NetworkInterface` as the JDK's own native leaves it.
fn new_interface(vm: &mut Vm, interface: &Interface) -> Res<Ref> {
    let class = vm.boot_class(INTERFACE)?;
    vm.ensure_initialised(class)?;
    let address_class = vm.boot_class("java/net/InetAddress")?;
    let binding_class = vm.boot_class("java/net/InterfaceAddress")?;
    let mut addresses = Vec::new();
    let mut bindings = Vec::new();
    for &(ip, n_bits) in &interface.addresses {
        let address = new_address(vm, ip, Ref::NULL)?;
        let binding = vm.new_object(binding_class)?;
        vm.set_field_ref(binding, "address", "Ljava/net/InetAddress;", address);
        if interface.flags & LOOPBACK == 0 {
            let rest = u32::MAX.checked_shr(u32::from(n_bits)).unwrap_or(0);
            let broadcast = new_address(vm, Ipv4Addr::from_bits(ip.to_bits() | rest), Ref::NULL)?;
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
    let object = vm.new_object(class)?;
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
    let Some(ip) = address_of(vm, args.reference())? else { return Ok(0) };
    first(vm, &|interface| interface.addresses.iter().any(|&(own, _)| own == ip))
}

fn is_bound(vm: &mut Vm, args: Args<'_>) -> Res<u64> {
    Ok(u64::from(by_address(vm, args)? != 0))
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

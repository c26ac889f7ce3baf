//! The real network: sockets of the operating system that never wait.

use std::fs::File;
use std::io;
use std::mem::{size_of, size_of_val};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6, ToSocketAddrs};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use vm::host::network::{Address, Family, Interface, Network, Transport};
use vm::host::{Failure, Handle, HostResult, errno};

use crate::os_host::{OsHost, failure};

/// The error of the last system call.
fn last() -> Failure {
    failure(io::Error::last_os_error())
}

fn checked(result: libc::c_int) -> HostResult<libc::c_int> {
    if result < 0 { Err(last()) } else { Ok(result) }
}

/// Takes over a descriptor that a system call made.
fn adopt(descriptor: RawFd) -> File {
    // SAFETY: the descriptor is open and nobody else's.
    #[expect(unsafe_code, reason = "the standard library cannot make such sockets")]
    let owned = unsafe { OwnedFd::from_raw_fd(descriptor) };
    File::from(owned)
}

/// An address as system calls take it, with the part of it that counts.
#[derive(Clone, Copy)]
#[repr(C)]
union SystemAddress {
    family: libc::sa_family_t,
    v4: libc::sockaddr_in,
    v6: libc::sockaddr_in6,
    local: libc::sockaddr_un,
}

const V4: libc::sa_family_t = 2;
const V6: libc::sa_family_t = 10;
const LOCAL: libc::sa_family_t = 1;
/// Where the path begins in the address of a socket of the file system.
const PATH_OFFSET: usize = std::mem::offset_of!(libc::sockaddr_un, sun_path);

fn size(n_bytes: usize) -> libc::socklen_t {
    libc::socklen_t::try_from(n_bytes).unwrap_or(0)
}

fn no_path() -> libc::sockaddr_un {
    libc::sockaddr_un { sun_family: LOCAL, sun_path: [0; 108] }
}

fn to_system(address: &Address) -> HostResult<(SystemAddress, libc::socklen_t)> {
    match address {
        Address::Internet(SocketAddr::V4(address)) => {
            let v4 = libc::sockaddr_in {
                sin_family: V4,
                sin_port: address.port().to_be(),
                sin_addr: libc::in_addr { s_addr: u32::from_ne_bytes(address.ip().octets()) },
                sin_zero: [0; 8],
            };
            Ok((SystemAddress { v4 }, size(size_of_val(&v4))))
        }
        Address::Internet(SocketAddr::V6(address)) => {
            let v6 = libc::sockaddr_in6 {
                sin6_family: V6,
                sin6_port: address.port().to_be(),
                sin6_flowinfo: address.flowinfo(),
                sin6_addr: libc::in6_addr { s6_addr: address.ip().octets() },
                sin6_scope_id: address.scope_id(),
            };
            Ok((SystemAddress { v6 }, size(size_of_val(&v6))))
        }
        Address::Local(path) => {
            let mut local = no_path();
            // A zero byte must fit behind the path.
            if path.len() >= local.sun_path.len() {
                return Err(Failure::Os(errno::EINVAL));
            }
            for (to, &from) in local.sun_path.iter_mut().zip(path) {
                *to = from.cast_signed();
            }
            let n_bytes = if path.is_empty() { 0 } else { path.len() + 1 };
            Ok((SystemAddress { local }, size(PATH_OFFSET + n_bytes)))
        }
    }
}

#[expect(unsafe_code, reason = "the family tells which shape an address has")]
fn from_system(address: &SystemAddress, length: libc::socklen_t) -> Address {
    // SAFETY: all shapes begin with the family, and the bytes behind what the system wrote are zero.
    unsafe {
        match address.family {
            V6 => {
                let v6 = &address.v6;
                let (ip, port) = (Ipv6Addr::from(v6.sin6_addr.s6_addr), u16::from_be(v6.sin6_port));
                let address = SocketAddrV6::new(ip, port, v6.sin6_flowinfo, v6.sin6_scope_id);
                Address::Internet(SocketAddr::V6(address))
            }
            V4 => {
                let ip = Ipv4Addr::from(address.v4.sin_addr.s_addr.to_ne_bytes());
                Address::Internet(SocketAddr::from((ip, u16::from_be(address.v4.sin_port))))
            }
            _ => {
                let n_bytes = usize::try_from(length).unwrap_or(0).saturating_sub(PATH_OFFSET);
                let path = address.local.sun_path.iter().take(n_bytes).map(|b| b.cast_unsigned());
                Address::Local(path.take_while(|&byte| byte != 0).collect())
            }
        }
    }
}

/// Calls something that fills in an address.
fn with_address<T>(
    call: impl FnOnce(*mut libc::sockaddr, *mut libc::socklen_t) -> T,
) -> (T, Address) {
    let mut address = SystemAddress { local: no_path() };
    let mut length = size(size_of::<SystemAddress>());
    let result = call((&raw mut address).cast(), &raw mut length);
    (result, from_system(&address, length))
}

/// The address of an interface's hardware, as the system tells in a file.
fn hardware_of(name: &str) -> Option<[u8; 6]> {
    let text = std::fs::read_to_string(format!("/sys/class/net/{name}/address")).ok()?;
    let parts = text.trim().split(':').map(|part| u8::from_str_radix(part, 16));
    let bytes: Vec<u8> = parts.collect::<Result<_, _>>().ok()?;
    <[u8; 6]>::try_from(bytes).ok().filter(|bytes| *bytes != [0; 6])
}

/// The size of an interface's largest packet, as the system tells in a file; 0 where it does not.
fn mtu_of(name: &str) -> u32 {
    let text = std::fs::read_to_string(format!("/sys/class/net/{name}/mtu"));
    text.ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}

/// The number in an address of version 4.
#[expect(unsafe_code, reason = "lists of the system are pointers")]
unsafe fn ip_v4(address: *const SystemAddress) -> IpAddr {
    // SAFETY: the caller knows the shape; null is looked for here.
    let address = unsafe { address.cast::<libc::sockaddr_in>().as_ref() };
    let number = address.map_or(0, |address| address.sin_addr.s_addr);
    IpAddr::V4(Ipv4Addr::from(number.to_ne_bytes()))
}

/// The number in an address of version 6.
#[expect(unsafe_code, reason = "lists of the system are pointers")]
unsafe fn ip_v6(address: *const SystemAddress) -> IpAddr {
    // SAFETY: as above.
    let address = unsafe { address.cast::<libc::sockaddr_in6>().as_ref() };
    let octets = address.map_or([0; 16], |address| address.sin6_addr.s6_addr);
    IpAddr::V6(Ipv6Addr::from(octets))
}

/// How many bits of a mask are set.
fn bits_of(mask: &IpAddr) -> u8 {
    let n_bits = match mask {
        IpAddr::V4(mask) => mask.to_bits().count_ones(),
        IpAddr::V6(mask) => mask.to_bits().count_ones(),
    };
    u8::try_from(n_bits).unwrap_or(0)
}

impl OsHost {
    /// Whether an interface has an address of version 6 and the system makes sockets for it.
    pub(crate) fn knows_ipv6(&mut self) -> bool {
        let has_address =
            std::fs::read_to_string("/proc/net/if_inet6").is_ok_and(|t| !t.is_empty());
        let socket = self.socket(Family::Ipv6, Transport::Datagram);
        socket.is_ok_and(|socket| vm::host::Host::close(self, socket).is_ok()) && has_address
    }

    fn descriptor(&mut self, socket: Handle) -> HostResult<RawFd> {
        Ok(self.file(socket)?.as_raw_fd())
    }
}

#[expect(unsafe_code, reason = "the standard library's sockets always wait")]
impl Network for OsHost {
    fn socket(&mut self, family: Family, transport: Transport) -> HostResult<Handle> {
        let domain = match family {
            Family::Ipv4 => libc::AF_INET,
            Family::Ipv6 => libc::AF_INET6,
            Family::Local => libc::AF_UNIX,
        };
        let kind = match transport {
            Transport::Stream => libc::SOCK_STREAM,
            Transport::Datagram => libc::SOCK_DGRAM,
        };
        let flags = libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
        // SAFETY: takes numbers only.
        let socket = checked(unsafe { libc::socket(domain, kind | flags, 0) })?;
        let socket = self.add(adopt(socket));
        if family == Family::Ipv6 {
            let no = 0i32.to_ne_bytes();
            self.set_option(socket, libc::IPPROTO_IPV6, libc::IPV6_V6ONLY, &no)?;
        }
        Ok(socket)
    }

    fn pipe(&mut self) -> HostResult<(Handle, Handle)> {
        let mut ends = [0; 2];
        // SAFETY: room for both ends.
        checked(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_NONBLOCK | libc::O_CLOEXEC) })?;
        Ok((self.add(adopt(ends[0])), self.add(adopt(ends[1]))))
    }

    fn bind(&mut self, socket: Handle, address: &Address) -> HostResult<()> {
        let socket = self.descriptor(socket)?;
        let (address, length) = to_system(address)?;
        // SAFETY: an open descriptor and an address with its size.
        checked(unsafe { libc::bind(socket, (&raw const address).cast(), length) })?;
        Ok(())
    }

    fn listen(&mut self, socket: Handle, backlog: i32) -> HostResult<()> {
        let socket = self.descriptor(socket)?;
        // SAFETY: an open descriptor.
        checked(unsafe { libc::listen(socket, backlog) })?;
        Ok(())
    }

    fn connect(&mut self, socket: Handle, address: &Address) -> HostResult<bool> {
        let socket = self.descriptor(socket)?;
        let (address, length) = to_system(address)?;
        // SAFETY: an open descriptor and an address with its size.
        let result = unsafe { libc::connect(socket, (&raw const address).cast(), length) };
        if result == 0 {
            return Ok(true);
        }
        match io::Error::last_os_error().raw_os_error() {
            Some(libc::EISCONN) => Ok(true),
            Some(libc::EINPROGRESS | libc::EALREADY) => Ok(false),
            _ => Err(last()),
        }
    }

    fn disconnect(&mut self, socket: Handle) -> HostResult<()> {
        let socket = self.descriptor(socket)?;
        let mut address = SystemAddress { local: no_path() };
        address.family = 0;
        let length = size(size_of::<libc::sockaddr_in6>());
        // SAFETY: an open descriptor and an address with its size.
        checked(unsafe { libc::connect(socket, (&raw const address).cast(), length) })?;
        Ok(())
    }

    fn accept(&mut self, socket: Handle) -> HostResult<(Handle, Address)> {
        let socket = self.descriptor(socket)?;
        let flags = libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
        // SAFETY: an open descriptor, room for an address and its size.
        let (result, from) =
            with_address(|address, size| unsafe { libc::accept4(socket, address, size, flags) });
        let file = adopt(checked(result)?);
        Ok((self.add(file), from))
    }

    fn local_address(&mut self, socket: Handle) -> HostResult<Address> {
        let socket = self.descriptor(socket)?;
        // SAFETY: as in `accept`.
        let (result, address) =
            with_address(|address, size| unsafe { libc::getsockname(socket, address, size) });
        checked(result).map(|_| address)
    }

    fn peer_address(&mut self, socket: Handle) -> HostResult<Address> {
        let socket = self.descriptor(socket)?;
        // SAFETY: as in `accept`.
        let (result, address) =
            with_address(|address, size| unsafe { libc::getpeername(socket, address, size) });
        checked(result).map(|_| address)
    }

    fn receive(&mut self, socket: Handle, buffer: &mut [u8]) -> HostResult<(usize, Address)> {
        let socket = self.descriptor(socket)?;
        // SAFETY: as in `accept`, and the buffer has the length that is told.
        let (result, from) = with_address(|address, size| unsafe {
            libc::recvfrom(socket, buffer.as_mut_ptr().cast(), buffer.len(), 0, address, size)
        });
        usize::try_from(result).map(|n| (n, from)).map_err(|_| last())
    }

    fn send(&mut self, socket: Handle, bytes: &[u8], to: &Address) -> HostResult<usize> {
        let socket = self.descriptor(socket)?;
        let (to, length) = to_system(to)?;
        let address = (&raw const to).cast();
        // SAFETY: bytes and address with their sizes.
        let result =
            unsafe { libc::sendto(socket, bytes.as_ptr().cast(), bytes.len(), 0, address, length) };
        usize::try_from(result).map_err(|_| last())
    }

    fn send_urgent(&mut self, socket: Handle, byte: u8) -> HostResult<()> {
        let socket = self.descriptor(socket)?;
        // SAFETY: an open descriptor and one byte.
        let sent = unsafe {
            libc::send(socket, (&raw const byte).cast(), 1, libc::MSG_OOB | libc::MSG_NOSIGNAL)
        };
        if sent < 0 { Err(last()) } else { Ok(()) }
    }

    fn shut_down(&mut self, socket: Handle, how: i32) -> HostResult<()> {
        let socket = self.descriptor(socket)?;
        // SAFETY: an open descriptor.
        checked(unsafe { libc::shutdown(socket, how) })?;
        Ok(())
    }

    fn option(
        &mut self,
        socket: Handle,
        level: i32,
        name: i32,
        size: usize,
    ) -> HostResult<Vec<u8>> {
        let socket = self.descriptor(socket)?;
        let mut value = vec![0; size];
        let mut length = libc::socklen_t::try_from(size).unwrap_or(0);
        // SAFETY: the value has room for the length that is told.
        checked(unsafe {
            let room = value.as_mut_ptr().cast();
            libc::getsockopt(socket, level, name, room, &raw mut length)
        })?;
        Ok(value)
    }

    fn set_option(
        &mut self,
        socket: Handle,
        level: i32,
        name: i32,
        value: &[u8],
    ) -> HostResult<()> {
        let socket = self.descriptor(socket)?;
        let length = libc::socklen_t::try_from(value.len()).unwrap_or(0);
        // SAFETY: the value has the length that is told.
        checked(unsafe { libc::setsockopt(socket, level, name, value.as_ptr().cast(), length) })?;
        Ok(())
    }

    fn ready(&mut self, asked: &[(Handle, i16)], millis: i32) -> HostResult<Vec<i16>> {
        let mut entries = Vec::with_capacity(asked.len());
        for &(handle, events) in asked {
            entries.push(libc::pollfd { fd: self.descriptor(handle)?, events, revents: 0 });
        }
        // SAFETY: so many entries for open descriptors.
        let result =
            unsafe { libc::poll(entries.as_mut_ptr(), entries.len() as libc::nfds_t, millis) };
        match checked(result) {
            // A signal came instead; whoever waits asks again.
            Ok(_) | Err(Failure::Os(libc::EINTR)) => {}
            Err(failure) => return Err(failure),
        }
        Ok(entries.iter().map(|entry| entry.revents).collect())
    }

    fn look_up(&mut self, name: &str) -> HostResult<Vec<IpAddr>> {
        let Ok(found) = (name, 0).to_socket_addrs() else { return Ok(Vec::new()) };
        let mut addresses = Vec::new();
        for address in found {
            if !addresses.contains(&address.ip()) {
                addresses.push(address.ip());
            }
        }
        Ok(addresses)
    }

    fn name_of(&mut self, address: IpAddr) -> HostResult<Option<String>> {
        let (address, length) = to_system(&Address::Internet(SocketAddr::new(address, 0)))?;
        let mut name = vec![0u8; 1025];
        // SAFETY: an address with its size, and a buffer with its own.
        let result = unsafe {
            libc::getnameinfo(
                (&raw const address).cast(),
                length,
                name.as_mut_ptr().cast(),
                size(name.len()),
                std::ptr::null_mut(),
                0,
                libc::NI_NAMEREQD,
            )
        };
        let end = name.iter().position(|&byte| byte == 0).unwrap_or(0);
        name.truncate(end);
        Ok(if result == 0 { String::from_utf8(name).ok() } else { None })
    }

    fn own_name(&mut self) -> HostResult<String> {
        let mut name = vec![0u8; 256];
        // SAFETY: the last byte stays zero.
        checked(unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) })?;
        let end = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
        String::from_utf8(name[..end].to_vec()).map_err(|_| Failure::Os(errno::EINVAL))
    }

    fn interfaces(&mut self) -> HostResult<Vec<Interface>> {
        let mut interfaces: Vec<Interface> = Vec::new();
        let mut first: *mut libc::ifaddrs = std::ptr::null_mut();
        // SAFETY: the list is freed below, after its last use; its texts end in zero bytes, and
        // addresses and masks have the shape of the address's family.
        unsafe {
            checked(libc::getifaddrs(&raw mut first))?;
            let mut next = first;
            while let Some(entry) = next.as_ref() {
                next = entry.ifa_next;
                let name = std::ffi::CStr::from_ptr(entry.ifa_name);
                let index = libc::if_nametoindex(entry.ifa_name);
                let name = name.to_string_lossy().into_owned();
                let address = entry.ifa_addr.cast::<SystemAddress>();
                let Some(family) = address.cast::<libc::sa_family_t>().as_ref() else { continue };
                let (ip, n_bits) = match *family {
                    V4 => (ip_v4(address), bits_of(&ip_v4(entry.ifa_netmask.cast()))),
                    V6 => (ip_v6(address), bits_of(&ip_v6(entry.ifa_netmask.cast()))),
                    _ => continue,
                };
                if !interfaces.iter().any(|interface| interface.name == name) {
                    let (flags, addresses) = (entry.ifa_flags, Vec::new());
                    let (mtu, hardware) = (mtu_of(&name), hardware_of(&name));
                    let name = name.clone();
                    interfaces.push(Interface { name, index, flags, mtu, addresses, hardware });
                }
                if let Some(interface) = interfaces.iter_mut().find(|i| i.name == name) {
                    interface.addresses.push((ip, n_bits));
                }
            }
            libc::freeifaddrs(first);
        }
        // The last one first, as the JDK lists them.
        interfaces.sort_by_key(|interface| std::cmp::Reverse(interface.index));
        for interface in &mut interfaces {
            interface.addresses.reverse();
        }
        Ok(interfaces)
    }
}

//! The real network: sockets of the operating system that never wait.

use std::fs::File;
use std::io;
use std::mem::size_of;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, ToSocketAddrs};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use vm::host::network::{Interface, Network, Transport};
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

fn to_system(address: SocketAddrV4) -> libc::sockaddr_in {
    libc::sockaddr_in {
        sin_family: FAMILY,
        sin_port: address.port().to_be(),
        sin_addr: libc::in_addr { s_addr: u32::from_ne_bytes(address.ip().octets()) },
        sin_zero: [0; 8],
    }
}

fn from_system(address: &libc::sockaddr_in) -> SocketAddrV4 {
    let ip = Ipv4Addr::from(address.sin_addr.s_addr.to_ne_bytes());
    SocketAddrV4::new(ip, u16::from_be(address.sin_port))
}

/// `AF_INET` as an address holds it.
const FAMILY: libc::sa_family_t = 2;
#[expect(clippy::cast_possible_truncation, reason = "16 bytes")]
const ADDRESS_SIZE: libc::socklen_t = size_of::<libc::sockaddr_in>() as libc::socklen_t;

/// Calls something that fills in an address.
fn with_address<T>(
    call: impl FnOnce(*mut libc::sockaddr, *mut libc::socklen_t) -> T,
) -> (T, SocketAddrV4) {
    let mut address = to_system(SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0));
    let mut size = ADDRESS_SIZE;
    let result = call((&raw mut address).cast(), &raw mut size);
    (result, from_system(&address))
}

/// The size of an interface's largest packet, as the system tells in a file; 0 where it does not.
fn mtu_of(name: &str) -> u32 {
    let text = std::fs::read_to_string(format!("/sys/class/net/{name}/mtu"));
    text.ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}

impl OsHost {
    fn descriptor(&mut self, socket: Handle) -> HostResult<RawFd> {
        Ok(self.file(socket)?.as_raw_fd())
    }
}

#[expect(unsafe_code, reason = "the standard library's sockets always wait")]
impl Network for OsHost {
    fn socket(&mut self, transport: Transport) -> HostResult<Handle> {
        let kind = match transport {
            Transport::Stream => libc::SOCK_STREAM,
            Transport::Datagram => libc::SOCK_DGRAM,
        };
        let flags = libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
        // SAFETY: takes numbers only.
        let socket = checked(unsafe { libc::socket(libc::AF_INET, kind | flags, 0) })?;
        Ok(self.add(adopt(socket)))
    }

    fn pipe(&mut self) -> HostResult<(Handle, Handle)> {
        let mut ends = [0; 2];
        // SAFETY: room for both ends.
        checked(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_NONBLOCK | libc::O_CLOEXEC) })?;
        Ok((self.add(adopt(ends[0])), self.add(adopt(ends[1]))))
    }

    fn bind(&mut self, socket: Handle, address: SocketAddrV4) -> HostResult<()> {
        let socket = self.descriptor(socket)?;
        let address = to_system(address);
        // SAFETY: an open descriptor and an address with its size.
        checked(unsafe { libc::bind(socket, (&raw const address).cast(), ADDRESS_SIZE) })?;
        Ok(())
    }

    fn listen(&mut self, socket: Handle, backlog: i32) -> HostResult<()> {
        let socket = self.descriptor(socket)?;
        // SAFETY: an open descriptor.
        checked(unsafe { libc::listen(socket, backlog) })?;
        Ok(())
    }

    fn connect(&mut self, socket: Handle, address: SocketAddrV4) -> HostResult<bool> {
        let socket = self.descriptor(socket)?;
        let address = to_system(address);
        // SAFETY: an open descriptor and an address with its size.
        let result = unsafe { libc::connect(socket, (&raw const address).cast(), ADDRESS_SIZE) };
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
        let mut address = to_system(SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0));
        address.sin_family = 0;
        // SAFETY: an open descriptor and an address with its size.
        checked(unsafe { libc::connect(socket, (&raw const address).cast(), ADDRESS_SIZE) })?;
        Ok(())
    }

    fn accept(&mut self, socket: Handle) -> HostResult<(Handle, SocketAddrV4)> {
        let socket = self.descriptor(socket)?;
        let flags = libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
        // SAFETY: an open descriptor, room for an address and its size.
        let (result, from) =
            with_address(|address, size| unsafe { libc::accept4(socket, address, size, flags) });
        let file = adopt(checked(result)?);
        Ok((self.add(file), from))
    }

    fn local_address(&mut self, socket: Handle) -> HostResult<SocketAddrV4> {
        let socket = self.descriptor(socket)?;
        // SAFETY: as in `accept`.
        let (result, address) =
            with_address(|address, size| unsafe { libc::getsockname(socket, address, size) });
        checked(result).map(|_| address)
    }

    fn peer_address(&mut self, socket: Handle) -> HostResult<SocketAddrV4> {
        let socket = self.descriptor(socket)?;
        // SAFETY: as in `accept`.
        let (result, address) =
            with_address(|address, size| unsafe { libc::getpeername(socket, address, size) });
        checked(result).map(|_| address)
    }

    fn receive(&mut self, socket: Handle, buffer: &mut [u8]) -> HostResult<(usize, SocketAddrV4)> {
        let socket = self.descriptor(socket)?;
        // SAFETY: as in `accept`, and the buffer has the length that is told.
        let (result, from) = with_address(|address, size| unsafe {
            libc::recvfrom(socket, buffer.as_mut_ptr().cast(), buffer.len(), 0, address, size)
        });
        usize::try_from(result).map(|n| (n, from)).map_err(|_| last())
    }

    fn send(&mut self, socket: Handle, bytes: &[u8], to: SocketAddrV4) -> HostResult<usize> {
        let socket = self.descriptor(socket)?;
        let to = to_system(to);
        let address = (&raw const to).cast();
        // SAFETY: bytes and address with their sizes.
        let result = unsafe {
            libc::sendto(socket, bytes.as_ptr().cast(), bytes.len(), 0, address, ADDRESS_SIZE)
        };
        usize::try_from(result).map_err(|_| last())
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

    fn look_up(&mut self, name: &str) -> HostResult<Vec<Ipv4Addr>> {
        let Ok(found) = (name, 0).to_socket_addrs() else { return Ok(Vec::new()) };
        let mut addresses = Vec::new();
        for address in found {
            if let SocketAddr::V4(address) = address
                && !addresses.contains(address.ip())
            {
                addresses.push(*address.ip());
            }
        }
        Ok(addresses)
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
        // addresses of the family for version 4 have the shape for version 4.
        unsafe {
            checked(libc::getifaddrs(&raw mut first))?;
            let mut next = first;
            while let Some(entry) = next.as_ref() {
                next = entry.ifa_next;
                let name = std::ffi::CStr::from_ptr(entry.ifa_name);
                let index = libc::if_nametoindex(entry.ifa_name);
                let name = name.to_string_lossy().into_owned();
                if !interfaces.iter().any(|interface| interface.name == name) {
                    let (flags, addresses) = (entry.ifa_flags, Vec::new());
                    let (name, mtu) = (name.clone(), mtu_of(&name));
                    interfaces.push(Interface { name, index, flags, mtu, addresses });
                }
                let address = entry.ifa_addr.cast::<libc::sockaddr_in>();
                let mask = entry.ifa_netmask.cast::<libc::sockaddr_in>();
                if let (Some(address), Some(mask)) = (address.as_ref(), mask.as_ref())
                    && address.sin_family == FAMILY
                    && let Some(interface) = interfaces.iter_mut().find(|i| i.name == name)
                {
                    let bits = u8::try_from(mask.sin_addr.s_addr.count_ones()).unwrap_or(0);
                    interface.addresses.push((*from_system(address).ip(), bits));
                }
            }
            libc::freeifaddrs(first);
        }
        interfaces.sort_by_key(|interface| interface.index);
        Ok(interfaces)
    }
}

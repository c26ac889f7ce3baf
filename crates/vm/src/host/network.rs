//! Sockets as a host offers them: both versions of the Internet protocol and sockets of the file
//! system, POSIX semantics, and never waiting: what cannot be done at once fails with `EAGAIN`.
//! Reading, writing and closing are those of all handles.

use std::net::{IpAddr, SocketAddr};

use super::{Handle, HostResult};

/// Which addresses a socket understands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Version 4 of the Internet protocol.
    Ipv4,
    /// Version 6, which also reaches version 4 by mapped addresses.
    Ipv6,
    /// Paths in the file system.
    Local,
}

/// Where a socket is or wants to go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// A port of a computer.
    Internet(SocketAddr),
    /// A path in the file system; empty for a socket without a name.
    Local(Vec<u8>),
}

/// What a socket carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// A stream of bytes, TCP.
    Stream,
    /// Single packets, UDP.
    Datagram,
}

/// One network interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interface {
    /// `lo`, `eth0`.
    pub name: String,
    /// Its number, from 1.
    pub index: u32,
    /// Flags as the system keeps them: 1 up, 8 loopback, 16 point to point, 4096 multicast.
    pub flags: u32,
    /// The size of the largest packet in bytes.
    pub mtu: u32,
    /// Its addresses with the number of bits that they share with their neighbours.
    pub addresses: Vec<(IpAddr, u8)>,
    /// The address of the hardware, where it has one.
    pub hardware: Option<[u8; 6]>,
}

/// Bits of [`Network::ready`], as `poll` has them.
pub mod bits {
    /// There is something to read, or the end.
    pub const IN: i16 = 0x01;
    /// There is room to write.
    pub const OUT: i16 = 0x04;
    /// Something is wrong.
    pub const ERROR: i16 = 0x08;
    /// The other side is gone.
    pub const HANG_UP: i16 = 0x10;
}

/// The network.
pub trait Network {
    /// A new socket. One of version 6 takes connections and packets of version 4 too.
    fn socket(&mut self, family: Family, transport: Transport) -> HostResult<Handle>;

    /// Both ends of a new pipe: where it is read, where it is written.
    fn pipe(&mut self) -> HostResult<(Handle, Handle)>;

    /// Gives a socket an address of its own; port 0 chooses one.
    fn bind(&mut self, socket: Handle, address: &Address) -> HostResult<()>;

    /// Lets others connect.
    fn listen(&mut self, socket: Handle, backlog: i32) -> HostResult<()>;

    /// Connects; `false` while that is under way. To be asked again then.
    fn connect(&mut self, socket: Handle, address: &Address) -> HostResult<bool>;

    /// Takes back the peer of a datagram socket.
    fn disconnect(&mut self, socket: Handle) -> HostResult<()>;

    /// The next connection and where it comes from.
    fn accept(&mut self, socket: Handle) -> HostResult<(Handle, Address)>;

    /// Where a socket is bound.
    fn local_address(&mut self, socket: Handle) -> HostResult<Address>;

    /// Where a socket is connected.
    fn peer_address(&mut self, socket: Handle) -> HostResult<Address>;

    /// The next packet, cut to the buffer, and where it comes from.
    fn receive(&mut self, socket: Handle, buffer: &mut [u8]) -> HostResult<(usize, Address)>;

    /// Sends a packet.
    fn send(&mut self, socket: Handle, bytes: &[u8], to: &Address) -> HostResult<usize>;

    /// Sends a byte past those that wait to be read, TCP's urgent data.
    fn send_urgent(&mut self, socket: Handle, byte: u8) -> HostResult<()>;

    /// Ends reading (0), writing (1) or both (2).
    fn shut_down(&mut self, socket: Handle, how: i32) -> HostResult<()>;

    /// The bytes of an option, at most `size`.
    fn option(&mut self, socket: Handle, level: i32, name: i32, size: usize)
    -> HostResult<Vec<u8>>;

    /// Sets an option.
    fn set_option(&mut self, socket: Handle, level: i32, name: i32, value: &[u8])
    -> HostResult<()>;

    /// Of these handles with the [`bits`] that are asked for, the bits that hold now, in order.
    /// Waits so many milliseconds at most for the first.
    fn ready(&mut self, asked: &[(Handle, i16)], millis: i32) -> HostResult<Vec<i16>>;

    /// The addresses of a name; none where it is not known.
    fn look_up(&mut self, name: &str) -> HostResult<Vec<IpAddr>>;

    /// The name of an address, where it has one.
    fn name_of(&mut self, address: IpAddr) -> HostResult<Option<String>>;

    /// The name of this computer.
    fn own_name(&mut self) -> HostResult<String>;

    /// The interfaces of this computer that have addresses, the last one first.
    fn interfaces(&mut self) -> HostResult<Vec<Interface>>;
}

//! Descriptors that are sockets, pipes, `epoll` lists and counters of signals, and waiting for what
//! happens outside. The host's sockets never wait; a thread that wants to looks again and again,
//! and the others run meanwhile.

use super::{FileTable, Nature, OpenFile, Target};
use crate::frame::{Res, Trap};
use crate::host::network::{Family, Transport};
use crate::host::{Failure, Handle, HostResult, errno};
use crate::thread::{Patience, State};
use crate::vm::Vm;

/// How often a waiting thread looks again as soon as the others had their turn: what it waits for
/// mostly comes from one of them.
const EAGER_LOOKS: u32 = 8;

/// How long a thread that has looked so often does not look.
fn between_looks(n_looks: u32) -> i64 {
    if n_looks < 1000 { 200_000 } else { 1_000_000 }
}

/// A socket as natives see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Socket {
    /// The host's.
    pub(crate) handle: Handle,
    /// Whether the program wants to wait.
    pub(crate) blocking: bool,
}

impl FileTable {
    /// The socket behind a descriptor; `None` for one that is being closed, and for other files.
    pub(crate) fn socket(&self, descriptor: i32) -> HostResult<Option<Socket>> {
        Ok(match self.get(descriptor)? {
            OpenFile {
                target: Target::Host(handle), nature: Nature::Socket { blocking }, ..
            } => Some(Socket { handle: *handle, blocking: *blocking }),
            _ => None,
        })
    }

    /// Whether a descriptor is, or was until it was hollowed out, a socket.
    pub(crate) fn is_socket(&self, descriptor: i32) -> bool {
        self.get(descriptor).is_ok_and(|file| matches!(file.nature, Nature::Socket { .. }))
    }

    fn add_nature(&mut self, target: Target, nature: Nature) -> i32 {
        self.add(OpenFile {
            target,
            position: None,
            append: false,
            writes: true,
            path: Vec::new(),
            nature,
            n_descriptors: 1,
        })
    }

    /// Takes a descriptor out of all `epoll` lists.
    pub(super) fn forget_watched(&mut self, descriptor: i32) {
        for file in self.files.iter_mut().flatten() {
            if let Nature::Poller(watched) = &mut file.nature {
                watched.retain(|&(watched, _)| watched != descriptor);
            }
        }
    }
}

impl Vm {
    /// A descriptor for a new socket.
    pub(crate) fn open_socket(&mut self, family: Family, transport: Transport) -> HostResult<i32> {
        let handle = self.host.network()?.socket(family, transport)?;
        Ok(self.adopt_socket(handle))
    }

    /// Gives a descriptor to a socket that the host opened.
    pub(crate) fn adopt_socket(&mut self, handle: Handle) -> i32 {
        self.files.really_open.insert(handle);
        self.before_file_change();
        self.files.table.add_nature(Target::Host(handle), Nature::Socket { blocking: true })
    }

    /// A descriptor for a new `epoll` list or counter.
    pub(crate) fn open_nature(&mut self, nature: Nature) -> i32 {
        self.before_file_change();
        self.files.table.add_nature(Target::Null, nature)
    }

    /// What kind of stream a descriptor is, to be changed.
    pub(crate) fn nature_mut(&mut self, descriptor: i32) -> HostResult<&mut Nature> {
        self.files.table.get(descriptor)?;
        self.before_file_change();
        Ok(&mut self.files.table.get_mut(descriptor)?.nature)
    }

    /// Closes the socket behind a descriptor that stays taken; who waits for it stops waiting.
    pub(crate) fn hollow_socket(&mut self, descriptor: i32) -> HostResult<()> {
        if self.files.table.is_socket(descriptor) {
            self.before_file_change();
            self.files.table.forget_watched(descriptor);
            self.files.table.get_mut(descriptor)?.target = Target::Null;
            self.close_unneeded();
        }
        Ok(())
    }

    /// The bits of `asked` that hold now for a socket.
    pub(crate) fn socket_ready(&mut self, socket: Socket, asked: i16) -> HostResult<i16> {
        let ready = self.host.network()?.ready(&[(socket.handle, asked)], 0)?;
        ready.first().copied().ok_or(Failure::Os(errno::EIO))
    }

    /// Runs a native that looks whether something has happened outside: `Some` is its result. Until
    /// then the others run and the native begins anew; `late` after so many nanoseconds.
    pub(crate) fn wait_outside(
        &mut self,
        nanos: Option<i64>,
        late: u64,
        look: &mut dyn FnMut(&mut Vm) -> Res<Option<u64>>,
    ) -> Res<u64> {
        let result = look(self);
        if !matches!(result, Ok(None)) {
            self.thread().patience = None;
            return result.map(|word| word.unwrap_or(late));
        }
        let now = self.now();
        let Patience { until, n_looks } = self.thread().patience.unwrap_or(Patience {
            until: nanos.map_or(i64::MAX, |nanos| now.saturating_add(nanos)),
            n_looks: 0,
        });
        if now >= until {
            self.thread().patience = None;
            return Ok(late);
        }
        self.thread().patience = Some(Patience { until, n_looks: n_looks.saturating_add(1) });
        if n_looks < EAGER_LOOKS {
            return Err(self.come_back_later());
        }
        if self.host.nano_time().is_none()
            && let Ok(network) = self.host.network()
        {
            // Virtual time does not wait for the real world.
            let _ = network.ready(&[], 1);
        }
        self.block(State::Outside { until: until.min(now.saturating_add(between_looks(n_looks))) });
        Err(Trap::Blocked)
    }
}

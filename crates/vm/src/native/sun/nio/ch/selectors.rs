//! What selectors wait with: `EPoll`, `EventFD`, and the pipes of `IOUtil`. The lists and counters
//! are the machine's own; of the host's sockets it is asked which are ready.

use crate::files::Nature;
use crate::frame::Res;
use crate::host::{Failure, Handle, errno};
use crate::native::sun::nio::ch::sockets::{or_socket, patience};
use crate::native::{Args, NativeRow, io_failure};
use crate::vm::Vm;

const EPOLL: &str = "sun/nio/ch/EPoll";
const EVENT: &str = "sun/nio/ch/EventFD";
const IO_UTIL: &str = "sun/nio/ch/IOUtil";

pub(crate) const NATIVES: &[NativeRow] = &[
    (EPOLL, "eventSize", "()I", |_, _| Ok(EVENT_SIZE as u64)),
    (EPOLL, "eventsOffset", "()I", |_, _| Ok(0)),
    (EPOLL, "dataOffset", "()I", |_, _| Ok(4)),
    (EPOLL, "create", "()I", create),
    (EPOLL, "ctl", "(IIII)I", control),
    (EPOLL, "wait", "(IJII)I", wait),
    (EVENT, "eventfd0", "()I", event),
    (EVENT, "set0", "(I)I", signal),
    (IO_UTIL, "makePipe", "(Z)J", make_pipe),
    (IO_UTIL, "drain", "(I)Z", drain),
    (IO_UTIL, "drain1", "(I)I", drain_one),
    (IO_UTIL, "write1", "(IB)I", write_one),
];

const EVENT_SIZE: usize = 12;
const READABLE: u32 = 1;
/// Report once, then only after it is asked for again.
const ONE_SHOT: u32 = 1 << 30;

fn number(descriptor: i32) -> u64 {
    u64::from(descriptor.cast_unsigned())
}

fn create(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(number(vm.open_nature(Nature::Poller(Vec::new()))))
}

/// Zero or an error number.
fn control(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    const ADD: i32 = 1;
    const REMOVE: i32 = 2;
    let (list, operation, descriptor) = (args.int(), args.int(), args.int());
    let events = args.int().cast_unsigned();
    if vm.files.table.get(descriptor).is_err() {
        return Ok(number(errno::EBADF));
    }
    let Ok(Nature::Poller(watched)) = vm.nature_mut(list) else {
        return Ok(number(errno::EINVAL));
    };
    let at = watched.iter().position(|&(watched, _)| watched == descriptor);
    match (operation, at) {
        (ADD, Some(_)) => return Ok(number(errno::EEXIST)),
        (ADD, None) => watched.push((descriptor, events)),
        (_, None) => return Ok(number(errno::ENOENT)),
        (REMOVE, Some(at)) => {
            watched.remove(at);
        }
        (_, Some(at)) => watched[at].1 = events,
    }
    Ok(0)
}

/// Stores the events that have happened; gives their number.
fn wait(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let list = args.int();
    let address = args.long().cast_unsigned();
    let most = usize::try_from(args.int()).unwrap_or(0);
    let millis = i64::from(args.int());
    vm.wait_outside(patience(millis), 0, &mut |vm| {
        let found = look(vm, list)?;
        let mut bytes = Vec::new();
        for &(descriptor, events) in found.iter().take(most) {
            bytes.extend(events.to_ne_bytes());
            bytes.extend(i64::from(descriptor).to_ne_bytes());
        }
        if bytes.is_empty() {
            return Ok((millis == 0).then_some(0));
        }
        if !vm.heap.raw_store(address, &bytes) {
            return Err(io_failure(vm, Failure::Os(errno::EINVAL)));
        }
        if let Ok(Nature::Poller(watched)) = vm.nature_mut(list) {
            for (descriptor, events) in watched {
                let is_told = found.iter().take(most).any(|&(told, _)| told == *descriptor);
                if is_told && *events & ONE_SHOT != 0 {
                    *events = 0;
                }
            }
        }
        Ok(Some((bytes.len() / EVENT_SIZE) as u64))
    })
}

/// The descriptors of a list for which something has happened.
fn look(vm: &mut Vm, list: i32) -> Res<Vec<(i32, u32)>> {
    let watched = match vm.files.table.get(list).map(|file| &file.nature) {
        Ok(Nature::Poller(watched)) => watched.clone(),
        _ => return Err(io_failure(vm, Failure::Os(errno::EBADF))),
    };
    let mut found = Vec::new();
    let mut sockets: Vec<(i32, (Handle, i16))> = Vec::new();
    for (descriptor, events) in watched {
        match vm.files.table.get(descriptor).map(|file| &file.nature) {
            Ok(Nature::Signals(count)) if *count > 0 && events & READABLE != 0 => {
                found.push((descriptor, READABLE));
            }
            Ok(Nature::Socket { .. }) if events != 0 => {
                if let Ok(Some(socket)) = vm.files.table.socket(descriptor) {
                    let asked = i16::try_from(events & 0xff).unwrap_or(0);
                    sockets.push((descriptor, (socket.handle, asked)));
                }
            }
            _ => {}
        }
    }
    if !sockets.is_empty() {
        let asked: Vec<(Handle, i16)> = sockets.iter().map(|&(_, asked)| asked).collect();
        let result = vm.host.network().and_then(|network| network.ready(&asked, 0));
        let ready = or_socket(vm, result)?;
        for ((descriptor, _), bits) in sockets.into_iter().zip(ready) {
            if bits != 0 {
                found.push((descriptor, u32::from(bits.cast_unsigned())));
            }
        }
    }
    Ok(found)
}

fn event(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(number(vm.open_nature(Nature::Signals(0))))
}

fn signal(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    match vm.nature_mut(args.int()) {
        Ok(Nature::Signals(count)) => {
            *count += 1;
            Ok(0)
        }
        _ => Err(io_failure(vm, Failure::Os(errno::EBADF))),
    }
}

/// Both ends in one word: where it is read in the upper half.
fn make_pipe(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let is_blocking = args.boolean();
    let result = vm.host.network().and_then(|network| network.pipe());
    let (source, sink) = or_socket(vm, result)?;
    let ends = [vm.adopt_socket(source), vm.adopt_socket(sink)];
    for end in ends {
        if let Ok(Nature::Socket { blocking }) = vm.nature_mut(end) {
            *blocking = is_blocking;
        }
    }
    Ok(number(ends[0]) << 32 | number(ends[1]))
}

/// Reads all that is there; whether there was something.
fn drain(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let descriptor = args.int();
    if let Ok(Nature::Signals(count)) = vm.nature_mut(descriptor) {
        return Ok(u64::from(std::mem::take(count) > 0));
    }
    let mut total = 0;
    while let n @ 1.. = read_some(vm, descriptor, &mut [0; 128])? {
        total += n;
    }
    Ok(u64::from(total > 0))
}

fn drain_one(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    Ok(read_some(vm, args.int(), &mut [0; 1])? as u64)
}

fn read_some(vm: &mut Vm, descriptor: i32, buffer: &mut [u8]) -> Res<usize> {
    let result = vm.files.table.socket(descriptor);
    let Some(socket) = or_socket(vm, result)? else { return Ok(0) };
    match vm.host.read(socket.handle, None, buffer) {
        Err(Failure::Os(errno::EAGAIN)) => Ok(0),
        result => or_socket(vm, result),
    }
}

fn write_one(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let descriptor = args.int();
    let byte = args.int().to_ne_bytes()[0];
    let result = vm.files.table.socket(descriptor);
    let Some(socket) = or_socket(vm, result)? else { return Ok(0) };
    let result = vm.host.write(socket.handle, None, &[byte]);
    Ok(or_socket(vm, result)? as u64)
}

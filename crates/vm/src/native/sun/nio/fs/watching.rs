//! `LinuxWatchService`: events of watched folders come from the host as `inotify` writes them; what
//! wakes the thread that waits for them is the machine's own counter of signals.

use crate::files::{Nature, OpenFile, Target};
use crate::frame::Res;
use crate::heap::ELEMENTS_OFFSET;
use crate::host::{Failure, Handle, errno};
use crate::native::{Args, NativeRow, nothing};
use crate::value::{Kind, Ref};
use crate::vm::Vm;

use super::{or_unix, path_argument, unix_failure};

const WATCH: &str = "sun/nio/fs/LinuxWatchService";

pub(crate) const NATIVES: &[NativeRow] = &[
    (WATCH, "eventSize", "()I", |_, _| Ok(16)),
    (WATCH, "eventOffsets", "()[I", event_offsets),
    (WATCH, "inotifyInit", "()I", open),
    (WATCH, "inotifyAddWatch", "(IJI)I", add),
    (WATCH, "inotifyRmWatch", "(II)V", remove),
    // Neither the host's events nor the machine's counters ever wait.
    (WATCH, "configureBlocking", "(IZ)V", nothing),
    (WATCH, "socketpair", "([I)V", signals),
    (WATCH, "poll", "(II)I", poll),
];

fn number(descriptor: i32) -> u64 {
    u64::from(descriptor.cast_unsigned())
}

fn set_elements(vm: &mut Vm, array: Ref, values: &[i32]) {
    for (value, idx) in values.iter().zip(0u32..) {
        vm.heap.store_u32(array, ELEMENTS_OFFSET + idx * 4, value.cast_unsigned());
    }
}

/// Where the parts of a Linux `inotify_event` lie.
fn event_offsets(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let array: Ref = vm.new_primitive_array(Kind::Int, 5)?;
    set_elements(vm, array, &[0, 4, 8, 12, 16]);
    Ok(array.to_slot())
}

fn open(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let result = vm.host.watcher();
    let handle = or_unix(vm, result)?;
    Ok(number(vm.adopt_stream(handle)))
}

/// The host's list of watched folders behind a descriptor.
fn watcher(vm: &mut Vm, descriptor: i32) -> Res<Handle> {
    match vm.files.table.get(descriptor) {
        Ok(OpenFile { target: Target::Host(handle), .. }) => Ok(*handle),
        _ => Err(unix_failure(vm, Failure::Os(errno::EBADF))),
    }
}

fn add(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let watcher = watcher(vm, args.int())?;
    let path = path_argument(vm, &mut args)?;
    let mask = args.int().cast_unsigned();
    let result = vm.host.watch(watcher, &path, mask);
    Ok(number(or_unix(vm, result)?))
}

fn remove(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let watcher = watcher(vm, args.int())?;
    let result = vm.host.unwatch(watcher, args.int());
    or_unix(vm, result)?;
    Ok(0)
}

/// Two descriptors of one counter: what is written to one can be read from the other.
fn signals(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let array = args.reference();
    if array.is_null() || vm.heap.array_length(array) < 2 {
        return Err(unix_failure(vm, Failure::Os(errno::EINVAL)));
    }
    let near = vm.open_nature(Nature::Signals(0));
    let result = vm.duplicate_file(near);
    let far = or_unix(vm, result)?;
    set_elements(vm, array, &[near, far]);
    Ok(0)
}

/// How many of both descriptors have something to read; waits for the first.
fn poll(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let (events, wake) = (args.int(), args.int());
    vm.wait_outside(None, 0, &mut |vm| {
        let watcher = watcher(vm, events)?;
        let result = vm.host.available(watcher);
        let has_events = or_unix(vm, result)? > 0;
        let is_woken = match vm.files.table.get(wake).map(|file| &file.nature) {
            Ok(Nature::Signals(count)) => *count > 0,
            _ => return Err(unix_failure(vm, Failure::Os(errno::EBADF))),
        };
        let n_ready = u64::from(has_events) + u64::from(is_woken);
        Ok((n_ready > 0).then_some(n_ready))
    })
}

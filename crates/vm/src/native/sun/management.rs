//! `java.lang.management` of the machine: figures about threads, memory and classes. There is no
//! compiler to show, and the computer's own figures stay outside.

pub(crate) mod flags;
pub(crate) mod memory;

use crate::frame::{Hook, Res, Trap, Upcall};
use crate::heap::ELEMENTS_OFFSET;
use crate::native::java::lang::stack_trace_element::{Hidden, new_thread_trace};
use crate::native::{Args, NativeRow, nothing, one, zero};
use crate::thread::fields::thread_status;
use crate::thread::{State, Thread};
use crate::value::{Kind, Ref};
use crate::vm::Vm;

const VM: &str = "sun/management/VMManagementImpl";
const THREADS: &str = "sun/management/ThreadImpl";
const MEMORY: &str = "sun/management/MemoryImpl";
const OS: &str = "com/sun/management/internal/OperatingSystemImpl";
const SYNCHRONIZER: &str = "java/util/concurrent/locks/AbstractOwnableSynchronizer";
const COMMANDS: &str = "com/sun/management/internal/DiagnosticCommandImpl";

pub(crate) const NATIVES: &[NativeRow] = &[
    (VM, "getVersion0", "()Ljava/lang/String;", version),
    (VM, "initOptionalSupportFields", "()V", optional_support),
    (VM, "isThreadCpuTimeEnabled", "()Z", one),
    (VM, "isThreadContentionMonitoringEnabled", "()Z", zero),
    (VM, "isThreadAllocatedMemoryEnabled", "()Z", one),
    (VM, "getVerboseClass", "()Z", zero),
    (VM, "getVerboseGC", "()Z", zero),
    (VM, "getTotalClassCount", "()J", class_count),
    (VM, "getUnloadedClassCount", "()J", zero),
    (VM, "getProcessId", "()I", process_id),
    (VM, "getVmArguments0", "()[Ljava/lang/String;", zero),
    (VM, "getStartupTime", "()J", startup_time),
    (VM, "getUptime0", "()J", uptime),
    (VM, "getAvailableProcessors", "()I", one),
    (VM, "getTotalCompileTime", "()J", zero),
    (VM, "getTotalThreadCount", "()J", total_thread_count),
    (VM, "getLiveThreadCount", "()I", live_thread_count),
    (VM, "getPeakThreadCount", "()I", live_thread_count),
    (VM, "getDaemonThreadCount", "()I", daemon_thread_count),
    ("sun/management/ClassLoadingImpl", "setVerboseClass", "(Z)V", nothing),
    (MEMORY, "setVerboseGC", "(Z)V", nothing),
    (THREADS, "getThreads", "()[Ljava/lang/Thread;", threads),
    (THREADS, "getThreadInfo1", "([JI[Ljava/lang/management/ThreadInfo;)V", thread_infos),
    (THREADS, "dumpThreads0", "([JZZI)[Ljava/lang/management/ThreadInfo;", dump),
    (THREADS, "getThreadTotalCpuTime0", "(J)J", cpu_time),
    (THREADS, "getThreadUserCpuTime0", "(J)J", cpu_time),
    (THREADS, "getThreadTotalCpuTime1", "([J[J)V", |vm, args| each(vm, args, cpu_time_of)),
    (THREADS, "getThreadUserCpuTime1", "([J[J)V", |vm, args| each(vm, args, cpu_time_of)),
    (THREADS, "getThreadAllocatedMemory0", "(J)J", allocated),
    (THREADS, "getThreadAllocatedMemory1", "([J[J)V", |vm, args| each(vm, args, allocated_by)),
    (THREADS, "getTotalThreadAllocatedMemory", "()J", |vm, _| Ok(vm.heap.allocated())),
    (THREADS, "setThreadAllocatedMemoryEnabled0", "(Z)V", nothing),
    (THREADS, "setThreadCpuTimeEnabled0", "(Z)V", nothing),
    (THREADS, "setThreadContentionMonitoringEnabled0", "(Z)V", nothing),
    (THREADS, "findMonitorDeadlockedThreads0", "()[Ljava/lang/Thread;", |vm, _| {
        deadlocked(vm, false)
    }),
    (THREADS, "findDeadlockedThreads0", "()[Ljava/lang/Thread;", |vm, _| deadlocked(vm, true)),
    (THREADS, "resetPeakThreadCount0", "()V", nothing),
    (OS, "initialize0", "()V", nothing),
    (OS, "getMaxFileDescriptorCount0", "()J", |_, _| Ok(1024)),
    (OS, "getTotalMemorySize0", "()J", |vm, _| Ok(vm.options.heap_limit as u64)),
    (OS, "getOpenFileDescriptorCount0", "()J", |vm, _| Ok(vm.files.table.n_open() as u64)),
    (OS, "getProcessCpuTime0", "()J", |vm, _| Ok(vm.nano_time().max(0).cast_unsigned())),
    (OS, "getCommittedVirtualMemorySize0", "()J", |vm, _| Ok(vm.options.heap_limit as u64)),
    (OS, "getFreeMemorySize0", "()J", free_memory),
    (OS, "getTotalSwapSpaceSize0", "()J", zero),
    (OS, "getFreeSwapSpaceSize0", "()J", zero),
    (OS, "getCpuLoad0", "()D", unknown_load),
    (OS, "getProcessCpuLoad0", "()D", unknown_load),
    (OS, "getSingleCpuLoad0", "(I)D", unknown_load),
    (OS, "getHostConfiguredCpuCount0", "()I", one),
    (OS, "getHostOnlineCpuCount0", "()I", one),
    (OS, "getHostTotalCpuTicks0", "()J", |_, _| Ok(u64::MAX)),
    (COMMANDS, "setNotificationEnabled", "(Z)V", nothing),
    (COMMANDS, "getDiagnosticCommands", "()[Ljava/lang/String;", no_strings),
    (COMMANDS, "getDiagnosticCommandInfo", "", no_commands),
];

/// What is left of the memory for objects.
fn free_memory(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(vm.options.heap_limit.saturating_sub(vm.heap.used()) as u64)
}

/// The load of the computer is not told.
fn unknown_load(_: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok((-1.0f64).to_bits())
}

/// Version of the management interface.
fn version(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let version = if vm.jdk < 21 { "3.0" } else { "4.0" };
    Ok(vm.new_string(version)?.to_slot())
}

/// The time that threads take can be told, which locks they hold, and who waits for whom.
fn optional_support(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let class = vm.boot_class(VM)?;
    let supported = [
        "currentThreadCpuTimeSupport",
        "otherThreadCpuTimeSupport",
        "objectMonitorUsageSupport",
        "synchronizerUsageSupport",
        "threadAllocatedMemorySupport",
    ];
    for field in supported {
        let (mirror, offset) = vm.static_slot(class, field, "Z");
        vm.heap.store_u8(mirror, offset, 1);
    }
    Ok(0)
}

fn class_count(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(vm.classes.len() as u64)
}

fn process_id(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(u64::from(vm.host.platform().process))
}

fn startup_time(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let now = vm.epoch_nanos();
    let started = now - i128::from(vm.nano_time());
    Ok(i64::try_from(started.div_euclid(1_000_000)).unwrap_or(0).cast_unsigned())
}

fn uptime(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok((vm.nano_time() / 1_000_000).cast_unsigned())
}

/// Threads that Java code can see.
fn visible(thread: &&Thread) -> bool {
    thread.is_alive() && !thread.java.is_null()
}

fn total_thread_count(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(u64::from(vm.world.threads) + 1)
}

fn live_thread_count(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(vm.threads.iter().filter(visible).count() as u64)
}

fn daemon_thread_count(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(vm.threads.iter().filter(visible).filter(|thread| thread.daemon).count() as u64)
}

fn empty_array(vm: &mut Vm, component: &str) -> Res<u64> {
    let class = vm.boot_class(component)?;
    Ok(vm.new_ref_array(class, &[])?.to_slot())
}

fn no_strings(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    empty_array(vm, "java/lang/String")
}

fn no_commands(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    empty_array(vm, "com/sun/management/internal/DiagnosticCommandInfo")
}

fn threads(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let alive: Vec<Ref> = vm.threads.iter().filter(visible).map(|thread| thread.java).collect();
    let class = vm.known.thread;
    Ok(vm.new_ref_array(class, &alive)?.to_slot())
}

fn cpu_time(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    Ok(cpu_time_of(vm, args.long()))
}

/// Nanoseconds that a thread has run: threads take turns, so time itself tells for the current
/// one, which zero means too; of the others nothing is kept.
fn cpu_time_of(vm: &mut Vm, id: i64) -> u64 {
    let current = vm.threads[vm.current].java;
    let own = vm.heap.load_u64(current, vm.known.thread_tid).cast_signed();
    if id == 0 || id == own { vm.nano_time().cast_unsigned() } else { 0 }
}

fn allocated(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    Ok(allocated_by(vm, args.long()))
}

/// Bytes that a thread has allocated, zero meaning the current one; -1 for one that is not alive.
fn allocated_by(vm: &mut Vm, id: i64) -> u64 {
    let position = match id {
        0 => Some(vm.current),
        _ => thread_with_id(vm, id.cast_unsigned()),
    };
    let counted = if position == Some(vm.current) { vm.heap.allocated() } else { 0 };
    position.map_or(u64::MAX, |position| vm.threads[position].allocated.wrapping_add(counted))
}

/// Fills an array with a figure for each thread of another.
fn each(vm: &mut Vm, mut args: Args<'_>, figure: fn(&mut Vm, i64) -> u64) -> Res<u64> {
    let (ids, figures) = (args.reference(), args.reference());
    for idx in 0..vm.heap.array_length(ids).min(vm.heap.array_length(figures)) {
        let id = vm.heap.load_u64(ids, ELEMENTS_OFFSET + idx * 8).cast_signed();
        let figure = figure(vm, id);
        vm.heap.store_u64(figures, ELEMENTS_OFFSET + idx * 8, figure);
    }
    Ok(0)
}

/// Threads that wait for each other in a circle; null where there are none.
fn deadlocked(vm: &mut Vm, with_synchronizers: bool) -> Res<u64> {
    let circle = vm.threads_in_circles(with_synchronizers);
    if circle.is_empty() {
        return Ok(0);
    }
    let circle: Vec<Ref> = circle.into_iter().map(|idx| vm.threads[idx].java).collect();
    let class = vm.known.thread;
    Ok(vm.new_ref_array(class, &circle)?.to_slot())
}

const THREAD_INFO: &str = "java/lang/management/ThreadInfo";
const CONSTRUCTOR: &[u8] = b"(Ljava/lang/Thread;ILjava/lang/Object;Ljava/lang/Thread;JJJJ\
    [Ljava/lang/StackTraceElement;[Ljava/lang/Object;[I[Ljava/lang/Object;)V";

/// How much a `ThreadInfo` is to tell, as the `depth` that `thread_infos` takes: java.management
/// gives -1 for whole traces or a number of frames; what is less comes from `dump` alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Extent {
    /// Number of frames; all where negative.
    depth: i32,
    monitors: bool,
    synchronizers: bool,
}

impl Extent {
    /// No stack has more frames than this.
    const DEEPEST: i32 = 1 << 28;

    fn encode(self) -> i32 {
        let depth = self.depth.clamp(0, Self::DEEPEST);
        -2 - (depth << 2 | i32::from(self.monitors) << 1 | i32::from(self.synchronizers))
    }

    fn decode(depth: i32) -> Extent {
        if depth >= -1 {
            return Extent { depth, monitors: false, synchronizers: false };
        }
        let code = -2 - depth;
        Extent { depth: code >> 2, monitors: code & 2 != 0, synchronizers: code & 1 != 0 }
    }
}

/// Fills an array of `ThreadInfo`, one constructor call after the other; `resumed` tells how many
/// are done.
fn thread_infos(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let first = vm.resumed.take().map_or(0, |(state, _)| state);
    let ids = args.reference();
    let extent = Extent::decode(args.int());
    let infos = args.reference();
    let n = vm.heap.array_length(ids).min(vm.heap.array_length(infos));
    for idx in u32::try_from(first).unwrap_or(n)..n {
        let id = vm.heap.load_u64(ids, ELEMENTS_OFFSET + idx * 8);
        let Some(position) = thread_with_id(vm, id) else { continue };
        let trace = thread_trace(vm, position, extent.depth)?;
        let locks = held_locks(vm, position, extent, trace)?;
        let class = vm.boot_class(THREAD_INFO)?;
        vm.ensure_initialised(class)?;
        let Some(method) = vm.class(class).method(b"<init>", CONSTRUCTOR).map(|method| method.id)
        else {
            return Err(vm.throw("java/lang/NoSuchMethodError", "ThreadInfo.<init>"));
        };
        let info = vm.new_object(class)?;
        vm.heap.set_element_ref(infos, idx, info);
        let thread = &vm.threads[position];
        let (java, state) = (thread.java, thread.state);
        let lock = match state {
            State::Blocked(object) | State::Waiting { object, .. } => object,
            State::Parked { .. } => vm.get_field_ref(java, "parkBlocker", "Ljava/lang/Object;"),
            _ => Ref::NULL,
        };
        let owner = vm.waits_for(position, true);
        let owner = owner.map_or(Ref::NULL, |owner| vm.threads[owner].java);
        let mut words = vec![info.to_slot(), java.to_slot(), u64::from(thread_status(state))];
        words.extend([lock.to_slot(), owner.to_slot()]);
        // How often and how long it was blocked and waited: counts are not kept, times not on.
        words.extend([0, 0, u64::MAX, 0, 0, 0, u64::MAX, 0]);
        words.push(trace.to_slot());
        words.extend(locks.map(Ref::to_slot));
        let hook = Hook::Resume { state: u64::from(idx) + 1 };
        return Err(Trap::Upcall(Box::new(Upcall { method, args: words, hook })));
    }
    Ok(0)
}

/// The objects that a thread has locked, the frames that did (of those shown), and the synchronizers
/// that it owns, as arrays for the constructor.
fn held_locks(vm: &mut Vm, position: usize, extent: Extent, trace: Ref) -> Res<[Ref; 3]> {
    let n_shown = vm.heap.array_length(trace);
    let mut monitors = if extent.monitors { vm.held_monitors(position) } else { Vec::new() };
    monitors.retain(|&(_, depth)| depth < n_shown);
    let mut synchronizers = Vec::new();
    if extent.synchronizers {
        let class = vm.boot_class(SYNCHRONIZER)?;
        let java = vm.threads[position].java;
        synchronizers = vm.instances_of(class);
        synchronizers.retain(|&one| {
            vm.get_field_ref(one, "exclusiveOwnerThread", "Ljava/lang/Thread;") == java
        });
    }
    let objects: Vec<Ref> = monitors.iter().map(|&(object, _)| object).collect();
    let depths = vm.new_primitive_array(Kind::Int, u32::try_from(monitors.len()).unwrap_or(0))?;
    for (&(_, depth), idx) in monitors.iter().zip(0u32..) {
        vm.heap.store_u32(depths, ELEMENTS_OFFSET + idx * 4, depth);
    }
    let class = vm.known.object;
    Ok([vm.new_ref_array(class, &objects)?, depths, vm.new_ref_array(class, &synchronizers)?])
}

/// A `ThreadInfo` for each of these threads, or for all, with the locks that they hold.
fn dump(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let ids = args.reference();
    let monitors = args.boolean();
    let synchronizers = args.boolean();
    let extent = Extent { depth: args.int(), monitors, synchronizers };
    let ids = if ids.is_null() { all_ids(vm)? } else { ids };
    let class = vm.boot_class(THREAD_INFO)?;
    let nothing = vec![Ref::NULL; vm.heap.array_length(ids) as usize];
    let infos = vm.new_ref_array(class, &nothing)?;
    let class = vm.boot_class(THREADS)?;
    let descriptor = b"([JI[Ljava/lang/management/ThreadInfo;)V";
    let Some(method) =
        vm.class(class).method(b"getThreadInfo1", descriptor).map(|method| method.id)
    else {
        return Err(vm.throw("java/lang/NoSuchMethodError", "ThreadImpl.getThreadInfo1"));
    };
    let args = vec![ids.to_slot(), u64::from(extent.encode().cast_unsigned()), infos.to_slot()];
    let hook = Hook::ReflectNew { object: infos };
    Err(Trap::Upcall(Box::new(Upcall { method, args, hook })))
}

/// The ids of all threads, as a `long[]`.
fn all_ids(vm: &mut Vm) -> Res<Ref> {
    let tid = vm.known.thread_tid;
    let alive = vm.threads.iter().filter(visible);
    let ids: Vec<u64> = alive.map(|thread| vm.heap.load_u64(thread.java, tid)).collect();
    let n = u32::try_from(ids.len()).unwrap_or(u32::MAX);
    let array = vm.new_primitive_array(Kind::Long, n)?;
    for (id, idx) in ids.into_iter().zip(0u32..) {
        vm.heap.store_u64(array, ELEMENTS_OFFSET + idx * 8, id);
    }
    Ok(array)
}

fn thread_with_id(vm: &Vm, id: u64) -> Option<usize> {
    let tid = vm.known.thread_tid;
    vm.threads
        .iter()
        .position(|thread| visible(&thread) && vm.heap.load_u64(thread.java, tid) == id)
}

/// The youngest frames of a thread; all where `depth` is negative.
fn thread_trace(vm: &mut Vm, position: usize, depth: i32) -> Res<Ref> {
    let whole = new_thread_trace(vm, vm.threads[position].java, Hidden::Shown)?;
    let element = vm.known.stack_trace_element;
    let n = if whole.is_null() { 0 } else { vm.heap.array_length(whole) };
    let n = u32::try_from(depth).map_or(n, |depth| depth.min(n));
    let kept: Vec<Ref> = (0..n).map(|idx| vm.heap.element_ref(whole, idx)).collect();
    vm.new_ref_array(element, &kept)
}

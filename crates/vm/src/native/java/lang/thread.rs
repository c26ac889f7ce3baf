//! `java.lang.Thread` of JDK 17 and 25. What threads do is in `crate::thread`; stack traces of
//! threads are beside the stack walker.
#![expect(unsafe_code, reason = "scoped values are found in the registers of frames")]

use crate::frame::Res;
use crate::native::{Args, NativeRow, nothing};
use crate::value::Ref;
use crate::vm::Vm;

const THREAD: &str = "java/lang/Thread";

pub(crate) const NATIVES: &[NativeRow] = &[
    (THREAD, "clearInterruptEvent", "()V", nothing),
    (THREAD, "currentCarrierThread", "()Ljava/lang/Thread;", current_carrier_thread),
    (THREAD, "currentThread", "()Ljava/lang/Thread;", current_thread),
    (THREAD, "ensureMaterializedForStackWalk", "(Ljava/lang/Object;)V", nothing),
    (THREAD, "findScopedValueBindings", "()Ljava/lang/Object;", find_scoped_value_bindings),
    (THREAD, "getNextThreadIdOffset", "()J", get_next_thread_id_offset),
    (THREAD, "getThreads", "()[Ljava/lang/Thread;", get_threads),
    (THREAD, "holdsLock", "(Ljava/lang/Object;)Z", holds_lock),
    (THREAD, "interrupt0", "()V", interrupt),
    (THREAD, "resume0", "()V", resume),
    (THREAD, "scopedValueCache", "()[Ljava/lang/Object;", scoped_value_cache),
    (THREAD, "setCurrentThread", "(Ljava/lang/Thread;)V", set_current_thread),
    (THREAD, "setNativeName", "(Ljava/lang/String;)V", nothing),
    (THREAD, "setPriority0", "(I)V", nothing),
    (THREAD, "setScopedValueCache", "([Ljava/lang/Object;)V", set_scoped_value_cache),
    (THREAD, "sleep", "(J)V", sleep_millis),
    (THREAD, "sleepNanos0", "(J)V", sleep_nanos),
    (THREAD, "start0", "()V", start),
    (THREAD, "stop0", "(Ljava/lang/Object;)V", stop),
    (THREAD, "suspend0", "()V", suspend),
    (THREAD, "yield", "()V", yield_turn),
    (THREAD, "yield0", "()V", yield_turn),
];

/// The first `threadId()` that JDK 25 gives to a thread it makes; main has the one before.
const FIRST_THREAD_ID: i64 = 4;

fn current_thread(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(vm.thread().current.to_slot())
}

fn current_carrier_thread(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(vm.thread().java.to_slot())
}

fn set_current_thread(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let _carrier = args.reference();
    vm.thread().current = args.reference();
    Ok(0)
}

fn start(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let thread = args.reference();
    vm.start_thread(thread)?;
    Ok(0)
}

fn yield_turn(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    vm.yield_turn();
    Ok(0)
}

fn sleep_millis(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let millis = args.long();
    if millis < 0 {
        return Err(vm.throw("java/lang/IllegalArgumentException", "timeout value is negative"));
    }
    vm.sleep(millis.saturating_mul(1_000_000))?;
    Ok(0)
}

fn sleep_nanos(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let nanos = args.long();
    if nanos < 0 {
        return Err(
            vm.throw("java/lang/IllegalArgumentException", "nanosecond timeout value is negative")
        );
    }
    vm.sleep(nanos)?;
    Ok(0)
}

fn interrupt(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let thread = args.reference();
    vm.interrupt(thread);
    Ok(0)
}

fn suspend(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let thread = args.reference();
    vm.suspend(thread, true);
    Ok(0)
}

fn resume(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let thread = args.reference();
    vm.suspend(thread, false);
    Ok(0)
}

fn stop(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let thread = args.reference();
    let thrown = args.reference();
    if thrown.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    if vm.thread_of(thread).is_none() {
        // It will end as soon as it is started.
        let class = vm.boot_class(THREAD)?;
        let stillborn = vm.field_offset(class, "stillborn", "Z");
        vm.heap.store_u8(thread, stillborn, 1);
    }
    vm.stop_thread(thread, thrown)?;
    Ok(0)
}

fn holds_lock(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let object = args.reference();
    if object.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    Ok(u64::from(vm.holds_lock(object)))
}

/// All living platform threads, oldest first.
fn get_threads(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let thread_class = vm.boot_class(THREAD)?;
    let virtual_class = vm.find_boot_class(b"java/lang/BaseVirtualThread")?;
    let is_platform =
        |vm: &Vm, java: Ref| virtual_class.is_none_or(|class| !vm.instance_of(java, class));
    let alive = vm.threads.iter().filter(|thread| thread.is_alive() && !thread.java.is_null());
    let threads: Vec<Ref> =
        alive.map(|thread| thread.java).filter(|&java| is_platform(vm, java)).collect();
    Ok(vm.new_ref_array(thread_class, &threads)?.to_slot())
}

/// The address of a counter that Java code reads and adds to.
fn get_next_thread_id_offset(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    match vm.heap.raw_allocate(8) {
        Some(address) if vm.heap.raw_store(address, &FIRST_THREAD_ID.to_le_bytes()) => Ok(address),
        _ => Err(vm.throw("java/lang/OutOfMemoryError", "no raw memory for thread identifiers")),
    }
}

fn scoped_value_cache(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(vm.thread().scoped_values.to_slot())
}

fn set_scoped_value_cache(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    vm.thread().scoped_values = args.reference();
    Ok(0)
}

/// The bindings that the youngest `runWith` on the stack was given, its first argument.
fn find_scoped_value_bindings(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    for activation in vm.walk() {
        let method = vm.method(activation.method);
        let class = vm.class(method.class).name.as_bytes();
        let carries = method.name.as_bytes() == b"runWith"
            && matches!(class, b"java/lang/Thread" | b"java/lang/ScopedValue$Carrier");
        if carries {
            // SAFETY: the frame is live; register 0 is the receiver, register 1 the first argument.
            return Ok(unsafe { *(*activation.frame).fp.add(1) });
        }
    }
    Ok(0)
}

//! `ProcessEnvironment`, `ProcessHandleImpl` and `ProcessImpl`: the environment, the own process,
//! and other programs, which are not started from inside the machine.

use crate::frame::Res;
use crate::host::Right;
use crate::native::{Args, NativeRow, io_failure, nothing, zero};
use crate::value::Kind;
use crate::vm::Vm;

const ENVIRONMENT: &str = "java/lang/ProcessEnvironment";
const HANDLE: &str = "java/lang/ProcessHandleImpl";
const INFO: &str = "java/lang/ProcessHandleImpl$Info";
const IMPL: &str = "java/lang/ProcessImpl";

pub(crate) const NATIVES: &[NativeRow] = &[
    (ENVIRONMENT, "environ", "()[[B", environ),
    (HANDLE, "initNative", "()V", nothing),
    (HANDLE, "getCurrentPid0", "()J", current_pid),
    (HANDLE, "isAlive0", "(J)J", is_alive),
    (HANDLE, "parent0", "(JJ)J", no_process),
    (HANDLE, "destroy0", "(JJZ)Z", zero),
    (HANDLE, "getProcessPids0", "(J[J[J[J)I", zero),
    (INFO, "info0", "(J)V", nothing),
    (IMPL, "init", "()V", nothing),
    (IMPL, "forkAndExec", "", fork_and_exec),
];

fn environ(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let variables = vm.host.environment().map_err(|failure| io_failure(vm, failure))?;
    let mut parts = Vec::with_capacity(variables.len() * 2);
    for (name, value) in &variables {
        parts.push(vm.new_byte_array(name)?);
        parts.push(vm.new_byte_array(value)?);
    }
    let byte_array = vm.array_class(vm.primitive_class(Kind::Byte))?;
    Ok(vm.new_ref_array(byte_array, &parts)?.to_slot())
}

fn current_pid(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(u64::from(vm.host.platform().process))
}

/// Start time of a process, -1 where it does not live. Only the own one does.
fn is_alive(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let pid = args.long();
    let own = i64::from(vm.host.platform().process);
    Ok(if pid == own { 0 } else { u64::MAX })
}

fn no_process(_: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(u64::MAX)
}

fn fork_and_exec(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    if let Err(failure) = vm.host.ask(Right::Run) {
        return Err(io_failure(vm, failure));
    }
    Err(vm.throw("java/io/IOException", "error=38, programs cannot be started from this machine"))
}

//! `ProcessEnvironment`, `ProcessHandleImpl` and `ProcessImpl`: the environment, the own process,
//! and other programs, which the host starts.

use crate::files::Target;
use crate::frame::Res;
use crate::heap::ELEMENTS_OFFSET;
use crate::host::program::{Program, Stream};
use crate::host::{Failure, HostResult, Right, errno};
use crate::native::{Args, NativeRow, io_failure, nothing, zero};
use crate::value::{Kind, Ref};
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
    (HANDLE, "destroy0", "(JJZ)Z", destroy),
    (HANDLE, "waitForProcessExit0", "(JZ)I", wait_for_exit),
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

/// Start time of a process, -1 where it does not live. Only the own one does, and those started here.
fn is_alive(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let pid = args.long();
    let lives = pid == i64::from(vm.host.platform().process)
        || process(pid).is_ok_and(|process| vm.host.ended(process) == Ok(None));
    Ok(if lives { 0 } else { u64::MAX })
}

fn process(pid: i64) -> HostResult<u32> {
    u32::try_from(pid).map_err(|_| Failure::Os(errno::ECHILD))
}

fn destroy(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let pid = args.long();
    args.long();
    let kill = args.boolean();
    let ended = process(pid).and_then(|process| vm.host.end(process, kill));
    Ok(u64::from(ended.is_ok()))
}

/// Exit code of a program that was started here, after waiting for it; -1 for other processes.
fn wait_for_exit(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let pid = args.long();
    match process(pid).and_then(|process| vm.host.ended(process)) {
        Ok(Some(code)) => Ok(u64::from(code.cast_unsigned())),
        Ok(None) => Err(vm.come_back_later()),
        Err(_) => Ok(u64::from(u32::MAX)),
    }
}

fn no_process(_: &mut Vm, _: Args<'_>) -> Res<u64> {
    Ok(u64::MAX)
}

/// The arguments are laid out as `ProcessImpl` has them: text in arrays of bytes with a zero byte behind
/// each, and three descriptors, -1 for a pipe, which are replaced by the near ends of the pipes.
fn fork_and_exec(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    if let Err(failure) = vm.host.ask(Right::Run) {
        return Err(io_failure(vm, failure));
    }
    // The object, how to start, and the JDK's own helper for that.
    args.reference();
    args.int();
    args.reference();
    let mut words = texts(vm, args.reference());
    words.truncate(1);
    words.append(&mut texts(vm, args.reference()));
    args.int();
    let environment = match args.reference().some() {
        Some(block) => texts(vm, block).iter().filter_map(|text| variable(text)).collect(),
        None => vm.host.environment().map_err(|failure| io_failure(vm, failure))?,
    };
    args.int();
    let folder = args.reference().some().and_then(|path| texts(vm, path).into_iter().next());
    let descriptors = args.reference();
    let merges_errors = args.boolean();
    let mut streams = [Stream::Pipe; 3];
    for (offset, stream) in (ELEMENTS_OFFSET..).step_by(4).zip(&mut streams) {
        let number = vm.heap.load_u32(descriptors, offset).cast_signed();
        *stream = stream_to(vm, number).map_err(|failure| io_failure(vm, failure))?;
    }
    let program = Program { words, environment, folder, streams, merges_errors };
    let started = match vm.host.start(&program) {
        Ok(started) => started,
        Err(Failure::Os(number)) => {
            let text = errno::text(number);
            let message = match vm.jdk {
                ..25 => format!("error={number}, {text}"),
                _ => format!("Exec failed, error: {number} ({text}) "),
            };
            return Err(vm.throw("java/io/IOException", &message));
        }
        Err(failure) => return Err(io_failure(vm, failure)),
    };
    for (offset, pipe) in (ELEMENTS_OFFSET..).step_by(4).zip(started.pipes) {
        let number = pipe.map_or(-1, |pipe| vm.adopt_stream(pipe));
        vm.heap.store_u32(descriptors, offset, number.cast_unsigned());
    }
    Ok(u64::from(started.process))
}

/// Texts with a zero byte behind each.
fn texts(vm: &Vm, array: Ref) -> Vec<Vec<u8>> {
    if array.is_null() {
        return Vec::new();
    }
    let length = vm.heap.array_length(array) as usize;
    let bytes = vm.heap.bytes(array, ELEMENTS_OFFSET, length);
    let mut texts: Vec<Vec<u8>> = bytes.split(|&byte| byte == 0).map(<[u8]>::to_vec).collect();
    // What follows the last zero byte is no text.
    texts.pop();
    texts
}

/// Name and value; the name of a variable is never empty.
fn variable(text: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let equals = text.iter().skip(1).position(|&byte| byte == b'=')? + 1;
    Some((text[..equals].to_vec(), text[equals + 1..].to_vec()))
}

fn stream_to(vm: &Vm, descriptor: i32) -> HostResult<Stream> {
    if descriptor < 0 {
        return Ok(Stream::Pipe);
    }
    Ok(match vm.files.table.get(descriptor)?.target {
        Target::Host(handle) => Stream::File(handle),
        Target::Null | Target::Random => Stream::Nowhere,
    })
}

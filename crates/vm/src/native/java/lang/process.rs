//! `ProcessEnvironment`, `ProcessHandleImpl` and `ProcessImpl`: the environment, the own process,
//! and other programs, which the host starts.

use crate::files::Target;
use crate::frame::Res;
use crate::heap::ELEMENTS_OFFSET;
use crate::host::program::{Process, Program, Stream};
use crate::host::{Failure, HostResult, Right, errno};
use crate::native::{Args, NativeRow, io_failure, nothing};
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
    (HANDLE, "parent0", "(JJ)J", parent),
    (HANDLE, "destroy0", "(JJZ)Z", destroy),
    (HANDLE, "waitForProcessExit0", "(JZ)I", wait_for_exit),
    (HANDLE, "getProcessPids0", "(J[J[J[J)I", process_ids),
    (INFO, "info0", "(J)V", info),
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

/// Start time of a process, -1 where it does not live or is not shown.
fn is_alive(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let found = find(vm, args.long());
    Ok(found.map_or(u64::MAX, |process| process.started.cast_unsigned()))
}

fn find(vm: &mut Vm, pid: i64) -> Option<Process> {
    u32::try_from(pid).ok().and_then(|id| vm.host.process(id))
}

/// The parent of a process that was started then, -1 where it has none.
fn parent(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let found = find(vm, args.long());
    let started = args.long();
    let same = found.filter(|process| started == 0 || process.started == started);
    Ok(same.and_then(|process| process.parent).map_or(u64::MAX, u64::from))
}

/// The children of a process, or all processes for the number 0, with parents and start times as far as
/// the arrays have room; gives their number.
fn process_ids(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let of = args.long();
    let arrays = [args.reference(), args.reference(), args.reference()];
    let mut found = vm.host.processes();
    found.retain(|process| of == 0 || process.parent.map(i64::from) == Some(of));
    for (process, idx) in found.iter().zip(0u32..) {
        let parent = process.parent.map_or(0, u64::from);
        let words = [u64::from(process.id), parent, process.started.cast_unsigned()];
        for (array, word) in arrays.into_iter().zip(words) {
            if !array.is_null() && idx < vm.heap.array_length(array) {
                vm.heap.store_u64(array, ELEMENTS_OFFSET + idx * 8, word);
            }
        }
    }
    Ok(found.len() as u64)
}

/// Fills in what is known of a process. The own one is the `java` of the JDK that runs here.
fn info(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let object = args.reference();
    let pid = args.long();
    let Some(mut process) = find(vm, pid) else { return Ok(0) };
    if process.id == vm.host.platform().process {
        process.command = Some(format!("{}/bin/java", vm.options.java_home).into_bytes());
        let words = ["-cp".to_owned(), vm.options.class_path.clone()];
        process.arguments = Some(words.map(String::into_bytes).to_vec());
        if process.cpu_nanos.is_none() {
            process.cpu_nanos = Some(vm.nano_time());
        }
    }
    let class = vm.class_of(object);
    let times = [("startTime", Some(process.started)), ("totalTime", process.cpu_nanos)];
    for (name, value) in times {
        let offset = vm.field_offset(class, name, "J");
        vm.heap.store_u64(object, offset, value.unwrap_or(-1).cast_unsigned());
    }
    if let Ok(user) = vm.host.owner_name(process.user, false) {
        let user = vm.new_string(&String::from_utf8_lossy(&user))?;
        vm.set_field_ref(object, "user", "Ljava/lang/String;", user);
    }
    if let Some(command) = process.command {
        let command = vm.new_string(&String::from_utf8_lossy(&command))?;
        vm.set_field_ref(object, "command", "Ljava/lang/String;", command);
    }
    if let Some(arguments) = process.arguments {
        let mut texts = Vec::new();
        for argument in arguments {
            texts.push(vm.new_string(&String::from_utf8_lossy(&argument))?);
        }
        let class = vm.known.string;
        let texts = vm.new_ref_array(class, &texts)?;
        vm.set_field_ref(object, "arguments", "[Ljava/lang/String;", texts);
    }
    Ok(0)
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

/// Exit code of a program that was started here, after waiting for it; -2 for other processes, which Java
/// code looks for itself.
fn wait_for_exit(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let pid = args.long();
    match process(pid).and_then(|process| vm.host.ended(process)) {
        Ok(Some(code)) => Ok(u64::from(code.cast_unsigned())),
        Ok(None) => Err(vm.come_back_later()),
        Err(_) => Ok(u64::from((-2i32).cast_unsigned())),
    }
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
    if let Err(failure) = vm.force_mappings() {
        return Err(io_failure(vm, failure));
    }
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

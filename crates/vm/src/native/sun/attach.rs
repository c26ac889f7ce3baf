//! `sun.tools.attach.VirtualMachineImpl`: a program that attaches to its own process, as mocking libraries
//! do, talks to this machine. Other processes cannot be attached to.
//!
//! The library's code asks for the socket `.java_pid<process>` in the folder for temporary files, which the
//! machine shows to it (`own_socket`), and speaks HotSpot's protocol: version, command and three arguments,
//! each with a zero behind it; the answer is a result code on a line of its own, and text.

use crate::frame::{Hook, Res, Trap, Upcall};
use crate::heap::ELEMENTS_OFFSET;
use crate::host::{Failure, HostResult, errno};
use crate::instrument::Start;
use crate::native::{Args, NativeRow, check_range, nothing};
use crate::value::Ref;
use crate::vm::Vm;

const IMPL: &str = "sun/tools/attach/VirtualMachineImpl";

pub(crate) const NATIVES: &[NativeRow] = &[
    (IMPL, "sendQuitTo", "(I)V", send_quit),
    (IMPL, "checkPermissions", "(Ljava/lang/String;)V", nothing),
    (IMPL, "socket", "()I", socket),
    (IMPL, "connect", "(ILjava/lang/String;)V", connect),
    (IMPL, "close", "(I)V", close),
    (IMPL, "read", "(I[BII)I", read),
    (IMPL, "write", "(I[BII)V", write),
];

/// One conversation.
#[derive(Debug, Default)]
pub(crate) struct Connection {
    is_connected: bool,
    written: Vec<u8>,
    /// The answer and how much of it was read.
    answer: Option<(Vec<u8>, usize)>,
}

/// Whether a path is the socket of this machine's own process.
pub(crate) fn is_own_socket(vm: &mut Vm, path: &[u8]) -> bool {
    /// Where HotSpot keeps its sockets, whatever `java.io.tmpdir` says.
    const FOLDER: &str = "/tmp";
    const NAME: &str = "/.java_pid";
    let Ok(path) = std::str::from_utf8(path) else { return false };
    let Some(at) = path.rfind(NAME) else { return false };
    let (folder, number) = (&path[..at], &path[at + NAME.len()..]);
    let own = vm.host.platform().process.to_string();
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    // In a container the process has a number of its own.
    folder == FOLDER && number == own || folder == format!("/proc/{own}/root{FOLDER}") && is_number
}

/// Whether a path is in the folder that tells of this machine's own process, which is not there for a
/// program that may not read it.
pub(crate) fn is_own_process(vm: &mut Vm, path: &[u8]) -> bool {
    path.starts_with(b"/proc/") && {
        let folder = format!("/proc/{}", vm.host.platform().process);
        let rest = path.strip_prefix(folder.as_bytes());
        rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
    }
}

/// What the user did not grant of the own process's folder is not there.
pub(crate) fn absent_if_own<T>(vm: &mut Vm, path: &[u8], result: HostResult<T>) -> HostResult<T> {
    match result {
        Err(Failure::Denied(_)) if is_own_process(vm, path) => Err(Failure::Os(errno::ENOENT)),
        result => result,
    }
}

fn send_quit(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    Err(vm.throw("java/io/IOException", "No such process"))
}

fn socket(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let all = &mut vm.agents.connections;
    all.push(Connection::default());
    Ok(all.len() as u64 - 1)
}

fn connection(vm: &mut Vm, number: i32) -> Option<&mut Connection> {
    vm.agents.connections.get_mut(usize::try_from(number).ok()?)
}

fn connect(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let number = args.int();
    let path = args.reference();
    let path = if path.is_null() { String::new() } else { vm.string_text(path) };
    if !is_own_socket(vm, path.as_bytes()) {
        return Err(vm.throw("java/io/IOException", "Connection refused"));
    }
    if let Some(connection) = connection(vm, number) {
        connection.is_connected = true;
    }
    Ok(0)
}

fn close(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let number = args.int();
    if let Some(connection) = connection(vm, number) {
        *connection = Connection::default();
    }
    Ok(0)
}

fn write(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let number = args.int();
    let array = args.reference();
    let (offset, length) = (args.int(), args.int());
    let (at, length) = check_range(vm, array, offset, length)?;
    let bytes = vm.heap.bytes(array, at, length).to_vec();
    match connection(vm, number) {
        Some(connection) if connection.is_connected => {
            connection.written.extend_from_slice(&bytes);
            Ok(0)
        }
        _ => Err(vm.throw("java/io/IOException", "Broken pipe")),
    }
}

fn read(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let number = args.int();
    let array = args.reference();
    let (offset, length) = (args.int(), args.int());
    let (at, length) = check_range(vm, array, offset, length)?;
    let (is_answered, command) = match connection(vm, number) {
        Some(connection) if connection.is_connected => {
            (connection.answer.is_some(), connection.written.clone())
        }
        _ => return Err(vm.throw("java/io/IOException", "Connection reset by peer")),
    };
    if !is_answered {
        let answer = answer(vm, &command)?;
        if let Some(connection) = connection(vm, number) {
            connection.answer = Some((answer, 0));
        }
    }
    let mut part = Vec::new();
    if let Some(Connection { answer: Some((answer, position)), .. }) = connection(vm, number) {
        let end = answer.len().min(*position + length);
        part.extend_from_slice(&answer[*position..end]);
        *position = end;
    }
    if part.is_empty() && length > 0 {
        return Ok(u64::from(u32::MAX));
    }
    debug_assert!(at >= ELEMENTS_OFFSET);
    vm.heap.store_bytes(array, at, &part);
    Ok(part.len() as u64)
}

/// Does what a command says.
fn answer(vm: &mut Vm, command: &[u8]) -> Res<Vec<u8>> {
    let mut parts = command.split(|&byte| byte == 0).map(String::from_utf8_lossy);
    let mut part = || parts.next().unwrap_or_default().into_owned();
    let (version, name) = (part(), part());
    let arguments = [part(), part(), part()];
    if version != "1" {
        return Ok(b"101\n".to_vec());
    }
    match name.as_str() {
        "load" if arguments[0] == "instrument" => {
            let (path, options) = match arguments[2].split_once('=') {
                Some((path, options)) => (path, Some(options)),
                None => (arguments[2].as_str(), None),
            };
            let failure = vm.start_agent(path, options, Start::Attached)?;
            let code = failure.map_or(0, |failure| failure as i32);
            Ok(format!("0\nreturn code: {code}\n").into_bytes())
        }
        "properties" => {
            let properties = system_properties(vm)?;
            Ok([b"0\n".as_slice(), &properties].concat())
        }
        "load" => Ok(format!("0\n{} was not loaded.\n", arguments[0]).into_bytes()),
        other => Ok(format!("-1\nOperation {other} not recognized!").into_bytes()),
    }
}

/// The system properties as the library writes them for whoever attaches.
fn system_properties(vm: &mut Vm) -> Res<Vec<u8>> {
    if let Some((_, array)) = vm.resumed.take() {
        let Some(array) = Ref::from_slot(array).some() else { return Ok(Vec::new()) };
        let length = vm.heap.array_length(array) as usize;
        return Ok(vm.heap.bytes(array, ELEMENTS_OFFSET, length).to_vec());
    }
    let support = vm.boot_class("jdk/internal/vm/VMSupport")?;
    vm.ensure_initialised(support)?;
    let Some(method) = vm.class(support).method(b"serializePropertiesToByteArray", b"()[B") else {
        return Err(vm.throw("java/lang/NoSuchMethodError", "serializePropertiesToByteArray"));
    };
    let hook = Hook::Resume { state: 0 };
    Err(Trap::Upcall(Box::new(Upcall { method: method.id, args: Vec::new(), hook })))
}

//! The processes of this computer, as the system tells in its files: a part of the real host.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;

use vm::host::program::Process;

/// Times of processes are counted in hundredths of a second on every Linux that JDKs run on.
const TICK_NANOS: i64 = 10_000_000;
const TICK_MILLIS: i64 = 10;

/// All processes, by id.
pub(crate) fn all() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut found: Vec<Process> =
        names.filter_map(|name| name.parse().ok()).filter_map(one).collect();
    found.sort_by_key(|process| process.id);
    found
}

/// One process; `None` where there is none, or only what is left of it for its parent.
pub(crate) fn one(id: u32) -> Option<Process> {
    let text = fs::read(format!("/proc/{id}/stat")).ok()?;
    // The name in parentheses may hold anything.
    let behind = text.iter().rposition(|&byte| byte == b')')? + 1;
    let text = String::from_utf8_lossy(&text[behind..]);
    let parts: Vec<&str> = text.split_whitespace().collect();
    let number = |idx: usize| parts.get(idx).and_then(|part| part.parse::<i64>().ok());
    if matches!(parts.first(), Some(&("Z" | "X"))) {
        return None;
    }
    let arguments = fs::read(format!("/proc/{id}/cmdline")).ok().filter(|line| !line.is_empty());
    let arguments = arguments.map(|line| {
        let line = line.strip_suffix(b"\0").unwrap_or(&line);
        line.split(|&byte| byte == 0).skip(1).map(<[u8]>::to_vec).collect()
    });
    let command = fs::read_link(format!("/proc/{id}/exe")).ok();
    Some(Process {
        id,
        parent: number(1).and_then(|parent| u32::try_from(parent).ok()).filter(|&id| id != 0),
        started: booted_millis() + number(19)? * TICK_MILLIS,
        cpu_nanos: Some((number(11)? + number(12)?) * TICK_NANOS),
        user: fs::metadata(format!("/proc/{id}")).ok()?.uid(),
        command: command.map(|path| path.as_os_str().as_bytes().to_vec()),
        arguments,
    })
}

/// When the computer was started, milliseconds since the epoch.
fn booted_millis() -> i64 {
    let text = fs::read_to_string("/proc/stat").unwrap_or_default();
    let seconds = text.lines().find_map(|line| line.strip_prefix("btime "));
    seconds.and_then(|seconds| seconds.trim().parse::<i64>().ok()).unwrap_or(0) * 1000
}

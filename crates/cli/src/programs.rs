//! The programs that Java code started on this computer: a part of the real host.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use vm::host::Handle;
use vm::host::program::{Program, Stream};

use crate::os_host::Output;

/// How long a look at a pipe or a program may take, so that waiting is no busy loop.
const MOMENT_MILLIS: i32 = 1;

/// Programs that were started and their pipes.
#[derive(Debug, Default)]
pub(crate) struct Programs {
    running: BTreeMap<u32, Child>,
    ended: BTreeMap<u32, ExitStatus>,
    pipes: BTreeSet<Handle>,
}

impl Programs {
    /// Starts a program; gives its process id and the near ends of its pipes. `standard` says what
    /// our standard output is to it.
    pub(crate) fn start(
        &mut self,
        program: &Program,
        files: &BTreeMap<Handle, File>,
        standard: Output,
    ) -> io::Result<(u32, [Option<File>; 3])> {
        let Some((name, arguments)) = program.words.split_first() else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let found = find(name)?;
        let mut command = Command::new(&found);
        command.arg0(OsStr::from_bytes(name));
        command.args(arguments.iter().map(|word| OsStr::from_bytes(word)));
        match self.spawn(command, program, files, standard) {
            // As execvp does: a file that no loader knows is a script for the shell.
            Err(error) if error.raw_os_error() == Some(libc::ENOEXEC) => {
                let mut shell = Command::new("/bin/sh");
                shell.arg(found).args(arguments.iter().map(|word| OsStr::from_bytes(word)));
                self.spawn(shell, program, files, standard)
            }
            result => result,
        }
    }

    /// Starts `command` where and with what `program` says.
    fn spawn(
        &mut self,
        mut command: Command,
        program: &Program,
        files: &BTreeMap<Handle, File>,
        standard: Output,
    ) -> io::Result<(u32, [Option<File>; 3])> {
        command.env_clear();
        for (name, value) in &program.environment {
            command.env(OsStr::from_bytes(name), OsStr::from_bytes(value));
        }
        if let Some(folder) = &program.folder {
            command.current_dir(OsStr::from_bytes(folder));
        }
        let [input, output, errors] = program.streams;
        let stdio = |stream| match stream {
            Stream::Pipe => Ok(Stdio::piped()),
            Stream::Nowhere => Ok(Stdio::null()),
            Stream::File(Handle::STDIN) => Ok(Stdio::inherit()),
            Stream::File(Handle::STDOUT | Handle::STDERR) if standard == Output::Nowhere => {
                Ok(Stdio::null())
            }
            Stream::File(Handle::STDOUT) if standard == Output::Own => {
                Ok(Stdio::from(io::stdout()))
            }
            Stream::File(Handle::STDOUT | Handle::STDERR) => Ok(Stdio::from(io::stderr())),
            Stream::File(handle) => match files.get(&handle) {
                Some(file) => file.try_clone().map(Stdio::from),
                None => Err(io::Error::from_raw_os_error(libc::EBADF)),
            },
        };
        command.stdin(stdio(input)?);
        let mut merged = None;
        match output {
            Stream::Pipe if program.merges_errors => {
                let (near, far) = io::pipe()?;
                command.stdout(far.try_clone()?).stderr(far);
                merged = Some(File::from(OwnedFd::from(near)));
            }
            output if program.merges_errors => {
                command.stdout(stdio(output)?).stderr(stdio(output)?);
            }
            output => {
                command.stdout(stdio(output)?).stderr(stdio(errors)?);
            }
        }
        let mut child = command.spawn()?;
        let input = child.stdin.take().map(|end| File::from(OwnedFd::from(end)));
        let output = child.stdout.take().map(|end| File::from(OwnedFd::from(end)));
        let errors = child.stderr.take().map(|end| File::from(OwnedFd::from(end)));
        let process = child.id();
        self.ended.remove(&process);
        self.running.insert(process, child);
        Ok((process, [input, merged.or(output), errors]))
    }

    /// These handles are pipes to a program.
    pub(crate) fn remember(&mut self, pipes: [Option<Handle>; 3]) {
        self.pipes.extend(pipes.into_iter().flatten());
    }

    /// A handle was closed.
    pub(crate) fn forget(&mut self, file: Handle) {
        self.pipes.remove(&file);
    }

    pub(crate) fn is_pipe(&self, file: Handle) -> bool {
        self.pipes.contains(&file)
    }

    /// How a program ended; `None` while it runs, after a moment.
    pub(crate) fn ended(&mut self, process: u32) -> io::Result<Option<i32>> {
        if let Some(child) = self.running.get_mut(&process) {
            let Some(status) = child.try_wait()? else {
                std::thread::sleep(std::time::Duration::from_millis(1));
                return Ok(None);
            };
            self.running.remove(&process);
            self.ended.insert(process, status);
        }
        match self.ended.get(&process) {
            Some(status) => {
                Ok(status.code().or_else(|| status.signal().map(|signal| 128 + signal)))
            }
            None => Err(io::Error::from_raw_os_error(libc::ECHILD)),
        }
    }

    /// Asks a process to end, or kills it.
    pub(crate) fn end(&mut self, process: u32, kill: bool) -> io::Result<()> {
        if kill && let Some(child) = self.running.get_mut(&process) {
            return child.kill();
        }
        let pid = libc::pid_t::try_from(process).map_err(io::Error::other)?;
        let signal = if kill { libc::SIGKILL } else { libc::SIGTERM };
        // SAFETY: takes numbers only. That of a child that has not been waited for is still its own.
        #[expect(unsafe_code, reason = "the standard library can only kill children")]
        let result = unsafe { libc::kill(pid, signal) };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

/// Whether reading from a pipe has to wait, after a moment.
pub(crate) fn must_wait(pipe: &File) -> bool {
    let mut poll = libc::pollfd { fd: pipe.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one entry for an open descriptor.
    #[expect(unsafe_code, reason = "the standard library cannot look into a pipe")]
    let n_ready = unsafe { libc::poll(&raw mut poll, 1, MOMENT_MILLIS) };
    n_ready == 0
}

/// Where a program is: a path, or a name to look for on our own PATH.
fn find(name: &[u8]) -> io::Result<PathBuf> {
    let name = Path::new(OsStr::from_bytes(name));
    if name.components().count() != 1 || name.is_absolute() {
        return Ok(name.to_path_buf());
    }
    let folders = std::env::var_os("PATH").unwrap_or_else(|| OsString::from("/usr/bin:/bin"));
    let mut candidates = std::env::split_paths(&folders).map(|folder| folder.join(name));
    candidates.find(|path| path.is_file()).ok_or(io::ErrorKind::NotFound.into())
}

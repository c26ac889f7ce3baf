//! The real outside: this computer's clock, environment, files and streams.
//!
//! Whether the program may see any of it is decided before, by `vm::host::guard`.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{CString, OsStr, OsString};
use std::fs::{self, File, FileTimes, OpenOptions, Permissions};
use std::io::{self, IsTerminal, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use vm::host::network::Network;
use vm::host::program::{Process, Program, Started};
use vm::host::{
    Change, Failure, Handle, Host, HostResult, Links, Metadata, OpenHow, Platform, Right, Space,
    errno,
};

use crate::programs::{self, Programs};
use crate::watches;
use crate::{attributes, processes};

/// Where standard output of the program goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Output {
    /// To our own.
    Own,
    /// To standard error: standard output is for what we say ourselves.
    Stderr,
    /// Nowhere, nor does standard error.
    Nowhere,
}

/// See the module text.
pub(crate) struct OsHost {
    start: Instant,
    files: BTreeMap<Handle, File>,
    next: u32,
    output: Output,
    /// Asked for often; does not change while the program runs.
    platform: Platform,
    programs: Programs,
}

impl OsHost {
    pub(crate) fn new() -> OsHost {
        OsHost {
            start: Instant::now(),
            files: BTreeMap::new(),
            next: Handle::STDERR.0 + 1,
            output: Output::Own,
            platform: platform(),
            programs: Programs::default(),
        }
    }

    /// Keeps standard output free for our own.
    pub(crate) fn with_output_to_stderr(self) -> OsHost {
        OsHost { output: Output::Stderr, ..self }
    }

    /// Lets what programs write on their streams vanish, and gives them nothing to read.
    pub(crate) fn without_streams(self) -> OsHost {
        OsHost { output: Output::Nowhere, ..self }
    }

    pub(crate) fn add(&mut self, file: File) -> Handle {
        let handle = Handle(self.next);
        self.next += 1;
        self.files.insert(handle, file);
        handle
    }

    pub(crate) fn file(&mut self, handle: Handle) -> HostResult<&mut File> {
        self.files.get_mut(&handle).ok_or(Failure::Os(errno::EBADF))
    }
}

/// What went wrong, with the number that Linux has for it.
pub(crate) fn failure(error: io::Error) -> Failure {
    let by_kind = match error.kind() {
        io::ErrorKind::NotFound => errno::ENOENT,
        io::ErrorKind::PermissionDenied => errno::EACCES,
        io::ErrorKind::AlreadyExists => errno::EEXIST,
        io::ErrorKind::InvalidInput => errno::EINVAL,
        _ => errno::EIO,
    };
    Failure::Os(error.raw_os_error().unwrap_or(by_kind))
}

fn path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

fn c_path(bytes: &[u8]) -> HostResult<CString> {
    CString::new(bytes).map_err(|_| Failure::Os(errno::ENOENT))
}

fn metadata_of(from: &fs::Metadata) -> Metadata {
    let nanos = |seconds: i64, nanos: i64| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
    let created = from.created().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Metadata {
        mode: from.mode(),
        inode: from.ino(),
        device: from.dev(),
        special_device: from.rdev(),
        links: from.nlink(),
        user: from.uid(),
        group: from.gid(),
        size: from.size(),
        accessed: nanos(from.atime(), from.atime_nsec()),
        modified: nanos(from.mtime(), from.mtime_nsec()),
        changed: nanos(from.ctime(), from.ctime_nsec()),
        created: created.and_then(|since| i128::try_from(since.as_nanos()).ok()),
    }
}

fn system_time(nanos: i128) -> SystemTime {
    let whole = Duration::from_nanos(u64::try_from(nanos.unsigned_abs()).unwrap_or(u64::MAX));
    if nanos < 0 { UNIX_EPOCH - whole } else { UNIX_EPOCH + whole }
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// Language and country of `LC_ALL`, `LC_MESSAGES` or `LANG`, such as `de_DE.UTF-8`.
fn locale() -> (String, String) {
    let name = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(variable).unwrap_or_default();
    let name = name.split(['.', '@']).next().unwrap_or_default();
    match name.split_once('_') {
        Some((language, country)) => (language.to_owned(), country.to_owned()),
        None if name.is_empty() || name == "C" || name == "POSIX" => {
            ("en".to_owned(), String::new())
        }
        None => (name.to_owned(), String::new()),
    }
}

/// The name of the zone: `TZ`, or what `/etc/localtime` leads to.
fn time_zone() -> String {
    if let Some(zone) = variable("TZ") {
        return zone.trim_start_matches(':').to_owned();
    }
    let link = fs::read_link("/etc/localtime").unwrap_or_default();
    let text = link.to_string_lossy();
    match text.split_once("zoneinfo/") {
        Some((_, zone)) => zone.to_owned(),
        None => "UTC".to_owned(),
    }
}

/// Computer and user as they are.
fn platform() -> Platform {
    let (language, country) = locale();
    let fixed = Platform::fixed();
    let working_dir = env::current_dir().map(|folder| folder.to_string_lossy().into_owned());
    let os_version = fs::read_to_string("/proc/sys/kernel/osrelease");
    // SAFETY: these calls only read numbers of the own process.
    #[expect(unsafe_code, reason = "the standard library does not tell user and group")]
    let ids = unsafe { (libc::getuid(), libc::getgid()) };
    let listed = owners(false).ok().and_then(|owners| {
        let (name, _) = owners.into_iter().find(|(_, number)| *number == ids.0)?;
        String::from_utf8(name).ok()
    });
    let user_name = listed.or_else(|| variable("USER")).or_else(|| variable("LOGNAME"));
    Platform {
        os_version: os_version.map_or(fixed.os_version, |text| text.trim().to_owned()),
        user_name: user_name.unwrap_or(fixed.user_name),
        user_home: variable("HOME").unwrap_or(fixed.user_home),
        user_dir: working_dir.unwrap_or(fixed.user_dir),
        temporary_dir: "/tmp".to_owned(),
        language,
        country,
        time_zone: time_zone(),
        ids,
        process: std::process::id(),
        ..fixed
    }
}

impl Host for OsHost {
    fn epoch_nanos(&mut self) -> i128 {
        match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => i128::try_from(since.as_nanos()).unwrap_or(i128::MAX),
            Err(before) => -i128::try_from(before.duration().as_nanos()).unwrap_or(i128::MAX),
        }
    }

    fn nano_time(&mut self) -> Option<i64> {
        Some(i64::try_from(self.start.elapsed().as_nanos()).unwrap_or(i64::MAX))
    }

    fn sleep(&mut self, nanos: i64) {
        thread::sleep(Duration::from_nanos(u64::try_from(nanos).unwrap_or(0)));
    }

    fn platform(&mut self) -> Platform {
        self.platform.clone()
    }

    fn environment(&mut self) -> HostResult<Vec<(Vec<u8>, Vec<u8>)>> {
        let mut variables: Vec<(Vec<u8>, Vec<u8>)> =
            env::vars_os().map(|(name, value)| (name.into_vec(), value.into_vec())).collect();
        variables.sort();
        Ok(variables)
    }

    fn open(&mut self, name: &[u8], how: OpenHow) -> HostResult<Handle> {
        let mut options = OpenOptions::new();
        options.read(how.read).write(how.write).append(how.append && how.write);
        options.truncate(how.truncate).mode(how.mode);
        if how.exclusive && how.create {
            options.create_new(true);
        } else {
            options.create(how.create);
        }
        if how.no_follow {
            options.custom_flags(libc::O_NOFOLLOW);
        }
        let file = options.open(path(name)).map_err(failure)?;
        Ok(self.add(file))
    }

    fn close(&mut self, file: Handle) -> HostResult<()> {
        self.files.remove(&file);
        self.programs.forget(file);
        Ok(())
    }

    fn read(&mut self, file: Handle, at: Option<u64>, buffer: &mut [u8]) -> HostResult<usize> {
        let result = match (file, at) {
            (Handle::STDIN, _) if self.output == Output::Nowhere => Ok(0),
            (Handle::STDIN, _) => io::stdin().lock().read(buffer),
            (_, Some(at)) => self.file(file)?.read_at(buffer, at),
            (_, None) => self.file(file)?.read(buffer),
        };
        result.map_err(failure)
    }

    fn write(&mut self, file: Handle, at: Option<u64>, bytes: &[u8]) -> HostResult<usize> {
        let result = match (file, at) {
            (Handle::STDOUT | Handle::STDERR, _) if self.output == Output::Nowhere => {
                Ok(bytes.len())
            }
            (Handle::STDOUT, _) if self.output == Output::Own => {
                let mut out = io::stdout().lock();
                out.write_all(bytes).and_then(|()| out.flush()).map(|()| bytes.len())
            }
            (Handle::STDOUT | Handle::STDERR, _) => {
                io::stderr().lock().write_all(bytes).map(|()| bytes.len())
            }
            (_, Some(at)) => self.file(file)?.write_at(bytes, at),
            (_, None) => self.file(file)?.write(bytes),
        };
        result.map_err(failure)
    }

    fn available(&mut self, file: Handle) -> HostResult<u64> {
        let descriptor = match file {
            Handle::STDIN => io::stdin().as_raw_fd(),
            _ => self.file(file)?.as_raw_fd(),
        };
        let mut count: libc::c_int = 0;
        // SAFETY: the descriptor is open and FIONREAD writes one int.
        #[expect(unsafe_code, reason = "the standard library cannot look into a pipe")]
        let result = unsafe { libc::ioctl(descriptor, libc::FIONREAD, &raw mut count) };
        if result != 0 {
            return Err(failure(io::Error::last_os_error()));
        }
        Ok(u64::try_from(count).unwrap_or(0))
    }

    fn set_size(&mut self, file: Handle, size: u64) -> HostResult<()> {
        self.file(file)?.set_len(size).map_err(failure)
    }

    fn sync(&mut self, file: Handle) -> HostResult<()> {
        if file <= Handle::STDERR {
            return Ok(());
        }
        self.file(file)?.sync_all().map_err(failure)
    }

    fn is_terminal(&mut self, file: Handle) -> bool {
        match file {
            Handle::STDIN => io::stdin().is_terminal(),
            Handle::STDOUT => io::stdout().is_terminal(),
            Handle::STDERR => io::stderr().is_terminal(),
            _ => self.files.get(&file).is_some_and(File::is_terminal),
        }
    }

    fn handle_metadata(&mut self, file: Handle) -> HostResult<Metadata> {
        if file <= Handle::STDERR {
            return Ok(Metadata {
                mode: Metadata::CHARACTER_DEVICE | 0o620,
                ..Metadata::default()
            });
        }
        self.file(file)?.metadata().map(|metadata| metadata_of(&metadata)).map_err(failure)
    }

    fn metadata(&mut self, name: &[u8], links: Links) -> HostResult<Metadata> {
        let result = match links {
            Links::Follow => fs::metadata(path(name)),
            Links::Keep => fs::symlink_metadata(path(name)),
        };
        result.map(|metadata| metadata_of(&metadata)).map_err(failure)
    }

    fn access(&mut self, name: &[u8], mode: i32) -> HostResult<()> {
        let name = c_path(name)?;
        // SAFETY: the path ends in a zero byte.
        #[expect(unsafe_code, reason = "the standard library has no access(2)")]
        let result = unsafe { libc::access(name.as_ptr(), mode) };
        if result == 0 { Ok(()) } else { Err(failure(io::Error::last_os_error())) }
    }

    fn list(&mut self, name: &[u8]) -> HostResult<Vec<Vec<u8>>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(path(name)).map_err(failure)? {
            names.push(entry.map_err(failure)?.file_name().into_vec());
        }
        names.sort();
        Ok(names)
    }

    fn real_path(&mut self, name: &[u8]) -> HostResult<Vec<u8>> {
        let real = fs::canonicalize(path(name)).map_err(failure)?;
        Ok(OsString::from(real).into_vec())
    }

    fn read_link(&mut self, name: &[u8]) -> HostResult<Vec<u8>> {
        let target = fs::read_link(path(name)).map_err(failure)?;
        Ok(OsString::from(target).into_vec())
    }

    fn space(&mut self, name: &[u8]) -> HostResult<Space> {
        let name = c_path(name)?;
        // SAFETY: all-zero is a value of this plain struct; the path ends in a zero byte.
        #[expect(unsafe_code, reason = "the standard library has no statvfs(3)")]
        let (result, figures) = unsafe {
            let mut figures: libc::statvfs = std::mem::zeroed();
            (libc::statvfs(name.as_ptr(), &raw mut figures), figures)
        };
        if result != 0 {
            return Err(failure(io::Error::last_os_error()));
        }
        let unit = figures.f_frsize;
        Ok(Space {
            total: figures.f_blocks * unit,
            free: figures.f_bfree * unit,
            usable: figures.f_bavail * unit,
        })
    }

    fn owner_name(&mut self, id: u32, is_group: bool) -> HostResult<Vec<u8>> {
        let owners = owners(is_group)?;
        let found = owners.into_iter().find(|(_, number)| *number == id);
        found.map(|(name, _)| name).ok_or(Failure::Os(errno::ENOENT))
    }

    fn owner_number(&mut self, name: &[u8], is_group: bool) -> HostResult<u32> {
        let owners = owners(is_group)?;
        let found = owners.into_iter().find(|(owner, _)| owner == name);
        found.map(|(_, number)| number).ok_or(Failure::Os(errno::ENOENT))
    }

    fn change(&mut self, change: Change<'_>) -> HostResult<()> {
        let result = match change {
            Change::MakeDirectory { path: name, mode } => {
                use std::os::unix::fs::DirBuilderExt;
                fs::DirBuilder::new().mode(mode).create(path(name))
            }
            Change::RemoveDirectory { path: name } => fs::remove_dir(path(name)),
            Change::RemoveFile { path: name } => fs::remove_file(path(name)),
            Change::Rename { from, to } => fs::rename(path(from), path(to)),
            Change::HardLink { existing, path: name } => fs::hard_link(path(existing), path(name)),
            Change::SymbolicLink { target, path: name } => {
                std::os::unix::fs::symlink(path(target), path(name))
            }
            Change::SetMode { path: name, mode } => {
                fs::set_permissions(path(name), Permissions::from_mode(mode))
            }
            Change::SetOwner { path: name, user, group, links } => {
                let user = u32::try_from(user).ok();
                let group = u32::try_from(group).ok();
                match links {
                    Links::Follow => std::os::unix::fs::chown(path(name), user, group),
                    Links::Keep => std::os::unix::fs::lchown(path(name), user, group),
                }
            }
            Change::SetTimes { path: name, accessed, modified, .. } => {
                set_times(name, accessed, modified)
            }
            Change::SetAttribute { path, name, value } => {
                attributes::set(&c_path(path)?, name, value)
            }
            Change::RemoveAttribute { path, name } => attributes::remove(&c_path(path)?, name),
        };
        result.map_err(failure)
    }

    fn start(&mut self, program: &Program) -> HostResult<Started> {
        let (process, ends) =
            self.programs.start(program, &self.files, self.output).map_err(failure)?;
        let pipes = ends.map(|end| end.map(|end| self.add(end)));
        self.programs.remember(pipes);
        Ok(Started { process, pipes })
    }

    fn ended(&mut self, process: u32) -> HostResult<Option<i32>> {
        self.programs.ended(process).map_err(failure)
    }

    fn end(&mut self, process: u32, kill: bool) -> HostResult<()> {
        self.programs.end(process, kill).map_err(failure)
    }

    fn processes(&mut self) -> Vec<Process> {
        processes::all()
    }

    fn process(&mut self, id: u32) -> Option<Process> {
        processes::one(id)
    }

    fn attribute_names(&mut self, path: &[u8]) -> HostResult<Vec<Vec<u8>>> {
        attributes::names(&c_path(path)?).map_err(failure)
    }

    fn attribute(&mut self, path: &[u8], name: &[u8]) -> HostResult<Vec<u8>> {
        attributes::value(&c_path(path)?, name).map_err(failure)
    }

    fn watcher(&mut self) -> HostResult<Handle> {
        let file = watches::open().map_err(failure)?;
        Ok(self.add(file))
    }

    fn watch(&mut self, watcher: Handle, path: &[u8], mask: u32) -> HostResult<i32> {
        let path = c_path(path)?;
        watches::add(self.file(watcher)?, &path, mask).map_err(failure)
    }

    fn unwatch(&mut self, watcher: Handle, number: i32) -> HostResult<()> {
        watches::remove(self.file(watcher)?, number).map_err(failure)
    }

    fn must_wait(&mut self, file: Handle) -> bool {
        match self.files.get(&file) {
            Some(pipe) if self.programs.is_pipe(file) => programs::must_wait(pipe),
            _ => false,
        }
    }

    fn network(&mut self) -> HostResult<&mut dyn Network> {
        Ok(self)
    }

    fn has_ipv6(&mut self) -> bool {
        self.knows_ipv6()
    }

    fn ask(&mut self, _: Right) -> HostResult<()> {
        Ok(())
    }
}

/// Names and numbers of the users or groups of this computer.
fn owners(is_group: bool) -> HostResult<Vec<(Vec<u8>, u32)>> {
    let table = if is_group { "/etc/group" } else { "/etc/passwd" };
    let text = fs::read_to_string(table).map_err(failure)?;
    let owner = |line: &str| {
        let mut fields = line.split(':');
        let name = fields.next()?.as_bytes().to_vec();
        Some((name, fields.nth(1)?.parse().ok()?))
    };
    Ok(text.lines().filter_map(owner).collect())
}

fn set_times(name: &[u8], accessed: Option<i128>, modified: Option<i128>) -> io::Result<()> {
    let mut times = FileTimes::new();
    if let Some(accessed) = accessed {
        times = times.set_accessed(system_time(accessed));
    }
    if let Some(modified) = modified {
        times = times.set_modified(system_time(modified));
    }
    File::open(path(name))?.set_times(times)
}

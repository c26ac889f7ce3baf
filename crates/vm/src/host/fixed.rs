//! A world that is the same everywhere: a clock that only virtual time moves, no environment, no
//! files but those it was given, which nobody can change, empty input, output kept in memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::{
    Change, Denial, Failure, Handle, Host, HostResult, Links, Metadata, OpenHow, Platform, Right,
    Space, errno,
};

/// 2024-01-01T00:00:00Z.
pub const FIXED_EPOCH_NANOS: i128 = 1_704_067_200_000_000_000;

/// What a program wrote; shared, so that it can be read while the machine owns the host.
#[derive(Debug, Clone, Default)]
pub struct Output {
    streams: Arc<Mutex<[Vec<u8>; 2]>>,
}

impl Output {
    /// What went to standard output so far.
    pub fn stdout(&self) -> Vec<u8> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)[0].clone()
    }

    /// What went to standard error so far.
    pub fn stderr(&self) -> Vec<u8> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)[1].clone()
    }

    fn append(&self, stream: usize, bytes: &[u8]) {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        streams[stream].extend_from_slice(bytes);
    }
}

/// See the module text.
#[derive(Debug, Default)]
pub struct FixedHost {
    output: Output,
    /// Content by absolute path.
    files: BTreeMap<Vec<u8>, Vec<u8>>,
    /// Paths of open files, by handle less the standard ones.
    open: Vec<Vec<u8>>,
}

impl FixedHost {
    /// A fresh world.
    pub fn new() -> FixedHost {
        FixedHost::default()
    }

    /// Where the output goes.
    pub fn output(&self) -> Output {
        self.output.clone()
    }

    /// Adds a file with an absolute path; the folders above it are there then too.
    pub fn add_file(&mut self, path: &str, content: Vec<u8>) {
        self.files.insert(path.as_bytes().to_vec(), content);
    }

    /// A path without doubled or trailing slashes, `.` and `..`.
    fn plain(path: &[u8]) -> Vec<u8> {
        let home = Platform::fixed().user_dir.into_bytes();
        let start: &[u8] = if path.starts_with(b"/") { b"" } else { &home };
        let mut parts: Vec<&[u8]> = Vec::new();
        for part in start.split(|&byte| byte == b'/').chain(path.split(|&byte| byte == b'/')) {
            match part {
                b"" | b"." => {}
                b".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        let mut plain = vec![b'/'];
        plain.extend_from_slice(&parts.join(&b'/'));
        plain
    }

    fn look(&self, path: &[u8]) -> HostResult<Metadata> {
        let path = FixedHost::plain(path);
        if let Some(content) = self.files.get(&path) {
            let size = content.len() as u64;
            return Ok(metadata(Metadata::REGULAR | 0o444, size));
        }
        if self.inside(&path).next().is_some() {
            return Ok(metadata(Metadata::DIRECTORY | 0o555, 0));
        }
        Err(NO_FILE)
    }

    /// What follows a folder's path in the paths of its files.
    fn inside(&self, folder: &[u8]) -> impl Iterator<Item = &[u8]> {
        let mut prefix = folder.to_vec();
        if !prefix.ends_with(b"/") {
            prefix.push(b'/');
        }
        self.files.keys().filter_map(move |path| path.strip_prefix(prefix.as_slice()))
    }

    fn opened(&self, file: Handle) -> HostResult<&Vec<u8>> {
        let idx = (file.0 as usize).checked_sub(FIRST_FILE);
        idx.and_then(|idx| self.open.get(idx)).ok_or(Failure::Os(errno::EBADF))
    }
}

/// Handle of the first file that is no standard stream.
const FIRST_FILE: usize = Handle::STDERR.0 as usize + 1;

fn metadata(mode: u32, size: u64) -> Metadata {
    let time = FIXED_EPOCH_NANOS;
    let (accessed, modified, changed) = (time, time, time);
    Metadata { mode, links: 1, size, accessed, modified, changed, ..Metadata::default() }
}

const NO_FILE: Failure = Failure::Os(errno::ENOENT);

impl Host for FixedHost {
    fn epoch_nanos(&mut self) -> i128 {
        FIXED_EPOCH_NANOS
    }

    fn nano_time(&mut self) -> Option<i64> {
        None
    }

    fn sleep(&mut self, _: i64) {}

    fn platform(&mut self) -> Platform {
        Platform::fixed()
    }

    fn environment(&mut self) -> HostResult<Vec<(Vec<u8>, Vec<u8>)>> {
        Ok(Vec::new())
    }

    fn open(&mut self, path: &[u8], how: OpenHow) -> HostResult<Handle> {
        if how.write || how.create || how.truncate {
            return Err(Failure::Os(errno::EROFS));
        }
        self.look(path)?;
        self.open.push(FixedHost::plain(path));
        Ok(Handle(u32::try_from(self.open.len() - 1 + FIRST_FILE).unwrap_or(u32::MAX)))
    }

    fn close(&mut self, _: Handle) -> HostResult<()> {
        Ok(())
    }

    fn read(&mut self, file: Handle, at: Option<u64>, buffer: &mut [u8]) -> HostResult<usize> {
        if file == Handle::STDIN {
            return Ok(0);
        }
        let Some(content) = self.files.get(self.opened(file)?) else {
            return Err(Failure::Os(errno::EISDIR));
        };
        let at = usize::try_from(at.unwrap_or(0)).unwrap_or(usize::MAX);
        let rest = content.get(at..).unwrap_or(&[]);
        let n = rest.len().min(buffer.len());
        buffer[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }

    fn write(&mut self, file: Handle, _: Option<u64>, bytes: &[u8]) -> HostResult<usize> {
        match file {
            Handle::STDOUT => self.output.append(0, bytes),
            Handle::STDERR => self.output.append(1, bytes),
            _ => return Err(Failure::Os(errno::EBADF)),
        }
        Ok(bytes.len())
    }

    fn available(&mut self, _: Handle) -> HostResult<u64> {
        Ok(0)
    }

    fn set_size(&mut self, _: Handle, _: u64) -> HostResult<()> {
        Err(Failure::Os(errno::EINVAL))
    }

    fn sync(&mut self, _: Handle) -> HostResult<()> {
        Ok(())
    }

    fn is_terminal(&mut self, _: Handle) -> bool {
        false
    }

    fn handle_metadata(&mut self, file: Handle) -> HostResult<Metadata> {
        if file > Handle::STDERR {
            return self.look(self.opened(file)?);
        }
        Ok(Metadata { mode: Metadata::CHARACTER_DEVICE | 0o620, ..Metadata::default() })
    }

    fn metadata(&mut self, path: &[u8], _: Links) -> HostResult<Metadata> {
        self.look(path)
    }

    fn access(&mut self, path: &[u8], mode: i32) -> HostResult<()> {
        const WRITE: i32 = 2;
        self.look(path)?;
        if mode & WRITE != 0 { Err(Failure::Os(errno::EROFS)) } else { Ok(()) }
    }

    fn list(&mut self, path: &[u8]) -> HostResult<Vec<Vec<u8>>> {
        if !self.look(path)?.is_directory() {
            return Err(Failure::Os(errno::ENOTDIR));
        }
        let first_part = |rest: &[u8]| rest.split(|&byte| byte == b'/').next().map(<[u8]>::to_vec);
        let mut names: Vec<Vec<u8>> =
            self.inside(&FixedHost::plain(path)).filter_map(first_part).collect();
        names.dedup();
        Ok(names)
    }

    fn real_path(&mut self, path: &[u8]) -> HostResult<Vec<u8>> {
        self.look(path)?;
        Ok(FixedHost::plain(path))
    }

    fn read_link(&mut self, path: &[u8]) -> HostResult<Vec<u8>> {
        self.look(path)?;
        Err(Failure::Os(errno::EINVAL))
    }

    fn space(&mut self, _: &[u8]) -> HostResult<Space> {
        Err(NO_FILE)
    }

    fn owner_name(&mut self, _: u32, _: bool) -> HostResult<Vec<u8>> {
        Err(NO_FILE)
    }

    fn owner_number(&mut self, _: &[u8], _: bool) -> HostResult<u32> {
        Err(NO_FILE)
    }

    fn change(&mut self, _: Change<'_>) -> HostResult<()> {
        Err(Failure::Os(errno::EROFS))
    }

    fn ask(&mut self, right: Right) -> HostResult<()> {
        Err(Failure::Denied(denial(right)))
    }
}

/// What a program is told that has no such right.
pub(super) fn denial(right: Right) -> Denial {
    let (action, option) = match right {
        Right::Network => ("use of the network", "--allow-net"),
        Right::Run => ("starting a program", "--allow-run"),
    };
    Denial { action: action.to_owned(), option: option.to_owned() }
}

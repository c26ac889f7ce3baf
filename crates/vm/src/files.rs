//! The descriptors of open files, POSIX style: lowest free number first, copies share a position.
//!
//! Positions are kept here and not by the host, so that the whole table is plain data: a mark
//! keeps a copy when the table is first changed after it, and a rollback brings it back. A host
//! file that the program closed stays open until no mark could need it again.

pub mod mappings;
pub(crate) mod sockets;

use std::collections::BTreeSet;

use crate::host::{Failure, Handle, Host, HostResult, Metadata, OpenHow, errno};
use crate::travel::Undo;
use crate::vm::Vm;
use mappings::{Identity, Mapping};

/// What an open file reads and writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A file of the host.
    Host(Handle),
    /// A random device: bytes made from the machine's seed.
    Random,
    /// The null device.
    Null,
}

/// How a stream behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Nature {
    /// A file, or a stream that is waited for elsewhere.
    Plain,
    /// A socket or an end of a pipe.
    Socket {
        /// Whether the program wants to wait.
        blocking: bool,
    },
    /// An `epoll` list: descriptors and the events that are asked for.
    Poller(Vec<(i32, u32)>),
    /// A counter of signals, as `eventfd` makes it.
    Signals(u64),
}

/// An open file; several descriptors may share it.
#[derive(Debug, Clone)]
pub struct OpenFile {
    /// What is behind it.
    pub target: Target,
    /// Where the next read or write happens; `None` for streams.
    pub position: Option<u64>,
    /// Writes go to the end.
    pub append: bool,
    /// It was opened for writing.
    writes: bool,
    /// Path it was opened with; empty for standard streams.
    pub path: Vec<u8>,
    /// How it behaves.
    pub nature: Nature,
    n_descriptors: u32,
}

/// All open files of a machine.
#[derive(Debug, Clone)]
pub struct FileTable {
    /// Positions in `files`, by descriptor.
    descriptors: Vec<Option<usize>>,
    files: Vec<Option<OpenFile>>,
    /// Random bytes given so far.
    n_random: u64,
    /// Mapped files.
    mappings: Vec<Mapping>,
}

impl FileTable {
    /// The table at start: the three standard streams.
    pub fn new() -> FileTable {
        let stream = |handle| {
            let target = Target::Host(handle);
            let path = Vec::new();
            Some(OpenFile {
                target,
                position: None,
                append: false,
                writes: true,
                path,
                nature: Nature::Plain,
                n_descriptors: 1,
            })
        };
        FileTable {
            descriptors: vec![Some(0), Some(1), Some(2)],
            files: vec![stream(Handle::STDIN), stream(Handle::STDOUT), stream(Handle::STDERR)],
            n_random: 0,
            mappings: Vec::new(),
        }
    }

    /// The open file behind a descriptor.
    pub fn get(&self, descriptor: i32) -> HostResult<&OpenFile> {
        let idx = usize::try_from(descriptor).ok().and_then(|idx| *self.descriptors.get(idx)?);
        idx.and_then(|idx| self.files[idx].as_ref()).ok_or(Failure::Os(errno::EBADF))
    }

    fn get_mut(&mut self, descriptor: i32) -> HostResult<&mut OpenFile> {
        let idx = usize::try_from(descriptor).ok().and_then(|idx| *self.descriptors.get(idx)?);
        idx.and_then(|idx| self.files[idx].as_mut()).ok_or(Failure::Os(errno::EBADF))
    }

    fn add(&mut self, file: OpenFile) -> i32 {
        let idx = lowest_free(&mut self.files);
        self.files[idx] = Some(file);
        let descriptor = lowest_free(&mut self.descriptors);
        self.descriptors[descriptor] = Some(idx);
        i32::try_from(descriptor).unwrap_or(i32::MAX)
    }

    /// The path of a file that is open for writing, if there is one; standard streams do not count.
    pub(crate) fn written_path(&self) -> Option<String> {
        let file = self.own_files().find(|file| file.writes)?;
        Some(String::from_utf8_lossy(&file.path).into_owned())
    }

    /// The same table in another machine: its files are opened again, for reading. Gives the path
    /// of one that cannot be.
    pub(crate) fn reopened(&self, host: &mut dyn Host) -> Result<Files, String> {
        let mut files = Files { table: self.clone(), ..Files::default() };
        for file in files.table.files.iter_mut().flatten() {
            if matches!(file.target, Target::Host(_)) && !file.path.is_empty() {
                let how = OpenHow { read: true, ..OpenHow::default() };
                let opened = host.open(&file.path, how);
                let handle =
                    opened.map_err(|_| String::from_utf8_lossy(&file.path).into_owned())?;
                files.really_open.insert(handle);
                file.target = Target::Host(handle);
            }
        }
        Ok(files)
    }

    fn own_files(&self) -> impl Iterator<Item = &OpenFile> {
        let is_own =
            |file: &&OpenFile| matches!(file.target, Target::Host(_)) && !file.path.is_empty();
        self.files.iter().flatten().filter(is_own)
    }

    /// Open descriptors.
    pub(crate) fn n_open(&self) -> usize {
        self.descriptors.iter().flatten().count()
    }

    fn handles(&self) -> impl Iterator<Item = Handle> {
        self.files.iter().flatten().filter_map(|file| match file.target {
            Target::Host(handle) => Some(handle),
            _ => None,
        })
    }
}

impl Default for FileTable {
    fn default() -> FileTable {
        FileTable::new()
    }
}

fn lowest_free<T>(list: &mut Vec<Option<T>>) -> usize {
    match list.iter().position(Option::is_none) {
        Some(idx) => idx,
        None => {
            list.push(None);
            list.len() - 1
        }
    }
}

/// The table and what is needed to travel in time with it.
#[derive(Debug, Default)]
pub struct Files {
    /// The table as the program sees it.
    pub table: FileTable,
    /// The mark that the table was last kept for.
    kept_for: u64,
    /// Host files that are really open.
    really_open: BTreeSet<Handle>,
}

impl Files {
    /// Whether nothing but the standard streams was ever opened and kept.
    pub(crate) fn is_fresh(&self) -> bool {
        self.really_open.is_empty() && self.table.descriptors.len() == 3
    }
}

impl Vm {
    /// Keeps the table for the youngest mark before its first change.
    fn before_file_change(&mut self) {
        let youngest = self.marks.youngest();
        if self.files.kept_for != youngest {
            let table = self.files.table.clone();
            self.marks.remember(Undo::Files { table, kept_for: self.files.kept_for });
            self.files.kept_for = youngest;
        }
    }

    /// Takes back the table; called by a rollback.
    pub fn restore_files(&mut self, table: FileTable, kept_for: u64) {
        self.files.table = table;
        self.files.kept_for = kept_for;
        self.close_unneeded();
    }

    /// Closes host files that neither the program nor a mark needs.
    fn close_unneeded(&mut self) {
        let mut needed: BTreeSet<Handle> = self.files.table.handles().collect();
        for undo in self.marks.undo() {
            if let Undo::Files { table, .. } = undo {
                needed.extend(table.handles());
            }
        }
        let unneeded: Vec<Handle> =
            self.files.really_open.iter().copied().filter(|h| !needed.contains(h)).collect();
        for handle in unneeded {
            self.files.really_open.remove(&handle);
            // The program was told of the close long ago.
            let _ = self.host.close(handle);
        }
    }

    /// Opens a file and gives its descriptor.
    pub fn open_file(&mut self, path: &[u8], how: OpenHow) -> HostResult<i32> {
        let target = match path {
            b"/dev/random" | b"/dev/urandom" => Target::Random,
            b"/dev/null" => Target::Null,
            _ => Target::Host(self.host.open(path, how)?),
        };
        let mut position = None;
        if let Target::Host(handle) = target {
            self.files.really_open.insert(handle);
            let metadata = self.host.handle_metadata(handle)?;
            position = metadata.is_regular().then_some(0);
            if how.truncate {
                self.cut_mappings(Identity::of(&metadata), 0);
            }
        }
        self.before_file_change();
        let path = path.to_vec();
        let (append, writes) = (how.append, how.write);
        let nature = Nature::Plain;
        let file = OpenFile { target, position, append, writes, path, nature, n_descriptors: 1 };
        Ok(self.files.table.add(file))
    }

    /// Gives a descriptor to a stream that the host opened.
    pub(crate) fn adopt_stream(&mut self, handle: Handle) -> i32 {
        self.files.really_open.insert(handle);
        self.before_file_change();
        let target = Target::Host(handle);
        let path = Vec::new();
        let file = OpenFile {
            target,
            position: None,
            append: false,
            writes: true,
            path,
            nature: Nature::Plain,
            n_descriptors: 1,
        };
        self.files.table.add(file)
    }

    /// The host's stream behind a descriptor, if it is one.
    pub(crate) fn pipe_behind(&self, descriptor: i32) -> Option<Handle> {
        match self.files.table.get(descriptor) {
            Ok(OpenFile { target: Target::Host(handle), position: None, .. }) => Some(*handle),
            _ => None,
        }
    }

    /// Closes a descriptor.
    pub fn close_file(&mut self, descriptor: i32) -> HostResult<()> {
        self.files.table.get(descriptor)?;
        self.before_file_change();
        let table = &mut self.files.table;
        table.forget_watched(descriptor);
        if let Some(slot) = table.descriptors.get_mut(descriptor.cast_unsigned() as usize)
            && let Some(idx) = slot.take()
            && let Some(file) = &mut table.files[idx]
        {
            file.n_descriptors -= 1;
            if file.n_descriptors == 0 {
                table.files[idx] = None;
                self.close_unneeded();
            }
        }
        Ok(())
    }

    /// `dup`: another descriptor for the same open file.
    pub fn duplicate_file(&mut self, descriptor: i32) -> HostResult<i32> {
        self.files.table.get(descriptor)?;
        self.before_file_change();
        let table = &mut self.files.table;
        let idx = table.descriptors[descriptor.cast_unsigned() as usize];
        table.get_mut(descriptor)?.n_descriptors += 1;
        let copy = lowest_free(&mut table.descriptors);
        table.descriptors[copy] = idx;
        Ok(i32::try_from(copy).unwrap_or(i32::MAX))
    }

    /// `dup2`: makes `to` another descriptor for what `from` stands for.
    pub fn duplicate_file_onto(&mut self, from: i32, to: i32) -> HostResult<()> {
        self.files.table.get(from)?;
        if from == to {
            return Ok(());
        }
        let _ = self.close_file(to);
        self.before_file_change();
        let table = &mut self.files.table;
        let idx = table.descriptors[from.cast_unsigned() as usize];
        let to = usize::try_from(to).map_err(|_| Failure::Os(errno::EBADF))?;
        if to > table.descriptors.len() + 1024 {
            return Err(Failure::Os(errno::EBADF));
        }
        if table.descriptors.len() <= to {
            table.descriptors.resize(to + 1, None);
        }
        table.descriptors[to] = idx;
        table.get_mut(from)?.n_descriptors += 1;
        Ok(())
    }

    /// Reads at the descriptor's position and moves it.
    pub fn read_file(&mut self, descriptor: i32, buffer: &mut [u8]) -> HostResult<usize> {
        let file = self.files.table.get(descriptor)?;
        let (target, position) = (file.target, file.position);
        match target {
            Target::Null => Ok(0),
            Target::Random => {
                self.before_file_change();
                self.random_bytes(buffer);
                Ok(buffer.len())
            }
            Target::Host(handle) => {
                self.agree_with_mappings(descriptor)?;
                let n = self.host.read(handle, position, buffer)?;
                self.move_position(descriptor, position.map(|at| at + n as u64))?;
                Ok(n)
            }
        }
    }

    /// Writes all bytes at the descriptor's position, or at the end, and moves it.
    pub fn write_file(&mut self, descriptor: i32, mut bytes: &[u8]) -> HostResult<()> {
        let mapped = self.agree_with_mappings(descriptor)?;
        while !bytes.is_empty() {
            let file = self.files.table.get(descriptor)?;
            let Target::Host(handle) = file.target else { return Ok(()) };
            let at = match file.position {
                Some(_) if file.append => Some(self.host.handle_metadata(handle)?.size),
                position => position,
            };
            let n = self.host.write(handle, at, bytes)?;
            if n == 0 {
                return Err(Failure::Os(errno::EIO));
            }
            if let (Some(file), Some(at)) = (mapped, at) {
                self.show_in_mappings(file, at, &bytes[..n]);
            }
            self.move_position(descriptor, at.map(|at| at + n as u64))?;
            bytes = &bytes[n..];
        }
        Ok(())
    }

    fn move_position(&mut self, descriptor: i32, position: Option<u64>) -> HostResult<()> {
        if position.is_some() {
            self.before_file_change();
            self.files.table.get_mut(descriptor)?.position = position;
        }
        Ok(())
    }

    /// Reads at a given position; the descriptor's own stays.
    pub fn read_file_at(
        &mut self,
        descriptor: i32,
        at: u64,
        buffer: &mut [u8],
    ) -> HostResult<usize> {
        self.agree_with_mappings(descriptor)?;
        let file = self.files.table.get(descriptor)?;
        match (file.target, file.position) {
            (Target::Host(handle), Some(_)) => self.host.read(handle, Some(at), buffer),
            _ => Err(Failure::Os(errno::ESPIPE)),
        }
    }

    /// Writes at a given position; the descriptor's own stays.
    pub fn write_file_at(&mut self, descriptor: i32, at: u64, bytes: &[u8]) -> HostResult<usize> {
        let mapped = self.agree_with_mappings(descriptor)?;
        let file = self.files.table.get(descriptor)?;
        let (Target::Host(handle), Some(_)) = (file.target, file.position) else {
            return Err(Failure::Os(errno::ESPIPE));
        };
        let n = self.host.write(handle, Some(at), bytes)?;
        if let Some(file) = mapped {
            self.show_in_mappings(file, at, &bytes[..n]);
        }
        Ok(n)
    }

    /// The descriptor's position; `ESPIPE` for streams.
    pub fn file_position(&self, descriptor: i32) -> HostResult<u64> {
        self.files.table.get(descriptor)?.position.ok_or(Failure::Os(errno::ESPIPE))
    }

    /// Moves the descriptor's position; `ESPIPE` for streams.
    pub fn seek_file(&mut self, descriptor: i32, position: u64) -> HostResult<()> {
        self.file_position(descriptor)?;
        self.move_position(descriptor, Some(position))
    }

    /// `fstat`.
    pub fn file_metadata(&mut self, descriptor: i32) -> HostResult<Metadata> {
        match self.files.table.get(descriptor)?.target {
            Target::Host(handle) => self.host.handle_metadata(handle),
            Target::Random | Target::Null => Ok(device_metadata()),
        }
    }

    /// Cuts or extends a file.
    pub fn set_file_size(&mut self, descriptor: i32, size: u64) -> HostResult<()> {
        let mapped = self.agree_with_mappings(descriptor)?;
        let Target::Host(handle) = self.files.table.get(descriptor)?.target else {
            return Err(Failure::Os(errno::EINVAL));
        };
        self.host.set_size(handle, size)?;
        if let Some(file) = mapped {
            self.cut_mappings(file, size);
        }
        Ok(())
    }

    /// Brings a file to its medium.
    pub fn sync_file(&mut self, descriptor: i32) -> HostResult<()> {
        match self.files.table.get(descriptor)?.target {
            Target::Host(handle) => self.host.sync(handle),
            Target::Random | Target::Null => Ok(()),
        }
    }

    /// Bytes that can be read without waiting.
    pub fn available_in_file(&mut self, descriptor: i32) -> HostResult<u64> {
        let file = self.files.table.get(descriptor)?;
        match (file.target, file.position) {
            (Target::Host(handle), Some(at)) => {
                Ok(self.host.handle_metadata(handle)?.size.saturating_sub(at))
            }
            (Target::Host(handle), None) => self.host.available(handle),
            (Target::Random | Target::Null, _) => Ok(0),
        }
    }

    /// The next bytes of the machine's random device: SplitMix64 (Steele, Lea and Flood 2014)
    /// over the seed.
    fn random_bytes(&mut self, buffer: &mut [u8]) {
        self.chances.n_random += buffer.len() as u64;
        for byte in buffer {
            let n = self.files.table.n_random;
            let mut word = self
                .options
                .seed
                .wrapping_add(0x6e6f_6e70_6172_6569)
                .wrapping_add((n / 8 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            word ^= word >> 31;
            *byte = word.to_le_bytes()[(n % 8) as usize];
            self.files.table.n_random = n + 1;
        }
    }
}

/// What `stat` says of the random and null devices.
pub fn device_metadata() -> Metadata {
    Metadata { mode: Metadata::CHARACTER_DEVICE | 0o666, links: 1, ..Metadata::default() }
}

/// Whether a path is a device that the machine itself provides.
pub fn is_device(path: &[u8]) -> bool {
    matches!(path, b"/dev/random" | b"/dev/urandom" | b"/dev/null")
}

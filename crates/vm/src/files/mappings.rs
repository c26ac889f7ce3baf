//! Mapped files. A mapping is raw memory with the content of a file: memory of the machine, so that it travels in
//! time like all the rest. Beside it lies a second copy of what the file held when both last agreed. What differs
//! from that was written by the program; it goes to the file before anybody reads or writes the file, with `force`,
//! when the mapping ends, before another program starts, and at the end. What is written to the file by other ways
//! comes into its mappings at once. Mappings of one part of a file share their memory.

use super::Target;
use crate::host::{Failure, HostResult, Metadata, errno};
use crate::vm::Vm;

/// Addresses and positions of mappings are multiples of this.
pub const PAGE: u64 = 4096;
/// Bytes that are compared and written together.
const PIECE: usize = 512;

/// A mapped part of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mapping {
    /// The block of raw memory.
    block: u64,
    /// Where the mapping begins in it, at the border of a page.
    address: u64,
    /// Where the copy of what the file held begins; the mapping itself where nobody can write to it, or where it is
    /// private.
    agreed: u64,
    size: usize,
    /// The file; none for a private mapping, which goes its own way.
    file: Option<Identity>,
    /// The descriptor of the file that what is written belongs in, if it is shared and writable.
    written_to: Option<i32>,
    /// Where in the file it begins.
    position: u64,
}

impl Mapping {
    fn covers(&self, file: Identity, position: u64, size: usize) -> bool {
        self.file == Some(file)
            && self.position <= position
            && position + size as u64 <= self.position + self.size as u64
    }
}

/// Which file of the host it is, by whatever path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    pub(super) fn of(metadata: &Metadata) -> Identity {
        Identity { device: metadata.device, inode: metadata.inode }
    }
}

/// What a program wants to do with a mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Read the file.
    Read,
    /// Read and write the file.
    Write,
    /// Write to a copy of its own.
    Private,
}

/// What was written: places and bytes.
fn changes(content: &[u8], agreed: &[u8]) -> Vec<(usize, Vec<u8>)> {
    let mut found = Vec::new();
    for (idx, (new, old)) in content.chunks(PIECE).zip(agreed.chunks(PIECE)).enumerate() {
        if new == old {
            continue;
        }
        let differs = |idx: &usize| new[*idx] != old[*idx];
        let first = (0..new.len()).find(differs).unwrap_or(0);
        let last = (0..new.len()).rfind(differs).unwrap_or(0);
        found.push((idx * PIECE + first, new[first..=last].to_vec()));
    }
    found
}

impl Vm {
    /// Maps a part of a file and gives its address; `None` where memory is short.
    pub fn map_file(
        &mut self,
        descriptor: i32,
        position: u64,
        size: usize,
        access: Access,
    ) -> HostResult<Option<u64>> {
        let file = Identity::of(&self.file_metadata(descriptor)?);
        let file = (access != Access::Private).then_some(file);
        let covers = |mapping: &&Mapping| {
            let has_room = access != Access::Write || mapping.agreed != mapping.address;
            has_room && file.is_some_and(|file| mapping.covers(file, position, size))
        };
        let mut mapping = match self.files.table.mappings.iter().find(covers) {
            Some(&other) => {
                let offset = position - other.position;
                let (address, agreed) = (other.address + offset, other.agreed + offset);
                Mapping { address, agreed, size, position, written_to: None, ..other }
            }
            None => {
                let apart = if access == Access::Write { size as u64 } else { 0 };
                let Some(block) = self.heap.raw_allocate(size as u64 + apart + PAGE) else {
                    return Ok(None);
                };
                let address = block.next_multiple_of(PAGE);
                let agreed = address + apart;
                let content = self.content_at(descriptor, position, size)?;
                self.store_raw(address, &content);
                self.store_raw(agreed, &content);
                Mapping { block, address, agreed, size, file, written_to: None, position }
            }
        };
        if access == Access::Write {
            // A descriptor of its own: the channel may be closed before the mapping ends.
            mapping.written_to = Some(self.duplicate_file(descriptor)?);
        }
        self.before_file_change();
        self.files.table.mappings.push(mapping);
        Ok(Some(mapping.address))
    }

    /// A part of a file; zeros behind its end.
    fn content_at(&mut self, descriptor: i32, position: u64, size: usize) -> HostResult<Vec<u8>> {
        let mut content = vec![0; size];
        let mut filled = 0;
        while filled < size {
            match self.read_file_at(descriptor, position + filled as u64, &mut content[filled..])? {
                0 => break,
                n => filled += n,
            }
        }
        Ok(content)
    }

    fn store_raw(&mut self, address: u64, bytes: &[u8]) {
        if !self.heap.raw_store(address, bytes) {
            unreachable!("internal: a mapping has room for what it was made for");
        }
    }

    /// Ends a mapping.
    pub fn unmap_file(&mut self, address: u64, size: u64) -> HostResult<()> {
        let mappings = &self.files.table.mappings;
        let begins = |idx: &usize| mappings[*idx].address == address;
        // Of several alike, one that writes to the file stays longest.
        let rank =
            |idx: &usize| (mappings[*idx].size as u64 != size, mappings[*idx].written_to.is_some());
        let Some(idx) = (0..mappings.len()).filter(begins).min_by_key(rank) else { return Ok(()) };
        let mapping = mappings[idx];
        let written = self.write_mapping(mapping);
        self.before_file_change();
        self.files.table.mappings.remove(idx);
        if self.files.table.mappings.iter().all(|other| other.block != mapping.block) {
            self.heap.raw_free(mapping.block);
        }
        if let Some(number) = mapping.written_to {
            self.close_file(number)?;
        }
        written
    }

    /// Brings what was written to the mappings at an address into the file.
    pub fn force_mapping(&mut self, address: u64) -> HostResult<()> {
        for idx in 0..self.files.table.mappings.len() {
            let mapping = self.files.table.mappings[idx];
            let offset = address.checked_sub(mapping.address);
            if offset.is_some_and(|offset| offset <= mapping.size as u64) {
                self.write_mapping(mapping)?;
            }
        }
        Ok(())
    }

    /// Brings what was written to any mapping into its file, for the world outside.
    pub fn force_mappings(&mut self) -> HostResult<()> {
        for idx in 0..self.files.table.mappings.len() {
            self.write_mapping(self.files.table.mappings[idx])?;
        }
        Ok(())
    }

    /// Before a file is read or written: brings what was written to its mappings into it. Gives the file if there are
    /// mappings at all.
    pub(super) fn agree_with_mappings(&mut self, descriptor: i32) -> HostResult<Option<Identity>> {
        if self.files.table.mappings.is_empty() {
            return Ok(None);
        }
        let file = Identity::of(&self.file_metadata(descriptor)?);
        for idx in 0..self.files.table.mappings.len() {
            let mapping = self.files.table.mappings[idx];
            if mapping.file == Some(file) {
                self.write_mapping(mapping)?;
            }
        }
        Ok(Some(file))
    }

    fn write_mapping(&mut self, mapping: Mapping) -> HostResult<()> {
        let Some(number) = mapping.written_to else { return Ok(()) };
        let content = self.heap.raw_bytes(mapping.address, mapping.size);
        let agreed = self.heap.raw_bytes(mapping.agreed, mapping.size);
        let (Some(content), Some(agreed)) = (content, agreed) else {
            return Err(Failure::Os(errno::EINVAL));
        };
        let changes = changes(content, agreed);
        if changes.is_empty() {
            return Ok(());
        }
        let metadata = self.file_metadata(number)?;
        let Target::Host(handle) = self.files.table.get(number)?.target else { return Ok(()) };
        for (start, bytes) in changes {
            let at = mapping.position + start as u64;
            // What lies behind the end of a file that was cut meanwhile is lost.
            let room = usize::try_from(metadata.size.saturating_sub(at)).unwrap_or(usize::MAX);
            let mut written = 0;
            while written < bytes.len().min(room) {
                let rest = &bytes[written..bytes.len().min(room)];
                match self.host.write(handle, Some(at + written as u64), rest)? {
                    0 => return Err(Failure::Os(errno::EIO)),
                    n => written += n,
                }
            }
            self.show_in_mappings(Identity::of(&metadata), at, &bytes);
        }
        Ok(())
    }

    /// Bytes that were written to a file come into its mappings.
    pub(super) fn show_in_mappings(&mut self, file: Identity, at: u64, bytes: &[u8]) {
        for idx in 0..self.files.table.mappings.len() {
            let mapping = self.files.table.mappings[idx];
            let end = mapping.position + mapping.size as u64;
            let (from, to) = (at.max(mapping.position), (at + bytes.len() as u64).min(end));
            if mapping.file != Some(file) || from >= to {
                continue;
            }
            let Ok(skipped) = usize::try_from(from - at) else { continue };
            let Ok(len) = usize::try_from(to - from) else { continue };
            let part = &bytes[skipped..skipped + len];
            self.store_raw(mapping.address + (from - mapping.position), part);
            self.store_raw(mapping.agreed + (from - mapping.position), part);
        }
    }

    /// A file was cut: what its mappings show behind its end is zero when it grows again.
    pub(super) fn cut_mappings(&mut self, file: Identity, size: u64) {
        let mapped = self.files.table.mappings.iter().filter(|mapping| mapping.file == Some(file));
        let end = mapped.map(|mapping| mapping.position + mapping.size as u64).max().unwrap_or(0);
        let mut at = size;
        while at < end {
            let len = (end - at).min(PIECE as u64);
            self.show_in_mappings(file, at, &[0; PIECE][..usize::try_from(len).unwrap_or(PIECE)]);
            at += len;
        }
    }
}

//! Memory that never moves: the register and frame stacks of threads, and the method table.
//!
//! All are reserved address space, committed by the operating system page by page.
#![expect(unsafe_code, reason = "reserved address space is raw memory")]

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::os::fd::{AsRawFd, FromRawFd};

use crate::class::{Method, MethodRt};
use crate::code::Code;
use crate::value::MethodId;

/// Puts a private view of part of a file (whole pages) over reserved memory.
pub(crate) fn map_private(file: &File, offset: usize, at: *mut u8, len: usize) -> io::Result<()> {
    if len == 0 {
        return Ok(());
    }
    let offset = libc::off_t::try_from(offset).map_err(io::Error::other)?;
    // SAFETY: the caller owns the memory, which lies in one of our own reservations.
    let mapped = unsafe {
        libc::mmap(
            at.cast(),
            len,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_FIXED,
            file.as_raw_fd(),
            offset,
        )
    };
    if mapped == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// A file without a name that lives in memory: these parts, each at the start of a page.
pub(crate) fn memory_file(parts: &[&[u8]]) -> io::Result<File> {
    // SAFETY: the name is a valid string; the descriptor is ours alone.
    let mut file = unsafe {
        let descriptor = libc::memfd_create(c"nonpareil".as_ptr(), libc::MFD_CLOEXEC);
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        File::from_raw_fd(descriptor)
    };
    let mut len = 0;
    for part in parts {
        file.seek(SeekFrom::Start(len))?;
        file.write_all(part)?;
        len += part.len().next_multiple_of(4096) as u64;
    }
    // Whole pages, so that all of it can be mapped.
    file.set_len(len)?;
    Ok(file)
}

/// A fixed reservation for `capacity` values of `T`, zero until written.
#[derive(Debug)]
pub struct Reserved<T> {
    start: *mut T,
    capacity: usize,
}

// SAFETY: owned by one machine and reached only through it.
unsafe impl<T> Send for Reserved<T> {}

impl<T> Reserved<T> {
    /// Reserves room.
    pub fn new(capacity: usize) -> io::Result<Reserved<T>> {
        // SAFETY: an anonymous private mapping without a wanted address has no preconditions.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                capacity * size_of::<T>(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Reserved { start: start.cast(), capacity })
    }

    /// No room at all.
    pub fn empty() -> Reserved<T> {
        // Not at the very start of the address space, so that "one before" compares as smaller.
        Reserved { start: std::ptr::without_provenance_mut(1 << 16), capacity: 0 }
    }

    /// The first value.
    #[inline]
    pub fn start(&self) -> *mut T {
        self.start
    }

    /// One past the last value.
    #[inline]
    pub fn end(&self) -> *mut T {
        // SAFETY: one past the end of our own mapping.
        unsafe { self.start.add(self.capacity) }
    }

    /// Gives the memory back; all values read as zero again.
    pub fn forget(&mut self) {
        // SAFETY: the range is our own mapping; dropped pages read as zero again.
        unsafe {
            libc::madvise(self.start.cast(), self.capacity * size_of::<T>(), libc::MADV_DONTNEED);
        }
    }

    /// Number of values there is room for.
    #[inline]
    pub fn capacity(&self) -> usize {
        self.capacity
    }
}

impl<T> Drop for Reserved<T> {
    fn drop(&mut self) {
        if self.capacity == 0 {
            return;
        }
        // SAFETY: the mapping was made by `new` and nothing refers to it any more.
        unsafe {
            libc::munmap(self.start.cast(), self.capacity * size_of::<T>());
        }
    }
}

impl Drop for MethodTable {
    fn drop(&mut self) {
        self.truncate(0);
    }
}

/// All methods of a machine. Entries never move, so instructions may point at them.
#[derive(Debug)]
pub struct MethodTable {
    room: Reserved<MethodRt>,
    len: usize,
}

/// More methods than any program has.
const MOST_METHODS: usize = 1 << 22;

impl MethodTable {
    /// An empty table.
    pub fn new() -> io::Result<MethodTable> {
        Ok(MethodTable { room: Reserved::new(MOST_METHODS)?, len: 0 })
    }

    /// A table that begins with the first `len` methods in a file of whole pages, shared with other
    /// tables until it is written.
    pub(crate) fn of_template(template: &File, len: usize) -> io::Result<MethodTable> {
        let room: Reserved<MethodRt> = Reserved::new(MOST_METHODS)?;
        let n_bytes = (len * size_of::<MethodRt>()).next_multiple_of(4096);
        map_private(template, 0, room.start().cast(), n_bytes)?;
        Ok(MethodTable { room, len })
    }

    /// Number of methods.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The identifier the next method gets.
    #[expect(clippy::cast_possible_truncation, reason = "bounded by MOST_METHODS")]
    pub fn next_id(&self) -> MethodId {
        MethodId(self.len as u32)
    }

    /// Adds a method; gives its identifier. Panics when four million methods are loaded.
    pub fn push(&mut self, rt: MethodRt) -> MethodId {
        assert!(self.len < self.room.capacity(), "internal: method table is full");
        let id = self.next_id();
        // SAFETY: the index was checked against the room.
        unsafe { self.room.start().add(self.len).write(rt) }
        self.len += 1;
        id
    }

    /// Drops the youngest methods (their classes were rolled back) and their code.
    ///
    /// Invariant: `MethodRt::code` is null or comes from `Box::into_raw` and belongs to its entry.
    pub fn truncate(&mut self, len: usize) {
        while self.len > len {
            self.len -= 1;
            // SAFETY: the entry was written by `push`; see the invariant. Whatever pointed at the
            // code (frames, undo entries) went away before its class does.
            unsafe {
                let rt = self.room.start().add(self.len);
                let code = std::mem::replace(&mut (*rt).code, std::ptr::null());
                if !code.is_null() {
                    drop(Box::from_raw(code.cast_mut()));
                }
            }
        }
    }

    /// The per-machine part of a method.
    #[inline(always)]
    pub fn rt(&self, id: MethodId) -> *mut MethodRt {
        debug_assert!(id.idx() < self.len);
        // SAFETY: identifiers are only made by `push`.
        unsafe { self.room.start().add(id.idx()) }
    }

    /// The shared part of a method.
    #[inline(always)]
    pub fn method(&self, id: MethodId) -> &Method {
        // SAFETY: the class that owns the method is kept alive by the machine's class table.
        unsafe { &*(*self.rt(id)).method }
    }

    /// The compiled code of a method, once it has been called.
    pub fn code(&self, id: MethodId) -> Option<&Code> {
        // SAFETY: code lives as long as its method; see `truncate`.
        unsafe { (*self.rt(id)).code.as_ref() }
    }
}

//! Watched folders of this computer, by `inotify`: a part of the real host.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// A new list; reading its events never waits.
pub(crate) fn open() -> io::Result<File> {
    // SAFETY: takes flags only; the new descriptor is nobody else's.
    #[expect(unsafe_code, reason = "the standard library cannot watch folders")]
    let list = unsafe {
        let descriptor = libc::inotify_init1(libc::IN_NONBLOCK | libc::IN_CLOEXEC);
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        OwnedFd::from_raw_fd(descriptor)
    };
    Ok(File::from(list))
}

/// Watches a path; gives the number of the watch.
pub(crate) fn add(list: &File, path: &CStr, mask: u32) -> io::Result<i32> {
    // SAFETY: an open descriptor and a path that ends in a zero byte.
    #[expect(unsafe_code, reason = "the standard library cannot watch folders")]
    let number = unsafe { libc::inotify_add_watch(list.as_raw_fd(), path.as_ptr(), mask) };
    if number < 0 { Err(io::Error::last_os_error()) } else { Ok(number) }
}

/// Ends a watch.
pub(crate) fn remove(list: &File, number: i32) -> io::Result<()> {
    // SAFETY: an open descriptor.
    #[expect(unsafe_code, reason = "the standard library cannot watch folders")]
    let result = unsafe { libc::inotify_rm_watch(list.as_raw_fd(), number) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

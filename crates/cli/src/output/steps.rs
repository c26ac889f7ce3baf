//! The single steps by which files change; each is done wholly or not at all as far as readers see.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::rescue;

/// One step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// Makes a folder, if it is not there.
    Folder(PathBuf),
    /// Writes a file to the disk.
    File(PathBuf, Vec<u8>),
    /// Gives a file a second name, or copies it where it can have but one.
    Link(PathBuf, PathBuf),
    /// Gives a file a second name; fails where it can have but one.
    SecondName(PathBuf, PathBuf),
    /// Fails where the second does not belong to whom the first belongs to.
    Owner(PathBuf, PathBuf),
    /// Gives the second what may be done with the first.
    Permissions(PathBuf, PathBuf),
    /// Writes the entries of a folder to the disk.
    Sync(PathBuf),
    /// Moves a file or folder.
    Rename(PathBuf, PathBuf),
    /// Moves a folder, if it is there.
    Discard(PathBuf, PathBuf),
    /// Lets two folders take each other's place.
    Exchange(PathBuf, PathBuf),
    /// Brings files of others that are in the first folder alone, or are other files there, to the second.
    Rescue(PathBuf, PathBuf),
    /// Takes a file away, if it is there.
    RemoveFile(PathBuf),
    /// Takes a folder away with all that is in it, if it is there.
    RemoveFolder(PathBuf),
}

/// Does it.
pub(super) fn perform(step: &Step) -> io::Result<()> {
    match step {
        Step::Folder(path) => fs::create_dir_all(path),
        Step::File(path, bytes) => {
            let mut file = File::create(path)?;
            file.write_all(bytes)?;
            file.sync_all()
        }
        Step::Link(from, to) => match fs::hard_link(from, to) {
            Ok(()) => Ok(()),
            Err(_) => fs::copy(from, to).map(drop),
        },
        Step::SecondName(from, to) => fs::hard_link(from, to),
        Step::Owner(from, to) => {
            let (from, to) = (fs::metadata(from)?, fs::metadata(to)?);
            match (from.uid(), from.gid()) == (to.uid(), to.gid()) {
                true => Ok(()),
                false => Err(io::ErrorKind::PermissionDenied.into()),
            }
        }
        Step::Rescue(from, to) => rescue(from, to),
        Step::Discard(from, to) => unless_missing(fs::rename(from, to)),
        Step::Permissions(from, to) => fs::set_permissions(to, fs::metadata(from)?.permissions()),
        Step::Sync(path) => File::open(path)?.sync_all(),
        Step::Rename(from, to) => fs::rename(from, to),
        Step::Exchange(one, other) => exchange(one, other),
        Step::RemoveFile(path) => unless_missing(fs::remove_file(path)),
        Step::RemoveFolder(path) => unless_missing(fs::remove_dir_all(path)),
    }
}

fn unless_missing(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Fails where files cannot be put into a folder.
pub(super) fn can_change(folder: &Path) -> io::Result<()> {
    use std::ffi::CString;
    use std::os::unix::ffi::OsStrExt;

    let path = CString::new(folder.as_os_str().as_bytes())?;
    // SAFETY: the path is a string that ends with a zero and outlives the call.
    #[expect(
        unsafe_code,
        reason = "the standard library cannot ask what may be done with a folder"
    )]
    let result = unsafe { libc::access(path.as_ptr(), libc::W_OK | libc::X_OK) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(target_os = "linux")]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use std::ffi::CString;
    use std::os::unix::ffi::OsStrExt;

    let one = CString::new(one.as_os_str().as_bytes())?;
    let other = CString::new(other.as_os_str().as_bytes())?;
    let (here, flags) = (libc::AT_FDCWD, libc::RENAME_EXCHANGE);
    // SAFETY: both are strings that end with a zero and outlive the call.
    #[expect(unsafe_code, reason = "the standard library cannot exchange two folders")]
    let result = unsafe { libc::renameat2(here, one.as_ptr(), here, other.as_ptr(), flags) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(not(target_os = "linux"))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

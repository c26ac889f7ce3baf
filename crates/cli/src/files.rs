//! Writes files whole or not at all.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process;

use crate::output;

/// Writes a file and the folders it is in. A crash leaves the old file or the new one, never half.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), String> {
    let failed = |error: io::Error| format!("{}: {error}", path.display());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", process::id()));
    let own = path.with_file_name(name);
    let written = fs::write(&own, text).and_then(|()| fs::rename(&own, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&own);
        failed(error)
    })
}

/// Finds out before all work whether a file can be written; it may be there. `option` is how the user named it.
pub(crate) fn check(option: &str, path: &Path) -> Result<(), String> {
    if path.is_dir() {
        return Err(format!("{option} {} is a folder\nhint: name a file in it", path.display()));
    }
    match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => output::check_folder(option, folder),
        None => Ok(()),
    }
}

/// A folder for things that are needed for a moment; gone when dropped.
pub(crate) struct TemporaryFolder {
    /// Where it is.
    pub(crate) path: PathBuf,
}

impl TemporaryFolder {
    /// Makes a folder that nobody else has.
    pub(crate) fn new() -> Result<TemporaryFolder, String> {
        let base = std::env::temp_dir();
        for number in 0..1000 {
            let path = base.join(format!("nonpareil-{}-{number}", process::id()));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(TemporaryFolder { path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(format!("{}: {error}", path.display())),
            }
        }
        Err(format!("{}: no folder can be made", base.display()))
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

//! Where tests run on the real JVM: in folders of their own, so that what code under test does with files by
//! relative names, in the temporary folder or in the user's home, it does to nothing of the user's.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folders for one run, to be removed with the folder that they are in.
pub(super) struct Place {
    working: PathBuf,
    temporary: PathBuf,
    home: PathBuf,
}

impl Place {
    /// Makes the folders below this one.
    pub(super) fn new(folder: &Path) -> Result<Place, String> {
        let make = |name: &str| made(folder.join(name));
        Ok(Place { working: make("work")?, temporary: make("tmp")?, home: make("home")? })
    }

    /// Lets `java` run here. Called before its other arguments are added.
    pub(super) fn is_where(&self, java: &mut Command) {
        java.current_dir(&self.working);
        java.arg(format!("-Djava.io.tmpdir={}", self.temporary.display()));
        java.arg(format!("-Duser.home={}", self.home.display()));
        java.arg(format!("-Djava.util.prefs.userRoot={}", self.home.display()));
        java.arg(format!("-Djava.util.prefs.systemRoot={}", self.home.display()));
        java.env("HOME", &self.home).env("TMPDIR", &self.temporary);
        for (name, _) in std::env::vars_os() {
            // Where programs keep what is the user's, if not in the home.
            if name.to_string_lossy().starts_with("XDG_") {
                java.env_remove(name);
            }
        }
    }
}

/// An argument of `java` that gives a program a temporary folder of its own, below this folder.
pub(crate) fn private_temporary(folder: &Path) -> Result<String, String> {
    let temporary = made(folder.join("tmp"))?;
    Ok(format!("-Djava.io.tmpdir={}", temporary.display()))
}

fn made(folder: PathBuf) -> Result<PathBuf, String> {
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

//! Finds the JDK whose class library the machine runs.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use classfile::JImage;

/// A JDK.
pub(crate) struct Jdk {
    /// Its folder, without links.
    pub(crate) home: PathBuf,
    /// Its class library.
    pub(crate) image: Arc<JImage>,
}

/// The JDK the user named, else the one of `JAVA_HOME`, else the one of `java` on the `PATH`.
pub(crate) fn find(named: Option<&Path>) -> Result<Jdk, String> {
    if let Some(folder) = named {
        return open(folder).map_err(|error| format!("--jdk {}: {error}", folder.display()));
    }
    if let Some(folder) = env::var_os("JAVA_HOME").filter(|value| !value.is_empty()) {
        let folder = PathBuf::from(folder);
        return open(&folder).map_err(|error| format!("JAVA_HOME {}: {error}", folder.display()));
    }
    let Some(folder) = home_of_command() else {
        return Err("no JDK found\nhint: name one with --jdk FOLDER or JAVA_HOME".to_owned());
    };
    open(&folder)
        .map_err(|error| format!("the JDK of `java` on the PATH, {}: {error}", folder.display()))
}

impl Jdk {
    /// All that belongs to the JDK: its folder, and what links in its configuration lead to, since
    /// some distributions keep that elsewhere.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let mut folders = vec![self.home.clone()];
        for part in ["conf", "lib"] {
            add_targets(&self.home.join(part), 4, &mut folders);
        }
        folders.sort();
        folders
    }
}

/// Adds what the links in a folder lead to.
fn add_targets(folder: &Path, depth: u32, targets: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_symlink() {
            targets.extend(entry.path().canonicalize());
        } else if kind.is_dir() && depth > 0 {
            add_targets(&entry.path(), depth - 1, targets);
        }
    }
}

/// The folder two above the `java` command, which may be a link to a link.
fn home_of_command() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let command =
        env::split_paths(&path).map(|folder| folder.join("java")).find(|file| file.is_file())?;
    let command = command.canonicalize().ok()?;
    Some(command.parent()?.parent()?.to_path_buf())
}

fn open(folder: &Path) -> Result<Jdk, String> {
    let home = folder.canonicalize().map_err(|error| {
        format!("{error}\nhint: name the folder of a JDK, 17 or 25, in which lib/modules is")
    })?;
    let modules = home.join("lib/modules");
    if !modules.is_file() {
        return Err(
            "not a JDK: it has no lib/modules\nhint: JDK 17 and 25 are supported".to_owned()
        );
    }
    let image = JImage::open(&modules).map_err(|error| error.to_string())?;
    Ok(Jdk { home, image: Arc::new(image) })
}

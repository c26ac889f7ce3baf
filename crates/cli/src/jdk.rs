//! Finds the JDK whose class library the machine runs.

use std::env;
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
    open(&folder).map_err(|error| format!("the JDK of `java` on the PATH, {}: {error}", folder.display()))
}

/// The folder two above the `java` command, which may be a link to a link.
fn home_of_command() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let command = env::split_paths(&path).map(|folder| folder.join("java")).find(|file| file.is_file())?;
    let command = command.canonicalize().ok()?;
    Some(command.parent()?.parent()?.to_path_buf())
}

fn open(folder: &Path) -> Result<Jdk, String> {
    let home = folder.canonicalize().map_err(|error| error.to_string())?;
    let modules = home.join("lib/modules");
    if !modules.is_file() {
        return Err("not a JDK: it has no lib/modules\nhint: JDK 17 and 25 are supported".to_owned());
    }
    let image = JImage::open(&modules).map_err(|error| error.to_string())?;
    Ok(Jdk { home, image: Arc::new(image) })
}

//! Jars as the JDK's own tool writes them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::jdk;

/// Makes a jar in a folder with the JDK's tool.
pub(crate) fn make(folder: &Path, name: &str, arguments: &[&str]) -> PathBuf {
    let jar = folder.join(name);
    let home = jdk::homes().into_iter().next().unwrap();
    let made = Command::new(home.join("bin/jar"))
        .arg("--create")
        .arg("--file")
        .arg(&jar)
        .args(arguments)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    jar
}

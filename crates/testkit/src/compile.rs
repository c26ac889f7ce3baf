//! Compiles each group of fixtures once per JDK into `target/fixtures/<release>/classes/<group>`.
//!
//! A stamp beside the folder holds the digest of sources and compiler, so a group is compiled
//! again only when one of them changed.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::digest::Digest;
use crate::fixture::Fixture;
use crate::jdk::Jdk;

/// Why a group has no class files.
#[derive(Debug)]
pub enum CompileError {
    /// The file system or the start of `javac` failed.
    Io(PathBuf, io::Error),
    /// `javac` rejected the sources; its messages.
    Rejected(String, String),
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompileError::Io(path, error) => write!(f, "{}: {error}", path.display()),
            CompileError::Rejected(group, messages) => {
                write!(f, "javac rejects group {group}:\n{messages}")
            }
        }
    }
}

impl std::error::Error for CompileError {}

/// The folder that caches everything for one JDK.
pub fn cache(target: &Path, jdk: &Jdk) -> PathBuf {
    target.join("fixtures").join(jdk.release.to_string())
}

/// Compiles one group if needed and returns the folder of its class files.
pub fn group(cache: &Path, jdk: &Jdk, members: &[&Fixture]) -> Result<PathBuf, CompileError> {
    let Some(first) = members.first() else { return Ok(cache.to_path_buf()) };
    let classes = cache.join("classes").join(&first.group);
    let stamp = classes.with_extension("stamp");
    let at = |path: &Path| {
        let path = path.to_path_buf();
        move |error| CompileError::Io(path, error)
    };
    let mut digest = Digest::new();
    digest.add(&jdk.version);
    for fixture in members {
        digest.add_tree(&fixture.source).map_err(at(&fixture.source))?;
    }
    let digest = digest.hex();
    if fs::read_to_string(&stamp).is_ok_and(|old| old == digest) {
        return Ok(classes);
    }
    if classes.is_dir() {
        fs::remove_dir_all(&classes).map_err(at(&classes))?;
    }
    fs::create_dir_all(&classes).map_err(at(&classes))?;
    let javac = jdk.command("javac");
    let output = Command::new(&javac)
        .args([
            "-Xlint:none",
            "-nowarn",
            "-proc:none",
            "-encoding",
            "UTF-8",
            "-J-XX:TieredStopAtLevel=1",
            "-d",
        ])
        .arg(&classes)
        .args(members.iter().map(|fixture| &fixture.source))
        .output()
        .map_err(at(&javac))?;
    if !output.status.success() {
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(CompileError::Rejected(first.group.clone(), messages));
    }
    fs::write(&stamp, digest).map_err(at(&stamp))?;
    Ok(classes)
}

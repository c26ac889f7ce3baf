//! Finds the JDKs the fixtures are run with: one of release 17 and one of release 25.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The feature releases whose class library our machine runs.
pub const RELEASES: [u32; 2] = [17, 25];

/// An installed JDK with a compiler.
#[derive(Clone, Debug)]
pub struct Jdk {
    /// The feature release, 17 or 25.
    pub release: u32,
    /// Everything its `release` file says of the version; part of cache keys.
    pub version: String,
    /// The folder with `bin/java` and `lib/modules`.
    pub home: PathBuf,
}

impl Jdk {
    /// The path of a command of this JDK, such as `javac`.
    pub fn command(&self, name: &str) -> PathBuf {
        self.home.join("bin").join(name)
    }
}

/// The first JDK found for each of [`RELEASES`]: `JAVA_HOME`, then the usual folders in
/// alphabetical order, then the `java` on the `PATH`.
pub fn installed() -> Vec<Jdk> {
    let mut found: Vec<Jdk> = Vec::new();
    for home in candidates() {
        let Some(jdk) = read(&home) else { continue };
        if RELEASES.contains(&jdk.release) && found.iter().all(|j| j.release != jdk.release) {
            found.push(jdk);
        }
    }
    found.sort_by_key(|jdk| jdk.release);
    found
}

fn candidates() -> Vec<PathBuf> {
    let mut homes: Vec<PathBuf> = env::var_os("JAVA_HOME").map(PathBuf::from).into_iter().collect();
    for parent in ["/usr/lib/jvm", "/opt", "/Library/Java/JavaVirtualMachines"] {
        let Ok(entries) = fs::read_dir(parent) else { continue };
        let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        folders.sort();
        for folder in folders {
            homes.push(folder.join("Contents/Home"));
            homes.push(folder);
        }
    }
    let path = env::var_os("PATH").unwrap_or_default();
    for folder in env::split_paths(&path) {
        if let Ok(java) = folder.join("java").canonicalize() {
            homes.extend(java.ancestors().nth(2).map(Path::to_path_buf));
        }
    }
    homes
}

fn read(home: &Path) -> Option<Jdk> {
    let text = fs::read_to_string(home.join("release")).ok()?;
    let value = |key: &str| {
        let line = text.lines().find(|line| line.starts_with(key))?;
        Some(line[key.len()..].trim_start_matches('=').trim_matches('"').to_owned())
    };
    let release = value("JAVA_VERSION=")?.split('.').next()?.parse().ok()?;
    let jdk = Jdk { release, version: text, home: home.canonicalize().ok()? };
    (jdk.command("javac").is_file() && jdk.home.join("lib/modules").is_file()).then_some(jdk)
}

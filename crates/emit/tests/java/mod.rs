//! The Java sources of the repository and the real tools they are tried with.

use std::fs;
use std::path::{Path, PathBuf};

use testkit::jdk::{self, Jdk};
use testkit::{root, suite};

/// Everything that the suites below `fixtures` need.
pub(crate) fn jars() -> String {
    suite::jars(&[
        "junit-jupiter-api",
        "junit-jupiter-engine",
        "junit-jupiter-params",
        "junit-platform-engine",
        "junit-platform-commons",
        "junit-platform-launcher",
        "junit-vintage-engine",
        "opentest4j",
        "apiguardian-api",
        "univocity-parsers",
        "junit4",
        "hamcrest",
    ])
}

/// The JDK of a release.
pub(crate) fn jdk(release: u32) -> Jdk {
    let found = jdk::installed().into_iter().find(|jdk| jdk.release == release);
    found.unwrap_or_else(|| panic!("needs JDK {release}"))
}

/// All Java files below a folder of `fixtures`, by path from there.
pub(crate) fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let root = root::repository().join("fixtures").join(folder);
    let mut paths = Vec::new();
    collect(&mut paths, &root, "java");
    paths
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            (path.strip_prefix(&root).unwrap().to_path_buf(), text)
        })
        .collect()
}

/// All files below a folder with this extension, in order.
pub(crate) fn collect(paths: &mut Vec<PathBuf>, folder: &Path, extension: &str) {
    let mut entries: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(paths, &path, extension);
        } else if path.extension().is_some_and(|it| it == extension) {
            paths.push(path);
        }
    }
}

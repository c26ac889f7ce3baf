//! The JDKs of this machine, for tests that read real classes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use classfile::{ClassBytes, JImage};

/// The home folders of all JDKs found: `JAVA_HOME` and those under `/usr/lib/jvm`, each once.
pub(crate) fn homes() -> Vec<PathBuf> {
    let mut candidates: Vec<PathBuf> =
        env::var_os("JAVA_HOME").map(PathBuf::from).into_iter().collect();
    if let Ok(listing) = fs::read_dir("/usr/lib/jvm") {
        candidates.extend(listing.flatten().map(|entry| entry.path()));
    }
    let homes: BTreeSet<PathBuf> = candidates
        .into_iter()
        .filter(|home| home.join("lib/modules").is_file())
        .filter_map(|home| fs::canonicalize(home).ok())
        .collect();
    assert!(!homes.is_empty(), "no JDK found: set JAVA_HOME");
    homes.into_iter().collect()
}

/// The run-time image of a JDK.
pub(crate) fn image(home: &Path) -> JImage {
    JImage::open(&home.join("lib/modules")).unwrap()
}

/// All class files of a module, sorted by path.
pub(crate) fn classes_of(image: &JImage, module: &str) -> Vec<(String, ClassBytes)> {
    let mut classes: Vec<_> = image
        .resources()
        .filter(|name| name.module == module && name.extension == "class")
        .map(|name| {
            let path = name.path();
            let bytes = image.find(module, &path).unwrap();
            (path, bytes)
        })
        .collect();
    classes.sort_by(|a, b| a.0.cmp(&b.0));
    classes
}

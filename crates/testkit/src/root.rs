//! Where the repository and its build folder are.

use std::env;
use std::path::{Path, PathBuf};

/// The folder that holds the workspace manifest and `fixtures/`.
///
/// The place this crate was compiled in comes first; a moved checkout is found from the
/// current folder upwards.
pub fn repository() -> PathBuf {
    let compiled_in = Path::new(env!("CARGO_MANIFEST_DIR"));
    let here = env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    compiled_in
        .ancestors()
        .chain(here.ancestors())
        .find(|folder| folder.join("fixtures/vm").is_dir() && folder.join("Cargo.toml").is_file())
        .unwrap_or(compiled_in)
        .to_path_buf()
}

/// The build folder: `CARGO_TARGET_DIR` if set, else `target` in the repository.
pub fn target() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => repository().join(folder),
        None => repository().join("target"),
    }
}

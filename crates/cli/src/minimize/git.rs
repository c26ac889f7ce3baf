//! Whether git can give back sources that are about to change.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Refuses a folder in which something is not committed, or that is in no checkout.
pub(super) fn check_committed(folder: &Path) -> Result<(), String> {
    check_unchanged(folder, folder, &[OsString::from(".")])
}

/// Refuses files that git does not know, such as ignored ones, or, where links lead elsewhere, that are not
/// committed there.
pub(super) fn check_tracked(files: &[PathBuf]) -> Result<(), String> {
    let mut by_folder: BTreeMap<PathBuf, Vec<OsString>> = BTreeMap::new();
    for file in files {
        let real =
            fs::canonicalize(file).map_err(|error| format!("{}: {error}", file.display()))?;
        if let (Some(folder), Some(name)) = (real.parent(), real.file_name()) {
            by_folder.entry(folder.to_owned()).or_default().push(name.to_owned());
        }
    }
    for (folder, names) in by_folder {
        check_unchanged(&folder, &folder, &names)?;
        let known = ask(&folder, &folder, &["ls-files", "-z"], &names)?;
        let known: Vec<&[u8]> = known.split(|byte| *byte == 0).collect();
        let is_known = |name: &&OsString| known.contains(&name.as_encoded_bytes());
        if let Some(name) = names.iter().find(|name| !is_known(name)) {
            return Err(refusal(&format!("git does not know {}", folder.join(name).display())));
        }
    }
    Ok(())
}

fn check_unchanged(shown: &Path, folder: &Path, names: &[OsString]) -> Result<(), String> {
    let line = ["status", "--porcelain", "-z", "--untracked-files=all"];
    let changed = ask(shown, folder, &line, names)?;
    let changed = String::from_utf8_lossy(&changed);
    // Two letters and a space stand before each name.
    let mut changed = changed.split('\0').filter_map(|entry| entry.get(3..));
    match (changed.next(), changed.count()) {
        (None, _) => Ok(()),
        (Some(first), 0) => {
            Err(refusal(&format!("{} has uncommitted changes: {first}", shown.display())))
        }
        (Some(first), more) => Err(refusal(&format!(
            "{} has uncommitted changes: {first} and {more} more",
            shown.display()
        ))),
    }
}

/// What git says of files in a folder.
fn ask(shown: &Path, folder: &Path, line: &[&str], names: &[OsString]) -> Result<Vec<u8>, String> {
    let mut command = Command::new("git");
    command.env("LC_ALL", "C").arg("--literal-pathspecs").arg("-C").arg(folder).args(line);
    match command.arg("--").args(names).output() {
        Ok(output) if output.status.success() => Ok(output.stdout),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let said = said.lines().next().unwrap_or_default().trim_start_matches("fatal: ");
            Err(refusal(&match said.starts_with("not a git repository") {
                true => format!("{} is in no git checkout", shown.display()),
                false => format!("git says of {}: {said}", shown.display()),
            }))
        }
        Err(error) => Err(refusal(&format!("git cannot be asked: {error}"))),
    }
}

fn refusal(why: &str) -> String {
    format!(
        "the sources are not changed in place: {why}\nhint: commit first, or --output FOLDER, or --force"
    )
}

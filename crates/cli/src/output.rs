//! Writes what a run leaves in a folder as one: whoever kills us finds all that was there before, or all that
//! is new.
//!
//! The new folder is built beside the old one, where files of others get a second name, and the two are
//! exchanged, which the kernel does at once; what others wrote in the meantime follows ([`rescue`]). Where that
//! is not possible, because files cannot have two names, belong to others or are links, or somebody works inside,
//! the new files are staged in a folder inside, one rename makes them valid, and they are moved to their places. A
//! run that was killed between the moves is completed by the next one that writes there ([`recover`]).
//!
//! All of it is a list of steps that is made in advance, so that a test can stop after each.

mod steps;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use emit::junit;
use steps::{Step, can_change, perform};

/// Staged files that are not valid yet.
const STAGED: &str = ".nonpareil-new";
/// Staged files that are valid and on their way.
const VALID: &str = ".nonpareil-switch";
/// In a folder of staged files: the files, and the list of those that go.
const FILES: &str = "files";
const GONE: &str = "gone";
/// In a folder that is built beside the old one, until the two were exchanged.
const FRESH: &str = ".nonpareil-fresh";
/// Folders with more entries are not rebuilt.
const MOST_ENTRIES: usize = 20_000;

/// Which files a run may replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replaces {
    /// Those that Nonpareil wrote.
    Ours,
    /// Any.
    All,
}

/// What a run leaves in a folder; paths are relative to it.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    /// Files and what they say.
    pub(crate) files: Vec<(PathBuf, Vec<u8>)>,
    /// Files of earlier runs that go, where they are ours.
    pub(crate) gone: Vec<PathBuf>,
    /// What may be replaced.
    pub(crate) replaces: Replaces,
}

/// Writes everything or nothing.
pub(crate) fn write(folder: &Path, output: &Output) -> Result<(), String> {
    if output.replaces == Replaces::Ours {
        for (path, _) in &output.files {
            check_ours(&folder.join(path))?;
        }
    }
    if output.files.is_empty() && output.gone.is_empty() {
        return Ok(());
    }
    let failed = |error: io::Error| format!("{}: {error}", folder.display());
    let place = Place::of(folder).map_err(failed)?;
    let _lock = lock(&place.parent);
    complete(&place.folder).map_err(failed)?;
    place.tidy().map_err(failed)?;
    if let Some(steps) = exchanging(&place, output).map_err(failed)? {
        match all(&steps) {
            Ok(()) => return Ok(()),
            // Not every file system can exchange folders, nor may everybody write beside the folder.
            Err(_) => place.tidy().map_err(failed)?,
        }
    }
    check_places(&place.folder, output)?;
    all(&moving(&place.folder, output)).map_err(|error| {
        let _ = fs::remove_dir_all(place.folder.join(STAGED));
        failed(error)
    })
}

/// Finds out before all work whether a folder can be written to; it may not be there yet. `option` is how the user
/// named it.
pub(crate) fn check_folder(option: &str, folder: &Path) -> Result<(), String> {
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    for above in absolute.ancestors() {
        if above.is_dir() {
            return Ok(());
        }
        if fs::symlink_metadata(above).is_ok() {
            let what = if above.exists() { "a file" } else { "a link to nowhere" };
            let which = if above == absolute {
                format!("is {what}")
            } else {
                format!("lies in {}, which is {what}", above.display())
            };
            return Err(format!(
                "{option} {} {which}, not a folder\nhint: name a folder; one that is not there is made",
                folder.display()
            ));
        }
    }
    Ok(())
}

/// Completes what a run that was killed left half done in a folder.
pub(crate) fn recover(folder: &Path) -> Result<(), String> {
    let failed = |error: io::Error| format!("{}: {error}", folder.display());
    let Ok(folder_there) = fs::canonicalize(folder) else { return Ok(()) };
    let place = Place::of(&folder_there).map_err(failed)?;
    let inside = [VALID, STAGED, FRESH].map(|name| place.folder.join(name));
    let outside = [place.beside(), place.discarded()];
    if inside.iter().chain(&outside).all(|left| !left.exists()) {
        return Ok(());
    }
    let _lock = lock(&place.parent);
    place.tidy().map_err(failed)?;
    complete(&place.folder).map_err(failed)
}

/// Refuses to replace a file that somebody else wrote.
pub(crate) fn check_ours(path: &Path) -> Result<(), String> {
    if !path.exists() || is_ours(path) {
        return Ok(());
    }
    Err(format!(
        "{} is there already, and Nonpareil did not write it\nhint: --output names another folder",
        path.display()
    ))
}

/// Whether there is a file that Nonpareil wrote.
pub(crate) fn is_ours(path: &Path) -> bool {
    let mut start = vec![0; junit::MARK.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == junit::MARK.as_bytes()
}

/// Where the folder is, without links on the way to it.
struct Place {
    folder: PathBuf,
    parent: PathBuf,
}

impl Place {
    /// Makes the folders above it.
    fn of(folder: &Path) -> io::Result<Place> {
        let folder = match fs::canonicalize(folder) {
            Ok(folder) => folder,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let above = folder.parent().filter(|above| !above.as_os_str().is_empty());
                let above = above.unwrap_or(Path::new("."));
                fs::create_dir_all(above)?;
                let name = folder.file_name().ok_or(io::ErrorKind::InvalidInput)?;
                fs::canonicalize(above)?.join(name)
            }
            Err(error) => return Err(error),
        };
        let parent = folder.parent().map_or_else(|| folder.clone(), Path::to_path_buf);
        Ok(Place { folder, parent })
    }

    /// The folder beside it in which the new one is built.
    fn beside(&self) -> PathBuf {
        let name = self.folder.file_name().unwrap_or_default().to_string_lossy();
        self.parent.join(format!(".{name}.nonpareil-new"))
    }

    /// The folder beside it in which there is what nobody needs.
    fn discarded(&self) -> PathBuf {
        let name = self.folder.file_name().unwrap_or_default().to_string_lossy();
        self.parent.join(format!(".{name}.nonpareil-gone"))
    }

    /// Takes away what a run that was killed left beside the folder. What others wrote there before the folders
    /// were exchanged comes back.
    fn tidy(&self) -> io::Result<()> {
        let beside = self.beside();
        if !beside.join(FRESH).exists() {
            perform(&Step::Rescue(beside, self.folder.clone()))?;
        }
        all(&self.discarding())
    }

    /// The steps that take away what is beside the folder. A folder of which a part is gone would be taken for
    /// another.
    fn discarding(&self) -> Vec<Step> {
        let (beside, discarded) = (self.beside(), self.discarded());
        vec![
            Step::RemoveFolder(discarded.clone()),
            Step::Discard(beside, discarded.clone()),
            Step::RemoveFolder(discarded),
            Step::RemoveFile(self.folder.join(FRESH)),
        ]
    }
}

/// Two runs that write to the same folder do so one after the other. Where the file system has no locks,
/// the user takes care.
fn lock(folder: &Path) -> Option<File> {
    let file = File::open(folder).ok()?;
    file.lock().ok()?;
    Some(file)
}

fn all(steps: &[Step]) -> io::Result<()> {
    steps.iter().try_for_each(perform)
}

/// The steps that put a new folder in the place of the old one; `None` where that cannot be done.
fn exchanging(place: &Place, output: &Output) -> io::Result<Option<Vec<Step>>> {
    let (folder, beside) = (&place.folder, place.beside());
    let is_there = folder.exists();
    let mut found = Found::default();
    if is_there {
        // Whoever works inside would be left in the old folder.
        let is_inside = std::env::current_dir().is_ok_and(|here| here.starts_with(folder));
        let can_be_done = !is_inside && found.add(folder, Path::new(""))?;
        // What is to be replaced could not be told from what somebody else wrote in the meantime.
        if !can_be_done || output.replaces == Replaces::All && !found.others.is_empty() {
            return Ok(None);
        }
    }
    let mut steps = place.discarding();
    steps.push(Step::Folder(beside.clone()));
    steps.push(Step::File(beside.join(FRESH), Vec::new()));
    let mut folders: BTreeSet<PathBuf> = BTreeSet::new();
    for old in &found.folders {
        folders.insert(beside.join(old));
    }
    for (path, _) in &output.files {
        folders.extend(path.ancestors().skip(1).map(|above| beside.join(above)));
    }
    steps.extend(folders.iter().cloned().map(Step::Folder));
    let replaced: BTreeSet<&Path> = output.files.iter().map(|(path, _)| path.as_path()).collect();
    let gone: BTreeSet<&Path> = output.gone.iter().map(PathBuf::as_path).collect();
    for old in found.files.iter().map(PathBuf::as_path) {
        if !replaced.contains(old) && !gone.contains(old) {
            steps.push(Step::Link(folder.join(old), beside.join(old)));
        }
    }
    for other in &found.others {
        steps.push(Step::SecondName(folder.join(other), beside.join(other)));
    }
    for (path, bytes) in &output.files {
        steps.push(Step::File(beside.join(path), bytes.clone()));
        if folder.join(path).exists() {
            steps.push(Step::Permissions(folder.join(path), beside.join(path)));
        }
    }
    for old in &found.folders {
        steps.push(Step::Owner(folder.join(old), beside.join(old)));
        steps.push(Step::Permissions(folder.join(old), beside.join(old)));
    }
    steps.extend(folders.into_iter().map(Step::Sync));
    if is_there {
        steps.push(Step::Exchange(beside.clone(), folder.clone()));
    } else {
        steps.push(Step::Rename(beside.clone(), folder.clone()));
    }
    steps.push(Step::Sync(place.parent.clone()));
    steps.push(Step::Rescue(beside, folder.clone()));
    steps.extend(place.discarding());
    Ok(Some(steps))
}

/// Brings files of others to a folder that they missed: those in a folder which was exchanged with it and which
/// are not the same there, since they came while the exchange was prepared.
fn rescue(from: &Path, to: &Path) -> io::Result<()> {
    let mut files = Vec::new();
    below(from, Path::new(""), &mut files)?;
    for path in files {
        let (own, there) = (from.join(&path), to.join(&path));
        let same = |one: &fs::Metadata, other: &fs::Metadata| {
            (one.dev(), one.ino()) == (other.dev(), other.ino())
        };
        let data = fs::symlink_metadata(&own)?;
        if fs::symlink_metadata(&there).is_ok_and(|other| same(&data, &other)) || is_ours(&own) {
            continue;
        }
        if let Some(above) = there.parent() {
            fs::create_dir_all(above)?;
        }
        fs::rename(own, there)?;
    }
    Ok(())
}

/// What is in a folder.
#[derive(Default)]
struct Found {
    files: Vec<PathBuf>,
    others: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

impl Found {
    /// Adds what is below; whether it is nothing but folders and files on one file system, and not too many.
    fn add(&mut self, root: &Path, below: &Path) -> io::Result<bool> {
        self.folders.push(below.to_path_buf());
        let device = fs::metadata(root)?.dev();
        for entry in fs::read_dir(root.join(below))? {
            let entry = entry?;
            let (kind, path) = (entry.file_type()?, below.join(entry.file_name()));
            let n_found = self.files.len() + self.others.len() + self.folders.len();
            if n_found > MOST_ENTRIES || entry.metadata()?.dev() != device {
                return Ok(false);
            }
            if kind.is_dir() {
                if !self.add(root, &path)? {
                    return Ok(false);
                }
            } else if !kind.is_file() {
                return Ok(false);
            } else if is_ours(&entry.path()) {
                self.files.push(path);
            } else {
                self.others.push(path);
            }
        }
        Ok(true)
    }
}

/// Finds out before files are moved whether that can be done with each of them.
fn check_places(folder: &Path, output: &Output) -> Result<(), String> {
    let Ok(device) = fs::metadata(folder).map(|data| data.dev()) else { return Ok(()) };
    let mut places: BTreeSet<PathBuf> = BTreeSet::from([folder.to_owned()]);
    for path in output.files.iter().map(|(path, _)| path).chain(&output.gone) {
        let real = behind_links(&folder.join(path));
        places.extend(real.ancestors().skip(1).find(|above| above.exists()).map(Path::to_owned));
    }
    for place in places {
        let failed =
            |error: io::Error| format!("{}: {error}; nothing was written", place.display());
        let data = fs::metadata(&place).map_err(failed)?;
        if !data.is_dir() {
            return Err(format!(
                "{} is a file, not a folder; nothing was written\nhint: move it, or name another folder",
                place.display()
            ));
        }
        if data.dev() != device {
            return Err(format!(
                "{} lies on another file system than {}; nothing was written\nhint: name the folder behind the link",
                place.display(),
                folder.display()
            ));
        }
        can_change(&place).map_err(failed)?;
    }
    Ok(())
}

/// A path, or what a link there leads to.
fn behind_links(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The steps that stage files inside the folder and move them to their places.
fn moving(folder: &Path, output: &Output) -> Vec<Step> {
    let (staged, valid) = (folder.join(STAGED), folder.join(VALID));
    let mut steps = vec![Step::RemoveFolder(staged.clone())];
    let mut folders: BTreeSet<PathBuf> = BTreeSet::new();
    let files = staged.join(FILES);
    folders.extend([folder.to_path_buf(), staged.clone(), files.clone()]);
    for (path, _) in &output.files {
        folders.extend(path.ancestors().skip(1).map(|above| files.join(above)));
    }
    steps.extend(folders.iter().cloned().map(Step::Folder));
    for (path, bytes) in &output.files {
        steps.push(Step::File(files.join(path), bytes.clone()));
        if folder.join(path).exists() {
            steps.push(Step::Permissions(folder.join(path), files.join(path)));
        }
    }
    let is_old = |path: &&PathBuf| is_ours(&folder.join(path));
    let gone: Vec<PathBuf> = output.gone.iter().filter(is_old).cloned().collect();
    let list: Vec<String> = gone.iter().map(|path| path.display().to_string()).collect();
    steps.push(Step::File(staged.join(GONE), list.join("\n").into_bytes()));
    steps.extend(folders.into_iter().map(Step::Sync));
    steps.push(Step::Rename(staged, valid.clone()));
    steps.push(Step::Sync(folder.to_path_buf()));
    let paths: Vec<PathBuf> = output.files.iter().map(|(path, _)| path.clone()).collect();
    steps.extend(moves(folder, &paths, &gone));
    steps
}

/// The steps that bring valid files to their places.
fn moves(folder: &Path, paths: &[PathBuf], gone: &[PathBuf]) -> Vec<Step> {
    let valid = folder.join(VALID);
    let mut steps = Vec::new();
    let mut folders: BTreeSet<PathBuf> = BTreeSet::new();
    for path in paths {
        folders.extend(path.ancestors().skip(1).map(|above| folder.join(above)));
    }
    steps.extend(folders.iter().cloned().map(Step::Folder));
    for path in paths {
        // Whoever has a link keeps it.
        steps.push(Step::Rename(valid.join(FILES).join(path), behind_links(&folder.join(path))));
    }
    steps.extend(gone.iter().map(|path| Step::RemoveFile(folder.join(path))));
    steps.extend(folders.into_iter().map(Step::Sync));
    steps.push(Step::RemoveFolder(valid));
    steps
}

/// Completes the moves of a run that was killed, and takes away what another one staged in vain. What
/// somebody changed since stays as it is.
fn complete(folder: &Path) -> io::Result<()> {
    let valid = folder.join(VALID);
    if let Ok(data) = fs::metadata(&valid) {
        let since = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        let is_newer = |path: &Path| {
            let modified = fs::metadata(path).and_then(|data| data.modified());
            modified.is_ok_and(|modified| modified > since)
        };
        let mut files = Vec::new();
        below(&valid.join(FILES), Path::new(""), &mut files)?;
        files.retain(|path| !is_newer(&folder.join(path)));
        let gone = fs::read_to_string(valid.join(GONE)).unwrap_or_default();
        let gone = gone.lines().map(PathBuf::from).filter(|path| !is_newer(&folder.join(path)));
        all(&moves(folder, &files, &gone.collect::<Vec<_>>()))?;
    }
    perform(&Step::RemoveFolder(folder.join(STAGED)))
}

fn below(root: &Path, path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let entries = match fs::read_dir(root.join(path)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let entry = entry?;
        let inner = path.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            below(root, &inner, files)?;
        } else {
            files.push(inner);
        }
    }
    Ok(())
}

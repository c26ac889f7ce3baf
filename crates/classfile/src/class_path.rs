//! The class path: folders and jars searched in order, as the `java` launcher reads it.
//!
//! A missing entry is ignored, as `java` does, but remembered; a jar that cannot be read is an
//! error. `Class-Path` attributes of manifests are followed.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::{fmt, fs, io};

use crate::{ClassBytes, Jar, JarError};

/// An ordered list of places to find classes and resources.
#[derive(Debug)]
pub struct ClassPath {
    entries: Vec<ClassPathEntry>,
    missing: Vec<PathBuf>,
}

/// One place of a class path.
#[derive(Debug)]
pub enum ClassPathEntry {
    /// A folder.
    Directory(PathBuf),
    /// A jar or zip file.
    Jar(Jar),
}

/// Why a class path or something on it cannot be read.
#[derive(Debug)]
pub enum ClassPathError {
    /// A jar is broken.
    Jar(JarError),
    /// A file or folder cannot be read.
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

impl ClassPath {
    /// Reads a class path: entries separated by `:`, each a folder, a jar, or `folder/*` for all
    /// jars in a folder; an empty entry is the current folder.
    pub fn parse(spec: &str) -> Result<ClassPath, ClassPathError> {
        let mut class_path = ClassPath { entries: Vec::new(), missing: Vec::new() };
        let mut seen = BTreeSet::new();
        for entry in spec.split(':') {
            match entry {
                "" => class_path.add(&mut seen, Path::new("."))?,
                "*" => class_path.add_jars_in(&mut seen, Path::new("."))?,
                _ => match entry.strip_suffix("/*") {
                    Some("") => class_path.add_jars_in(&mut seen, Path::new("/"))?,
                    Some(folder) => class_path.add_jars_in(&mut seen, Path::new(folder))?,
                    None => class_path.add(&mut seen, Path::new(entry))?,
                },
            }
        }
        Ok(class_path)
    }

    /// The places in order of search.
    pub fn entries(&self) -> &[ClassPathEntry] {
        &self.entries
    }

    /// What the class path names but is not there.
    pub fn missing(&self) -> &[PathBuf] {
        &self.missing
    }

    /// The first resource with a name such as `a/B.class`, as Java release `release` sees it.
    pub fn find(&self, resource: &str, release: u16) -> Option<Result<ClassBytes, ClassPathError>> {
        self.entries.iter().find_map(|entry| entry.find(resource, release))
    }

    /// The internal names of all classes, sorted, each once. Unreadable folders have none.
    pub fn class_names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.entries.iter().flat_map(ClassPathEntry::class_names).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn add(&mut self, seen: &mut BTreeSet<PathBuf>, path: &Path) -> Result<(), ClassPathError> {
        let canonical = match fs::canonicalize(path) {
            Ok(canonical) => canonical,
            Err(error) if is_missing(&error) => {
                self.missing.push(path.to_owned());
                return Ok(());
            }
            Err(source) => return Err(ClassPathError::Io { path: path.to_owned(), source }),
        };
        if !seen.insert(canonical.clone()) {
            return Ok(());
        }
        if canonical.is_dir() {
            self.entries.push(ClassPathEntry::Directory(path.to_owned()));
            return Ok(());
        }
        let jar = Jar::open(path).map_err(ClassPathError::Jar)?;
        let linked = linked_paths(&jar);
        self.entries.push(ClassPathEntry::Jar(jar));
        for path in linked {
            self.add(seen, &path)?;
        }
        Ok(())
    }

    fn add_jars_in(
        &mut self,
        seen: &mut BTreeSet<PathBuf>,
        folder: &Path,
    ) -> Result<(), ClassPathError> {
        let at = |source| ClassPathError::Io { path: folder.to_owned(), source };
        let listing = match fs::read_dir(folder) {
            Ok(listing) => listing,
            Err(error) if is_missing(&error) => {
                self.missing.push(folder.to_owned());
                return Ok(());
            }
            Err(error) => return Err(at(error)),
        };
        let mut jars = Vec::new();
        for entry in listing {
            let path = entry.map_err(at)?.path();
            let is_jar =
                path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("jar"));
            if is_jar && path.is_file() {
                jars.push(path);
            }
        }
        jars.sort();
        jars.iter().try_for_each(|jar| self.add(seen, jar))
    }
}

impl ClassPathEntry {
    /// The folder or the jar file.
    pub fn path(&self) -> &Path {
        match self {
            ClassPathEntry::Directory(path) => path,
            ClassPathEntry::Jar(jar) => jar.path(),
        }
    }

    /// The internal names of all classes in this place, sorted. Unreadable folders have none.
    pub fn class_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        match self {
            ClassPathEntry::Directory(root) => collect_classes(&mut names, root, ""),
            ClassPathEntry::Jar(jar) => {
                names.extend(jar.entry_names().filter_map(class_name).map(str::to_owned));
            }
        }
        names.sort_unstable();
        names
    }

    /// A resource of this place alone, as Java release `release` sees it.
    pub fn find(&self, resource: &str, release: u16) -> Option<Result<ClassBytes, ClassPathError>> {
        let root = match self {
            ClassPathEntry::Directory(root) => root,
            ClassPathEntry::Jar(jar) => {
                let found = jar.find_for_release(resource, release)?;
                return Some(found.map_err(ClassPathError::Jar));
            }
        };
        let relative = Path::new(resource);
        // Neither an absolute path nor `..` may leave the folder.
        if resource.is_empty()
            || !relative.components().all(|part| matches!(part, Component::Normal(_)))
        {
            return None;
        }
        let path = root.join(relative);
        match fs::read(&path) {
            Ok(bytes) => Some(Ok(ClassBytes::from_vec(bytes))),
            Err(error) if is_missing(&error) || path.is_dir() => None,
            Err(source) => Some(Err(ClassPathError::Io { path, source })),
        }
    }
}

impl fmt::Display for ClassPathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClassPathError::Jar(error @ JarError::Corrupt { .. }) => {
                write!(f, "{error}\nhint: get the jar once more, or leave it off the class path")
            }
            ClassPathError::Jar(error) => error.fmt(f),
            ClassPathError::Io { path, source } => {
                write!(f, "cannot read {}: {source}", path.display())
            }
        }
    }
}

impl std::error::Error for ClassPathError {}

fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename
    )
}

/// The paths a jar's `Class-Path` attribute names, relative to the jar; other URLs than of files
/// are left out, as they cannot be read here.
fn linked_paths(jar: &Jar) -> Vec<PathBuf> {
    let folder = jar.path().parent().unwrap_or(Path::new(""));
    let links = jar.manifest_attribute("Class-Path").unwrap_or_default();
    links
        .split_ascii_whitespace()
        .filter_map(|link| match link.strip_prefix("file:") {
            Some(path) => Some(path),
            None => (!link.contains(':')).then_some(link),
        })
        .map(|link| folder.join(percent_decoded(link)))
        .collect()
}

fn percent_decoded(link: &str) -> String {
    let bytes = link.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut pos = 0;
    while let Some(&byte) = bytes.get(pos) {
        let hex = (byte == b'%').then(|| link.get(pos + 1..pos + 3)).flatten();
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(value) => {
                decoded.push(value);
                pos += 3;
            }
            None => {
                decoded.push(byte);
                pos += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// The internal name of the class in an entry; versions and descriptions of modules are no classes.
fn class_name(entry: &str) -> Option<&str> {
    let name = entry.strip_suffix(".class")?;
    let is_class = !name.starts_with("META-INF/") && name != "module-info";
    is_class.then_some(name)
}

fn collect_classes(names: &mut Vec<String>, folder: &Path, prefix: &str) {
    let Ok(listing) = fs::read_dir(folder) else { return };
    for entry in listing.flatten() {
        let Ok(file_name) = entry.file_name().into_string() else { continue };
        let name = format!("{prefix}{file_name}");
        // A link to a folder is not followed: it might lead back up.
        let is_dir = entry.file_type().is_ok_and(|file_type| file_type.is_dir());
        if is_dir {
            collect_classes(names, &entry.path(), &format!("{name}/"));
        } else if let Some(name) = class_name(&name) {
            names.push(name.to_owned());
        }
    }
}

//! Jars: a zip reader over a mapped file, with the multi-release rules of the JAR specification.
//!
//! Only the central directory is read on opening. Entries may be stored or deflated, zip64 or not;
//! anything else, and anything out of place, is an error that says so. The size an entry declares
//! is never trusted for more memory than its compressed bytes could give.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::{fmt, str};

use flate2::Crc;
use flate2::read::DeflateDecoder;
use rustc_hash::FxHashMap;

use crate::ClassBytes;

mod directory;

use directory::Entry;

/// No deflate stream expands by more than this.
const MAX_DEFLATE_RATIO: u64 = 1032;
/// Larger entries are refused.
const MAX_ENTRY_LEN: u64 = 1 << 30;

const MANIFEST: &str = "META-INF/MANIFEST.MF";
const VERSIONS: &str = "META-INF/versions/";

/// An open jar or zip file.
pub struct Jar {
    path: PathBuf,
    bytes: ClassBytes,
    entries: FxHashMap<Box<[u8]>, Entry>,
    manifest: Vec<(String, String)>,
    /// The releases with a folder of their own, greatest first; empty unless multi-release.
    releases: Vec<u16>,
}

/// Why a jar or an entry of it cannot be read.
#[derive(Debug)]
pub enum JarError {
    /// The file cannot be opened.
    Io {
        /// The jar.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file is no jar, or a broken one.
    Corrupt {
        /// The jar.
        path: PathBuf,
        /// The entry, if it is that alone.
        entry: Option<String>,
        /// What is wrong.
        reason: String,
    },
}

impl Jar {
    /// Opens a jar and reads its directory and manifest.
    pub fn open(path: &Path) -> Result<Jar, JarError> {
        let bytes = ClassBytes::map(path)
            .map_err(|source| JarError::Io { path: path.to_owned(), source })?;
        Jar::from_bytes(path, bytes)
    }

    /// Reads a jar that is already in memory; `path` only serves messages.
    pub fn from_bytes(path: &Path, bytes: ClassBytes) -> Result<Jar, JarError> {
        let entries = directory::read(&bytes).map_err(|reason| JarError::Corrupt {
            path: path.to_owned(),
            entry: None,
            reason,
        })?;
        let manifest = Vec::new();
        let mut jar = Jar { path: path.to_owned(), bytes, entries, manifest, releases: Vec::new() };
        if let Some(manifest) = jar.find(MANIFEST) {
            jar.manifest = main_attributes(&manifest?);
        }
        if jar
            .manifest_attribute("Multi-Release")
            .is_some_and(|value| value.eq_ignore_ascii_case("true"))
        {
            jar.releases = jar.entry_names().filter_map(release_of).collect();
            jar.releases.sort_unstable_by(|a, b| b.cmp(a));
            jar.releases.dedup();
        }
        Ok(jar)
    }

    /// The file the jar was opened from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// An entry by its exact name.
    pub fn find(&self, name: &str) -> Option<Result<ClassBytes, JarError>> {
        let entry = self.entries.get(name.as_bytes())?;
        Some(self.content(*entry).map_err(|reason| JarError::Corrupt {
            path: self.path.clone(),
            entry: Some(name.to_owned()),
            reason,
        }))
    }

    /// A resource as Java release `release` sees it: in a multi-release jar the newest version
    /// that is not newer than the release, else the plain entry.
    pub fn find_for_release(
        &self,
        name: &str,
        release: u16,
    ) -> Option<Result<ClassBytes, JarError>> {
        if !name.starts_with("META-INF/") {
            for &version in self.releases.iter().filter(|&&version| version <= release) {
                if let Some(found) = self.find(&format!("{VERSIONS}{version}/{name}")) {
                    return Some(found);
                }
            }
        }
        self.find(name)
    }

    /// Whether the manifest says `Multi-Release: true`.
    pub fn is_multi_release(&self) -> bool {
        self.manifest_attribute("Multi-Release")
            .is_some_and(|value| value.eq_ignore_ascii_case("true"))
    }

    /// A main attribute of the manifest, names compared without case.
    pub fn manifest_attribute(&self, name: &str) -> Option<&str> {
        let named = |attribute: &&(String, String)| attribute.0.eq_ignore_ascii_case(name);
        self.manifest.iter().rev().find(named).map(|(_, value)| value.as_str())
    }

    /// The names of all entries, folders included, in no particular order; names that are not
    /// UTF-8 are left out.
    pub fn entry_names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().filter_map(|name| str::from_utf8(name).ok())
    }

    fn content(&self, entry: Entry) -> Result<ClassBytes, String> {
        let stored = directory::stored_range(&self.bytes, entry)?;
        if entry.is_encrypted {
            return Err("is encrypted".to_owned());
        }
        if MAX_ENTRY_LEN < entry.len {
            return Err(format!("is too large ({} bytes)", entry.len));
        }
        match entry.method {
            0 if entry.len == entry.stored_len => {
                let content = self.bytes.slice(stored);
                check_sum(&content, entry)?;
                Ok(content)
            }
            8 if entry.len <= (entry.stored_len + 1) * MAX_DEFLATE_RATIO => {
                let mut content = Vec::with_capacity(entry.len as usize);
                // One byte more than declared, so that a longer stream is noticed.
                DeflateDecoder::new(&self.bytes[stored])
                    .take(entry.len + 1)
                    .read_to_end(&mut content)
                    .map_err(|error| format!("cannot be inflated: {error}"))?;
                if content.len() as u64 != entry.len {
                    return Err("has not the length it declares".to_owned());
                }
                check_sum(&content, entry)?;
                Ok(ClassBytes::from_vec(content))
            }
            0 | 8 => Err("has not the length it declares".to_owned()),
            method => Err(format!("is compressed by the unsupported method {method}")),
        }
    }
}

impl fmt::Debug for Jar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Jar({})", self.path.display())
    }
}

impl fmt::Display for JarError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JarError::Io { path, source } => write!(f, "cannot open {}: {source}", path.display()),
            JarError::Corrupt { path, entry: None, reason } => {
                write!(f, "cannot read {} as a jar: {reason}", path.display())
            }
            JarError::Corrupt { path, entry: Some(entry), reason } => {
                write!(f, "entry {entry} of {} {reason}", path.display())
            }
        }
    }
}

impl std::error::Error for JarError {}

fn check_sum(content: &[u8], entry: Entry) -> Result<(), String> {
    let mut crc = Crc::new();
    crc.update(content);
    if crc.sum() == entry.crc { Ok(()) } else { Err("is damaged (wrong checksum)".to_owned()) }
}

/// The release of a name below `META-INF/versions/`; the specification starts at 9.
fn release_of(name: &str) -> Option<u16> {
    let (release, _) = name.strip_prefix(VERSIONS)?.split_once('/')?;
    release.parse().ok().filter(|&release| 9 <= release)
}

/// The main section of a manifest: `Name: value` lines, continued by lines that start with a
/// space, up to the first empty line.
fn main_attributes(manifest: &[u8]) -> Vec<(String, String)> {
    let text = String::from_utf8_lossy(manifest);
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut attributes: Vec<(String, String)> = Vec::new();
    for line in text.split('\n') {
        if line.is_empty() {
            break;
        }
        if let Some(continued) = line.strip_prefix(' ') {
            if let Some((_, value)) = attributes.last_mut() {
                value.push_str(continued);
            }
        } else if let Some((name, value)) = line.split_once(':') {
            let value = value.strip_prefix(' ').unwrap_or(value);
            attributes.push((name.to_owned(), value.to_owned()));
        }
    }
    for (_, value) in &mut attributes {
        value.truncate(value.trim_end().len());
    }
    attributes
}

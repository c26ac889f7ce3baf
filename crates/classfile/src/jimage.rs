//! The JDK's run-time image, `lib/modules`: all classes and resources of the JDK in one file.
//!
//! The file is mapped, and an uncompressed resource is a slice of the map. A name is found by a
//! perfect hash: a redirect table says how to hash a second time or which slot to take at once.
//! The numbers in the file are in the machine's byte order, the attributes of a location are
//! big-endian bytes. Everything is bounds-checked where it is used, so that opening costs nothing.

use std::path::{Path, PathBuf};
use std::{fmt, io};

use crate::ClassBytes;

mod compressed;

const MAGIC: u32 = 0xCAFE_DADA;
const HEADER_LEN: usize = 28;
/// The multiplier of the hash, and the seed of its first round.
const HASH_MULTIPLIER: u32 = 0x0100_0193;

/// An open run-time image.
pub struct JImage {
    path: PathBuf,
    bytes: ClassBytes,
    table_len: usize,
    /// Invariant: the tables, `locations..strings..resources`, lie within `bytes` in this order.
    redirects: usize,
    offsets: usize,
    locations: usize,
    strings: usize,
    resources: usize,
}

/// Why a run-time image or something in it cannot be read.
#[derive(Debug)]
pub enum JImageError {
    /// The file cannot be opened.
    Io {
        /// The image.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file is not an image, or a broken one.
    Corrupt {
        /// The image.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

/// The name of a resource, in the parts the image keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceName<'a> {
    /// The module; `packages` for the table of packages.
    pub module: &'a str,
    /// The folders, with `/` between them; may be empty.
    pub parent: &'a str,
    /// The file name up to its last dot.
    pub base: &'a str,
    /// What stands behind the last dot; may be empty.
    pub extension: &'a str,
}

impl ResourceName<'_> {
    /// The path within the module.
    pub fn path(&self) -> String {
        let slash = if self.parent.is_empty() { "" } else { "/" };
        let dot = if self.extension.is_empty() { "" } else { "." };
        format!("{}{slash}{}{dot}{}", self.parent, self.base, self.extension)
    }
}

/// Where a resource lies; strings are offsets into the string table.
#[derive(Clone, Copy, Default)]
struct Location {
    module: u64,
    parent: u64,
    base: u64,
    extension: u64,
    offset: u64,
    compressed: u64,
    uncompressed: u64,
}

impl JImage {
    /// Opens the image at `path`, usually `lib/modules` of a JDK.
    pub fn open(path: &Path) -> Result<JImage, JImageError> {
        let bytes = ClassBytes::map(path)
            .map_err(|source| JImageError::Io { path: path.to_owned(), source })?;
        JImage::from_bytes(path, bytes)
    }

    /// Reads an image that is already in memory; `path` only serves messages.
    pub fn from_bytes(path: &Path, bytes: ClassBytes) -> Result<JImage, JImageError> {
        let corrupt = |reason: &str| JImageError::Corrupt {
            path: path.to_owned(),
            reason: reason.to_owned(),
        };
        let word = |at| u32_at(&bytes, at).ok_or_else(|| corrupt("too short for a header"));
        match word(0)? {
            MAGIC => {}
            magic if magic.swap_bytes() == MAGIC => {
                return Err(corrupt("made for a machine of the other byte order"));
            }
            _ => return Err(corrupt("not a run-time image")),
        }
        let version = word(4)?;
        if version != 1 << 16 {
            let (major, minor) = (version >> 16, version & 0xFFFF);
            return Err(corrupt(&format!("unsupported image version {major}.{minor}")));
        }
        let table_len = word(16)? as usize;
        let locations_len = word(20)? as usize;
        let strings_len = word(24)? as usize;
        let redirects = HEADER_LEN;
        let offsets = redirects + table_len * 4;
        let locations = offsets + table_len * 4;
        let strings = locations + locations_len;
        let resources = strings + strings_len;
        if table_len == 0 || bytes.len() < resources {
            return Err(corrupt("too short for its index"));
        }
        let path = path.to_owned();
        Ok(JImage { path, bytes, table_len, redirects, offsets, locations, strings, resources })
    }

    /// The whole file.
    pub fn map(&self) -> &[u8] {
        &self.bytes
    }

    /// The file the image was opened from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A resource, such as `java/lang/Object.class` of `java.base`; `None` if it is not there or
    /// cannot be read, which [`JImage::try_find`] tells apart.
    pub fn find(&self, module: &str, path: &str) -> Option<ClassBytes> {
        self.try_find(module, path).ok().flatten()
    }

    /// A resource, or why it cannot be read.
    pub fn try_find(&self, module: &str, path: &str) -> Result<Option<ClassBytes>, JImageError> {
        match self.locate(module.as_bytes(), path.as_bytes(), b"") {
            Some(location) => self.content(location).map(Some),
            None => Ok(None),
        }
    }

    /// The module that holds a package, given with dots or slashes; of several modules the one
    /// that has classes in it.
    pub fn module_of_package(&self, package: &str) -> Option<&str> {
        self.module_of(package.as_bytes())
    }

    /// A class by internal name, with its module.
    pub fn find_class(&self, internal_name: impl AsRef<[u8]>) -> Option<(&str, ClassBytes)> {
        let internal_name = internal_name.as_ref();
        let slash = internal_name.iter().rposition(|&byte| byte == b'/')?;
        let module = self.module_of(&internal_name[..slash])?;
        let location = self.locate(module.as_bytes(), internal_name, b".class")?;
        Some((module, self.content(location).ok()?))
    }

    /// The names of all resources, in the order of the image's own table.
    pub fn resources(&self) -> impl Iterator<Item = ResourceName<'_>> {
        (0..self.table_len).filter_map(|slot| {
            let location = self.location(slot)?;
            let text = |offset| std::str::from_utf8(self.string(offset)?).ok();
            Some(ResourceName {
                module: text(location.module)?,
                parent: text(location.parent)?,
                base: text(location.base)?,
                extension: text(location.extension)?,
            })
        })
    }

    fn module_of(&self, package: &[u8]) -> Option<&str> {
        // Packages are listed with dots. Almost all names fit a small buffer.
        let mut short = [0; 128];
        let long;
        let dotted: &[u8] = if let Some(buffer) = short.get_mut(..package.len()) {
            for (to, &from) in buffer.iter_mut().zip(package) {
                *to = if from == b'/' { b'.' } else { from };
            }
            buffer
        } else {
            long = package.iter().map(|&b| if b == b'/' { b'.' } else { b }).collect::<Vec<_>>();
            &long
        };
        let location = self.locate(b"packages", dotted, b"")?;
        let listing = self.raw(location)?;
        // Pairs of a flag, set if the module has the package but no classes in it, and a name.
        let mut modules = listing.chunks_exact(8).filter_map(|pair| {
            let is_empty = u32_at(pair, 0)? != 0;
            let name = std::str::from_utf8(self.string(u64::from(u32_at(pair, 4)?))?).ok()?;
            Some((is_empty, name))
        });
        let first = modules.next()?;
        if !first.0 {
            return Some(first.1);
        }
        let with_classes = modules.find(|(is_empty, _)| !is_empty);
        Some(with_classes.unwrap_or(first).1)
    }

    /// The location of `/module/path` followed by `suffix`.
    fn locate(&self, module: &[u8], path: &[u8], suffix: &[u8]) -> Option<Location> {
        let parts: [&[u8]; 5] = [b"/", module, b"/", path, suffix];
        let slot = |seed| hash(seed, &parts) as usize % self.table_len;
        let redirect = u32_at(&self.bytes, self.redirects + slot(HASH_MULTIPLIER) * 4)? as i32;
        let slot = match redirect {
            0 => return None,
            1.. => slot(redirect as u32),
            // Not `-1 - redirect`, which a hostile file could make overflow.
            _ => !redirect as usize,
        };
        let location = self.location(slot)?;
        self.is_named(location, module, path, suffix).then_some(location)
    }

    fn location(&self, slot: usize) -> Option<Location> {
        if self.table_len <= slot {
            return None;
        }
        let offset = u32_at(&self.bytes, self.offsets + slot * 4)? as usize;
        let mut attributes = self.bytes[self.locations..self.strings].get(offset..)?;
        let mut location = Location::default();
        loop {
            let (&head, rest) = attributes.split_first()?;
            let len = usize::from(head & 7) + 1;
            let place = match head >> 3 {
                0 => return Some(location),
                1 => &mut location.module,
                2 => &mut location.parent,
                3 => &mut location.base,
                4 => &mut location.extension,
                5 => &mut location.offset,
                6 => &mut location.compressed,
                7 => &mut location.uncompressed,
                _ => return None,
            };
            *place = rest.get(..len)?.iter().fold(0, |value, &byte| value << 8 | u64::from(byte));
            attributes = &rest[len..];
        }
    }

    fn is_named(&self, location: Location, module: &[u8], path: &[u8], suffix: &[u8]) -> bool {
        let matches = || {
            if self.string(location.module)? != module {
                return None;
            }
            let mut path = path;
            let mut suffix = suffix;
            let mut strip = |part: &[u8]| -> Option<()> {
                let in_path = part.len().min(path.len());
                let (from_path, from_suffix) = part.split_at(in_path);
                path = path.strip_prefix(from_path)?;
                suffix = suffix.strip_prefix(from_suffix)?;
                Some(())
            };
            let parent = self.string(location.parent)?;
            if !parent.is_empty() {
                strip(parent)?;
                strip(b"/")?;
            }
            strip(self.string(location.base)?)?;
            let extension = self.string(location.extension)?;
            if !extension.is_empty() {
                strip(b".")?;
                strip(extension)?;
            }
            (path.is_empty() && suffix.is_empty()).then_some(())
        };
        matches().is_some()
    }

    /// A zero-terminated string of the string table.
    fn string(&self, offset: u64) -> Option<&[u8]> {
        let strings = &self.bytes[self.strings..self.resources];
        let rest = strings.get(usize::try_from(offset).ok()?..)?;
        let len = rest.iter().position(|&byte| byte == 0)?;
        Some(&rest[..len])
    }

    /// The stored bytes of an uncompressed resource.
    fn raw(&self, location: Location) -> Option<&[u8]> {
        let start = self.resources.checked_add(usize::try_from(location.offset).ok()?)?;
        let len = usize::try_from(location.uncompressed).ok()?;
        self.bytes.get(start..start.checked_add(len)?)
    }

    fn content(&self, location: Location) -> Result<ClassBytes, JImageError> {
        let corrupt = |reason: &str| JImageError::Corrupt {
            path: self.path.clone(),
            reason: reason.to_owned(),
        };
        let stored_len = match location.compressed {
            0 => location.uncompressed,
            len => len,
        };
        let range = (|| {
            let start = self.resources.checked_add(usize::try_from(location.offset).ok()?)?;
            let end = start.checked_add(usize::try_from(stored_len).ok()?)?;
            (end <= self.bytes.len()).then_some(start..end)
        })()
        .ok_or_else(|| corrupt("a resource lies outside the file"))?;
        if location.compressed == 0 {
            return Ok(self.bytes.slice(range));
        }
        let string = |offset: u32| self.string(u64::from(offset));
        compressed::expand(&self.bytes[range], location.uncompressed, &string)
            .map(ClassBytes::from_vec)
            .map_err(|reason| corrupt(&reason))
    }
}

impl fmt::Debug for JImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JImage({})", self.path.display())
    }
}

impl fmt::Display for JImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JImageError::Io { path, source } => {
                write!(f, "cannot open the run-time image {}: {source}", path.display())
            }
            JImageError::Corrupt { path, reason } => {
                write!(f, "cannot read the run-time image {}: {reason}", path.display())
            }
        }
    }
}

impl std::error::Error for JImageError {}

fn hash(seed: u32, parts: &[&[u8]]) -> u32 {
    let mut hash = seed;
    for part in parts {
        for &byte in *part {
            hash = hash.wrapping_mul(HASH_MULTIPLIER) ^ u32::from(byte);
        }
    }
    hash & 0x7FFF_FFFF
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let word = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
}

//! A 64-bit digest that says whether the inputs of a cached result changed (FNV-1a).

use std::fs;
use std::io;
use std::path::Path;

/// Accumulates parts; each part's length is mixed in, so borders matter.
#[derive(Clone, Debug)]
pub struct Digest(u64);

impl Digest {
    /// The digest of nothing.
    pub fn new() -> Digest {
        Digest(0xcbf2_9ce4_8422_2325)
    }

    /// Adds one part.
    pub fn add(&mut self, part: impl AsRef<[u8]>) -> &mut Digest {
        let part = part.as_ref();
        for byte in part.iter().chain(&(part.len() as u64).to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
        self
    }

    /// Adds the names and contents of a file, or of all files below a folder.
    pub fn add_tree(&mut self, path: &Path) -> io::Result<&mut Digest> {
        self.add(path.file_name().unwrap_or_default().as_encoded_bytes());
        if !path.is_dir() {
            return Ok(self.add(fs::read(path)?));
        }
        let mut entries: Vec<_> = fs::read_dir(path)?.collect::<io::Result<_>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            self.add_tree(&entry.path())?;
        }
        Ok(self)
    }

    /// The digest as sixteen hexadecimal digits.
    pub fn hex(&self) -> String {
        format!("{:016x}", self.0)
    }
}

impl Default for Digest {
    fn default() -> Digest {
        Digest::new()
    }
}

#[cfg(test)]
mod tests {
    use super::Digest;

    #[test]
    fn digest_sees_the_border_between_parts() {
        let one = Digest::new().add("ab").add("c").hex();
        let other = Digest::new().add("a").add("bc").hex();
        assert_ne!(one, other);
    }
}

//! The outer form of an image: a head, the tables, the objects on pages of their own, and a digest
//! over all of it. Nothing is trusted before the digest fits.

use std::fmt;

/// First bytes of every image; the number is that of this form.
const MAGIC: &[u8; 8] = b"NPBASE01";
const HEAD: usize = 64;
const PAGE: usize = 4096;

/// Why an image cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageError {
    /// Not an image, cut short, or changed.
    Damaged,
    /// Made for another key.
    Stale,
    /// The operating system refused memory.
    NoMemory,
}

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ImageError::Damaged => "the boot image is damaged",
            ImageError::Stale => "the boot image was made for something else",
            ImageError::NoMemory => "no memory for the boot image",
        })
    }
}

impl std::error::Error for ImageError {}

/// The parts of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parts<'a> {
    /// Tables beside the heap.
    pub(super) tables: &'a [u8],
    /// Bytes of objects.
    pub(super) objects: &'a [u8],
    /// Where the objects lie in the image: at the start of a page.
    pub(super) objects_at: usize,
}

/// Puts an image together.
pub(super) fn assemble(key: &str, tables: &[u8], objects: &[u8]) -> Vec<u8> {
    let tables_at = HEAD + key.len();
    let objects_at = (tables_at + tables.len()).next_multiple_of(PAGE);
    let mut image = vec![0; HEAD];
    image.extend_from_slice(key.as_bytes());
    image.extend_from_slice(tables);
    image.resize(objects_at, 0);
    image.extend_from_slice(objects);
    // Whole pages, so that all of it can be mapped.
    image.resize((objects_at + objects.len()).next_multiple_of(PAGE), 0);
    let lengths = [key.len(), tables.len(), objects.len()];
    image[..8].copy_from_slice(MAGIC);
    for (idx, length) in lengths.into_iter().enumerate() {
        image[32 + idx * 8..][..8].copy_from_slice(&(length as u64).to_le_bytes());
    }
    let digest = digest(&image[32..]);
    image[8..24].copy_from_slice(&digest.to_le_bytes());
    image
}

/// Takes an image apart, having checked it.
pub(super) fn take_apart<'a>(key: &str, image: &'a [u8]) -> Result<Parts<'a>, ImageError> {
    let head = image.get(..HEAD).ok_or(ImageError::Damaged)?;
    if head[..8] != MAGIC[..] || head[8..24] != digest(&image[32..]).to_le_bytes() {
        return Err(ImageError::Damaged);
    }
    let length = |idx: usize| {
        let bytes = head[32 + idx * 8..][..8].try_into().ok()?;
        usize::try_from(u64::from_le_bytes(bytes)).ok()
    };
    let parts = || {
        let tables_at = HEAD.checked_add(length(0)?)?;
        let tables = image.get(tables_at..tables_at.checked_add(length(1)?)?)?;
        let objects_at = (tables_at + tables.len()).next_multiple_of(PAGE);
        let objects = image.get(objects_at..objects_at.checked_add(length(2)?)?)?;
        Some((&image[HEAD..tables_at], Parts { tables, objects, objects_at }))
    };
    let (found, parts) = parts().ok_or(ImageError::Damaged)?;
    if found == key.as_bytes() { Ok(parts) } else { Err(ImageError::Stale) }
}

/// A short name for a key, good as a file name.
pub fn name_of(key: &str) -> String {
    format!("{:032x}", digest(key.as_bytes()))
}

/// 128 bits that damage does not leave as they are; no protection against forgery.
fn digest(bytes: &[u8]) -> u128 {
    const FIRST: u64 = 0x9e37_79b9_7f4a_7c15;
    const SECOND: u64 = 0xc2b2_ae3d_27d4_eb4f;
    let (mut a, mut b) = (FIRST, SECOND ^ bytes.len() as u64);
    let mut chunks = bytes.chunks_exact(16);
    let mut mix = |chunk: &[u8]| {
        let mut words = [0; 16];
        words[..chunk.len()].copy_from_slice(chunk);
        let words = u128::from_le_bytes(words);
        #[expect(clippy::cast_possible_truncation, reason = "split into halves")]
        let (low, high) = (words as u64, (words >> 64) as u64);
        a = (a ^ low).wrapping_mul(FIRST).rotate_left(29) ^ high;
        b = (b ^ high).wrapping_mul(SECOND).rotate_left(31).wrapping_add(low);
    };
    chunks.by_ref().for_each(&mut mix);
    mix(chunks.remainder());
    mix(&[0xff; 16]);
    mix(&[]);
    u128::from(a ^ a >> 32) << 64 | u128::from(b ^ b >> 29)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn take_apart_gives_what_assemble_put_together() {
        let image = assemble("key", b"some tables", &[7; 5000]);
        let parts = take_apart("key", &image).expect("sound");
        assert_eq!(parts.tables, b"some tables");
        assert_eq!(parts.objects, [7; 5000]);
        assert_eq!(parts.objects_at % PAGE, 0);
    }

    #[test]
    fn take_apart_refuses_another_key() {
        let image = assemble("key", b"tables", b"objects");
        assert_eq!(take_apart("other", &image), Err(ImageError::Stale));
    }

    #[test]
    fn take_apart_refuses_every_flipped_bit_and_every_length() {
        let image = assemble("key", b"some tables", b"some objects");
        for len in 0..image.len() {
            assert_eq!(take_apart("key", &image[..len]), Err(ImageError::Damaged), "{len}");
        }
        // Bytes 24 to 32 are not used.
        for at in (0..24).chain(32..200).chain(4090..4200) {
            for bit in 0..8 {
                let mut damaged = image.clone();
                damaged[at] ^= 1 << bit;
                assert_eq!(take_apart("key", &damaged), Err(ImageError::Damaged), "{at} {bit}");
            }
        }
    }

    #[test]
    fn name_of_tells_keys_apart() {
        assert_ne!(name_of("a"), name_of("b"));
        assert_ne!(name_of("a"), name_of("a\0"));
        assert_eq!(name_of("a").len(), 32);
    }
}

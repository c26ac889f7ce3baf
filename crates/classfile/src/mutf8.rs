//! Modified UTF-8 (JVMS §4.4.7): checking, decoding to UTF-16 units, encoding, showing.
//!
//! It differs from UTF-8 in that NUL takes two bytes and a supplementary character is written as
//! its two surrogates, three bytes each; a lone surrogate is legal and survives a round trip.

/// Checks that bytes are modified UTF-8 in shortest form; otherwise the position of the fault.
pub fn validate(bytes: &[u8]) -> Result<(), usize> {
    check(bytes, Overlong::Rejected)
}

/// Like [`validate`], but takes characters written longer than needed, as class files before
/// version 48 may hold.
pub fn validate_old(bytes: &[u8]) -> Result<(), usize> {
    check(bytes, Overlong::Accepted)
}

#[derive(Clone, Copy, PartialEq)]
enum Overlong {
    Accepted,
    Rejected,
}

fn check(bytes: &[u8], overlong: Overlong) -> Result<(), usize> {
    let mut pos = plain_prefix(bytes);
    while let Some(&first) = bytes.get(pos) {
        let continuation = |at: usize| match bytes.get(at) {
            Some(&byte) if byte & 0xC0 == 0x80 => Some(u32::from(byte & 0x3F)),
            _ => None,
        };
        match first {
            0x01..=0x7F => pos += 1,
            0xC0..=0xDF => {
                let low = continuation(pos + 1).ok_or(pos)?;
                let unit = u32::from(first & 0x1F) << 6 | low;
                if overlong == Overlong::Rejected && unit < 0x80 && unit != 0 {
                    return Err(pos);
                }
                pos += 2;
            }
            0xE0..=0xEF => {
                let middle = continuation(pos + 1).ok_or(pos)?;
                let low = continuation(pos + 2).ok_or(pos)?;
                let unit = u32::from(first & 0x0F) << 12 | middle << 6 | low;
                if overlong == Overlong::Rejected && unit < 0x800 {
                    return Err(pos);
                }
                pos += 3;
            }
            _ => return Err(pos),
        }
    }
    Ok(())
}

/// How many of the first bytes are surely characters of one byte, looking at eight at a time.
fn plain_prefix(bytes: &[u8]) -> usize {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let mut pos = 0;
    for chunk in bytes.chunks_exact(8) {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        let word = u64::from_ne_bytes(word);
        // A zero byte borrows into its high bit.
        if (word | word.wrapping_sub(LOW)) & HIGH != 0 {
            break;
        }
        pos += 8;
    }
    pos
}

/// Decodes to UTF-16 units. Malformed bytes, which a checked class file has not, give U+FFFD.
pub fn decode(bytes: &[u8]) -> Decode<'_> {
    Decode { bytes }
}

/// Iterator of [`decode`].
#[derive(Clone, Debug)]
pub struct Decode<'a> {
    bytes: &'a [u8],
}

impl Iterator for Decode<'_> {
    type Item = u16;

    #[inline]
    fn next(&mut self) -> Option<u16> {
        let (unit, len) = match *self.bytes {
            [] => return None,
            [first @ 0x00..=0x7F, ..] => (u16::from(first), 1),
            [first @ 0xC0..=0xDF, low @ 0x80..=0xBF, ..] => {
                (u16::from(first & 0x1F) << 6 | u16::from(low & 0x3F), 2)
            }
            [first @ 0xE0..=0xEF, middle @ 0x80..=0xBF, low @ 0x80..=0xBF, ..] => (
                u16::from(first & 0x0F) << 12
                    | u16::from(middle & 0x3F) << 6
                    | u16::from(low & 0x3F),
                3,
            ),
            _ => (0xFFFD, 1),
        };
        self.bytes = &self.bytes[len..];
        Some(unit)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.bytes.len().div_ceil(3), Some(self.bytes.len()))
    }
}

/// How many UTF-16 units the bytes stand for.
pub fn utf16_len(bytes: &[u8]) -> usize {
    decode(bytes).count()
}

/// Encodes UTF-16 units.
pub fn encode(units: impl IntoIterator<Item = u16>) -> Vec<u8> {
    let units = units.into_iter();
    let mut bytes = Vec::with_capacity(units.size_hint().0);
    for unit in units {
        let continuation = |shift: u32| 0x80 | (unit >> shift & 0x3F) as u8;
        match unit {
            0x0001..=0x007F => bytes.push(unit as u8),
            0x0000 | 0x0080..=0x07FF => {
                bytes.extend([0xC0 | (unit >> 6) as u8, continuation(0)]);
            }
            _ => bytes.extend([0xE0 | (unit >> 12) as u8, continuation(6), continuation(0)]),
        }
    }
    bytes
}

/// Encodes a Rust string.
pub fn encode_str(text: &str) -> Vec<u8> {
    encode(text.encode_utf16())
}

/// For people to read: lone surrogates and malformed bytes become U+FFFD.
pub fn display(bytes: &[u8]) -> String {
    char::decode_utf16(decode(bytes))
        .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{decode, display, encode, encode_str, validate, validate_old};

    #[test]
    fn every_utf16_unit_survives_encoding_and_decoding() {
        for unit in 0..=u16::MAX {
            let bytes = encode([unit]);
            assert_eq!(validate(&bytes), Ok(()), "{unit:#06x}");
            assert_eq!(decode(&bytes).collect::<Vec<_>>(), [unit]);
        }
    }

    #[test]
    fn a_supplementary_character_takes_six_bytes_and_shows_as_itself() {
        let bytes = encode_str("a\u{1F600}\0");
        assert_eq!(bytes.len(), 1 + 6 + 2);
        assert_eq!(display(&bytes), "a\u{1F600}\0");
    }

    #[test]
    fn validate_names_the_position_of_a_fault() {
        assert_eq!(validate(b"12345678\x00"), Err(8));
        assert_eq!(validate(b"1234\x005678"), Err(4));
        assert_eq!(validate(b"abc\xF0\x9F\x98\x80"), Err(3));
        assert_eq!(validate(b"abcdefghi\xC3"), Err(9));
        assert_eq!(validate(b"\xE2\x82"), Err(0));
        assert_eq!(validate(b"\xC3\x28"), Err(0));
        assert_eq!(validate(b"\x80"), Err(0));
    }

    #[test]
    fn overlong_characters_are_only_taken_from_old_class_files() {
        for bytes in [&b"\xC1\x81"[..], b"\xE0\x81\x81"] {
            assert_eq!(validate(bytes), Err(0));
            assert_eq!(validate_old(bytes), Ok(()));
            assert_eq!(display(bytes), "A");
        }
    }

    #[test]
    fn display_of_broken_bytes_does_not_fail() {
        assert_eq!(display(b"a\xED\xA0\x80b\xFF"), "a\u{FFFD}b\u{FFFD}");
    }
}

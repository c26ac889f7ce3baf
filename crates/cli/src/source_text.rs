//! The text of Java sources in whatever encoding they are, so that every byte that nobody changes stays.
//!
//! What is no UTF-8 is taken for one of the many encodings that write ASCII as ASCII, such as ISO-8859-1: each
//! byte is a character. That is right for letters in ISO-8859-1; in others they stand in comments and texts, which
//! nobody looks into.

use std::path::Path;

/// A source that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourceText {
    pub(crate) text: String,
    encoding: Encoding,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Utf8,
    /// One byte for each character.
    Bytes,
}

impl SourceText {
    /// Reads the bytes of a file.
    pub(crate) fn of(path: &Path, bytes: Vec<u8>) -> Result<SourceText, String> {
        let is_wide =
            matches!(bytes[..], [0xfe, 0xff, ..] | [0xff, 0xfe, ..] | [0, ..] | [_, 0, ..]);
        if is_wide {
            return Err(format!(
                "{}: the source is neither in UTF-8 nor in an encoding that has ASCII in it, such as ISO-8859-1\n\
                 hint: save it in UTF-8",
                path.display()
            ));
        }
        Ok(match String::from_utf8(bytes) {
            Ok(text) => SourceText { text, encoding: Encoding::Utf8 },
            Err(error) => {
                let text = error.into_bytes().into_iter().map(char::from).collect();
                SourceText { text, encoding: Encoding::Bytes }
            }
        })
    }

    /// Another text in the same encoding. What this does not have is written as a Unicode escape.
    pub(crate) fn bytes_of(&self, text: &str) -> Vec<u8> {
        if self.encoding == Encoding::Utf8 {
            return text.as_bytes().to_vec();
        }
        let mut bytes = Vec::with_capacity(text.len());
        for c in text.chars() {
            match u8::try_from(c) {
                Ok(byte) => bytes.push(byte),
                Err(_) => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        bytes.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
                    }
                }
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::SourceText;

    fn read(bytes: &[u8]) -> Result<SourceText, String> {
        SourceText::of(Path::new("a/A.java"), bytes.to_vec())
    }

    #[test]
    fn every_byte_comes_back_in_any_encoding() {
        let all: Vec<u8> = (1..=255).collect();
        for bytes in ["// größe €😀".as_bytes(), b"// gr\xf6\xdfe", &all] {
            let source = read(bytes).expect("read");
            assert_eq!(source.bytes_of(&source.text), bytes);
        }
        assert_eq!(read(b"gr\xf6\xdfe").expect("read").text, "größe");
    }

    #[test]
    fn what_an_encoding_does_not_have_is_escaped() {
        let source = read(b"\xf6").expect("read");
        assert_eq!(source.bytes_of("ö€😀"), b"\xf6\\u20ac\\ud83d\\ude00");
    }

    #[test]
    fn two_bytes_for_a_character_are_refused() {
        for bytes in [b"\xff\xfec\0l\0".as_slice(), b"\xfe\xff\0c\0l", b"\0c\0l", b"c\0l\0"] {
            let said = read(bytes).expect_err("refused");
            assert!(said.starts_with("a/A.java: the source is neither in UTF-8 nor"), "{said}");
        }
    }
}

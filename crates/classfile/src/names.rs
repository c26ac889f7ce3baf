//! Which names are legal (JVMS §4.2).
//!
//! The rules are those for class files of version 49 and later. Older files had to use Java
//! identifiers, a subset, which no JVM of today insists on for loaded classes.

/// Whether a byte may not stand in an unqualified name.
#[inline]
fn is_separator(byte: u8) -> bool {
    matches!(byte, b'.' | b';' | b'[' | b'/')
}

/// An unqualified name (JVMS §4.2.2), as fields have it.
pub(crate) fn is_unqualified_name(name: &[u8]) -> bool {
    !name.is_empty() && !name.iter().any(|&byte| is_separator(byte))
}

/// A method's name, where `<init>` and `<clinit>` are the only ones with angle brackets.
pub(crate) fn is_method_name(name: &[u8]) -> bool {
    name == b"<init>"
        || name == b"<clinit>"
        || (is_unqualified_name(name) && !name.iter().any(|&byte| matches!(byte, b'<' | b'>')))
}

/// A class or interface name in internal form: unqualified names with `/` between them.
pub(crate) fn is_class_name(name: &[u8]) -> bool {
    let mut after_slash = true;
    for &byte in name {
        if byte == b'/' {
            if after_slash {
                return false;
            }
            after_slash = true;
        } else if is_separator(byte) {
            return false;
        } else {
            after_slash = false;
        }
    }
    !after_slash
}

/// A module's name (JVMS §4.2.3): `: @ \` only when escaped, no control characters.
pub(crate) fn is_module_name(name: &[u8]) -> bool {
    let mut escaped = false;
    for &byte in name {
        match byte {
            0..0x20 => return false,
            b'\\' => escaped = !escaped,
            b':' | b'@' if !escaped => return false,
            b':' | b'@' => escaped = false,
            _ if escaped => return false,
            _ => {}
        }
    }
    !name.is_empty() && !escaped
}

#[cfg(test)]
mod tests {
    use super::{is_class_name, is_method_name, is_module_name, is_unqualified_name};

    #[test]
    fn class_names_have_no_empty_part_and_no_other_separator() {
        for good in [&b"A"[..], b"a/B", b"a-b/c d", b"a/B$1", b"package-info", b"a/<x>"] {
            assert!(is_class_name(good), "{good:?}");
        }
        for bad in [&b""[..], b"/A", b"A/", b"a//B", b"a.B", b"A;", b"[A"] {
            assert!(!is_class_name(bad), "{bad:?}");
        }
    }

    #[test]
    fn only_two_method_names_have_angle_brackets() {
        for good in [&b"<init>"[..], b"<clinit>", b"a", b"lambda$x$0"] {
            assert!(is_method_name(good), "{good:?}");
        }
        for bad in [&b""[..], b"<x>", b"a>", b"a.b", b"a/b"] {
            assert!(!is_method_name(bad), "{bad:?}");
        }
        assert!(is_unqualified_name(b"<x>"));
    }

    #[test]
    fn module_names_escape_their_special_characters() {
        assert!(is_module_name(b"java.base") && is_module_name(b"a\\@b\\\\"));
        assert!(!is_module_name(b"a@b") && !is_module_name(b"a\\b") && !is_module_name(b"a\\"));
    }
}

//! Fields that are no part of a state.
//!
//! Some fields never influence results but differ between equal histories: counters of structural
//! changes, caches of hashes and of views. They are left out by default; which ones is printed with a
//! result. `strict` switches the default off.

/// Which fields are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mask {
    /// Nothing is left out by default, and shared values count as objects.
    pub strict: bool,
    /// Further fields.
    pub ignored: Vec<FieldName>,
}

/// A field by the internal name of its class and its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FieldName {
    /// Internal name of the declaring class.
    pub class: String,
    /// Name of the field.
    pub field: String,
}

impl FieldName {
    /// Reads `java.util.TreeMap.modCount`.
    pub fn parse(text: &str) -> Option<FieldName> {
        let (class, field) = text.rsplit_once('.')?;
        let is_name = |part: &str| !part.is_empty() && !part.contains(char::is_whitespace);
        (is_name(class) && is_name(field))
            .then(|| FieldName { class: class.replace('.', "/"), field: field.to_owned() })
    }
}

/// Left out by default: internal prefix of the class, name of the field. A prefix that ends in `/`
/// stands for the whole package.
const DEFAULT: &[(&str, &str)] = &[
    ("java/util/", "modCount"),
    ("java/util/AbstractMap", "keySet"),
    ("java/util/AbstractMap", "values"),
    ("java/util/HashMap", "entrySet"),
    ("java/util/TreeMap", "entrySet"),
    ("java/util/TreeMap", "navigableKeySet"),
    ("java/util/TreeMap", "descendingMap"),
    ("java/util/Hashtable", "keySet"),
    ("java/util/Hashtable", "entrySet"),
    ("java/util/Hashtable", "values"),
    ("java/math/BigInteger", "bitCountPlusOne"),
    ("java/math/BigInteger", "bitLengthPlusOne"),
    ("java/math/BigInteger", "lowestSetBitPlusTwo"),
    ("java/math/BigInteger", "firstNonzeroIntNumPlusTwo"),
    ("java/math/BigInteger", "numberLength"),
    ("java/math/BigDecimal", "stringCache"),
    ("java/math/BigDecimal", "precision"),
    ("java/lang/ref/Reference", "next"),
    ("java/lang/ref/Reference", "discovered"),
    ("java/lang/Throwable", "stackTrace"),
    ("java/lang/Throwable", "backtrace"),
    ("java/lang/Throwable", "depth"),
];

impl Mask {
    /// The default: bookkeeping of the JDK is left out.
    pub fn standard() -> Mask {
        Mask { strict: false, ignored: Vec::new() }
    }

    /// All fields that are left out, as people name them: `java.util.*.modCount`.
    pub fn names(&self) -> Vec<String> {
        let default = if self.strict { &[][..] } else { DEFAULT };
        let mut names: Vec<String> = default
            .iter()
            .map(|&(prefix, field)| {
                let class = prefix.replace('/', ".");
                if class.ends_with('.') {
                    format!("{class}*.{field}")
                } else {
                    format!("{class}.{field}")
                }
            })
            .collect();
        let ignored = self.ignored.iter();
        names
            .extend(ignored.map(|name| format!("{}.{}", name.class.replace('/', "."), name.field)));
        names
    }

    /// Whether this field is left out.
    pub fn hides(&self, class: &str, field: &str) -> bool {
        let named = self.ignored.iter().any(|name| name.class == class && name.field == field);
        named
            || !self.strict
                && DEFAULT.iter().any(|&(prefix, name)| {
                    name == field
                        && if prefix.ends_with('/') {
                            class.starts_with(prefix)
                        } else {
                            class == prefix
                        }
                })
    }
}

#[cfg(test)]
mod tests {
    use super::{FieldName, Mask};

    #[test]
    fn counters_of_the_collections_are_hidden_unless_strict() {
        let standard = Mask::standard();
        assert!(standard.hides("java/util/TreeMap", "modCount"));
        assert!(standard.hides("java/util/AbstractList", "modCount"));
        assert!(!standard.hides("acme/Cart", "modCount"));
        assert!(!standard.hides("java/util/TreeMap", "root"));
        assert!(!Mask { strict: true, ignored: vec![] }.hides("java/util/TreeMap", "modCount"));
    }

    #[test]
    fn a_field_of_the_user_is_hidden_even_when_strict() {
        let name = FieldName::parse("acme.Cart.version").expect("a field");
        let mask = Mask { strict: true, ignored: vec![name] };
        assert!(mask.hides("acme/Cart", "version"));
        assert_eq!(FieldName::parse("version"), None);
        assert_eq!(FieldName::parse(".version"), None);
    }
}

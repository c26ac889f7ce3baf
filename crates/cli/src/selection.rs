//! Which classes a user means by `--class` and `--package`. All commands understand the same: names with dots,
//! `Outer.Inner` for nested classes, simple names where only one class is called so, `*` for any text, and
//! packages with or without those below. Patterns look at the class path alone.

use std::collections::BTreeSet;

use classfile::{ClassBytes, ClassPath, JImage};

use crate::class_files::RELEASE;

/// What the user said.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'o> {
    /// Names of classes, or patterns.
    pub(crate) classes: &'o [String],
    /// Names of packages: `com.acme` with those below it, `com.acme.*` without.
    pub(crate) packages: &'o [String],
}

impl Wanted<'_> {
    /// Whether the user said nothing.
    pub(crate) fn is_open(&self) -> bool {
        self.classes.is_empty() && self.packages.is_empty()
    }
}

/// Where classes are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownClasses<'c> {
    /// The class path.
    pub(crate) class_path: &'c ClassPath,
    /// The JDK's classes, where those can be meant, too.
    pub(crate) image: Option<&'c JImage>,
    /// The class path as the user wrote it.
    pub(crate) shown: &'c str,
}

/// The classes that are meant, by internal name.
#[derive(Debug, Default)]
pub(crate) struct Selected {
    /// By their own names, in the user's order.
    pub(crate) named: Vec<String>,
    /// By patterns and packages, in alphabetical order, with all that are not public.
    pub(crate) matching: Vec<String>,
}

impl Selected {
    /// All of them, public or not.
    pub(crate) fn into_all(self) -> BTreeSet<String> {
        self.named.into_iter().chain(self.matching).collect()
    }
}

impl KnownClasses<'_> {
    /// The classes that a wanted means. A part of it that means none is an error.
    pub(crate) fn select(&self, wanted: Wanted<'_>) -> Result<Selected, String> {
        let mut selected = Selected::default();
        for name in wanted.classes {
            if name.contains('*') {
                let fits = |class: &str| matches(name, &class.replace('/', "."));
                let mut found = self.class_path.class_names();
                found.retain(|name| fits(name));
                if found.is_empty() {
                    return Err(format!(
                        "no class on the class path is called {name}\nhint: write the package too, or * for it: '*.{}'",
                        name.trim_start_matches(['*', '.'])
                    ));
                }
                selected.matching.extend(found);
            } else {
                selected.named.push(self.find(name)?);
            }
        }
        for package in wanted.packages {
            let (name, is_alone) = match package.strip_suffix(".*") {
                Some(name) => (name, true),
                None => (package.as_str(), false),
            };
            let prefix = format!("{}/", name.replace('.', "/"));
            let found = self.inside(&|class| {
                class.strip_prefix(&*prefix).is_some_and(|rest| !is_alone || !rest.contains('/'))
            });
            if found.is_empty() {
                let place = if self.image.is_some() { " and in the JDK" } else { "" };
                return Err(format!("package {name} has no class on the class path{place}"));
            }
            selected.matching.extend(found);
        }
        selected.matching.sort();
        selected.matching.dedup();
        selected.matching.retain(|name| !selected.named.contains(name));
        Ok(selected)
    }

    /// The class file of a class.
    pub(crate) fn bytes(&self, name: &str) -> Option<ClassBytes> {
        match self.class_path.find(&format!("{name}.class"), RELEASE) {
            Some(bytes) => bytes.ok(),
            None => self.image?.find_class(name.as_bytes()).map(|(_, bytes)| bytes),
        }
    }

    fn has(&self, name: &str) -> bool {
        self.class_path.find(&format!("{name}.class"), RELEASE).is_some()
            || self.image.is_some_and(|image| image.find_class(name.as_bytes()).is_some())
    }

    /// The classes of a package, on the class path and in the JDK.
    fn inside(&self, is_meant: &dyn Fn(&str) -> bool) -> Vec<String> {
        let mut names = self.class_path.class_names();
        names.retain(|name| is_meant(name));
        if let Some(image) = self.image {
            let of_jdk = image.resources().filter(|one| one.extension == "class");
            let of_jdk = of_jdk.map(|one| format!("{}/{}", one.parent, one.base));
            names.extend(of_jdk.filter(|name| is_meant(name)));
        }
        names
    }

    /// The class that a name means.
    fn find(&self, name: &str) -> Result<String, String> {
        let internal = name.replace('.', "/");
        let mut candidates = vec![internal.clone()];
        // `Map.Entry` for `Map$Entry`.
        let mut nested = internal.clone();
        while let Some(at) = nested.rfind('/') {
            nested.replace_range(at..=at, "$");
            candidates.push(nested.clone());
        }
        // Also one that cannot be read: whoever reads it says why.
        if let Some(found) = candidates.into_iter().find(|name| self.has(name)) {
            return Ok(found);
        }
        let suffix = format!("/{internal}");
        let mut similar = self.class_path.class_names();
        similar.retain(|known| known.ends_with(&suffix));
        similar.sort();
        similar.dedup();
        match similar.as_slice() {
            [only] => Ok(only.clone()),
            [] => Err(format!(
                "class {name} is not on the class path {}\nhint: {}",
                self.shown,
                self.hint(name)
            )),
            several => Err(format!(
                "class {name} may be any of {}\nhint: name it with its package",
                several.join(", ").replace('/', ".")
            )),
        }
    }
}

/// How to go on where a class is not found.
impl KnownClasses<'_> {
    fn hint(&self, name: &str) -> String {
        let missing: Vec<&str> = self
            .shown
            .split(':')
            .filter(|entry| !entry.is_empty() && !std::path::Path::new(entry).exists())
            .collect();
        if !missing.is_empty() {
            let are = if missing.len() == 1 { "does" } else { "do" };
            return format!(
                "{} {are} not exist; --classpath names folders and jars",
                missing.join(", ")
            );
        }
        match similar(name, &self.class_path.class_names()).as_slice() {
            [] => "--classpath names the folder or jar that holds it".to_owned(),
            names => format!("did you mean {}?", names.join(" or ")),
        }
    }
}

/// Names that are proposed, at most.
const MOST_SIMILAR: usize = 3;

/// The names that may have been meant, as people write them: with the fewest other letters.
fn similar(name: &str, known: &[String]) -> Vec<String> {
    let simple = |name: &str| {
        name.rsplit(['/', '.', '$']).next().unwrap_or_default().to_lowercase().into_bytes()
    };
    let wanted = simple(name);
    let most = if wanted.len() < 4 { 1 } else { 2 };
    let mut found: Vec<(usize, String)> = known
        .iter()
        .filter(|known| simple(known).len().abs_diff(wanted.len()) <= most)
        .map(|known| (distance(&simple(known), &wanted), known.replace(['/', '$'], ".")))
        .filter(|(distance, _)| *distance <= most)
        .collect();
    found.sort();
    found.dedup();
    let least = found.first().map_or(0, |found| found.0);
    let found = found.into_iter().filter(|found| found.0 == least).take(MOST_SIMILAR);
    found.map(|found| found.1).collect()
}

/// How many letters have to be put in, taken out, replaced or exchanged with the next to make one name of the other.
fn distance(one: &[u8], other: &[u8]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.iter().enumerate() {
        let mut next = vec![at + 1];
        for (idx, known) in other.iter().enumerate() {
            let mut least = (row[idx] + usize::from(letter != known)).min(row[idx + 1] + 1);
            least = least.min(next[idx] + 1);
            if 0 < at && 0 < idx && one[at - 1] == *known && other[idx - 1] == *letter {
                least = least.min(before[idx - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or_default()
}

/// Whether a pattern with `*` for any text fits a name.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some((_, behind)) = rest.split_once(part) else { return false };
        rest = behind;
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::{distance, matches, similar};

    #[test]
    fn a_name_with_other_letters_proposes_the_nearest() {
        assert_eq!(distance(b"mony", b"money"), 1);
        assert_eq!(distance(b"moeny", b"money"), 1);
        assert_eq!(distance(b"", b"abc"), 3);
        let known = ["com/acme/Money", "com/acme/Order$Line", "com/acme/Monkey"].map(String::from);
        assert_eq!(similar("Mony", &known), ["com.acme.Money"]);
        assert_eq!(similar("com.other.money", &known), ["com.acme.Money"]);
        assert_eq!(similar("Order.Lime", &known), ["com.acme.Order.Line"]);
        assert!(similar("Nowhere", &known).is_empty());
    }

    #[test]
    fn a_star_stands_for_any_text() {
        assert!(matches("a.b.C", "a.b.C"));
        assert!(!matches("a.b.C", "a.b.CD"));
        assert!(matches("a.*", "a.b.C"));
        assert!(matches("*.C", "a.b.C"));
        assert!(matches("a*b*c", "a.x.bbc"));
        assert!(matches("a**", "a"));
        assert!(!matches("ab*b", "ab"));
        assert!(!matches("a*b*c", "a.x.cb"));
        assert!(matches("*", ""));
    }
}

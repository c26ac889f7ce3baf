//! Names of tests and variables: valid, unique, the same in every run.

use std::collections::BTreeSet;
use std::fmt::Write;

use suite::java_type::JavaType;
use suite::test::Test;
use suite::types::Type;

use super::Framework;

/// Words that are no identifiers, or that a reader or an older compiler takes for something else.
const RESERVED: &[&str] = &[
    "_",
    "abstract",
    "assert",
    "boolean",
    "break",
    "byte",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "exports",
    "extends",
    "false",
    "final",
    "finally",
    "float",
    "for",
    "goto",
    "if",
    "implements",
    "import",
    "instanceof",
    "int",
    "interface",
    "long",
    "module",
    "native",
    "new",
    "non",
    "null",
    "open",
    "opens",
    "package",
    "permits",
    "private",
    "protected",
    "provides",
    "public",
    "record",
    "requires",
    "return",
    "sealed",
    "short",
    "static",
    "strictfp",
    "super",
    "switch",
    "synchronized",
    "this",
    "throw",
    "throws",
    "to",
    "transient",
    "transitive",
    "true",
    "try",
    "uses",
    "var",
    "void",
    "volatile",
    "when",
    "while",
    "with",
    "yield",
];

/// Those of them that are identifiers nevertheless (JLS §3.9).
const CONTEXTUAL: &[&str] = &[
    "exports",
    "module",
    "non",
    "open",
    "opens",
    "permits",
    "provides",
    "record",
    "requires",
    "sealed",
    "to",
    "transitive",
    "uses",
    "var",
    "when",
    "with",
    "yield",
];

/// Methods that every test class has or imports; a test of that name would clash with them.
const TAKEN_BY_ALL: &[&str] = &[
    "assertArrayEquals",
    "assertEquals",
    "assertFalse",
    "assertNotNull",
    "assertNull",
    "assertSame",
    "assertThrows",
    "assertTrue",
    "clone",
    "equals",
    "fail",
    "finalize",
    "getClass",
    "hashCode",
    "notify",
    "notifyAll",
    "toString",
    "wait",
];

/// Longer names are cut; nobody reads them.
const MOST_CHARACTERS: usize = 120;

/// Whether a text can be used as a name in source code.
pub(crate) fn is_identifier(text: &str) -> bool {
    let is_keyword = RESERVED.contains(&text) && !CONTEXTUAL.contains(&text);
    let mut letters = text.chars();
    !is_keyword
        && letters.next().is_some_and(|first| first.is_alphabetic() || matches!(first, '_' | '$'))
        && letters.all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '$'))
}

/// Whether a call of a method of this name needs a qualifier in some release, such as `yield()`.
pub(crate) fn is_reserved(text: &str) -> bool {
    RESERVED.contains(&text)
}

/// A name for each test, in order. Tests that would have the same name are numbered in the order in which they
/// stand in the file.
pub(crate) fn test_names<'t>(
    tests: impl IntoIterator<Item = &'t Test>,
    framework: Framework,
) -> Vec<String> {
    let plain: Vec<String> = tests.into_iter().map(|test| test_name(test, framework)).collect();
    let mut taken: BTreeSet<String> = plain.iter().cloned().collect();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let mut names = Vec::with_capacity(plain.len());
    for name in &plain {
        let is_first = known.insert(name);
        names.push(if is_first { name.clone() } else { numbered(&mut taken, name, "_") });
    }
    names
}

fn test_name(test: &Test, framework: Framework) -> String {
    let title = &test.title;
    let mut name = String::new();
    for part in [&title.method, &title.state, &title.outcome] {
        let part = identifier_part(part);
        if !part.is_empty() {
            if !name.is_empty() {
                name.push('_');
            }
            name.push_str(&part);
        }
    }
    if MOST_CHARACTERS < name.chars().count() {
        name = name.chars().take(MOST_CHARACTERS).collect();
    }
    let is_usable = name.chars().next().is_some_and(|first| !first.is_numeric())
        && !RESERVED.contains(&&*name)
        && !TAKEN_BY_ALL.contains(&&*name);
    if framework == Framework::JUnit3 || !is_usable {
        name = format!("test{}", capitalized(&name));
    }
    name
}

/// What of a text may stand in a name: other characters go, and the letter behind them becomes a capital.
fn identifier_part(text: &str) -> String {
    let mut part = String::new();
    let mut is_behind_gap = false;
    for letter in text.chars() {
        if letter.is_ascii_alphanumeric() || letter.is_alphanumeric() && !letter.is_ascii() {
            if is_behind_gap && !part.is_empty() {
                part.extend(letter.to_uppercase());
            } else {
                part.push(letter);
            }
            is_behind_gap = false;
        } else {
            is_behind_gap = true;
        }
    }
    part
}

/// A name that is not taken yet, out of one that is.
pub(crate) fn numbered(taken: &mut BTreeSet<String>, name: &str, between: &str) -> String {
    let mut number = 2;
    loop {
        let mut candidate = name.to_owned();
        let _ = write!(candidate, "{between}{number}");
        if taken.insert(candidate.clone()) {
            return candidate;
        }
        number += 1;
    }
}

/// The names of the variables of one test.
#[derive(Debug, Clone)]
pub(crate) struct Variables {
    taken: BTreeSet<String>,
}

impl Variables {
    /// No variable yet; these names are something else already.
    pub(crate) fn new(taken: &BTreeSet<String>) -> Variables {
        Variables { taken: taken.clone() }
    }

    /// A name for a variable of this type.
    pub(crate) fn name(&mut self, of: &JavaType) -> String {
        self.unique(&variable_name(of))
    }

    /// This name, with a number if it is taken.
    pub(crate) fn unique(&mut self, name: &str) -> String {
        if !is_reserved(name) && self.taken.insert(name.to_owned()) {
            return name.to_owned();
        }
        numbered(&mut self.taken, name, "")
    }
}

fn variable_name(of: &JavaType) -> String {
    match of {
        JavaType::Null | JavaType::Variable(_) => "object".to_owned(),
        JavaType::Primitive(primitive) => match primitive {
            Type::Boolean => "flag",
            Type::Char => "character",
            Type::Byte | Type::Short | Type::Int | Type::Long => "number",
            _ => "value",
        }
        .to_owned(),
        JavaType::Array(element) => plural(element),
        JavaType::Class(class) => {
            let simple = class.name.rsplit(['/', '$']).next().unwrap_or_default();
            match &*class.name {
                "java/lang/String" => "text".to_owned(),
                "java/lang/Class" => "type".to_owned(),
                _ => {
                    let name = decapitalized(&identifier_part(simple));
                    let starts_well = name.chars().next().is_some_and(char::is_alphabetic);
                    match (starts_well, RESERVED.contains(&&*name)) {
                        (false, _) => format!("object{name}"),
                        (true, true) => format!("{name}Value"),
                        (true, false) => name,
                    }
                }
            }
        }
    }
}

fn plural(element: &JavaType) -> String {
    match element {
        JavaType::Primitive(primitive) => format!("{primitive}s"),
        JavaType::Array(_) => {
            let inner = variable_name(element);
            format!("{inner}Rows")
        }
        _ => {
            let one = variable_name(element);
            match one.chars().last() {
                Some('s' | 'x' | 'z') => format!("{one}es"),
                Some('y') if !["ay", "ey", "oy", "uy"].iter().any(|end| one.ends_with(end)) => {
                    format!("{}ies", &one[..one.len() - 1])
                }
                _ => format!("{one}s"),
            }
        }
    }
}

/// `IntStack` becomes `intStack`, `URLConnection` becomes `urlConnection`, `URL` becomes `url`.
fn decapitalized(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let n_capitals = letters.iter().take_while(|letter| letter.is_uppercase()).count();
    let n_lowered = match n_capitals {
        0 | 1 => n_capitals,
        n if n == letters.len() => n,
        n if letters[n].is_lowercase() => n - 1,
        n => n,
    };
    let (head, tail) = letters.split_at(n_lowered);
    head.iter().flat_map(|letter| letter.to_lowercase()).chain(tail.iter().copied()).collect()
}

fn capitalized(name: &str) -> String {
    let mut letters = name.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Variables, identifier_part, is_identifier, test_names};
    use crate::junit::Framework;
    use suite::java_type::JavaType;
    use suite::sequence::Sequence;
    use suite::test::{Test, Title};
    use suite::types::Type;

    fn titled(method: &str, state: &str, outcome: &str) -> Test {
        Test {
            sequence: Sequence::empty(),
            checks: Vec::new(),
            throws: None,
            must_end: false,
            notes: Vec::new(),
            title: Title { method: method.into(), state: state.into(), outcome: outcome.into() },
        }
    }

    #[test]
    fn a_test_is_named_after_its_title() {
        let tests = [
            titled("pop", "onEmptyStack", "throwsArrayIndexOutOfBounds"),
            titled("new", "", ""),
            titled("toString", "", ""),
            titled("a-b c", "", "returns 1"),
            titled("", "", ""),
            titled("push", "", ""),
            titled("push", "", ""),
        ];
        let names = test_names(&tests, Framework::JUnit5);
        let expected = [
            "pop_onEmptyStack_throwsArrayIndexOutOfBounds",
            "testNew",
            "testToString",
            "aBC_returns1",
            "test",
            "push",
            "push_2",
        ];
        assert_eq!(names, expected);
        assert_eq!(
            test_names(&tests[..2], Framework::JUnit3),
            ["testPop_onEmptyStack_throwsArrayIndexOutOfBounds", "testNew"]
        );
    }

    #[test]
    fn numbers_of_tests_follow_their_order() {
        let mut noted = titled("push", "", "");
        noted.notes.push("a".into());
        let plain = titled("push", "", "");
        for order in [[&noted, &plain, &plain], [&plain, &noted, &plain], [&plain, &plain, &noted]]
        {
            assert_eq!(test_names(order, Framework::JUnit5), ["push", "push_2", "push_3"]);
        }
        let pushed_second = titled("push", "2", "");
        let order = [&plain, &plain, &pushed_second, &plain];
        assert_eq!(test_names(order, Framework::JUnit5), ["push", "push_3", "push_2", "push_4"]);
    }

    #[test]
    fn variables_are_named_after_their_type() {
        let mut variables = Variables::new(&BTreeSet::from(["java".to_owned()]));
        let mut name = |of: &str| {
            let erased = Type::of_descriptor(of).expect("well formed");
            variables.name(&JavaType::of(&erased))
        };
        assert_eq!(name("LIntStack;"), "intStack");
        assert_eq!(name("LIntStack;"), "intStack2");
        assert_eq!(name("Ljava/lang/String;"), "text");
        assert_eq!(name("Ljava/util/Map$Entry;"), "entry");
        assert_eq!(name("Ljava/net/URLConnection;"), "urlConnection");
        assert_eq!(name("Ljava/net/URL;"), "url");
        assert_eq!(name("Ljava/lang/Double;"), "doubleValue");
        assert_eq!(name("Lp/Record;"), "recordValue");
        assert_eq!(name("[I"), "ints");
        assert_eq!(name("[Ljava/lang/String;"), "texts");
        assert_eq!(name("[Lp/Box;"), "boxes");
        assert_eq!(name("[Lp/Entry;"), "entries");
        assert_eq!(name("LJava;"), "java2");
    }

    #[test]
    fn only_what_the_compiler_takes_is_an_identifier() {
        for text in ["a", "_a", "record", "größe", "a$b"] {
            assert!(is_identifier(text), "{text}");
        }
        for text in ["", "1a", "class", "a-b", "_", "true", "a.b"] {
            assert!(!is_identifier(text), "{text}");
        }
        assert_eq!(identifier_part("on empty-stack!"), "onEmptyStack");
    }
}

//! Which JUnit runs a method, as far as the source shows it.

use super::MethodAt;
use crate::outline::{ClassDecl, MethodDecl, SourceMap};

/// A generation of JUnit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framework {
    /// Tests are found by their names.
    JUnit3,
    /// `org.junit.Test`; disabled by `org.junit.Ignore`.
    JUnit4,
    /// `org.junit.jupiter`; disabled by `org.junit.jupiter.api.Disabled`.
    Jupiter,
}

/// The annotations that make a method a test.
const TESTS: &[(&str, Framework)] = &[
    ("org.junit.jupiter.api.Test", Framework::Jupiter),
    ("org.junit.jupiter.api.RepeatedTest", Framework::Jupiter),
    ("org.junit.jupiter.api.TestFactory", Framework::Jupiter),
    ("org.junit.jupiter.api.TestTemplate", Framework::Jupiter),
    ("org.junit.jupiter.params.ParameterizedTest", Framework::Jupiter),
    ("org.junit.Test", Framework::JUnit4),
    ("org.junit.experimental.theories.Theory", Framework::JUnit4),
];

/// The last part of a name with dots.
pub(super) fn simple(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// The JUnit that runs a method.
pub(super) fn of(map: &SourceMap, (class, method): MethodAt) -> Option<Framework> {
    let class = &map.classes[class];
    let method = &class.methods[method];
    // The runner of a `TestCase` looks at names alone.
    if class.superclass.as_deref().is_some_and(|name| simple(name) == "TestCase") {
        return Some(Framework::JUnit3);
    }
    let known = method.annotations.iter().find_map(|name| test_annotation(map, name));
    if known.is_some() {
        return known;
    }
    if has_test_name(class, method)
        && method.annotations.iter().all(|name| simple(name) == "Override")
    {
        return Some(Framework::JUnit3);
    }
    // An annotation of the user's own may be made of JUnit's; one generation is imported then.
    let from = |prefix: &str| map.imports.iter().any(|name| unstatic(name).starts_with(prefix));
    let jupiter = from("org.junit.jupiter.");
    let four = map.imports.iter().any(|name| {
        let name = unstatic(name);
        name.strip_prefix("org.junit.")
            .is_some_and(|rest| !rest.starts_with("jupiter.") && !rest.starts_with("platform."))
    });
    match (jupiter, four) {
        (true, false) => Some(Framework::Jupiter),
        (false, true) => Some(Framework::JUnit4),
        _ => None,
    }
}

/// Whether JUnit skips the method already.
pub(super) fn is_disabled(method: &MethodDecl, framework: Framework) -> bool {
    let marker = match framework {
        Framework::JUnit3 => return false,
        Framework::JUnit4 => "Ignore",
        Framework::Jupiter => "Disabled",
    };
    method.annotations.iter().any(|name| simple(name) == marker)
}

/// The classes that lost tests and have none left, in order.
pub(super) fn emptied(map: &SourceMap, edited: &[MethodAt], gone: &[MethodAt]) -> Vec<String> {
    // An annotation on a test that is none of JUnit's makes tests elsewhere too.
    let mut own: Vec<&str> = Vec::new();
    for (class, method) in edited {
        let annotations = &map.classes[*class].methods[*method].annotations;
        if !annotations.iter().any(|name| test_annotation(map, name).is_some()) {
            own.extend(annotations.iter().map(String::as_str));
        }
    }
    let is_test = |class: &ClassDecl, method: &MethodDecl| {
        let is_annotated = method
            .annotations
            .iter()
            .any(|name| test_annotation(map, name).is_some() || own.contains(&name.as_str()));
        let is_skipped =
            is_disabled(method, Framework::JUnit4) || is_disabled(method, Framework::Jupiter);
        (is_annotated || has_test_name(class, method)) && !is_skipped
    };
    let mut emptied = Vec::new();
    for (idx, class) in map.classes.iter().enumerate() {
        if !gone.iter().any(|(at, _)| map.is_within(*at, idx)) {
            continue;
        }
        let remains = map.classes.iter().enumerate().any(|(at, inner)| {
            map.is_within(at, idx)
                && inner
                    .methods
                    .iter()
                    .enumerate()
                    .any(|(method, decl)| is_test(inner, decl) && !gone.contains(&(at, method)))
        });
        if !remains {
            emptied.push(class.name.clone());
        }
    }
    emptied
}

/// The JUnit of an annotation that makes tests.
fn test_annotation(map: &SourceMap, name: &str) -> Option<Framework> {
    let is_imported = |full: &str| {
        let package = &full[..full.len() - simple(full).len()];
        let wildcard = format!("{package}*");
        let exactly = map.imports.iter().any(|import| import == full);
        let another =
            map.imports.iter().any(|import| import != full && simple(import) == simple(full));
        exactly || (!another && map.imports.contains(&wildcard))
    };
    let mut found = None;
    for (full, framework) in TESTS {
        if name == *full || (name == simple(full) && is_imported(full)) {
            found = Some(*framework);
        }
    }
    found
}

/// JUnit 3's rule: `public void test…()` of a subclass.
fn has_test_name(class: &ClassDecl, method: &MethodDecl) -> bool {
    let is = |modifier: &str| method.modifiers.iter().any(|it| it == modifier);
    method.name.starts_with("test")
        && method.is_void
        && method.parameters.is_empty()
        && is("public")
        && !is("static")
        && class.superclass.is_some()
}

fn unstatic(import: &str) -> &str {
    import.strip_prefix("static ").unwrap_or(import)
}

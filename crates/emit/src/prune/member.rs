//! Members and classes beside the failing test, and imports.

use std::ops::Range;

use super::Freedom;
use super::parsed::Parsed;
use crate::lex::Kind;
use crate::outline::MethodDecl;

/// Annotations of tests, without their packages.
const TESTS: &[&str] =
    &["Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate"];

/// Methods that JUnit 3 calls by name.
const CALLED_BY_NAME: &[&str] = &["setUp", "tearDown"];

/// Whether JUnit runs a method as a test.
pub(super) fn is_test(method: &MethodDecl) -> bool {
    let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let is_marked = method.annotations.iter().any(|name| TESTS.contains(&last(name).as_str()));
    let is_named =
        method.name.starts_with("test") && method.parameters.is_empty() && method.is_void;
    is_marked || is_named
}

/// The bytes of the members of the failing test's class and of the classes around it, and of the other
/// classes of the source.
pub(super) fn others(source: &Parsed, freedom: &Freedom) -> Vec<Range<usize>> {
    let focus = &source.method().span;
    let mut pieces = Vec::new();
    for class in &source.map.classes {
        let holds_focus = class.span.start <= focus.start && focus.end <= class.span.end;
        if !holds_focus {
            if class.outer.is_none() {
                pieces.push(class.span.clone());
            }
            continue;
        }
        for member in members(source, &class.span) {
            let bytes = source.bytes(&member);
            let holds_focus = bytes.start <= focus.start && focus.end <= bytes.end;
            if !holds_focus && may_go(source, &member, freedom) {
                pieces.push(bytes);
            }
        }
    }
    pieces.sort_by_key(|piece| piece.start);
    pieces
}

/// The bytes of the imports.
pub(super) fn imports(source: &Parsed, _: &Freedom) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < source.code.len() {
        let Some(end) = (at..source.code.len()).find(|&at| source.is_symbol(at, ';')) else {
            break;
        };
        match source.word(at) {
            "import" => pieces.push(source.bytes(&(at..end + 1))),
            "package" => {}
            // Annotations of the package come before it.
            "@" if (at..end).any(|at| source.word(at) == "package") => {}
            _ => break,
        }
        at = end + 1;
    }
    pieces
}

/// The members of a class by their tokens.
fn members(source: &Parsed, class: &Range<usize>) -> Vec<Range<usize>> {
    let tokens = source.tokens_of(class);
    let mut members = Vec::new();
    let mut at = tokens.start;
    // The body opens with the first brace that is not in parentheses.
    while !source.is_symbol(at, '{') {
        if at >= tokens.end {
            return members;
        }
        at = match source.is_symbol(at, '(') {
            true => source.closing(at).unwrap_or(tokens.end),
            false => at,
        } + 1;
    }
    let Some(close) = source.closing(at) else { return members };
    at += 1;
    while at < close {
        let Some(end) = member_end(source, at, close) else { return members };
        if !source.is_symbol(at, ';') {
            members.push(at..end);
        }
        at = end;
    }
    members
}

/// Where a member ends: behind its semicolon, or behind its body.
fn member_end(source: &Parsed, start: usize, close: usize) -> Option<usize> {
    let mut has_value = false;
    let mut at = start;
    while at < close {
        match source.code[at].kind {
            Kind::Symbol('(' | '[') => at = source.closing(at)?,
            Kind::Symbol('{') => {
                at = source.closing(at)?;
                if !has_value {
                    return Some(at + 1);
                }
            }
            Kind::Symbol('=') => has_value = true,
            Kind::Symbol(';') => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Where not everything may go, what runs around the test stays: methods that JUnit calls, rules,
/// initialisers.
fn may_go(source: &Parsed, member: &Range<usize>, freedom: &Freedom) -> bool {
    let Freedom::AllBut(tied) = freedom else { return true };
    let is_annotation =
        |at: &usize| source.is_symbol(*at, '@') && source.word(at + 1) != "interface";
    let header_end = member.clone().find(|&at| {
        source.is_symbol(at, '{') || source.is_symbol(at, ';') || source.is_symbol(at, '=')
    });
    let header = member.start..header_end.unwrap_or(member.end);
    let annotations: Vec<&str> = header
        .clone()
        .filter(is_annotation)
        .map(|at| {
            // The last part of a qualified name.
            let mut name = at + 1;
            while source.is_symbol(name + 1, '.') {
                name += 2;
            }
            source.word(name)
        })
        .collect();
    // `X.class` in an annotation is no class.
    let is_class = header.clone().any(|at| {
        matches!(source.word(at), "class" | "interface" | "enum") && !source.is_symbol(at - 1, '.')
    });
    if is_class || annotations.iter().any(|name| TESTS.contains(name)) {
        return true;
    }
    let is_method = header.clone().any(|at| source.is_symbol(at, '('));
    let runs_by_itself = header.clone().any(|at| CALLED_BY_NAME.contains(&source.word(at)))
        || !annotations.is_empty()
        || header.is_empty()
        || (header.len() == 1 && source.word(header.start) == "static");
    !runs_by_itself && (is_method || !tied.is_tied(source, member))
}

//! Which statements have to do with a failed assertion: those that share a variable with it, directly or
//! through others, and those whose effect cannot be seen from their words.

use std::collections::BTreeSet;
use std::ops::Range;

use super::parsed::Parsed;
use super::{Focus, statement};
use crate::lex::Kind;
use crate::outline::OutlineError;

/// Names of variables, fields and classes that a failed assertion has to do with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tied {
    names: BTreeSet<String>,
    /// Whether it may have to do with everything.
    everything: bool,
}

/// Words that name nothing.
const KEYWORDS: &[&str] = &[
    "assert",
    "boolean",
    "break",
    "byte",
    "case",
    "catch",
    "char",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "false",
    "final",
    "finally",
    "float",
    "for",
    "if",
    "instanceof",
    "int",
    "long",
    "new",
    "null",
    "return",
    "short",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "var",
    "void",
    "while",
];

/// Classes whose static methods change nothing that a test sees.
const HARMLESS: &[&str] = &[
    "Assert",
    "Assertions",
    "MatcherAssert",
    "Matchers",
    "Arrays",
    "List",
    "Set",
    "Map",
    "Math",
    "Integer",
    "Long",
    "String",
    "Objects",
    "Optional",
];

impl Tied {
    /// What the statement on a line of the failing test has to do with.
    pub fn to_line(source: &str, focus: &Focus, line: usize) -> Result<Tied, OutlineError> {
        let source = Parsed::new(source, focus)?;
        let own = &source.bodies[..source.n_own_bodies];
        let statements: Vec<_> = own.iter().flat_map(|body| statement::all(body)).collect();
        let lines = |tokens: &Range<usize>| {
            let bytes = source.bytes(tokens);
            source.map.line(bytes.start)..source.map.line(bytes.end.saturating_sub(1)) + 1
        };
        // A whole statement with the lambdas in it, but not the loop or block around it.
        let is_on_line = |statement: &&&statement::Statement| {
            statement.kind == statement::Kind::Simple && lines(&statement.tokens).contains(&line)
        };
        let failing = statements.iter().find(is_on_line);
        let names_of = |it: &&statement::Statement| names(&source, &it.tokens);
        let mut tied =
            Tied { names: failing.map_or_else(BTreeSet::new, names_of), everything: false };
        // `fail()` says nothing of what was expected.
        tied.everything = tied.names.is_empty();
        let mut n_names = usize::MAX;
        while n_names != tied.names.len() {
            n_names = tied.names.len();
            for statement in &statements {
                // What is in a block ties by itself; what decides whether it runs is tied with it.
                let own = match &statement.inner {
                    Some(inner) => names(&source, &(statement.tokens.start..inner.start)),
                    None => names(&source, &statement.tokens),
                };
                let all = names(&source, &statement.tokens);
                if all.iter().any(|name| tied.names.contains(name)) {
                    tied.names.extend(own);
                }
            }
        }
        Ok(tied)
    }

    pub(super) fn is_tied(&self, source: &Parsed, tokens: &Range<usize>) -> bool {
        self.everything
            || names(source, tokens).iter().any(|name| self.names.contains(name))
            || tokens.clone().any(|at| is_own_call(source, at))
            || tokens
                .clone()
                .any(|at| matches!(source.word(at), "return" | "throw" | "break" | "continue"))
    }
}

/// A call without a receiver, other than of an assertion: it may do anything to the test's fields.
fn is_own_call(source: &Parsed, at: usize) -> bool {
    let name = source.word(at);
    source.code[at].kind == Kind::Word
        && source.is_symbol(at + 1, '(')
        && !KEYWORDS.contains(&name)
        && (at == 0 || !source.is_symbol(at - 1, '.'))
        && (at == 0 || source.word(at - 1) != "new")
        && !name.starts_with("assert")
}

/// The variables, fields and classes that some tokens name.
fn names(source: &Parsed, tokens: &Range<usize>) -> BTreeSet<String> {
    let is_name = |&at: &usize| {
        let word = source.word(at);
        let after_dot = at > 0 && source.is_symbol(at - 1, '.');
        let of_this = after_dot && at > 1 && source.word(at - 2) == "this";
        let is_type = source.code.get(at + 1).is_some_and(|next| next.kind == Kind::Word)
            || (at > 0 && source.word(at - 1) == "new")
            || source.is_symbol(at + 1, '<')
            || (source.is_symbol(at + 1, '[') && source.is_symbol(at + 2, ']'));
        let is_class_of_jdk = HARMLESS.contains(&word)
            || source.map.imports.iter().any(|import| is_from_jdk(import, word));
        source.code[at].kind == Kind::Word
            && !KEYWORDS.contains(&word)
            && (!after_dot || of_this)
            && !source.is_symbol(at + 1, '(')
            && !is_type
            && !is_class_of_jdk
            && !(source.is_symbol(at + 1, '.') && source.word(at + 2) == "class")
    };
    tokens.clone().filter(is_name).map(|at| source.word(at).to_owned()).collect()
}

fn is_from_jdk(import: &str, word: &str) -> bool {
    import.starts_with("java.") && import.rsplit('.').next() == Some(word)
}

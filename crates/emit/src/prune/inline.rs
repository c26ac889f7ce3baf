//! Puts the expression that a variable stands for in the place of the variable where it is used once and the
//! line stays readable.

use std::ops::Range;

use super::parsed::Parsed;
use super::statement::{self, Kind, Statement};
use super::{Search, sweep_order};
use crate::lex;

/// Longer expressions keep their names.
const LONGEST_EXPRESSION: usize = 40;

/// Statements do not get longer than this.
const LONGEST_STATEMENT: usize = 90;

pub(super) fn pass(search: &mut Search<'_>) {
    sweep_order(search, &|source, _| {
        let bodies = source.bodies.iter();
        let statements =
            bodies.flat_map(|body| statement::all(body).into_iter().map(move |it| (body, it)));
        statements.filter_map(|(body, statement)| edits(source, body, statement)).collect()
    });
}

/// The edits that do without a variable.
fn edits(
    source: &Parsed,
    body: &[Statement],
    declaration: &Statement,
) -> Option<Vec<(Range<usize>, String)>> {
    if declaration.kind != Kind::Simple || !declaration.lists.is_empty() {
        return None;
    }
    let (name, value) = declared(source, &declaration.tokens)?;
    let whole = body.first()?.tokens.start..body.last()?.tokens.end;
    let mut uses = whole.filter(|&at| {
        source.code[at].kind == lex::Kind::Word
            && source.word(at) == source.word(name)
            && at != name
            && !source.is_symbol(at.wrapping_sub(1), '.')
    });
    let only = uses.next().filter(|_| uses.next().is_none())?;
    if only < declaration.tokens.end {
        return None;
    }
    let text = &source.text[source.bytes(&value)];
    let user = statement::all(body)
        .into_iter()
        .rfind(|statement| statement.tokens.contains(&only))
        .map(|statement| source.bytes(&statement.tokens).len())?;
    if text.len() > LONGEST_EXPRESSION
        || user + text.len() > LONGEST_STATEMENT
        || text.contains('\n')
    {
        return None;
    }
    let new =
        if needs_parentheses(source, &value, only) { format!("({text})") } else { text.to_owned() };
    Some(vec![
        (source.cut(&source.bytes(&declaration.tokens)), String::new()),
        (source.code[only].range(), new),
    ])
}

/// The name and the value of `T name = value;`.
pub(super) fn declared(source: &Parsed, tokens: &Range<usize>) -> Option<(usize, Range<usize>)> {
    let equals = tokens.clone().find(|&at| source.is_symbol(at, '='))?;
    let name = equals.checked_sub(1).filter(|name| *name > tokens.start)?;
    let before = source.code[name - 1].kind;
    let follows_type = matches!(before, lex::Kind::Word | lex::Kind::Symbol('>' | ']'));
    let is_expression =
        matches!(source.word(tokens.start), "return" | "throw" | "assert" | "yield");
    let value = equals + 1..tokens.end - 1;
    let is_plain = source.code[name].kind == lex::Kind::Word
        && follows_type
        && !is_expression
        && !source.is_symbol(value.start, '{')
        && !source.is_symbol(value.start, '=');
    // A comma outside of brackets begins another variable.
    let mut depth = 0_i32;
    let has_comma = value.clone().any(|at| {
        match source.word(at) {
            "(" | "[" | "{" | "<" => depth += 1,
            ")" | "]" | "}" | ">" => depth -= 1,
            _ => {}
        }
        depth <= 0 && source.is_symbol(at, ',')
    });
    (is_plain && !has_comma && !value.is_empty()).then_some((name, value))
}

/// Whether an expression falls apart where it is put.
fn needs_parentheses(source: &Parsed, value: &Range<usize>, at: usize) -> bool {
    let stands_alone = |at: usize| matches!(source.word(at), "(" | ")" | "," | ";" | "=");
    if stands_alone(at + 1) && (at == 0 || stands_alone(at - 1)) {
        return false;
    }
    let mut depth = 0_i32;
    value.clone().any(|at| {
        match source.word(at) {
            // A cast, or an expression in parentheses already.
            "(" if at == value.start => return true,
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        let is_operator = matches!(
            source.word(at),
            "+" | "-"
                | "*"
                | "/"
                | "%"
                | "?"
                | "&"
                | "|"
                | "^"
                | "="
                | "!"
                | "<"
                | ">"
                | "instanceof"
        );
        // Type arguments of a constructor are no operators.
        depth == 0 && is_operator && source.word(value.start) != "new"
    })
}

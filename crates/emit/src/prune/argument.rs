//! Makes arguments of calls and elements of arrays fewer, and puts a plain literal or one of its own arguments
//! in the place of a call that is an argument; does without calls on the result of a call.

use std::ops::Range;

use super::parsed::Parsed;
use super::{Search, sweep_order};
use crate::lex::Kind;

type Edit = (Range<usize>, String);

pub(super) fn pass(search: &mut Search<'_>) {
    sweep_order(search, &|source, _| {
        let mut candidates = Vec::new();
        let lists = lists(source);
        for list in &lists {
            if let [first, .., last] = &list[..] {
                let middle = list.len() / 2;
                if list.len() > 3 {
                    candidates.push(vec![removal(source, first.start..list[middle].start)]);
                    candidates.push(vec![removal(source, list[middle - 1].end..last.end)]);
                }
                for (idx, one) in list.iter().enumerate() {
                    let gone = match list.get(idx + 1) {
                        Some(next) => one.start..next.start,
                        None => list[idx - 1].end..one.end,
                    };
                    candidates.push(vec![removal(source, gone)]);
                }
            }
            for one in list.iter().filter(|one| one.len() > 2) {
                for plain in ["0", "\"\""] {
                    candidates.push(vec![(source.bytes(one), plain.to_owned())]);
                }
                for part in lists.iter().filter(|list| is_within(list, one)).flatten() {
                    let text = source.text[source.bytes(part)].to_owned();
                    candidates.push(vec![(source.bytes(one), text)]);
                }
            }
        }
        candidates.extend(
            links(source).into_iter().map(|link| vec![(source.bytes(&link), String::new())]),
        );
        candidates
    });
}

/// The tokens of calls that are made on the result of another: `.b()` in `x.a().b()`.
fn links(source: &Parsed) -> Vec<Range<usize>> {
    let mut links = Vec::new();
    for body in &source.bodies {
        let (Some(first), Some(last)) = (body.first(), body.last()) else { continue };
        for dot in first.tokens.start + 1..last.tokens.end {
            let is_link = source.is_symbol(dot, '.')
                && source.is_symbol(dot - 1, ')')
                && source.is_symbol(dot + 2, '(');
            if let Some(close) = source.closing(dot + 2).filter(|_| is_link) {
                links.push(dot..close + 1);
            }
        }
    }
    links
}

/// Whether arguments are those of a call in an argument.
fn is_within(list: &[Range<usize>], one: &Range<usize>) -> bool {
    list.first().is_some_and(|part| one.start < part.start && part.end < one.end)
}

/// Takes tokens out; what stands behind them moves up.
fn removal(source: &Parsed, tokens: Range<usize>) -> Edit {
    let start = source.code[tokens.start].start;
    // Up to the next token, unless that closes the list.
    let bytes = source.bytes(&tokens);
    let next = source.code.get(tokens.end).map_or(bytes.end, |token| token.start);
    let closes = source.is_symbol(tokens.end, ')') || source.is_symbol(tokens.end, '}');
    (start..if closes { bytes.end } else { next }, String::new())
}

/// The arguments of every call and the elements of every array in the bodies, as tokens.
pub(super) fn lists(source: &Parsed) -> Vec<Vec<Range<usize>>> {
    let mut lists = Vec::new();
    for body in &source.bodies {
        let (Some(first), Some(last)) = (body.first(), body.last()) else { continue };
        for at in first.tokens.start..last.tokens.end {
            let before = at.checked_sub(1);
            let is_call = source.is_symbol(at, '(')
                && before.is_some_and(|it| {
                    let is_header = matches!(
                        source.word(it),
                        "if" | "for"
                            | "while"
                            | "switch"
                            | "catch"
                            | "try"
                            | "synchronized"
                            | "return"
                    );
                    (source.code[it].kind == Kind::Word && !is_header) || source.is_symbol(it, '>')
                });
            let is_array = source.is_symbol(at, '{')
                && before.is_some_and(|it| source.is_symbol(it, ']') || source.is_symbol(it, '='));
            if !is_call && !is_array {
                continue;
            }
            if let Some(close) = source.closing(at) {
                lists.push(split(source, at + 1, close));
            }
        }
    }
    lists
}

/// The parts between commas that are in no brackets.
fn split(source: &Parsed, start: usize, end: usize) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let (mut from, mut at) = (start, start);
    while at < end {
        match source.word(at) {
            "(" | "[" | "{" => at = source.closing(at).unwrap_or(end),
            "," => {
                parts.push(from..at);
                from = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    if from < end {
        parts.push(from..end);
    }
    parts.retain(|part| !part.is_empty());
    parts
}

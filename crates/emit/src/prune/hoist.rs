//! Puts a call that stands in a statement in the place of the whole statement: `assertEquals(0, cart.size());` and
//! `int n = cart.size();` become `cart.size();`.

use std::ops::Range;

use super::parsed::Parsed;
use super::statement::{self, Kind};
use super::{Search, argument, inline, sweep_order};

pub(super) fn pass(search: &mut Search<'_>) {
    sweep_order(search, &|source, _| {
        let lists = argument::lists(source);
        let mut candidates = Vec::new();
        for statement in source.bodies.iter().flat_map(|body| statement::all(body)) {
            if statement.kind != Kind::Simple || !statement.lists.is_empty() {
                continue;
            }
            let tokens = &statement.tokens;
            let is_within =
                |part: &&Range<usize>| tokens.start < part.start && part.end < tokens.end;
            let arguments = lists.iter().flatten().filter(is_within).cloned();
            let value = inline::declared(source, tokens).map(|(_, value)| value);
            for call in arguments.chain(value).filter(|part| is_call(source, part)) {
                let text = format!("{};", &source.text[source.bytes(&call)]);
                candidates.push(vec![(source.bytes(tokens), text)]);
            }
        }
        candidates
    });
}

/// Whether an expression can stand alone as far as its ends tell.
fn is_call(source: &Parsed, part: &Range<usize>) -> bool {
    part.len() > 2 && source.is_symbol(part.end - 1, ')') && !source.is_symbol(part.start, '(')
}

//! The statements of a method's body (JLS §14) as a tree, by their tokens; and the pass that puts what is in
//! a block, loop or condition in its place.

use std::ops::Range;

use super::parsed::Parsed;
use super::{Freedom, Search, sweep_order};

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Statement {
    /// Its tokens.
    pub(super) tokens: Range<usize>,
    pub(super) kind: Kind,
    /// The lists of statements in it: those of its blocks, and those of lambdas.
    pub(super) lists: Vec<Vec<Statement>>,
    /// The tokens that can stand in its place: those between the braces of its first block, or its first
    /// statement.
    pub(super) inner: Option<Range<usize>>,
}

/// What a statement is, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Ends with a semicolon.
    Simple,
    /// Runs what is in it once: a block, `try`, `synchronized`.
    Block,
    /// Runs what is in it or not, or several times.
    Conditional,
    /// Everything else, taken as a whole.
    Other,
}

/// The statements between two positions; `None` where they are not understood.
pub(super) fn list(source: &Parsed, mut at: usize, end: usize) -> Option<Vec<Statement>> {
    let mut statements = Vec::new();
    while at < end {
        let statement = one(source, at, end)?;
        at = statement.tokens.end;
        statements.push(statement);
    }
    (at == end).then_some(statements)
}

/// How deep lists of statements are nested.
pub(super) fn depth(statements: &[Statement]) -> usize {
    let inner = |statement: &Statement| statement.lists.iter().map(|list| depth(list)).max();
    match statements {
        [] => 0,
        some => 1 + some.iter().filter_map(inner).max().unwrap_or(0),
    }
}

/// All statements, nested ones too.
pub(super) fn count(statements: &[Statement]) -> usize {
    all(statements).len()
}

/// All statements, outer ones before those in them.
pub(super) fn all(statements: &[Statement]) -> Vec<&Statement> {
    let mut found = Vec::new();
    for statement in statements {
        found.push(statement);
        for list in &statement.lists {
            found.extend(all(list));
        }
    }
    found
}

/// The bytes of the statements that are nested so deep and may go.
pub(super) fn at_level(source: &Parsed, freedom: &Freedom, level: usize) -> Vec<Range<usize>> {
    fn collect<'a>(found: &mut Vec<&'a Statement>, list: &'a [Statement], level: usize) {
        for statement in list {
            if level == 0 {
                found.push(statement);
                continue;
            }
            statement.lists.iter().for_each(|inner| collect(found, inner, level - 1));
        }
    }
    let mut found = Vec::new();
    source.bodies.iter().for_each(|body| collect(&mut found, body, level));
    found.sort_by_key(|statement| statement.tokens.start);
    let may_go = |statement: &&&Statement| match freedom {
        Freedom::All => true,
        Freedom::AllBut(tied) => !tied.is_tied(source, &statement.tokens),
    };
    found.iter().filter(may_go).map(|statement| source.bytes(&statement.tokens)).collect()
}

/// Tries to put what is in a block, `try`, loop or condition in its place.
pub(super) fn unwrap(search: &mut Search<'_>) {
    sweep_order(search, &|source, freedom| {
        let mut edits = Vec::new();
        for statement in source.bodies.iter().flat_map(|body| all(body)) {
            let is_free = match (statement.kind, freedom) {
                (Kind::Block, _) | (Kind::Conditional, Freedom::All) => true,
                (Kind::Conditional, Freedom::AllBut(tied)) => {
                    !tied.is_tied(source, &statement.tokens)
                }
                (Kind::Simple | Kind::Other, _) => false,
            };
            if let Some(inner) = statement.inner.clone().filter(|_| is_free) {
                let text = outdented(source, &source.bytes(&inner));
                edits.push(vec![(source.bytes(&statement.tokens), text)]);
            }
        }
        edits
    });
}

/// A piece of source, one step less indented on all lines but its first.
fn outdented(source: &Parsed, bytes: &Range<usize>) -> String {
    let piece = &source.text[bytes.clone()];
    // The lines of a text block belong to its value.
    if piece.contains("\"\"\"") {
        return piece.to_owned();
    }
    let less = |line: &str| {
        line.strip_prefix("    ").or(line.strip_prefix('\t')).unwrap_or(line).to_owned()
    };
    let mut lines = piece.split('\n');
    let first = lines.next().unwrap_or_default().to_owned();
    std::iter::once(first).chain(lines.map(less)).collect::<Vec<String>>().join("\n")
}

fn one(source: &Parsed, at: usize, end: usize) -> Option<Statement> {
    if at >= end {
        return None;
    }
    let statement = match source.word(at) {
        "{" => {
            let (range, list) = block(source, at)?;
            Statement {
                inner: Some(range.start + 1..range.end - 1),
                tokens: range,
                kind: Kind::Block,
                lists: vec![list],
            }
        }
        "if" => {
            let then = one(source, source.closing(at + 1)? + 1, end)?;
            let mut whole = headed(at, then, Kind::Conditional);
            if source.word(whole.tokens.end) == "else" {
                let other = one(source, whole.tokens.end + 1, end)?;
                whole.tokens.end = other.tokens.end;
                whole.lists.extend(other.lists);
            }
            whole
        }
        "for" | "while" => {
            let body = one(source, source.closing(at + 1)? + 1, end)?;
            headed(at, body, Kind::Conditional)
        }
        "synchronized" => {
            let body = one(source, source.closing(at + 1)? + 1, end)?;
            headed(at, body, Kind::Block)
        }
        "do" => {
            let body = one(source, at + 1, end)?;
            let open = body.tokens.end + 1;
            let semicolon = source.closing(open)? + 1;
            let mut whole = headed(at, body, Kind::Conditional);
            whole.tokens.end = semicolon + 1;
            whole
        }
        "try" => attempt(source, at)?,
        "switch" => {
            let close = source.closing(source.closing(at + 1)? + 1)?;
            Statement { tokens: at..close + 1, kind: Kind::Other, lists: vec![], inner: None }
        }
        _ if source.is_symbol(at + 1, ':') && !source.is_symbol(at + 2, ':') => {
            let labelled = one(source, at + 2, end)?;
            Statement {
                tokens: at..labelled.tokens.end,
                kind: Kind::Other,
                lists: labelled.lists,
                inner: None,
            }
        }
        _ => match local_class(source, at, end) {
            Some(close) => {
                Statement { tokens: at..close + 1, kind: Kind::Other, lists: vec![], inner: None }
            }
            None => simple(source, at, end)?,
        },
    };
    (statement.tokens.end <= end).then_some(statement)
}

/// A statement with something before its body.
fn headed(at: usize, body: Statement, kind: Kind) -> Statement {
    let inner = match body.kind {
        Kind::Block => body.inner.clone(),
        _ => Some(body.tokens.clone()),
    };
    Statement { tokens: at..body.tokens.end, kind, lists: body.lists, inner }
}

/// The tokens of a block with its braces, and what is in it.
fn block(source: &Parsed, open: usize) -> Option<(Range<usize>, Vec<Statement>)> {
    if !source.is_symbol(open, '{') {
        return None;
    }
    let close = source.closing(open)?;
    Some((open..close + 1, list(source, open + 1, close)?))
}

fn attempt(source: &Parsed, at: usize) -> Option<Statement> {
    let has_resources = source.is_symbol(at + 1, '(');
    let open = if has_resources { source.closing(at + 1)? + 1 } else { at + 1 };
    let (range, first) = block(source, open)?;
    let mut whole = Statement {
        tokens: at..range.end,
        kind: Kind::Block,
        lists: vec![first],
        inner: (!has_resources).then_some(range.start + 1..range.end - 1),
    };
    loop {
        let open = match source.word(whole.tokens.end) {
            "catch" => source.closing(whole.tokens.end + 1)? + 1,
            "finally" => whole.tokens.end + 1,
            _ => return Some(whole),
        };
        let (range, more) = block(source, open)?;
        whole.tokens.end = range.end;
        whole.lists.push(more);
    }
}

/// The last token of a local class.
fn local_class(source: &Parsed, mut at: usize, end: usize) -> Option<usize> {
    loop {
        match source.word(at) {
            "final" | "abstract" | "static" | "strictfp" => at += 1,
            "@" => {
                at += 2;
                while source.is_symbol(at, '.') {
                    at += 2;
                }
                if source.is_symbol(at, '(') {
                    at = source.closing(at)? + 1;
                }
            }
            "class" | "interface" | "enum" => break,
            "record" if source.is_symbol(at + 2, '(') || source.is_symbol(at + 2, '<') => break,
            _ => return None,
        }
        if at >= end {
            return None;
        }
    }
    let open = (at..end).find(|&at| source.is_symbol(at, '{'))?;
    source.closing(open)
}

/// A statement up to its semicolon, with the statements of the lambdas in it.
fn simple(source: &Parsed, at: usize, end: usize) -> Option<Statement> {
    let mut lists = Vec::new();
    let mut depth = 0_usize;
    let mut next = at;
    while next < end {
        let is_arrow =
            next > 1 && source.is_symbol(next - 1, '>') && source.is_symbol(next - 2, '-');
        if is_arrow && source.is_symbol(next, '{') {
            // What is not understood, such as the body of a switch, is left as it is.
            let close = source.closing(next)?;
            lists.extend(list(source, next + 1, close));
            next = close + 1;
            continue;
        }
        match source.word(next) {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.checked_sub(1)?,
            ";" if depth == 0 => {
                return Some(Statement {
                    tokens: at..next + 1,
                    kind: Kind::Simple,
                    lists,
                    inner: None,
                });
            }
            _ => {}
        }
        next += 1;
    }
    None
}

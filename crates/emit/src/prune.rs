//! Takes out of a Java test class what one failing test does not need, as long as a predicate holds: other
//! members, statements, imports; puts plain literals in the place of others, and expressions in the place of
//! variables that are used once.
//!
//! Works level by level down the tree of declarations and statements, in halves, quarters and so on
//! (Misherghi and Su, "HDD: hierarchical delta debugging", 2006). A candidate need not compile: whoever
//! answers the predicate finds out. Every candidate is smaller than what it is made of (`size`), and none is
//! asked about twice, so the search ends and is the same each time.
//!
//! Must not know: compilers, files, anything that executes.

mod argument;
mod hoist;
mod inline;
mod literal;
mod member;
mod parsed;
mod statement;
#[cfg(test)]
mod tests;
mod tie;
mod whitespace;

use std::collections::BTreeSet;
use std::ops::Range;

use crate::lex;
use crate::outline::OutlineError;

use parsed::Parsed;
pub use tie::Tied;

/// The test that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Focus {
    /// The binary name of the class that declares it, with dots.
    pub class: String,
    /// The method.
    pub method: String,
    /// The types of its parameters as written, to tell it from methods of the same name.
    pub parameters: Option<Vec<String>>,
}

/// What may be taken out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Freedom {
    /// Everything: a crash is one whatever was called with what.
    All,
    /// Only what has nothing to do with these names: what an assertion expects is right for just the calls that
    /// the test makes.
    AllBut(Tied),
}

/// What is left of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pruned {
    /// The source.
    pub text: String,
    /// How many statements the test itself has, nested ones too.
    pub n_statements: usize,
}

/// Prunes a source for which the predicate holds. It is asked at most `most_tries` times.
pub fn prune(
    source: &str,
    focus: &Focus,
    freedom: &Freedom,
    still: &mut dyn FnMut(&str) -> bool,
    most_tries: usize,
) -> Result<Pruned, OutlineError> {
    let mut search = Search {
        best: Parsed::new(source, focus)?,
        freedom,
        still,
        tries_left: most_tries,
        asked: BTreeSet::new(),
    };
    loop {
        let before = size(&search.best.text);
        sweep(&mut search, &member::others);
        let mut level = 0;
        while level < search.best.depth() {
            sweep(&mut search, &|best, freedom| statement::at_level(best, freedom, level));
            level += 1;
        }
        statement::unwrap(&mut search);
        if *freedom == Freedom::All {
            inline::pass(&mut search);
            hoist::pass(&mut search);
            argument::pass(&mut search);
            literal::pass(&mut search);
        }
        sweep(&mut search, &member::imports);
        if search.tries_left == 0 || size(&search.best.text) == before {
            break;
        }
    }
    // Without its name, nothing ties an object to the assertion any more, so this comes last.
    inline::pass(&mut search);
    let n_statements = search.best.n_statements();
    Ok(Pruned { text: whitespace::tidy(&search.best.text), n_statements })
}

/// How many statements a test has, nested ones too.
pub fn n_statements(source: &str, focus: &Focus) -> Result<usize, OutlineError> {
    Ok(Parsed::new(source, focus)?.n_statements())
}

/// The source without all other tests, whether it compiles or not.
pub fn alone(source: &str, focus: &Focus) -> Result<String, OutlineError> {
    let parsed = Parsed::new(source, focus)?;
    let methods = parsed.map.classes.iter().flat_map(|class| &class.methods);
    let others = methods.filter(|method| method.span != parsed.method().span);
    let cuts = others
        .filter(|method| member::is_test(method))
        .map(|method| (parsed.cut(&method.span), String::new()));
    Ok(edited(source, cuts.collect()))
}

/// The source with another name for a class, wherever the name stands.
pub fn renamed(source: &str, old: &str, new: &str) -> Result<String, OutlineError> {
    let tokens = lex::tokens(source).map_err(|error| OutlineError {
        line: source[..error.at].lines().count().max(1),
        what: error.to_string(),
    })?;
    let is_old = |token: &&lex::Token| {
        token.kind == lex::Kind::Word && lex::plain(&source[token.range()]) == old
    };
    let edits = tokens.iter().filter(is_old).map(|token| (token.range(), new.to_owned())).collect();
    Ok(edited(source, edits))
}

/// What the passes share.
struct Search<'a> {
    best: Parsed,
    freedom: &'a Freedom,
    still: &'a mut dyn FnMut(&str) -> bool,
    tries_left: usize,
    asked: BTreeSet<String>,
}

impl Search<'_> {
    /// Takes a changed source over if it is smaller and the predicate holds.
    fn offer(&mut self, edits: Vec<(Range<usize>, String)>) -> bool {
        let text = edited(&self.best.text, edits);
        if self.tries_left == 0 || size(&text) >= size(&self.best.text) {
            return false;
        }
        // What lost its focus or cannot be read is no test any more.
        let Ok(parsed) = Parsed::new(&text, &self.best.focus) else { return false };
        if !self.asked.insert(text.clone()) {
            return false;
        }
        self.tries_left -= 1;
        let holds = (self.still)(&text);
        if holds {
            self.best = parsed;
        }
        holds
    }

    fn offer_without(&mut self, pieces: &[Range<usize>]) -> bool {
        let cuts = pieces.iter().map(|piece| (self.best.cut(piece), String::new()));
        let cuts = cuts.collect();
        self.offer(cuts)
    }
}

/// Pieces of a source that may be taken out, none within another, in order.
type Pieces<'p> = dyn Fn(&Parsed, &Freedom) -> Vec<Range<usize>> + 'p;

/// Tries to do without all, halves, quarters, ... single pieces, from the back.
fn sweep(search: &mut Search<'_>, pieces: &Pieces<'_>) {
    let mut chunk = pieces(&search.best, search.freedom).len();
    while chunk > 0 {
        let mut end = pieces(&search.best, search.freedom).len();
        while end > 0 {
            let start = end.saturating_sub(chunk);
            let all = pieces(&search.best, search.freedom);
            if let Some(some) = all.get(start..end) {
                search.offer_without(some);
            }
            end = start;
        }
        chunk = if chunk == 1 { 0 } else { chunk.div_ceil(2) };
    }
}

/// What may be changed, one candidate each.
type Candidates<'p> = dyn Fn(&Parsed, &Freedom) -> Vec<Vec<(Range<usize>, String)>> + 'p;

/// Tries single changes in order; after one that was taken over, goes on behind it.
fn sweep_order(search: &mut Search<'_>, candidates: &Candidates<'_>) {
    let mut at = 0;
    let mut all = candidates(&search.best, search.freedom);
    while at < all.len() {
        if search.offer(std::mem::take(&mut all[at])) {
            // Those behind it have moved; what was asked is not asked again.
            all = candidates(&search.best, search.freedom);
        } else {
            at += 1;
        }
    }
}

/// How much a source says, comments and white space apart: tokens, their bytes, and the sum of these.
fn size(source: &str) -> (usize, usize, u64) {
    let tokens = lex::tokens(source).unwrap_or_default();
    let code = tokens.iter().filter(|token| !token.kind.is_comment());
    code.fold((0, 0, 0), |(n, bytes, sum), token| {
        let own: u64 = source[token.range()].bytes().map(u64::from).sum();
        (n + 1, bytes + token.range().len(), sum + own)
    })
}

/// The text with some ranges replaced; they do not overlap.
fn edited(source: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(range, _)| range.start);
    let mut text = String::with_capacity(source.len());
    let mut at = 0;
    for (range, new) in edits {
        // Cuts take comments and line ends along, which two neighbours may share.
        let start = range.start.max(at);
        text.push_str(&source[at..start]);
        text.push_str(&new);
        at = range.end.max(start);
    }
    text.push_str(&source[at..]);
    text
}

//! A source with what the passes look at: its tokens, the failing test, the bodies of its methods.

use std::ops::Range;

use super::statement::{self, Statement};
use super::{Focus, member};
use crate::lex::{Kind, Token};
use crate::outline::{self, MethodDecl, OutlineError, SourceMap, comments};

/// A source that was read.
pub(super) struct Parsed {
    pub(super) text: String,
    pub(super) focus: Focus,
    pub(super) map: SourceMap,
    /// All tokens but comments.
    pub(super) code: Vec<Token>,
    /// The failing test: its class and itself, as positions in the map.
    pub(super) place: (usize, usize),
    /// The bodies of the methods of the class of the failing test and of the classes around it: its own
    /// first, those of other tests last.
    pub(super) bodies: Vec<Vec<Statement>>,
    /// How many of the bodies do not belong to other tests.
    pub(super) n_own_bodies: usize,
}

impl Parsed {
    pub(super) fn new(text: &str, focus: &Focus) -> Result<Parsed, OutlineError> {
        let map = outline::locate(text)?;
        let place = find(&map, focus).ok_or_else(|| OutlineError {
            line: 1,
            what: format!("there is no method {} with a body in {}", focus.method, focus.class),
        })?;
        let code: Vec<Token> =
            map.tokens.iter().filter(|token| !token.kind.is_comment()).copied().collect();
        // Namesakes may go, and then the test must not be taken for another one.
        let parameters = Some(map.classes[place.0].methods[place.1].parameters.clone());
        let focus = Focus { parameters, ..focus.clone() };
        let mut parsed = Parsed {
            text: text.to_owned(),
            focus,
            map,
            code,
            place,
            bodies: Vec::new(),
            n_own_bodies: 1,
        };
        let (class, method) = place;
        let own = parsed.body(&parsed.map.classes[class].methods[method]);
        parsed.bodies.push(own);
        let mut of_tests = Vec::new();
        for (at, decl) in parsed.map.classes.iter().enumerate() {
            if !parsed.map.is_within(class, at) {
                continue;
            }
            for (idx, other) in decl.methods.iter().enumerate() {
                let body = parsed.body(other);
                if (at, idx) == place {
                    continue;
                }
                if member::is_test(other) {
                    of_tests.push(body);
                } else {
                    parsed.bodies.push(body);
                }
            }
        }
        parsed.n_own_bodies = parsed.bodies.len();
        parsed.bodies.extend(of_tests);
        Ok(parsed)
    }

    /// The failing test.
    pub(super) fn method(&self) -> &MethodDecl {
        &self.map.classes[self.place.0].methods[self.place.1]
    }

    /// The text of a token.
    pub(super) fn word(&self, at: usize) -> &str {
        self.code.get(at).map_or("", |token| &self.text[token.range()])
    }

    pub(super) fn is_symbol(&self, at: usize, symbol: char) -> bool {
        self.code.get(at).is_some_and(|token| token.kind == Kind::Symbol(symbol))
    }

    /// Positions of the tokens that stand on these bytes.
    pub(super) fn tokens_of(&self, span: &Range<usize>) -> Range<usize> {
        let first = self.code.partition_point(|token| token.start < span.start);
        first..self.code.partition_point(|token| token.start < span.end)
    }

    /// The bytes of some tokens.
    pub(super) fn bytes(&self, tokens: &Range<usize>) -> Range<usize> {
        match (self.code.get(tokens.start), self.code.get(tokens.end.saturating_sub(1))) {
            (Some(first), Some(last)) if tokens.start < tokens.end => first.start..last.end,
            _ => 0..0,
        }
    }

    /// The position of the bracket that closes the one at a position.
    pub(super) fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for (at, token) in self.code.iter().enumerate().skip(open) {
            match token.kind {
                Kind::Symbol('(' | '[' | '{') => depth += 1,
                Kind::Symbol(')' | ']' | '}') => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The bytes that go when a piece goes: its comments too, and whole lines where nothing else is on
    /// them.
    pub(super) fn cut(&self, piece: &Range<usize>) -> Range<usize> {
        let full = comments::with_comments(&self.text, &self.map.tokens, piece);
        let line_start = self.text[..full.start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = self.text[full.end..].find('\n').map_or(self.text.len(), |at| full.end + at);
        let is_blank = |range: Range<usize>| self.text[range].trim().is_empty();
        if is_blank(line_start..full.start) && is_blank(full.end..line_end) {
            line_start..(line_end + 1).min(self.text.len())
        } else {
            // The blanks before it stay, those behind it go.
            let blanks = |text: &str| text.len() - text.trim_start_matches(' ').len();
            let is_spaced = self.text[..full.start].ends_with([' ', '\t', '\n']);
            let behind = if is_spaced { blanks(&self.text[full.end..]) } else { 0 };
            full.start..full.end + behind
        }
    }

    /// How deep statements are nested.
    pub(super) fn depth(&self) -> usize {
        self.bodies.iter().map(|body| statement::depth(body)).max().unwrap_or(0)
    }

    /// How many statements the failing test has, nested ones too.
    pub(super) fn n_statements(&self) -> usize {
        self.bodies.first().map_or(0, |body| statement::count(body))
    }

    fn body(&self, method: &MethodDecl) -> Vec<Statement> {
        let tokens = self.tokens_of(&method.span);
        let name = self.tokens_of(&method.name_span).end;
        // Annotations of parameters have their braces in parentheses.
        let mut at = name;
        while at < tokens.end {
            if self.is_symbol(at, '(') {
                match self.closing(at) {
                    Some(close) => at = close,
                    None => return Vec::new(),
                }
            } else if self.is_symbol(at, '{') {
                return self
                    .closing(at)
                    .and_then(|close| statement::list(self, at + 1, close))
                    .unwrap_or_default();
            }
            at += 1;
        }
        Vec::new()
    }
}

/// The failing test, as positions in the map; among namesakes one that JUnit runs.
fn find(map: &SourceMap, focus: &Focus) -> Option<(usize, usize)> {
    let (class, decl) = map.class(&focus.class)?;
    let fits = |method: &MethodDecl| {
        method.name == focus.method
            && method.body_lines.is_some()
            && focus.parameters.as_ref().is_none_or(|wanted| method.parameters == *wanted)
    };
    let namesakes = decl.methods.iter().enumerate().filter(|(_, method)| fits(method));
    let (idx, _) = namesakes.min_by_key(|(idx, method)| (!member::is_test(method), *idx))?;
    Some((class, idx))
}

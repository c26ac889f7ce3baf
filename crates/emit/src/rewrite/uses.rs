//! Whether other code of a source needs a method: calls, method references, overriding methods, names in
//! strings.
//!
//! Looks at tokens alone, so it may see a use where there is none, which costs a test that could have gone.

use std::collections::BTreeMap;
use std::ops::Range;

use super::MethodAt;
use crate::lex::{self, Kind, Token};
use crate::outline::{MethodDecl, SourceMap};

/// The code of a source, and where in it each word stands: sources have thousands of tests.
pub(super) struct Code<'a> {
    source: &'a str,
    map: &'a SourceMap,
    code: Vec<Token>,
    words: BTreeMap<String, Vec<usize>>,
}

/// The line of the first use of the method outside of itself and of code that is taken out, which is in order.
pub(super) fn call(
    view: &Code<'_>,
    (class_idx, method_idx): MethodAt,
    removed: &[Range<usize>],
) -> Option<usize> {
    let map = view.map;
    let class = &map.classes[class_idx];
    let method = &class.methods[method_idx];
    for &idx in view.words.get(&method.name).into_iter().flatten() {
        let at = view.code[idx].start;
        let before = removed.partition_point(|span| span.end <= at);
        if method.span.contains(&at) || removed.get(before).is_some_and(|span| span.contains(&at)) {
            continue;
        }
        // Plain names reach a method from its class, from inside of it and from subtypes.
        let in_scope = map
            .classes
            .iter()
            .any(|other| other.span.contains(&at) && (other.name == class.name || other.inherits));
        if view.is_use(idx, method, in_scope) {
            return Some(map.line(at));
        }
    }
    None
}

/// The line of a method of another class that is marked as overriding one like this.
pub(super) fn overriding(map: &SourceMap, (class_idx, method_idx): MethodAt) -> Option<usize> {
    let method = &map.classes[class_idx].methods[method_idx];
    let others = map.classes.iter().enumerate().filter(|(idx, _)| *idx != class_idx);
    let mut others = others.flat_map(|(_, class)| &class.methods);
    let like = others.find(|other| {
        other.name == method.name
            && other.parameters.len() == method.parameters.len()
            && other.is_override()
    });
    like.map(|other| other.line)
}

/// The line of a string that is the method's name.
pub(super) fn string(source: &str, map: &SourceMap, method: &MethodDecl) -> Option<usize> {
    let literal = format!("\"{}\"", method.name);
    map.tokens
        .iter()
        .find(|token| token.kind == Kind::Literal && lex::plain(&source[token.range()]) == literal)
        .map(|token| map.line(token.start))
}

impl<'a> Code<'a> {
    pub(super) fn of(source: &'a str, map: &'a SourceMap) -> Code<'a> {
        let code: Vec<Token> =
            map.tokens.iter().copied().filter(|token| !token.kind.is_comment()).collect();
        let mut words: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (idx, token) in code.iter().enumerate().filter(|(_, token)| token.kind == Kind::Word) {
            words.entry(lex::plain(&source[token.range()])).or_default().push(idx);
        }
        Code { source, map, code, words }
    }

    fn text(&self, idx: usize) -> String {
        self.code.get(idx).map(|token| lex::plain(&self.source[token.range()])).unwrap_or_default()
    }

    fn is(&self, idx: Option<usize>, symbol: char) -> bool {
        idx.and_then(|idx| self.code.get(idx)).is_some_and(|it| it.kind == Kind::Symbol(symbol))
    }

    fn is_use(&self, idx: usize, method: &MethodDecl, in_scope: bool) -> bool {
        let before = idx.checked_sub(1);
        if self.is(before, ':') && self.is(idx.checked_sub(2), ':') {
            return self.is_own(idx.checked_sub(3));
        }
        if !self.is(Some(idx + 1), '(') || !self.may_take(idx + 1, method) {
            return false;
        }
        if self.is(before, '.') {
            return self.is_own(idx.checked_sub(2));
        }
        // The name after a type is that of a declaration.
        let follows_word = before.is_some_and(|before| {
            self.code[before].kind == Kind::Word
                && !matches!(
                    self.text(before).as_str(),
                    "return" | "else" | "do" | "yield" | "assert" | "throw" | "case"
                )
        });
        in_scope && !follows_word && !self.is(before, '@')
    }

    /// Whether the expression that ends here is of a class of this source: `this`, a class, `new` of one.
    fn is_own(&self, idx: Option<usize>) -> bool {
        let Some(idx) = idx else { return false };
        if self.code[idx].kind == Kind::Word {
            let word = self.text(idx);
            return word == "this" || word == "super" || self.is_class(&word);
        }
        if !self.is(Some(idx), ')') {
            return false;
        }
        let mut depth = 0_usize;
        for at in (0..=idx).rev() {
            match self.code[at].kind {
                Kind::Symbol(')') => depth += 1,
                Kind::Symbol('(') => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return at >= 1 && self.is_class(&self.text(at - 1));
            }
        }
        false
    }

    fn is_class(&self, word: &str) -> bool {
        self.map.classes.iter().any(|class| class.name.rsplit(['.', '$']).next() == Some(word))
    }

    /// Whether the number of arguments fits.
    fn may_take(&self, open: usize, method: &MethodDecl) -> bool {
        let (mut depth, mut commas, mut is_empty) = (0_usize, 0_usize, true);
        for (at, token) in self.code.iter().enumerate().skip(open) {
            match token.kind {
                Kind::Symbol('(' | '[' | '{') => depth += 1,
                Kind::Symbol(')' | ']' | '}') => depth = depth.saturating_sub(1),
                // Commas of type arguments cannot be told from others.
                Kind::Symbol('<') => return true,
                Kind::Symbol(',') if depth == 1 => commas += 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            is_empty &= at == open;
        }
        let n_arguments = if is_empty { 0 } else { commas + 1 };
        let is_variable = method.parameters.last().is_some_and(|last| last.ends_with("..."));
        is_variable || n_arguments == method.parameters.len()
    }
}

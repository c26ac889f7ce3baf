//! Which comments belong to a declaration.
//!
//! Before it: those that stand directly above, without an empty line between, and the nearest documentation
//! comment in any case. A comment that follows other code on its line belongs to that code. Behind it: those
//! on its last line if nothing else follows there.

use std::ops::Range;

use crate::lex::{Kind, Token};

/// The declaration's bytes with those of its comments.
pub(crate) fn with_comments(source: &str, tokens: &[Token], span: &Range<usize>) -> Range<usize> {
    let first = tokens.partition_point(|token| token.start < span.start);
    let after = tokens.partition_point(|token| token.start < span.end);
    first_byte(source, tokens, first, span.start)..last_byte(source, tokens, after, span.end)
}

fn first_byte(source: &str, tokens: &[Token], first: usize, start: usize) -> usize {
    let mut start = start;
    for idx in (0..first).rev() {
        let comment = tokens[idx];
        let gap = &source[comment.end..start];
        if !comment.kind.is_comment() || (has_empty_line(gap) && comment.kind != Kind::DocComment) {
            break;
        }
        // `int x; // of x` and `{ // of the class` keep what stands on their line.
        let follows_code =
            tokens[..idx].iter().rev().find(|token| !token.kind.is_comment()).is_some_and(|code| {
                let before = &source[code.end..comment.start];
                !has_line_end(before) && has_line_end(gap)
            });
        if follows_code {
            break;
        }
        start = comment.start;
    }
    start
}

fn last_byte(source: &str, tokens: &[Token], after: usize, end: usize) -> usize {
    let mut last = end;
    for token in &tokens[after..] {
        if has_line_end(&source[last..token.start]) {
            return last;
        }
        let is_on_line = token.kind.is_comment() && !has_line_end(&source[token.range()]);
        if !is_on_line {
            // Something else follows on the line: the comments between may be of that.
            return end;
        }
        last = token.end;
    }
    last
}

fn has_line_end(text: &str) -> bool {
    text.contains(['\n', '\r'])
}

fn has_empty_line(gap: &str) -> bool {
    let ends = gap.replace("\r\n", "\n");
    ends.chars().filter(|c| matches!(c, '\n' | '\r')).count() > 1
}

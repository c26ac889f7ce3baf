//! Leaves no more empty lines than a reader needs after pieces have gone.

use crate::lex;

/// The source with at most one empty line between tokens, and none behind an opening or before a closing
/// brace. What stands in tokens stays.
pub(super) fn tidy(source: &str) -> String {
    let Ok(tokens) = lex::tokens(source) else { return source.to_owned() };
    let mut text = String::with_capacity(source.len());
    let mut at = 0;
    for (idx, token) in tokens.iter().enumerate() {
        let gap = &source[at..token.start];
        let opens = idx > 0 && tokens[idx - 1].kind == lex::Kind::Symbol('{');
        let closes = token.kind == lex::Kind::Symbol('}');
        let most = if opens || closes || idx == 0 { 0 } else { 1 };
        text.push_str(&with_empty_lines(gap, most));
        text.push_str(&source[token.range()]);
        at = token.end;
    }
    text.push_str(&with_empty_lines(&source[at..], 0));
    text
}

/// White space with at most so many empty lines, and no blanks at the ends of lines.
fn with_empty_lines(gap: &str, most: usize) -> String {
    let n_ends = gap.matches('\n').count();
    let Some(last) = gap.rfind('\n') else { return gap.to_owned() };
    let end = if gap.contains("\r\n") { "\r\n" } else { "\n" };
    format!("{}{}", end.repeat(n_ends.min(most + 1)), &gap[last + 1..])
}

//! Makes literals plain: numbers towards 0 and 1, strings shorter.

use std::ops::Range;

use super::parsed::Parsed;
use super::{Search, sweep_order};
use crate::lex::Kind;

pub(super) fn pass(search: &mut Search<'_>) {
    sweep_order(search, &|source, _| {
        let mut candidates = Vec::new();
        for body in &source.bodies {
            let (Some(first), Some(last)) = (body.first(), body.last()) else { continue };
            for at in first.tokens.start..last.tokens.end {
                if source.code[at].kind == Kind::Literal {
                    let (bytes, simpler) = simpler(source, at);
                    candidates.extend(simpler.into_iter().map(|new| vec![(bytes.clone(), new)]));
                }
            }
        }
        candidates
    });
}

/// The bytes of a literal, its sign too, and plainer ones, the plainest first.
fn simpler(source: &Parsed, at: usize) -> (Range<usize>, Vec<String>) {
    let text = source.word(at);
    let own = source.code[at].range();
    if let Some(content) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        // Text blocks and escapes are only ever replaced as a whole.
        let mut texts = vec![String::new()];
        if !content.contains(['\\', '"']) {
            texts.extend(shorter(content));
        }
        return (own, texts.into_iter().map(|text| format!("\"{text}\"")).collect());
    }
    if text.starts_with('\'') {
        return (own, vec!["'a'".to_owned(), "'0'".to_owned()]);
    }
    let is_negative = at > 1
        && source.is_symbol(at - 1, '-')
        && matches!(source.word(at - 2), "(" | "," | "=" | "{" | "return");
    let bytes = if is_negative { source.code[at - 1].start..own.end } else { own };
    let digits = text.trim_end_matches(['l', 'L', 'f', 'F', 'd', 'D']).replace('_', "");
    let suffix = &text[text.trim_end_matches(['l', 'L', 'f', 'F', 'd', 'D']).len()..];
    let mut numbers: Vec<String> = Vec::new();
    if let Ok(number) = digits.parse::<u64>() {
        numbers.extend(["0".to_owned(), "1".to_owned()]);
        if is_negative {
            numbers.extend(["-1".to_owned(), number.to_string()]);
        }
        let sign = if is_negative { "-" } else { "" };
        let mut step = number / 2;
        while step > 0 {
            numbers.push(format!("{sign}{}", number - step));
            step /= 2;
        }
    } else if digits.parse::<f64>().is_ok() && digits.contains('.') {
        numbers.extend(["0.0".to_owned(), "1.0".to_owned()]);
    }
    (bytes, numbers.into_iter().map(|number| format!("{number}{suffix}")).collect())
}

/// A text without halves, quarters, ... single characters.
fn shorter(text: &str) -> Vec<String> {
    const MOST_PIECES: usize = 16;
    let chars: Vec<char> = text.chars().collect();
    let mut texts = Vec::new();
    let mut size = chars.len() / 2;
    while size > 0 && size * MOST_PIECES >= chars.len() {
        let mut end = chars.len();
        while end > 0 {
            let start = end.saturating_sub(size);
            texts.push(chars[..start].iter().chain(&chars[end..]).collect());
            end = start;
        }
        size /= 2;
    }
    texts
}

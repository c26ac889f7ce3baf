//! Java source text to tokens (JLS §3), each with its place in the text.
//!
//! Made for sources that compile: what matters is never to take a brace in a string, a character or a
//! comment for one of the program. Comments are tokens, white space is not. Operators come one character at
//! a time, so `>>` may close two lists of type arguments. Unicode escapes (JLS §3.3) count as what they stand
//! for, and a token's place is that of the escapes in the text.

use std::fmt;
use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An identifier or keyword.
    Word,
    /// A number, character, string or text block.
    Literal,
    /// One character of a separator or operator.
    Symbol(char),
    /// A comment to the end of its line, without the line's end.
    LineComment,
    /// A comment between `/*` and `*/`.
    BlockComment,
    /// A comment between `/**` and `*/`.
    DocComment,
}

impl Kind {
    /// Whether the compiler skips it.
    pub fn is_comment(self) -> bool {
        matches!(self, Kind::LineComment | Kind::BlockComment | Kind::DocComment)
    }
}

/// One token and the bytes it stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Its first byte in the source.
    pub start: usize,
    /// The byte after its last one.
    pub end: usize,
}

impl Token {
    /// The bytes it stands on.
    pub fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// A literal or comment that does not end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LexError {
    /// Where it begins, in bytes.
    pub at: usize,
    /// What it is.
    pub what: &'static str,
}

impl fmt::Display for LexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a {} does not end", self.what)
    }
}

impl std::error::Error for LexError {}

/// All tokens of a source, in order.
pub fn tokens(source: &str) -> Result<Vec<Token>, LexError> {
    let mut lexer = Lexer { chars: unescape(source), at: 0 };
    let mut tokens = Vec::new();
    while let Some(first) = lexer.peek(0) {
        if is_space(first) {
            lexer.at += 1;
            continue;
        }
        let start = lexer.at;
        let kind = lexer.token(first)?;
        tokens.push(Token { kind, start: lexer.offset(start), end: lexer.offset(lexer.at) });
    }
    Ok(tokens)
}

/// The text of a piece of source, its Unicode escapes replaced by what they stand for.
pub fn plain(piece: &str) -> String {
    if piece.contains('\\') {
        unescape(piece).into_iter().filter(|c| !c.is_end).map(|c| c.value).collect()
    } else {
        piece.to_owned()
    }
}

/// The bytes at which lines begin, for the compiler: an escaped line terminator begins a line too.
pub fn line_starts(source: &str) -> Vec<usize> {
    let chars = unescape(source);
    let mut starts = vec![0];
    for pair in chars.windows(2) {
        let (this, next) = (pair[0], pair[1]);
        if this.value == '\n' || (this.value == '\r' && (next.is_end || next.value != '\n')) {
            starts.push(next.at);
        }
    }
    starts
}

/// A character as the compiler sees it, and where it begins.
#[derive(Clone, Copy)]
struct Char {
    value: char,
    at: usize,
    /// Stands after the last character and has no value.
    is_end: bool,
}

struct Lexer {
    chars: Vec<Char>,
    at: usize,
}

impl Lexer {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).filter(|c| !c.is_end).map(|c| c.value)
    }

    fn offset(&self, idx: usize) -> usize {
        // The last element stands for the end, so a place past it is the end as well.
        self.chars.get(idx).or(self.chars.last()).map_or(0, |c| c.at)
    }

    fn unfinished(&self, start: usize, what: &'static str) -> LexError {
        LexError { at: self.offset(start), what }
    }

    fn token(&mut self, first: char) -> Result<Kind, LexError> {
        match (first, self.peek(1)) {
            ('/', Some('/')) => {
                while self.peek(0).is_some_and(|c| c != '\n' && c != '\r') {
                    self.at += 1;
                }
                Ok(Kind::LineComment)
            }
            ('/', Some('*')) => self.block_comment(),
            ('"', _) if self.peek(1) == Some('"') && self.peek(2) == Some('"') => self.text_block(),
            ('"', _) => self.quoted('"', "string"),
            ('\'', _) => self.quoted('\'', "character"),
            (c, next) if c.is_ascii_digit() || (c == '.' && is_digit(next)) => {
                self.number();
                Ok(Kind::Literal)
            }
            (c, _) if is_word(c) => {
                while self.peek(0).is_some_and(is_word) {
                    self.at += 1;
                }
                Ok(Kind::Word)
            }
            (c, _) => {
                self.at += 1;
                Ok(Kind::Symbol(c))
            }
        }
    }

    fn block_comment(&mut self) -> Result<Kind, LexError> {
        let start = self.at;
        // `/**/` is an empty plain comment.
        let is_doc = self.peek(2) == Some('*') && self.peek(3) != Some('/');
        self.at += 2;
        loop {
            match self.peek(0) {
                None => return Err(self.unfinished(start, "comment")),
                Some('*') if self.peek(1) == Some('/') => {
                    self.at += 2;
                    return Ok(if is_doc { Kind::DocComment } else { Kind::BlockComment });
                }
                Some(_) => self.at += 1,
            }
        }
    }

    fn text_block(&mut self) -> Result<Kind, LexError> {
        let start = self.at;
        self.at += 3;
        loop {
            match self.peek(0) {
                None => return Err(self.unfinished(start, "text block")),
                Some('\\') => self.at += 2,
                Some('"') if self.peek(1) == Some('"') && self.peek(2) == Some('"') => {
                    self.at += 3;
                    return Ok(Kind::Literal);
                }
                Some(_) => self.at += 1,
            }
        }
    }

    fn quoted(&mut self, quote: char, what: &'static str) -> Result<Kind, LexError> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek(0) {
                None | Some('\n' | '\r') => return Err(self.unfinished(start, what)),
                Some('\\') => self.at += 2,
                Some(c) => {
                    self.at += 1;
                    if c == quote {
                        return Ok(Kind::Literal);
                    }
                }
            }
        }
    }

    /// Digits, letters, underscores and dots; signs of exponents may stay tokens of their own.
    fn number(&mut self) {
        while let Some(c) = self.peek(0) {
            let dot = c == '.' && (is_digit(self.peek(1)) || !self.peek(1).is_some_and(is_word));
            if !(c.is_ascii_alphanumeric() || c == '_' || dot) {
                return;
            }
            self.at += 1;
        }
    }
}

fn is_digit(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_ascii_digit())
}

/// Letters and digits of identifiers. Wider than JLS §3.8, which does no harm in sources that compile.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$' || (!c.is_ascii() && !is_space(c))
}

/// White space; the byte order mark and the end-of-input character count as such.
fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{feff}' | '\u{1a}' | '\0')
}

/// Replaces Unicode escapes (JLS §3.3). The end is marked by one element more.
fn unescape(source: &str) -> Vec<Char> {
    let bytes = source.as_bytes();
    let mut chars = Vec::with_capacity(source.len() + 1);
    let mut skip_to = 0;
    let mut backslashes = 0;
    for (at, value) in source.char_indices() {
        if at < skip_to {
            continue;
        }
        backslashes = if value == '\\' { backslashes + 1 } else { 0 };
        if backslashes % 2 == 1
            && let Some((unit, after)) = escape_at(bytes, at)
        {
            // A pair of surrogates makes one character; half a pair makes none.
            let low = escape_at(bytes, after).filter(|_| (0xd800..0xdc00).contains(&unit));
            let pair = low.and_then(|(low, after)| {
                let code = 0x1_0000 + ((unit - 0xd800) << 10) + low.checked_sub(0xdc00)?;
                Some((char::from_u32(code)?, after))
            });
            let (value, after) = pair
                .unwrap_or((char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER), after));
            chars.push(Char { value, at, is_end: false });
            skip_to = after;
            // Only raw backslashes count, not those that an escape stands for.
            backslashes = 0;
            continue;
        }
        chars.push(Char { value, at, is_end: false });
    }
    chars.push(Char { value: '\0', at: source.len(), is_end: true });
    chars
}

/// The UTF-16 unit of an escape such as `\uuu0041` and the byte after it.
fn escape_at(bytes: &[u8], at: usize) -> Option<(u32, usize)> {
    if bytes.get(at) != Some(&b'\\') || bytes.get(at + 1) != Some(&b'u') {
        return None;
    }
    let n_u = bytes[at + 1..].iter().take_while(|b| **b == b'u').count();
    let first = at + 1 + n_u;
    let digits = bytes.get(first..first + 4)?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let unit = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    Some((unit, first + 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the tokens' texts, with the kind's first letter in front.
    #[track_caller]
    fn check(source: &str, expected: &[&str]) {
        let shown: Vec<String> = tokens(source)
            .expect("lexes")
            .iter()
            .map(|token| {
                let letter = match token.kind {
                    Kind::Word => 'w',
                    Kind::Literal => 'l',
                    Kind::Symbol(_) => 's',
                    Kind::LineComment => '/',
                    Kind::BlockComment => 'b',
                    Kind::DocComment => 'd',
                };
                format!("{letter}{}", &source[token.range()])
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn words_numbers_and_symbols_are_told_apart() {
        check(
            "int x1=0x1F+.5e-3;",
            &["wint", "wx1", "s=", "l0x1F", "s+", "l.5e", "s-", "l3", "s;"],
        );
        check("a.b(1.0f,2.)", &["wa", "s.", "wb", "s(", "l1.0f", "s,", "l2.", "s)"]);
    }

    #[test]
    fn braces_in_strings_and_characters_are_literals() {
        check(
            r#"s("}",'}','\'',"\"}\\")"#,
            &["ws", "s(", "l\"}\"", "s,", "l'}'", "s,", r"l'\''", "s,", r#"l"\"}\\""#, "s)"],
        );
    }

    #[test]
    fn a_text_block_may_hold_quotes_and_escaped_delimiters() {
        let block = "\"\"\"\n a \"\" } \\\"\"\" \"b\"\n\"\"\"";
        check(&format!("f({block})"), &["wf", "s(", &format!("l{block}"), "s)"]);
        check("\"\" + \"\"", &["l\"\"", "s+", "l\"\""]);
    }

    #[test]
    fn comments_are_tokens_of_three_kinds() {
        check(
            "a// }\r\n/**/b/** } */c/*'*/",
            &["wa", "/// }", "b/**/", "wb", "d/** } */", "wc", "b/*'*/"],
        );
    }

    #[test]
    fn unicode_escapes_count_as_what_they_stand_for() {
        // The escaped quotes delimit a string; the doubled backslash is no escape.
        check(
            r#"\u0022}\u0022 "\\u0022" \uu0061b"#,
            &[r"l\u0022}\u0022", r#"l"\\u0022""#, r"w\uu0061b"],
        );
        assert_eq!(plain(r"\uu0061b\u005c\ud83d\ude00"), "ab\\😀");
        // An escaped backslash followed by a raw one: together an escaped backslash.
        check(r#""\u005c\" x"#, &[r#"l"\u005c\""#, "wx"]);
    }

    #[test]
    fn a_line_may_begin_after_an_escaped_terminator() {
        assert_eq!(line_starts("a\r\nb\rc\\u000ad\n"), [0, 3, 5, 12, 14]);
        check("// a\\u000ab", &["/// a", "wb"]);
    }

    #[test]
    fn what_does_not_end_is_an_error_with_its_place() {
        for (source, what) in [
            ("x /* y", "comment"),
            ("x \"y\n\"", "string"),
            ("x 'y", "character"),
            ("x \"\"\" y", "text block"),
            ("x \"y\\", "string"),
        ] {
            assert_eq!(tokens(source), Err(LexError { at: 2, what }), "{source}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_white_space() {
        check("\u{feff}a\u{1a}", &["wa"]);
    }
}

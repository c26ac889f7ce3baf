//! The text changes themselves: what is inserted and removed so that lines stay whole.

use std::ops::Range;

use super::Framework;
use crate::outline::{ClassDecl, MethodDecl, SourceMap};

/// Changes of one source, applied together.
pub(super) struct Patches<'a> {
    source: &'a str,
    map: &'a SourceMap,
    changes: Vec<(Range<usize>, String)>,
}

/// How a piece of source lies on its lines.
struct Lay<'a> {
    /// Where its first line begins.
    line_start: usize,
    /// Where its last line ends, without and with the terminator.
    line_end: Range<usize>,
    /// The white space that its first line begins with.
    indent: &'a str,
    /// Whether nothing else stands before it on its first line.
    owns_start: bool,
    /// Whether nothing else stands behind it on its last line.
    owns_end: bool,
    /// The line terminator to use here.
    newline: &'static str,
}

impl<'a> Patches<'a> {
    pub(super) fn new(source: &'a str, map: &'a SourceMap) -> Patches<'a> {
        Patches { source, map, changes: Vec::new() }
    }

    /// The source with all changes.
    pub(super) fn apply(mut self) -> String {
        // The sort is stable: what is inserted at one place keeps its order.
        self.changes.sort_by_key(|(range, _)| range.start);
        let mut text = String::with_capacity(self.source.len());
        let mut at = 0;
        for (range, new) in &self.changes {
            text.push_str(&self.source[at..range.start]);
            text.push_str(new);
            at = range.end;
        }
        text.push_str(&self.source[at..]);
        text
    }

    /// Turns a declaration into line comments.
    pub(super) fn comment(&mut self, full: &Range<usize>, reason: &str) {
        let lay = self.lay(full);
        let (indent, newline) = (lay.indent, lay.newline);
        let why = self.comment_text(reason);
        if lay.owns_start {
            self.insert(lay.line_start, format!("{indent}// {why}{newline}"));
            self.insert(lay.line_start + indent.len(), "// ".to_owned());
        } else {
            self.insert(full.start, format!("{newline}{indent}// {why}{newline}{indent}// "));
        }
        for start in self.map.line_starts_within(full) {
            let line = &self.source[start..full.end];
            let is_empty = line.trim_start_matches([' ', '\t']).starts_with(['\n', '\r']);
            let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
            // Deeper lines keep their shape behind the slashes; others are not changed before them.
            if line.starts_with(indent) {
                let slashes = if is_empty { "//" } else { "// " };
                self.insert(start + indent.len().min(blank), slashes.to_owned());
            } else if is_empty {
                self.insert(start, format!("{indent}//"));
            } else {
                self.insert(start, "// ".to_owned());
            }
        }
        if !lay.owns_end {
            self.insert(full.end, format!("{newline}{indent}"));
        }
    }

    /// Has JUnit skip a method.
    pub(super) fn disable(
        &mut self,
        class: &ClassDecl,
        method: &MethodDecl,
        framework: Framework,
        reason: &str,
    ) {
        let lay = self.lay(&method.span);
        let annotation = match framework {
            Framework::Jupiter => "@org.junit.jupiter.api.Disabled",
            Framework::JUnit4 => "@org.junit.Ignore",
            Framework::JUnit3 => {
                let why = self.comment_text(reason);
                let note = if lay.owns_start {
                    format!("// {why}{}{}", lay.newline, lay.indent)
                } else {
                    format!("/* {} */ ", why.replace("*/", "* /"))
                };
                self.insert(method.span.start, note);
                self.changes.push((method.name_span.clone(), unused_name(class, &method.name)));
                return;
            }
        };
        let literal = self.literal(reason);
        let gap =
            if lay.owns_start { format!("{}{}", lay.newline, lay.indent) } else { " ".to_owned() };
        self.insert(method.span.start, format!("{annotation}({literal}){gap}"));
    }

    /// Removes declarations, each with its lines if they are its own and with one of the empty lines around.
    pub(super) fn delete(&mut self, mut gone: Vec<Range<usize>>) {
        gone.sort_by_key(|range| range.start);
        let mut regions: Vec<Range<usize>> = Vec::new();
        for range in gone {
            match regions.last_mut() {
                Some(last) if self.source[last.end..range.start].trim().is_empty() => {
                    last.end = range.end
                }
                _ => regions.push(range),
            }
        }
        for region in regions {
            let range = self.whole_lines(&region);
            self.changes.push((range, String::new()));
        }
    }

    fn whole_lines(&self, region: &Range<usize>) -> Range<usize> {
        let lay = self.lay(region);
        let is_gap = |c: char| c == ' ' || c == '\t';
        let behind = &self.source[region.end..];
        let gap_behind = behind.len() - behind.trim_start_matches(is_gap).len();
        if !lay.owns_end {
            return region.start..region.end + gap_behind;
        }
        if !lay.owns_start {
            return self.source[..region.start].trim_end_matches(is_gap).len()
                ..region.end + gap_behind;
        }
        let mut range = lay.line_start..lay.line_end.end;
        let before = self.source[..range.start].trim_end_matches(is_gap);
        let empty_before = self.empty_line_before(range.start);
        let after = &self.source[range.end..];
        let empty_after = after.len() - after.trim_start_matches(is_gap).len();
        let empty_after =
            terminator(&after[empty_after..]).map(|newline| empty_after + newline.len());
        let opens = before.trim_end().ends_with('{');
        let closes = after.trim_start().starts_with('}');
        match (empty_before, empty_after) {
            (Some(start), Some(_)) if closes => range.start = start,
            (before, Some(length)) if before.is_some() || opens => range.end += length,
            (Some(start), None) if closes => range.start = start,
            _ => {}
        }
        range
    }

    /// Where the line before this one begins, if it is empty.
    fn empty_line_before(&self, line_start: usize) -> Option<usize> {
        let before = &self.source[..line_start];
        let end = before.strip_suffix("\r\n").or(before.strip_suffix(['\n', '\r']))?;
        let start = end.trim_end_matches([' ', '\t']).len();
        (start == 0 || end[..start].ends_with(['\n', '\r'])).then_some(start)
    }

    fn lay(&self, piece: &Range<usize>) -> Lay<'a> {
        let source = self.source;
        let line_start = self.map.line_start(piece.start);
        let before = &source[line_start..piece.start];
        let indent = &before[..before.len() - before.trim_start_matches([' ', '\t']).len()];
        let rest = &source[piece.end..];
        let end = piece.end + rest.find(['\n', '\r']).unwrap_or(rest.len());
        let own = terminator(&source[end..]);
        let newline = own.or_else(|| {
            let first = source.find(['\n', '\r'])?;
            terminator(&source[first..])
        });
        Lay {
            line_start,
            line_end: end..end + own.map_or(0, str::len),
            indent,
            owns_start: indent.len() == before.len(),
            owns_end: source[piece.end..end].trim().is_empty(),
            newline: newline.unwrap_or("\n"),
        }
    }

    fn insert(&mut self, at: usize, text: String) {
        self.changes.push((at..at, text));
    }

    /// The reason on one line, harmless in a comment.
    fn comment_text(&self, reason: &str) -> String {
        // Behind a doubled backslash no Unicode escape begins.
        let reason = format!("nonpareil: {}", reason.replace('\\', "\\\\"));
        self.in_encoding(&reason.replace(['\n', '\r'], " "))
    }

    /// The reason as a string literal.
    fn literal(&self, reason: &str) -> String {
        let mut literal = String::from("\"nonpareil: ");
        for c in reason.chars() {
            match c {
                '"' | '\\' => literal.extend(['\\', c]),
                c if c.is_control() => literal.push(' '),
                c => literal.push(c),
            }
        }
        literal.push('"');
        self.in_encoding(&literal)
    }

    /// Characters that the source does not hold yet are escaped: its encoding may not have them.
    fn in_encoding(&self, text: &str) -> String {
        let mut safe = String::with_capacity(text.len());
        for c in text.chars() {
            if c.is_ascii() || self.source.contains(c) {
                safe.push(c);
                continue;
            }
            for unit in c.encode_utf16(&mut [0; 2]) {
                safe.push_str(&format!("\\u{unit:04x}"));
            }
        }
        safe
    }
}

/// The line terminator that a text begins with.
fn terminator(text: &str) -> Option<&'static str> {
    ["\r\n", "\n", "\r"].into_iter().find(|newline| text.starts_with(newline))
}

/// A name that JUnit 3 does not take for a test's: `testPush` becomes `disabledTestPush`.
fn unused_name(class: &ClassDecl, name: &str) -> String {
    let mut unused = format!("disabledTest{}", name.strip_prefix("test").unwrap_or(name));
    while class.methods.iter().any(|method| method.name == unused) {
        unused.push('_');
    }
    unused
}

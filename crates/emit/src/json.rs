//! Writes JSON (RFC 8259): values in order, nothing else.

use std::fmt::Write;

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Flag(bool),
    /// A count.
    Number(usize),
    /// A number with a fraction, written with this many digits behind the point; `null` if not finite.
    Decimal(f64, usize),
    /// A text.
    Text(String),
    /// Values in order.
    List(Vec<Json>),
    /// Members in order.
    Object(Vec<(&'static str, Json)>),
}

impl Json {
    /// A text.
    pub fn text(text: impl Into<String>) -> Json {
        Json::Text(text.into())
    }

    /// A text, or null.
    pub fn optional(text: Option<&String>) -> Json {
        text.map_or(Json::Null, Json::text)
    }

    /// The value as text, two blanks deep per level.
    pub fn render(&self) -> String {
        let mut text = String::new();
        self.write(&mut text, 0);
        text.push('\n');
        text
    }

    fn write(&self, text: &mut String, depth: usize) {
        match self {
            Json::Null => text.push_str("null"),
            Json::Number(number) => {
                let _ = write!(text, "{number}");
            }
            Json::Flag(flag) => {
                let _ = write!(text, "{flag}");
            }
            Json::Decimal(number, digits) if number.is_finite() => {
                let _ = write!(text, "{number:.digits$}");
            }
            Json::Decimal(..) => text.push_str("null"),
            Json::Text(content) => write_text(text, content),
            Json::List(items) => {
                write_all(text, depth, ['[', ']'], items.len(), |text, idx| {
                    items[idx].write(text, depth + 1)
                });
            }
            Json::Object(members) => {
                write_all(text, depth, ['{', '}'], members.len(), |text, idx| {
                    let (name, value) = &members[idx];
                    write_text(text, name);
                    text.push_str(": ");
                    value.write(text, depth + 1);
                })
            }
        }
    }
}

fn write_all(
    text: &mut String,
    depth: usize,
    [open, close]: [char; 2],
    count: usize,
    mut write: impl FnMut(&mut String, usize),
) {
    text.push(open);
    for idx in 0..count {
        text.push_str(if idx == 0 { "\n" } else { ",\n" });
        text.push_str(&"  ".repeat(depth + 1));
        write(text, idx);
    }
    if count > 0 {
        text.push('\n');
        text.push_str(&"  ".repeat(depth));
    }
    text.push(close);
}

fn write_text(text: &mut String, content: &str) {
    text.push('"');
    for character in content.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            control if control < ' ' => {
                let _ = write!(text, "\\u{:04x}", u32::from(control));
            }
            other => text.push(other),
        }
    }
    text.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_and_decimals_are_written_plainly() {
        let numbers = [Json::Decimal(0.5, 2), Json::Decimal(f64::NAN, 1), Json::Flag(true)];
        assert_eq!(Json::List(numbers.to_vec()).render(), "[\n  0.50,\n  null,\n  true\n]\n");
    }

    #[test]
    fn text_is_escaped_and_members_keep_their_order() {
        let value = Json::Object(vec![
            ("z", Json::text("a\"\\\n\u{1}é")),
            ("a", Json::List(vec![Json::Number(1), Json::Null])),
            ("e", Json::List(Vec::new())),
        ]);
        let expected = "{\n  \"z\": \"a\\\"\\\\\\n\\u0001é\",\n  \"a\": [\n    1,\n    null\n  ],\n  \"e\": []\n}\n";
        assert_eq!(value.render(), expected);
    }
}

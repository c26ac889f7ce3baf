//! Where two runs of the same program first differ.

use std::fmt;

use crate::process::{End, Finished};

/// The first difference between what `java` did and what our machine did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// A line of a stream differs; `None` stands for a stream that ended before it.
    Line {
        /// `stdout` or `stderr`.
        stream: &'static str,
        /// Counted from one.
        number: usize,
        /// What `java` wrote.
        java: Option<String>,
        /// What our machine wrote.
        ours: Option<String>,
    },
    /// The output agrees, the end does not.
    End(End, End),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Line { stream, number, java, ours } => {
                let text = |line: &Option<String>| match line {
                    Some(line) => format!("|{line}"),
                    None => "(nothing more)".to_owned(),
                };
                writeln!(f, "{stream} line {number}")?;
                writeln!(f, "       java {}", text(java))?;
                write!(f, "       ours {}", text(ours))
            }
            Difference::End(java, ours) => write!(f, "java: {java}, ours: {ours}"),
        }
    }
}

/// The first difference: standard output, then standard error, then the end.
pub fn first(java: &Finished, ours: &Finished) -> Option<Difference> {
    let stream = line("stdout", &java.stdout, &ours.stdout)
        .or_else(|| line("stderr", &java.stderr, &ours.stderr));
    match stream {
        Some(difference) => Some(difference),
        None if java.end == ours.end => None,
        None => Some(Difference::End(java.end, ours.end)),
    }
}

fn line(stream: &'static str, java: &[u8], ours: &[u8]) -> Option<Difference> {
    if java == ours {
        return None;
    }
    // Lines keep their ends, so that a missing last newline shows as a difference.
    let mut java = java.split_inclusive(|byte| *byte == b'\n');
    let mut ours = ours.split_inclusive(|byte| *byte == b'\n');
    let mut number = 0;
    loop {
        number += 1;
        let (left, right) = (java.next(), ours.next());
        if left != right {
            return Some(Difference::Line {
                stream,
                number,
                java: left.map(show),
                ours: right.map(show),
            });
        }
        left?;
    }
}

fn show(line: &[u8]) -> String {
    let (line, end) = match line.strip_suffix(b"\n") {
        Some(line) => (line, ""),
        None => (line, " (no newline)"),
    };
    let text = String::from_utf8_lossy(line).into_owned();
    let shown: String = text.chars().take(400).flat_map(visible).collect();
    format!("{shown}{end}")
}

fn visible(c: char) -> Vec<char> {
    match c.is_control() && c != '\t' {
        true => c.escape_default().collect(),
        false => vec![c],
    }
}

#[cfg(test)]
mod tests {
    use super::{Difference, first};
    use crate::process::{End, Finished};

    fn finished(stdout: &str, code: i32) -> Finished {
        Finished { stdout: stdout.into(), stderr: Vec::new(), end: End::Exit(code) }
    }

    #[test]
    fn first_is_none_for_equal_runs() {
        assert_eq!(first(&finished("a\n", 0), &finished("a\n", 0)), None);
    }

    #[test]
    fn first_names_the_line_and_both_texts() {
        let difference = first(&finished("a\nb\n", 0), &finished("a\nc\n", 0));
        let (java, ours) = (Some("b".to_owned()), Some("c".to_owned()));
        assert_eq!(difference, Some(Difference::Line { stream: "stdout", number: 2, java, ours }));
    }

    #[test]
    fn first_sees_a_missing_last_newline_and_a_short_stream() {
        let cut = first(&finished("a\n", 0), &finished("a", 0));
        assert!(matches!(cut, Some(Difference::Line { number: 1, .. })));
        let short = first(&finished("a\nb\n", 0), &finished("a\n", 0));
        assert!(matches!(short, Some(Difference::Line { number: 2, ours: None, .. })));
    }

    #[test]
    fn first_compares_the_end_last() {
        let difference = first(&finished("a\n", 0), &finished("a\n", 1));
        assert_eq!(difference, Some(Difference::End(End::Exit(0), End::Exit(1))));
    }
}

//! The layout of one source file: package, imports, class, methods.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

use suite::test::{Suite, Test};

use super::body::{Declares, body};
use super::check::SECONDS_TO_END;
use super::facts::package_of;
use super::scope::{Scope, simple_name};
use super::typing::World;
use super::{Framework, MARK, Placed, SourceFile, mentioned};

/// Longer lines are broken where the language lets us.
const MOST_COLUMNS: usize = 100;

/// Names that are the beginnings of packages, so that full class names keep their meaning.
const PACKAGE_ROOTS: &[&str] = &["com", "java", "javax", "junit", "org"];

/// Writes the file of one test class. The tests must be expressible.
pub(crate) fn file(
    world: &World<'_>,
    suite: &Suite,
    framework: Framework,
    class: &str,
    placed: &[Placed],
) -> SourceFile {
    let tests: Vec<&Test> = placed.iter().map(|placed| &suite.tests[placed.idx]).collect();
    let mentioned = mentioned(&tests);
    let internal = if world.package.is_empty() {
        class.to_owned()
    } else {
        format!("{}/{class}", world.package)
    };
    let mut first: Vec<Arc<str>> = vec![internal.as_str().into(), suite.class.clone()];
    // A class without a package has no other name than its simple one.
    first.extend(mentioned.iter().filter(|name| package_of(name).is_empty()).cloned());
    let mut scope = Scope::new(world, &first);
    let annotation = match framework {
        Framework::JUnit5 => Some(scope.class("org/junit/jupiter/api/Test")),
        Framework::JUnit4 | Framework::JUnit4Before13 => Some(scope.class("org/junit/Test")),
        Framework::JUnit3 => None,
    };
    let parent = (framework == Framework::JUnit3).then(|| scope.class("junit/framework/TestCase"));
    let taken = taken(&mentioned);
    let mut methods = String::new();
    let mut written: Vec<Placed> = Vec::new();
    let mut n_lines = 0;
    for (placed, test) in placed.iter().zip(tests) {
        let Ok((lines, declares)) = body(&mut scope, framework, &taken, test) else { continue };
        let at = methods.len();
        methods.push('\n');
        for note in &test.notes {
            write_note(&mut methods, note);
        }
        if let Some(annotation) = &annotation {
            let limit = match framework {
                Framework::JUnit4 | Framework::JUnit4Before13 if test.must_end => {
                    format!("(timeout = {SECONDS_TO_END}000)")
                }
                _ => String::new(),
            };
            let _ = writeln!(methods, "    @{annotation}{limit}");
        }
        let access = if framework == Framework::JUnit5 { "" } else { "public " };
        let throws = match declares {
            Declares::Nothing => String::new(),
            Declares::Exception => format!(" throws {}", scope.class("java/lang/Exception")),
            Declares::Throwable => format!(" throws {}", scope.class("java/lang/Throwable")),
        };
        let _ = writeln!(methods, "    {access}void {}(){throws} {{", placed.method);
        for line in &lines {
            write_line(&mut methods, line);
        }
        methods.push_str("    }\n");
        let start = n_lines + 1;
        n_lines += methods[at..].matches('\n').count();
        let lines = start..n_lines;
        written.push(Placed { idx: placed.idx, method: placed.method.clone(), lines });
    }
    let mut text = format!("{MARK}\n");
    if !world.package.is_empty() {
        let _ = writeln!(text, "package {};\n", world.package.replace('/', "."));
    }
    let warnings: Vec<String> = scope.warnings().map(|warning| format!("\"{warning}\"")).collect();
    let suppress = (!warnings.is_empty()).then(|| scope.class("java/lang/SuppressWarnings"));
    let imports = scope.import_lines();
    if !imports.is_empty() {
        text.push_str(&imports);
        text.push('\n');
    }
    if let Some(suppress) = suppress {
        let _ = match warnings.as_slice() {
            [only] => writeln!(text, "@{suppress}({only})"),
            several => writeln!(text, "@{suppress}({{{}}})", several.join(", ")),
        };
    }
    let access = if framework == Framework::JUnit5 { "" } else { "public " };
    let parent = parent.map_or_else(String::new, |parent| format!(" extends {parent}"));
    let _ = writeln!(text, "{access}class {class}{parent} {{");
    let n_ahead = text.lines().count();
    for placed in &mut written {
        placed.lines = placed.lines.start + n_ahead + 1..placed.lines.end + n_ahead + 1;
    }
    text.push_str(&methods);
    text.push_str("}\n");
    SourceFile {
        path: format!("{internal}.java"),
        text,
        class: internal.replace('/', "."),
        tests: written,
    }
}

/// Names that no variable may have.
fn taken(mentioned: &BTreeSet<Arc<str>>) -> BTreeSet<String> {
    let mut taken: BTreeSet<String> = PACKAGE_ROOTS.iter().map(|&root| root.to_owned()).collect();
    for name in mentioned {
        let simple = simple_name(name).split('$').next().unwrap_or_default();
        taken.insert(simple.to_owned());
        if let Some((root, _)) = name.split_once('/') {
            taken.insert(root.to_owned());
        }
    }
    taken
}

/// A comment. What the compiler would read in it as an escape is taken apart.
fn write_note(text: &mut String, note: &str) {
    for line in note.split(['\n', '\r']) {
        let mut plain = String::new();
        for letter in line.replace("\\u", "\\ u").chars() {
            match letter {
                ' '..='~' => plain.push(letter),
                '\t' => plain.push(' '),
                control if control.is_control() => {}
                other => {
                    let mut units = [0; 2];
                    for unit in other.encode_utf16(&mut units) {
                        let _ = write!(plain, "\\u{unit:04x}");
                    }
                }
            }
        }
        let plain = plain.trim_end();
        let _ = writeln!(text, "    //{}{plain}", if plain.is_empty() { "" } else { " " });
    }
}

/// A line of a body, broken behind `=` or its outermost commas where it is long.
fn write_line(text: &mut String, line: &str) {
    const INDENT: &str = "        ";
    if line.is_empty() {
        text.push('\n');
        return;
    }
    if INDENT.len() + line.len() <= MOST_COLUMNS {
        let _ = writeln!(text, "{INDENT}{line}");
        return;
    }
    let inner = line.len() - line.trim_start().len();
    let deeper = format!("{INDENT}{}        ", &line[..inner]);
    if let Some((declared, value)) = split_assignment(line) {
        let _ = writeln!(text, "{INDENT}{declared} =");
        if deeper.len() + value.len() <= MOST_COLUMNS {
            let _ = writeln!(text, "{deeper}{value}");
            return;
        }
        write_pieces(text, &deeper, &format!("{deeper}        "), value);
        return;
    }
    write_pieces(text, INDENT, &deeper, line);
}

/// `Type name` and the value, where a line declares a variable.
fn split_assignment(line: &str) -> Option<(&str, &str)> {
    let (declared, value) = line.split_once(" = ")?;
    (!declared.contains(['(', '"', '\''])).then_some((declared, value))
}

/// Fills lines with what stands between the outermost commas; what is still too long is cut again.
fn write_pieces(text: &mut String, indent: &str, deeper: &str, line: &str) {
    let mut current = indent.to_owned();
    let mut n_pieces = 0;
    for piece in pieces(line) {
        if 0 < n_pieces && MOST_COLUMNS < current.len() + piece.trim_end().len() {
            write_current(text, &current, deeper, n_pieces);
            current = deeper.to_owned();
            n_pieces = 0;
        }
        current.push_str(if n_pieces == 0 { piece.trim_start() } else { piece });
        n_pieces += 1;
    }
    write_current(text, &current, deeper, n_pieces);
}

fn write_current(text: &mut String, line: &str, deeper: &str, n_pieces: usize) {
    let line = line.trim_end();
    let content = line.trim_start();
    let indent = &line[..line.len() - content.len()];
    if MOST_COLUMNS < line.len() && n_pieces == 1 && 1 < pieces(content).len() {
        write_pieces(text, indent, &format!("{deeper}        "), content);
    } else {
        let _ = writeln!(text, "{line}");
    }
}

/// A line cut behind those of its commas that are least deep in parentheses; literals stay whole.
fn pieces(line: &str) -> Vec<&str> {
    let mut commas = Vec::new();
    let mut depth = 0u32;
    let mut quote = None;
    let mut is_escaped = false;
    let bytes = line.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        match (quote, byte) {
            (Some(_), _) if is_escaped => is_escaped = false,
            (Some(_), b'\\') => is_escaped = true,
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'(' | b'{' | b'<') => depth += 1,
            (None, b')' | b'}') => depth = depth.saturating_sub(1),
            // Not the one of an arrow.
            (None, b'>') if at == 0 || bytes[at - 1] != b'-' => depth = depth.saturating_sub(1),
            // The one at the end cuts nothing off.
            (None, b',') if at + 1 < bytes.len() => commas.push((depth, at)),
            _ => {}
        }
    }
    let least = commas.iter().map(|(depth, _)| *depth).min();
    let mut found = Vec::new();
    let mut start = 0;
    for (depth, at) in commas {
        if Some(depth) == least {
            found.push(&line[start..=at]);
            start = at + 1;
        }
    }
    found.push(&line[start..]);
    found
}

#[cfg(test)]
mod tests {
    use super::write_line;

    fn check(line: &str, expected: &str) {
        let mut text = String::new();
        write_line(&mut text, line);
        assert_eq!(text, expected);
    }

    #[test]
    fn a_short_line_stays() {
        check("int number = 1;", "        int number = 1;\n");
    }

    #[test]
    fn a_long_declaration_is_broken_behind_its_equals_sign() {
        let class = "A".repeat(50);
        check(
            &format!("{class} {} = new {class}(1, 2);", "a".repeat(20)),
            &format!("        {class} {} =\n                new {class}(1, 2);\n", "a".repeat(20)),
        );
    }

    #[test]
    fn a_long_argument_before_others_is_broken_once() {
        let (long, short) = ("a".repeat(95), "b".repeat(50));
        check(
            &format!("go({long}, {short}, {short});"),
            &format!("        go({long},\n                {short},\n                {short});\n"),
        );
    }

    #[test]
    fn a_long_call_is_broken_behind_its_outermost_commas() {
        let name = "a".repeat(40);
        check(
            &format!("assertThrows({name}.class, () -> {name}.go('(', \"a, b\", {name}));"),
            &format!(
                "        assertThrows({name}.class,\n                () -> {name}.go('(', \"a, b\",\n                        {name}));\n"
            ),
        );
    }
}

//! Writes coverage as an lcov tracefile (geninfo(1)), which editors and coverage services read.
//!
//! Whether something ran is known, not how often: counts are 0 and 1.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::coverage::{Branch, Class};

/// What is known of one source file.
#[derive(Default)]
struct Source<'a> {
    functions: Vec<(u16, String, bool)>,
    branches: Vec<&'a Branch>,
    lines: BTreeMap<u16, bool>,
}

/// The tracefile; `prefix` stands before the paths of sources, which begin with their packages. Classes
/// without a source file or without line numbers are left out, since the format knows nothing else.
pub fn tracefile(classes: &[Class], prefix: &str) -> String {
    let mut sources: BTreeMap<String, Source<'_>> = BTreeMap::new();
    for class in classes {
        let Some(path) = class.source_path() else { continue };
        let source = sources.entry(path).or_default();
        for method in &class.methods {
            let Some(first) = method.first_line() else { continue };
            let name =
                format!("{}.{}{}", class.name.replace('/', "."), method.name, method.descriptor);
            source.functions.push((first, name, method.has_run()));
            source.branches.extend(method.branches.iter().filter(|branch| branch.line.is_some()));
            for &(line, covered) in &method.instructions {
                if let Some(line) = line {
                    *source.lines.entry(line).or_default() |= covered;
                }
            }
        }
    }
    let mut text = String::new();
    for (path, source) in &sources {
        write_source(&mut text, prefix, path, source);
    }
    text
}

fn write_source(text: &mut String, prefix: &str, path: &str, source: &Source<'_>) {
    let _ = writeln!(text, "TN:\nSF:{prefix}{path}");
    for (line, name, _) in &source.functions {
        let _ = writeln!(text, "FN:{line},{name}");
    }
    for (_, name, has_run) in &source.functions {
        let _ = writeln!(text, "FNDA:{},{name}", u8::from(*has_run));
    }
    let n_run = source.functions.iter().filter(|(_, _, has_run)| *has_run).count();
    let _ = writeln!(text, "FNF:{}\nFNH:{n_run}", source.functions.len());
    let (mut n_edges, mut n_taken) = (0, 0);
    for (block, branch) in source.branches.iter().enumerate() {
        // A branch that was never come to is told from one that never went this way.
        let was_met = branch.edges.iter().any(|&taken| taken);
        for (way, &taken) in branch.edges.iter().enumerate() {
            n_edges += 1;
            n_taken += usize::from(taken);
            let count = match (was_met, taken) {
                (false, _) => "-",
                (true, false) => "0",
                (true, true) => "1",
            };
            let line = branch.line.unwrap_or_default();
            let _ = writeln!(text, "BRDA:{line},{block},{way},{count}");
        }
    }
    let _ = writeln!(text, "BRF:{n_edges}\nBRH:{n_taken}");
    for (line, covered) in &source.lines {
        let _ = writeln!(text, "DA:{line},{}", u8::from(*covered));
    }
    let n_hit = source.lines.values().filter(|&&covered| covered).count();
    let _ = writeln!(text, "LF:{}\nLH:{n_hit}\nend_of_record", source.lines.len());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::example;

    #[test]
    fn a_tracefile_lists_functions_branches_and_lines_of_each_source() {
        let expected = "TN:\nSF:src/a/b/C.java\nFN:3,a.b.C<&\".<init>(I)V\nFN:8,a.b.C<&\".f()V\nFNDA:1,a.b.C<&\".<init>(I)V\n\
                        FNDA:0,a.b.C<&\".f()V\nFNF:2\nFNH:1\nBRDA:4,0,0,1\nBRDA:4,0,1,0\nBRDA:8,1,0,-\nBRDA:8,1,1,-\n\
                        BRDA:8,1,2,-\nBRF:5\nBRH:1\nDA:3,1\nDA:4,1\nDA:5,0\nDA:8,0\nLF:4\nLH:2\nend_of_record\n";
        assert_eq!(tracefile(&[example()], "src/"), expected);
    }

    #[test]
    fn a_class_without_a_source_file_is_left_out() {
        let class = Class { source: None, ..example() };
        assert_eq!(tracefile(&[class], ""), "");
    }
}

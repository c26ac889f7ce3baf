//! Writes coverage as the XML of JaCoCo (its DTD "Report 1.1"), which build servers read.
//!
//! Counters are summed as JaCoCo does: a class counts as covered as soon as one instruction ran; the
//! complexity of a method is one more than the ways that its branches add.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::coverage::{Class, Method};

/// Missed and covered ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counter {
    missed: usize,
    covered: usize,
}

impl Counter {
    fn add(&mut self, covered: bool) {
        if covered {
            self.covered += 1;
        } else {
            self.missed += 1;
        }
    }
}

impl std::ops::AddAssign for Counter {
    fn add_assign(&mut self, other: Counter) {
        self.missed += other.missed;
        self.covered += other.covered;
    }
}

/// The counters of an element, in the order in which they are written.
#[derive(Debug, Clone, Copy, Default)]
struct Counters {
    instruction: Counter,
    branch: Counter,
    line: Counter,
    complexity: Counter,
    method: Counter,
    class: Counter,
}

impl std::ops::AddAssign for Counters {
    fn add_assign(&mut self, other: Counters) {
        self.instruction += other.instruction;
        self.branch += other.branch;
        self.line += other.line;
        self.complexity += other.complexity;
        self.method += other.method;
        self.class += other.class;
    }
}

/// Instructions and branches of one line.
#[derive(Debug, Clone, Copy, Default)]
struct Line {
    instruction: Counter,
    branch: Counter,
}

/// The report: packages, classes, methods, sources with their lines, counters.
pub fn report(name: &str, classes: &[Class]) -> String {
    let mut packages: BTreeMap<&str, Vec<&Class>> = BTreeMap::new();
    for class in classes {
        packages.entry(class.package()).or_default().push(class);
    }
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<!DOCTYPE report PUBLIC \"-//JACOCO//DTD \
         Report 1.1//EN\" \"report.dtd\">\n",
    );
    let _ = writeln!(text, "<report name=\"{}\">", escaped(name));
    let mut sum = Counters::default();
    for (name, classes) in &packages {
        sum += package(&mut text, name, classes);
    }
    counters(&mut text, 1, &sum);
    text.push_str("</report>\n");
    text
}

fn package(text: &mut String, name: &str, classes: &[&Class]) -> Counters {
    let _ = writeln!(text, "  <package name=\"{}\">", escaped(name));
    let mut sum = Counters::default();
    let mut sources: BTreeMap<&str, (BTreeMap<u16, Line>, Counters)> = BTreeMap::new();
    for class in classes {
        let counted = write_class(text, class);
        sum += counted;
        if let Some(source) = &class.source {
            let (lines, counters) = sources.entry(source).or_default();
            *counters += counted;
            class.methods.iter().for_each(|method| add_lines(lines, method));
        }
    }
    for (name, (lines, mut of_source)) in sources {
        let _ = writeln!(text, "    <sourcefile name=\"{}\">", escaped(name));
        of_source.line = Counter::default();
        for (number, line) in &lines {
            of_source.line.add(line.instruction.covered > 0);
            let _ = writeln!(
                text,
                "      <line nr=\"{number}\" mi=\"{}\" ci=\"{}\" mb=\"{}\" cb=\"{}\"/>",
                line.instruction.missed,
                line.instruction.covered,
                line.branch.missed,
                line.branch.covered
            );
        }
        counters(text, 3, &of_source);
        text.push_str("    </sourcefile>\n");
    }
    counters(text, 2, &sum);
    text.push_str("  </package>\n");
    sum
}

fn write_class(text: &mut String, class: &Class) -> Counters {
    let _ = write!(text, "    <class name=\"{}\"", escaped(&class.name));
    if let Some(source) = &class.source {
        let _ = write!(text, " sourcefilename=\"{}\"", escaped(source));
    }
    text.push_str(">\n");
    let mut sum = Counters::default();
    let mut lines = BTreeMap::new();
    for method in &class.methods {
        let counted = count(method);
        sum += counted;
        add_lines(&mut lines, method);
        let (name, descriptor) = (escaped(&method.name), escaped(&method.descriptor));
        let _ = write!(text, "      <method name=\"{name}\" desc=\"{descriptor}\"");
        if let Some(line) = method.first_line() {
            let _ = write!(text, " line=\"{line}\"");
        }
        text.push_str(">\n");
        counters(text, 4, &counted);
        text.push_str("      </method>\n");
    }
    sum.line = Counter::default();
    lines.values().for_each(|line| sum.line.add(line.instruction.covered > 0));
    if !class.methods.is_empty() {
        sum.class.add(sum.instruction.covered > 0);
    }
    counters(text, 3, &sum);
    text.push_str("    </class>\n");
    sum
}

fn count(method: &Method) -> Counters {
    let mut sum = Counters::default();
    let mut lines = BTreeMap::new();
    add_lines(&mut lines, method);
    lines.values().for_each(|line| sum.line.add(line.instruction.covered > 0));
    method.instructions.iter().for_each(|&(_, covered)| sum.instruction.add(covered));
    sum.method.add(method.has_run());
    sum.complexity.add(method.has_run());
    for branch in &method.branches {
        branch.edges.iter().for_each(|&covered| sum.branch.add(covered));
        let n_taken = branch.edges.iter().filter(|&&covered| covered).count();
        let covered = n_taken.saturating_sub(1);
        let missed = branch.edges.len().saturating_sub(covered + 1);
        sum.complexity += Counter { missed, covered };
    }
    sum
}

fn add_lines(lines: &mut BTreeMap<u16, Line>, method: &Method) {
    for &(line, covered) in &method.instructions {
        if let Some(line) = line {
            lines.entry(line).or_default().instruction.add(covered);
        }
    }
    for branch in &method.branches {
        let Some(line) = branch.line.and_then(|line| lines.get_mut(&line)) else { continue };
        branch.edges.iter().for_each(|&covered| line.branch.add(covered));
    }
}

fn counters(text: &mut String, depth: usize, counters: &Counters) {
    let all = [
        ("INSTRUCTION", counters.instruction),
        ("BRANCH", counters.branch),
        ("LINE", counters.line),
        ("COMPLEXITY", counters.complexity),
        ("METHOD", counters.method),
        ("CLASS", counters.class),
    ];
    for (name, Counter { missed, covered }) in all {
        if missed + covered > 0 {
            let indent = "  ".repeat(depth);
            let _ = writeln!(
                text,
                "{indent}<counter type=\"{name}\" missed=\"{missed}\" covered=\"{covered}\"/>"
            );
        }
    }
}

/// Text as an attribute's value; what XML cannot say becomes a replacement character.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(escaped, "&#{};", u32::from(character));
            }
            '\0'..' ' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::example;

    #[test]
    fn a_report_has_the_elements_of_the_dtd_in_its_order() {
        let expected = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN" "report.dtd">
<report name="all &amp; more">
  <package name="a/b">
    <class name="a/b/C&lt;&amp;&quot;" sourcefilename="C.java">
      <method name="&lt;init&gt;" desc="(I)V" line="3">
        <counter type="INSTRUCTION" missed="1" covered="3"/>
        <counter type="BRANCH" missed="1" covered="1"/>
        <counter type="LINE" missed="1" covered="2"/>
        <counter type="COMPLEXITY" missed="1" covered="1"/>
        <counter type="METHOD" missed="0" covered="1"/>
      </method>
      <method name="f" desc="()V" line="8">
        <counter type="INSTRUCTION" missed="2" covered="0"/>
        <counter type="BRANCH" missed="3" covered="0"/>
        <counter type="LINE" missed="1" covered="0"/>
        <counter type="COMPLEXITY" missed="3" covered="0"/>
        <counter type="METHOD" missed="1" covered="0"/>
      </method>
      <counter type="INSTRUCTION" missed="3" covered="3"/>
      <counter type="BRANCH" missed="4" covered="1"/>
      <counter type="LINE" missed="2" covered="2"/>
      <counter type="COMPLEXITY" missed="4" covered="1"/>
      <counter type="METHOD" missed="1" covered="1"/>
      <counter type="CLASS" missed="0" covered="1"/>
    </class>
    <sourcefile name="C.java">
      <line nr="3" mi="0" ci="2" mb="0" cb="0"/>
      <line nr="4" mi="0" ci="1" mb="1" cb="1"/>
      <line nr="5" mi="1" ci="0" mb="0" cb="0"/>
      <line nr="8" mi="1" ci="0" mb="3" cb="0"/>
      <counter type="INSTRUCTION" missed="3" covered="3"/>
      <counter type="BRANCH" missed="4" covered="1"/>
      <counter type="LINE" missed="2" covered="2"/>
      <counter type="COMPLEXITY" missed="4" covered="1"/>
      <counter type="METHOD" missed="1" covered="1"/>
      <counter type="CLASS" missed="0" covered="1"/>
    </sourcefile>
    <counter type="INSTRUCTION" missed="3" covered="3"/>
    <counter type="BRANCH" missed="4" covered="1"/>
    <counter type="LINE" missed="2" covered="2"/>
    <counter type="COMPLEXITY" missed="4" covered="1"/>
    <counter type="METHOD" missed="1" covered="1"/>
    <counter type="CLASS" missed="0" covered="1"/>
  </package>
  <counter type="INSTRUCTION" missed="3" covered="3"/>
  <counter type="BRANCH" missed="4" covered="1"/>
  <counter type="LINE" missed="2" covered="2"/>
  <counter type="COMPLEXITY" missed="4" covered="1"/>
  <counter type="METHOD" missed="1" covered="1"/>
  <counter type="CLASS" missed="0" covered="1"/>
</report>
"#;
        assert_eq!(report("all & more", &[example()]), expected);
    }
}

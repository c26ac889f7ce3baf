//! An assessment for people.

use std::fmt::Write;

use classfile::{FieldType, MethodDescriptor};
use observe::assessment::{Assessment, Beyond, Distinct, Edge, Executions};
use observe::coverage::{ClassCoverage, Ratio};
use observe::junit::Outcome;
use observe::mutation::{Escaped, Fate, Mutant, Verdict};
use observe::state::technique::Technique;

use crate::counted::{counted, verb};
use crate::minimize::{too_large, why_not};

/// One suite.
pub(super) fn one(assessed: &Assessment) -> String {
    let mut text = String::new();
    write_tests(&mut text, assessed);
    write_coverage(&mut text, assessed);
    write_exceptions(&mut text, assessed);
    write_executions(&mut text, assessed);
    write_mutants(&mut text, assessed);
    text
}

/// Two suites: their sums side by side, and what only one of them has.
pub(super) fn two(names: &[&str], first: &Assessment, second: &Assessment) -> String {
    let mut text = String::new();
    let mut rows: Vec<(&str, [String; 2])> = Vec::new();
    let mut row = |what, cells: [String; 2]| rows.push((what, cells));
    let both = |show: &dyn Fn(&Assessment) -> String| [show(first), show(second)];
    row("", [names[0].to_owned(), names[1].to_owned()]);
    row("tests", both(&|suite| suite.report.counts().all().to_string()));
    row("failed", both(&|suite| suite.report.counts().failed.to_string()));
    row("lines", both(&|suite| shown(suite.coverage.lines())));
    row("branches", both(&|suite| shown(suite.coverage.branches())));
    row("exceptions", both(&|suite| suite.exceptions.len().to_string()));
    row("executions", both(&|suite| figure(suite, &|all| all.total.to_string())));
    for (idx, technique) in Technique::ALL.iter().enumerate() {
        let distinct = |suite: &Assessment| {
            figure(suite, &|all| {
                let Distinct { executions, states, .. } = all.techniques[idx];
                format!("{executions} in {}", counted(states, "state"))
            })
        };
        row(technique.name(), both(&distinct));
    }
    if first.mutants.is_some() {
        let score = |suite: &Assessment| {
            suite.mutant_counts().map_or(String::new(), |counts| shown(counts.score()))
        };
        row("mutants", both(&score));
    }
    let width = |idx: usize| rows.iter().map(|(_, cells)| cells[idx].chars().count()).max();
    let [left, right] = [0, 1].map(|idx| width(idx).unwrap_or(0));
    for (what, cells) in &rows {
        let _ = writeln!(text, "{what:<15}  {:>left$}  {:>right$}", cells[0], cells[1]);
    }
    for (name, suite) in names.iter().zip([first, second]) {
        let mut failed = String::new();
        write_failed(&mut failed, suite);
        if !failed.is_empty() {
            let _ = write!(text, "\nin {name}\n{failed}");
        }
    }
    write_beyond(&mut text, names[0], &first.beyond(second));
    write_beyond(&mut text, names[1], &second.beyond(first));
    text
}

fn write_tests(text: &mut String, assessed: &Assessment) {
    let counts = assessed.report.counts();
    let _ = write!(
        text,
        "{}: {} passed, {} failed, {} skipped",
        counted(counts.all(), "test"),
        counts.passed,
        counts.failed,
        counts.skipped
    );
    if counts.not_run > 0 {
        let _ = write!(text, ", {} not run", counts.not_run);
    }
    text.push('\n');
    write_failed(text, assessed);
}

/// A line for each test that failed, and why.
fn write_failed(text: &mut String, assessed: &Assessment) {
    for (idx, node) in assessed.report.nodes.iter().enumerate() {
        let why = match &node.outcome {
            Outcome::Failed(failures) => failures.first().map(|failure| match &failure.message {
                Some(message) => {
                    format!("{}: {}", failure.class, message.lines().next().unwrap_or_default())
                }
                None => failure.class.clone(),
            }),
            Outcome::Stopped(stop) if node.is_test => Some(crate::run::reason(stop)),
            _ => None,
        };
        if let Some(why) = why {
            let class = assessed.report.class_of(idx).unwrap_or_default();
            let why = why.lines().next().unwrap_or_default();
            let _ = writeln!(text, "  FAILED   {class}: {}: {why}", node.name);
        }
    }
}

fn write_coverage(text: &mut String, assessed: &Assessment) {
    let coverage = &assessed.coverage;
    let rows: Vec<(String, Ratio, Ratio)> = coverage
        .classes
        .iter()
        .flat_map(|class| {
            let whole = (class.name.replace('/', "."), class.lines(), class.branches());
            let methods = class.methods.iter().map(|method| {
                let name = signature(class, &method.name, &method.descriptor);
                (format!("  {name}"), method.covered_lines(), method.branches())
            });
            std::iter::once(whole).chain(methods).collect::<Vec<_>>()
        })
        .chain([("all classes".to_owned(), coverage.lines(), coverage.branches())])
        .collect();
    let width = rows.iter().map(|(name, _, _)| name.chars().count()).max().unwrap_or(0);
    let _ = writeln!(text, "\n{:<width$} {:>18} {:>18}", "coverage", "lines", "branches");
    for (name, lines, branches) in rows {
        let _ = writeln!(text, "{name:<width$} {:>18} {:>18}", shown(lines), shown(branches));
    }
}

fn write_exceptions(text: &mut String, assessed: &Assessment) {
    let n_exceptions = assessed.exceptions.len();
    let exceptions = counted(n_exceptions, "distinct exception");
    let leave = verb(n_exceptions, "leaves", "leave");
    let _ = writeln!(text, "\n{exceptions} {leave} the classes under test");
    for escaped in &assessed.exceptions {
        let _ = writeln!(text, "  {}", exception(escaped));
    }
}

/// A figure of the method executions, or a dash where they could not be counted.
fn figure(assessed: &Assessment, show: &dyn Fn(&Executions) -> String) -> String {
    assessed.executions.as_ref().map_or_else(|_| "-".to_owned(), show)
}

fn write_executions(text: &mut String, assessed: &Assessment) {
    let executions = match &assessed.executions {
        Ok(executions) => executions,
        Err(why) => {
            let _ = writeln!(text, "\nmethod executions: not counted, {}", why_not(why));
            return;
        }
    };
    let _ = writeln!(
        text,
        "\n{:<17} {:>18} {:>18}",
        counted(executions.total, "execution"),
        "distinct",
        "states"
    );
    for distinct in &executions.techniques {
        let Distinct { technique, executions, states } = distinct;
        let _ = writeln!(text, "  {:<15} {executions:>18} {states:>18}", technique.name());
    }
    if !executions.fallen_back.is_empty() {
        let _ =
            writeln!(text, "  without an equals that helps: {}", executions.fallen_back.join(", "));
    }
    if !executions.too_large.is_empty() {
        let _ = writeln!(text, "  {}: {}", too_large(), executions.too_large.join(", "));
    }
}

fn write_mutants(text: &mut String, assessed: &Assessment) {
    let (Some(counts), Some(mutants)) = (assessed.mutant_counts(), &assessed.mutants) else {
        return;
    };
    let _ = write!(text, "\nmutants: {} killed", shown(counts.score()));
    let others = [
        ("survived", counts.survived),
        ("not covered", counts.not_covered),
        ("undecided", counts.undecided),
        ("invalid and left out", counts.invalid),
    ];
    for (what, count) in others {
        if count > 0 {
            let _ = write!(text, ", {count} {what}");
        }
    }
    text.push('\n');
    let mut last = None;
    for (mutant, verdict) in mutants {
        if matches!(verdict.fate, Fate::Killed | Fate::Invalid(_)) {
            continue;
        }
        let method = (&mutant.class, &mutant.method, &mutant.descriptor);
        if last != Some(method) {
            let _ = writeln!(text, "  {}", method_of(mutant));
            last = Some(method);
        }
        let _ = writeln!(text, "    {} ({})", mutant.description(), fate(verdict));
    }
}

fn write_beyond(text: &mut String, name: &str, beyond: &Beyond) {
    let _ = writeln!(text, "\nonly {name}");
    if *beyond == Beyond::default() {
        text.push_str("  nothing\n");
    }
    for (class, lines) in &beyond.lines {
        let _ = writeln!(text, "  lines       {} {}", class.replace('/', "."), ranges(lines));
    }
    for edge in &beyond.branches {
        let _ = writeln!(text, "  branch      {}", shown_edge(edge));
    }
    for escaped in &beyond.exceptions {
        let _ = writeln!(text, "  exception   {}", exception(escaped));
    }
    for mutant in &beyond.mutants {
        let _ = writeln!(text, "  mutant      {} {}", method_of(mutant), mutant.description());
    }
}

fn shown_edge(edge: &Edge) -> String {
    let class = edge.class.replace('/', ".");
    let simple = class.rsplit(['.', '$']).next().unwrap_or(&class);
    let place = match edge.line {
        Some(line) => format!("line {line}"),
        None => "unknown line".to_owned(),
    };
    let way = edge.edge + 1;
    let method = readable(simple, &edge.method, &edge.descriptor);
    format!("{class}.{method} {place}, way {way} of {}", edge.n_edges)
}

fn exception(escaped: &Escaped) -> String {
    let class = escaped.class.replace('/', ".");
    let simple = class.rsplit(['.', '$']).next().unwrap_or(&class);
    let method = readable(simple, &escaped.method, &escaped.descriptor);
    format!("{} from {class}.{method}", escaped.exception)
}

fn method_of(mutant: &Mutant) -> String {
    let class = mutant.class.replace('/', ".");
    let simple = class.rsplit(['.', '$']).next().unwrap_or(&class);
    format!("{class}.{}", readable(simple, &mutant.method, &mutant.descriptor))
}

fn fate(verdict: &Verdict) -> String {
    match &verdict.fate {
        Fate::Killed => "killed".to_owned(),
        Fate::NotCovered => "not covered".to_owned(),
        Fate::Survived => format!("survived, run by {}", counted(verdict.n_trials, "test")),
        Fate::Undecided(reason) => {
            format!("undecided: {}", reason.lines().next().unwrap_or_default())
        }
        Fate::Invalid(_) => "invalid".to_owned(),
    }
}

fn shown(ratio: Ratio) -> String {
    let Ratio { covered, total } = ratio;
    if total == 0 {
        return "-".to_owned();
    }
    // Rounded down, so that only all is 100 %.
    format!("{covered}/{total} {:>3} %", covered * 100 / total)
}

/// `3-5, 9`.
fn ranges(lines: &[u16]) -> String {
    let mut parts: Vec<(u16, u16)> = Vec::new();
    for &line in lines {
        match parts.last_mut() {
            Some((_, end)) if *end + 1 == line => *end = line,
            _ => parts.push((line, line)),
        }
    }
    let part = |&(start, end): &(u16, u16)| {
        if start == end { start.to_string() } else { format!("{start}-{end}") }
    };
    parts.iter().map(part).collect::<Vec<_>>().join(", ")
}

fn signature(class: &ClassCoverage, name: &str, descriptor: &str) -> String {
    let simple = class.name.rsplit(['/', '$']).next().unwrap_or(&class.name);
    readable(simple, name, descriptor)
}

/// A method as its declaration names it: `add(int, String)`.
fn readable(simple_class: &str, name: &str, descriptor: &str) -> String {
    let name = match name {
        "<clinit>" => return "static { }".to_owned(),
        "<init>" => simple_class,
        name => name,
    };
    let Some(parsed) = MethodDescriptor::parse(descriptor.as_bytes()) else {
        return format!("{name}{descriptor}");
    };
    let params: Vec<String> = parsed.params().map(type_name).collect();
    format!("{name}({})", params.join(", "))
}

fn type_name(of: FieldType<'_>) -> String {
    match of {
        FieldType::Byte => "byte".to_owned(),
        FieldType::Char => "char".to_owned(),
        FieldType::Double => "double".to_owned(),
        FieldType::Float => "float".to_owned(),
        FieldType::Int => "int".to_owned(),
        FieldType::Long => "long".to_owned(),
        FieldType::Short => "short".to_owned(),
        FieldType::Boolean => "boolean".to_owned(),
        FieldType::Object(name) => {
            let name = classfile::mutf8::display(name);
            name.rsplit(['/', '$']).next().unwrap_or(&name).to_owned()
        }
        FieldType::Array(_) => match of.element() {
            Some(element) => format!("{}[]", type_name(element)),
            None => "[]".to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_shown_as_they_are_declared() {
        assert_eq!(readable("C", "add", "(I[[Ljava/lang/String;)V"), "add(int, String[][])");
        assert_eq!(readable("C", "<init>", "(La/B$D;)V"), "C(D)");
        assert_eq!(readable("C", "<clinit>", "()V"), "static { }");
    }

    #[test]
    fn lines_in_a_row_are_one_range() {
        assert_eq!(ranges(&[1, 3, 4, 5, 9]), "1, 3-5, 9");
    }
}

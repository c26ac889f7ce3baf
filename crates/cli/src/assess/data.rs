//! An assessment for programs.

use emit::json::Json;
use observe::assessment::{Assessment, Beyond};
use observe::coverage::{ClassCoverage, Ratio};
use observe::mutation::{Escaped, Fate, Mutant, Verdict};

/// One suite.
pub(super) fn one(assessed: &Assessment) -> Json {
    let mut members = vec![("version", Json::Number(1))];
    members.extend(summary(assessed));
    members.push(("classes", Json::List(assessed.coverage.classes.iter().map(class).collect())));
    members.push(("exceptions", Json::List(assessed.exceptions.iter().map(exception).collect())));
    if let Some(mutants) = &assessed.mutants {
        let list = mutants.iter().map(|(mutant, verdict)| judged(mutant, verdict)).collect();
        members.push(("mutants", Json::List(list)));
    }
    Json::Object(members)
}

/// Two suites: their sums, and what only one of them has.
pub(super) fn two(names: &[&str], first: &Assessment, second: &Assessment) -> Json {
    let suite = |name: &str, own: &Assessment, other: &Assessment| {
        let mut members = vec![("tests", Json::text(name))];
        members.extend(summary(own));
        members.push(("only", beyond(&own.beyond(other))));
        Json::Object(members)
    };
    let suites = vec![suite(names[0], first, second), suite(names[1], second, first)];
    Json::Object(vec![("version", Json::Number(1)), ("suites", Json::List(suites))])
}

fn summary(assessed: &Assessment) -> Vec<(&'static str, Json)> {
    let counts = assessed.report.counts();
    let outcomes = Json::Object(vec![
        ("tests", Json::Number(counts.all())),
        ("passed", Json::Number(counts.passed)),
        ("failed", Json::Number(counts.failed)),
        ("skipped", Json::Number(counts.skipped)),
        ("notRun", Json::Number(counts.not_run)),
    ]);
    let coverage = Json::Object(vec![
        ("lines", ratio(assessed.coverage.lines())),
        ("branches", ratio(assessed.coverage.branches())),
    ]);
    let mut members = vec![("summary", outcomes), ("coverage", coverage)];
    members.push(("executions", executions(assessed)));
    if let Some(counts) = assessed.mutant_counts() {
        let score = Json::Object(vec![
            ("killed", Json::Number(counts.killed)),
            ("survived", Json::Number(counts.survived)),
            ("notCovered", Json::Number(counts.not_covered)),
            ("undecided", Json::Number(counts.undecided)),
            ("invalid", Json::Number(counts.invalid)),
        ]);
        members.push(("mutation", score));
    }
    members
}

fn executions(assessed: &Assessment) -> Json {
    let executions = match &assessed.executions {
        Ok(executions) => executions,
        Err(why) => {
            return Json::Object(vec![("reason", Json::text(crate::minimize::why_not(why)))]);
        }
    };
    let techniques = executions.techniques.iter().map(|distinct| {
        Json::Object(vec![
            ("technique", Json::text(distinct.technique.name())),
            ("distinct", Json::Number(distinct.executions)),
            ("states", Json::Number(distinct.states)),
        ])
    });
    Json::Object(vec![
        ("total", Json::Number(usize::try_from(executions.total).unwrap_or(usize::MAX))),
        ("techniques", Json::List(techniques.collect())),
        ("withoutEquals", Json::List(executions.fallen_back.iter().map(Json::text).collect())),
        ("tooLargeForEquals", Json::List(executions.too_large.iter().map(Json::text).collect())),
    ])
}

fn class(class: &ClassCoverage) -> Json {
    let methods = class.methods.iter().map(|method| {
        Json::Object(vec![
            ("name", Json::text(&method.name)),
            ("descriptor", Json::text(&method.descriptor)),
            ("lines", ratio(method.covered_lines())),
            ("branches", ratio(method.branches())),
        ])
    });
    Json::Object(vec![
        ("name", Json::text(class.name.replace('/', "."))),
        ("source", Json::optional(class.source.as_ref())),
        ("lines", ratio(class.lines())),
        ("branches", ratio(class.branches())),
        ("methods", Json::List(methods.collect())),
    ])
}

fn ratio(ratio: Ratio) -> Json {
    Json::Object(vec![
        ("covered", Json::Number(ratio.covered)),
        ("total", Json::Number(ratio.total)),
    ])
}

fn exception(escaped: &Escaped) -> Json {
    Json::Object(vec![
        ("exception", Json::text(&escaped.exception)),
        ("class", Json::text(escaped.class.replace('/', "."))),
        ("method", Json::text(&escaped.method)),
        ("descriptor", Json::text(&escaped.descriptor)),
    ])
}

fn mutant(mutant: &Mutant) -> Vec<(&'static str, Json)> {
    vec![
        ("class", Json::text(mutant.class.replace('/', "."))),
        ("method", Json::text(&mutant.method)),
        ("descriptor", Json::text(&mutant.descriptor)),
        ("bci", Json::Number(usize::from(mutant.bci))),
        ("line", line(mutant.line)),
        ("operator", Json::text(mutant.operator.name())),
        ("change", Json::text(&mutant.change)),
    ]
}

fn judged(of: &Mutant, verdict: &Verdict) -> Json {
    let mut members = mutant(of);
    let (fate, reason) = match &verdict.fate {
        Fate::Killed => ("killed", verdict.reason.as_ref()),
        Fate::Survived => ("survived", None),
        Fate::NotCovered => ("not-covered", None),
        Fate::Undecided(reason) => ("undecided", Some(reason)),
        Fate::Invalid(reason) => ("invalid", Some(reason)),
    };
    members.push(("fate", Json::text(fate)));
    members.push(("reason", Json::optional(reason)));
    members.push(("trials", Json::Number(verdict.n_trials)));
    members.push(("killers", Json::List(verdict.killers.iter().map(Json::text).collect())));
    Json::Object(members)
}

fn beyond(beyond: &Beyond) -> Json {
    let lines = beyond.lines.iter().map(|(class, lines)| {
        let lines = lines.iter().map(|&line| Json::Number(usize::from(line))).collect();
        Json::Object(vec![
            ("class", Json::text(class.replace('/', "."))),
            ("lines", Json::List(lines)),
        ])
    });
    let branches = beyond.branches.iter().map(|edge| {
        Json::Object(vec![
            ("class", Json::text(edge.class.replace('/', "."))),
            ("method", Json::text(&edge.method)),
            ("descriptor", Json::text(&edge.descriptor)),
            ("line", line(edge.line)),
            ("edge", Json::Number(edge.edge)),
            ("edges", Json::Number(edge.n_edges)),
        ])
    });
    let mutants = beyond.mutants.iter().map(|of| Json::Object(mutant(of)));
    Json::Object(vec![
        ("lines", Json::List(lines.collect())),
        ("branches", Json::List(branches.collect())),
        ("exceptions", Json::List(beyond.exceptions.iter().map(exception).collect())),
        ("mutants", Json::List(mutants.collect())),
    ])
}

fn line(line: Option<u16>) -> Json {
    line.map_or(Json::Null, |line| Json::Number(usize::from(line)))
}

//! What random generation finds in `java.util` of the installed JDK, tried on `java`, with what we think of it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::random::{Finding, Tool, findings};
use crate::json::Json;

const JUDGEMENTS: &str = "fixtures/judgements/java-util.txt";
/// Sequences; the same ones on any machine that is done with them in time.
const SEQUENCES: &str = "300000";
const TIME: &str = "600s";
const OUTPUT: &str = "target/java-util-findings";
/// What is written where a finding is new.
const UNJUDGED: &str = "not judged yet";

/// Judgements by contract, class, method and place.
fn judgements(text: &str) -> BTreeMap<[&str; 4], &str> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let parts = lines.filter_map(|line| {
        let mut parts = line.splitn(5, '|').map(str::trim);
        let key = [parts.next()?, parts.next()?, parts.next()?, parts.next()?];
        Some((key, parts.next()?))
    });
    parts.collect()
}

fn key(finding: &Finding) -> [&str; 4] {
    [&finding.contract, &finding.class, &finding.method, &finding.place]
}

pub(super) fn section(tool: &Tool<'_>) -> Result<String, String> {
    let known =
        std::fs::read_to_string(JUDGEMENTS).map_err(|error| format!("{JUDGEMENTS}: {error}"))?;
    let known = judgements(&known);
    // No regression tests, which take long; those that fail are written, compiled and run on `java`.
    let json = tool.run(&[
        "--package",
        "java.util.*",
        "--seed",
        "1",
        "--max-sequences",
        SEQUENCES,
        "--time",
        TIME,
        "--output",
        OUTPUT,
        "--max-tests",
        "0",
    ])?;
    let mut findings = findings(&json);
    findings.sort_by(|one, other| (&one.severity, key(one)).cmp(&(&other.severity, key(other))));
    let n_shown: f64 =
        json.list("files").iter().map(|file| file.number("tests").unwrap_or_default()).sum();
    let mut text = format!(
        "### java.util\n\n{SEQUENCES} sequences are drawn from the package of the installed JDK with \
         `--seed 1`; {} of them are put together and new. {} findings; {n_shown} tests that show them are \
         compiled and fail on `java` as well. Judgements are in {JUDGEMENTS}.\n\n\
         | contract | method | where | what | calls | judgement |\n|---|---|---|---|---|---|\n",
        json.number("sequences")?,
        findings.len(),
    );
    for finding in &findings {
        let judgement = known.get(&key(finding)).copied().unwrap_or(UNJUDGED);
        let message = finding.message.replace('|', "\\|").replace('\n', " ");
        let _ = writeln!(
            text,
            "| {} | {} | {} | {message} | {} | {judgement} |",
            finding.contract, finding.method, finding.place, finding.length
        );
    }
    for one in json.list("disagreements") {
        let name = |part: &str| Json::text(one, part).to_owned();
        let _ = writeln!(
            text,
            "\nNot so on `java`: {}.{}: {}",
            name("class"),
            name("method"),
            name("reason")
        );
    }
    super::super::bench::say(&text);
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::{UNJUDGED, judgements};

    #[test]
    fn judgements_are_found_by_contract_class_method_and_place() {
        let known = judgements("# head\nequals-null | a.B | a.B.c(int, d.E) | | fine, a | b\n");
        let key = ["equals-null", "a.B", "a.B.c(int, d.E)", ""];
        assert_eq!(known.get(&key), Some(&"fine, a | b"));
    }

    #[test]
    fn every_finding_on_the_page_is_judged() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/experiments.md");
        let page = std::fs::read_to_string(page).expect("the page");
        let unjudged: Vec<&str> = page.lines().filter(|line| line.contains(UNJUDGED)).collect();
        assert!(unjudged.is_empty(), "{unjudged:#?}");
    }
}

//! What a campaign came to, for people and for programs.

use std::collections::BTreeMap;
use std::fmt::Write;

use ::generate::random::{Campaign, Finding};
use emit::json::Json;
use observe::contract::Severity;
use observe::state::technique::Technique;

use super::Outcome;
use super::budget::{Spent, most_taken};
use super::offered::Offered;
use super::telling::Faults;
use crate::agreement::Checked;
use crate::counted::counted;
use crate::left_out;
use crate::options::GenerateOptions;

/// Calls that were never made, shown to people at most.
const MOST_SHOWN: usize = 20;

pub(super) fn human(options: &GenerateOptions, outcome: &Outcome) -> String {
    let mut text = String::new();
    let campaign = &outcome.campaign;
    let counts = &campaign.counts;
    let seconds = campaign.time.as_secs_f64().max(0.001);
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    let rate = counts.sequences as f64 / seconds;
    let _ = writeln!(
        text,
        "{} in {seconds:.1} s ({rate:.0} per second): {} kept, {} redundant, {} illegal, {} broke a contract",
        counted(counts.sequences, "sequence"),
        counts.kept,
        counts.redundant + counts.duplicates,
        counts.illegal,
        counts.errors
    );
    let (covered, all) = campaign.branches;
    let n_called = campaign.calls.iter().filter(|call| call.reason.is_none()).count();
    let _ = writeln!(
        text,
        "{}, {n_called} of {} called, {covered} of {} taken",
        counted(campaign.classes.len(), "class"),
        counted(campaign.calls.len(), "method"),
        counted(all, "branch")
    );
    if let Some(offered) = &outcome.offered {
        states(&mut text, campaign, offered);
    }
    for (class, reason) in campaign.refused.iter().take(MOST_SHOWN) {
        let reason = reason.lines().next().unwrap_or_default();
        let _ = writeln!(text, "  not tested: {}: {reason}", class.replace('/', "."));
    }
    more(&mut text, campaign.refused.len(), "not tested", "class");
    let uncalled: Vec<_> = campaign
        .calls
        .iter()
        .filter_map(|call| Some((&call.method, call.reason.as_ref()?)))
        .collect();
    for (method, reason) in uncalled.iter().take(MOST_SHOWN) {
        let _ = writeln!(text, "  not called: {method}: {reason}");
    }
    more(&mut text, uncalled.len(), "not called", "method");
    findings(&mut text, &outcome.findings);
    if outcome.n_unstable > 0 {
        let _ = writeln!(
            text,
            "  dropped: {} that did not show again in every world",
            counted(outcome.n_unstable, "finding")
        );
    }
    differences(&mut text, outcome);
    tests(&mut text, options, outcome);
    memory(&mut text, options, campaign);
    let Spent { search, findings, tests, real } = outcome.spent;
    let parts = [
        (search, "search"),
        (findings, "findings"),
        (tests, "choosing tests"),
        (real, "writing and checking them"),
    ];
    let said = parts.map(|(time, what)| format!("{:.1} s for {what}", time.as_secs_f64()));
    let _ = writeln!(text, "{}", said.join(", "));
    text
}

/// What there is to say of the states that were tried beside sequences.
fn states(text: &mut String, campaign: &Campaign, offered: &[Offered]) {
    let sum = |of: fn(&Offered) -> usize| offered.iter().map(of).sum::<usize>();
    let (n_states, n_calls) = (sum(|one| one.n_states), sum(|one| one.n_calls));
    let _ = writeln!(text, "{}, {} in them", counted(n_states, "state"), counted(n_calls, "call"));
    let untried = campaign.classes.iter().zip(offered);
    let untried: Vec<_> =
        untried.filter_map(|(class, one)| Some((class, one.reason.as_ref()?))).collect();
    for (class, reason) in untried.iter().take(MOST_SHOWN) {
        let reason = reason.lines().next().unwrap_or_default();
        let _ = writeln!(text, "  states not tried: {}: {reason}", class.replace('/', "."));
    }
    more(text, untried.len(), "states not tried", "class");
}

fn more(text: &mut String, n_all: usize, what: &str, one: &str) {
    if n_all > MOST_SHOWN {
        let others = counted(n_all - MOST_SHOWN, &format!("more {one}"));
        let _ = writeln!(text, "  {what}: {others}");
    }
}

/// What there is to say of the memory that was asked for.
fn memory(text: &mut String, options: &GenerateOptions, campaign: &Campaign) {
    let n_wanted = options.explore.n_workers();
    if campaign.n_workers < n_wanted && options.explore.technique != Technique::PairwiseEquals {
        let _ = writeln!(
            text,
            "memory was short: {} of {} worked to the end",
            campaign.n_workers,
            counted(n_wanted, "machine")
        );
    }
    let most = options.machine.memory;
    if let Some(taken) = most_taken().filter(|&taken| taken > most) {
        let _ = writeln!(
            text,
            "{} MB were taken, more than the {} MB of --memory: the classes need so much",
            taken >> 20,
            most >> 20
        );
    }
}

fn findings(text: &mut String, findings: &[Finding]) {
    if findings.is_empty() {
        let _ = writeln!(text, "no contract was broken");
        return;
    }
    let order = if findings.len() == 1 { "" } else { ", those to look at first in front" };
    let _ = writeln!(text, "{}{order}:", counted(findings.len(), "finding"));
    for (number, finding) in findings.iter().enumerate() {
        let broken = &finding.broken;
        let severity = match broken.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let place = match &broken.place {
            Some(place) => format!(", in {place}"),
            None => String::new(),
        };
        let _ = writeln!(
            text,
            "  {}. {severity} {}: {} ({}, shortest {}{place})",
            number + 1,
            broken.contract,
            broken.message,
            counted(finding.count, "sequence"),
            counted(finding.sequence.len(), "call")
        );
    }
}

fn differences(text: &mut String, outcome: &Outcome) {
    let Some(differences) = &outcome.differences else { return };
    if differences.is_empty() {
        let _ = writeln!(text, "no sequence tells the two versions apart");
        return;
    }
    let _ =
        writeln!(text, "{} between the two versions:", counted(differences.len(), "difference"));
    for difference in differences {
        let (here, there) = &difference.behaviours;
        let _ = writeln!(text, "  {}: here {here}; there {there}", difference.method);
    }
}

fn tests(text: &mut String, options: &GenerateOptions, outcome: &Outcome) {
    let check = |ends| if options.no_verify { Checked::No } else { ends };
    let groups = [
        (&outcome.regression, check(Checked::Passes)),
        (&outcome.versions, check(Checked::PassesHere)),
        (&outcome.errors, check(Checked::Fails)),
    ];
    for (written, checked) in groups {
        for one in written {
            for source in &one.sources {
                let path = options.output.join(&source.path);
                let tests = checked.tests(source.tests.len());
                let _ = writeln!(text, "  {}: {tests}", path.display());
            }
            if let Some(Faults { noticed, all }) = one.faults.filter(|_| !one.sources.is_empty()) {
                let _ = writeln!(text, "  they notice {noticed} of {}", counted(all, "mutant"));
            }
            text.push_str(&one.counts.lines("sequence"));
            let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
            for reason in &one.left_out {
                *reasons.entry(reason).or_default() += 1;
            }
            for (reason, count) in reasons {
                let times = counted(count, "time");
                let _ = writeln!(text, "  no test can be written for {reason} ({times})");
            }
            for line in left_out::disagreements(&one.disagreements).lines() {
                let _ = writeln!(text, "  {line}");
            }
        }
    }
}

pub(super) fn json(options: &GenerateOptions, outcome: &Outcome) -> Json {
    let campaign = &outcome.campaign;
    let counts = &campaign.counts;
    let number = |count: u64| Json::Number(usize::try_from(count).unwrap_or(usize::MAX));
    let growth = campaign.growth.iter().map(|(time, covered)| {
        Json::List(vec![Json::Decimal(time.as_secs_f64(), 3), Json::Number(*covered)])
    });
    let findings = outcome.findings.iter().map(|finding| {
        let broken = &finding.broken;
        Json::Object(vec![
            ("contract", Json::text(broken.contract.to_string())),
            (
                "severity",
                Json::text(match broken.severity {
                    Severity::Error => "error",
                    Severity::Warning => "warning",
                }),
            ),
            ("class", Json::text(broken.class.replace('/', "."))),
            ("method", Json::text(broken.method.clone())),
            ("where", Json::text(broken.place.clone().unwrap_or_default())),
            ("message", Json::text(broken.message.clone())),
            ("sequences", number(finding.count)),
            ("length", Json::Number(finding.sequence.len())),
        ])
    });
    let uncalled = campaign.calls.iter().filter_map(|call| {
        let reason = call.reason.clone()?;
        Some(Json::Object(vec![
            ("method", Json::text(call.method.to_string())),
            ("reason", Json::text(reason)),
        ]))
    });
    let refused = campaign.refused.iter().map(|(class, reason)| {
        Json::Object(vec![
            ("class", Json::text(class.replace('/', "."))),
            ("reason", Json::text(reason.clone())),
        ])
    });
    let differences = outcome.differences.iter().flatten().map(|one| {
        Json::Object(vec![
            ("method", Json::text(one.method.clone())),
            ("here", Json::text(one.behaviours.0.clone())),
            ("there", Json::text(one.behaviours.1.clone())),
        ])
    });
    let differences = Json::List(differences.collect());
    let files = all_written(outcome).flat_map(|one| &one.sources);
    let disagreements = all_written(outcome).flat_map(|one| &one.disagreements);
    let sum = |count: fn(&super::Written) -> usize| all_written(outcome).map(count).sum();
    let strategy = if outcome.offered.is_some() { "all" } else { "random" };
    let mut members = vec![
        ("strategy", Json::text(strategy)),
        ("seconds", Json::Decimal(campaign.time.as_secs_f64(), 3)),
        ("spent", spent(outcome.spent)),
        ("sequences", number(counts.sequences)),
        ("kept", number(counts.kept)),
        ("redundant", number(counts.redundant + counts.duplicates)),
        ("illegal", number(counts.illegal)),
        ("stopped", number(counts.stopped)),
        ("errors", number(counts.errors)),
        ("branches", branches(campaign)),
        ("classes", Json::Number(campaign.classes.len())),
        ("components", Json::Number(campaign.kept.0)),
        ("componentBytes", Json::Number(campaign.kept.1)),
        ("growth", Json::List(growth.collect())),
        ("findings", Json::List(findings.collect())),
        ("unstableFindings", Json::Number(outcome.n_unstable)),
        ("differences", differences),
        ("notTested", Json::List(refused.collect())),
        ("notCalled", Json::List(uncalled.collect())),
        ("disagreements", left_out::disagreements_json(disagreements)),
        ("touchOutside", Json::Number(sum(|one| one.counts.n_outside))),
        ("orderDependentTests", Json::Number(sum(|one| one.counts.n_unordered.0))),
        ("orderDependentChecks", Json::Number(sum(|one| one.counts.n_unordered.1))),
        ("files", left_out::files_json(&options.output, files)),
    ];
    if let Some(offered) = &outcome.offered {
        let sum = |of: fn(&Offered) -> usize| Json::Number(offered.iter().map(of).sum());
        members.push(("states", sum(|one| one.n_states)));
        members.push(("calls", sum(|one| one.n_calls)));
        let faults = outcome.regression.iter().filter_map(|one| one.faults);
        let (noticed, all) =
            faults.fold((0, 0), |(noticed, all), it| (noticed + it.noticed, all + it.all));
        let mutants = [("noticed", Json::Number(noticed)), ("all", Json::Number(all))];
        members.push(("mutants", Json::Object(mutants.into())));
    }
    Json::Object(members)
}

fn spent(spent: Spent) -> Json {
    let Spent { search, findings, tests, real } = spent;
    let parts = [("search", search), ("findings", findings), ("tests", tests), ("realJvm", real)];
    let seconds =
        |(name, time): (_, std::time::Duration)| (name, Json::Decimal(time.as_secs_f64(), 3));
    Json::Object(parts.map(seconds).into())
}

fn branches(campaign: &Campaign) -> Json {
    Json::Object(vec![
        ("covered", Json::Number(campaign.branches.0)),
        ("all", Json::Number(campaign.branches.1)),
    ])
}

fn all_written(outcome: &Outcome) -> impl Iterator<Item = &super::Written> {
    outcome.regression.iter().chain(&outcome.versions).chain(&outcome.errors)
}

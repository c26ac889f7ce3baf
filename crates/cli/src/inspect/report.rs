//! What `nonpareil inspect` says: to people, to programs, and as a page.

use std::collections::BTreeMap;
use std::fmt::Write;

use distill::infer::select::{Selected, Ways};
use distill::infer::trace::ValueId;
use distill::infer::wording::Wording;
use distill::infer::{Effect, Kind, Property};
use emit::json::Json;
use emit::page::{self, Page};
use generate::states::table::StateId;

use super::Inspected;
use super::attack::methods_of;
use super::tests::{Shown, Subject, observed};
use crate::agreement::Checked;
use crate::counted::counted;
use crate::generate::cut_short;
use crate::left_out;
use crate::options::InspectOptions;

/// States in a graph, at most.
const MOST_STATES: usize = 60;

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Universal => "universal",
        Kind::ConditionalUniversal | Kind::ObserverConditional => "conditional",
        Kind::Common => "common",
    }
}

/// What there is to say of a property beyond its counts.
fn note(one: &Inspected, idx: usize) -> String {
    let property = &one.inference.properties[idx];
    let Some(effort) = &one.effort else { return String::new() };
    if one.fallen.contains(&idx) {
        return "held for all calls of the exploration and fell when attacked".to_owned();
    }
    match effort.on(&methods_of(property)) {
        Some((calls, states)) if property.kind != Kind::Common => {
            let (calls, states) = (counted(calls, "more call"), counted(states, "state"));
            format!("survived {calls} in {states}")
        }
        _ => String::new(),
    }
}

/// What the methods do to the state: names by effect.
fn effects(one: &Inspected) -> Vec<(&'static str, Vec<String>)> {
    let named = |wanted: Effect| {
        let of = one.inference.effects.iter().filter(move |(_, effect)| *effect == wanted);
        let names = of.map(|(method, _)| {
            let method = &one.traced.trace.methods()[method.idx()];
            let parameters: Vec<String> = method
                .parameters
                .iter()
                .map(|of| of.to_string().rsplit(['.', '$']).next().unwrap_or_default().to_owned())
                .collect();
            format!("{}({})", method.name, parameters.join(", "))
        });
        names.collect::<Vec<String>>()
    };
    vec![
        ("preserve the state", named(Effect::Preserves)),
        ("change the state", named(Effect::Changes)),
    ]
}

/// Lines about the run.
fn facts(one: &Inspected) -> Vec<String> {
    let mut facts = vec![format!(
        "{}, {} ({}), {} of calls",
        counted(one.n_calls, "call"),
        counted(one.exploration.n_states(), "state"),
        one.job.technique,
        counted(one.inference.n_pairs, "pair"),
    )];
    match one.n_lost {
        None => {}
        Some(0) => facts.push("the calls are those of existing tests".to_owned()),
        Some(lost) => facts.push(format!(
            "the calls are those of existing tests; {lost} of their objects could not be followed to the end"
        )),
    }
    if let Some(effort) = &one.effort {
        facts.push(format!(
            "universal properties were attacked with {}; {} fell",
            counted(effort.calls(), "more call"),
            one.fallen.len()
        ));
    }
    if one.inference.is_cut {
        facts.push(
            "there were more pairs of calls; fewer --methods or --arguments let all be looked at"
                .to_owned(),
        );
    }
    if !one.exploration.is_complete {
        facts.push(cut_short(&one.job, &one.exploration));
    }
    for class in &one.exploration.fallen_back {
        let class = class.replace('/', ".");
        facts.push(format!("{class} has no equals that helps; its whole state was compared"));
    }
    for (method, missing) in &one.missing {
        facts.push(format!("not called: {method}, no value of type {missing} can be made"));
    }
    for (what, names) in effects(one) {
        if !names.is_empty() {
            facts.push(format!("always {what}: {}", names.join(", ")));
        }
    }
    facts
}

/// For people.
pub(super) fn human(options: &InspectOptions, one: &Inspected) -> String {
    let ways = Ways::new(&one.traced.trace);
    let wording = Wording::new(&one.traced.trace, &ways);
    let mut text = format!("{}\n", one.class.replace('/', "."));
    for fact in facts(one) {
        let _ = writeln!(text, "  {fact}");
    }
    let parts = [
        ("Special tests, most telling first", true),
        ("Common tests (those that are special too stand above)", false),
    ];
    for (title, is_special) in parts {
        let shown: Vec<&Shown> = one
            .tests
            .shown
            .iter()
            .filter(|shown| shown.selected.is_special() == is_special)
            .collect();
        if shown.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n{title}");
        for (number, shown) in shown.into_iter().enumerate() {
            write_test(&mut text, one, &wording, number + 1, shown);
        }
    }
    for (title, kinds) in [
        ("Universal properties", &[Kind::Universal][..]),
        (
            "Where arguments are equal, or an observer says so",
            &[Kind::ConditionalUniversal, Kind::ObserverConditional],
        ),
        ("Common properties", &[Kind::Common]),
    ] {
        let wanted =
            |property: &Property| property.implied.is_none() && kinds.contains(&property.kind);
        if !one.inference.properties.iter().any(wanted) {
            continue;
        }
        let _ = writeln!(text, "\n{title}");
        for (idx, property) in one.inference.properties.iter().enumerate() {
            if wanted(property) {
                write_property(&mut text, one, &wording, idx, property);
            }
        }
    }
    let n_outside = one.tests.n_outside;
    let which = format!("{n_outside} of these tests");
    text.push_str(left_out::outside(n_outside, &which).trim_start());
    text.push_str(&left_out::disagreements(&one.tests.disagreements));
    if let Some(folder) = &options.output {
        for source in &one.tests.sources {
            let checked = if options.no_verify { Checked::No } else { Checked::Passes };
            let path = folder.join(&source.path);
            let _ = writeln!(text, "{}: {}", path.display(), checked.tests(source.tests.len()));
        }
    }
    if let Some(file) = &options.html {
        let _ = writeln!(text, "{}: the same to look at", file.display());
    }
    let _ = writeln!(text, "{:.1} s", one.seconds);
    text
}

fn write_test(
    text: &mut String,
    one: &Inspected,
    wording: &Wording<'_>,
    number: usize,
    shown: &Shown,
) {
    let _ = writeln!(text, "{number:>4}. {}", shown.name);
    let mut shows = |what: &str, properties: &[usize]| {
        for &idx in properties {
            let property = &one.inference.properties[idx];
            let _ = writeln!(
                text,
                "      {what} {}  (satisfied by {}, violated by {})",
                wording.notation(&property.abstraction),
                property.satisfying,
                property.violating
            );
        }
    };
    let Selected { violates, satisfies_special, satisfies, .. } = &shown.selected;
    shows("violates ", violates);
    shows("satisfies", satisfies_special);
    shows("satisfies", satisfies);
    if !shown.difference.is_empty() {
        let _ = writeln!(text, "      {}", shown.difference);
    }
    for line in shown.code.lines() {
        let _ = writeln!(text, "          {line}");
    }
}

fn write_property(
    text: &mut String,
    one: &Inspected,
    wording: &Wording<'_>,
    idx: usize,
    property: &Property,
) {
    let _ = writeln!(text, "  {}", wording.notation(&property.abstraction));
    let _ = writeln!(text, "      {}", wording.sentence(property));
    let note = note(one, idx);
    let note = if note.is_empty() { note } else { format!("; {note}") };
    let _ = writeln!(
        text,
        "      satisfied by {}, violated by {} ({}){note}",
        property.satisfying,
        property.violating,
        property.abstraction.template_name()
    );
}

/// For programs.
pub(super) fn json(options: &InspectOptions, one: &Inspected) -> Json {
    let ways = Ways::new(&one.traced.trace);
    let wording = Wording::new(&one.traced.trace, &ways);
    let (order, position) = printed(one);
    let numbers = |properties: &[usize]| {
        let known = properties.iter().filter_map(|idx| position.get(idx));
        Json::List(known.map(|&number| Json::Number(number)).collect())
    };
    let properties = order.iter().map(|&idx| {
        let property = &one.inference.properties[idx];
        Json::Object(vec![
            ("kind", Json::text(kind_name(property.kind))),
            ("template", Json::text(property.abstraction.template_name())),
            ("notation", Json::text(wording.notation(&property.abstraction))),
            ("sentence", Json::text(wording.sentence(property))),
            ("satisfying", Json::Number(property.satisfying as usize)),
            ("violating", Json::Number(property.violating as usize)),
            ("fell", Json::Flag(one.fallen.contains(&idx))),
            ("note", Json::text(note(one, idx))),
        ])
    });
    let tests = one.tests.shown.iter().map(|shown| {
        let selected = &shown.selected;
        let satisfies: Vec<usize> =
            selected.satisfies_special.iter().chain(&selected.satisfies).copied().collect();
        Json::Object(vec![
            ("name", Json::text(shown.name.clone())),
            ("special", Json::Flag(selected.is_special())),
            ("specialByArguments", Json::Flag(selected.is_special_by_arguments(&one.inference))),
            ("common", Json::Flag(selected.is_common())),
            ("calls", Json::text(wording.chain(&selected.calls))),
            ("code", Json::text(shown.code.clone())),
            ("difference", Json::text(shown.difference.clone())),
            ("violates", numbers(&selected.violates)),
            ("satisfies", numbers(&satisfies)),
        ])
    });
    let implied = one.inference.properties.iter().filter(|property| property.implied.is_some());
    let implied = implied.map(|property| {
        Json::Object(vec![
            ("kind", Json::text(kind_name(property.kind))),
            ("notation", Json::text(wording.notation(&property.abstraction))),
        ])
    });
    let effects = effects(one).into_iter().map(|(what, names)| {
        let names = names.into_iter().map(Json::text).collect();
        Json::Object(vec![("effect", Json::text(what)), ("methods", Json::List(names))])
    });
    let files = one.tests.sources.iter().filter_map(|source| {
        options
            .output
            .as_ref()
            .map(|folder| Json::text(folder.join(&source.path).display().to_string()))
    });
    let disagreements = one
        .tests
        .disagreements
        .iter()
        .map(|one| Json::text(format!("{}.{}: {}", one.class, one.method, one.reason)));
    Json::Object(vec![
        ("class", Json::text(one.class.replace('/', "."))),
        ("technique", Json::text(one.job.technique.name())),
        ("states", Json::Number(one.exploration.n_states())),
        ("calls", Json::Number(one.n_calls)),
        ("fromTests", Json::Flag(one.n_lost.is_some())),
        ("objectsNotFollowed", Json::Number(one.n_lost.unwrap_or(0))),
        ("pairs", Json::Number(one.inference.n_pairs)),
        ("potential", Json::Number(one.inference.potential)),
        ("considered", Json::Number(one.inference.considered)),
        ("attackCalls", Json::Number(one.effort.as_ref().map_or(0, |effort| effort.calls()))),
        ("universal", Json::Number(one.inference.n_printed(Kind::Universal))),
        ("conditional", Json::Number(one.inference.n_printed(Kind::ConditionalUniversal))),
        ("byObserver", Json::Number(one.inference.n_printed(Kind::ObserverConditional))),
        ("common", Json::Number(one.inference.n_printed(Kind::Common))),
        ("effects", Json::List(effects.collect())),
        ("properties", Json::List(properties.collect())),
        ("implied", Json::List(implied.collect())),
        ("tests", Json::List(tests.collect())),
        ("files", Json::List(files.collect())),
        ("touchOutside", Json::Number(one.tests.n_outside)),
        ("disagreements", Json::List(disagreements.collect())),
    ])
}

/// The printed properties in order, and where each stands.
fn printed(one: &Inspected) -> (Vec<usize>, BTreeMap<usize, usize>) {
    let properties = &one.inference.properties;
    let mut order: Vec<usize> =
        (0..properties.len()).filter(|&idx| properties[idx].implied.is_none()).collect();
    order.sort_by_key(|&idx| (properties[idx].kind, idx));
    let position = order.iter().enumerate().map(|(number, &idx)| (idx, number)).collect();
    (order, position)
}

/// To look at.
pub(super) fn page(one: &Inspected) -> Page {
    let ways = Ways::new(&one.traced.trace);
    let wording = Wording::new(&one.traced.trace, &ways);
    let (order, position) = printed(one);
    let numbers = |properties: &[usize]| -> Vec<usize> {
        properties.iter().filter_map(|idx| position.get(idx).copied()).collect()
    };
    let properties = order
        .iter()
        .map(|&idx| {
            let property = &one.inference.properties[idx];
            page::Property {
                kind: kind_name(property.kind).to_owned(),
                template: property.abstraction.template_name(),
                notation: wording.notation(&property.abstraction),
                sentence: wording.sentence(property),
                satisfying: property.satisfying as usize,
                violating: property.violating as usize,
                note: note(one, idx),
            }
        })
        .collect();
    let (graph, places) = match graph(one, &wording) {
        Some((graph, places)) => (Some(graph), places),
        None => (None, BTreeMap::new()),
    };
    let tests = one
        .tests
        .shown
        .iter()
        .map(|shown| {
            let selected = &shown.selected;
            let satisfies: Vec<usize> =
                selected.satisfies_special.iter().chain(&selected.satisfies).copied().collect();
            let entry = one.traced.trace.execution(selected.instance.first).entry;
            page::Test {
                name: shown.name.clone(),
                is_special: selected.is_special(),
                is_common: selected.is_common(),
                code: shown.code.clone(),
                note: shown.difference.clone(),
                satisfies: numbers(&satisfies),
                violates: numbers(&selected.violates),
                state: entry.and_then(|entry| places.get(&entry).copied()),
            }
        })
        .collect();
    Page { class: one.class.replace('/', "."), facts: facts(one), properties, tests, graph }
}

/// The graph of states, where there are few enough.
fn graph(
    one: &Inspected,
    wording: &Wording<'_>,
) -> Option<(page::Graph, BTreeMap<ValueId, usize>)> {
    if one.exploration.n_states() > MOST_STATES {
        return None;
    }
    let trace = &one.traced.trace;
    let subject = Subject {
        job: &one.job,
        exploration: &one.exploration,
        traced: &one.traced,
        inference: &one.inference,
    };
    let observed = observed(&subject);
    let of_states: Vec<u128> = (1..one.exploration.table.len())
        .filter_map(|idx| u32::try_from(idx).ok())
        .map(|idx| one.exploration.table.key(StateId(idx)).0)
        .collect();
    let mut places: BTreeMap<ValueId, usize> = BTreeMap::new();
    let mut graph = page::Graph::default();
    let special: Vec<&Selected> = one
        .tests
        .shown
        .iter()
        .map(|shown| &shown.selected)
        .filter(|one| !one.violates.is_empty())
        .collect();
    for (place, &state) in of_states.iter().enumerate() {
        let value = trace.find_object(state)?;
        places.insert(value, place);
        let mut way = Vec::new();
        one.exploration.table.path(StateId(u32::try_from(place + 1).ok()?), &mut way);
        let said = observed.get(&value).into_iter().flatten();
        let said: Vec<String> = said.map(|(name, said)| format!("{name}() is {said}")).collect();
        graph.states.push(page::State {
            way: wording.value(value),
            observed: said.join(", "),
            depth: way.len().saturating_sub(1),
            is_special: special
                .iter()
                .any(|one| trace.execution(one.instance.first).entry == Some(value)),
        });
    }
    for execution in trace.executions() {
        let ends = (execution.entry, execution.exit.filter(|exit| Some(*exit) != execution.entry));
        if let (Some(entry), Some(exit)) = ends
            && let (Some(&from), Some(&to)) = (places.get(&entry), places.get(&exit))
        {
            let is_special = special.iter().any(|one| {
                let calls = std::iter::once(one.instance.first).chain(one.instance.second);
                calls.map(|call| trace.execution(call)).any(|call| call == execution)
            });
            let label = wording.list(execution.list);
            graph.calls.push(page::Call { from, to, label, is_special });
        }
    }
    Some((graph, places))
}

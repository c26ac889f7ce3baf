//! The special and common tests of a class: with oracles, as JUnit classes, checked on the real JVM.

use std::collections::BTreeMap;
use std::sync::Arc;

use classfile::ClassPath;
use distill::infer::select::{Selected, Ways, select};
use distill::infer::trace::{Given, Value, ValueId};
use distill::infer::wording::{Wording, literal};
use distill::infer::{Effect, Inference, Instance};
use emit::junit::{self, SourceFile};
use generate::states::tests::{Settled, draft_in_a_row, observers, settle};
use generate::states::{Exploration, Job};
use suite::test::{Suite, Test};

use super::tracing::Traced;
use crate::agreement::{self, Check, Must};
use crate::generate::framework;
use crate::machines::Machines;
use crate::options::InspectOptions;
use crate::verify::{Compiler, Disagreement, RealJvm, junit_jars};
use crate::watch::Progress;

/// What tests are made of.
pub(super) struct Subject<'s> {
    pub(super) job: &'s Job,
    pub(super) exploration: &'s Exploration,
    pub(super) traced: &'s Traced,
    pub(super) inference: &'s Inference,
}

/// A selected test with what a reader wants to know of it.
pub(super) struct Shown {
    pub(super) selected: Selected,
    /// The name of its method.
    pub(super) name: String,
    /// Its body in Java; the bare calls where it could not be written as a test.
    pub(super) code: String,
    /// How its entry state differs from that of the common test.
    pub(super) difference: String,
}

/// All tests, the most telling first.
pub(super) struct Tests {
    pub(super) shown: Vec<Shown>,
    /// The JUnit classes, where tests are written.
    pub(super) sources: Vec<SourceFile>,
    /// Tests that the real JVM disagrees about, left out.
    pub(super) disagreements: Vec<Disagreement>,
    /// Tests that would touch files, programs or the network.
    pub(super) n_outside: usize,
}

/// Makes the tests.
pub(super) fn make(
    options: &InspectOptions,
    machines: &Machines,
    class_path: &ClassPath,
    class: &str,
    subject: &Subject<'_>,
    progress: &Progress,
) -> Result<Tests, String> {
    let trace = &subject.traced.trace;
    let selected = select(trace, subject.inference);
    let ways = Ways::new(trace);
    let wording = Wording::new(trace, &ways);
    let observed = observed(subject);
    let mut worlds = machines.worlds()?;
    let observers = observers(subject.job, subject.exploration);
    let mut shown = Vec::new();
    let mut tests: Vec<Option<Test>> = Vec::new();
    let mut n_outside = 0;
    for (idx, selected) in selected.into_iter().enumerate() {
        progress.show(&format!("test {idx}"));
        let difference = difference(subject, &wording, &observed, &selected);
        let lists: Vec<_> = selected.calls.iter().map(|&list| subject.traced.list(list)).collect();
        let mut test = None;
        if let Some(draft) = draft_in_a_row(&lists, selected.n_own) {
            let settled = settle(&mut worlds, &draft, &observers, subject.job.fuel);
            match settled.map_err(|error| error.to_string())? {
                Settled::Test(settled) => test = Some(*settled),
                Settled::Outside => n_outside += 1,
                Settled::Unstable => {}
            }
        }
        if let Some(test) = &mut test {
            test.notes = notes(subject, &wording, &selected, &difference);
        }
        tests.push(test);
        let code = wording.chain(&selected.calls);
        shown.push(Shown { selected, name: String::new(), code, difference });
    }
    let names = machines.class_files(class_path);
    let styles = ["SpecialTest", "CommonTest"].map(|suffix| junit::Options {
        framework: framework(options.junit),
        suffix: suffix.to_owned(),
        ..junit::Options::usual()
    });
    let mut suites: Vec<Suite> = Vec::new();
    for (is_wanted, style) in
        [Selected::is_special as fn(&Selected) -> bool, Selected::is_common].iter().zip(&styles)
    {
        let mut positions = Vec::new();
        let mut own = Vec::new();
        for (idx, (shown, test)) in shown.iter().zip(&tests).enumerate() {
            if let (true, Some(test)) = (is_wanted(&shown.selected), test) {
                positions.push(idx);
                own.push(test.clone());
            }
        }
        let suite = Suite { class: class.into(), tests: own };
        for source in junit::render(&suite, style, &names) {
            for placed in &source.tests {
                let shown = &mut shown[positions[placed.idx]];
                if let Some(code) = body(&source.text, &placed.method)
                    && shown.name.is_empty()
                {
                    shown.name = placed.method.clone();
                    shown.code = code;
                }
            }
        }
        suites.push(suite);
    }
    let is_checked = options.output.is_some() && !options.no_verify;
    let jars = match &options.test_classpath {
        Some(jars) => jars.clone(),
        None if is_checked => junit_jars(framework(options.junit), class_path)?,
        None => String::new(),
    };
    let real = RealJvm {
        home: &machines.jdk.home,
        class_path: &machines.class_path,
        junit: &jars,
        framework: framework(options.junit),
        compiler: Compiler::default(),
        memory: options.machine.memory,
    };
    progress.show("checking the tests on the real JVM");
    let real = is_checked.then_some(&real);
    let check = Check { names: &names, style: &|idx| &styles[idx], real, must: Must::Pass };
    let mut made = Tests { shown, sources: Vec::new(), disagreements: Vec::new(), n_outside };
    for agreed in agreement::agreed(&mut suites, check)? {
        made.sources.extend(agreed.sources);
        made.disagreements.extend(agreed.disagreements);
    }
    for shown in &mut made.shown {
        if shown.name.is_empty() {
            shown.name = wording.chain(&shown.selected.calls);
        }
    }
    Ok(made)
}

/// The lines of a test method between its braces.
fn body(source: &str, method: &str) -> Option<String> {
    let head = format!(" {method}()");
    let mut lines =
        source.lines().skip_while(|line| !(line.contains(&head) && line.ends_with('{')));
    lines.next()?;
    let lines = lines.take_while(|line| *line != "    }");
    let lines: Vec<&str> =
        lines.map(|line| line.strip_prefix("        ").unwrap_or(line)).collect();
    Some(lines.join("\n"))
}

/// The properties of a test, a line each.
fn notes(
    subject: &Subject<'_>,
    wording: &Wording<'_>,
    selected: &Selected,
    difference: &str,
) -> Vec<String> {
    let mut notes = Vec::new();
    let mut add = |what: &str, properties: &[usize]| {
        for &idx in properties {
            let property = &subject.inference.properties[idx];
            notes.push(format!(
                "{what} {} (satisfied by {}, violated by {}).",
                wording.notation(&property.abstraction),
                property.satisfying,
                property.violating
            ));
        }
    };
    add("Violates", &selected.violates);
    add("Satisfies", &selected.satisfies_special);
    add("Satisfies", &selected.satisfies);
    if !difference.is_empty() {
        notes.push(format!("{difference}."));
    }
    notes
}

/// What observers say of states.
pub(super) type Observed = BTreeMap<ValueId, Vec<(Arc<str>, String)>>;

/// Asks methods without parameters that preserve every state.
pub(super) fn observed(subject: &Subject<'_>) -> Observed {
    let trace = &subject.traced.trace;
    let mut observed: Observed = BTreeMap::new();
    for execution in trace.executions() {
        let list = &trace.lists()[execution.list.idx()];
        let method = &trace.methods()[list.method.idx()];
        let is_observer = subject.inference.effects[list.method.idx()].1 == Effect::Preserves
            && method.parameters.is_empty()
            && &*method.name != "hashCode";
        if let (true, Some(entry), Given::Value(value)) =
            (is_observer, execution.entry, &execution.given)
            && let Value::Constant(constant) = trace.meaning(*value)
        {
            let said = (method.name.clone(), literal(constant));
            observed.entry(entry).or_default().push(said);
        }
    }
    observed
}

/// How the entry state of a special test differs from that of the common test of the same property.
fn difference(
    subject: &Subject<'_>,
    wording: &Wording<'_>,
    observed: &Observed,
    selected: &Selected,
) -> String {
    let Some(&violated) = selected.violates.first() else { return String::new() };
    let property = &subject.inference.properties[violated];
    let Some(special) = property.first_violating else { return String::new() };
    let trace = &subject.traced.trace;
    let entry = |instance: Instance| trace.execution(instance.first).entry;
    let (Some(here), Some(there)) = (entry(special), entry(property.first_satisfying)) else {
        return String::new();
    };
    let arguments = |instance: Instance| {
        let calls = std::iter::once(instance.first).chain(instance.second);
        let calls: Vec<String> =
            calls.map(|call| wording.list(trace.execution(call).list)).collect();
        calls.join(", ")
    };
    if here == there {
        return format!(
            "Here the calls are {}, in the common test {}",
            arguments(special),
            arguments(property.first_satisfying)
        );
    }
    let none = Vec::new();
    let (one, other) =
        (observed.get(&here).unwrap_or(&none), observed.get(&there).unwrap_or(&none));
    let differing: Vec<String> = one
        .iter()
        .filter_map(|(name, said)| {
            let (_, elsewhere) = other.iter().find(|(other, _)| other == name)?;
            (said != elsewhere)
                .then(|| format!("{name}() is {said}, in the common test {elsewhere}"))
        })
        .collect();
    if differing.is_empty() {
        format!(
            "Here the state is that of {}, in the common test that of {}",
            wording.value(here),
            wording.value(there)
        )
    } else {
        format!("Here {}", differing.join("; "))
    }
}

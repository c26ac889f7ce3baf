//! `nonpareil generate`: tests for classes, written only where the real JVM agrees.

pub(crate) mod prepare;

use std::fmt::Write;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use classfile::{ClassPath, access};
use emit::json::Json;
use emit::junit::facts::ClassFiles;
use emit::junit::{self, Framework, SourceFile};
use generate::arguments::collected::Collected;
use generate::arguments::{self, ArgumentList, Uncallable};
use generate::sequences;
use generate::states::follow::follow;
use generate::states::table::StateTable;
use generate::states::tests::{Draft, draft_of, drafts, needed, observers, settle};
use generate::states::{Exploration, Job, explore_from};
use observe::session::Session;
use observe::state::technique::Technique;
use suite::method::Method;
use suite::test::Suite;
use suite::types::Type;
use vm::frame::Stop;

use crate::inputs::{Inputs, Tests};
use crate::machines::Machines;
use crate::options::{ExploreOptions, Format, GenerateOptions, JUnit, Strategy};
use crate::verify::{Disagreement, RealJvm, junit_jars};
use crate::watch::{self, Progress};
use crate::{exhaustive, files, inputs, random, run};
use prepare::{Prepared, prepare};

/// What came of existing tests.
struct FromTests {
    n_tests: usize,
    n_failed: usize,
    /// Test classes that stop the machine.
    left_out: Vec<String>,
    /// Calls of the methods under test, and the argument lists among them.
    n_calls: usize,
    n_lists: usize,
    n_states: usize,
    /// Calls with an argument that cannot be built again.
    n_left_out: usize,
}

/// What came of one class.
struct Generated {
    classes: Vec<String>,
    from_tests: Option<FromTests>,
    job: Job,
    exploration: Exploration,
    /// Of the exploration, and of all.
    time: (Duration, Duration),
    /// Methods that cannot be called, each with the type of which there is no value.
    missing: Vec<Uncallable>,
    n_drafts: usize,
    /// Tests that do not end alike in all worlds.
    n_unstable: usize,
    sources: Vec<SourceFile>,
    /// Where more sources of each class would lie.
    beyond: Vec<Vec<String>>,
    disagreements: Vec<Disagreement>,
    left_out: Vec<String>,
}

/// Generates; an `Err` is a usage or input error.
pub(crate) fn run(options: &GenerateOptions) -> Result<ExitCode, String> {
    watch::catch_interrupts();
    let machines = match options.strategy {
        Strategy::Random => Machines::new(&random::machine_options(options))?,
        Strategy::States | Strategy::Exhaustive => Machines::new(&options.machine)?,
    };
    let class_path = machines.classes()?;
    let framework = framework(options.junit);
    let junit = match options.no_verify || options.count {
        true => String::new(),
        false => match &options.test_classpath {
            Some(jars) => jars.clone(),
            None => junit_jars(framework, &class_path)?,
        },
    };
    if options.strategy == Strategy::Random {
        let classes = random::classes(options, &machines, &class_path)?;
        return random::run(options, &machines, &class_path, &junit, &classes);
    }
    let classes = classes(&machines, &class_path, &options.explore)?;
    let jars = options.test_classpath.as_deref();
    let inputs = inputs::collect(&machines, &options.explore, &options.machine, jars)?;
    let groups: Vec<&[String]> = match options.together {
        true => vec![&classes],
        false => classes.chunks(1).collect(),
    };
    if options.strategy == Strategy::Exhaustive && options.count {
        return count_sequences(options, &machines, &class_path, &inputs, &groups);
    }
    let mut worlds = if options.count { Vec::new() } else { machines.worlds()? };
    let mut generated = Vec::new();
    for group in &groups {
        let one = one_group(
            options,
            &machines,
            &class_path,
            &inputs,
            &mut worlds,
            framework,
            &junit,
            group,
        );
        match one {
            Ok(one) => {
                write(options, &one)?;
                generated.push(one);
            }
            // With several classes, one that cannot be tested does not keep the others from it.
            Err(reason) if groups.len() > 1 => {
                crate::say(&format!("{}: {reason}", shown(group)));
            }
            Err(reason) => return Err(reason),
        }
        if watch::is_interrupted() {
            break;
        }
    }
    let text = match options.format {
        Format::Human => human(options, &generated),
        Format::Json => json(options, &generated).render(),
    };
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
    let has_findings = generated.iter().any(|one| !one.exploration.stopped.is_empty());
    Ok(if has_findings { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Classes as people name them.
fn shown(classes: &[String]) -> String {
    let names: Vec<String> = classes.iter().map(|class| class.replace('/', ".")).collect();
    names.join(", ")
}

/// Writes the sources of a class, and takes away what an earlier run wrote beyond them.
fn write(options: &GenerateOptions, one: &Generated) -> Result<(), String> {
    write_sources(options, &one.sources)?;
    if one.sources.is_empty() || watch::is_interrupted() {
        return Ok(());
    }
    for paths in &one.beyond {
        for path in paths {
            let path = options.output.join(path);
            if !path.is_file() || check_ours(&path).is_err() {
                break;
            }
            std::fs::remove_file(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    Ok(())
}

/// Writes sources, unless somebody else wrote what is there.
pub(crate) fn write_sources(
    options: &GenerateOptions,
    sources: &[SourceFile],
) -> Result<(), String> {
    for source in sources {
        check_ours(&options.output.join(&source.path))?;
    }
    for source in sources {
        files::write(&options.output.join(&source.path), &source.text)?;
    }
    Ok(())
}

/// Refuses to replace a file that somebody else wrote.
fn check_ours(path: &Path) -> Result<(), String> {
    match std::fs::read(path) {
        Ok(bytes) if !bytes.starts_with(junit::MARK.as_bytes()) => Err(format!(
            "{} is there already, and Nonpareil did not write it\nhint: --output names another folder",
            path.display()
        )),
        _ => Ok(()),
    }
}

/// How much of all sequences is redundant.
fn count_sequences(
    options: &GenerateOptions,
    machines: &Machines,
    class_path: &ClassPath,
    inputs: &Inputs,
    groups: &[&[String]],
) -> Result<ExitCode, String> {
    let mut texts = String::new();
    let mut objects = Vec::new();
    for group in groups {
        let job = prepare(machines, group, &options.explore, inputs)?.job;
        let class = &group.join(", ");
        let (length, most) = (options.length, options.max_tests);
        let rows = exhaustive::rows(machines, class_path, &job, length, most, options.mutants)?;
        texts.push_str(&exhaustive::human(class, options.length, &rows));
        objects.push(exhaustive::json(class, options.length, &rows));
    }
    let text = match options.format {
        Format::Human => texts,
        Format::Json => Json::List(objects).render(),
    };
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn framework(junit: JUnit) -> Framework {
    match junit {
        JUnit::Three => Framework::JUnit3,
        JUnit::Four => Framework::JUnit4,
        JUnit::Five => Framework::JUnit5,
    }
}

/// Internal names of the classes under test.
pub(crate) fn classes(
    machines: &Machines,
    class_path: &ClassPath,
    options: &ExploreOptions,
) -> Result<Vec<String>, String> {
    if options.classes.is_empty() {
        let mut names = Vec::new();
        for entry in class_path.entries().iter().filter(|entry| entry.path().is_dir()) {
            names
                .extend(entry.class_names().into_iter().filter(|name| is_public(class_path, name)));
        }
        names.sort();
        names.dedup();
        if names.is_empty() {
            return Err("there is no public class in the folders of the class path\nhint: --classpath names the folder of the compiled classes, --class a class".to_owned());
        }
        return Ok(names);
    }
    options.classes.iter().map(|name| find(machines, class_path, name)).collect()
}

pub(crate) fn is_public(class_path: &ClassPath, name: &str) -> bool {
    let Some(Ok(bytes)) = class_path.find(&format!("{name}.class"), 17) else { return false };
    is_testable(bytes)
}

/// Whether a class file is that of a public class that is not abstract and, if it is nested, needs no
/// object around it.
pub(crate) fn is_testable(bytes: classfile::ClassBytes) -> bool {
    let Ok(file) = classfile::ClassFile::parse(bytes) else { return false };
    let pool = file.constant_pool();
    let mut flags = file.access_flags();
    for entry in file.inner_classes() {
        if pool.try_class_name(entry.inner) == Some(file.name()) {
            if entry.outer == 0 || entry.flags & access::STATIC == 0 {
                return false;
            }
            flags = entry.flags;
        }
    }
    let is_kind = flags & (access::INTERFACE | access::ABSTRACT | access::ANNOTATION) == 0;
    flags & access::PUBLIC != 0 && is_kind
}

/// The internal name of a class that the user named: with dots, or by its simple name alone.
fn find(machines: &Machines, class_path: &ClassPath, name: &str) -> Result<String, String> {
    let internal = name.replace('.', "/");
    let mut candidates = vec![internal.clone()];
    // `Map.Entry` for `Map$Entry`.
    let mut nested = internal.clone();
    while let Some(at) = nested.rfind('/') {
        nested.replace_range(at..=at, "$");
        candidates.push(nested.clone());
    }
    let exists = |name: &String| {
        class_path.find(&format!("{name}.class"), 17).is_some()
            || machines.jdk.image.find_class(name.as_bytes()).is_some()
    };
    if let Some(found) = candidates.into_iter().find(exists) {
        return Ok(found);
    }
    let suffix = format!("/{internal}");
    let mut similar: Vec<String> =
        class_path.class_names().into_iter().filter(|known| known.ends_with(&suffix)).collect();
    similar.sort();
    similar.dedup();
    match similar.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(format!(
            "class {name} is not on the class path {}\nhint: --classpath names the folder or jar that holds it",
            machines.class_path
        )),
        several => Err(format!(
            "class {name} may be any of {}\nhint: name it with its package",
            several.join(", ").replace('/', ".")
        )),
    }
}

/// The states that existing tests bring objects into: the exploration starts there too.
fn start(machines: &Machines, job: &Job, collected: &Collected) -> Result<StateTable, String> {
    // Representatives of states live on one machine, so they are no start for others.
    if collected.chains.is_empty() || job.technique == Technique::PairwiseEquals {
        return Ok(StateTable::default());
    }
    let session = machines.session().map_err(|error| error.to_string())?;
    let followed = follow(job, &collected.chains, session).map_err(|error| error.to_string())?;
    Ok(followed.exploration.table)
}

/// What was collected from existing tests, in numbers.
fn from_tests(tests: &Tests, collected: &Collected, start: &StateTable) -> FromTests {
    FromTests {
        n_tests: tests.n_tests,
        n_failed: tests.n_failed,
        left_out: tests.left_out.clone(),
        n_calls: collected.n_calls,
        n_lists: collected.pool.n_lists(),
        n_states: start.len() - 1,
        n_left_out: collected.n_left_out,
    }
}

#[expect(clippy::too_many_arguments, reason = "what all classes share, and some of them")]
fn one_group(
    options: &GenerateOptions,
    machines: &Machines,
    class_path: &ClassPath,
    inputs: &Inputs,
    worlds: &mut [Session],
    framework: Framework,
    junit_jars: &str,
    group: &[String],
) -> Result<Generated, String> {
    let explore_options = &options.explore;
    let image = machines.jdk.image.clone();
    let find = |name: &str| match class_path.find(&format!("{name}.class"), 17) {
        Some(Ok(bytes)) => Some((bytes, false)),
        _ => image.find_class(name.as_bytes()).map(|(_, bytes)| (bytes, true)),
    };
    let names = ClassFiles::new(find);
    let style = junit::Options { framework, ..junit::Options::usual() };
    if !options.count {
        // Better now than after the work.
        for class in group {
            check_ours(&options.output.join(junit::path(class, 0, &style, &names)))?;
        }
    }
    let prepared = prepare(machines, group, explore_options, inputs)?;
    let Prepared { mut job, missing, collected, stand_ins } = prepared;
    job.keep_calls = !options.count;
    let start = start(machines, &job, &collected)?;
    let from_tests = inputs.tests.as_ref().map(|tests| from_tests(tests, &collected, &start));
    let progress = Progress::new(&shown(group), explore_options.time);
    let session = || machines.session();
    let exploration = explore_from(&job, start, &session, &progress);
    let exploration = exploration.map_err(|error| error.to_string())?;
    progress.done();
    let explored = progress.elapsed();
    let drafts = match options.strategy {
        Strategy::States => drafts(&job, &exploration),
        Strategy::Exhaustive => {
            let session = machines.session().map_err(|error| error.to_string())?;
            let found = sequences::all(&job, session, options.length, options.max_tests)
                .map_err(|error| error.to_string())?;
            found.tests.iter().filter_map(|test| draft_of(&job, &test.lists)).collect()
        }
        Strategy::Random => unreachable!("random generation goes another way"),
    };
    let observers = observers(&job, &exploration);
    let mut settled = Vec::new();
    let mut n_unstable = 0;
    for (idx, draft) in drafts.iter().enumerate() {
        if settled.len() == options.max_tests || watch::is_interrupted() {
            break;
        }
        progress.show(&format!("{idx} of {} tests", drafts.len()));
        let own = owner(group, &stand_ins, draft);
        let is_own = |method: &&Arc<Method>| group.len() == 1 || *method.class == *group[own];
        let observers: Vec<Arc<Method>> = observers.iter().filter(is_own).cloned().collect();
        match settle(worlds, draft, &observers, job.fuel).map_err(|error| error.to_string())? {
            Some(test) => settled.push((draft.clone(), test)),
            None => n_unstable += 1,
        }
    }
    let mut suites: Vec<Suite> = group
        .iter()
        .map(|class| Suite { class: class.as_str().into(), tests: Vec::new() })
        .collect();
    let is_needed = needed(&job, &settled);
    for ((draft, test), is_needed) in settled.into_iter().zip(is_needed) {
        if is_needed {
            suites[owner(group, &stand_ins, &draft)].tests.push(test);
        }
    }
    let mut left_out = Vec::new();
    for suite in &suites {
        let reasons = junit::inexpressible(suite, &style, &names).into_iter();
        left_out.extend(
            reasons.map(|(idx, reason)| format!("{}: {reason}", suite.tests[idx].title.method)),
        );
    }
    let render = |suites: &[Suite]| -> Vec<SourceFile> {
        suites.iter().flat_map(|suite| junit::render(suite, &style, &names)).collect()
    };
    let mut sources = render(&suites);
    let mut disagreements = Vec::new();
    if !options.no_verify && !sources.is_empty() {
        progress.show("checking the tests on the real JVM");
        let real = RealJvm {
            home: &machines.jdk.home,
            class_path: &machines.class_path,
            junit: junit_jars,
        };
        // What is left out may have kept the rest from compiling, so the rest is checked again.
        while !sources.is_empty() {
            let found = real.verify(&sources)?;
            let is_wrong = |class: &str, method: &str| {
                found.iter().any(|one| one.class == class && one.method == method)
            };
            if !found.is_empty() {
                for suite in &mut suites {
                    drop_tests(suite, &junit::render(suite, &style, &names), &is_wrong);
                }
            }
            let is_done = found.is_empty();
            disagreements.extend(found);
            if is_done {
                break;
            }
            sources = render(&suites);
        }
    }
    progress.done();
    let time = (explored, progress.elapsed());
    // An earlier run may have filled more files; nobody splits tests into a thousand.
    let mut beyond = Vec::new();
    for suite in &suites {
        let n_files = suite.tests.len().div_ceil(style.tests_per_class.max(1));
        beyond.push(
            (n_files..1000)
                .map(|number| junit::path(&suite.class, number, &style, &names))
                .collect(),
        );
    }
    Ok(Generated {
        classes: group.to_vec(),
        from_tests,
        job,
        exploration,
        time,
        missing,
        n_drafts: drafts.len(),
        n_unstable,
        beyond,
        sources,
        disagreements,
        left_out,
    })
}

/// The position of the class that a test is for: that of the call it exercises.
fn owner(group: &[String], stand_ins: &[(String, String)], draft: &Draft) -> usize {
    let statements = draft.sequence.statements();
    let exercised = draft.exercised.last().map(|var| &statements[var.idx()]);
    let Some(method) = exercised.and_then(|statement| statement.method()) else { return 0 };
    let position = |name: &str| {
        let meant = stand_ins.iter().find(|(stand_in, _)| stand_in == name);
        let name = meant.map_or(name, |(_, class)| class.as_str());
        group.iter().position(|class| class == name)
    };
    // What a maker makes is what its test looks at.
    let made = match method.result() {
        Type::Class(name) if !method.has_receiver() => position(&name),
        _ => None,
    };
    made.or_else(|| position(&method.class)).unwrap_or(0)
}

/// Leaves out the tests that are wrong.
fn drop_tests(suite: &mut Suite, sources: &[SourceFile], is_wrong: &dyn Fn(&str, &str) -> bool) {
    let wrong: Vec<usize> = sources
        .iter()
        .flat_map(|source| source.tests.iter().map(move |test| (source, test)))
        .filter(|(source, test)| is_wrong(&source.class, &test.method))
        .map(|(_, test)| test.idx)
        .collect();
    let mut idx = 0;
    suite.tests.retain(|_| {
        idx += 1;
        !wrong.contains(&(idx - 1))
    });
}

fn n_tests(one: &Generated) -> usize {
    one.sources.iter().map(|source| source.tests.len()).sum()
}

/// A call as people write it.
fn call_text(list: &ArgumentList) -> String {
    let arguments: Vec<String> = list
        .arguments
        .iter()
        .map(|argument| match argument {
            arguments::Argument::Constant(constant) => junit::spell(constant),
            arguments::Argument::Built(sequence, _) => match sequence.statements().last() {
                Some(statement) => match statement.method() {
                    Some(method) => format!(
                        "new {}(…)",
                        method.class.rsplit(['/', '$']).next().unwrap_or_default()
                    ),
                    None => "new array".to_owned(),
                },
                None => "…".to_owned(),
            },
        })
        .collect();
    format!("{}({})", list.method.name, arguments.join(", "))
}

fn list_of(job: &Job, idx: usize) -> &ArgumentList {
    let n_makers = job.makers.len();
    if idx < n_makers { &job.makers[idx] } else { &job.lists[idx - n_makers] }
}

/// The calls that lead to a state and one more.
fn way(one: &Generated, state: generate::states::table::StateId, list: usize) -> String {
    let mut path = Vec::new();
    one.exploration.table.path(state, &mut path);
    let mut calls: Vec<String> = path
        .iter()
        .map(|&step| call_text(list_of(&one.job, one.exploration.table.link(step).list.idx())))
        .collect();
    calls.push(call_text(list_of(&one.job, list)));
    calls.join("; ")
}

fn human(options: &GenerateOptions, generated: &[Generated]) -> String {
    let mut text = String::new();
    for one in generated {
        let exploration = &one.exploration;
        let _ = writeln!(text, "{}", shown(&one.classes));
        let _ = writeln!(
            text,
            "  {} states ({}), {} calls, {} tests in {:.1} s",
            exploration.n_states(),
            one.job.technique,
            exploration.n_calls(),
            n_tests(one),
            one.time.1.as_secs_f64(),
        );
        if let Some(from) = &one.from_tests {
            text.push_str(&from_tests_text(from));
        }
        for (number, iteration) in exploration.iterations.iter().enumerate().skip(1) {
            let _ = writeln!(
                text,
                "  iteration {number}: {} states tried, {} calls, {} threw, {} left the state as it was, {} new states",
                iteration.expanded,
                iteration.calls,
                iteration.threw,
                iteration.preserved,
                iteration.new_states,
            );
        }
        if !exploration.is_complete {
            let _ = writeln!(text, "  stopped early: not every state was tried");
        }
        for class in &exploration.fallen_back {
            let _ = writeln!(
                text,
                "  {} has no equals that helps; its whole state was compared",
                class.replace('/', ".")
            );
        }
        for (method, missing) in &one.missing {
            let _ =
                writeln!(text, "  not called: {method}, no value of type {missing} can be made");
        }
        for (state, list, stop) in &exploration.stopped {
            let _ = writeln!(
                text,
                "  found: {} does not come back: {}",
                way(one, *state, list.idx()),
                finding(stop)
            );
        }
        if one.n_unstable > 0 {
            let _ = writeln!(
                text,
                "  {} calls depend on time, place or hash codes and have no test",
                one.n_unstable
            );
        }
        for reason in &one.left_out {
            let _ = writeln!(text, "  no test can be written for {reason}");
        }
        for one in &one.disagreements {
            let _ = writeln!(
                text,
                "  disagreement, left out: {}.{}: {}",
                one.class, one.method, one.reason
            );
        }
        for source in &one.sources {
            let path = options.output.join(&source.path);
            let verified =
                if options.no_verify { "not checked" } else { "all pass on the real JVM" };
            let _ =
                writeln!(text, "  {}: {} tests, {verified}", path.display(), source.tests.len());
        }
    }
    text
}

fn from_tests_text(from: &FromTests) -> String {
    let mut text = format!(
        "  from {} tests: {} calls with {} argument lists, {} states",
        from.n_tests, from.n_calls, from.n_lists, from.n_states
    );
    if from.n_left_out > 0 {
        let _ =
            write!(text, "; {} calls with an argument that cannot be built again", from.n_left_out);
    }
    text.push('\n');
    if from.n_failed > 0 {
        let _ = writeln!(text, "  {} of these tests fail", from.n_failed);
    }
    for class in &from.left_out {
        let _ = writeln!(text, "  {class} stops the machine and was left out");
    }
    text
}

fn from_tests_json(from: &FromTests) -> Json {
    Json::Object(vec![
        ("tests", Json::Number(from.n_tests)),
        ("failed", Json::Number(from.n_failed)),
        (
            "leftOut",
            Json::List(from.left_out.iter().map(|name| Json::text(name.clone())).collect()),
        ),
        ("calls", Json::Number(from.n_calls)),
        ("argumentLists", Json::Number(from.n_lists)),
        ("states", Json::Number(from.n_states)),
        ("callsLeftOut", Json::Number(from.n_left_out)),
    ])
}

fn finding(stop: &Stop) -> String {
    match stop {
        Stop::OutOfFuel => "an endless loop, or a very long one (--fuel gives more)".to_owned(),
        other => run::reason(other),
    }
}

fn json(options: &GenerateOptions, generated: &[Generated]) -> Json {
    let classes = generated.iter().map(|one| {
        let exploration = &one.exploration;
        let iterations = exploration.iterations.iter().skip(1).map(|iteration| {
            Json::Object(vec![
                ("expanded", Json::Number(iteration.expanded)),
                ("calls", Json::Number(iteration.calls)),
                ("threw", Json::Number(iteration.threw)),
                ("preserved", Json::Number(iteration.preserved)),
                ("newStates", Json::Number(iteration.new_states)),
            ])
        });
        let findings = exploration.stopped.iter().map(|(state, list, stop)| {
            Json::Object(vec![
                ("calls", Json::text(way(one, *state, list.idx()))),
                ("reason", Json::text(finding(stop))),
            ])
        });
        let disagreements = one.disagreements.iter().map(|one| {
            Json::Object(vec![
                ("class", Json::text(one.class.clone())),
                ("method", Json::text(one.method.clone())),
                ("reason", Json::text(one.reason.clone())),
            ])
        });
        let sources = one.sources.iter().map(|source| {
            Json::Object(vec![
                ("path", Json::text(options.output.join(&source.path).display().to_string())),
                ("tests", Json::Number(source.tests.len())),
            ])
        });
        let not_called = one.missing.iter().map(|(method, _)| Json::text(method.to_string()));
        let mut members = vec![
            ("class", Json::text(shown(&one.classes))),
            ("technique", Json::text(one.job.technique.name())),
            ("states", Json::Number(exploration.n_states())),
            ("calls", Json::Number(exploration.n_calls())),
            ("seconds", Json::Decimal(one.time.0.as_secs_f64(), 3)),
            ("complete", Json::Flag(exploration.is_complete)),
            ("drafts", Json::Number(one.n_drafts)),
            ("tests", Json::Number(n_tests(one))),
            ("unstable", Json::Number(one.n_unstable)),
            ("iterations", Json::List(iterations.collect())),
            ("notCalled", Json::List(not_called.collect())),
            ("findings", Json::List(findings.collect())),
            ("disagreements", Json::List(disagreements.collect())),
            ("files", Json::List(sources.collect())),
        ];
        members.extend(one.from_tests.iter().map(|from| ("fromTests", from_tests_json(from))));
        Json::Object(members)
    });
    Json::Object(vec![("classes", Json::List(classes.collect()))])
}

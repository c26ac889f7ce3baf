//! `nonpareil generate --strategy random`: random sequences with feedback; regression tests for what they
//! did, and tests that fail for what they broke.

mod budget;
mod checks;
mod choose;
mod findings;
mod offered;
mod report;
mod suites;
mod telling;
mod versions;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ::generate::api::{self, Choice};
use ::generate::random::{
    Campaign, Choosing, Finding, Job, Literals, Offer, Rules, Settings, search,
};
use classfile::ClassPath;
use emit::junit;
use observe::contract::Severity;
use observe::contract::exceptions::Exceptions;
use observe::contract::specs::Specs;
use suite::constant::Constant;
use suite::sequence::Sequence;
use suite::test::Suite;

use crate::counted::counted;
use crate::machines::Machines;
use crate::options::{Choose, Format, GenerateOptions, MachineOptions, Strategy};
use crate::output::{self, Output, Replaces};
use crate::verify::{Compiler, RealJvm};
use crate::watch::{self, Progress};
use crate::{generate, inputs};
use budget::{Budget, Spent};
use offered::{Offered, offered};
use suites::{Emission, Written};
use versions::Difference;

/// What a machine has at least.
const LEAST_MEMORY: usize = 64 << 20;
/// Of how many parts of the memory one machine may have one.
const SHARE: usize = 4;
/// The same of what shows whether a finding only takes much memory.
const SHARE_OF_PLENTY: usize = 8;
/// What the JDK's classes, those under test and what is known of them take, about.
const FOR_CLASSES: usize = 192 << 20;
/// Time that a campaign takes where nothing else is said.
const USUAL_TIME: Duration = Duration::from_secs(30);
/// Sequences that are drawn beside states where nothing else is said: so many, and so many more for each class.
const USUAL_SEQUENCES: (u64, u64) = (20_000, 20_000);
/// The share of the time that states have.
const SHARE_OF_STATES: f64 = 0.25;

/// Generates; an `Err` is a usage or input error.
pub(crate) fn run(
    options: &GenerateOptions,
    machines: &Machines,
    class_path: &ClassPath,
    junit: &str,
    classes: &[String],
) -> Result<ExitCode, String> {
    let random = &options.random;
    let (limit, most_sequences) = match (options.explore.time, random.max_sequences) {
        (None, None) if options.strategy() == Strategy::All => {
            let n_classes = u64::try_from(classes.len()).unwrap_or(u64::MAX);
            let (all, each) = USUAL_SEQUENCES;
            (None, Some(all.saturating_add(n_classes.saturating_mul(each))))
        }
        (None, None) => (Some(USUAL_TIME), None),
        given => given,
    };
    let job = Job {
        classes: classes.to_vec(),
        choice: Choice {
            package_private: options.explore.package_private,
            methods: options.explore.method_names(),
        },
        literals: literals(options, machines, classes)?,
        implementations: inputs::implementations(machines),
        offer: offer(options),
        rules: rules(options, classes)?,
        settings: Settings {
            seed: options.machine.seed,
            choosing: match random.choose {
                Choose::Uniform => Choosing::Uniform,
                Choose::Guided => Choosing::Guided,
            },
            feedback: !random.no_feedback,
            repeat: random.repeat,
            most_repeats: random.max_repeats,
            longest: random.max_length,
            nulls: random.nulls,
            technique: options.explore.technique,
            mask: options.explore.mask(),
            fuel: options.explore.fuel,
            n_workers: options.explore.n_workers(),
            most_sequences: most_sequences.unwrap_or(u64::MAX),
            memory: for_sequences(options.machine.memory),
        },
    };
    let what = match classes {
        [only] => only.replace('/', "."),
        several => counted(several.len(), "class"),
    };
    // Better now than after the work.
    let other = versions::other(options)?;
    let of_search = match options.strategy() {
        Strategy::All => limit.map(|limit| limit.mul_f64(1.0 - SHARE_OF_STATES)),
        _ => limit,
    };
    let progress = Progress::new(&what, of_search);
    let n_workers = options.explore.n_workers();
    let budget = {
        let memory = options.machine.memory;
        Budget::new(&progress, most_sequences.is_some(), n_workers, memory)
    };
    let campaign = search(&job, machines, &budget).map_err(|error| error.to_string())?;
    watch::end_search();
    // Of several classes some may be left out; where there is but one, nothing is left.
    if let ([_], [(class, reason)], []) = (classes, &campaign.refused[..], &campaign.classes[..]) {
        let reason = reason.lines().next().unwrap_or_default();
        return Err(format!("{} cannot be tested: {reason}", class.replace('/', ".")));
    }
    let mut spent = Spent { search: progress.elapsed(), ..Spent::default() };
    let names = machines.class_files(class_path);
    let style = junit::Options::usual();
    let is_raw = |sequence: &Sequence| junit::needs_raw_types(sequence, &style, &names);
    let settled = findings::settle(&campaign, &job, machines, &is_raw, &budget)?;
    spent.findings = progress.elapsed() - spent.search;
    let mut outcome = Outcome {
        campaign,
        findings: settled.findings,
        is_outside: settled.is_outside,
        n_unstable: settled.n_unstable,
        offered: None,
        regression: Vec::new(),
        errors: Vec::new(),
        differences: None,
        versions: Vec::new(),
        spent,
    };
    if let Some(other) = &other {
        let (mut here, mut there) = (machines.worlds()?, other.worlds()?);
        let fuel = job.settings.fuel;
        let campaign = &outcome.campaign;
        outcome.differences =
            Some(versions::compare(campaign, (&mut here, &mut there), fuel, &is_raw, &progress));
    }
    if !options.count {
        outcome.offered = match options.strategy() {
            Strategy::All => Some(offers(options, machines, &outcome.campaign, limit, &progress)?),
            _ => None,
        };
        let is_nothing_called = outcome.campaign.calls.iter().all(|call| call.reason.is_some());
        if let Some([Offered { reason: Some(reason), .. }]) = outcome.offered.as_deref()
            && is_nothing_called
        {
            return Err(reason.clone());
        }
        emit(options, machines, class_path, junit, &job, &mut outcome, &budget)?;
    }
    let Spent { search, findings, real, .. } = outcome.spent;
    outcome.spent.tests = progress.elapsed().saturating_sub(search + findings + real);
    progress.done();
    let text = match options.format {
        Format::Human => report::human(options, &outcome),
        Format::Json => report::json(options, &outcome).render(),
    };
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
    let is_error = |finding: &Finding| finding.broken.severity == Severity::Error;
    let has_errors = outcome.findings.iter().any(is_error);
    Ok(if has_errors { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Kept sequences have one half of the memory that classes leave; the machines of a campaign share the rest, and
/// seldom need it all at the same time.
pub(crate) fn machine_options(options: &GenerateOptions) -> MachineOptions {
    let mut machine = options.machine.clone();
    // What a sequence does must not depend on how many work beside it.
    machine.memory = (machine.memory / SHARE).max(LEAST_MEMORY).min(machine.memory);
    machine
}

/// The part of the memory that is for kept sequences.
fn for_sequences(memory: usize) -> usize {
    memory.saturating_sub(FOR_CLASSES).max(memory / 4) / 2
}

/// What is to be made of the campaign.
fn offer(options: &GenerateOptions) -> Offer {
    let random = &options.random;
    if options.all || random.against.is_some() || random.against_jdk.is_some() {
        Offer::All
    } else if options.count {
        Offer::Nothing
    } else {
        Offer::Few
    }
}

/// Tests out of states of all classes. A class that cannot be tried so has none.
fn offers(
    options: &GenerateOptions,
    machines: &Machines,
    campaign: &Campaign,
    limit: Option<Duration>,
    progress: &Progress,
) -> Result<Vec<Offered>, String> {
    let jars = options.test_classpath.as_deref();
    let inputs = inputs::collect(machines, &options.explore, &options.machine, jars)?;
    let n_classes = campaign.classes.len();
    let share = SHARE_OF_STATES / f64::from(u32::try_from(n_classes.max(1)).unwrap_or(u32::MAX));
    let time = limit.map(|limit| limit.mul_f64(share));
    let mut all = Vec::new();
    for (idx, class) in campaign.classes.iter().enumerate() {
        progress.show(&format!("states of {idx} of {}", counted(n_classes, "class")));
        all.push(match watch::was_interrupted() {
            true => Offered::default(),
            false => offered(machines, (class, n_classes), &options.explore, &inputs, time)
                .unwrap_or_else(|reason| Offered { reason: Some(reason), ..Offered::default() }),
        });
    }
    Ok(all)
}

/// What a campaign came to.
struct Outcome {
    campaign: Campaign,
    findings: Vec<Finding>,
    /// By finding: whether it can have no test, since its calls touch files, programs or the network.
    is_outside: Vec<bool>,
    n_unstable: usize,
    /// By class: tests out of states, where they are asked for.
    offered: Option<Vec<Offered>>,
    regression: Vec<Written>,
    errors: Vec<Written>,
    /// Where another version differs, if one was asked for; and the tests that tell the two apart.
    differences: Option<Vec<Difference>>,
    versions: Vec<Written>,
    spent: Spent,
}

/// Makes, checks and writes the tests of all classes.
fn emit(
    options: &GenerateOptions,
    machines: &Machines,
    class_path: &ClassPath,
    junit: &str,
    job: &Job,
    outcome: &mut Outcome,
    budget: &Budget<'_>,
) -> Result<(), String> {
    let progress = budget.progress;
    let names = machines.class_files(class_path);
    let framework = generate::framework(options.junit);
    let real = (!options.no_verify).then(|| RealJvm {
        home: &machines.jdk.home,
        class_path: &machines.class_path,
        junit,
        framework,
        compiler: Compiler::default(),
        memory: options.machine.memory,
    });
    let emission = Emission {
        options,
        style: junit::Options { framework, ..junit::Options::usual() },
        names: &names,
        real,
        fuel: job.settings.fuel,
        real_time: Mutex::default(),
    };
    if options.max_tests > 0 {
        let offered = outcome.offered.as_deref();
        outcome.regression =
            emission.regression(&mut outcome.campaign, offered, machines, budget)?;
    }
    let suites = outcome.campaign.classes.iter().enumerate().map(|(idx, class)| {
        let differences = outcome.differences.iter().flatten();
        let tests = differences.filter(|one| one.class == idx).map(|one| one.test.clone());
        Suite { class: class.clone(), tests: tests.collect() }
    });
    outcome.versions = emission.versions(suites.collect(), progress)?;
    // A class without findings may have some of an earlier run.
    let mut by_class: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for class in &outcome.campaign.classes {
        by_class.entry(class).or_default();
    }
    let mut n_outside: BTreeMap<&str, usize> = BTreeMap::new();
    for (finding, &is_outside) in outcome.findings.iter().zip(&outcome.is_outside) {
        let class = finding.class();
        match is_outside {
            true => *n_outside.entry(class).or_default() += 1,
            false => by_class.entry(class).or_default().push(finding),
        }
    }
    let mut errors = emission.errors(&by_class, progress)?;
    for (written, class) in errors.iter_mut().zip(by_class.keys()) {
        written.counts.n_outside = n_outside.get(class).copied().unwrap_or(0);
    }
    outcome.errors = errors;
    let real_time = emission.real_time.into_inner();
    outcome.spent.real = real_time.unwrap_or_else(PoisonError::into_inner);
    write(options, outcome)
}

/// Writes all tests at once: whoever kills us finds the old files or the new ones, and none of two runs side
/// by side.
fn write(options: &GenerateOptions, outcome: &Outcome) -> Result<(), String> {
    let mut output = Output { files: Vec::new(), gone: Vec::new(), replaces: Replaces::Ours };
    let versions = outcome.differences.iter().flat_map(|_| &outcome.versions);
    for one in outcome.regression.iter().chain(versions).chain(&outcome.errors) {
        let sources = one.sources.iter();
        output
            .files
            .extend(sources.map(|it| (it.path.clone().into(), it.text.clone().into_bytes())));
        // What was interrupted says nothing of what it did not come to.
        if !watch::was_interrupted() {
            output.gone.extend_from_slice(&one.outdated);
        }
    }
    output::write(&options.output, &output)
}

/// The literals of `--literals`, and those that existing tests pass.
fn literals(
    options: &GenerateOptions,
    machines: &Machines,
    classes: &[String],
) -> Result<Literals, String> {
    let mut given: Vec<Constant> = seen_in_tests(options, machines, classes)?;
    if let Some(path) = &options.random.literals {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("--literals {}: {error}", path.display()))?;
        for (idx, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let literal = ::generate::arguments::literal(line).ok_or_else(|| {
                format!(
                    "--literals {}:{}: {line} is no literal of Java\nhint: write 42, 42L, 3.5, 'x' or \"text\"",
                    path.display(),
                    idx + 1
                )
            })?;
            given.push(literal);
        }
    }
    Ok(Literals { given, own: true })
}

/// The literals that existing tests pass to the classes under test.
fn seen_in_tests(
    options: &GenerateOptions,
    machines: &Machines,
    classes: &[String],
) -> Result<Vec<Constant>, String> {
    if options.explore.from_tests.is_empty() {
        return Ok(Vec::new());
    }
    let jars = options.test_classpath.as_deref();
    let inputs = inputs::collect(machines, &options.explore, &options.machine, jars)?;
    let mut session = machines.session().map_err(|error| error.to_string())?;
    let choice = Choice { package_private: true, methods: Vec::new() };
    let mut methods = Vec::new();
    for class in classes {
        // What cannot be loaded is told with the classes that cannot be tested.
        if let Ok(api) = api::of_class(&mut session, class, &choice) {
            methods.extend(api.constructors);
            methods.extend(api.statics);
            methods.extend(api.methods);
        }
    }
    let collected = inputs.collected(&mut session, classes, &methods, &options.explore);
    Ok(collected.pool.constants())
}

/// What is judged by.
fn rules(options: &GenerateOptions, classes: &[String]) -> Result<Rules, String> {
    let random = &options.random;
    let mut exceptions = Exceptions::standard();
    for (name, verdict) in random.verdicts() {
        exceptions.set(name, verdict).map_err(|error| error.to_string())?;
    }
    let mut user = Vec::new();
    for name in &random.contracts {
        // A file of names, or a name.
        if Path::new(name).is_file() {
            let text = std::fs::read_to_string(name).map_err(|error| format!("{name}: {error}"))?;
            let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
            user.extend(lines.filter(|line| !line.is_empty()).map(str::to_owned));
        } else {
            user.push(name.clone());
        }
    }
    let specs = match &random.specs {
        Some(path) => {
            let text = std::fs::read_to_string(path)
                .map_err(|error| format!("--specs {}: {error}", path.display()))?;
            Specs::parse(&text).map_err(|error| format!("--specs {}: {error}", path.display()))?
        }
        None => Specs::default(),
    };
    let annotated = classes.to_vec();
    Ok(Rules { user, annotated, off: random.no_contract.clone(), specs, exceptions })
}

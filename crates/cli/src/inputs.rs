//! Where argument lists come from beside options and defaults: the classes of the class path, and existing
//! tests, which are run and watched.

use std::collections::BTreeSet;
use std::sync::Arc;

use classfile::{ClassFile, ClassPath, access};
use generate::arguments::collected::{self, Collected, Wanted};
use generate::arguments::{Candidate, Implementations};
use observe::harvest::{Harvest, Harvester};
use observe::junit::{self, Limits};
use observe::record::stopped_classes;
use observe::session::Session;
use suite::method::Method;

use crate::junit::with_progress;
use crate::machines::Machines;
use crate::options::{ExploreOptions, MachineOptions};
use crate::os_host::OsHost;
use crate::watch::is_interrupted;
use crate::{run, target};

/// Collected once for all classes under test.
pub(crate) struct Inputs {
    /// What stands in for interfaces and abstract classes.
    pub(crate) implementations: Arc<Implementations>,
    /// What existing tests did, where they are asked.
    pub(crate) tests: Option<Tests>,
}

/// Existing tests that were run.
pub(crate) struct Tests {
    harvest: Harvest,
    /// Tests that ran, and tests that did not pass.
    pub(crate) n_tests: usize,
    pub(crate) n_failed: usize,
    /// Test classes that stop the machine, with dots; nothing of them is used.
    pub(crate) left_out: Vec<String>,
}

impl Inputs {
    /// What existing tests called these methods with, and did with objects of these classes.
    pub(crate) fn collected(
        &self,
        session: &mut Session,
        classes: &[String],
        methods: &[Arc<Method>],
        options: &ExploreOptions,
    ) -> Collected {
        let Some(tests) = &self.tests else { return Collected::default() };
        let mask = options.mask();
        let wanted = Wanted { classes, methods, mask: &mask, fuel: options.fuel };
        collected::collect(session, &tests.harvest, &wanted)
    }
}

/// Everything that can be collected. `junit` are further jars that existing tests may need.
pub(crate) fn collect(
    machines: &Machines,
    options: &ExploreOptions,
    machine: &MachineOptions,
    junit: Option<&str>,
) -> Result<Inputs, String> {
    let tests = match options.from_tests.is_empty() {
        true => None,
        false => Some(watch(machines, options, machine, junit)?),
    };
    Ok(Inputs { implementations: implementations(machines), tests })
}

/// What the classes of the class path implement and extend, read when it is first asked for.
pub(crate) fn implementations(machines: &Machines) -> Arc<Implementations> {
    let spec = machines.class_path.clone();
    Arc::new(Implementations::new(Box::new(move || candidates(&spec))))
}

/// Runs the tests and watches the border of test code. Where a test stops the machine, its class is left
/// out and everything starts again.
fn watch(
    machines: &Machines,
    options: &ExploreOptions,
    machine: &MachineOptions,
    junit: Option<&str>,
) -> Result<Tests, String> {
    const PARALLEL: &str = "junit.jupiter.execution.parallel.enabled";
    let folders: Vec<String> =
        options.from_tests.iter().map(|folder| folder.display().to_string()).collect();
    let folders = folders.join(":");
    let working_dir =
        std::env::current_dir().map_err(|error| format!("working folder: {error}"))?;
    let classes = match junit {
        Some(junit) => format!("{}:{junit}", machines.class_path),
        None => machines.class_path.clone(),
    };
    let release = machines.session().map_err(|error| error.to_string())?.vm.jdk;
    let target = target::find_suite(&folders, &classes, &working_dir, release)
        .map_err(|error| format!("--from-tests: {error}"))?;
    let mut machine = MachineOptions { classpath: target.class_path, ..machine.clone() };
    machine.properties.retain(|(name, _)| name != PARALLEL);
    machine.properties.push((PARALLEL.to_owned(), "false".to_owned()));
    let in_tests = ClassPath::parse(&folders).map_err(|error| error.to_string())?;
    let in_tests: Arc<BTreeSet<String>> = Arc::new(in_tests.class_names().into_iter().collect());
    let mut plan = target.plan;
    let mut left_out = Vec::new();
    loop {
        let mut vm = run::boot(&machine, OsHost::new().without_streams())?;
        let names = in_tests.clone();
        let is_test = Box::new(move |name: &str| is_part_of(&names, name));
        let mut harvester = Harvester::new(is_test, options.mask());
        let hear = with_progress(Box::new(|_| {}));
        let limits = Limits { test_fuel: options.fuel.max(1 << 32), is_enough: is_interrupted };
        let report = junit::run_limited(&mut vm, &mut harvester, &plan, limits, hear)
            .map_err(|error| run::no_junit(&error))?;
        let harvest = harvester.finish(&mut vm);
        let counts = report.counts();
        // What was seen until an interrupt is kept.
        let stop = report.stop.as_ref().filter(|_| !is_interrupted());
        let Some(stop) = stop else {
            return Ok(Tests { harvest, n_tests: counts.all(), n_failed: counts.failed, left_out });
        };
        let stopped = stopped_classes(&report, &plan);
        if stopped.is_empty() {
            return Err(format!("--from-tests: the tests cannot be run: {}", run::reason(stop)));
        }
        for list in [&mut plan.platform, &mut plan.junit4, &mut plan.junit3] {
            list.retain(|class| !stopped.contains(class));
        }
        let stopped = stopped.iter().map(|class| class.replace('/', "."));
        for class in stopped {
            crate::say(&format!("left out: {class} stops the machine: {}", run::reason(stop)));
            left_out.push(class);
        }
        if plan.platform.is_empty() && plan.junit4.is_empty() && plan.junit3.is_empty() {
            let harvest = Harvest::default();
            return Ok(Tests { harvest, n_tests: 0, n_failed: 0, left_out });
        }
    }
}

/// Whether a class is one of these, or a lambda or other part of one.
fn is_part_of(names: &BTreeSet<String>, name: &str) -> bool {
    let mut name = name.split('+').next().unwrap_or(name);
    loop {
        if names.contains(name) {
            return true;
        }
        match name.rsplit_once('$') {
            Some((outer, _)) if !outer.is_empty() => name = outer,
            _ => return false,
        }
    }
}

/// The classes of a class path.
fn candidates(spec: &str) -> Vec<Candidate> {
    // What is wrong with the class path was said before.
    let Ok(class_path) = ClassPath::parse(spec) else { return Vec::new() };
    let mut candidates = Vec::new();
    for (entry, files) in class_path.entries().iter().enumerate() {
        let mut names = files.class_names();
        names.sort();
        for name in names {
            let Some(Ok(bytes)) = files.find(&format!("{name}.class"), crate::class_files::RELEASE)
            else {
                continue;
            };
            let Ok(file) = ClassFile::parse(bytes) else { continue };
            candidates.push(candidate(&file, entry));
        }
    }
    candidates
}

fn candidate(file: &ClassFile, entry: usize) -> Candidate {
    let text = |name: &[u8]| Arc::<str>::from(classfile::mutf8::display(name));
    let pool = file.constant_pool();
    let own = file
        .inner_classes()
        .into_iter()
        .find(|inner| pool.try_class_name(inner.inner) == Some(file.name()));
    let flags = own.map_or(file.access_flags(), |inner| inner.flags);
    // A nested class that needs an object of the outer one is made by nobody else.
    let stands_alone = own.is_none_or(|inner| {
        inner.flags & access::STATIC != 0 && pool.try_class_name(inner.outer).is_some()
    });
    let no_objects = access::ABSTRACT | access::INTERFACE | access::ENUM | access::SYNTHETIC;
    Candidate {
        name: text(file.name()),
        supertypes: file.super_name().into_iter().chain(file.interfaces()).map(text).collect(),
        is_usable: flags & access::PUBLIC != 0 && flags & no_objects == 0 && stands_alone,
        entry,
    }
}

//! `nonpareil reduce`: runs a suite, puts its failing tests into classes by cause, and prunes the shortest test
//! of each class to what shows the cause.

mod compiler;
mod failure;
mod real;
mod scope;
mod show;
mod suite;
mod trial;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use distill::group::{self, Group};
use emit::prune::{Focus, Freedom, Tied, alone, prune, renamed};

use crate::counted::counted;
use crate::files::TemporaryFolder;
use crate::jdk;
use crate::minimize::machine_options;
use crate::minimize::sources::resolved;
use crate::options::{Format, MachineOptions, ReduceOptions};
use crate::os_host::OsHost;
use crate::output::{self, Output, Replaces};
use crate::run::boot;
use crate::watch::{self, Progress};
use compiler::Compiler;
use failure::Cause;
use real::RealJvm;
use scope::{Scope, Source};
use trial::{Bench, Candidate};

/// So many tests of a class of failures are tried before it is shown as it is.
const MOST_REPRESENTATIVES: usize = 3;

/// A test that failed.
struct Failed {
    /// `shop.CartTest.addsOne`.
    name: String,
    cause: Cause,
    /// Where it stands, or why it cannot be pruned.
    source: Result<Source, String>,
}

/// A class of failures.
struct Class {
    /// Positions of its tests, ascending.
    members: Vec<usize>,
    /// The test that stands for it.
    representative: usize,
    /// What it was pruned to, or why it was not; nothing where that was not asked for.
    reduced: Option<Result<Reduced, String>>,
}

/// A test class that shows a cause.
struct Reduced {
    /// Binary name of its outermost class.
    class: String,
    /// Below the folder for output.
    path: PathBuf,
    text: String,
    /// The text in the encoding of the user's source.
    bytes: Vec<u8>,
    /// The test's own source.
    method: String,
    n_statements: usize,
    /// Why nobody knows whether it fails the same way on the real JVM, or that it does not.
    doubt: Option<String>,
}

/// Reduces the suite; an `Err` is a usage or input error.
pub(crate) fn run(options: &ReduceOptions) -> Result<ExitCode, String> {
    if !options.sources.is_dir() {
        return Err(format!("--sources {}: there is no such folder", options.sources.display()));
    }
    if let Some(output) = &options.output {
        output::check_folder("--output", output)?;
        let (target, source) = (resolved(output), resolved(&options.sources));
        if target.starts_with(&source) || source.starts_with(&target) {
            return Err(format!(
                "--output {} and the sources lie in each other\nhint: reduced test classes get a folder of their own",
                output.display()
            ));
        }
    }
    watch::catch_interrupts();
    let machine = machine_options(&options.machine, &options.tests)?;
    let (scope, report, calls) = suite::run(options, &machine)?;
    let counts = report.counts();
    if counts.all() == 0 {
        return Err("JUnit finds no tests".to_owned());
    }
    let failed = suite::failed_tests(options, &scope, &report, &calls)?;
    let found: Vec<group::Found> = failed.iter().map(Failed::found).collect();
    let groups = group::group(&found);
    let classes = if failed.is_empty() {
        Vec::new()
    } else {
        reduce_all(options, &machine, &scope, &failed, groups)?
    };
    if let Some(folder) = &options.output {
        let reduced = classes.iter().filter_map(|class| class.reduced.as_ref()?.as_ref().ok());
        let reduced = reduced.filter(|reduced| reduced.doubt.is_none());
        let files = reduced.map(|reduced| (reduced.path.clone(), reduced.bytes.clone())).collect();
        output::write(folder, &Output { files, gone: Vec::new(), replaces: Replaces::All })?;
    }
    let text = match options.format {
        Format::Human => show::human(options, counts, &failed, &classes),
        Format::Json => show::json(options, counts, &failed, &classes).render(),
    };
    // Whoever closed standard output does not want to know.
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
    Ok(if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Failed {
    fn found(&self) -> group::Found {
        // A test that cannot be pruned stands for others only where none can.
        let length = self.source.as_ref().map_or(usize::MAX, |source| source.length);
        self.cause.found(length)
    }
}

/// Reduces a representative of each class.
fn reduce_all(
    options: &ReduceOptions,
    machine: &MachineOptions,
    scope: &Scope,
    failed: &[Failed],
    groups: Vec<Group>,
) -> Result<Vec<Class>, String> {
    let folder = TemporaryFolder::new()?;
    let home = jdk::find(machine.jdk.as_deref())?.home;
    let mut bench = None;
    let mut classes: Vec<Class> = Vec::new();
    let is_wanted = !options.no_shrink || options.output.is_some();
    let n_groups = groups.len();
    for (number, group) in groups.into_iter().enumerate() {
        if !is_wanted || watch::is_interrupted() {
            let Group { representative, members } = group;
            let reduced = is_wanted.then(|| Err("interrupted".to_owned()));
            classes.push(Class { members, representative, reduced });
            continue;
        }
        let mut tried = group.members.clone();
        tried.sort_by_key(|&idx| (failed[idx].found().length, idx));
        tried.truncate(MOST_REPRESENTATIVES);
        let mut reduced = Err("nothing was tried".to_owned());
        let mut representative = group.representative;
        for (attempt, &idx) in tried.iter().enumerate() {
            let source = match &failed[idx].source {
                Ok(source) => source,
                Err(_) if attempt > 0 => break,
                Err(why) => {
                    reduced = Err(why.clone());
                    break;
                }
            };
            // Neither is needed where nothing can be pruned.
            let bench = match &mut bench {
                Some(bench) => bench,
                none => none.insert(new_bench(options, machine, scope, &home, &folder.path)?),
            };
            let progress = Progress::new(&format!("class {} of {n_groups}", number + 1), None);
            let cause = &failed[idx].cause;
            let done = classes.iter().filter_map(|class| class.reduced.as_ref()?.as_ref().ok());
            let taken: Vec<&str> = done.map(|reduced| reduced.class.as_str()).collect();
            let one = reduce(options, bench, source, cause, &taken, &progress);
            progress.done();
            let one = one?;
            let is_done = one.is_ok();
            if is_done || attempt == 0 {
                reduced = one;
                representative = idx;
            }
            if is_done {
                break;
            }
        }
        classes.push(Class { members: group.members, representative, reduced: Some(reduced) });
    }
    Ok(classes)
}

/// A machine whose class path begins with what the compiler writes.
fn new_bench<'a>(
    options: &ReduceOptions,
    machine: &MachineOptions,
    scope: &'a Scope,
    home: &Path,
    folder: &Path,
) -> Result<Bench<'a>, String> {
    let compiler = Compiler::start(home, &machine.classpath, folder)?;
    let mut machine = machine.clone();
    machine.classpath = format!("{}:{}", compiler.classes.display(), machine.classpath);
    // What tests print was shown when the suite ran.
    let vm = boot(&machine, OsHost::new().without_streams())?;
    let real = RealJvm {
        home: home.to_owned(),
        class_path: machine.classpath,
        folder: folder.to_owned(),
        properties: machine.properties,
        enable_assertions: machine.enable_assertions,
    };
    Ok(Bench { scope, vm, compiler, fuel: options.fuel, real, n_denied: 0 })
}

/// Prunes one test; `Ok(Err)` says why it stays as it is.
fn reduce(
    options: &ReduceOptions,
    bench: &mut Bench<'_>,
    source: &Source,
    cause: &Cause,
    taken: &[&str],
    progress: &Progress,
) -> Result<Result<Reduced, String>, String> {
    let outer = source.focus.class.split('$').next().unwrap_or(&source.focus.class);
    let (package, simple) =
        outer.rsplit_once('.').map_or(("", outer), |(package, name)| (package, name));
    // One method may show several causes, with other parameters.
    let mut own = format!("{simple}_{}", source.focus.method);
    let full =
        |own: &str| if package.is_empty() { own.to_owned() } else { format!("{package}.{own}") };
    let mut number = 1;
    while taken.contains(&full(&own).as_str()) {
        number += 1;
        own = format!("{simple}_{}_{number}", source.focus.method);
    }
    let class = full(&own);
    let text = match renamed(&source.written.text, simple, &own) {
        Ok(text) => text,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let candidate = Candidate {
        path: source.relative.with_file_name(format!("{own}.java")).display().to_string(),
        method: source.focus.method.clone(),
        class: class.clone(),
        original: outer.replace('.', "/"),
    };
    let focus = Focus {
        class: format!("{class}{}", &source.focus.class[outer.len()..]),
        ..source.focus.clone()
    };
    // Other tests are not needed, unless this one fails because of them.
    let Ok(alone) = alone(&text, &focus) else {
        return Ok(Err("its source is not understood".to_owned()));
    };
    let mut start = None;
    let mut why = None;
    for text in [&alone, &text] {
        let reason = match bench.run(&candidate, text)? {
            Ok(causes) if causes.iter().any(|other| other.is_like(cause)) => {
                start = Some(text);
                break;
            }
            Ok(causes) if causes.is_empty() => "it passes when it runs alone".to_owned(),
            Ok(_) => "it fails in another way when it runs alone".to_owned(),
            Err(reason) => reason,
        };
        why.get_or_insert(reason);
    }
    let Some(start) = start else { return Ok(Err(why.unwrap_or_default())) };
    // A line elsewhere ties everything.
    let line = cause.line.as_ref().filter(|(of, _)| *of == source.focus.class);
    let freedom = match Tied::to_line(&text, &focus, line.map_or(0, |(_, line)| *line)) {
        _ if cause.is_crash => Freedom::All,
        Ok(tied) => Freedom::AllBut(tied),
        Err(error) => return Ok(Err(error.to_string())),
    };
    let mut trouble = None;
    let mut n_tried = 0;
    // On the real JVM a pruned test must do nothing to files that the user's own does not do.
    let most_denied = bench.n_denied;
    let mut still = |text: &str| {
        if watch::is_interrupted() {
            return false;
        }
        n_tried += 1;
        progress.show(&format!("{} tried", counted(n_tried, "source")));
        match bench.run(&candidate, text) {
            Ok(Ok(causes)) => {
                bench.n_denied <= most_denied && causes.iter().any(|other| other.is_like(cause))
            }
            Ok(Err(_)) => false,
            Err(error) => {
                trouble = Some(error);
                false
            }
        }
    };
    let most_tries = if options.no_shrink { 0 } else { options.max_tries };
    let pruned = prune(start, &focus, &freedom, &mut still, most_tries);
    if let Some(trouble) = trouble {
        return Err(trouble);
    }
    let pruned = match pruned {
        Ok(pruned) => pruned,
        Err(error) => return Ok(Err(error.to_string())),
    };
    // What is shown is what is run: the last candidate may have been another.
    if let Err(why) = bench.compiler.compile(&candidate.path, &pruned.text)? {
        return Ok(Err(format!("it does not compile: {why}")));
    }
    let plan = candidate.plan(&bench.scope.plan);
    let doubt = bench.real.confirm(bench.scope, &candidate, &plan, cause)?.err();
    let method = show::method_of(&pruned.text, &focus).unwrap_or_default();
    let path = PathBuf::from(&candidate.path);
    Ok(Ok(Reduced {
        class,
        path,
        bytes: source.written.bytes_of(&pruned.text),
        text: pruned.text,
        method,
        n_statements: pruned.n_statements,
        doubt,
    }))
}

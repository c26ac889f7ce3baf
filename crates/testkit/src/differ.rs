//! Runs fixtures on `java` and on our machine and reports where they disagree.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::compare::{self, Difference};
use crate::compile::{self, CompileError};
use crate::fixture::Fixture;
use crate::jdk::Jdk;
use crate::oracle;
use crate::process::{self, Finished};

/// What to run and how.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Our machine's command.
    pub machine: PathBuf,
    /// The build folder that caches classes and answers.
    pub target: PathBuf,
    /// The JDK both machines use.
    pub jdk: Jdk,
    /// Time for one run of one fixture.
    pub limit: Duration,
    /// How many fixtures run at once.
    pub jobs: usize,
}

/// What came out for one fixture.
#[derive(Debug)]
pub struct Verdict {
    /// The program.
    pub fixture: Fixture,
    /// What `java` did.
    pub java: Finished,
    /// What our machine did.
    pub ours: Finished,
    /// How long our machine took.
    pub elapsed: Duration,
    /// Where they differ, if they do.
    pub difference: Option<Difference>,
}

/// Runs all fixtures; `report` hears each verdict, in order, as soon as it is known.
pub fn run(
    plan: &Plan,
    fixtures: &[Fixture],
    report: &mut (dyn FnMut(&Verdict) + Send),
) -> Result<(), CompileError> {
    let cache = compile::cache(&plan.target, &plan.jdk);
    let fixtures: Vec<&Fixture> =
        fixtures.iter().filter(|fixture| fixture.runs_on(plan.jdk.release)).collect();
    let classes = compile_groups(plan, &cache, &fixtures)?;
    let trouble = |error| CompileError::Io(cache.clone(), error);
    let judged = in_order(
        plan.jobs,
        fixtures.len(),
        |idx| judge(plan, &cache, fixtures[idx], &classes[idx]),
        &mut |verdict: &io::Result<Verdict>| {
            if let Ok(verdict) = verdict {
                report(verdict);
            }
        },
    );
    judged.into_iter().collect::<io::Result<Vec<Verdict>>>().map_err(trouble)?;
    Ok(())
}

/// The folder of class files for each fixture.
fn compile_groups(
    plan: &Plan,
    cache: &Path,
    fixtures: &[&Fixture],
) -> Result<Vec<PathBuf>, CompileError> {
    let trouble = |error| CompileError::Io(cache.to_path_buf(), error);
    fs::create_dir_all(cache).map_err(trouble)?;
    // Two commands may start at once; the second waits and finds the classes made.
    let lock = File::create(cache.join("lock")).map_err(trouble)?;
    lock.lock().map_err(trouble)?;
    let groups: Vec<&[&Fixture]> =
        fixtures.chunk_by(|one, other| one.group == other.group).collect();
    let folders = in_order(
        plan.jobs,
        groups.len(),
        |idx| {
            let all = whole_group(groups[idx])?;
            compile::group(cache, &plan.jdk, &all.iter().collect::<Vec<_>>())
        },
        &mut |_| {},
    );
    let mut classes = Vec::with_capacity(fixtures.len());
    for (group, folder) in groups.iter().zip(folders) {
        let folder = folder?;
        classes.extend(group.iter().map(|_| folder.clone()));
    }
    Ok(classes)
}

/// A group is compiled as a whole even when a filter left only some of its members.
fn whole_group(members: &[&Fixture]) -> Result<Vec<Fixture>, CompileError> {
    let Some(folder) = members.first().and_then(|fixture| fixture.source.parent()) else {
        return Ok(Vec::new());
    };
    let groups = folder.parent().unwrap_or(folder);
    let all = crate::fixture::discover(groups)
        .map_err(|error| CompileError::Io(groups.to_path_buf(), error))?;
    Ok(all.into_iter().filter(|fixture| fixture.group == members[0].group).collect())
}

fn judge(plan: &Plan, cache: &Path, fixture: &Fixture, classes: &Path) -> io::Result<Verdict> {
    let java = oracle::ask(cache, &plan.jdk, fixture, classes, plan.limit)?;
    let mut command = Command::new(&plan.machine);
    oracle::settle(&mut command, &plan.jdk);
    command.arg("run").arg("--classpath").arg(fixture.class_path(classes));
    command.args(&fixture.grants);
    command.arg(&fixture.name).args(&fixture.args);
    let start = Instant::now();
    let ours = process::run(&mut command, &fixture.stdin, plan.limit)?;
    let elapsed = start.elapsed();
    let difference = compare::first(&java, &ours);
    Ok(Verdict { fixture: fixture.clone(), java, ours, elapsed, difference })
}

/// Computes `count` results on `jobs` threads and hears each, in order, when it is ready.
fn in_order<T: Send>(
    jobs: usize,
    count: usize,
    compute: impl Fn(usize) -> T + Sync,
    hear: &mut (dyn FnMut(&T) + Send),
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = std::sync::mpsc::channel();
    let mut results: Vec<Option<T>> = (0..count).map(|_| None).collect();
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            let (sender, next, compute) = (sender.clone(), &next, &compute);
            scope.spawn(move || {
                loop {
                    let idx = next.fetch_add(1, Ordering::Relaxed);
                    if idx >= count || sender.send((idx, compute(idx))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut heard = 0;
        for (idx, result) in receiver {
            results[idx] = Some(result);
            while let Some(Some(ready)) = results.get(heard) {
                hear(ready);
                heard += 1;
            }
        }
    });
    results.into_iter().flatten().collect()
}

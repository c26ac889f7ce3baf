//! `differ [options] [filter…]`: which fixtures agree between `java` and our machine.
//!
//! A filter is a part of `group/Name`, or all of it; a fixture runs if any filter fits.
//! Prints one line per fixture, the first difference of those that disagree, and a summary.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Duration;

use testkit::differ::{self, Plan, Verdict};
use testkit::fixture::{self, Fixture};
use testkit::jdk::{self, Jdk};
use testkit::{compile, root};

const USAGE: &str = "\
usage: differ [options] [filter...]
  --jdk 17|25     only this release (default: both)
  --jobs N        fixtures at once (default 2)
  --limit SECONDS time for one run (default 20)
  --release       use the release build of our machine
  --machine PATH  use this command and build nothing
  --no-build      do not build our machine first
  --failing       only what disagreed when last run
  --quiet         no line for fixtures that agree
  --show          print both outputs in full for those that disagree
  --list          only list the fixtures
a filter is a part of group/Name";

struct Options {
    jdk: Option<u32>,
    jobs: usize,
    limit: Duration,
    release: bool,
    machine: Option<PathBuf>,
    build: bool,
    failing: bool,
    quiet: bool,
    show: bool,
    list: bool,
    filters: Vec<String>,
}

fn main() -> ExitCode {
    let outcome = options().and_then(|options| differ_all(&options));
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            say(&message);
            ExitCode::from(2)
        }
    }
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        jdk: None,
        jobs: 2,
        limit: Duration::from_secs(20),
        release: false,
        machine: None,
        build: true,
        failing: false,
        quiet: false,
        show: false,
        list: false,
        filters: Vec::new(),
    };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut number = || {
            let value = args.next().unwrap_or_default();
            value.parse::<u64>().map_err(|_| format!("{arg} needs a number, not `{value}`"))
        };
        match arg.as_str() {
            "--jdk" => options.jdk = Some(number()? as u32),
            "--jobs" => options.jobs = number()? as usize,
            "--limit" => options.limit = Duration::from_secs(number()?),
            "--release" => options.release = true,
            "--machine" => options.machine = args.next().map(PathBuf::from),
            "--no-build" => options.build = false,
            "--failing" => options.failing = true,
            "--quiet" => options.quiet = true,
            "--show" => options.show = true,
            "--list" => options.list = true,
            _ if arg.starts_with('-') => return Err(USAGE.to_owned()),
            _ => options.filters.push(arg),
        }
    }
    Ok(options)
}

fn differ_all(options: &Options) -> Result<bool, String> {
    let folder = root::repository().join("fixtures/vm");
    let fixtures =
        fixture::discover(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let fixtures = fixture::choose(fixtures, &options.filters);
    if options.list {
        fixtures.iter().for_each(|fixture| say(&fixture.path()));
        return Ok(true);
    }
    let mut jdks = jdk::installed();
    jdks.retain(|jdk| options.jdk.is_none_or(|release| release == jdk.release));
    if jdks.is_empty() {
        return Err("no JDK 17 or 25 found; set JAVA_HOME".to_owned());
    }
    let machine = machine(options)?;
    let mut all_agree = true;
    for jdk in jdks {
        let plan = Plan {
            machine: machine.clone(),
            target: root::target(),
            jdk,
            limit: options.limit,
            jobs: options.jobs,
        };
        all_agree &= differ_one(options, &plan, &fixtures)?;
    }
    Ok(all_agree)
}

/// The command of our machine, built first unless told otherwise.
fn machine(options: &Options) -> Result<PathBuf, String> {
    if let Some(machine) = &options.machine {
        return machine.canonicalize().map_err(|error| format!("{}: {error}", machine.display()));
    }
    if options.build {
        let mut cargo = Command::new("cargo");
        cargo.args(["build", "--quiet", "--package", "cli", "--bin", "nonpareil"]);
        if options.release {
            cargo.arg("--release");
        }
        let status = cargo.current_dir(root::repository()).status();
        if !status.is_ok_and(|status| status.success()) {
            return Err("our machine does not build".to_owned());
        }
    }
    let profile = if options.release { "release" } else { "debug" };
    Ok(root::target().join(profile).join("nonpareil"))
}

fn differ_one(options: &Options, plan: &Plan, fixtures: &[Fixture]) -> Result<bool, String> {
    let mut memory = Memory::read(&plan.target, &plan.jdk);
    let mut fixtures = fixtures.to_vec();
    if options.failing {
        fixtures.retain(|fixture| !memory.agreed.contains(&fixture.path()));
    }
    let (mut agree, mut total, mut lost) = (0, 0, Vec::new());
    let release = plan.jdk.release;
    differ::run(plan, &fixtures, &mut |verdict| {
        let path = verdict.fixture.path();
        total += 1;
        if verdict.difference.is_none() {
            agree += 1;
            memory.agreed.insert(path);
        } else if memory.agreed.remove(&path) {
            lost.push(path);
        }
        print(options, release, verdict);
    })
    .map_err(|error| error.to_string())?;
    if options.machine.is_none() {
        memory.write()?;
    }
    if !lost.is_empty() {
        say(&format!("agreed before, not now: {}", lost.join(" ")));
    }
    say(&format!("JDK {release}: {agree} of {total} agree"));
    Ok(agree == total)
}

fn print(options: &Options, release: u32, verdict: &Verdict) {
    let path = verdict.fixture.path();
    let millis = verdict.elapsed.as_millis();
    let Some(difference) = &verdict.difference else {
        if !options.quiet {
            say(&format!("ok   {release} {path} ({millis} ms)"));
        }
        return;
    };
    say(&format!("FAIL {release} {path} ({millis} ms, {})", verdict.ours.end));
    say(&format!("     {difference}"));
    if options.show {
        let streams = [
            ("java stdout", &verdict.java.stdout),
            ("ours stdout", &verdict.ours.stdout),
            ("java stderr", &verdict.java.stderr),
            ("ours stderr", &verdict.ours.stderr),
        ];
        for (name, bytes) in streams {
            say(&format!("---- {name}\n{}", String::from_utf8_lossy(bytes)));
        }
        return;
    }
    let stderr = String::from_utf8_lossy(&verdict.ours.stderr);
    for line in stderr.lines().take(6) {
        say(&format!("     > {}", line.chars().take(300).collect::<String>()));
    }
}

/// Which fixtures agreed when last run, so that a loss is seen.
struct Memory {
    file: PathBuf,
    agreed: BTreeSet<String>,
}

impl Memory {
    fn read(target: &std::path::Path, jdk: &Jdk) -> Memory {
        let file = compile::cache(target, jdk).join("agreed");
        let text = fs::read_to_string(&file).unwrap_or_default();
        Memory { file, agreed: text.lines().map(str::to_owned).collect() }
    }

    fn write(&self) -> Result<(), String> {
        let lines: String = self.agreed.iter().map(|path| format!("{path}\n")).collect();
        fs::write(&self.file, lines).map_err(|error| format!("{}: {error}", self.file.display()))
    }
}

/// Writes a line; a closed pipe (`| head`) is no failure.
fn say(line: &str) {
    let _ = writeln!(io::stdout(), "{line}");
}

//! Speed of our machine beside `java -Xint` and plain `java`, measured in turns in one run; what
//! starting costs; what marks, calls and machines cost; how fast states are explored; what minimising costs; how fast mutants
//! are judged; how fast random sequences are drawn.
//!
//! Machines are noisy, so only ratios of the best of several alternating runs are worth reading.
//! Every program prints a checksum; all must print the same.

mod explore;
mod inspect;
mod minimize;
mod mutants;
mod native_stack;
mod random;
mod record;

pub(crate) use minimize::jars;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const ROUNDS: usize = 5;
/// Starting takes so little time that chance counts for more.
const HELLO_ROUNDS: usize = 25;
const CLASSES: &str = "target/bench-classes";

/// Whether the results are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// They are only printed.
    No,
    /// They are also written to `benches/results/<date>.md`.
    Record,
}

/// Compiles the programs of `fixtures/bench`, runs them in turns, prints the tables.
pub(crate) fn run(binary: &str, filter: &[&str], keep: Keep) -> Result<(), String> {
    let java_home = java_home()?;
    let load = record::load();
    let sources = sources("fixtures/bench")?;
    let hello = compile(&java_home, &sources)?;
    if filter == ["minimize"] {
        return minimize::run(binary, &java_home).map(|_| ());
    }
    if filter == ["mutants"] {
        return mutants::run(binary, &java_home).map(|_| ());
    }
    if filter == ["random"] {
        return random::run(binary, &java_home).map(|_| ());
    }
    let mut text = programs(binary, &java_home, &sources, filter)?;
    if filter.is_empty() {
        text.push_str(&start_up(binary, &java_home, &hello)?);
        text.push_str(&machine()?);
        text.push_str(&explore::run(binary, &java_home)?);
        text.push_str(&inspect::run(binary, &java_home)?);
        text.push_str(&minimize::run(binary, &java_home)?);
        text.push_str(&mutants::run(binary, &java_home)?);
        text.push_str(&random::run(binary, &java_home)?);
    }
    if keep == Keep::Record {
        let path = record::write(&java_home, &load, &text)?;
        say(&format!("written to {}", path.display()));
    }
    Ok(())
}

fn sources(folder: &str) -> Result<Vec<PathBuf>, String> {
    let mut sources: Vec<PathBuf> = std::fs::read_dir(folder)
        .map_err(|e| format!("{folder}: {e}"))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "java"))
        .collect();
    sources.sort();
    Ok(sources)
}

/// Compiles the programs and the one that only starts; gives the latter's name.
fn compile(java_home: &Path, programs: &[PathBuf]) -> Result<String, String> {
    let hello = sources("fixtures/bench/hello")?;
    std::fs::create_dir_all(CLASSES).map_err(|e| format!("{CLASSES}: {e}"))?;
    let javac = Command::new(java_home.join("bin/javac"))
        .args(["-nowarn", "-d", CLASSES])
        .args(programs)
        .args(&hello)
        .output()
        .map_err(|e| format!("javac: {e}"))?;
    if !javac.status.success() {
        return Err(format!("javac failed:\n{}", String::from_utf8_lossy(&javac.stderr)));
    }
    hello.first().map(|path| name_of(path)).ok_or_else(|| "fixtures/bench/hello is empty".into())
}

fn name_of(source: &Path) -> String {
    source.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
}

fn ours(binary: &str, java_home: &Path, name: &str) -> Vec<String> {
    let home = java_home.display().to_string();
    [binary, "run", "--jdk", &home, "--classpath", CLASSES, name].map(str::to_owned).to_vec()
}

fn theirs(java_home: &Path, options: &[&str], name: &str) -> Vec<String> {
    let java = java_home.join("bin/java").display().to_string();
    let rest = ["-cp", CLASSES, name];
    std::iter::once(java.as_str())
        .chain(options.iter().copied())
        .chain(rest)
        .map(str::to_owned)
        .collect()
}

/// The programs that run for a while.
fn programs(
    binary: &str,
    java_home: &Path,
    sources: &[PathBuf],
    filter: &[&str],
) -> Result<String, String> {
    let mut text = String::from("## Programs\n\n");
    line(
        &mut text,
        "| program | nonpareil ms | java -Xint ms | java ms | speed against -Xint | against java |",
    );
    line(&mut text, "|---|---|---|---|---|---|");
    let mut logs = 0.0;
    let mut n = 0_u32;
    for name in sources.iter().map(|source| name_of(source)) {
        if !filter.is_empty() && !filter.contains(&name.as_str()) {
            continue;
        }
        let commands = [
            ours(binary, java_home, &name),
            theirs(java_home, &["-Xint"], &name),
            theirs(java_home, &[], &name),
        ];
        let ms = in_turns(&name, &commands, ROUNDS)?;
        let (against_xint, against_java) = (ms[1] / ms[0], ms[2] / ms[0]);
        logs += against_xint.ln();
        n += 1;
        let row = format!(
            "| {name} | {:.0} | {:.0} | {:.0} | {against_xint:.2}x | {against_java:.2}x |",
            ms[0], ms[1], ms[2]
        );
        line(&mut text, &row);
    }
    let mean = (logs / f64::from(n.max(1))).exp();
    line(
        &mut text,
        &format!("\nGeometric mean against java -Xint: {mean:.2}x over {n} programs.\n"),
    );
    Ok(text)
}

/// Hello world, from the start of the process to its end.
fn start_up(binary: &str, java_home: &Path, name: &str) -> Result<String, String> {
    let commands = [ours(binary, java_home, name), theirs(java_home, &["-Xshare:auto"], name)];
    // The first run leaves the boot image for the others.
    timed(&commands[0])?;
    let ms = in_turns(name, &commands, HELLO_ROUNDS)?;
    let mut text = String::from("## Start\n\n");
    line(
        &mut text,
        "| program | nonpareil ms, warm image | java -Xshare:auto ms | speed against java |",
    );
    line(&mut text, "|---|---|---|---|");
    line(&mut text, &format!("| {name} | {:.1} | {:.1} | {:.2}x |\n", ms[0], ms[1], ms[1] / ms[0]));
    Ok(text)
}

/// Marks, calls from Rust, and machines: `crates/vm/benches/machine.rs` prints the table.
fn machine() -> Result<String, String> {
    let output = Command::new("cargo")
        .args(["bench", "--quiet", "-p", "vm", "--bench", "machine"])
        .output()
        .map_err(|e| format!("cargo bench: {e}"))?;
    if !output.status.success() {
        return Err(format!("cargo bench failed:\n{}", String::from_utf8_lossy(&output.stderr)));
    }
    let text = format!("## Machine\n\n{}", String::from_utf8_lossy(&output.stdout));
    say(&text);
    Ok(text)
}

/// The best milliseconds of each command; all must print the same.
fn in_turns(name: &str, commands: &[Vec<String>], rounds: usize) -> Result<Vec<f64>, String> {
    let mut best = vec![Duration::MAX; commands.len()];
    let mut outputs = vec![String::new(); commands.len()];
    for _ in 0..rounds {
        for (idx, command) in commands.iter().enumerate() {
            let (time, output) = timed(command)?;
            best[idx] = best[idx].min(time);
            outputs[idx] = output;
        }
    }
    if outputs.windows(2).any(|pair| pair[0] != pair[1]) {
        return Err(format!("{name}: outputs differ:\n{}", outputs.join("\n---\n")));
    }
    Ok(best.iter().map(|time| time.as_secs_f64() * 1e3).collect())
}

fn timed(command: &[String]) -> Result<(Duration, String), String> {
    let start = Instant::now();
    let output = Command::new(&command[0])
        .args(&command[1..])
        .output()
        .map_err(|e| format!("{}: {e}", command[0]))?;
    let time = start.elapsed();
    if !output.status.success() {
        return Err(format!(
            "{} failed:\n{}",
            command.join(" "),
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    Ok((time, String::from_utf8_lossy(&output.stdout).into_owned()))
}

/// `JAVA_HOME`, else the JDK behind `java` on the PATH.
pub(crate) fn java_home() -> Result<PathBuf, String> {
    if let Some(home) = std::env::var_os("JAVA_HOME") {
        return Ok(PathBuf::from(home));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join("java"))
        .find(|java| java.is_file())
        .and_then(|java| java.canonicalize().ok())
        .and_then(|java| java.parent().and_then(Path::parent).map(Path::to_path_buf))
        .ok_or_else(|| "no java found: set JAVA_HOME".to_string())
}

/// Prints a line as soon as it is known, and keeps it.
fn line(text: &mut String, line: &str) {
    say(line);
    let _ = writeln!(text, "{line}");
}

#[expect(clippy::print_stdout, reason = "this is a command-line tool")]
pub(crate) fn say(line: &str) {
    println!("{line}");
}

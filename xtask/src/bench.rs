//! Speed of our machine beside `java -Xint` and plain `java`, measured in turns in one run.
//!
//! Machines are noisy, so only ratios of the best of several alternating runs are worth reading.
//! Every program prints a checksum; all three must print the same.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const ROUNDS: usize = 5;
const CLASSES: &str = "target/bench-classes";

/// Compiles the programs of `fixtures/bench`, runs them in turns, prints the table.
pub(crate) fn run(binary: &str, filter: &[&str]) -> Result<(), String> {
    let java_home = java_home()?;
    let mut sources: Vec<PathBuf> = std::fs::read_dir("fixtures/bench")
        .map_err(|e| format!("fixtures/bench: {e}"))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "java"))
        .collect();
    sources.sort();
    std::fs::create_dir_all(CLASSES).map_err(|e| format!("{CLASSES}: {e}"))?;
    let javac = Command::new(java_home.join("bin/javac"))
        .args(["-nowarn", "-d", CLASSES])
        .args(&sources)
        .output()
        .map_err(|e| format!("javac: {e}"))?;
    if !javac.status.success() {
        return Err(format!("javac failed:\n{}", String::from_utf8_lossy(&javac.stderr)));
    }
    let java = java_home.join("bin/java");
    let mut table = String::from(
        "| program | nonpareil ms | java -Xint ms | java ms | speed against -Xint | against java |\n|---|---|---|---|---|---|\n",
    );
    let mut logs = 0.0;
    let mut n = 0_u32;
    for source in &sources {
        let name = source.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        if !filter.is_empty() && !filter.contains(&name.as_str()) {
            continue;
        }
        let ours = vec![
            binary.to_string(),
            "run".into(),
            "--jdk".into(),
            java_home.display().to_string(),
            "--classpath".into(),
            CLASSES.into(),
            name.clone(),
        ];
        let xint = vec![
            java.display().to_string(),
            "-Xint".into(),
            "-cp".into(),
            CLASSES.into(),
            name.clone(),
        ];
        let jit = vec![java.display().to_string(), "-cp".into(), CLASSES.into(), name.clone()];
        let mut best = [Duration::MAX; 3];
        let mut outputs = [String::new(), String::new(), String::new()];
        for _ in 0..ROUNDS {
            for (idx, command) in [&ours, &xint, &jit].into_iter().enumerate() {
                let (time, output) = timed(command)?;
                best[idx] = best[idx].min(time);
                outputs[idx] = output;
            }
        }
        if outputs[0] != outputs[1] || outputs[1] != outputs[2] {
            return Err(format!("{name}: outputs differ:\n{}", outputs.join("\n---\n")));
        }
        let ms = best.map(|d| d.as_secs_f64() * 1e3);
        let (against_xint, against_java) = (ms[1] / ms[0], ms[2] / ms[0]);
        logs += against_xint.ln();
        n += 1;
        let row = format!(
            "| {name} | {:.0} | {:.0} | {:.0} | {against_xint:.2}x | {against_java:.2}x |",
            ms[0], ms[1], ms[2]
        );
        say(&row);
        let _ = writeln!(table, "{row}");
    }
    if n > 0 {
        say(&format!(
            "\n{table}\ngeometric mean against java -Xint: {:.2}x over {n} programs",
            (logs / f64::from(n)).exp()
        ));
    }
    Ok(())
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
fn java_home() -> Result<PathBuf, String> {
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

#[expect(clippy::print_stdout, reason = "this is a command-line tool")]
fn say(line: &str) {
    println!("{line}");
}

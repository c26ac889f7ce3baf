//! Keeps the results of a run with a description of the computer, for later comparison.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Writes `benches/results/<date>.md`.
pub(super) fn write(java_home: &Path, load: &str, results: &str) -> Result<PathBuf, String> {
    let date = said("date", &["-u", "+%Y-%m-%d"])?;
    let java = said(&java_home.join("bin/java").display().to_string(), &["--version"])?;
    let commit = said("git", &["rev-parse", "--short=12", "HEAD"])?;
    let changed = if said("git", &["status", "--porcelain", "--untracked-files=no"])?.is_empty() {
        ""
    } else {
        ", with changes"
    };
    let java = java.lines().next().unwrap_or_default();
    let kernel = said("uname", &["-srm"])?;
    let compiler = said("rustc", &["--version"])?;
    let text = format!(
        "# Figures of {date}\n\n\
         | computer | |\n|---|---|\n\
         | processor | {} |\n| cores | {} |\n| load before | {load} |\n| kernel | {kernel} |\n\
         | JDK | {java} |\n| compiler | {compiler} |\n| commit | {commit}{changed} |\n\n\
         Best of several runs, taken in turns; times of other computers do not compare, ratios do.\n\n\
         {results}",
        processor(),
        cores(),
    );
    let folder = Path::new("benches/results");
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let path = folder.join(format!("{date}.md"));
    std::fs::write(&path, format!("{}\n", text.trim_end()))
        .map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(path)
}

fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    model.map_or_else(|| "unknown".to_owned(), |(_, model)| model.to_owned())
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(0, usize::from)
}

/// Programs that wanted to run in the last minute, on average; more than few spoil the figures.
pub(super) fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or_default().to_owned()
}

/// What a command prints.
fn said(command: &str, args: &[&str]) -> Result<String, String> {
    let output =
        Command::new(command).args(args).output().map_err(|e| format!("{command}: {e}"))?;
    if !output.status.success() {
        return Err(format!("{command} failed: {}", String::from_utf8_lossy(&output.stderr)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

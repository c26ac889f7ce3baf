//! The rules of the house as tests: walls between crates, file sizes, headers, names.

use std::fs;
use std::path::{Path, PathBuf};

/// Which workspace crates each crate may use. A new edge is a design decision; see ARCHITECTURE.md.
const MAY_USE: &[(&str, &[&str])] = &[
    ("classfile", &[]),
    ("vm", &["classfile"]),
    ("suite", &[]),
    ("observe", &["classfile", "vm", "suite"]),
    ("distill", &["classfile", "suite", "observe"]),
    ("emit", &["classfile", "suite"]),
    ("generate", &["classfile", "vm", "suite", "observe"]),
    ("cli", &["generate", "classfile", "vm", "suite", "observe", "distill", "emit"]),
    ("testkit", &[]),
];

/// Crates that only development dependencies may name.
const DEVELOPMENT_ONLY: &[&str] = &["testkit"];

/// A file past this asks to be split. Files of tables say so on line one and are exempt.
const MOST_LINES: usize = 800;

const FORBIDDEN_NAMES: &[&str] =
    &["utils", "util", "helpers", "helper", "common", "misc", "imp", "manager"];

/// Checks everything; the error lists every finding.
pub(crate) fn check() -> Result<(), String> {
    let mut findings = Vec::new();
    check_edges(&mut findings);
    let mut sources = Vec::new();
    for root in ["crates", "xtask"] {
        collect_sources(Path::new(root), &mut sources);
    }
    sources.sort();
    for path in &sources {
        check_source(path, &mut findings);
    }
    check_map(&mut findings);
    if findings.is_empty() { Ok(()) } else { Err(findings.join("\n")) }
}

fn check_edges(findings: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir("crates") else {
        findings.push("crates/: cannot be read; run from the root of the repository".into());
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some((_, allowed)) = MAY_USE.iter().find(|(krate, _)| *krate == name) else {
            findings.push(format!("crates/{name}: not in the table of walls in xtask/src/tidy.rs"));
            continue;
        };
        let manifest = fs::read_to_string(entry.path().join("Cargo.toml")).unwrap_or_default();
        let mut section = String::new();
        for line in manifest.lines() {
            if line.starts_with('[') {
                section = line.trim_matches(['[', ']']).to_string();
                continue;
            }
            let dependency = line.split(['.', '=', ' ']).next().unwrap_or_default();
            if !MAY_USE.iter().any(|(krate, _)| *krate == dependency)
                || !section.ends_with("dependencies")
            {
                continue;
            }
            let development = section == "dev-dependencies";
            if DEVELOPMENT_ONLY.contains(&dependency) && development {
                continue;
            }
            if !allowed.contains(&dependency) && !development {
                findings.push(format!("crates/{name}: must not use {dependency}"));
            }
        }
    }
}

fn collect_sources(folder: &Path, sources: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect_sources(&path, sources);
        } else if path.extension().is_some_and(|e| e == "rs") {
            sources.push(path);
        }
    }
}

fn check_source(path: &Path, findings: &mut Vec<String>) {
    let text = fs::read_to_string(path).unwrap_or_default();
    let shown = path.display();
    if !text.starts_with("//!") {
        findings.push(format!("{shown}: does not open with `//!` saying what it is for"));
    }
    let n_lines = text.lines().count();
    let is_table = text.lines().next().is_some_and(|l| l.contains("table") || l.contains("Table"));
    if n_lines > MOST_LINES && !is_table {
        findings
            .push(format!("{shown}: {n_lines} lines, more than {MOST_LINES}; split it by idea"));
    }
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    // Natives are filed under the names of Java's packages, whatever those are.
    let mirrors_java = path.starts_with("crates/vm/src/native");
    if FORBIDDEN_NAMES.contains(&stem.as_str()) && !mirrors_java {
        findings.push(format!("{shown}: name it after what it does, not `{stem}`"));
    }
    if path.ends_with("tidy.rs") {
        return;
    }
    for (idx, line) in text.lines().enumerate() {
        let todo = ["TODO", "FIXME", "XXX"].iter().find(|word| line.contains(**word));
        if let Some(word) = todo
            && !line.contains(&format!("{word}(#"))
        {
            findings.push(format!("{shown}:{}: {word} without an issue number", idx + 1));
        }
    }
}

/// Every crate stands in the map, and the map names no crate that is gone.
fn check_map(findings: &mut Vec<String>) {
    let map = fs::read_to_string("ARCHITECTURE.md").unwrap_or_default();
    for (krate, _) in MAY_USE {
        if !map.contains(&format!("`crates/{krate}`")) {
            findings.push(format!("ARCHITECTURE.md: does not describe `crates/{krate}`"));
        }
    }
    for word in map.split('`').filter(|word| word.starts_with("crates/")) {
        if !Path::new(word).exists() {
            findings.push(format!("ARCHITECTURE.md: names {word}, which does not exist"));
        }
    }
}

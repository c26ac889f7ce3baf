//! What a real JVM did with a fixture, asked once and then remembered.
//!
//! The answer is kept in `target/fixtures/<release>/expected/` under the digest of source,
//! resources, JDK version and options, so that only a changed fixture starts `java` again.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::digest::Digest;
use crate::fixture::Fixture;
use crate::jdk::Jdk;
use crate::process::{self, End, Finished};

/// Keeps a small program cheap to start and its memory limit the same on every machine.
const OPTIONS: [&str; 3] = ["-Xmx1g", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"];

/// Variables that would change what a program prints.
const DISTURBING: [&str; 4] =
    ["CLASSPATH", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"];

/// Gives a command the environment both machines see.
pub fn settle(command: &mut Command, jdk: &Jdk) {
    command.env("JAVA_HOME", &jdk.home).env("LC_ALL", "C.UTF-8").env("TZ", "UTC");
    for name in DISTURBING {
        command.env_remove(name);
    }
    command.current_dir(env::temp_dir());
}

/// What `java` does with this fixture.
pub fn ask(
    cache: &Path,
    jdk: &Jdk,
    fixture: &Fixture,
    classes: &Path,
    limit: Duration,
) -> io::Result<Finished> {
    let mut digest = Digest::new();
    digest.add(&jdk.version).add(OPTIONS.join(" ")).add_tree(&fixture.source)?;
    if let Some(resources) = &fixture.resources {
        digest.add_tree(resources)?;
    }
    let record = cache.join("expected").join(&fixture.group).join(&fixture.name);
    if let Some(finished) = recall(&record, &digest.hex()) {
        return Ok(finished);
    }
    let mut command = Command::new(jdk.command("java"));
    settle(&mut command, jdk);
    command.args(OPTIONS).args(&fixture.java).arg("-cp").arg(fixture.class_path(classes));
    command.arg(&fixture.name).args(&fixture.args);
    let finished = process::run(&mut command, &fixture.stdin, limit)?;
    if let End::Exit(code) = finished.end {
        remember(&record, &digest.hex(), code, &finished)?;
    }
    Ok(finished)
}

/// The record is a head line `digest code stdout-length`, then both streams.
fn remember(record: &PathBuf, digest: &str, code: i32, finished: &Finished) -> io::Result<()> {
    if let Some(folder) = record.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut bytes = format!("{digest} {code} {}\n", finished.stdout.len()).into_bytes();
    bytes.extend_from_slice(&finished.stdout);
    bytes.extend_from_slice(&finished.stderr);
    fs::write(record, bytes)
}

fn recall(record: &PathBuf, digest: &str) -> Option<Finished> {
    let bytes = fs::read(record).ok()?;
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let mut head = std::str::from_utf8(&bytes[..end]).ok()?.split(' ');
    if head.next()? != digest {
        return None;
    }
    let code = head.next()?.parse().ok()?;
    let length: usize = head.next()?.parse().ok()?;
    let streams = &bytes[end + 1..];
    let (stdout, stderr) = streams.split_at_checked(length)?;
    Some(Finished { stdout: stdout.to_vec(), stderr: stderr.to_vec(), end: End::Exit(code) })
}

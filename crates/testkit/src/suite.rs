//! Folders of Java sources that are compiled as a whole against jars, and programs that a real JVM runs
//! with them; both once, then remembered.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::compile::{CompileError, cache};
use crate::digest::Digest;
use crate::jdk::Jdk;
use crate::process::{self, End};
use crate::{oracle, root};

/// Where Debian keeps jars.
const JARS: &str = "/usr/share/java";

/// A class path of Debian's jars, by name without `.jar`. Panics with what to install where one is missing.
pub fn jars(names: &[&str]) -> String {
    let paths: Vec<String> = names.iter().map(|name| format!("{JARS}/{name}.jar")).collect();
    for path in &paths {
        assert!(Path::new(path).is_file(), "{path} is missing; `make setup` installs it");
    }
    paths.join(":")
}

/// Compiles all sources below a folder if needed and returns the folder of the class files; other files
/// are copied there. `name` says where in the cache it lies.
pub fn compile(
    jdk: &Jdk,
    name: &str,
    sources: &Path,
    class_path: &str,
) -> Result<PathBuf, CompileError> {
    let classes = cache(&root::target(), jdk).join("suites").join(name);
    let at = |path: &Path| {
        let path = path.to_path_buf();
        move |error| CompileError::Io(path, error)
    };
    fs::create_dir_all(&classes).map_err(at(&classes))?;
    // Tests run at once; the first one compiles.
    let lock = classes.with_extension("lock");
    let lock = File::create(&lock).map_err(at(&lock))?;
    lock.lock().map_err(at(&classes))?;
    let stamp = classes.with_extension("stamp");
    let mut digest = Digest::new();
    digest.add(&jdk.version).add(class_path).add_tree(sources).map_err(at(sources))?;
    let digest = digest.hex();
    if fs::read_to_string(&stamp).is_ok_and(|old| old == digest) {
        return Ok(classes);
    }
    fs::remove_dir_all(&classes).map_err(at(&classes))?;
    fs::create_dir_all(&classes).map_err(at(&classes))?;
    let mut files = Vec::new();
    collect(&mut files, sources, &mut PathBuf::new()).map_err(at(sources))?;
    let mut javac = Command::new(jdk.command("javac"));
    javac.args(["-Xlint:none", "-nowarn", "-proc:none", "-parameters", "-g", "-encoding", "UTF-8"]);
    javac.arg("-J-XX:TieredStopAtLevel=1").arg("-cp").arg(class_path).arg("-d").arg(&classes);
    for file in &files {
        let source = sources.join(file);
        if file.extension().is_some_and(|extension| extension == "java") {
            javac.arg(source);
            continue;
        }
        let copy = classes.join(file);
        if let Some(folder) = copy.parent() {
            fs::create_dir_all(folder).map_err(at(folder))?;
        }
        fs::copy(&source, &copy).map_err(at(&source))?;
    }
    let output = javac.output().map_err(at(&classes))?;
    if !output.status.success() {
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(CompileError::Rejected(name.to_owned(), messages));
    }
    fs::write(&stamp, digest).map_err(at(&stamp))?;
    Ok(classes)
}

/// What a program writes to standard output on a real JVM. The answer is kept as long as the class
/// files in `classes` stay the same.
pub fn ask(jdk: &Jdk, classes: &[&Path], jars: &str, line: &[&str]) -> io::Result<String> {
    let mut digest = Digest::new();
    digest.add(&jdk.version).add(jars);
    for word in line {
        digest.add(word);
    }
    for folder in classes {
        digest.add_tree(folder)?;
    }
    let folder = cache(&root::target(), jdk).join("answers");
    fs::create_dir_all(&folder)?;
    let record = folder.join(digest.hex());
    if let Ok(known) = fs::read_to_string(&record) {
        return Ok(known);
    }
    let mut class_path: Vec<String> =
        classes.iter().map(|folder| folder.display().to_string()).collect();
    class_path.push(jars.to_owned());
    let mut command = Command::new(jdk.command("java"));
    oracle::settle(&mut command, jdk);
    command.args(["-Xmx1g", "-XX:TieredStopAtLevel=1", "-cp"]).arg(class_path.join(":")).args(line);
    let finished = process::run(&mut command, "", Duration::from_secs(600))?;
    let text = String::from_utf8_lossy(&finished.stdout).into_owned();
    if finished.end != End::Exit(0) {
        let messages = String::from_utf8_lossy(&finished.stderr);
        return Err(io::Error::other(format!("java {line:?}: {}\n{messages}", finished.end)));
    }
    // Two tests may ask at once; a rename never shows half an answer.
    let fresh = record.with_extension(std::process::id().to_string());
    fs::write(&fresh, &text)?;
    fs::rename(&fresh, &record)?;
    Ok(text)
}

fn collect(files: &mut Vec<PathBuf>, root: &Path, below: &mut PathBuf) -> io::Result<()> {
    let mut entries: Vec<_> = fs::read_dir(root.join(&*below))?.collect::<io::Result<_>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        below.push(entry.file_name());
        if entry.file_type()?.is_dir() {
            collect(files, root, below)?;
        } else if entry.file_name() != "README.md" {
            files.push(below.clone());
        }
        below.pop();
    }
    Ok(())
}

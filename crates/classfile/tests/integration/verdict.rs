//! What this crate says of a class file, and what a real JVM says, in comparable form.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

use classfile::verifier::{VerifyFailure, verify};
use classfile::{ClassBytes, ClassFile};

use crate::hierarchy::ImageHierarchy;
use crate::jdk;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Verdict {
    Accepted,
    /// By format checking, with the reason.
    Malformed(String),
    /// By verification, with the reason.
    Invalid(String),
    /// Neither: another class is missing or does not fit.
    Unknown(String),
}

impl Verdict {
    pub(crate) fn is_refused(&self) -> bool {
        matches!(self, Verdict::Malformed(_) | Verdict::Invalid(_))
    }
}

/// Parses a class and verifies all its methods, as one with a class loader of its own.
pub(crate) fn ours(hierarchy: &mut ImageHierarchy<'_>, bytes: &[u8]) -> Verdict {
    let class = match ClassFile::parse(ClassBytes::from_vec(bytes.to_vec())) {
        Ok(class) => Rc::new(class),
        Err(error) => return Verdict::Malformed(error.to_string()),
    };
    hierarchy.alone = Some(class.clone());
    let verdict = verify_all(hierarchy, &class);
    hierarchy.alone = None;
    verdict
}

fn verify_all(hierarchy: &mut ImageHierarchy<'_>, class: &ClassFile) -> Verdict {
    for (idx, method) in class.methods().iter().enumerate() {
        match verify(class, method, hierarchy) {
            Ok(()) => {}
            Err(VerifyFailure::Invalid { message, bci }) => {
                return Verdict::Invalid(format!("{message} (method {idx} at {bci})"));
            }
            Err(VerifyFailure::Suspend(missing)) => {
                return Verdict::Unknown(format!("{} is missing", missing.0));
            }
        }
    }
    Verdict::Accepted
}

/// A folder of its own for a test, empty.
pub(crate) fn fresh_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).unwrap();
    }
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Compiles a Java file of the tests; gives the class files sorted by name.
pub(crate) fn compile(source: &str, into: &Path, options: &[&str]) -> Vec<Vec<u8>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java").join(source);
    let home = jdk::homes().into_iter().next().unwrap();
    let compiled = Command::new(home.join("bin/javac"))
        .args(options)
        .arg("-d")
        .arg(into)
        .arg(source)
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let mut files: Vec<PathBuf> =
        fs::read_dir(into).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "class"));
    files.sort();
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

/// What the JVM of a JDK says of class files; other classes come from `class_path`.
pub(crate) fn of_hotspot(
    home: &Path,
    class_path: &Path,
    name: &str,
    files: &[Vec<u8>],
) -> Vec<Verdict> {
    let folder = fresh_folder(name);
    let verdicts = folder.with_extension("verdicts");
    for (idx, bytes) in files.iter().enumerate() {
        fs::write(folder.join(format!("{idx:06}")), bytes).unwrap();
    }
    let judge = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java/Judge.java");
    let judged = Command::new(home.join("bin/java"))
        .arg("-cp")
        .arg(class_path)
        .arg(judge)
        .args([&folder, &verdicts])
        .output()
        .unwrap();
    assert!(judged.status.success(), "{}", String::from_utf8_lossy(&judged.stderr));
    let text = fs::read_to_string(&verdicts).unwrap();
    let verdicts: Vec<Verdict> = text.lines().map(read_verdict).collect();
    assert_eq!(verdicts.len(), files.len());
    verdicts
}

fn read_verdict(line: &str) -> Verdict {
    let mut parts = line.splitn(3, '\t').skip(1);
    let kind = parts.next().unwrap();
    let message = parts.next().unwrap_or_default().to_owned();
    match kind {
        "accepted" => Verdict::Accepted,
        "java.lang.ClassFormatError" | "java.lang.UnsupportedClassVersionError" => {
            Verdict::Malformed(message)
        }
        // What only linking with the superclass shows is not the verifier's.
        "java.lang.VerifyError" if message.contains("Cannot inherit from final") => {
            Verdict::Unknown(message)
        }
        "java.lang.VerifyError" => Verdict::Invalid(message),
        _ => Verdict::Unknown(format!("{kind}: {message}")),
    }
}

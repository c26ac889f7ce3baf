//! The subjects, their suites, the containers and the classes with faults compile without a warning on all JDKs.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use testkit::jdk::Jdk;
use testkit::{jdk, root, suite};

fn check(jdk: &Jdk, folder: &str, class_path: &str) -> PathBuf {
    let sources = root::repository().join("fixtures").join(folder);
    let classes =
        root::target().join("fixtures").join(jdk.release.to_string()).join("lint").join(folder);
    let mut files: Vec<PathBuf> =
        fs::read_dir(sources).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 8);
    let mut javac = Command::new(jdk.command("javac"));
    javac.args(["-Xlint:all", "-Werror", "-proc:none", "--release", "17", "-encoding", "UTF-8"]);
    javac.arg("-J-XX:TieredStopAtLevel=1").arg("-cp").arg(class_path).arg("-d").arg(&classes);
    let output = javac.args(files).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    classes
}

#[test]
fn subjects_and_their_suites_compile_without_a_warning() {
    let jars = suite::jars(&[
        "junit-jupiter-api",
        "junit-jupiter-params",
        "junit-platform-commons",
        "opentest4j",
        "apiguardian-api",
    ]);
    for jdk in jdk::installed() {
        let classes = check(&jdk, "subjects/src/subjects", "");
        check(&jdk, "subjects/tests/subjects", &format!("{}:{jars}", classes.display()));
    }
}

#[test]
fn containers_and_classes_with_faults_compile_without_a_warning() {
    for jdk in jdk::installed() {
        check(&jdk, "containers/src/containers", "");
        check(&jdk, "bugs/src/bugs", "");
    }
}

//! Class files that do not fit together: our errors are those of `java`, word by word.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use testkit::jdk::Jdk;
use testkit::{jdk, oracle, root};

/// Compiles the steps of `fixtures/linkage` into one folder, later ones over earlier ones.
fn compile_steps(jdk: &Jdk) -> PathBuf {
    let classes = root::target().join("cli-tests").join(format!("linkage-{}", jdk.release));
    let _ = fs::remove_dir_all(&classes);
    fs::create_dir_all(&classes).unwrap();
    let fixture = root::repository().join("fixtures/linkage");
    let mut steps: Vec<PathBuf> =
        fs::read_dir(&fixture).unwrap().map(|entry| entry.unwrap().path()).collect();
    steps.sort();
    for step in steps.iter().filter(|step| step.is_dir()) {
        let mut command = Command::new(jdk.command("javac"));
        command.args(["-nowarn", "-implicit:none", "-cp"]).arg(step.join("nothing"));
        command.arg("-sourcepath").arg(step.join("with"));
        command.arg("-d").arg(&classes).args(sources(step));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        for name in fs::read_to_string(step.join("removed")).unwrap_or_default().lines() {
            fs::remove_file(classes.join(name).with_extension("class")).unwrap();
        }
    }
    classes
}

/// The sources of a step, those in `with` left out.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("with") {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "java") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn printed(jdk: &Jdk, command: &mut Command) -> String {
    oracle::settle(command, jdk);
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn classes_that_changed_since_their_client_was_compiled_are_refused_as_java_does() {
    let jdks = jdk::installed();
    assert_eq!(jdks.len(), 2, "needs JDK 17 and JDK 25");
    for jdk in &jdks {
        let classes = compile_steps(jdk);
        let mut java = Command::new(jdk.command("java"));
        let expected = printed(jdk, java.arg("-cp").arg(&classes).arg("Client"));
        let mut ours = Command::new(env!("CARGO_BIN_EXE_nonpareil"));
        ours.arg("run").arg("--jdk").arg(&jdk.home);
        let found = printed(jdk, ours.arg("--classpath").arg(&classes).arg("Client"));
        assert_eq!(found, expected, "JDK {}", jdk.release);
        assert_eq!(expected.matches(": fine").count(), 1, "{expected}");
    }
}

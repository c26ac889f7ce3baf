//! Whatever code under test does with files, those of the user stay as they are and nothing is left behind.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use testkit::{jdk, root, suite};

/// What code under test has left in the temporary folder.
fn left_behind() -> BTreeSet<PathBuf> {
    let files = fs::read_dir(std::env::temp_dir()).unwrap().flatten().map(|file| file.path());
    files.filter(|path| path.to_string_lossy().contains("nonpareil-janitor")).collect()
}

/// Generates tests for a class that deletes and makes files; what is said and what was written.
fn generate(name: &str, options: &[&str]) -> (String, String) {
    let jdk = jdk::installed().into_iter().next().unwrap();
    let sources = root::repository().join("fixtures/outside/src");
    let classes = suite::compile(&jdk, "outside/src", &sources, "").unwrap();
    let folder = root::target().join("outside-tests").join(name);
    let _ = fs::remove_dir_all(&folder);
    let (work, written) = (folder.join("work"), folder.join("written"));
    fs::create_dir_all(&work).unwrap();
    let (near, far) = (work.join("note.txt"), folder.join("precious.txt"));
    let literals = folder.join("literals");
    fs::write(&literals, format!("\"note.txt\"\n\"{}\"\n", far.display())).unwrap();
    for file in [&near, &far] {
        fs::write(file, "mine").unwrap();
    }
    let before = left_behind();
    let mut command = Command::new(env!("CARGO_BIN_EXE_nonpareil"));
    // The class path is relative, and must mean the same from wherever tests run.
    std::os::unix::fs::symlink(&classes, work.join("classes")).unwrap();
    command.current_dir(&work).args(["generate", "--class", "outside.Janitor"]);
    command.arg("--jdk").arg(&jdk.home).args(["--classpath", "classes", "--format", "json"]);
    command.arg("--output").arg(&written);
    for option in options {
        let option = option.replace("LITERALS", &literals.display().to_string());
        command.arg(option.replace("FAR", &far.display().to_string()));
    }
    let done = command.output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stderr));
    for file in [&near, &far] {
        assert_eq!(fs::read_to_string(file).unwrap_or_default(), "mine", "{said}");
    }
    assert_eq!(left_behind(), before, "nothing is left in the temporary folder");
    let entries: Vec<_> = fs::read_dir(&work).unwrap().flatten().collect();
    assert_eq!(entries.len(), 2, "nothing is left in the working folder: {entries:?}");
    (said, fs::read_to_string(written.join("outside/JanitorTest.java")).unwrap())
}

/// No test touches a file: neither one that it names nor one that the code chooses.
fn check(said: &str, written: &str) {
    for call in [".draft(", ".run(", ".mark("] {
        assert!(!written.contains(call), "{call} in {written}");
    }
    for line in written.lines().filter(|line| line.contains(".txt\"")) {
        assert!(line.contains(".nameOf("), "{line}");
    }
    assert!(written.contains(".walk("), "{written}");
    let count = said.split("\"touchOutside\":").nth(1).unwrap().trim_start();
    assert!(!count.starts_with('0'), "{said}");
}

#[test]
fn random_tests_leave_files_alone() {
    let options = ["--strategy", "random", "--literals", "LITERALS", "--max-sequences", "1500"];
    let (said, written) = generate("random", &options);
    check(&said, &written);
}

#[test]
fn tests_from_states_leave_files_alone() {
    let (said, written) =
        generate("states", &["--iterations", "1", "--arguments", "remove=\"note.txt\",\"FAR\""]);
    check(&said, &written);
    assert!(written.contains(".hasPlan()"), "{written}");
}

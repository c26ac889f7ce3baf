//! `nonpareil run --junit` as a user sees it: results, exit codes, and what it says where it cannot.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use testkit::jdk::Jdk;
use testkit::{jdk, root, suite};

const JUPITER: &[&str] = &[
    "junit-jupiter-api",
    "junit-jupiter-engine",
    "junit-jupiter-params",
    "junit-platform-engine",
    "junit-platform-commons",
    "junit-platform-launcher",
    "opentest4j",
    "apiguardian-api",
];

fn jdk() -> Jdk {
    jdk::installed().into_iter().next().unwrap()
}

/// The compiled suite of a folder of `fixtures`.
fn classes(folder: &str) -> PathBuf {
    let sources = root::repository().join("fixtures").join(folder);
    let jars = suite::jars(&[JUPITER, &["junit4", "hamcrest"]].concat());
    suite::compile(&jdk(), folder, &sources, &jars).unwrap()
}

fn run(class_path: &str, options: &[&str], classes: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nonpareil"));
    command.arg("run").arg("--jdk").arg(jdk().home).args(["--classpath", class_path, "--junit"]);
    command.args(options).args(classes).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_suite_that_passes_ends_with_code_0_and_a_line_of_sums() {
    let class_path = format!("{}:{}", classes("demo").display(), suite::jars(JUPITER));
    let output = run(&class_path, &[], &[]);
    let text = stdout(&output);
    assert!(text.starts_with("BoundedStackTest\n"), "{text}{}", stderr(&output));
    assert!(text.contains("  passed   a full stack > refusesMore()\n"), "{text}");
    assert!(text.ends_with("\n12 tests: 12 passed, 0 failed, 0 skipped\n"), "{text}");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_failure_is_shown_with_its_message_and_where_in_the_test_it_happened() {
    let class_path = format!("{}:{}", classes("junit/jupiter").display(), suite::jars(JUPITER));
    let output = run(&class_path, &[], &["jupiter.AssertionsTest"]);
    let text = stdout(&output);
    let expected = "  FAILED   arrays()\n      org.opentest4j.AssertionFailedError: letters ==> array contents differ at \
                    index [1], expected: <b> but was: <c>\n          at \
                    jupiter.AssertionsTest.arrays(AssertionsTest.java:38)\n  FAILED";
    assert!(text.contains(expected), "{text}{}", stderr(&output));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_test_that_ends_the_program_fails_and_the_other_classes_still_run() {
    let class_path = format!("{}:{}", classes("junit/stopping").display(), suite::jars(JUPITER));
    let output = run(&class_path, &[], &[]);
    let text = stdout(&output);
    let exits = "  FAILED   exits()\n      the test ended the program: System.exit(3)\n  not run  later()\n";
    assert!(text.contains(exits), "{text}{}", stderr(&output));
    assert!(
        text.contains("  FAILED   deadlocks()\n      deadlock, no thread can ever run again\n"),
        "{text}"
    );
    assert!(text.contains("stopping.CTest\n  passed   passes()\n"), "{text}");
    assert!(text.ends_with("\n5 tests: 2 passed, 2 failed, 0 skipped, 1 not run\n"), "{text}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn json_is_all_that_goes_to_standard_output() {
    let class_path = format!("{}:{}", classes("junit/stopping").display(), suite::jars(JUPITER));
    let output = run(&class_path, &["--format", "json"], &["stopping.ATest"]);
    let text = stdout(&output);
    assert!(
        text.starts_with("{\n  \"version\": 1,\n  \"summary\": {\n    \"tests\": 3,\n"),
        "{text}"
    );
    assert!(
        text.contains("\"outcome\": \"stopped\",\n      \"reason\": \"ended with code 3\"\n"),
        "{text}"
    );
    assert!(text.ends_with("}\n"), "{text}");
    assert_eq!(stderr(&output), "a runs\n");
    assert_eq!(output.status.code(), Some(1));
}

/// Checks that a run is an input error with this text.
fn check_error(class_path: &str, classes: &[&str], expected: &str) {
    let output = run(class_path, &[], classes);
    assert_eq!(stderr(&output), expected);
    assert_eq!(stdout(&output), "");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn without_junit_on_the_class_path_the_jars_to_add_are_named() {
    let class_path = classes("demo").display().to_string();
    let expected = "error: there is no JUnit on the class path\nhint: add the jars of JUnit 5 (junit-jupiter-engine, \
                    junit-jupiter-api, junit-platform-engine, junit-platform-commons, opentest4j and (better) \
                    junit-platform-launcher) or of JUnit 4 (junit4 and hamcrest)\n";
    check_error(&class_path, &[], expected);
}

#[test]
fn without_an_engine_for_the_tests_the_jars_to_add_are_named() {
    let jars = suite::jars(&["junit-jupiter-api", "junit-platform-commons", "junit4", "hamcrest"]);
    let class_path = format!("{}:{jars}", classes("demo").display());
    let expected = "error: BoundedStackTest is a JUnit 5 test, but no engine for it is on the class path\nhint: add \
                    the jars junit-jupiter-engine, junit-jupiter-api, junit-platform-engine, \
                    junit-platform-commons, opentest4j and (better) junit-platform-launcher\n";
    check_error(&class_path, &[], expected);
}

#[test]
fn without_tests_the_folders_that_were_searched_are_named() {
    let folder = root::repository().join("fixtures/demo");
    let class_path = format!("{}:{}", folder.display(), suite::jars(JUPITER));
    check_error(&class_path, &[], &format!("error: no tests found in {}\n", folder.display()));
    let expected = "error: no tests found: there is no folder on the class path, and jars are not searched\nhint: \
                    name the test classes, or add the folder of the compiled tests\n";
    check_error(&suite::jars(JUPITER), &[], expected);
}

#[test]
fn a_named_class_that_is_not_there_or_no_test_is_an_input_error() {
    let class_path = format!("{}:{}", classes("demo").display(), suite::jars(JUPITER));
    let expected = "error: class No is not on the class path\nhint: write the package too, with dots, and $ before \
                    the name of a nested class\n";
    check_error(&class_path, &["No"], expected);
    check_error(&class_path, &["Demo"], "error: JUnit finds no tests in Demo\n");
    let expected = "error: --seed stands behind a class name\nhint: options come before it\n";
    check_error(&class_path, &["BoundedStackTest", "--seed", "1"], expected);
}

#[test]
fn ctrl_c_or_a_polite_kill_ends_a_hanging_suite_and_shows_what_ran() {
    let class_path = format!("{}:{}", classes("junit/hanging").display(), suite::jars(JUPITER));
    for signal in ["-INT", "-TERM"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nonpareil"));
        command.arg("run").arg("--jdk").arg(jdk().home).args(["--classpath", &class_path]);
        command.arg("--junit").stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut heard = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        heard.read_line(&mut line).unwrap();
        assert_eq!(line, "going round\n", "what the test says before it hangs");
        let pid = child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
        let mut text = String::new();
        heard.read_to_string(&mut text).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(stderr(&output), "interrupted: the report has what ran until then\n");
        assert_eq!(
            text,
            "hanging.EndlessTest\n  passed   passes()\n  FAILED   hangs()\n      interrupted\n\n\
             2 tests: 1 passed, 1 failed, 0 skipped\n"
        );
        assert_eq!(output.status.code(), Some(1));
    }
}

//! JUnit suites over well-known libraries, `fixtures/suites`: all tests pass on a real JVM and on ours.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::process::Command;

use testkit::jdk::Jdk;
use testkit::{jdk, root, suite};

const JUNIT: &[&str] = &[
    "junit-jupiter-api",
    "junit-jupiter-engine",
    "junit-jupiter-params",
    "junit-platform-engine",
    "junit-platform-commons",
    "junit-platform-launcher",
    "opentest4j",
    "apiguardian-api",
    "univocity-parsers",
];

/// Runs the suite of one library on both machines, with each JDK; both must pass this many tests.
fn check(library: &str, jar: &str, classes: &[&str], n_tests: usize) {
    let jdks = jdk::installed();
    assert_eq!(jdks.len(), 2, "needs JDK 17 and JDK 25");
    let jars = suite::jars(&[JUNIT, &[jar]].concat());
    let sources = root::repository().join("fixtures/suites").join(library);
    for jdk in &jdks {
        let folder = suite::compile(jdk, &format!("libraries-{library}"), &sources, &jars).unwrap();
        let on_java = passed_on_java(jdk, &folder, &jars, classes);
        assert_eq!(on_java, n_tests, "{library} with {} on java", jdk.version);
        let output = Command::new(env!("CARGO_BIN_EXE_nonpareil"))
            .arg("run")
            .arg("--jdk")
            .arg(&jdk.home)
            .args(["--classpath", &format!("{}:{jars}", folder.display()), "--junit"])
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let sums = format!("\n{n_tests} tests: {n_tests} passed, 0 failed, 0 skipped\n");
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(text.ends_with(&sums), "{library} with {}:\n{text}{messages}", jdk.version);
        assert_eq!(output.status.code(), Some(0));
    }
}

/// How many tests of these classes pass on a real JVM; panics where one does not.
fn passed_on_java(jdk: &Jdk, folder: &Path, jars: &str, classes: &[&str]) -> usize {
    let sources = root::repository().join("fixtures/junit/oracle");
    let all = suite::jars(&[JUNIT, &["junit4", "hamcrest"]].concat());
    let oracle = suite::compile(jdk, "junit/oracle", &sources, &all).unwrap();
    let line = [&["org.junit.oracle.PlatformOracle"], classes].concat();
    let text = suite::ask(jdk, &[&oracle, folder], jars, &line).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let mut passed = 0;
    for node in lines.chunks(3) {
        assert!(node[1] == "passed", "{}", node.join("\n"));
        passed += usize::from(node[0].split('\t').nth(1) == Some("test"));
    }
    passed
}

#[test]
fn commons_lang3_passes_on_both_machines() {
    let classes = ["lang3.MachineryTest", "lang3.StringsTest", "lang3.ValuesTest"];
    check("lang3", "commons-lang3", &classes, 113);
}

#[test]
fn commons_collections4_passes_on_both_machines() {
    check(
        "collections4",
        "commons-collections4",
        &["collections4.CollectionsTest", "collections4.MapsTest"],
        79,
    );
}

#[test]
fn guava_passes_on_both_machines() {
    check("guava", "guava", &["guava.CollectTest", "guava.ToolsTest"], 73);
}

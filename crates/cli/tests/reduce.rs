//! `nonpareil reduce` as a user sees it: classes of failures, reduced test classes that fail the same way on a
//! real JVM, and what it says where it cannot.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use testkit::jdk::Jdk;
use testkit::{jdk, root, suite};

const JARS: &[&str] = &[
    "junit-jupiter-api",
    "junit-jupiter-engine",
    "junit-jupiter-params",
    "junit-platform-engine",
    "junit-platform-commons",
    "junit-platform-launcher",
    "opentest4j",
    "apiguardian-api",
    "univocity-parsers",
    "junit4",
    "hamcrest",
];

/// The project of `fixtures/reduce`, compiled.
struct Project {
    jdk: Jdk,
    class_path: String,
}

impl Project {
    fn new() -> Project {
        let jdk = jdk::installed().into_iter().next().unwrap();
        let jars = suite::jars(JARS);
        let main = suite::compile(&jdk, "reduce/main", &sources("main"), &jars).unwrap();
        Project { jdk, class_path: format!("{}:{jars}", main.display()) }
    }

    fn compile(&self, name: &str, sources: &Path) -> PathBuf {
        suite::compile(&self.jdk, &format!("reduce/{name}"), sources, &self.class_path).unwrap()
    }

    fn reduce(&self, tests: &Path, sources: &Path, options: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nonpareil"));
        command.arg("reduce").arg("--jdk").arg(&self.jdk.home);
        command.arg("--classpath").arg(&self.class_path).arg("--tests").arg(tests);
        command.arg("--sources").arg(sources).args(options).output().unwrap()
    }
}

fn sources(name: &str) -> PathBuf {
    root::repository().join("fixtures/reduce").join(name)
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A folder of this process for one test, empty.
fn scratch(name: &str) -> PathBuf {
    let folder = root::target().join("reduce").join(format!("{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn eight_failing_tests_become_three_short_ones_that_fail_the_same_way_on_the_real_jvm() {
    let project = Project::new();
    let tests = project.compile("tests", &sources("tests"));
    let folder = scratch("reduced");
    let before = fs::read_to_string(sources("tests").join("shop/CartTest.java")).unwrap();
    let output = project.reduce(&tests, &sources("tests"), &["--output", folder.to_str().unwrap()]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{text}{}", stderr(&output));
    assert!(text.contains("8 of 11 tests fail, in 3 classes of failures"), "{text}");
    assert!(
        text.contains("NullPointerException       shop.Cart.widthOfLabel(Cart.java:44)"),
        "{text}"
    );
    assert!(text.contains("IndexOutOfBoundsException  shop.Cart.remove(Cart.java:19)"), "{text}");
    assert!(
        text.contains("AssertionFailedError       assertEquals after shop.Cart.total()"),
        "{text}"
    );
    assert_eq!(text.matches("fails the same way on the real JVM").count(), 3, "{text}");
    // What crashes needs one call; what is expected of a sum needs what was added.
    for (file, needed) in [
        ("OldCartTest_widthIsZero.java", "        cart.widthOfLabel();\n    }"),
        ("CartTest_removesTwice.java", "removesTwice() {\n        cart.remove(\"\");\n    }"),
        (
            "CartTest_sumsUp.java",
            "        cart.add(\"plum\", 300);\n        assertEquals(321, cart.total());\n    }",
        ),
    ] {
        let reduced = fs::read_to_string(folder.join("shop").join(file)).unwrap();
        assert!(reduced.contains(needed), "{reduced}");
        assert!(!reduced.contains("log"), "{reduced}");
    }
    let after = fs::read_to_string(sources("tests").join("shop/CartTest.java")).unwrap();
    assert_eq!(before, after, "the user's sources are not touched");

    // Somebody else compiles and runs what came out.
    let name = format!("reduced-{}", std::process::id());
    let compiled = project.compile(&name, &folder);
    let jars = suite::jars(&[JARS, &["junit-vintage-engine"]].concat());
    let oracle = root::repository().join("fixtures/junit/oracle");
    let oracle = suite::compile(&project.jdk, "junit/oracle", &oracle, &jars).unwrap();
    let main = suite::compile(&project.jdk, "reduce/main", &sources("main"), &suite::jars(JARS));
    let line = [
        "org.junit.oracle.PlatformOracle",
        "shop.OldCartTest_widthIsZero",
        "shop.CartTest_removesTwice",
        "shop.CartTest_sumsUp",
    ];
    let said =
        suite::ask(&project.jdk, &[&oracle, &compiled, &main.unwrap()], &jars, &line).unwrap();
    let failed: Vec<&str> = said.lines().filter(|line| line.starts_with("failed")).collect();
    assert_eq!(failed.len(), 3, "{said}");
    for wanted in
        ["NullPointerException", "IndexOutOfBoundsException", "expected: <321> but was: <21>"]
    {
        assert!(failed.iter().any(|line| line.contains(wanted)), "{wanted}: {failed:?}");
    }
    let _ = fs::remove_dir_all(&folder);
}

#[test]
fn without_shrinking_there_are_classes_and_their_shortest_tests() {
    let project = Project::new();
    let tests = project.compile("tests", &sources("tests"));
    let options = ["--no-shrink", "--format", "json"];
    let output = project.reduce(&tests, &sources("tests"), &options);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    for wanted in [
        "\"failed\": 8",
        "\"lastCall\": \"shop.Cart.remove(java.lang.String)\"",
        "\"representative\": \"shop.OldCartTest.widthIsZero\"",
        "\"statements\": 1",
        "\"message\": \"expected: <321> but was: <21>\"",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    assert!(!text.contains("\"reduced\""), "{text}");
    let again = stdout(&project.reduce(&tests, &sources("tests"), &options));
    assert_eq!(text, again, "the same each time");
}

#[test]
fn a_test_that_does_not_end_hides_no_other() {
    let project = Project::new();
    let tests = project.compile("hanging", &sources("hanging"));
    let output =
        project.reduce(&tests, &sources("hanging"), &["--no-shrink", "--fuel", "20000000"]);
    let text = stdout(&output);
    assert!(text.contains("2 of 3 tests fail, in 2 classes of failures\n"), "{text}");
    assert!(text.contains("out of fuel           shop.Cart.size()\n"), "{text}");
    assert!(text.contains("in shop.HangingTest.waitsForever\n"), "{text}");
    assert!(text.contains("in shop.HangingTest.zWidth\n"), "{text}");
}

#[test]
fn what_cannot_be_reduced_is_said_and_not_guessed() {
    let project = Project::new();
    let fine = project.compile("fine", &sources("fine"));
    let output = project.reduce(&fine, &sources("fine"), &[]);
    assert_eq!(stdout(&output), "no test fails: 1 passed, 0 skipped\n");
    assert_eq!(output.status.code(), Some(0));

    let tests = project.compile("tests", &sources("tests"));
    let folder = scratch("errors");
    let check = |tests: &Path, sources: &Path, wanted: &str| {
        let output = project.reduce(tests, sources, &[]);
        assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
        assert!(stderr(&output).contains(wanted), "{}", stderr(&output));
        assert!(stdout(&output).is_empty());
    };
    check(&tests, &folder, "there is no source of shop.");
    check(&tests, &folder.join("missing"), "there is no such folder");
    check(&folder, &sources("tests"), "no tests found in");
    let within = folder.join("below");
    let output = project.reduce(&tests, &folder, &["--output", within.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("and the sources lie in each other"), "{}", stderr(&output));
    fs::create_dir_all(folder.join("shop")).unwrap();
    for name in ["CartTest.java", "OldCartTest.java"] {
        let text = fs::read_to_string(sources("tests").join("shop").join(name)).unwrap();
        fs::write(folder.join("shop").join(name), format!("\n\n{text}")).unwrap();
    }
    check(&tests, &folder, "the source does not match the class files");
    let _ = fs::remove_dir_all(&folder);
}

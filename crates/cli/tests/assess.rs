//! `nonpareil assess` as a user sees it: reports, files, exit codes, and what it says where it cannot.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use testkit::jdk::Jdk;
use testkit::{jdk, root, suite};

const JUPITER: &[&str] = &[
    "junit-jupiter-api",
    "junit-jupiter-engine",
    "junit-platform-engine",
    "junit-platform-commons",
    "junit-platform-launcher",
    "opentest4j",
    "apiguardian-api",
];

fn jdk() -> Jdk {
    jdk::installed().into_iter().next().unwrap()
}

/// A folder of `fixtures/cli/assess`, compiled.
fn classes(folder: &str) -> String {
    let sources = root::repository().join("fixtures/cli/assess").join(folder);
    let mut class_path = suite::jars(JUPITER);
    if folder != "src" {
        class_path = format!("{}:{class_path}", classes("src"));
    }
    let compiled =
        suite::compile(&jdk(), &format!("assess/{folder}"), &sources, &class_path).unwrap();
    compiled.display().to_string()
}

/// Runs the command on the class path of the fixture.
fn assess(options: &[&str]) -> Output {
    let class_path = format!("{}:{}", classes("src"), suite::jars(JUPITER));
    let mut command = Command::new(env!("CARGO_BIN_EXE_nonpareil"));
    command.arg("assess").arg("--jdk").arg(jdk().home).args(["--classpath", &class_path]);
    command.args(options).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn place(name: &str) -> PathBuf {
    let folder = root::target().join("assess-tests");
    fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

#[test]
fn a_suite_is_judged_by_coverage_exceptions_and_mutants() {
    let output = assess(&["--tests", &classes("first"), "--mutants"]);
    let expected = "\
3 tests: 3 passed, 0 failed, 0 skipped

coverage                 lines           branches
shop.Till           7/10  70 %          3/6  50 %
  Till()             1/1 100 %                  -
  add(int)           4/4 100 %          2/2 100 %
  cents()            1/1 100 %                  -
  isEmpty()          1/1 100 %          1/2  50 %
  fee(int)           0/3   0 %          0/2   0 %
all classes         7/10  70 %          3/6  50 %

1 distinct exception leaves the classes under test
  java.lang.IllegalArgumentException from shop.Till.add(int)

8 executions                distinct             states
  whole-seq                        6                  6
  modifying-seq                    6                  3
  whole-state                      6                  3
  monitor-equals                   6                  3
  pairwise-equals                  6                  3
  without an equals that helps: shop.Till

mutants: 6/16  37 % killed, 2 survived, 8 not covered
  shop.Till.add(int)
    line 7: changed conditional boundary `<` to `<=` (survived, run by 2 tests)
  shop.Till.isEmpty()
    line 18: replaced the returned value with true (survived, run by 1 test)
  shop.Till.fee(int)
    line 22: changed constant 50 to 51 (not covered)
    line 22: negated conditional `>` to `<=` (not covered)
    line 22: changed conditional boundary `>` to `>=` (not covered)
    line 25: replaced `*` with `/` (not covered)
    line 25: changed constant 100 to 101 (not covered)
    line 25: replaced `/` with `*` (not covered)
    line 25: negated the returned value (not covered)
    line 25: replaced the returned value with 0 (not covered)
";
    assert_eq!(stdout(&output), expected, "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_suite_with_a_failing_test_ends_with_code_1() {
    let output = assess(&[&classes("second"), "--class", "shop.T*"]);
    let text = stdout(&output);
    let expected = "2 tests: 1 passed, 1 failed, 0 skipped\n  FAILED   shop.FeeTest: isWrong(): \
                    org.opentest4j.AssertionFailedError: expected: <1> but was: <0>\n";
    assert!(text.starts_with(expected), "{text}{}", stderr(&output));
    assert!(!text.contains("mutants"), "{text}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn two_suites_are_compared_by_what_only_one_of_them_has() {
    let (first, second) = (classes("first"), classes("second"));
    let output = assess(&[&first, "--against", &second, "--mutants"]);
    let text = stdout(&output).replace(&first, "FIRST").replace(&second, "SECOND");
    let row = text.lines().find(|line| line.starts_with("whole-state")).unwrap();
    assert!(row.contains(" 6 in 3 states "), "{text}");
    let table = text.lines().skip(1).take_while(|line| !line.is_empty());
    let widths: Vec<usize> = table.map(|line| line.chars().count()).collect();
    assert!(widths.iter().all(|width| *width == widths[0]), "{text}");
    // What fails is named as for one suite.
    assert!(text.contains("\n\nin SECOND\n  FAILED   shop."), "{text}");
    assert!(!text.contains("in FIRST\n"), "{text}");
    let (_, differences) = text.split_once("\nonly FIRST\n").unwrap();
    let expected = "  lines       shop.Till 8, 14, 18
  branch      shop.Till.add(int) line 7, way 1 of 2
  branch      shop.Till.isEmpty() line 18, way 1 of 2
  exception   java.lang.IllegalArgumentException from shop.Till.add(int)
  mutant      shop.Till.cents() line 14: negated the returned value
  mutant      shop.Till.cents() line 14: replaced the returned value with 0
  mutant      shop.Till.isEmpty() line 18: negated conditional `==` to `!=`
  mutant      shop.Till.isEmpty() line 18: replaced the returned value with false

only SECOND
  lines       shop.Till 22-23, 25
  branch      shop.Till.fee(int) line 22, way 1 of 2
  branch      shop.Till.fee(int) line 22, way 2 of 2
  exception   java.lang.IllegalStateException from shop.Till.fee(int)
  mutant      shop.Till.fee(int) line 22: negated conditional `>` to `<=`
  mutant      shop.Till.fee(int) line 25: replaced `*` with `/`
  mutant      shop.Till.fee(int) line 25: changed constant 100 to 101
  mutant      shop.Till.fee(int) line 25: replaced `/` with `*`
  mutant      shop.Till.fee(int) line 25: negated the returned value
  mutant      shop.Till.fee(int) line 25: replaced the returned value with 0
";
    assert_eq!(differences, expected, "{text}{}", stderr(&output));
    // A test of the second fails.
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn json_is_the_same_for_any_number_of_jobs_and_holds_every_mutant() {
    let first = classes("first");
    let with_jobs = |jobs: &str| {
        let options = [&first, "--mutants", "--format", "json", "--jobs", jobs];
        stdout(&assess(&options))
    };
    let text = with_jobs("1");
    assert_eq!(text, with_jobs("3"));
    assert!(
        text.starts_with("{\n  \"version\": 1,\n  \"summary\": {\n    \"tests\": 3,\n"),
        "{text}"
    );
    let counted =
        "\"technique\": \"modifying-seq\",\n        \"distinct\": 6,\n        \"states\": 3\n";
    assert!(text.contains(counted), "{text}");
    let killer = "\"killers\": [\n        \"[engine:junit-jupiter]/[class:shop.TillTest]/[method:adds()]\"\n      ]";
    assert!(text.contains(killer), "{text}");
    assert_eq!(text.matches("\"operator\": ").count(), 16);
    assert_eq!(text.matches("\"fate\": \"killed\"").count(), 6);
}

#[test]
fn a_matrix_names_every_test_that_notices_a_mutant() {
    let options = [&classes("first"), "--mutants", "--matrix", "--format", "json"];
    let text = stdout(&assess(&options));
    // Both tests that add notice a condition that is turned round.
    let adds = "\"[engine:junit-jupiter]/[class:shop.TillTest]/[method:adds()]\"";
    let refuses = "\"[engine:junit-jupiter]/[class:shop.TillTest]/[method:refusesNegatives()]\"";
    assert!(text.contains(&format!("[\n        {refuses},\n        {adds}\n      ]")), "{text}");
}

#[test]
fn coverage_is_written_for_other_tools() {
    let (lcov, jacoco) = (place("till.lcov"), place("till.xml"));
    let (lcov_name, jacoco_name) = (lcov.display().to_string(), jacoco.display().to_string());
    let first = classes("first");
    let options =
        [&first, "--lcov", &lcov_name, "--source-folder", "src/", "--jacoco-xml", &jacoco_name];
    let output = assess(&options);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = fs::read_to_string(lcov).unwrap();
    assert!(text.starts_with("TN:\nSF:src/shop/Till.java\nFN:3,shop.Till.<init>()V\n"), "{text}");
    assert!(text.contains("\nDA:8,1\n") && text.contains("\nDA:25,0\n"), "{text}");
    assert!(text.ends_with("LF:10\nLH:7\nend_of_record\n"), "{text}");
    let text = fs::read_to_string(jacoco).unwrap();
    let line = "<line nr=\"7\" mi=\"0\" ci=\"2\" mb=\"0\" cb=\"2\"/>";
    assert!(text.contains(line), "{text}");
    let sums = "  <counter type=\"LINE\" missed=\"3\" covered=\"7\"/>\n  <counter type=\"COMPLEXITY\" missed=\"3\" \
                covered=\"5\"/>\n  <counter type=\"METHOD\" missed=\"1\" covered=\"4\"/>\n  <counter type=\"CLASS\" \
                missed=\"0\" covered=\"1\"/>\n</report>\n";
    assert!(text.ends_with(sums), "{text}");
}

/// Checks that options are an input error with this text.
fn check_error(options: &[&str], expected: &str) {
    let output = assess(options);
    assert_eq!(stderr(&output), expected);
    assert_eq!(stdout(&output), "");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn what_cannot_be_assessed_is_an_input_error_with_a_hint() {
    let first = classes("first");
    let expected = "error: there is no folder no/such\nhint: the tests are a folder of class files, such as \
                    target/test-classes\n";
    check_error(&["no/such"], expected);
    let expected = "error: no class on the class path is called shop.Tilt*\nhint: write the package too, or * for it: \
                    '*.shop.Tilt*'\n";
    check_error(&[&first, "--class", "shop.Tilt*"], expected);
    let expected = "error: package shops has no class on the class path\n";
    check_error(&[&first, "--package", "shops"], expected);
    let folder = root::target().display().to_string();
    check_error(
        &[&first, "--jacoco-xml", &folder],
        &format!("error: --jacoco-xml {folder} is a folder\nhint: name a file in it\n"),
    );
    let source = classes("src");
    check_error(
        &[&source, "--class", "shop.Till"],
        &format!("error: no tests found in {source}\n"),
    );
}

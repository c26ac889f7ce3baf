//! What `nonpareil generate` promises where nobody names a strategy: few tests, each of which tells something.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};
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

fn classes(jdk: &Jdk, fixture: &str) -> PathBuf {
    let sources = root::repository().join("fixtures").join(fixture);
    suite::compile(jdk, fixture, &sources, "").unwrap()
}

/// A folder that is empty.
fn folder(name: &str) -> PathBuf {
    let folder = root::target().join("telling-tests").join(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn nonpareil(jdk: &Jdk, command: &str, class_path: &str, options: &[&str]) -> Output {
    let mut tool = Command::new(env!("CARGO_BIN_EXE_nonpareil"));
    tool.arg(command).arg("--jdk").arg(&jdk.home).args(["--classpath", class_path]);
    tool.args(options).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Generates; what is said but for times, and the source of the only test class.
fn generated(jdk: &Jdk, class: &str, output: &Path, options: &[&str]) -> (String, String) {
    let fixed = ["--class", class, "--output", &output.display().to_string()];
    let class_path = classes(jdk, "subjects/src").display().to_string();
    let done = nonpareil(jdk, "generate", &class_path, &[&fixed[..], options].concat());
    let said = text(&done.stdout);
    assert_eq!(text(&done.stderr), "", "{said}");
    let simple = class.rsplit('.').next().unwrap();
    let source = fs::read_to_string(output.join(format!("subjects/{simple}Test.java"))).unwrap();
    (said, source)
}

/// The numbers in `they notice 9 of 12 mutants` or `mutants: 9/12`.
fn numbers(line: &str) -> Vec<usize> {
    let words = line.split(|letter: char| !letter.is_ascii_digit());
    words.filter_map(|word| word.parse().ok()).take(2).collect()
}

#[test]
fn tests_notice_the_mutants_they_are_said_to_and_none_of_them_is_redundant() {
    for jdk in jdk::installed() {
        // A mutant of IntStack.push takes all memory, where JUnit ends without a word of the test.
        for (class, percent) in [("IntStack", 70), ("BankAccount", 90)] {
            let output = folder(&format!("{}-{class}", jdk.release));
            let class = format!("subjects.{class}");
            let (said, source) =
                generated(&jdk, &class, &output, &["--no-contract", "equals-hash-code"]);
            let line = said.lines().find(|line| line.contains("they notice")).unwrap();
            let noticed = numbers(line);
            let n_tests = source.matches("@Test").count();
            assert!((3..40).contains(&n_tests), "{n_tests} tests: {said}");
            assert!(noticed[0] * 100 >= noticed[1] * percent, "{said}");
            let name = format!("telling/{class}");
            let under_test = classes(&jdk, "subjects/src").display().to_string();
            let jars = format!("{}:{under_test}", suite::jars(JUPITER));
            let tests = suite::compile(&jdk, &name, &output, &jars).unwrap();
            let tests = tests.display().to_string();
            let class_path = format!("{under_test}:{}", suite::jars(JUPITER));
            let options = ["--tests", &tests, "--class", &class];
            let assessed =
                nonpareil(&jdk, "assess", &class_path, &[&options[..], &["--mutants"]].concat());
            let assessed = text(&assessed.stdout);
            let line = assessed.lines().find(|line| line.starts_with("mutants:")).unwrap();
            assert_eq!(numbers(line), noticed, "{said}{assessed}");
            let minimized = nonpareil(&jdk, "minimize", &class_path, &options);
            assert_eq!(minimized.status.code(), Some(0), "{}", text(&minimized.stdout));
        }
    }
}

#[test]
fn tests_are_the_same_for_any_number_of_threads() {
    let jdk = jdk::installed().into_iter().next().unwrap();
    let of = |jobs: &str| {
        let options = ["--jobs", jobs, "--no-verify"];
        generated(&jdk, "subjects.BinomialHeap", &folder(&format!("jobs-{jobs}")), &options).1
    };
    assert_eq!(of("1"), of("2"));
}

#[test]
fn tests_are_the_same_wherever_the_tool_is_started() {
    let jdk = jdk::installed().into_iter().next().unwrap();
    let class_path = classes(&jdk, "subjects/src").display().to_string();
    // The name of the working folder lies in the machine's memory before everything else.
    let of = |name: &str| {
        let (work, output) = (folder(name), folder(&format!("from-{name}")));
        fs::create_dir_all(&work).unwrap();
        let mut tool = Command::new(env!("CARGO_BIN_EXE_nonpareil"));
        tool.current_dir(&work).arg("generate").arg("--jdk").arg(&jdk.home);
        tool.args(["--classpath", &class_path, "--class", "subjects.HashMap", "--no-verify"]);
        let done = tool.args(["--strategy", "random", "--max-sequences", "20000", "--count"]);
        let done = done.arg("--output").arg(&output).output().unwrap();
        let said = text(&done.stdout);
        let line = said.lines().next().unwrap_or_default();
        let counts = line.split(" per second): ").nth(1).unwrap_or_default();
        (line.split(' ').next().unwrap_or_default().to_owned(), counts.to_owned())
    };
    let all: Vec<_> = ["a", "ab", "abcdefghi", "abcdefghijklmnopq"].map(of).into();
    assert!(all.iter().all(|one| *one == all[0]), "{all:#?}");
}

#[test]
fn what_only_states_know_is_not_asked_of_random_sequences() {
    let jdk = jdk::installed().into_iter().next().unwrap();
    let options = ["--arguments", "push=3", "--methods", "push,pop", "--iterations", "1"];
    let (said, source) = generated(&jdk, "subjects.IntStack", &folder("arguments"), &options);
    assert!(said.starts_with("subjects.IntStack\n  "), "{said}");
    assert!(source.lines().all(|line| !line.contains(".push(") || line.contains(".push(3)")));
    let class_path = classes(&jdk, "subjects/src").display().to_string();
    let options = ["--class", "subjects.IntStack", "--count", "--iterations", "1"];
    let done = nonpareil(&jdk, "generate", &class_path, &options);
    assert!(text(&done.stdout).contains("states (whole-state)"), "{}", text(&done.stdout));
}

#[test]
fn a_class_that_nobody_can_make_is_refused() {
    let jdk = jdk::installed().into_iter().next().unwrap();
    let class_path = classes(&jdk, "generate").display().to_string();
    let output = folder("hidden");
    let output = output.display().to_string();
    let options = ["--class", "sample.Hidden", "--output", &output];
    let done = nonpareil(&jdk, "generate", &class_path, &options);
    let errors = text(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{errors}");
    assert!(errors.starts_with("error: sample.Hidden has no public constructor"), "{errors}");
    assert!(!Path::new(&output).exists());
}

#[test]
fn a_class_that_cannot_be_loaded_leaves_the_others_their_tests() {
    let jdk = jdk::installed().into_iter().next().unwrap();
    let classes = classes(&jdk, "generate");
    // In a folder that is not its package, a class has another name than its place says.
    let misplaced = folder("misplaced");
    fs::create_dir_all(misplaced.join("wrong")).unwrap();
    fs::copy(classes.join("sample/Meter.class"), misplaced.join("wrong/Meter.class")).unwrap();
    let class_path = format!("{}:{}", classes.display(), misplaced.display());
    let output = folder("others");
    let output = output.display().to_string();
    let options = ["--class", "wrong.Meter", "--class", "sample.Order", "--no-verify"];
    let more = ["--output", &output, "--max-sequences", "2000"];
    let done = nonpareil(&jdk, "generate", &class_path, &[&options[..], &more].concat());
    let said = text(&done.stdout);
    assert_eq!(done.status.code(), Some(0), "{said}{}", text(&done.stderr));
    assert!(said.contains("\n  not tested: wrong.Meter: "), "{said}");
    assert!(!said.contains("ClassLoader.java"), "a reason is a line: {said}");
    assert!(said.contains("OrderTest.java: "), "{said}");
}

/// Hundredths of a second that a process has worked.
fn ticks(process: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let behind_name = stat.rsplit(')').next().unwrap();
    // The time in the program is the fourteenth field and that in the system the next; the name was the second.
    let times = behind_name.split(' ').skip(12).take(2);
    times.map(|time| time.parse::<u64>().unwrap()).sum()
}

/// Starts a search without end, interrupts it, and gives what is said.
fn interrupted(name: &str, options: &[&str]) -> String {
    let jdk = jdk::installed().into_iter().next().unwrap();
    let class_path = classes(&jdk, "subjects/src").display().to_string();
    let output = folder(name);
    let mut tool = Command::new(env!("CARGO_BIN_EXE_nonpareil"));
    tool.arg("generate").arg("--jdk").arg(&jdk.home).args(["--classpath", &class_path]);
    tool.args(["--class", "subjects.LinkedList", "--no-verify", "--output"]).arg(&output);
    let running = tool.args(options).stdout(std::process::Stdio::piped()).spawn().unwrap();
    // Not before it has worked for a while, however busy the computer is.
    while ticks(running.id()) < 250 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let kill = Command::new("kill").args(["-INT", &running.id().to_string()]).status().unwrap();
    assert!(kill.success(), "it was still running");
    let said = text(&running.wait_with_output().unwrap().stdout);
    assert!(output.join("subjects/LinkedListTest.java").exists(), "{said}");
    said
}

#[test]
fn what_an_interrupted_search_found_is_written() {
    interrupted("interrupted-all", &["--max-sequences", "1000000000"]);
    interrupted("interrupted-random", &["--strategy", "random", "--time", "1h"]);
    let states = ["--strategy", "states", "--time", "1h", "--iterations", "1000"];
    interrupted("interrupted-states", &[&states[..], &["--max-states", "100000000"]].concat());
}

#[test]
fn classes_in_jars_are_under_test_where_no_folder_has_any() {
    let jdk = &jdk::installed()[0];
    let jar = folder("jars").join("till.jar");
    fs::create_dir_all(jar.parent().unwrap()).unwrap();
    let mut command = Command::new(jdk.home.join("bin/jar"));
    command.arg("cf").arg(&jar).arg("-C").arg(classes(jdk, "generate")).arg("sample/Till.class");
    assert!(command.status().unwrap().success());
    let beside = folder("jars-folder");
    fs::create_dir_all(beside.join("sample")).unwrap();
    let of_wallet = classes(jdk, "generate").join("sample/Wallet.class");
    fs::copy(of_wallet, beside.join("sample/Wallet.class")).unwrap();
    for strategy in ["all", "states", "random"] {
        let tested = |class_path: &str| {
            let output = folder(&format!("jars-{strategy}"));
            let path = output.display().to_string();
            let options = ["--no-verify", "--all", "--strategy", strategy, "--output", &path];
            let limits = ["--max-sequences", "500"];
            let limits = if strategy == "states" { &limits[..0] } else { &limits[..] };
            let done = nonpareil(jdk, "generate", class_path, &[&options, limits].concat());
            assert_eq!(text(&done.stderr), "", "{}", text(&done.stdout));
            ["Till", "Wallet"].map(|class| output.join(format!("sample/{class}Test.java")).exists())
        };
        let (jar, beside) = (jar.display(), beside.display());
        assert_eq!(tested(&jar.to_string()), [true, false], "{strategy}");
        assert_eq!(tested(&format!("{beside}:{jar}")), [false, true], "{strategy}");
    }
}

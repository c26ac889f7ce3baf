//! `nonpareil minimize` as a user sees it: what is redundant and why, rewritten sources that still compile
//! and pass on a real JVM, and what it says where it cannot.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
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
    "univocity-parsers",
];
const JUNIT4: &[&str] = &["junit4", "hamcrest"];

fn first_jdk() -> Jdk {
    jdk::installed().into_iter().next().unwrap()
}

fn fixtures(name: &str) -> PathBuf {
    root::repository().join("fixtures").join(name)
}

/// Classes under test and tests, compiled apart, and the jars to run them with.
struct Project {
    jdk: Jdk,
    main: PathBuf,
    tests: PathBuf,
    sources: PathBuf,
    jars: String,
}

impl Project {
    fn new(jdk: Jdk, main: &str, tests: &str, jars: &[&[&str]]) -> Project {
        // Compiled in one way whatever they are run with, so that tests can share the class files.
        let all = suite::jars(&[JUPITER, JUNIT4].concat());
        let jars = suite::jars(&jars.concat());
        let main =
            suite::compile(&jdk, &format!("minimize/{main}"), &fixtures(main), &all).unwrap();
        let sources = fixtures(tests);
        let class_path = format!("{}:{all}", main.display());
        let name = format!("minimize/{tests}");
        let tests = suite::compile(&jdk, &name, &sources, &class_path).unwrap();
        Project { jdk, main, tests, sources, jars }
    }

    fn subjects(jdk: Jdk) -> Project {
        Project::new(jdk, "subjects/src", "subjects/tests", &[JUPITER])
    }

    fn class_path(&self) -> String {
        format!("{}:{}", self.main.display(), self.jars)
    }

    fn minimize(&self, tests: &Path, options: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nonpareil"));
        command.arg("minimize").arg("--jdk").arg(&self.jdk.home);
        command.arg("--classpath").arg(self.class_path()).arg("--tests").arg(tests);
        command.args(options).output().unwrap()
    }

    fn compile(&self, name: &str, sources: &Path) -> PathBuf {
        let jars = suite::jars(&[JUPITER, JUNIT4].concat());
        let class_path = format!("{}:{jars}", self.main.display());
        suite::compile(&self.jdk, name, sources, &class_path).unwrap()
    }

    /// Which tests pass on a real JVM when these sources are compiled: `class method` of each.
    fn passed_on_a_real_jvm(&self, name: &str, sources: &Path, classes: &[&str]) -> Vec<String> {
        let compiled = self.compile(name, sources);
        let jars = suite::jars(&[JUPITER, JUNIT4, &["junit-vintage-engine"]].concat());
        let oracle = fixtures("junit/oracle");
        let oracle = suite::compile(&self.jdk, "junit/oracle", &oracle, &jars).unwrap();
        let folders: [&Path; 3] = [&oracle, &compiled, &self.main];
        let line = [&["org.junit.oracle.PlatformOracle"], classes].concat();
        let text = suite::ask(&self.jdk, &folders, &jars, &line).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let mut passed = Vec::new();
        for node in lines.chunks(3) {
            let fields: Vec<&str> = node[0].split('\t').collect();
            if fields[1] == "test" {
                assert!(!node[1].starts_with("failed"), "{node:?}");
                if node[1].starts_with("passed") {
                    passed.push(format!("{} {}", fields[4], fields[5]));
                }
            }
        }
        passed
    }
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A folder of this process for one test, empty.
fn scratch(name: &str) -> PathBuf {
    let folder = root::target().join("minimize").join(format!("{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A folder with some of the class files alone.
fn only(project: &Project, name: &str, classes: &[&str]) -> PathBuf {
    let folder = scratch(name);
    for class in classes {
        let to = folder.join(class);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(project.tests.join(class), to).unwrap();
    }
    folder
}

#[test]
fn the_example_of_the_paper_is_minimised_as_in_the_paper_by_every_technique() {
    for jdk in jdk::installed() {
        let project = Project::subjects(jdk);
        let tests = only(&project, "paper", &["subjects/IntStackTest.class"]);
        let expected: [(&str, &[&str]); 5] = [
            ("whole-seq", &[]),
            ("modifying-seq", &["t3"]),
            ("whole-state", &["t3"]),
            ("monitor-equals", &["t2", "t3"]),
            ("pairwise-equals", &["t2", "t3"]),
        ];
        for (technique, redundant) in expected {
            let options = ["--class", "subjects.IntStack", "--technique", technique];
            let output = project.minimize(&tests, &options);
            let text = stdout(&output);
            for test in ["t1", "t2", "t3"] {
                let line =
                    format!("subjects.IntStackTest.{test}: because of subjects.IntStackTest.t1");
                assert_eq!(text.contains(&line), redundant.contains(&test), "{technique}\n{text}");
            }
            let code = i32::from(!redundant.is_empty());
            assert_eq!(output.status.code(), Some(code), "{text}{}", stderr(&output));
        }
        fs::remove_dir_all(tests).unwrap();
    }
}

#[test]
fn the_table_counts_tests_executions_branches_and_exceptions() {
    let project = Project::subjects(first_jdk());
    let tests = only(&project, "table", &["subjects/IntStackTest.class"]);
    let output =
        project.minimize(&tests, &["--class", "subjects.IntStack", "--prioritize", "--explain"]);
    let text = stdout(&output);
    let expected = "\
test class             tests  redundant  executions  distinct      branches  exceptions
subjects.IntStackTest      3          1          13         7        3 -> 3      0 -> 0
all tests                  3          1          13         7  3 -> 3 of 18      0 -> 0

redundant
  subjects.IntStackTest.t3: because of subjects.IntStackTest.t1
      <init>(): as in subjects.IntStackTest.t1
          the same calls, the same state
      push(<init>().state, 3): as in subjects.IntStackTest.t1
          the same state after other calls (call 2 of this: no call vs isEmpty())
      push(push(<init>().state, 3).state, 2): as in subjects.IntStackTest.t1
          the same state after other calls (call 2 of this: push(3) vs isEmpty())
      pop(push(push(<init>().state, 3).state, 2).state): as in subjects.IntStackTest.t1
          the same state after other calls (call 2 of this: push(3) vs isEmpty())

kept
  subjects.IntStackTest.t1
      alone: isEmpty(<init>().state)
          entry state: this = IntStack, this.size = 0, this.store = int[10], this.store[0..9] = 0
          no other test calls this method in another state
      alone: push(push(<init>().state, 3).state, 2)
          entry state: this = IntStack, this.size = 1, this.store = int[10], this.store[0] = 3, this.store[1..9] = 0, argument 1 = 2
          unlike push(push(<init>().state, 3).state, 5) in subjects.IntStackTest.t2: argument 1: 2 vs 5
      alone: pop(push(push(<init>().state, 3).state, 2).state)
          entry state: this = IntStack, this.size = 2, this.store = int[10], this.store[0] = 3, this.store[1] = 2, this.store[2..9] = 0
          no other test calls this method in another state
      alone: push(pop(push(push(<init>().state, 3).state, 2).state).state, 5)
          entry state: this = IntStack, this.size = 1, this.store = int[10], this.store[0] = 3, this.store[1] = 2, this.store[2..9] = 0, argument 1 = 5
          unlike push(push(<init>().state, 3).state, 5) in subjects.IntStackTest.t2: this.store[1]: 2 vs 0
  subjects.IntStackTest.t2
      alone: push(push(<init>().state, 3).state, 5)
          entry state: this = IntStack, this.size = 1, this.store = int[10], this.store[0] = 3, this.store[1..9] = 0, argument 1 = 5
          unlike push(push(<init>().state, 3).state, 2) in subjects.IntStackTest.t1: argument 1: 5 vs 2

by priority
     1  subjects.IntStackTest.t1
     2  subjects.IntStackTest.t2
     3  subjects.IntStackTest.t3
";
    assert!(
        text.starts_with("technique: whole-state\nclasses under test: subjects.IntStack\n"),
        "{text}"
    );
    assert!(text.contains("\nno part of a state: nothing\n"), "{text}");
    assert!(text.ends_with(expected), "{text}{}", stderr(&output));
    fs::remove_dir_all(tests).unwrap();
}

#[test]
fn json_is_all_that_goes_to_standard_output() {
    let project = Project::subjects(first_jdk());
    let output = project.minimize(&project.tests, &["--format", "json"]);
    let text = stdout(&output);
    assert!(
        text.starts_with("{\n  \"version\": 1,\n  \"technique\": \"whole-state\",\n"),
        "{text}"
    );
    let redundant =
        "\"status\": \"redundant\",\n      \"because\": [\n        \"subjects.IntStackTest.t1\"\n";
    assert!(text.contains(redundant), "{text}");
    assert!(text.ends_with("}\n"), "{text}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn rewritten_sources_compile_pass_and_are_minimal() {
    let project = Project::subjects(first_jdk());
    let classes = ["subjects.IntStackTest", "subjects.IntStackGrowthTest", "subjects.UBStackTest"];
    let before =
        project.passed_on_a_real_jvm("minimize/subjects/tests", &project.sources, &classes);
    for how in ["comment", "disable", "delete"] {
        let folder = scratch(how);
        let out = folder.join("java");
        let sources = project.sources.display().to_string();
        let output = project.minimize(
            &project.tests,
            &["--sources", &sources, "--apply", how, "--output", &out.display().to_string()],
        );
        assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
        let after = project.passed_on_a_real_jvm(&format!("minimize/{how}"), &out, &classes);
        let gone: Vec<&String> = before.iter().filter(|test| !after.contains(test)).collect();
        assert_eq!(
            gone,
            [
                "subjects.IntStackTest t3",
                "subjects.IntStackGrowthTest aNewStackIsEmptyAgain",
                "subjects.IntStackGrowthTest aNewStackIsEmpty",
                "subjects.IntStackGrowthTest pushingInALoop",
                "subjects.UBStackTest$WithOneElement topIsIt",
            ],
            "{how}"
        );
        assert!(after.iter().all(|test| before.contains(test)), "{how}");
        let compiled = project.compile(&format!("minimize/{how}"), &out);
        let again = project.minimize(&compiled, &[]);
        assert_eq!(again.status.code(), Some(0), "{how}: {}", stdout(&again));
        assert!(stdout(&again).contains("\nall tests "), "{}", stdout(&again));
        fs::remove_dir_all(folder).unwrap();
    }
}

fn git(folder: &Path, line: &[&str]) {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(["-c", "user.name=x", "-c", "user.email=x@localhost"]);
    let output = command.args(line).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn sources_are_changed_in_place_only_where_git_has_them_committed() {
    let project = Project::subjects(first_jdk());
    let tests = only(&project, "place", &["subjects/IntStackTest.class"]);
    // Outside of every checkout.
    let folder = std::env::temp_dir().join(format!("nonpareil-in-place-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    let source = folder.join("subjects/IntStackTest.java");
    fs::create_dir_all(folder.join("subjects")).unwrap();
    fs::copy(project.sources.join("subjects/IntStackTest.java"), &source).unwrap();
    let before = fs::read_to_string(&source).unwrap();
    let sources = folder.display().to_string();
    let options =
        ["--class", "subjects.IntStack", "--sources", &sources, "--apply", "delete", "--in-place"];
    let refused = |why: &str| {
        let output = project.minimize(&tests, &options);
        let text = format!(
            "error: the sources are not changed in place: {sources} {why}\nhint: commit first, or --output FOLDER, \
             or --force\n"
        );
        assert_eq!(stderr(&output), text);
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(fs::read_to_string(&source).unwrap(), before);
    };
    refused("is in no git checkout");
    git(&folder, &["init", "-q"]);
    refused("has uncommitted changes: subjects/IntStackTest.java");
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-qm", "x"]);
    let output = project.minimize(&tests, &options);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let after = fs::read_to_string(&source).unwrap();
    assert!(!after.contains("t3") && after.contains("t2"), "{after}");
    assert_eq!(fs::read_dir(folder.join("subjects")).unwrap().count(), 1, "nothing else is left");
    fs::remove_dir_all(folder).unwrap();
    fs::remove_dir_all(tests).unwrap();
}

#[test]
fn sources_that_do_not_match_are_an_input_error_and_nothing_is_written() {
    let project = Project::subjects(first_jdk());
    let tests = only(&project, "mismatch", &["subjects/IntStackTest.class"]);
    let folder = scratch("mismatch-sources");
    let sources = folder.join("in");
    let source = sources.join("subjects/IntStackTest.java");
    let out = folder.join("out");
    let check = |expected: &str| {
        let (sources, out) = (sources.display().to_string(), out.display().to_string());
        let options = [
            "--class",
            "subjects.IntStack",
            "--sources",
            &sources,
            "--apply",
            "comment",
            "--output",
            &out,
        ];
        let output = project.minimize(&tests, &options);
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
        assert_eq!(stdout(&output), "");
        assert_eq!(output.status.code(), Some(2));
        assert!(!Path::new(&out).exists());
    };
    check("there is no such folder");
    fs::create_dir_all(source.parent().unwrap()).unwrap();
    check("there is no source of subjects.IntStackTest: ");
    let text = fs::read_to_string(project.sources.join("subjects/IntStackTest.java")).unwrap();
    fs::write(&source, text.replace("t3()", "t4()")).unwrap();
    check("the source does not match the class files: ");
    fs::write(&source, text.replace("void t1()", "\n\n\nvoid t1()")).unwrap();
    check("hint: compile the tests again\n");
    fs::remove_dir_all(folder).unwrap();
    fs::remove_dir_all(tests).unwrap();
}

#[test]
fn tests_that_do_not_pass_are_left_as_they_are_and_stand_for_nothing() {
    let project = Project::new(first_jdk(), "minimize/main", "minimize/troubled", &[JUPITER]);
    let output = project.minimize(&project.tests, &["--fuel", "20000000", "--memory", "128m"]);
    let text = stdout(&output);
    let expected = "
redundant
  shop.GreedyTest.passes: because of shop.TillTest.bPasses
  shop.HangingTest.passes: because of shop.TillTest.bPasses
  shop.TillTest.cIsRedundant: because of shop.TillTest.bPasses

left as they are
  shop.TillTest.aFails: it fails: org.opentest4j.AssertionFailedError: expected: <2> but was: <1>
  shop.TillTest.dIsDisabled: it is disabled
  shop.TillTest.eGivesUp: it gives up: Assumption failed: not here
";
    assert!(text.contains(expected), "{text}{}", stderr(&output));
    for line in [
        "  shop.ExitingTest.exits: it stops the machine: ended with code 0\n",
        "  shop.HangingTest.hangs: it does not come to an end within --fuel\n",
        "  shop.GreedyTest.takesAll: it takes all memory; --memory gives more\n",
        "\n1 test calls no class under test and is left as it is\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn an_inherited_test_is_taken_out_where_it_is_redundant_in_every_class_that_runs_it() {
    let project = Project::new(first_jdk(), "minimize/main", "minimize/inherited", &[JUPITER]);
    let folder = scratch("inherited");
    let out = folder.join("java");
    let sources = project.sources.display().to_string();
    let output = project.minimize(
        &project.tests,
        &["--sources", &sources, "--apply", "delete", "--output", &out.display().to_string()],
    );
    let text = stdout(&output);
    assert!(text.contains("\n2 tests deleted in 1 file\n"), "{text}{}", stderr(&output));
    let left = "  left alone: shop.FirstTillTest.more: it is inherited from shop.AbstractTillTest, and \
                shop.SecondTillTest.more is not redundant\n";
    assert!(text.contains(left), "{text}");
    assert_eq!(output.status.code(), Some(1), "not all could be taken out");
    let classes = ["shop.FirstTillTest", "shop.SecondTillTest"];
    let mut after = project.passed_on_a_real_jvm("minimize/inherited-delete", &out, &classes);
    after.sort();
    let expected =
        ["shop.FirstTillTest all", "shop.FirstTillTest more", "shop.SecondTillTest more"];
    assert_eq!(after, expected);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_an_heir_runs_anyway_lets_another_test_go() {
    let project = Project::new(first_jdk(), "minimize/main", "minimize/heirs", &[JUPITER]);
    let folder = scratch("heirs");
    let out = folder.join("java").display().to_string();
    let sources = project.sources.display().to_string();
    let output = project
        .minimize(&project.tests, &["--sources", &sources, "--apply", "delete", "--output", &out]);
    let text = stdout(&output);
    let redundant = "\nredundant\n  shop.FirstTest.putsOne: because of shop.OneCoinTest.puts\n";
    assert!(text.contains(redundant), "{text}{}", stderr(&output));
    assert!(text.contains("\n1 test deleted in 1 file\n"), "{text}");
    assert_eq!(output.status.code(), Some(0), "{text}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn suites_of_junit_3_and_4_are_minimised_with_and_without_the_vintage_engine() {
    let vintage: &[&[&str]] = &[JUPITER, JUNIT4, &["junit-vintage-engine"]];
    for jars in [vintage, &[JUNIT4]] {
        let project = Project::new(first_jdk(), "minimize/main", "minimize/old", jars);
        let output = project.minimize(&project.tests, &[]);
        let text = stdout(&output);
        let mut redundant: Vec<&str> = text
            .lines()
            .filter(|line| line.contains(": because of "))
            .map(|line| line.trim().split(':').next().unwrap())
            .collect();
        redundant.sort_unstable();
        assert_eq!(
            redundant,
            [
                "shop.CasesTest.putOnly",
                "shop.FourTest.one",
                "shop.FourTest.two",
                "shop.ThreeTest.testCoins",
                "shop.ThreeTest.testCoinsAgain"
            ],
            "{text}{}",
            stderr(&output)
        );
        // What is done for a class as a whole counts once, and for no other class.
        for row in [
            "\nshop.CasesTest      2          1          15         7 ",
            "\nshop.FourTest       3          2          12         6 ",
            "\nshop.ThreeTest      3          2          10         5 ",
        ] {
            assert!(text.contains(row), "{text}");
        }
    }
}

#[test]
fn tests_that_are_no_methods_are_counted_and_kept() {
    let vintage: &[&[&str]] = &[JUPITER, JUNIT4, &["junit-vintage-engine"]];
    for jars in [vintage, &[JUNIT4]] {
        let project = Project::new(first_jdk(), "minimize/main", "minimize/data", jars);
        let output = project.minimize(&project.tests, &[]);
        let text = stdout(&output);
        for line in [
            "\nshop.CoinsTest      1          1 ",
            "\nshop.TableTest      2          0 ",
            "\n  shop.CoinsTest.testOne: because of shop.TableTest.1 coin\n",
            "\n2 tests have no method of their own to take out, as those that suite() makes, and are kept\n",
        ] {
            assert!(text.contains(line), "{text}{}", stderr(&output));
        }
        let alone = only(&project, "data", &["shop/TableTest.class"]);
        let output = project.minimize(&alone, &["--format", "json"]);
        let text = stdout(&output);
        let kept =
            "\"status\": \"kept\",\n      \"reason\": \"it has no method of its own to take out\"";
        assert_eq!(text.matches(kept).count(), 2, "{text}{}", stderr(&output));
        assert_eq!(output.status.code(), Some(0));
        fs::remove_dir_all(alone).unwrap();
    }
}

#[test]
fn rewritten_suites_of_junit_3_and_4_compile_and_pass() {
    let project = Project::new(
        first_jdk(),
        "minimize/main",
        "minimize/old",
        &[JUPITER, JUNIT4, &["junit-vintage-engine"]],
    );
    let classes = ["shop.ThreeTest", "shop.FourTest", "shop.CasesTest"];
    for how in ["comment", "disable", "delete"] {
        let folder = scratch(&format!("old-{how}"));
        let out = folder.join("java");
        let sources = project.sources.display().to_string();
        let output = project.minimize(
            &project.tests,
            &["--sources", &sources, "--apply", how, "--output", &out.display().to_string()],
        );
        assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
        let mut after =
            project.passed_on_a_real_jvm(&format!("minimize/old-{how}"), &out, &classes);
        after.sort();
        let expected = [
            "shop.CasesTest everyCase",
            "shop.CasesTest everyCase",
            "shop.CasesTest everyCase",
            "shop.FourTest negative",
            "shop.ThreeTest testMore",
        ];
        assert_eq!(after, expected, "{how}");
        fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn a_generated_suite_is_minimal_whatever_the_technique() {
    let project = Project::subjects(first_jdk());
    let folder = scratch("generated");
    for technique in
        ["whole-seq", "modifying-seq", "whole-state", "monitor-equals", "pairwise-equals"]
    {
        let out = folder.join(technique);
        let mut command = Command::new(env!("CARGO_BIN_EXE_nonpareil"));
        command.arg("generate").arg("--jdk").arg(&project.jdk.home);
        command.arg("--classpath").arg(project.class_path()).arg("--output").arg(&out);
        command.args(["--class", "subjects.IntStack", "--strategy", "states"]);
        command.args(["--iterations", "2", "--no-verify"]);
        let output = command.args(["--technique", technique]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
        let tests = project.compile(&format!("minimize/generated-{technique}"), &out);
        let options = ["--class", "subjects.IntStack", "--technique", technique];
        let output = project.minimize(&tests, &options);
        assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_result_is_the_same_for_any_number_of_jobs() {
    let vintage: &[&[&str]] = &[JUPITER, JUNIT4, &["junit-vintage-engine"]];
    let project = Project::new(first_jdk(), "minimize/main", "minimize/old", vintage);
    let [troubled, inherited] = ["minimize/troubled", "minimize/inherited"].map(|tests| {
        let tests = Project::new(first_jdk(), "minimize/main", tests, vintage).tests;
        tests.display().to_string()
    });
    let with_jobs = |jobs: &str, format: &str| {
        let more = ["--tests", &troubled, "--tests", &inherited, "--explain"];
        let limits = ["--fuel", "20000000", "--memory", "128m", "--jobs", jobs];
        let options = [&more[..], &limits, &["--format", format]].concat();
        stdout(&project.minimize(&project.tests, &options))
    };
    let text = with_jobs("1", "json");
    assert_eq!(text, with_jobs("3", "json"));
    // A test of one machine is redundant because of one that ran on another.
    let human = with_jobs("2", "human");
    let across = "  shop.SecondTillTest.empty: because of shop.";
    assert!(human.contains(across), "{human}");
}

#[test]
fn ctrl_c_ends_a_test_that_does_not_and_keeps_what_was_found() {
    let project = Project::new(first_jdk(), "minimize/main", "minimize/troubled", &[JUPITER]);
    let tests = only(&project, "interrupted", &["shop/HangingTest.class", "shop/TillTest.class"]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_nonpareil"));
    command.arg("minimize").arg("--jdk").arg(&project.jdk.home);
    command.arg("--classpath").arg(project.class_path()).arg("--tests").arg(&tests);
    command.args(["--fuel", "9000000000000000"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let pid = child.id().to_string();
    let mut heard = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    heard.read_line(&mut line).unwrap();
    assert_eq!(line, "going round\n", "what the test says before it hangs");
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let mut rest = String::new();
    heard.read_to_string(&mut rest).unwrap();
    let expected = "interrupted: tests that were not run are left as they are\n";
    assert_eq!(rest, expected, "{}", stdout(&output));
    assert!(stdout(&output).contains("HangingTest.hangs: it was not run\n"), "{}", stdout(&output));
    assert_eq!(output.status.code(), Some(1));
    fs::remove_dir_all(tests).unwrap();
}

fn check_error(project: &Project, tests: &Path, options: &[&str], expected: &str) {
    assert_eq!(refused(project, tests, options), expected);
}

/// What is said of options that are an input error.
fn refused(project: &Project, tests: &Path, options: &[&str]) -> String {
    let output = project.minimize(tests, options);
    assert_eq!(stdout(&output), "");
    assert_eq!(output.status.code(), Some(2));
    stderr(&output)
}

#[test]
fn input_that_cannot_be_used_is_named() {
    let project = Project::new(first_jdk(), "minimize/main", "minimize/troubled", &[JUPITER]);
    let empty = scratch("empty");
    let shown = empty.display();
    check_error(&project, &empty, &[], &format!("error: no tests found in {shown}\n"));
    let missing = empty.join("missing");
    let expected = format!("error: --tests {}: there is no such folder\n", missing.display());
    check_error(&project, &missing, &[], &expected);
    for (option, name, expected) in [
        ("--class", "shop.Nowhere", "error: class shop.Nowhere is not on the class path "),
        ("--class", "shop.No*", "error: no class on the class path is called shop.No*\nhint: "),
        ("--package", "no.such", "error: package no.such has no class on the class path\n"),
    ] {
        let said = refused(&project, &project.tests, &[option, name]);
        assert!(said.starts_with(expected), "{said}");
    }
    let sources = project.sources.display().to_string();
    let options = ["--sources", &sources, "--apply", "delete"];
    let expected =
        "error: --apply needs to know where to write\nhint: --output FOLDER or --in-place\n";
    check_error(&project, &project.tests, &options, expected);
    let inside = project.sources.join("out").display().to_string();
    let options = ["--sources", &sources, "--apply", "delete", "--output", &inside];
    let output = project.minimize(&project.tests, &options);
    assert!(stderr(&output).contains("lie in each other"), "{}", stderr(&output));
    let output = project.minimize(&project.tests, &["--technique", "guess"]);
    assert!(
        stderr(&output).contains("one of whole-seq, modifying-seq, whole-state"),
        "{}",
        stderr(&output)
    );
    assert_eq!(output.status.code(), Some(2));
    fs::remove_dir_all(empty).unwrap();
}

#[test]
fn tests_in_other_packages_need_the_classes_under_test_named() {
    let mut project = Project::subjects(first_jdk());
    project.main = Project::new(first_jdk(), "minimize/main", "minimize/old", &[JUPITER]).main;
    let output = project.minimize(&project.tests, &[]);
    let expected = "error: no class under test: no folder of the class path has classes in the packages of the \
                    tests, subjects\nhint: name the classes with --class\n";
    assert_eq!(stderr(&output), expected);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn what_the_jdk_keeps_about_the_machine_is_no_part_of_a_state() {
    for jdk in jdk::installed() {
        let project = Project::new(jdk, "minimize/main", "minimize/machine", &[JUPITER]);
        let output = project.minimize(&project.tests, &["--class", "shop.Journal"]);
        let text = stdout(&output);
        assert!(
            text.ends_with(
                "\nredundant\n  shop.JournalTest.second: because of shop.JournalTest.first\n"
            ),
            "{text}{}",
            stderr(&output)
        );
        // Only what objects really had is named.
        assert!(text.contains("jdk.internal.ref.PhantomCleanable.{"), "{text}");
        assert!(text.contains("java.lang.ClassLoader.*,"), "{text}");
        assert!(!text.contains("java.util.TreeMap"), "{text}");
    }
}

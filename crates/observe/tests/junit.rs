//! Whole JUnit suites run on the machine as on a real JVM: same tree, same outcomes, same messages, same
//! stack traces where they show the user's code.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod machine;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use classfile::ClassPath;
use observe::junit::{self, Failure, Outcome, Plan, Report, Step, Stepper, Tried};
use testkit::jdk::Jdk;
use testkit::{jdk, root, suite};
use vm::mode::Plain;

const LAUNCHER: &[&str] = &["junit-platform-launcher"];
const VINTAGE: &[&str] = &["junit-vintage-engine"];
const ENGINE: &[&str] = &[
    "junit-jupiter-api",
    "junit-jupiter-engine",
    "junit-jupiter-params",
    "junit-platform-engine",
    "junit-platform-commons",
    "opentest4j",
    "apiguardian-api",
    "univocity-parsers",
];
const JUNIT4: &[&str] = &["junit4", "hamcrest"];

/// A suite of `fixtures/junit`, compiled, and the jars it is run with.
struct Suite {
    jdk: Jdk,
    classes: PathBuf,
    jars: String,
}

fn suites(name: &str, jars: &[&[&str]]) -> Vec<Suite> {
    let jdks = jdk::installed();
    assert_eq!(jdks.len(), 2, "needs JDK 17 and JDK 25");
    let all = suite::jars(&[ENGINE, LAUNCHER, JUNIT4].concat());
    let jars = suite::jars(&jars.concat());
    jdks.into_iter()
        .map(|jdk| {
            let sources = root::repository().join("fixtures/junit").join(name);
            let classes = suite::compile(&jdk, &format!("junit/{name}"), &sources, &all).unwrap();
            Suite { jdk, classes, jars: jars.clone() }
        })
        .collect()
}

impl Suite {
    fn class_path(&self) -> String {
        format!("{}:{}", self.classes.display(), self.jars)
    }

    fn plan(&self, named: &[&str]) -> Plan {
        let class_path = ClassPath::parse(&self.class_path()).unwrap();
        let named: Vec<String> = named.iter().map(|&name| name.to_owned()).collect();
        junit::plan(&class_path, u16::try_from(self.jdk.release).unwrap(), &named).unwrap()
    }

    fn run(&self, plan: &Plan) -> Report {
        let (mut vm, output) = machine::boot(&self.jdk, &self.class_path());
        match junit::run(&mut vm, &mut Plain, plan, None, Box::new(|_| {})) {
            Ok(report) => report,
            Err(error) => panic!("{error}\n{}", String::from_utf8_lossy(&output.stderr())),
        }
    }

    /// What a real JVM reports for the same classes.
    fn expected(&self, oracle: &str, classes: &[String]) -> Vec<Shown> {
        let jars = suite::jars(&[ENGINE, LAUNCHER, JUNIT4, VINTAGE].concat());
        let sources = root::repository().join("fixtures/junit/oracle");
        let oracle_classes = suite::compile(&self.jdk, "junit/oracle", &sources, &jars).unwrap();
        let main = format!("org.junit.oracle.{oracle}");
        let mut line = vec![main.as_str()];
        let names: Vec<String> = classes.iter().map(|class| class.replace('/', ".")).collect();
        line.extend(names.iter().map(String::as_str));
        let folders: [&Path; 2] = [&oracle_classes, &self.classes];
        let jars = if oracle == "PlatformOracle" { &self.jars } else { &jars };
        let jars = match jars.contains("launcher") {
            true => jars.clone(),
            false => format!("{jars}:{}", suite::jars(LAUNCHER)),
        };
        let text = suite::ask(&self.jdk, &folders, &jars, &line).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        lines.chunks(3).map(shown_by_oracle).collect()
    }
}

/// A node as tests compare it.
#[derive(Debug, PartialEq, Eq)]
struct Shown {
    kind: String,
    name: String,
    class: String,
    method: String,
    id: String,
    outcome: Vec<String>,
    entries: Vec<String>,
}

fn shown_by_oracle(lines: &[&str]) -> Shown {
    let node: Vec<String> = lines[0].split('\t').map(unescaped).collect();
    let outcome = lines[1].split('\t').map(unescaped).collect();
    let entries = lines.get(2).map_or(Vec::new(), |line| line.split('\t').map(unescaped).collect());
    Shown {
        kind: node[1].clone(),
        id: node[2].clone(),
        name: node[3].clone(),
        class: node[4].clone(),
        method: node[5].clone(),
        outcome: normalized(outcome),
        entries: if entries == [""] { Vec::new() } else { entries },
    }
}

fn unescaped(field: &str) -> String {
    if field == "\\0" {
        return String::new();
    }
    let mut text = String::new();
    let mut chars = field.chars();
    while let Some(character) = chars.next() {
        match character {
            '\\' => match chars.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                other => text.extend(other),
            },
            other => text.push(other),
        }
    }
    text
}

fn shown(report: &Report, with_ids: bool) -> Vec<Shown> {
    let show = |node: &junit::Node| {
        let failure = |kind: &str, failure: &Failure| {
            let message = failure.message.clone().unwrap_or_default();
            vec![kind.to_owned(), failure.class.clone(), message, failure.trace.clone()]
        };
        let outcome = match &node.outcome {
            Outcome::Passed => vec!["passed".to_owned()],
            Outcome::Failed(failures) => {
                failures.iter().flat_map(|it| failure("failed", it)).collect()
            }
            Outcome::Aborted(it) => failure("aborted", it),
            Outcome::Skipped(reason) => vec!["skipped".to_owned(), reason.clone()],
            Outcome::Stopped(stop) => vec![format!("stopped {stop:?}")],
            Outcome::NotRun => vec!["not run".to_owned()],
        };
        Shown {
            kind: if node.is_test { "test" } else { "container" }.to_owned(),
            id: if with_ids { node.id.clone() } else { String::new() },
            name: node.name.clone(),
            class: node.class.clone().unwrap_or_default(),
            method: node.method.clone().unwrap_or_default(),
            outcome: normalized(outcome),
            entries: node
                .entries
                .iter()
                .flat_map(|(key, value)| ["entry".to_owned(), key.clone(), value.clone()])
                .collect(),
        }
    };
    report.nodes.iter().map(show).collect()
}

/// Without what differs from run to run: identity hashes, generated names, frames of JUnit.
fn normalized(fields: Vec<String>) -> Vec<String> {
    let clean = |field: String| {
        let field = if field.contains("\tat ") {
            Failure { class: String::new(), message: None, trace: field }.trimmed_trace()
        } else {
            field
        };
        let lines = field.lines().filter(|line| !line.trim_start().starts_with("... "));
        lines.map(without_hashes).collect::<Vec<_>>().join("\n")
    };
    fields.into_iter().map(clean).collect()
}

/// Without the hexadecimal digits behind `@` and without the numbers of lambdas.
fn without_hashes(line: &str) -> String {
    if let Some((before, rest)) = line.split_once("$$Lambda") {
        return format!("{before}$$Lambda{}", rest.find('.').map_or("", |at| &rest[at..]));
    }
    let mut parts = line.split('@');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let n_digits =
            part.find(|character: char| !character.is_ascii_hexdigit()).unwrap_or(part.len());
        text.push('@');
        text.push_str(if n_digits > 4 { &part[n_digits..] } else { part });
    }
    text
}

fn check_same(jdk: &Jdk, ours: &[Shown], expected: &[Shown]) {
    let mut differences = String::new();
    for (ours, expected) in ours.iter().zip(expected) {
        if ours != expected {
            differences.push_str(&format!("ours:     {ours:#?}\nexpected: {expected:#?}\n"));
        }
    }
    assert!(differences.is_empty(), "JDK {}:\n{differences}", jdk.release);
    let names = |all: &[Shown]| all.iter().map(|shown| shown.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(ours), names(expected));
}

fn check_platform(name: &str, jars: &[&[&str]]) {
    for suite in suites(name, jars) {
        let plan = suite.plan(&[]);
        assert!(plan.junit4.is_empty() && plan.junit3.is_empty());
        let report = suite.run(&plan);
        assert_eq!(report.stop, None);
        check_same(
            &suite.jdk,
            &shown(&report, true),
            &suite.expected("PlatformOracle", &plan.platform),
        );
    }
}

#[test]
fn jupiter_through_the_launcher_reports_as_on_a_real_jvm() {
    check_platform("jupiter", &[ENGINE, LAUNCHER]);
}

#[test]
fn jupiter_without_a_launcher_reports_the_same() {
    check_platform("jupiter", &[ENGINE]);
}

#[test]
fn junit_4_through_the_vintage_engine_reports_as_on_a_real_jvm() {
    check_platform("junit4", &[ENGINE, LAUNCHER, VINTAGE, JUNIT4]);
}

#[test]
fn junit_4_reports_as_on_a_real_jvm() {
    for suite in suites("junit4", &[JUNIT4]) {
        let plan = suite.plan(&[]);
        // The suite of classes that are found anyway is left out, and so are classes inside `Enclosed`.
        assert_eq!(plan.junit4, ["four/BasicsTest", "four/RulesTest", "four/RunnersTest"]);
        let report = suite.run(&plan);
        check_same(
            &suite.jdk,
            &shown(&report, false),
            &suite.expected("JUnit4Oracle", &plan.junit4),
        );
    }
}

#[test]
fn junit_3_on_junit_4_reports_as_on_a_real_jvm() {
    for suite in suites("junit3", &[JUNIT4]) {
        let plan = suite.plan(&[]);
        let all = [
            "InheritedTest",
            "InheritedTest$BrokenSetUp",
            "MoneyTest",
            "SuiteMethodTest",
            "TableTest",
        ];
        assert_eq!(plan.junit4, all.map(|name| format!("three/{name}")));
        let report = suite.run(&plan);
        check_same(
            &suite.jdk,
            &shown(&report, false),
            &suite.expected("JUnit4Oracle", &plan.junit4),
        );
    }
}

#[test]
fn junit_3_alone_finds_the_same_tests_as_junit_4() {
    for suite in suites("junit3", &[JUNIT4]) {
        let by_4 = suite.plan(&[]);
        let by_3 = Plan { junit4: Vec::new(), junit3: by_4.junit4.clone(), ..by_4.clone() };
        let tests = |report: &Report| {
            let tests = report.tests().map(|test| {
                let failed = matches!(test.outcome, Outcome::Failed(_));
                (test.class.clone(), test.name.clone(), failed)
            });
            let mut tests: Vec<_> = tests.collect();
            // A test that runs twice stands behind the others where JUnit 4 planned it once.
            tests.sort();
            tests
        };
        let (by_3, by_4) = (suite.run(&by_3), suite.run(&by_4));
        assert_eq!(tests(&by_3), tests(&by_4));
        assert!(by_3.counts().failed > 0);
    }
}

/// Runs a plan test by test, each of them twice: once to be rolled back, once for good.
fn run_in_steps(suite: &Suite, plan: &Plan) -> Report {
    let (mut vm, _) = machine::boot(&suite.jdk, &suite.class_path());
    let mut stepper = Stepper::start(&mut vm, plan, Box::new(|_| {})).unwrap();
    let forgiven = Arc::new(BTreeSet::new());
    loop {
        let mark = stepper.vm().mark();
        stepper.begin_trial(&forgiven);
        let tried = stepper.attempt(&mut Plain, Some("nothing is called so"), 200_000);
        assert!(!matches!(tried, Tried::Passed), "{tried:?}");
        stepper.end_trial();
        stepper.vm().rollback(mark);
        if stepper.step(&mut Plain).unwrap().0 == Step::End {
            return stepper.finish();
        }
    }
}

/// What a report says but for stack traces, whose ends tell who called JUnit.
fn without_traces(report: &Report) -> Vec<(String, String, Vec<String>)> {
    let shown = |node: &junit::Node| {
        let failures = match &node.outcome {
            Outcome::Failed(failures) => failures.clone(),
            Outcome::Aborted(failure) => vec![failure.clone()],
            _ => Vec::new(),
        };
        let mut outcome: Vec<String> = failures
            .iter()
            .map(|failure| format!("{} {:?}", failure.class, failure.message))
            .collect();
        outcome.push(format!("{:?}", std::mem::discriminant(&node.outcome)));
        (node.id.clone(), node.name.clone(), outcome)
    };
    report.nodes.iter().map(shown).collect()
}

fn check_steps(suite: &Suite, plan: &Plan) {
    let at_once = without_traces(&suite.run(plan));
    let in_steps = without_traces(&run_in_steps(suite, plan));
    assert!(at_once.len() > 3);
    assert_eq!(in_steps, at_once);
}

#[test]
fn a_suite_that_runs_test_by_test_reports_as_one_that_runs_at_once() {
    let all: [(&str, &[&[&str]]); 4] = [
        ("jupiter", &[ENGINE, LAUNCHER]),
        ("jupiter", &[ENGINE]),
        ("junit4", &[JUNIT4]),
        ("junit3", &[JUNIT4]),
    ];
    for (name, jars) in all {
        // One JDK is enough: what differs between them is below JUnit.
        let suite = &suites(name, jars)[0];
        check_steps(suite, &suite.plan(&[]));
    }
    // A suite that wants to run in parallel runs one by one all the same.
    let suite = &suites("jupiter", &[ENGINE])[0];
    let plan = suite.plan(&[]);
    let parallel = "junit.jupiter.execution.parallel.enabled=true\n\
                    junit.jupiter.execution.parallel.mode.default=concurrent\n";
    let own = plan.configuration.clone().unwrap_or_default();
    let in_parallel = Plan { configuration: Some(format!("{own}\n{parallel}")), ..plan.clone() };
    let one_by_one = without_traces(&suite.run(&plan));
    assert_eq!(without_traces(&run_in_steps(suite, &in_parallel)), one_by_one);
    let suite = &suites("junit3", &[JUNIT4])[0];
    let by_4 = suite.plan(&[]);
    check_steps(suite, &Plan { junit4: Vec::new(), junit3: by_4.junit4.clone(), ..by_4 });
}

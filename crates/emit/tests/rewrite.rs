//! Rewritten sources on the real `javac` and the real JUnit: they compile, and exactly the tests that were
//! to go are gone.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod java;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use emit::outline::{self, SourceMap};
use emit::rewrite::{Action, Edit, Rewritten, rewrite};
use testkit::{root, suite};

const ACTIONS: [Action; 3] = [Action::Comment, Action::Disable, Action::Delete];

/// The annotations by which the fixtures' tests are known, without packages.
const MARKERS: [&str; 6] =
    ["Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Theory"];

/// One edit for each test method of a source.
fn edits(map: &SourceMap, action: Action) -> Vec<Edit> {
    let mut edits = Vec::new();
    for class in &map.classes {
        for method in &class.methods {
            let is_marked = method.annotations.iter().any(|name| MARKERS.contains(&name.as_str()));
            let is_named = class.superclass.is_some() && method.name.starts_with("test");
            if is_marked || is_named {
                edits.push(Edit {
                    class: class.name.clone(),
                    method: method.name.clone(),
                    parameters: Some(method.parameters.iter().map(|it| erased(it)).collect()),
                    framework: None,
                    action,
                    reason: "redundant, covered by \"others\" \\u007d */ é".to_owned(),
                });
            }
        }
    }
    edits
}

/// A type as written without its type arguments.
fn erased(written: &str) -> String {
    match (written.find('<'), written.rfind('>')) {
        (Some(open), Some(close)) => format!("{}{}", &written[..open], &written[close + 1..]),
        _ => written.replace("...", "[]"),
    }
}

/// A folder below the build folder, empty.
fn fresh(name: &str) -> PathBuf {
    let folder = root::target().join("rewritten").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Compiles everything below a folder, unless that was done before.
fn javac(name: &str, sources: &Path, class_path: &str) -> PathBuf {
    let compiled =
        suite::compile(&java::jdk(17), &format!("rewritten/{name}"), sources, class_path);
    compiled.unwrap_or_else(|error| panic!("{error}"))
}

/// Takes out every single test of a folder's sources, and all of one source at once, each time in a package of
/// its own, and compiles all of these with one `javac`. Each test goes in every way, or in each `nth` of them.
/// Returns how many sources there were.
fn check_single_tests(folder: &str, class_path: &str, nth: usize) -> usize {
    let target = fresh(folder);
    let mut n_files = 0;
    for (path, text) in java::sources(folder) {
        let map = outline::locate(&text).unwrap();
        for (position, action) in ACTIONS.into_iter().enumerate() {
            let all = edits(&map, action);
            let mut choices: Vec<&[Edit]> =
                all.chunks(1).skip(position % nth).step_by(nth).collect();
            if all.len() > 1 {
                choices.push(&all);
            }
            for choice in choices {
                let rewritten = rewrite(&text, choice)
                    .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                check_rest(&text, &rewritten, action);
                let package = format!("v{n_files}");
                let text = in_package(&rewritten.text, &package);
                let file = target.join(&package).join(path.file_name().unwrap());
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(&file, text).unwrap();
                n_files += 1;
            }
        }
    }
    javac(folder, &target, class_path);
    n_files
}

/// Moves a source to another package, from which it sees its old one.
fn in_package(text: &str, package: &str) -> String {
    let line = text.lines().find(|line| line.starts_with("package ")).unwrap();
    let old = line.trim_start_matches("package ").trim_end_matches(';');
    text.replacen(line, &format!("package {package}; import {old}.*;"), 1)
}

/// Nothing else changed: without the new lines and marks, the rewritten lines are the old ones in order.
fn check_rest(old: &str, new: &Rewritten, action: Action) {
    let mut rest = old.lines();
    for line in new.text.lines() {
        let line = match action {
            Action::Comment => line.replacen("// ", "", 1),
            Action::Disable | Action::Delete => line.to_owned(),
        };
        if line.contains("nonpareil: redundant") {
            continue;
        }
        let is_old = rest.any(|old| {
            // Empty lines became comments without a space; JUnit 3 has other names.
            let renamed = old.replace(" test", " disabledTest");
            let commented = old.replacen("// ", "", 1);
            line == old
                || (action == Action::Comment && (line.trim_start() == "//" || line == commented))
                || line == renamed
        });
        assert!(is_old, "a line that was not there: {line}\n{}", new.text);
    }
}

#[test]
fn sources_of_the_subjects_compile_without_any_single_test() {
    let root = root::repository().join("fixtures/subjects/src");
    let subjects = suite::compile(&java::jdk(17), "subjects/src", &root, "").unwrap();
    let class_path = format!("{}:{}", subjects.display(), java::jars());
    let n_variants = check_single_tests("subjects/tests", &class_path, 1);
    assert!(n_variants > 400, "{n_variants}");
}

#[test]
fn suites_of_all_junits_compile_without_any_single_test() {
    for (folder, least) in [("junit/junit3", 10), ("junit/junit4", 30), ("junit/jupiter", 80)] {
        let root = root::repository().join("fixtures").join(folder);
        let classes = suite::compile(&java::jdk(17), folder, &root, &java::jars()).unwrap();
        let class_path = format!("{}:{}", classes.display(), java::jars());
        let n_variants = check_single_tests(folder, &class_path, 3);
        assert!(n_variants > least, "{folder}: {n_variants}");
    }
}

/// The tests of a folder that real JUnit runs: class and method.
fn run(classes: &Path, class_path: &str, names: &[String]) -> BTreeSet<(String, String)> {
    let jdk = java::jdk(17);
    let oracle = root::repository().join("fixtures/junit/oracle");
    let oracle = suite::compile(&jdk, "junit/oracle", &oracle, &java::jars()).unwrap();
    let mut line = vec!["org.junit.oracle.PlatformOracle"];
    line.extend(names.iter().map(String::as_str));
    let text = suite::ask(&jdk, &[&oracle, classes], class_path, &line).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let mut ran = BTreeSet::new();
    for node in lines.chunks(3) {
        let fields: Vec<&str> = node[0].split('\t').collect();
        if fields[1] == "test" && !node[1].starts_with("skipped") {
            assert_eq!(node[1], "passed", "{text}");
            ran.insert((fields[4].to_owned(), fields[5].to_owned()));
        }
    }
    ran
}

#[test]
fn junit_runs_all_tests_but_those_that_were_taken_out() {
    let root = root::repository().join("fixtures/subjects/src");
    let subjects = suite::compile(&java::jdk(17), "subjects/src", &root, "").unwrap();
    let class_path = format!("{}:{}", subjects.display(), java::jars());
    for action in ACTIONS {
        let target = fresh(&format!("half/{action:?}"));
        let (mut names, mut expected) = (Vec::new(), BTreeSet::new());
        for (path, text) in java::sources("subjects/tests") {
            let map = outline::locate(&text).unwrap();
            names.push(map.classes[0].name.clone());
            let mut gone = edits(&map, action);
            let mut position = 0;
            gone.retain(|edit| {
                position += 1;
                if position % 2 == 0 {
                    expected.insert((edit.class.clone(), edit.method.clone()));
                }
                position % 2 == 1
            });
            let file = target.join(&path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, rewrite(&text, &gone).unwrap().text).unwrap();
        }
        let classes = javac(&format!("half/{action:?}"), &target, &class_path);
        assert!(expected.len() > 50);
        assert_eq!(run(&classes, &class_path, &names), expected, "{action:?}");
    }
}

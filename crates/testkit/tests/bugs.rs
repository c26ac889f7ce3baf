//! The planted faults below `fixtures/bugs` are real: a real JVM breaks each law, and the lists agree.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use testkit::{jdk, root, suite};

fn folder() -> PathBuf {
    root::repository().join("fixtures/bugs")
}

/// The contract by class, the package left out.
fn faults() -> BTreeMap<String, String> {
    let text = fs::read_to_string(folder().join("faults.txt")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let mut words = line.split_whitespace();
            let class = words.next().unwrap().strip_prefix("bugs.").unwrap();
            // Others may show it too; the first is the one that the fault is about.
            let contract = words.next().unwrap().split('|').next().unwrap();
            (class.to_owned(), contract.to_owned())
        })
        .collect()
}

#[test]
fn every_planted_fault_breaks_its_law_on_a_real_jvm() {
    for jdk in jdk::installed() {
        let classes = suite::compile(&jdk, "bugs", &folder(), "").unwrap();
        let said = suite::ask(&jdk, &[&classes], "", &["ShowFaults"]).unwrap();
        let mut shown: Vec<&str> = said.lines().collect();
        shown.sort_unstable();
        let expected: Vec<String> = faults().keys().map(|name| format!("{name}: shown")).collect();
        assert_eq!(shown, expected);
    }
}

#[test]
fn the_list_of_faults_the_table_and_the_classes_agree() {
    let faults = faults();
    assert!(faults.len() >= 44, "{} faults", faults.len());
    let table = fs::read_to_string(folder().join("README.md")).unwrap();
    let mut classes: Vec<String> = fs::read_dir(folder().join("src/bugs"))
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    classes.sort_unstable();
    assert_eq!(classes, faults.keys().cloned().collect::<Vec<_>>());
    for (class, contract) in &faults {
        let row = table.lines().find(|line| line.starts_with(&format!("| `{class}` |")));
        assert!(row.is_some_and(|row| row.ends_with(&format!("| {contract} |"))), "{class}");
        let source = folder().join("src/bugs").join(class).with_extension("java");
        let header = format!("Shown by: {contract}.");
        assert!(fs::read_to_string(source).unwrap().contains(&header), "{class}");
    }
}

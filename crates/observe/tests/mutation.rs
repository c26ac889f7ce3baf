//! Mutants of a known class: each is described, fits into its class, and verifies.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use classfile::{ClassBytes, ClassFile};
use observe::mutation::{self, Mutant};
use testkit::jdk::{self, Jdk};
use testkit::{root, suite};

const JARS: &[&str] = &[
    "junit-jupiter-api",
    "junit-jupiter-engine",
    "junit-jupiter-params",
    "junit-platform-engine",
    "junit-platform-commons",
    "junit-platform-launcher",
    "opentest4j",
    "apiguardian-api",
];

const CLASSES: &[&str] = &["Subject", "Subject$Level", "Subject$Point"];

fn classes(jdk: &Jdk) -> PathBuf {
    let sources = root::repository().join("fixtures/mutation");
    suite::compile(jdk, "mutation", &sources, &suite::jars(JARS)).unwrap()
}

fn file(folder: &std::path::Path, name: &str) -> ClassFile {
    let bytes = fs::read(folder.join(format!("{name}.class"))).unwrap();
    ClassFile::parse(ClassBytes::from_vec(bytes)).unwrap()
}

/// One line per mutant, below its method.
fn listing(mutants: &[Mutant]) -> String {
    let mut text = String::new();
    let mut last = None;
    for mutant in mutants {
        let method = (&mutant.class, &mutant.method, &mutant.descriptor);
        if last != Some(method) {
            writeln!(text, "{}.{}{}", mutant.class, mutant.method, mutant.descriptor).unwrap();
            last = Some(method);
        }
        writeln!(text, "  {:<12} {}", mutant.operator.name(), mutant.description()).unwrap();
    }
    text
}

#[test]
fn every_mutant_of_the_fixture_is_described() {
    // Both compilers write the same code for it.
    for jdk in jdk::installed() {
        let folder = classes(&jdk);
        let mutants: Vec<Mutant> =
            CLASSES.iter().flat_map(|name| mutation::mutants(&file(&folder, name))).collect();
        let found = listing(&mutants);
        let path = root::repository().join("fixtures/mutation/Subject.expected");
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, &found).unwrap();
        }
        assert_eq!(found, fs::read_to_string(&path).unwrap());
    }
}

#[test]
fn every_mutated_class_file_is_well_formed_and_differs_in_one_method() {
    for jdk in jdk::installed() {
        let folder = classes(&jdk);
        for name in CLASSES {
            let original = file(&folder, name);
            for mutant in mutation::mutants(&original) {
                let mutated = mutation::apply(&original, &mutant).unwrap();
                let parsed = ClassFile::parse(ClassBytes::from_vec(mutated.class_file)).unwrap();
                for (slot, (old, new)) in
                    original.methods().iter().zip(parsed.methods()).enumerate()
                {
                    let (Some(old), Some(new)) = (&old.code, &new.code) else { continue };
                    let is_same = original.instructions(old) == parsed.instructions(new);
                    assert_eq!(is_same, slot != mutant.slot, "{}", mutant.description());
                }
            }
        }
    }
}

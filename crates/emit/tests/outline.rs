//! Declarations found in sources against what the compiler made of them.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod java;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use classfile::{ClassBytes, ClassFile, mutf8};
use emit::outline::{self, SourceMap};
use emit::rewrite;
use testkit::{root, suite};

#[test]
fn rewriting_nothing_keeps_every_byte_of_every_source() {
    let sources = java::sources("");
    assert!(sources.len() > 300, "{}", sources.len());
    for (path, text) in sources {
        let rewritten = rewrite::rewrite(&text, &[])
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(rewritten.text, text, "{}", path.display());
        assert!(rewritten.kept.is_empty() && rewritten.emptied.is_empty());
    }
}

/// Compiles a folder of `fixtures` and compares every class file with its source. Returns how many methods
/// the sources declare.
fn check_folder(folder: &str, class_path: &str) -> usize {
    let release = if folder.contains("jdk25") { 25 } else { 17 };
    let (n_methods, class_files, maps) = compiled(folder, release, class_path);
    for class in class_files {
        let map = &maps[&source_of(&class)];
        if let Err(mismatch) = outline::check_class_file(map, &class) {
            panic!("{folder}: {mismatch}");
        }
    }
    n_methods
}

type Compiled = (usize, Vec<ClassFile>, BTreeMap<PathBuf, SourceMap>);

fn compiled(folder: &str, release: u32, class_path: &str) -> Compiled {
    let root = root::repository().join("fixtures").join(folder);
    let name = format!("outline/{folder}");
    let classes = suite::compile(&java::jdk(release), &name, &root, class_path).unwrap();
    let mut maps = BTreeMap::new();
    let mut n_methods = 0;
    for (path, text) in java::sources(folder) {
        let map =
            outline::locate(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        n_methods += map.classes.iter().map(|class| class.methods.len()).sum::<usize>();
        maps.insert(path, map);
    }
    let mut paths = Vec::new();
    java::collect(&mut paths, &classes, "class");
    assert!(paths.len() >= maps.len(), "{folder}: {} class files", paths.len());
    let class_files = paths
        .iter()
        .map(|path| ClassFile::parse(ClassBytes::from_vec(fs::read(path).unwrap())).unwrap())
        .collect();
    (n_methods, class_files, maps)
}

/// The path of a class file's source below its folder.
fn source_of(class: &ClassFile) -> PathBuf {
    let name = mutf8::display(class.name());
    let package = name.rsplit_once('/').map_or("", |(package, _)| package);
    PathBuf::from(package).join(mutf8::display(class.source_file().unwrap()))
}

#[test]
fn language_features_of_all_kinds_are_found_as_the_compiler_finds_them() {
    let mut n_methods = 0;
    for folder in
        ["vm/language", "vm/jdk25-language", "vm/lambdas", "vm/objects", "vm/invoke", "vm/strings"]
    {
        n_methods += check_folder(folder, "");
    }
    assert!(n_methods > 300, "{n_methods}");
}

#[test]
fn suites_and_subjects_are_found_as_the_compiler_finds_them() {
    let mut n_methods = 0;
    for folder in ["subjects", "junit/jupiter", "junit/junit4", "junit/junit3", "demo", "coverage"]
    {
        let folder_methods = check_flat(folder);
        n_methods += folder_methods;
    }
    assert!(n_methods > 500, "{n_methods}");
}

/// As [`check_folder`], for folders that hold a source root each for classes and tests.
fn check_flat(folder: &str) -> usize {
    let jars = java::jars();
    match folder {
        "subjects" => {
            let root = root::repository().join("fixtures/subjects/src");
            let subjects = suite::compile(&java::jdk(17), "subjects/src", &root, "").unwrap();
            let class_path = format!("{}:{jars}", subjects.display());
            check_folder("subjects/src", "") + check_folder("subjects/tests", &class_path)
        }
        "demo" => {
            let root = root::repository().join("fixtures/demo/src");
            let demo = suite::compile(&java::jdk(17), "demo/src", &root, "").unwrap();
            check_folder("demo/src", "")
                + check_folder("demo/test", &format!("{}:{jars}", demo.display()))
        }
        _ => check_folder(folder, &jars),
    }
}

/// What is said if the sources change after they were compiled.
#[track_caller]
fn check_changed(from: &str, to: &str, expected: &str) {
    let (_, class_files, _) = compiled("subjects/src", 17, "");
    let class = class_files.iter().find(|class| class.name() == b"subjects/BankAccount").unwrap();
    let sources = java::sources("subjects/src");
    let (_, text) = sources.iter().find(|(path, _)| path.ends_with("BankAccount.java")).unwrap();
    assert!(text.contains(from));
    let map = outline::locate(&text.replacen(from, to, 1)).unwrap();
    assert_eq!(outline::check_class_file(&map, class).unwrap_err().to_string(), expected);
}

#[test]
fn a_source_that_changed_after_compiling_is_noticed() {
    check_changed(
        "deposit(",
        "payIn(",
        "subjects.BankAccount.deposit(int) is in the class file, but not in the source",
    );
    check_changed(
        "public int getBalance",
        "public int getInterest() { return 0; } public int getBalance",
        "subjects.BankAccount.getInterest() in line 42 is in the source, but not in the class file",
    );
    check_changed(
        "    public void withdraw",
        "\n\n    public void withdraw",
        "subjects.BankAccount.withdraw stands in line 22, but its class file was made of a source where it has line 21",
    );
    check_changed(
        "class BankAccount",
        "class Account",
        "the source does not declare subjects.BankAccount",
    );
    check_changed(
        "deposit(int amount)",
        "deposit(long amount)",
        "subjects.BankAccount.deposit(int) is in the class file, but not in the source",
    );
}

//! Class paths of folders, jars and wildcards, as the `java` launcher reads them.

use std::fs;
use std::path::{Path, PathBuf};

use classfile::{ClassPath, ClassPathEntry};

use crate::{jar, verdict};

/// A folder with files of the given names and contents.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = verdict::fresh_folder(name);
    for (file, content) in files {
        let file = folder.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }
    folder
}

fn parse(entries: &[&Path]) -> ClassPath {
    let spec: Vec<&str> = entries.iter().map(|entry| entry.to_str().unwrap()).collect();
    ClassPath::parse(&spec.join(":")).unwrap()
}

fn find(class_path: &ClassPath, resource: &str) -> Option<String> {
    let found = class_path.find(resource, 17)?.unwrap();
    Some(String::from_utf8(found.to_vec()).unwrap())
}

/// A jar with files of the given names and contents.
fn jar(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let content = folder(&format!("{name}-content"), files);
    let home = verdict::fresh_folder(name);
    jar::make(&home, "it.jar", &["--no-manifest", "-C", content.to_str().unwrap(), "."])
}

#[test]
fn the_first_entry_that_has_a_resource_wins() {
    let first = folder("path-first", &[("a/B.class", "first"), ("only-first", "1")]);
    let second = jar("path-second", &[("a/B.class", "second"), ("only-second", "2")]);
    let class_path = parse(&[&first, &second]);
    assert_eq!(find(&class_path, "a/B.class").unwrap(), "first");
    assert_eq!(find(&class_path, "only-second").unwrap(), "2");
    assert_eq!(find(&class_path, "nowhere"), None);
    assert_eq!(find(&parse(&[&second, &first]), "a/B.class").unwrap(), "second");
}

#[test]
fn a_resource_cannot_lie_outside_its_folder() {
    let root = folder("path-outside", &[("in/x", "in"), ("secret", "s")]);
    let class_path = parse(&[&root.join("in")]);
    let absolute = root.join("secret");
    for name in ["../secret", "./../secret", absolute.to_str().unwrap(), "", "..", "x/../../secret"]
    {
        assert_eq!(find(&class_path, name), None, "{name}");
    }
    assert_eq!(find(&class_path, "x").unwrap(), "in");
}

#[test]
fn a_folder_is_no_resource() {
    let root = folder("path-folder", &[("a/b/c", "c")]);
    assert_eq!(find(&parse(&[&root]), "a/b"), None);
}

#[test]
fn missing_entries_are_ignored_but_told() {
    let root = folder("path-missing", &[("x", "x")]);
    let gone = root.join("gone.jar");
    let class_path = parse(&[&gone, &root, &root.join("no-folder/*")]);
    assert_eq!(find(&class_path, "x").unwrap(), "x");
    assert_eq!(class_path.missing(), [gone, root.join("no-folder")]);
    assert_eq!(class_path.entries().len(), 1);
}

#[test]
fn a_broken_jar_is_an_error_that_names_it() {
    let root = folder("path-broken", &[("broken.jar", "this is no zip file, but long enough")]);
    for entry in ["broken.jar", "*"] {
        let error = ClassPath::parse(root.join(entry).to_str().unwrap()).unwrap_err().to_string();
        assert!(error.contains("broken.jar") && error.contains("zip end record"), "{error}");
    }
}

#[test]
fn a_wildcard_takes_all_jars_of_a_folder_in_order_and_nothing_else() {
    let libraries = verdict::fresh_folder("path-wildcard");
    for (name, content) in [("b.jar", "b"), ("a.JAR", "a"), ("c.zip", "c")] {
        let made = jar(&format!("path-wildcard-{name}"), &[("x", content)]);
        fs::copy(made, libraries.join(name)).unwrap();
    }
    fs::write(libraries.join("x"), "folder").unwrap();
    let class_path = parse(&[&libraries.join("*")]);
    let names: Vec<_> =
        class_path.entries().iter().map(|entry| entry.path().file_name().unwrap()).collect();
    assert_eq!(names, ["a.JAR", "b.jar"]);
    assert_eq!(find(&class_path, "x").unwrap(), "a");
}

#[test]
fn class_names_are_sorted_and_each_stands_once() {
    let first =
        folder("names-first", &[("b/C.class", ""), ("A.class", ""), ("module-info.class", "")]);
    let second = jar(
        "names-second",
        &[("b/C.class", ""), ("b/D$E.class", ""), ("META-INF/versions/9/F.class", "")],
    );
    assert_eq!(parse(&[&first, &second]).class_names(), ["A", "b/C", "b/D$E"]);
}

#[test]
fn the_class_path_of_a_manifest_is_followed_once() {
    let home = verdict::fresh_folder("path-manifest");
    let content = folder("path-manifest-content", &[("x", "x")]);
    let other = folder("path-manifest/other folder", &[("y", "y")]);
    // Long lines are continued; the jar even names itself.
    let manifest = home.join("manifest.txt");
    fs::write(&manifest, "Class-Path: it.jar other%20folder/ gone.jar http://example.org/a.jar\n")
        .unwrap();
    let jar = jar::make(
        &home,
        "it.jar",
        &["--manifest", manifest.to_str().unwrap(), "-C", content.to_str().unwrap(), "."],
    );
    let class_path = parse(&[&jar]);
    assert_eq!(find(&class_path, "y").unwrap(), "y");
    assert_eq!(class_path.entries().len(), 2);
    assert_eq!(class_path.missing(), [home.join("gone.jar")]);
    assert!(
        matches!(&class_path.entries()[1], ClassPathEntry::Directory(found) if found.ends_with(other.file_name().unwrap()))
    );
}

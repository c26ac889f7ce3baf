//! The class path as the `java` command reads it: `folder/*` stands for the jars in the folder, and
//! jars name further ones in their manifests.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use classfile::Jar;

/// A class path without wildcards, entries joined by `:`.
pub(crate) fn expand(class_path: &str, working_dir: &Path) -> String {
    let mut entries: Vec<String> = Vec::new();
    for entry in class_path.split(':') {
        match entry.strip_suffix('*').filter(|folder| folder.is_empty() || folder.ends_with('/')) {
            Some(folder) => entries.extend(jars_in(folder, working_dir)),
            None => entries.push(entry.to_owned()),
        }
    }
    entries.join(":")
}

/// A class path without wildcards whose entries are absolute: it means the same from any folder.
pub(crate) fn absolute(class_path: &str, working_dir: &Path) -> String {
    let expanded = expand(class_path, working_dir);
    let entries = expanded.split(':').map(|entry| match entry {
        // As `java` reads it, and without a dot at the end.
        "" | "." => working_dir.display().to_string(),
        entry => working_dir.join(entry).display().to_string(),
    });
    entries.collect::<Vec<String>>().join(":")
}

fn jars_in(folder: &str, working_dir: &Path) -> Vec<String> {
    let Ok(files) = fs::read_dir(working_dir.join(folder)) else { return Vec::new() };
    let mut jars: Vec<String> = files
        .flatten()
        .filter_map(|file| file.file_name().into_string().ok())
        .filter(|name| name.ends_with(".jar") || name.ends_with(".JAR"))
        .map(|name| format!("{folder}{name}"))
        .collect();
    jars.sort();
    jars
}

/// All files and folders that a class path reaches, whether they exist or not.
pub(crate) fn reachable(class_path: &str, working_dir: &Path) -> Vec<PathBuf> {
    let mut todo: Vec<PathBuf> = class_path
        .split(':')
        .map(|entry| working_dir.join(if entry.is_empty() { "." } else { entry }))
        .collect();
    let mut reached = BTreeSet::new();
    while let Some(entry) = todo.pop() {
        if reached.insert(entry.clone()) && entry.is_file() {
            todo.extend(named_in_manifest(&entry));
        }
    }
    reached.into_iter().collect()
}

/// The `Class-Path` of a jar's manifest: URLs relative to the jar, with blanks between them.
fn named_in_manifest(jar: &Path) -> Vec<PathBuf> {
    let folder = jar.parent().unwrap_or(Path::new("/")).to_owned();
    // What is no jar is the program's business, when it comes to it.
    let Ok(jar) = Jar::open(jar) else { return Vec::new() };
    let Some(names) = jar.manifest_attribute("Class-Path") else { return Vec::new() };
    names
        .split_ascii_whitespace()
        .filter_map(|name| match name.split_once(':') {
            Some(("file", path)) => Some(path),
            Some(_) => None,
            None => Some(name),
        })
        .map(|name| folder.join(name.replace("%20", " ")))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::absolute;

    #[test]
    fn an_absolute_class_path_means_the_same_from_any_folder() {
        let here = Path::new("/here");
        assert_eq!(absolute("a:/b/c.jar::.:../d", here), "/here/a:/b/c.jar:/here:/here:/here/../d");
    }

    #[test]
    fn a_wildcard_stands_for_the_jars_of_its_folder() {
        let folder = std::env::temp_dir().join(format!("nonpareil-path-{}", std::process::id()));
        let libraries = folder.join("lib");
        std::fs::create_dir_all(&libraries).expect("a folder");
        for name in ["b.jar", "a.jar", "notes.txt"] {
            std::fs::write(libraries.join(name), "").expect("a file");
        }
        let shown = libraries.display();
        assert_eq!(absolute("lib/*", &folder), format!("{shown}/a.jar:{shown}/b.jar"));
        std::fs::remove_dir_all(&folder).expect("it is ours");
    }
}

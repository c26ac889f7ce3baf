//! What a suite is minimised over: which classes are tests and which are under test.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use classfile::{ClassFile, ClassPath, ClassPathEntry};
use observe::junit::{self, Plan, PlanError};

use crate::class_files;
use crate::options::MinimizeOptions;
use crate::selection::{KnownClasses, Wanted};

/// Tests and classes under test.
pub(super) struct Scope {
    pub(super) class_path: ClassPath,
    pub(super) release: u16,
    pub(super) plan: Plan,
    pub(super) names: Arc<Names>,
    /// The class files of the classes under test.
    pub(super) files: Vec<Arc<ClassFile>>,
}

/// The classes under test by internal name.
#[derive(Debug, Default)]
pub(super) struct Names {
    wanted: BTreeSet<String>,
    tests: BTreeSet<String>,
}

impl Names {
    /// Whether a class is under test, itself or as part of one.
    pub(super) fn has(&self, name: &str) -> bool {
        let mut name = name.split('+').next().unwrap_or(name);
        let mut is_wanted = false;
        loop {
            is_wanted |= self.wanted.contains(name);
            if self.tests.contains(name) {
                return false;
            }
            match name.rsplit_once('$') {
                Some((outer, _)) if !outer.is_empty() => name = outer,
                _ => return is_wanted,
            }
        }
    }

    /// The names, with dots.
    pub(super) fn shown(&self) -> Vec<String> {
        let is_outer = |name: &&String| !name.contains('$') && self.has(name);
        self.wanted.iter().filter(is_outer).map(|name| name.replace('/', ".")).collect()
    }
}

impl Scope {
    pub(super) fn find(
        options: &MinimizeOptions,
        class_path: &str,
        release: u16,
    ) -> Result<Scope, String> {
        let class_path = ClassPath::parse(class_path).map_err(|error| error.to_string())?;
        let plan = plan(&options.tests, &class_path, release)?;
        let tests: BTreeSet<String> =
            [&plan.platform, &plan.junit4, &plan.junit3].into_iter().flatten().cloned().collect();
        let wanted = Wanted { classes: &options.classes, packages: &options.packages };
        let wanted = if wanted.is_open() {
            same_packages(options, &class_path, &tests)?
        } else {
            let known = KnownClasses {
                class_path: &class_path,
                image: None,
                shown: &options.machine.classpath,
            };
            known.select(wanted)?.into_all()
        };
        let names = Arc::new(Names { wanted, tests });
        let mut files = Vec::new();
        for name in class_path.class_names() {
            if !names.has(&name) {
                continue;
            }
            files.extend(class_files::read(&class_path, release, &name)?.map(Arc::new));
        }
        Ok(Scope { class_path, release, plan, names, files })
    }

    /// The class file of a class by binary name.
    pub(super) fn class_file(&self, name: &str) -> Option<ClassFile> {
        let resource = format!("{}.class", name.replace('.', "/"));
        let bytes = self.class_path.find(&resource, self.release)?.ok()?;
        ClassFile::parse(bytes).ok()
    }
}

/// The tests in these folders.
pub(crate) fn plan(
    folders: &[PathBuf],
    class_path: &ClassPath,
    release: u16,
) -> Result<Plan, String> {
    let canonical = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let of_tests: Vec<PathBuf> = folders.iter().map(|path| canonical(path)).collect();
    for entry in class_path.entries() {
        if of_tests.contains(&canonical(entry.path())) {
            class_files::warn_of_damaged(class_path, release, &entry.class_names());
        }
    }
    let mut plan = match junit::plan(class_path, release, &[]) {
        Ok(plan) => plan,
        Err(PlanError::NoTests { .. }) => return Err(no_tests(folders)),
        Err(error) => return Err(error.to_string()),
    };
    let is_there =
        |name: &String| folders.iter().any(|folder| folder.join(format!("{name}.class")).is_file());
    plan.platform.retain(is_there);
    plan.junit4.retain(is_there);
    plan.junit3.retain(is_there);
    if plan.platform.is_empty() && plan.junit4.is_empty() && plan.junit3.is_empty() {
        return Err(no_tests(folders));
    }
    Ok(plan)
}

fn no_tests(folders: &[PathBuf]) -> String {
    let folders: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
    format!("no tests found in {}", folders.join(", "))
}

/// The classes in folders of the class path that are in packages of tests.
fn same_packages(
    options: &MinimizeOptions,
    class_path: &ClassPath,
    tests: &BTreeSet<String>,
) -> Result<BTreeSet<String>, String> {
    let canonical = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let test_folders: Vec<PathBuf> = options.tests.iter().map(|path| canonical(path)).collect();
    let packages: BTreeSet<&str> = tests.iter().map(|name| package(name)).collect();
    let is_other_folder = |entry: &&ClassPathEntry| {
        matches!(entry, ClassPathEntry::Directory(_))
            && !test_folders.contains(&canonical(entry.path()))
    };
    let folders = class_path.entries().iter().filter(is_other_folder);
    let wanted: BTreeSet<String> = folders
        .flat_map(ClassPathEntry::class_names)
        .filter(|name| packages.contains(package(name)))
        .collect();
    if wanted.is_empty() {
        let packages: Vec<String> = packages
            .iter()
            .map(
                |name| {
                    if name.is_empty() { "(unnamed)".to_owned() } else { name.replace('/', ".") }
                },
            )
            .collect();
        return Err(format!(
            "no class under test: no folder of the class path has classes in the packages of the tests, \
             {}\nhint: name the classes with --class",
            packages.join(", ")
        ));
    }
    Ok(wanted)
}

fn package(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(package, _)| package)
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn parts_of_a_class_under_test_are_under_test_and_parts_of_tests_are_not() {
        let set = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let names = Names { wanted: set(&["a/Cart", "a/CartTest"]), tests: set(&["a/CartTest"]) };
        for name in ["a/Cart", "a/Cart$Item", "a/Cart$Item$1", "a/Cart$$Lambda+0x1"] {
            assert!(names.has(name), "{name}");
        }
        for name in ["a/CartTest", "a/CartTest$1", "a/Other", "a/Carts", "Cart"] {
            assert!(!names.has(name), "{name}");
        }
    }
}

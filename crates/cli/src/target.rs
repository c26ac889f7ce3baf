//! What a command on a suite is about: the tests, and the classes that they are to test.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use classfile::{ClassFile, ClassPath, ClassPathEntry};
use observe::junit::{self, Plan, PlanError};

use crate::class_files;
use crate::class_path;
use crate::selection::{KnownClasses, Wanted};

/// A suite and its classes under test.
#[derive(Debug)]
pub(crate) struct Target {
    /// The class path of machines: tests first.
    pub(crate) class_path: String,
    /// The tests.
    pub(crate) plan: Plan,
    /// Internal names of all classes in folders, tests among them.
    pub(crate) user_classes: Vec<String>,
}

/// Finds the tests in folders, for Java release `release`.
pub(crate) fn find_suite(
    tests: &str,
    classes: &str,
    working_dir: &Path,
    release: u16,
) -> Result<Target, String> {
    for folder in tests.split(':') {
        if !working_dir.join(folder).is_dir() {
            return Err(format!(
                "there is no folder {folder}\nhint: the tests are a folder of class files, such as \
                 target/test-classes"
            ));
        }
    }
    let class_path = format!("{tests}:{}", class_path::expand(classes, working_dir));
    let all = ClassPath::parse(&class_path).map_err(|error| error.to_string())?;
    let in_tests = class_names(tests)?;
    class_files::warn_of_damaged(&all, release, &in_tests);
    let mut plan = junit::plan(&all, release, &[]).map_err(|error| match error {
        PlanError::NoTests { .. } => format!("no tests found in {tests}"),
        error => error.to_string(),
    })?;
    for list in [&mut plan.platform, &mut plan.junit4, &mut plan.junit3] {
        list.retain(|name| in_tests.contains(name));
    }
    if plan.platform.is_empty() && plan.junit4.is_empty() && plan.junit3.is_empty() {
        return Err(format!("no tests found in {tests}"));
    }
    let mut user_classes = in_tests;
    for entry in all.entries().iter().filter(|entry| matches!(entry, ClassPathEntry::Directory(_)))
    {
        user_classes.extend(entry.class_names());
    }
    Ok(Target { class_path, plan, user_classes: user_classes.into_iter().collect() })
}

/// The classes under test that the user names, or else those in folders of the class path that lie in
/// packages of the tests.
pub(crate) fn find_classes(
    tests: &[&str],
    classes: &str,
    wanted: Wanted<'_>,
    working_dir: &Path,
    release: u16,
) -> Result<Vec<Arc<ClassFile>>, String> {
    let expanded = class_path::expand(classes, working_dir);
    let class_path = ClassPath::parse(&expanded).map_err(|error| error.to_string())?;
    let mut in_tests = BTreeSet::new();
    for folder in tests {
        in_tests.extend(class_names(folder)?);
    }
    let mut names: BTreeSet<String> = BTreeSet::new();
    if wanted.is_open() {
        let packages: BTreeSet<&str> = in_tests.iter().map(|name| package(name)).collect();
        for entry in class_path.entries() {
            if matches!(entry, ClassPathEntry::Directory(_)) {
                names.extend(entry.class_names());
            }
        }
        names.retain(|name| !in_tests.contains(name) && packages.contains(package(name)));
    } else {
        let known = KnownClasses { class_path: &class_path, image: None, shown: classes };
        let meant = known.select(wanted)?.into_all();
        // With the classes inside them.
        names = class_path.class_names().into_iter().collect();
        names.retain(|name| {
            let mut around = name.match_indices('$').map(|(at, _)| &name[..at]);
            meant.contains(name) || around.any(|outer| meant.contains(outer))
        });
    }
    let mut files = Vec::new();
    for name in &names {
        let Some(file) = class_files::read(&class_path, release, name)? else { continue };
        let has_code = file.methods().iter().any(|method| method.code.is_some());
        if has_code && file.access_flags() & classfile::access::SYNTHETIC == 0 && !file.is_module()
        {
            files.push(Arc::new(file));
        }
    }
    if files.is_empty() {
        return Err(
            "no classes under test found in the folders of the class path that are in packages of the tests\n\
             hint: name them with --class"
                .to_owned(),
        );
    }
    Ok(files)
}

fn class_names(folders: &str) -> Result<BTreeSet<String>, String> {
    let folders = ClassPath::parse(folders).map_err(|error| error.to_string())?;
    Ok(folders.class_names().into_iter().collect())
}

fn package(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(package, _)| package)
}

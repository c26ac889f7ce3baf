//! Whose classes are whose, and where the sources of tests are.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use classfile::{ClassFile, ClassPath, ClassPathEntry, mutf8};
use emit::outline;
use emit::prune::{self, Focus};
use observe::junit::{Node, Plan};

use super::failure::Owners;
use crate::minimize::scope::plan;
use crate::options::ReduceOptions;
use crate::selection::{KnownClasses, Wanted};
use crate::source_text::SourceText;

/// Packages of jars that are never under test where nobody says so.
const LIBRARIES: &[&str] = &[
    "org/junit/",
    "junit/",
    "org/hamcrest/",
    "org/opentest4j/",
    "org/apiguardian/",
    "org/mockito/",
    "org/assertj/",
];

/// Tests and classes under test.
pub(super) struct Scope {
    pub(super) class_path: ClassPath,
    pub(super) release: u16,
    pub(super) plan: Plan,
    under_test: BTreeSet<String>,
    tests: BTreeSet<String>,
}

/// Where a test stands in the sources.
pub(super) struct Source {
    /// The file, below the folder of sources.
    pub(super) relative: PathBuf,
    pub(super) written: SourceText,
    pub(super) focus: Focus,
    /// How many statements the test has.
    pub(super) length: usize,
}

impl Scope {
    pub(super) fn find(
        options: &ReduceOptions,
        class_path: &str,
        release: u16,
    ) -> Result<Scope, String> {
        let class_path = ClassPath::parse(class_path).map_err(|error| error.to_string())?;
        let plan = plan(&options.tests, &class_path, release)?;
        let canonical = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let folders: Vec<PathBuf> = options.tests.iter().map(|path| canonical(path)).collect();
        let is_of_tests = |entry: &&ClassPathEntry| folders.contains(&canonical(entry.path()));
        let entries = class_path.entries();
        let tests =
            entries.iter().filter(is_of_tests).flat_map(ClassPathEntry::class_names).collect();
        let wanted = Wanted { classes: &options.classes, packages: &options.packages };
        let known = KnownClasses {
            class_path: &class_path,
            image: None,
            shown: &options.machine.classpath,
        };
        let mut under_test = known.select(wanted)?.into_all();
        if under_test.is_empty() {
            let others = || entries.iter().filter(|entry| !is_of_tests(entry));
            let is_folder = |entry: &&ClassPathEntry| matches!(entry, ClassPathEntry::Directory(_));
            under_test.extend(others().filter(is_folder).flat_map(ClassPathEntry::class_names));
            if under_test.is_empty() {
                let is_library = |name: &String| LIBRARIES.iter().any(|it| name.starts_with(it));
                let names = others().flat_map(ClassPathEntry::class_names);
                under_test.extend(names.filter(|name| !is_library(name)));
            }
        }
        Ok(Scope { class_path, release, plan, under_test, tests })
    }

    /// Whether a class is under test, by internal name: `shop/Cart$Item`.
    pub(super) fn has(&self, name: &str) -> bool {
        let is_test = is_part(&self.tests, name);
        !is_test && is_part(&self.under_test, name)
    }

    /// The classes under test by internal name, for who watches a run.
    pub(super) fn wanted(&self) -> observe::coverage::Wanted {
        let (under_test, tests) = (self.under_test.clone(), self.tests.clone());
        Box::new(move |name| !is_part(&tests, name) && is_part(&under_test, name))
    }

    /// Where a failed test stands. An `Err` is an input error; a reason in an `Ok(Err)` is one to leave the test
    /// as it is.
    pub(super) fn source(
        &self,
        sources: &Path,
        node: &Node,
        line: Option<&(String, usize)>,
    ) -> Result<Result<Source, String>, String> {
        let (Some(class), Some(method)) = (&node.class, &node.method) else {
            return Ok(Err("JUnit does not tell its method".to_owned()));
        };
        let Some(file) = self.class_file(class) else {
            return Ok(Err("its class file cannot be read".to_owned()));
        };
        let pool = file.constant_pool();
        let declares = |name: &str| {
            file.methods().iter().any(|method| mutf8::display(pool.utf8(method.name)) == name)
        };
        // JUnit 4 writes the parameters of a test behind its name.
        let method = method.split(['[', '(']).next().unwrap_or(method).trim();
        if !declares(method) {
            return Ok(Err("it is inherited".to_owned()));
        }
        let Some(name) = file.source_file().map(mutf8::display) else {
            return Ok(Err("its class does not name its source".to_owned()));
        };
        let internal = class.replace('.', "/");
        let package = internal.rsplit_once('/').map_or("", |(package, _)| package);
        let relative = Path::new(package).join(name);
        let path = sources.join(&relative);
        let bytes = fs::read(&path).map_err(|error| {
            format!(
                "there is no source of {class}: {}: {error}\nhint: --sources is the folder that the packages start in",
                path.display()
            )
        })?;
        let written = SourceText::of(&path, bytes)?;
        let map = outline::locate(&written.text)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        outline::check_class_file(&map, &file).map_err(|mismatch| {
            format!(
                "{}: the source does not match the class files: {mismatch}\nhint: compile the tests again",
                path.display()
            )
        })?;
        // The line of the failure tells overloads apart, if it is in the test itself.
        let line = line.filter(|(of, _)| of == class).map(|(_, line)| *line);
        let at_line = line.and_then(|line| map.method_at(line)).map(|(_, found)| found);
        let focus = Focus {
            class: class.clone(),
            method: method.to_owned(),
            parameters: at_line
                .filter(|found| found.name == method)
                .map(|found| found.parameters.clone()),
        };
        match prune::n_statements(&written.text, &focus) {
            Ok(length) => Ok(Ok(Source { relative, written, focus, length })),
            Err(error) => Ok(Err(error.what)),
        }
    }

    fn class_file(&self, name: &str) -> Option<ClassFile> {
        let resource = format!("{}.class", name.replace('.', "/"));
        let bytes = self.class_path.find(&resource, self.release)?.ok()?;
        ClassFile::parse(bytes).ok()
    }
}

impl Owners for Scope {
    fn is_under_test(&self, class: &str) -> bool {
        self.has(&class.replace('.', "/"))
    }

    fn is_test(&self, class: &str) -> bool {
        is_part(&self.tests, &class.replace('.', "/"))
    }
}

/// Whether a class is one of these or nested in one.
fn is_part(names: &BTreeSet<String>, name: &str) -> bool {
    let mut name = name.split('+').next().unwrap_or(name);
    loop {
        if names.contains(name) {
            return true;
        }
        match name.rsplit_once('$') {
            Some((outer, _)) if !outer.is_empty() => name = outer,
            _ => return false,
        }
    }
}

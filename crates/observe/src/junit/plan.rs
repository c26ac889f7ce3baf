//! Which classes are run by which JUnit, decided from class files alone.

use std::collections::BTreeSet;
use std::path::PathBuf;

use classfile::{ClassPath, ClassPathEntry};

use super::discover::{Available, Classes, Kinds};
use super::report::{Outcome, Report};

/// What is to be run. Names are internal: `a/b/CTest`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Classes for the JUnit platform: JUnit 5, and 3 and 4 where the vintage engine is there.
    pub platform: Vec<String>,
    /// Classes for JUnit 4's own runner.
    pub junit4: Vec<String>,
    /// Classes for JUnit 3.
    pub junit3: Vec<String>,
    /// What parts of JUnit there are.
    pub available: Available,
    /// Content of `junit-platform.properties`.
    pub configuration: Option<String>,
}

/// Why there is nothing to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanError {
    /// No JUnit on the class path.
    NoJUnit,
    /// Tests for the JUnit platform, but no engine that runs them.
    NoEngine {
        /// One of the classes, binary name.
        class: String,
    },
    /// Tests for JUnit 4, but neither it nor the vintage engine.
    NoJUnit4 {
        /// One of the classes, binary name.
        class: String,
    },
    /// A class that was named is not on the class path.
    NoSuchClass(String),
    /// Nothing that looks like a test in these folders.
    NoTests {
        /// The folders of the class path.
        folders: Vec<PathBuf>,
    },
}

impl std::fmt::Display for PlanError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const PLATFORM_JARS: &str = "junit-jupiter-engine, junit-jupiter-api, junit-platform-engine, \
                                     junit-platform-commons, opentest4j and (better) junit-platform-launcher";
        match self {
            PlanError::NoJUnit => write!(
                f,
                "there is no JUnit on the class path\nhint: add the jars of JUnit 5 ({PLATFORM_JARS}) or of \
                 JUnit 4 (junit4 and hamcrest)"
            ),
            PlanError::NoEngine { class } => write!(
                f,
                "{class} is a JUnit 5 test, but no engine for it is on the class path\nhint: add the jars \
                 {PLATFORM_JARS}"
            ),
            PlanError::NoJUnit4 { class } => write!(
                f,
                "{class} is a JUnit 4 test, but JUnit 4 is not on the class path\nhint: add the jars junit4 and \
                 hamcrest"
            ),
            PlanError::NoSuchClass(class) => write!(
                f,
                "class {class} is not on the class path\nhint: write the package too, with dots, and $ before \
                 the name of a nested class"
            ),
            PlanError::NoTests { folders } if folders.is_empty() => f.write_str(
                "no tests found: there is no folder on the class path, and jars are not searched\nhint: name \
                 the test classes, or add the folder of the compiled tests",
            ),
            PlanError::NoTests { folders } => {
                let folders: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
                write!(f, "no tests found in {}", folders.join(", "))
            }
        }
    }
}

impl std::error::Error for PlanError {}

/// Plans a run of the named classes (binary or internal names), or, without names, of all tests in the
/// folders of the class path, as Java release `release` sees them.
pub fn plan(class_path: &ClassPath, release: u16, named: &[String]) -> Result<Plan, PlanError> {
    let mut classes = Classes::new(class_path, release);
    let available = classes.available();
    if !available.engine_api && !available.junit4 && !available.junit3 {
        return Err(PlanError::NoJUnit);
    }
    let tests = if named.is_empty() {
        classes.find_tests()
    } else {
        let mut tests = Vec::new();
        for name in named {
            let internal = name.replace('.', "/");
            let Some(kinds) = classes.kinds_of_named(internal.as_bytes()) else {
                return Err(PlanError::NoSuchClass(name.clone()));
            };
            if !tests.iter().any(|(known, _)| *known == internal) {
                tests.push((internal, kinds));
            }
        }
        tests
    };
    if tests.is_empty() {
        return Err(PlanError::NoTests { folders: folders(class_path) });
    }
    let configuration = class_path
        .find("junit-platform.properties", release)
        .and_then(Result::ok)
        .map(|bytes| bytes.iter().map(|&byte| char::from(byte)).collect());
    let mut plan = Plan {
        platform: Vec::new(),
        junit4: Vec::new(),
        junit3: Vec::new(),
        available,
        configuration,
    };
    for (name, kinds) in tests {
        plan.add(name, kinds)?;
    }
    Ok(plan)
}

impl Plan {
    /// What is left of a plan whose run stopped early: the classes of which no test ran. `None` where
    /// nothing is left, or where nothing ran, so that another try would not come further.
    pub fn rest(&self, report: &Report) -> Option<Plan> {
        let mut touched = BTreeSet::new();
        for (idx, node) in report.nodes.iter().enumerate() {
            if (node.is_test || matches!(node.outcome, Outcome::Failed(_)))
                && node.outcome != Outcome::NotRun
            {
                touched.extend(report.classes_above(idx).map(|class| class.replace('.', "/")));
            }
        }
        let left = |classes: &[String]| -> Vec<String> {
            classes.iter().filter(|class| !touched.contains(*class)).cloned().collect()
        };
        let rest = Plan {
            platform: left(&self.platform),
            junit4: left(&self.junit4),
            junit3: left(&self.junit3),
            ..self.clone()
        };
        let is_empty = rest.platform.is_empty() && rest.junit4.is_empty() && rest.junit3.is_empty();
        if is_empty || rest == *self { None } else { Some(rest) }
    }

    fn add(&mut self, name: String, kinds: Kinds) -> Result<(), PlanError> {
        let Available { engine_api, jupiter, vintage, junit4, junit3, .. } = self.available;
        let binary_name = || name.replace('/', ".");
        // Another engine may know what to do with a class that looks like no test.
        let platform = kinds.platform || (kinds.is_none() && engine_api);
        let by_vintage = kinds.junit4 && vintage && engine_api;
        if kinds.platform && !(engine_api && jupiter) && !(by_vintage || kinds.junit4) {
            return Err(PlanError::NoEngine { class: binary_name() });
        }
        if (platform && engine_api) || by_vintage {
            self.platform.push(name.clone());
        }
        if by_vintage {
            return Ok(());
        }
        if (kinds.junit4 || (kinds.is_none() && !engine_api)) && junit4 {
            self.junit4.push(name);
        } else if kinds.junit3 && junit3 {
            self.junit3.push(name);
        } else if kinds.junit4 {
            return Err(PlanError::NoJUnit4 { class: binary_name() });
        }
        Ok(())
    }
}

fn folders(class_path: &ClassPath) -> Vec<PathBuf> {
    let folder = |entry: &ClassPathEntry| match entry {
        ClassPathEntry::Directory(path) => Some(path.clone()),
        ClassPathEntry::Jar(_) => None,
    };
    class_path.entries().iter().filter_map(folder).collect()
}

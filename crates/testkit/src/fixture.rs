//! The Java programs of the differential suite and what each asks of the harness.
//!
//! `fixtures/vm/<group>/<Name>.java` is one program. Its first lines may say
//! `// args: …` (arguments, split at blanks), `// stdin: …` (one line of input each) and
//! `// grants: …` (options of our machine that let the program reach what `java` lets it reach).
//! A folder `<Name>.resources` beside it is put on the class path after the classes.
//! Groups named `jdk25-…` need release 25.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// One program.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// The folder below `fixtures/vm`.
    pub group: String,
    /// The name of the main class.
    pub name: String,
    /// The source file.
    pub source: PathBuf,
    /// The folder of extra class path entries, if there is one.
    pub resources: Option<PathBuf>,
    /// The arguments of `main`.
    pub args: Vec<String>,
    /// What standard input holds.
    pub stdin: String,
    /// Options of our machine.
    pub grants: Vec<String>,
}

impl Fixture {
    /// `group/Name`, the way people and filters call it.
    pub fn path(&self) -> String {
        format!("{}/{}", self.group, self.name)
    }

    /// Whether the program can be compiled and run with this release.
    pub fn runs_on(&self, release: u32) -> bool {
        runs_on(&self.group, release)
    }

    /// The class path: the group's compiled classes, then the resources.
    pub fn class_path(&self, classes: &Path) -> String {
        let mut text = classes.display().to_string();
        if let Some(resources) = &self.resources {
            text.push(':');
            text.push_str(&resources.display().to_string());
        }
        text
    }
}

/// Whether the programs of a group can be compiled and run with this release.
pub fn runs_on(group: &str, release: u32) -> bool {
    !group.starts_with("jdk25-") || release >= 25
}

/// All programs below a folder of groups, sorted by group and name.
pub fn discover(folder: &Path) -> io::Result<Vec<Fixture>> {
    let mut fixtures = Vec::new();
    for group in fs::read_dir(folder)? {
        let group = group?;
        if !group.file_type()?.is_dir() {
            continue;
        }
        for file in fs::read_dir(group.path())? {
            let source = file?.path();
            if source.extension().is_some_and(|extension| extension == "java") {
                fixtures.push(read(group.file_name().to_string_lossy().into_owned(), source)?);
            }
        }
    }
    fixtures.sort_by_key(|fixture| (fixture.group.clone(), fixture.name.clone()));
    Ok(fixtures)
}

fn read(group: String, source: PathBuf) -> io::Result<Fixture> {
    let text = fs::read_to_string(&source)?;
    let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let resources = source.with_extension("resources");
    let mut args = Vec::new();
    let mut stdin = String::new();
    let mut grants = Vec::new();
    for line in text.lines().take_while(|line| line.starts_with("//")) {
        if let Some(rest) = line.strip_prefix("// args: ") {
            args.extend(rest.split_whitespace().map(str::to_owned));
        } else if let Some(rest) = line.strip_prefix("// grants: ") {
            grants.extend(rest.split_whitespace().map(str::to_owned));
        } else if let Some(rest) = line.strip_prefix("// stdin: ") {
            stdin.push_str(rest);
            stdin.push('\n');
        }
    }
    let resources = resources.is_dir().then_some(resources);
    Ok(Fixture { group, name, source, resources, args, stdin, grants })
}

//! The Java programs of the differential suite and what each asks of the harness.
//!
//! `fixtures/vm/<group>/<Name>.java` is one program. Its first lines may say
//! `// args: …` (arguments, split at blanks), `// stdin: …` (one line of input each) and
//! `// grants: …` (options of our machine that let the program reach what `java` lets it reach) and
//! `// java: …` (options of `java`).
//! A folder `<Name>.resources` beside it is put on the class path after the classes.
//! Groups named `jdk25-…` need release 25.

use std::collections::BTreeSet;
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
    /// Options of `java`.
    pub java: Vec<String>,
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

/// The fixtures that fit any of the filters, or all if there is no filter.
///
/// A filter is a part of `group/Name`; one that names a fixture in full means only that one.
pub fn choose(fixtures: Vec<Fixture>, filters: &[String]) -> Vec<Fixture> {
    let paths: BTreeSet<String> = fixtures.iter().map(Fixture::path).collect();
    let fits = |fixture: &Fixture| {
        let path = fixture.path();
        let part = |filter: &String| !paths.contains(filter) && path.contains(filter.as_str());
        filters.is_empty() || filters.iter().any(|filter| *filter == path || part(filter))
    };
    fixtures.into_iter().filter(fits).collect()
}

fn read(group: String, source: PathBuf) -> io::Result<Fixture> {
    let text = fs::read_to_string(&source)?;
    let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let resources = source.with_extension("resources");
    let mut args = Vec::new();
    let mut stdin = String::new();
    let mut grants = Vec::new();
    let mut java = Vec::new();
    for line in text.lines().take_while(|line| line.starts_with("//")) {
        if let Some(rest) = line.strip_prefix("// args: ") {
            args.extend(rest.split_whitespace().map(str::to_owned));
        } else if let Some(rest) = line.strip_prefix("// grants: ") {
            grants.extend(rest.split_whitespace().map(str::to_owned));
        } else if let Some(rest) = line.strip_prefix("// java: ") {
            java.extend(rest.split_whitespace().map(str::to_owned));
        } else if let Some(rest) = line.strip_prefix("// stdin: ") {
            stdin.push_str(rest);
            stdin.push('\n');
        }
    }
    let resources = resources.is_dir().then_some(resources);
    Ok(Fixture { group, name, source, resources, args, stdin, grants, java })
}

#[cfg(test)]
mod tests {
    use super::{Fixture, choose, runs_on};
    use std::path::PathBuf;

    fn fixture(group: &str, name: &str) -> Fixture {
        Fixture {
            group: group.to_owned(),
            name: name.to_owned(),
            source: PathBuf::new(),
            resources: None,
            args: Vec::new(),
            stdin: String::new(),
            grants: Vec::new(),
            java: Vec::new(),
        }
    }

    fn chosen(filters: &[&str]) -> Vec<String> {
        let all = vec![fixture("io", "Read"), fixture("io", "Readers"), fixture("text", "Read")];
        let filters: Vec<String> = filters.iter().map(|&filter| filter.to_owned()).collect();
        choose(all, &filters).iter().map(Fixture::path).collect()
    }

    #[test]
    fn choose_takes_all_without_a_filter_and_parts_with_one() {
        assert_eq!(chosen(&[]).len(), 3);
        assert_eq!(chosen(&["Readers", "text/"]), ["io/Readers", "text/Read"]);
    }

    #[test]
    fn choose_takes_one_fixture_for_its_full_name() {
        assert_eq!(chosen(&["io/Read"]), ["io/Read"]);
    }

    #[test]
    fn runs_on_keeps_the_groups_of_release_25_from_17() {
        assert!(runs_on("hello", 17) && runs_on("jdk25-language", 25));
        assert!(!runs_on("jdk25-language", 17));
    }
}

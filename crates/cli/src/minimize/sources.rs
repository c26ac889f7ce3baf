//! Takes redundant tests out of Java sources: finds the file of each test, has it rewritten, and writes all
//! files or none.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use classfile::{ClassFile, mutf8};
use emit::outline;
use emit::rewrite::{Action, Because, Edit, Kept, Rewritten, rewrite};

use super::declared::{Declarations, Declared};
use super::git;
use super::judge::{Judged, Minimized, Status};
use super::scope::Scope;
use super::uses::{MethodName, Uses};
use crate::options::{Apply, MinimizeOptions};
use crate::output::{self, Output, Replaces};
use crate::source_text::SourceText;

/// What is to be written, and what is not.
pub(super) struct Changes {
    apply: Apply,
    /// Files that change.
    pub(super) files: Vec<Changed>,
    /// How many tests are taken out.
    pub(super) n_tests: usize,
    /// Redundant tests that stay in the sources, with the reason.
    pub(super) left_alone: Vec<(String, String)>,
    /// Classes that have no test any more.
    pub(super) emptied: Vec<String>,
}

/// A source that changes.
pub(super) struct Changed {
    /// Below the folder of sources.
    relative: PathBuf,
    /// Where it is written.
    pub(super) shown: PathBuf,
    bytes: Vec<u8>,
}

impl Changes {
    /// In one word.
    pub(super) fn what_was_done(&self) -> &'static str {
        match self.apply {
            Apply::Comment => "commented out",
            Apply::Disable => "disabled",
            Apply::Delete => "deleted",
        }
    }
}

/// Finds out whether what is asked for can be done at all, before the suite runs.
pub(super) fn check_request(options: &MinimizeOptions) -> Result<(), String> {
    if let Some(sources) = &options.sources
        && !sources.is_dir()
    {
        return Err(format!("--sources {}: there is no such folder", sources.display()));
    }
    let (Some(_), Some(sources)) = (options.apply, &options.sources) else { return Ok(()) };
    match &options.output {
        Some(output) => {
            output::check_folder("--output", output)?;
            let target = resolved(output);
            let source = resolved(sources);
            if target.starts_with(&source) || source.starts_with(&target) {
                return Err(format!(
                    "--output {} and the sources lie in each other\nhint: --in-place changes the sources \
                     themselves",
                    output.display()
                ));
            }
            Ok(())
        }
        None if options.in_place && options.force => Ok(()),
        None if options.in_place => git::check_committed(sources),
        None => {
            Err("--apply needs to know where to write\nhint: --output FOLDER or --in-place"
                .to_owned())
        }
    }
}

/// A path with links followed as far as it exists.
pub(crate) fn resolved(path: &Path) -> PathBuf {
    let mut behind = Vec::new();
    let mut at = std::env::current_dir().unwrap_or_default().join(path);
    loop {
        if let Ok(real) = fs::canonicalize(&at) {
            return behind.iter().rev().fold(real, |path: PathBuf, name| path.join(name));
        }
        match (at.file_name().map(ToOwned::to_owned), at.pop()) {
            (Some(name), true) => behind.push(name),
            _ => return path.to_owned(),
        }
    }
}

/// Where a redundant test stands in the sources.
struct Place {
    relative: PathBuf,
    edit: Edit,
    /// The positions of the tests that it is, in the classes that inherit it.
    tests: Vec<usize>,
}

impl Place {
    fn method(&self) -> MethodName {
        MethodName {
            class: self.edit.class.clone(),
            name: self.edit.method.clone(),
            parameters: self.edit.parameters.clone().unwrap_or_default(),
        }
    }
}

/// Works out all new sources; writes nothing.
pub(super) fn plan(
    options: &MinimizeOptions,
    apply: Apply,
    scope: &Scope,
    minimized: &Minimized,
) -> Result<Changes, String> {
    let sources = options.sources.as_deref().unwrap_or(Path::new("."));
    let target = target(options);
    let mut changes = Changes {
        apply,
        files: Vec::new(),
        n_tests: 0,
        left_alone: Vec::new(),
        emptied: Vec::new(),
    };
    let names: BTreeSet<&str> = minimized
        .tests
        .iter()
        .filter(|test| matches!(test.status, Status::Redundant(_)))
        .map(|test| test.method.as_str())
        .collect();
    // Tests by declaration: a method that several classes inherit is several tests.
    let mut declared: BTreeMap<(String, Vec<String>), Vec<usize>> = BTreeMap::new();
    let mut keys = Vec::with_capacity(minimized.tests.len());
    let mut declarations = Declarations::new(&options.tests, scope);
    for (idx, test) in minimized.tests.iter().enumerate() {
        let found = if names.contains(test.method.as_str()) {
            declaration(&mut declarations, test)
        } else {
            Err(String::new())
        };
        if let Ok(found) = &found {
            declared.entry(found.key(&test.method)).or_default().push(idx);
        }
        keys.push(found);
    }
    let mut left_alone: BTreeMap<usize, String> = BTreeMap::new();
    let mut places: Vec<Place> = Vec::new();
    for (idx, (test, found)) in minimized.tests.iter().zip(&keys).enumerate() {
        if !matches!(test.status, Status::Redundant(_)) {
            continue;
        }
        let placed = found.as_ref().map_err(Clone::clone).and_then(|found| {
            let members = &declared[&found.key(&test.method)];
            place(apply, minimized, members, found).map(|place| (place, members[0] == idx))
        });
        match placed {
            Ok((place, true)) => places.push(place),
            // Its declaration has its place already.
            Ok((_, false)) => {}
            Err(why) => _ = left_alone.insert(idx, why),
        }
    }
    let uses = Uses::read(scope, &options.tests);
    // What is left alone may need what should go, and so on.
    let rewritten = loop {
        let mut kept = needed(&uses, apply, &places);
        let mut rewritten = Vec::new();
        if kept.is_empty() {
            rewritten = rewrite_all(sources, scope, &places)?;
            for file in &rewritten {
                let others = |it: &&Kept| it.because != Because::IsDisabled;
                let why = |it: &Kept| (file.places[it.edit], it.because.to_string());
                kept.extend(file.new.kept.iter().filter(others).map(why));
            }
        }
        if kept.is_empty() {
            kept = last_of_their_class(&uses, apply, minimized, &places);
        }
        if kept.is_empty() {
            break rewritten;
        }
        for (at, why) in kept.into_iter().rev() {
            left_alone.insert(places.remove(at).tests[0], why);
        }
    };
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    let mut may_be_empty: BTreeSet<String> = BTreeSet::new();
    for file in rewritten {
        let is_kept = |at: usize| file.new.kept.iter().any(|kept| kept.edit == at);
        let gone = file.places.iter().enumerate().filter(|(at, _)| !is_kept(*at));
        taken.extend(gone.flat_map(|(_, place)| &places[*place].tests));
        may_be_empty.extend(file.new.emptied);
        if file.new.text != file.old.text {
            let shown = target.join(&file.relative);
            let bytes = file.old.bytes_of(&file.new.text);
            changes.files.push(Changed { relative: file.relative, shown, bytes });
        }
    }
    changes.n_tests = taken.len();
    changes.emptied = emptied(minimized, &taken, may_be_empty);
    let named = left_alone.into_iter().map(|(idx, why)| (minimized.tests[idx].name(), why));
    changes.left_alone = named.collect();
    Ok(changes)
}

/// One place of each class that would be left without any test and that JUnit then takes for a failure.
fn last_of_their_class(
    uses: &Uses,
    apply: Apply,
    minimized: &Minimized,
    places: &[Place],
) -> BTreeMap<usize, String> {
    let going: BTreeSet<usize> = places.iter().flat_map(|place| &place.tests).copied().collect();
    let staying = minimized.tests.iter().enumerate().filter(|(idx, _)| !going.contains(idx));
    let mut have_tests: BTreeSet<&str> = staying.map(|(_, test)| test.class.as_str()).collect();
    let mut last = BTreeMap::new();
    for (at, place) in places.iter().enumerate() {
        for &test in &place.tests {
            let class = minimized.tests[test].class.as_str();
            // What is ignored is a test nevertheless, but not what JUnit 3 does not find any more.
            let needs_one = match apply {
                Apply::Disable => uses.is_junit3(class),
                Apply::Comment | Apply::Delete => uses.needs_a_test(class),
            };
            if needs_one && have_tests.insert(class) {
                let why = format!("{class} would be left without a test, which fails in JUnit");
                last.insert(at, why);
            }
        }
    }
    last
}

/// The classes without a test that runs: those in which tests were taken out, those around them, and those of
/// which the sources show it.
fn emptied(
    minimized: &Minimized,
    taken: &BTreeSet<usize>,
    mut classes: BTreeSet<String>,
) -> Vec<String> {
    for &test in taken {
        let class = &minimized.tests[test].class;
        let around = class.match_indices('$').map(|(at, _)| &class[..at]);
        classes.extend(around.chain([class.as_str()]).map(str::to_owned));
    }
    let all = minimized.tests.iter().enumerate();
    let runs = all.filter(|(idx, test)| !taken.contains(idx) && test.status != Status::Disabled);
    for (_, test) in runs {
        let class = &test.class;
        classes.remove(class);
        for (at, _) in class.match_indices('$') {
            classes.remove(&class[..at]);
        }
    }
    classes.into_iter().collect()
}

/// Which places must stay because of other classes, by position, each with the reason.
fn needed(uses: &Uses, apply: Apply, places: &[Place]) -> BTreeMap<usize, String> {
    let going: BTreeSet<MethodName> = places.iter().map(Place::method).collect();
    let mut needed = BTreeMap::new();
    for (at, place) in places.iter().enumerate() {
        // An annotation more changes nothing for who needs the method.
        if apply == Apply::Disable && !uses.is_junit3(&place.edit.class) {
            continue;
        }
        if let Some(why) = uses.obstacle(&place.method(), &going) {
            needed.insert(at, why);
        }
    }
    needed
}

/// A source that was rewritten.
struct NewSource {
    relative: PathBuf,
    old: SourceText,
    new: Rewritten,
    /// Which places its edits are.
    places: Vec<usize>,
}

/// Rewrites the sources of all places, in order of their paths.
fn rewrite_all(sources: &Path, scope: &Scope, places: &[Place]) -> Result<Vec<NewSource>, String> {
    let mut files: BTreeMap<&Path, Vec<usize>> = BTreeMap::new();
    for (at, place) in places.iter().enumerate() {
        files.entry(&place.relative).or_default().push(at);
    }
    let mut rewritten = Vec::with_capacity(files.len());
    for (relative, own) in files {
        let path = sources.join(relative);
        let edits: Vec<Edit> = own.iter().map(|&at| places[at].edit.clone()).collect();
        let bytes = fs::read(&path).map_err(|error| {
            format!(
                "there is no source of {}: {}: {error}\nhint: --sources is the folder that the packages start in",
                edits[0].class,
                path.display()
            )
        })?;
        let old = SourceText::of(&path, bytes)?;
        check_matches(scope, &path, &old.text, &edits)?;
        let new =
            rewrite(&old.text, &edits).map_err(|error| format!("{}: {error}", path.display()))?;
        rewritten.push(NewSource { relative: relative.to_owned(), old, new, places: own });
    }
    Ok(rewritten)
}

/// Where a test method is declared.
struct Declaration {
    class: String,
    parameters: Vec<String>,
    /// Below the folder of sources.
    relative: PathBuf,
}

impl Declaration {
    /// Equal for tests that are one method.
    fn key(&self, method: &str) -> (String, Vec<String>) {
        (format!("{}.{method}", self.class), self.parameters.clone())
    }
}

/// Finds the declaration of a test and its source; an error is a reason to leave the test alone.
fn declaration(declarations: &mut Declarations<'_>, test: &Judged) -> Result<Declaration, String> {
    let Declared { class, parameters } = declarations.find(test)?;
    let internal = class.replace('.', "/");
    let package = internal.rsplit_once('/').map_or("", |(package, _)| package);
    let source = declarations.file(&class).and_then(ClassFile::source_file);
    let source = source.map(mutf8::display).ok_or("its class does not name its source")?;
    Ok(Declaration { relative: Path::new(package).join(source), class, parameters })
}

/// What is to be done with a declaration that is the tests at these positions; an error is a reason to leave
/// them alone: one of them is not redundant.
fn place(
    apply: Apply,
    minimized: &Minimized,
    members: &[usize],
    found: &Declaration,
) -> Result<Place, String> {
    let mut because: BTreeSet<usize> = BTreeSet::new();
    for &idx in members {
        let test = &minimized.tests[idx];
        match &test.status {
            Status::Redundant(by) => because.extend(by),
            _ => {
                return Err(format!(
                    "it is inherited from {}, and {} is not redundant",
                    found.class,
                    test.name()
                ));
            }
        }
    }
    let because: Vec<String> = because.iter().map(|&by| minimized.tests[by].name()).collect();
    let test = &minimized.tests[members[0]];
    let edit = Edit {
        class: found.class.clone(),
        method: test.method.clone(),
        parameters: Some(found.parameters.clone()),
        framework: None,
        action: match apply {
            Apply::Comment => Action::Comment,
            Apply::Disable => Action::Disable,
            Apply::Delete => Action::Delete,
        },
        reason: format!(
            "redundant ({}) because of {}",
            minimized.techniques.receiver,
            because.join(", ")
        ),
    };
    let relative = found.relative.clone();
    Ok(Place { relative, edit, tests: members.to_vec() })
}

/// Compares a source with the class files that ran.
fn check_matches(scope: &Scope, path: &Path, source: &str, edits: &[Edit]) -> Result<(), String> {
    let hint = "hint: compile the tests again";
    let map = outline::locate(source).map_err(|error| format!("{}: {error}", path.display()))?;
    let classes: BTreeSet<&str> = edits.iter().map(|edit| edit.class.as_str()).collect();
    for class in classes {
        let Some(file): Option<ClassFile> = scope.class_file(class) else { continue };
        outline::check_class_file(&map, &file).map_err(|mismatch| {
            format!(
                "{}: the source does not match the class files: {mismatch}\n{hint}",
                path.display()
            )
        })?;
    }
    Ok(())
}

/// The folder that sources are written to.
pub(super) fn target(options: &MinimizeOptions) -> &Path {
    let sources = options.sources.as_deref().unwrap_or(Path::new("."));
    options.output.as_deref().unwrap_or(sources)
}

/// Writes all new sources; with `--output` also the files that stay as they are.
pub(super) fn write(options: &MinimizeOptions, changes: &Changes) -> Result<(), String> {
    let sources = options.sources.as_deref().unwrap_or(Path::new("."));
    if options.in_place && !options.force {
        let changed: Vec<PathBuf> =
            changes.files.iter().map(|file| sources.join(&file.relative)).collect();
        git::check_tracked(&changed)?;
    }
    let mut files: Vec<(PathBuf, Vec<u8>)> =
        changes.files.iter().map(|file| (file.relative.clone(), file.bytes.clone())).collect();
    if options.output.is_some() {
        let changed: BTreeSet<&Path> =
            changes.files.iter().map(|file| file.relative.as_path()).collect();
        let mut others = Vec::new();
        collect(&mut others, sources, Path::new(""))
            .map_err(|error| format!("{}: {error}", sources.display()))?;
        for relative in others.into_iter().filter(|path| !changed.contains(path.as_path())) {
            let from = sources.join(&relative);
            let bytes = fs::read(&from).map_err(|error| format!("{}: {error}", from.display()))?;
            files.push((relative, bytes));
        }
    }
    output::write(target(options), &Output { files, gone: Vec::new(), replaces: Replaces::All })
}

/// All plain files below a folder, also behind links. What lies behind a link to a folder around it is known, and
/// what is no file, such as a link to nowhere that an editor leaves, is no source.
fn collect(files: &mut Vec<PathBuf>, root: &Path, below: &Path) -> io::Result<()> {
    let here = fs::canonicalize(root.join(below))?;
    let mut entries: Vec<_> = fs::read_dir(&here)?.collect::<io::Result<_>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = below.join(entry.file_name());
        let Ok(real) = fs::canonicalize(entry.path()) else { continue };
        if real.is_file() {
            files.push(path);
        } else if real.is_dir() && !here.starts_with(&real) {
            collect(files, root, &path)?;
        }
    }
    Ok(())
}

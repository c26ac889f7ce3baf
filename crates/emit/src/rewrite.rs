//! Takes single tests out of a Java source: commented out, disabled or deleted.
//!
//! Every byte that has nothing to do with the tests named stays as it is, and so does whether the source
//! compiles: a test that other code needs is left alone and said so. Knows nothing of why a test goes.

use std::fmt;
use std::ops::Range;

use crate::outline::{self, OutlineError, SourceMap};

mod framework;
mod matching;
mod patch;
mod uses;

pub use framework::Framework;

/// What to do with a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Turn it into line comments, with the reason above.
    Comment,
    /// Keep it, but have JUnit skip it: an annotation, or in JUnit 3 another name.
    Disable,
    /// Remove it with its comments.
    Delete,
}

/// One test to take out.
#[derive(Clone, Debug)]
pub struct Edit {
    /// The binary name of the class that declares it, such as `com.acme.CartTest$WhenEmpty`.
    pub class: String,
    /// The name of the method.
    pub method: String,
    /// The erased types of its parameters, such as `int` and `java.util.Map$Entry[]`, to tell overloads apart.
    pub parameters: Option<Vec<String>>,
    /// The JUnit that runs it; without, the source decides.
    pub framework: Option<Framework>,
    /// What to do.
    pub action: Action,
    /// Why, for whoever reads the source: one line.
    pub reason: String,
}

/// A source without some of its tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritten {
    /// The new source.
    pub text: String,
    /// The tests that were left alone, in order of the edits.
    pub kept: Vec<Kept>,
    /// The classes, by binary name, that had tests and have none that runs any more, not even in classes
    /// nested in them.
    pub emptied: Vec<String>,
}

/// A test that was left alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Which edit it was.
    pub edit: usize,
    /// The line of the method's name in the old source.
    pub line: usize,
    /// Why it was left alone.
    pub because: Because,
}

/// Why a test was left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Because {
    /// It never runs anyway.
    IsDisabled,
    /// Without it, a method that it overrides would run in its place or be missing.
    Overrides,
    /// A method in this line says that it overrides a method of this name.
    IsOverridden {
        /// The line of the other method.
        line: usize,
    },
    /// Other code in this line calls it.
    IsCalled {
        /// The line of the call.
        line: usize,
    },
    /// A string in this line is its name, and JUnit 3 finds tests by such strings.
    IsNamed {
        /// The line of the string.
        line: usize,
    },
}

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Because::IsDisabled => write!(f, "it is disabled already"),
            Because::Overrides => write!(f, "it overrides a method of a superclass"),
            Because::IsOverridden { line } => write!(f, "the method in line {line} overrides it"),
            Because::IsCalled { line } => write!(f, "line {line} calls it"),
            Because::IsNamed { line } => write!(f, "line {line} names it in a string"),
        }
    }
}

/// Why nothing was rewritten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RewriteError {
    /// The source cannot be read.
    Outline(OutlineError),
    /// The source does not declare the class.
    NoClass {
        /// The class that was asked for.
        class: String,
        /// The classes that are declared.
        declared: Vec<String>,
    },
    /// The class does not declare the method.
    NoMethod {
        /// The class.
        class: String,
        /// The line of the class.
        line: usize,
        /// The method that was asked for.
        method: String,
        /// The lines and parameters of methods of that name.
        namesakes: Vec<(usize, String)>,
    },
    /// Several methods of the class fit.
    Ambiguous {
        /// The class.
        class: String,
        /// The method that was asked for.
        method: String,
        /// The lines of those that fit.
        lines: Vec<usize>,
    },
    /// Two edits name one method.
    Twice {
        /// The class.
        class: String,
        /// The method.
        method: String,
        /// Its line.
        line: usize,
    },
    /// It cannot be told how to disable the method.
    NoFramework {
        /// The class.
        class: String,
        /// The method.
        method: String,
        /// Its line.
        line: usize,
    },
}

impl fmt::Display for RewriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mismatch = "the source does not match the class files";
        match self {
            RewriteError::Outline(error) => write!(f, "{error}"),
            RewriteError::NoClass { class, declared } if declared.is_empty() => {
                write!(f, "{mismatch}: it declares no class, {class} is expected")
            }
            RewriteError::NoClass { class, declared } => {
                write!(f, "{mismatch}: it does not declare {class}, only {}", declared.join(", "))
            }
            RewriteError::NoMethod { class, line, method, namesakes } => {
                write!(f, "{mismatch}: {class} in line {line} has no method {method}")?;
                for (idx, (line, parameters)) in namesakes.iter().enumerate() {
                    let word = if idx == 0 { ", only" } else { "," };
                    write!(f, "{word} ({parameters}) in line {line}")?;
                }
                Ok(())
            }
            RewriteError::Ambiguous { class, method, lines } => {
                let lines: Vec<String> = lines.iter().map(usize::to_string).collect();
                write!(f, "{class} has several methods {method}, in lines {}", lines.join(", "))
            }
            RewriteError::Twice { class, method, line } => {
                write!(f, "{class}.{method} in line {line} is named twice")
            }
            RewriteError::NoFramework { class, method, line } => {
                write!(f, "line {line}: it cannot be told which JUnit runs {class}.{method}")
            }
        }
    }
}

impl std::error::Error for RewriteError {}

impl From<OutlineError> for RewriteError {
    fn from(error: OutlineError) -> RewriteError {
        RewriteError::Outline(error)
    }
}

/// The place of a method: its class and its index there.
type MethodAt = (usize, usize);

/// Applies all edits to a source, or none if one of them fails.
pub fn rewrite(source: &str, edits: &[Edit]) -> Result<Rewritten, RewriteError> {
    let map = outline::locate(source)?;
    let mut places: Vec<MethodAt> = Vec::with_capacity(edits.len());
    for edit in edits {
        let place = matching::find(&map, edit)?;
        if places.contains(&place) {
            let line = map.classes[place.0].methods[place.1].line;
            let (class, method) = (edit.class.clone(), edit.method.clone());
            return Err(RewriteError::Twice { class, method, line });
        }
        places.push(place);
    }
    let mut frameworks = Vec::with_capacity(edits.len());
    for (edit, place) in edits.iter().zip(&places) {
        frameworks.push(edit.framework.or_else(|| framework::of(&map, *place)));
    }
    let because = obstacles(source, &map, edits, &places, &frameworks);
    let mut patches = patch::Patches::new(source, &map);
    let mut gone = Vec::new();
    let mut deleted: Vec<Range<usize>> = Vec::new();
    for (idx, edit) in edits.iter().enumerate() {
        if because[idx].is_some_and(|because| because != Because::IsDisabled) {
            continue;
        }
        gone.push(places[idx]);
        if because[idx].is_some() {
            continue;
        }
        let class = &map.classes[places[idx].0];
        let method = &class.methods[places[idx].1];
        match edit.action {
            Action::Delete => deleted.push(method.full.clone()),
            Action::Comment => patches.comment(&method.full, &edit.reason),
            Action::Disable => match frameworks[idx] {
                Some(framework) => patches.disable(class, method, framework, &edit.reason),
                None => {
                    let (class, name) = (class.name.clone(), method.name.clone());
                    return Err(RewriteError::NoFramework {
                        class,
                        method: name,
                        line: method.line,
                    });
                }
            },
        }
    }
    patches.delete(deleted);
    let mut kept = Vec::new();
    for (edit, because) in because.into_iter().enumerate() {
        if let Some(because) = because {
            let line = map.classes[places[edit].0].methods[places[edit].1].line;
            kept.push(Kept { edit, line, because });
        }
    }
    let emptied = framework::emptied(&map, &places, &gone);
    Ok(Rewritten { text: patches.apply(), kept, emptied })
}

/// What stands against each edit.
fn obstacles(
    source: &str,
    map: &SourceMap,
    edits: &[Edit],
    places: &[MethodAt],
    frameworks: &[Option<Framework>],
) -> Vec<Option<Because>> {
    let method = |idx: usize| &map.classes[places[idx].0].methods[places[idx].1];
    let mut because: Vec<Option<Because>> = Vec::with_capacity(edits.len());
    for (idx, edit) in edits.iter().enumerate() {
        let is_junit3 = frameworks[idx] == Some(Framework::JUnit3);
        let stays_in_place = edit.action == Action::Disable && !is_junit3;
        because.push(if stays_in_place {
            let is_disabled =
                frameworks[idx].is_some_and(|it| framework::is_disabled(method(idx), it));
            is_disabled.then_some(Because::IsDisabled)
        } else if method(idx).is_override() {
            Some(Because::Overrides)
        } else if let Some(line) = uses::overriding(map, places[idx]) {
            Some(Because::IsOverridden { line })
        } else if is_junit3 {
            uses::string(source, map, method(idx)).map(|line| Because::IsNamed { line })
        } else {
            None
        });
    }
    let code = uses::Code::of(source, map);
    // A test that stays may call one that should go, and so on.
    loop {
        let mut removed = Vec::new();
        for (idx, edit) in edits.iter().enumerate() {
            if because[idx].is_none() && edit.action != Action::Disable {
                removed.push(method(idx).span.clone());
            }
        }
        removed.sort_by_key(|span| span.start);
        let mut changed = false;
        for (idx, edit) in edits.iter().enumerate() {
            let is_junit3 = frameworks[idx] == Some(Framework::JUnit3);
            if because[idx].is_some() || (edit.action == Action::Disable && !is_junit3) {
                continue;
            }
            if let Some(line) = uses::call(&code, places[idx], &removed) {
                because[idx] = Some(Because::IsCalled { line });
                changed = true;
            }
        }
        if !changed {
            return because;
        }
    }
}

#[cfg(test)]
mod tests;

//! Which classes and methods a Java source declares, and on which bytes they stand.
//!
//! Bodies of methods and initialisers are skipped, so classes inside of them are not listed. Made for
//! sources that compile; others give an error or the declarations that can be seen. Also tells whether a
//! class file was made of a source.

use std::fmt;
use std::ops::Range;

use crate::lex::{self, LexError, Token};

mod agree;
pub(crate) mod comments;
mod fit;
mod parse;

pub use agree::{Mismatch, check_class_file};
pub(crate) use fit::Fit;
pub use fit::erased_parameters;

/// The declarations of one source.
#[derive(Clone, Debug)]
pub struct SourceMap {
    /// All classes that are not local, outer ones before those nested in them.
    pub classes: Vec<ClassDecl>,
    /// What is imported, as written: `org.junit.Test`, `org.junit.*`, `static org.junit.Assert.fail`.
    pub imports: Vec<String>,
    pub(crate) tokens: Vec<Token>,
    line_starts: Vec<usize>,
}

/// A class, interface, enum, record or annotation type.
#[derive(Clone, Debug)]
pub struct ClassDecl {
    /// The binary name, such as `com.acme.CartTest$WhenEmpty`; empty for the class that a source without
    /// a class declaration is (JLS §8.1.8), which takes its name from the file.
    pub name: String,
    /// The class it is nested in, as an index into [`SourceMap::classes`].
    pub outer: Option<usize>,
    /// The names of its type variables.
    pub type_variables: Vec<String>,
    /// What is written after `extends`, without type arguments.
    pub superclass: Option<String>,
    /// Whether it names a superclass or interfaces.
    pub inherits: bool,
    /// Its annotations, without arguments: `Nested`, `org.junit.jupiter.api.Nested`.
    pub annotations: Vec<String>,
    /// Its methods and constructors in order.
    pub methods: Vec<MethodDecl>,
    /// From its first modifier to its closing brace.
    pub span: Range<usize>,
    /// The line of its name, from 1.
    pub line: usize,
}

/// A method or constructor.
#[derive(Clone, Debug)]
pub struct MethodDecl {
    /// Its name; `<init>` for a constructor.
    pub name: String,
    /// The types of its parameters as written, without annotations and white space.
    pub parameters: Vec<String>,
    /// The names of its own type variables.
    pub type_variables: Vec<String>,
    /// Its modifiers in order.
    pub modifiers: Vec<String>,
    /// Its annotations, without arguments.
    pub annotations: Vec<String>,
    /// Whether `void` stands before the name.
    pub is_void: bool,
    /// From its first annotation or modifier to its closing brace or semicolon.
    pub span: Range<usize>,
    /// The same with the comments that belong to it, before and behind.
    pub full: Range<usize>,
    /// The bytes of its name.
    pub name_span: Range<usize>,
    /// The line of its name, from 1.
    pub line: usize,
    /// The lines of its body, from the opening to the closing brace.
    pub body_lines: Option<Range<usize>>,
}

/// Why a source could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub what: String,
}

impl fmt::Display for OutlineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for OutlineError {}

impl MethodDecl {
    /// Whether it is marked with `@Override`.
    pub(crate) fn is_override(&self) -> bool {
        self.annotations
            .iter()
            .any(|name| matches!(name.as_str(), "Override" | "java.lang.Override"))
    }
}

impl SourceMap {
    /// The class of this binary name, with its index. Slashes may stand for dots.
    pub fn class(&self, name: &str) -> Option<(usize, &ClassDecl)> {
        let name = name.replace('/', ".");
        self.classes.iter().enumerate().find(|(_, class)| class.name == name)
    }

    /// The line of a byte, from 1.
    pub fn line(&self, at: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= at)
    }

    /// The method whose body has this line, the innermost one.
    pub fn method_at(&self, line: usize) -> Option<(&ClassDecl, &MethodDecl)> {
        let mut found = None;
        for class in &self.classes {
            for method in &class.methods {
                if method.body_lines.as_ref().is_some_and(|lines| lines.contains(&line)) {
                    found = Some((class, method));
                }
            }
        }
        found
    }

    /// How well a method of a class fits erased parameter types.
    pub(crate) fn fit(&self, class: usize, method: &MethodDecl, erased: &[String]) -> Fit {
        fit::fit_all(self, class, method, erased)
    }

    /// Where the line of a byte begins.
    pub(crate) fn line_start(&self, at: usize) -> usize {
        self.line_starts[self.line(at) - 1]
    }

    /// Where lines begin behind the first byte of a range.
    pub(crate) fn line_starts_within(&self, range: &Range<usize>) -> Vec<usize> {
        let starts = self.line_starts.iter().copied();
        starts.filter(|start| range.start < *start && *start < range.end).collect()
    }

    /// Whether a class is nested in another one, however deeply, or is that one.
    pub(crate) fn is_within(&self, class: usize, outer: usize) -> bool {
        let mut at = Some(class);
        while let Some(idx) = at {
            if idx == outer {
                return true;
            }
            at = self.classes[idx].outer;
        }
        false
    }
}

/// Finds the declarations of a source.
pub fn locate(source: &str) -> Result<SourceMap, OutlineError> {
    let line_starts = lex::line_starts(source);
    let line_of = |at: usize| line_starts.partition_point(|start| *start <= at);
    let tokens = lex::tokens(source).map_err(|error: LexError| OutlineError {
        line: line_of(error.at),
        what: error.to_string(),
    })?;
    let unit = parse::unit(source, &tokens, &line_of)?;
    let mut classes = unit.classes;
    for class in &mut classes {
        for method in &mut class.methods {
            method.full = comments::with_comments(source, &tokens, &method.span);
        }
    }
    Ok(SourceMap { classes, imports: unit.imports, tokens, line_starts })
}

#[cfg(test)]
mod tests;

//! JUnit source out of suites: one test class per class under test, or several where it would be long.
//!
//! What a test *does* is the suite's business; here it is only spelled: names, imports, literals, casts,
//! assertions, for JUnit 3, 4 and 5. The compiler must take every call for exactly the method meant and
//! warn of nothing that is not suppressed, so the classes are asked through [`Names`].

pub mod body;
mod check;
pub mod facts;
mod literal;
mod naming;
mod plan;
mod resolve;
mod scope;
mod source;
mod stand_in;
mod typing;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use suite::constant::Constant;
use suite::java_type::JavaType;
use suite::sequence::{Arg, Operation, Sequence};
use suite::stand_in::Behaviour;
use suite::test::{Expected, Subject, Suite, Test, Title};
use suite::types::Type;

use body::Inexpressible;
use facts::{Names, package_of};
use scope::{Scope, simple_name};
use typing::World;

/// The framework that runs the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Framework {
    /// JUnit 3: methods named `test…` of a `TestCase`.
    JUnit3,
    /// JUnit 4 before 4.13, without `assertThrows`.
    JUnit4Before13,
    /// JUnit 4.13 and later.
    JUnit4,
    /// JUnit 5 (Jupiter).
    JUnit5,
}

/// How tests are written.
#[derive(Debug, Clone)]
pub struct Options {
    /// The framework that runs them.
    pub framework: Framework,
    /// The package they live in, with dots. `None` is the package of the class under test; for classes
    /// of the JDK, where nobody else may live, that package below `generated`.
    pub package: Option<String>,
    /// What the name of a test class has behind that of the class under test: `Test`.
    pub suffix: String,
    /// How many tests a class has at most, at least one.
    pub tests_per_class: usize,
}

impl Options {
    /// What people expect who say nothing else.
    pub fn usual() -> Options {
        Options {
            framework: Framework::JUnit5,
            package: None,
            suffix: "Test".to_owned(),
            tests_per_class: 500,
        }
    }
}

/// A test in a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// Its position in the suite.
    pub idx: usize,
    /// The name of its method.
    pub method: String,
    /// The lines of its method, counted from one; a compiler's message is about the test they belong to.
    pub lines: Range<usize>,
}

/// A Java source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Where it belongs below the root of the sources: `com/acme/CartTest.java`.
    pub path: String,
    /// What it says.
    pub text: String,
    /// The class it declares, with dots: `com.acme.CartTest`.
    pub class: String,
    /// The tests it holds, in order.
    pub tests: Vec<Placed>,
}

/// The first line of every file, by which a tool knows what it may replace.
pub const MARK: &str = "// Written by Nonpareil; a new run replaces this file.";

/// Where the file with this number, counted from zero, of the tests of a class belongs below the root of
/// the sources.
pub fn path(class: &str, number: usize, options: &Options, names: &dyn Names) -> String {
    let package = package(class, options, names);
    let slash = if package.is_empty() { "" } else { "/" };
    format!("{package}{slash}{}.java", class_name(class, options, number))
}

/// Writes a suite. Tests that Java cannot express are left out; [`inexpressible`] tells which and why.
pub fn render(suite: &Suite, options: &Options, names: &dyn Names) -> Vec<SourceFile> {
    let world = world(suite, options, names);
    let left_out = inexpressible(suite, options, names);
    let is_kept = |idx: &usize| left_out.iter().all(|(left, _)| left != idx);
    let kept: Vec<usize> = (0..suite.tests.len()).filter(is_kept).collect();
    let test_names =
        naming::test_names(kept.iter().map(|&idx| &suite.tests[idx]), options.framework);
    let kept: Vec<Placed> = kept
        .into_iter()
        .zip(test_names)
        .map(|(idx, method)| Placed { idx, method, lines: 0..0 })
        .collect();
    let per_class = options.tests_per_class.max(1);
    let chunks: Vec<&[Placed]> = kept.chunks(per_class).collect();
    let class_names: Vec<String> =
        (0..chunks.len()).map(|number| class_name(&suite.class, options, number)).collect();
    let mut files = Vec::new();
    for (chunk, class) in chunks.into_iter().zip(&class_names) {
        files.push(source::file(&world, suite, options.framework, class, chunk));
    }
    files
}

/// The tests of a suite that cannot be written in Java, by position, each with the reason.
pub fn inexpressible(
    suite: &Suite,
    options: &Options,
    names: &dyn Names,
) -> Vec<(usize, Inexpressible)> {
    let world = world(suite, options, names);
    let mut found = Vec::new();
    for (idx, test) in suite.tests.iter().enumerate() {
        // What this scope notes is thrown away.
        let mut scope = Scope::new(&world, &[]);
        if let Err(reason) = body::body(&mut scope, options.framework, &BTreeSet::new(), test) {
            found.push((idx, reason));
        }
    }
    found
}

/// Whether calls can only be written with raw types or unchecked conversions, as where a map of numbers is
/// given a text.
pub fn needs_raw_types(sequence: &Sequence, options: &Options, names: &dyn Names) -> bool {
    let test = Test {
        sequence: sequence.clone(),
        checks: Vec::new(),
        throws: None,
        must_end: false,
        notes: Vec::new(),
        title: Title::default(),
    };
    let last = sequence.statements().last().and_then(|statement| statement.method());
    let class = last.map_or_else(|| "".into(), |method| method.class.clone());
    let suite = Suite { class, tests: vec![test] };
    let world = world(&suite, options, names);
    let mut scope = Scope::new(&world, &[]);
    // What cannot be written says so where it is to be.
    let _ = body::body(&mut scope, options.framework, &BTreeSet::new(), &suite.tests[0]);
    scope.warnings().any(|warning| matches!(warning, "rawtypes" | "unchecked"))
}

/// A constant as Java writes it, for people: no imports are at hand, so enum constants stand alone.
pub fn spell(constant: &Constant) -> String {
    match constant {
        Constant::Boxed(inner) => spell(inner),
        Constant::Enum { name, .. } => name.to_string(),
        Constant::Class(named) => format!("{named}.class"),
        plain => literal::literal(plain).unwrap_or_else(|| "?".to_owned()),
    }
}

fn world<'n>(suite: &Suite, options: &Options, names: &'n dyn Names) -> World<'n> {
    World { names, package: package(&suite.class, options, names) }
}

/// The package of the tests of a class, with slashes.
fn package(class: &str, options: &Options, names: &dyn Names) -> String {
    let own = package_of(class);
    match &options.package {
        Some(package) => package.replace('.', "/"),
        None if names.class(class).is_some_and(|facts| facts.is_system) => {
            format!("generated/{own}")
        }
        None => own.to_owned(),
    }
}

/// `CartTest`, `CartTest2`, …; for nested classes `MapEntryTest`.
fn class_name(class: &str, options: &Options, number: usize) -> String {
    let simple = simple_name(class).replace('$', "");
    let number = if number == 0 { String::new() } else { (number + 1).to_string() };
    format!("{simple}{}{number}", options.suffix)
}

/// Every class that the tests name, so that variables are called otherwise.
fn mentioned(tests: &[&Test]) -> BTreeSet<Arc<str>> {
    let mut found = BTreeSet::new();
    for test in tests {
        for statement in test.sequence.statements() {
            match &statement.operation {
                Operation::Call(method) => {
                    found.insert(method.class.clone());
                    method.parameters.iter().for_each(|of| mention(&mut found, of));
                    mention(&mut found, &method.returns);
                }
                Operation::Array(element) => mention(&mut found, element),
                Operation::StandIn(stand_in) => {
                    found.insert(stand_in.of.clone());
                    if let Behaviour::Constant(constant) = &stand_in.behaviour {
                        mention_constant(&mut found, constant);
                    }
                }
            }
            for arg in &statement.args {
                if let Arg::Constant(constant) = arg {
                    mention_constant(&mut found, constant);
                }
            }
        }
        for check in &test.checks {
            if let Subject::Observer { method, .. } = &check.subject {
                found.insert(method.class.clone());
            }
            if let Expected::Equals(constant) = &check.expected {
                mention_constant(&mut found, constant);
            }
        }
        if test.must_end {
            found.insert("java/time/Duration".into());
        }
        found.extend(test.throws.iter().map(|throws| throws.class.clone()));
    }
    found
}

fn mention(found: &mut BTreeSet<Arc<str>>, of: &Type) {
    match JavaType::of(of) {
        JavaType::Class(class) => {
            found.insert(class.name);
        }
        JavaType::Array(_) => {
            if let Type::Array(element) = of {
                mention(found, element);
            }
        }
        _ => {}
    }
}

fn mention_constant(found: &mut BTreeSet<Arc<str>>, constant: &Constant) {
    match constant {
        Constant::Enum { class, .. } => {
            found.insert(class.clone());
        }
        Constant::Class(of) => mention(found, of),
        _ => {}
    }
}

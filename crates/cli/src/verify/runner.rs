//! The program that runs tests on the real JVM: by JUnit itself where all of it is on the class path,
//! else by reflection, which knows no timeouts.
//!
//! It is compiled along with the tests. Its arguments are the framework, a file that names the tests, one
//! `class#method` per line, and the seconds that each may take; it says how each begins and ends, one line each.
//! Where one takes longer, it says so and ends. JUnit runs tests of a class together, since it looks at the whole
//! class each time.

use classfile::ClassPath;
use emit::junit::Framework;

/// The name of the program's class.
pub(super) const CLASS: &str = "NonpareilRunner";

/// A part of the program: its class, its source, and a class of JUnit's without which it is not compiled.
struct Part {
    class: &'static str,
    source: &'static str,
    needs: Option<&'static str>,
}

const PARTS: &[Part] = &[
    Part { class: CLASS, source: include_str!("runner/NonpareilRunner.java"), needs: None },
    Part {
        class: "NonpareilOrder",
        source: include_str!("runner/NonpareilOrder.java"),
        needs: Some("org/junit/jupiter/api/MethodOrderer.class"),
    },
    Part {
        class: "NonpareilJUnit4",
        source: include_str!("runner/NonpareilJUnit4.java"),
        needs: Some("org/junit/runner/manipulation/Filter.class"),
    },
];

/// What the program calls a framework.
pub(super) fn framework(framework: Framework) -> &'static str {
    match framework {
        Framework::JUnit3 => "junit3",
        Framework::JUnit4 | Framework::JUnit4Before13 => "junit4",
        Framework::JUnit5 => "platform",
    }
}

/// Its source files, by name, as far as they compile with the JUnit of a class path.
pub(super) fn sources(class_path: &ClassPath) -> impl Iterator<Item = (String, &'static str)> {
    let fits = |part: &&Part| part.needs.is_none_or(|class| class_path.find(class, 17).is_some());
    PARTS.iter().filter(fits).map(|part| (format!("{}.java", part.class), part.source))
}

//! Coverage as other tools' formats need it: classes, methods, bytecode instructions with their lines.

/// Coverage of one class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Class {
    /// Internal name: `a/b/C`.
    pub name: String,
    /// Source file without folders, if known.
    pub source: Option<String>,
    /// Methods in order.
    pub methods: Vec<Method>,
}

/// Coverage of one method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Method {
    /// Name.
    pub name: String,
    /// Descriptor.
    pub descriptor: String,
    /// Instructions in order: their lines, and whether they ran.
    pub instructions: Vec<(Option<u16>, bool)>,
    /// Branches in order.
    pub branches: Vec<Branch>,
}

/// Coverage of one branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// Its line.
    pub line: Option<u16>,
    /// Which of its ways were taken.
    pub edges: Vec<bool>,
}

impl Class {
    /// The package, with slashes; empty for the unnamed one.
    pub fn package(&self) -> &str {
        self.name.rsplit_once('/').map_or("", |(package, _)| package)
    }

    /// The path of the source file below its source folder.
    pub fn source_path(&self) -> Option<String> {
        let source = self.source.as_ref()?;
        let package = self.package();
        Some(if package.is_empty() { source.clone() } else { format!("{package}/{source}") })
    }
}

impl Method {
    /// Where it starts in its source.
    pub fn first_line(&self) -> Option<u16> {
        self.instructions.iter().find_map(|&(line, _)| line)
    }

    /// Whether any of it ran.
    pub fn has_run(&self) -> bool {
        self.instructions.iter().any(|&(_, covered)| covered)
    }
}

/// A class for the tests of the formats: one method that ran in part, one that did not.
#[cfg(test)]
pub(crate) fn example() -> Class {
    let ran = Method {
        name: "<init>".to_owned(),
        descriptor: "(I)V".to_owned(),
        instructions: vec![(Some(3), true), (Some(3), true), (Some(4), true), (Some(5), false)],
        branches: vec![Branch { line: Some(4), edges: vec![true, false] }],
    };
    let idle = Method {
        name: "f".to_owned(),
        descriptor: "()V".to_owned(),
        instructions: vec![(Some(8), false), (None, false)],
        branches: vec![Branch { line: Some(8), edges: vec![false, false, false] }],
    };
    let (name, source) = ("a/b/C<&\"".to_owned(), Some("C.java".to_owned()));
    Class { name, source, methods: vec![ran, idle] }
}

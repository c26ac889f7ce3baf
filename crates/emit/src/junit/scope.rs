//! The names that one source file uses: imports, simple names and their clashes, warnings to suppress.
//!
//! A simple name belongs to the first class that claims it; other classes of that name are written in full.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use suite::java_type::{ClassType, JavaType, TypeArg};

use super::facts::{Deprecation, Place, package_of};
use super::typing::World;

/// Deeper nesting of classes than programs have; a cycle in broken classes ends here.
const MAX_NESTING: usize = 50;

/// What one file has used so far.
pub(crate) struct Scope<'w> {
    pub(crate) world: &'w World<'w>,
    /// Simple name to the internal name of the top-level class that owns it.
    claimed: BTreeMap<String, Arc<str>>,
    imports: BTreeSet<String>,
    static_imports: BTreeSet<String>,
    warnings: BTreeSet<&'static str>,
}

impl<'w> Scope<'w> {
    /// Nothing used yet; these internal names own their simple names before all others.
    pub(crate) fn new(world: &'w World<'w>, first: &[Arc<str>]) -> Scope<'w> {
        let mut scope = Scope {
            world,
            claimed: BTreeMap::new(),
            imports: BTreeSet::new(),
            static_imports: BTreeSet::new(),
            warnings: BTreeSet::new(),
        };
        for name in first {
            let (top, _) = scope.path(name);
            scope.claimed.entry(simple_name(&top).to_owned()).or_insert(top);
        }
        scope
    }

    /// A class as the file writes it: `Map.Entry`.
    pub(crate) fn class(&mut self, name: &str) -> String {
        match self.world.deprecation(name) {
            Deprecation::None => {}
            found => self.warn_of(found),
        }
        let (top, members) = self.path(name);
        let mut text = self.top_level(&top);
        for member in members {
            text.push('.');
            text.push_str(&member);
        }
        text
    }

    /// A type as the file writes it. A raw type notes that it needs a warning suppressed.
    pub(crate) fn java_type(&mut self, of: &JavaType) -> String {
        match of {
            JavaType::Null => "Object".to_owned(),
            JavaType::Primitive(primitive) => primitive.to_string(),
            JavaType::Variable(name) => name.to_string(),
            JavaType::Array(element) => format!("{}[]", self.java_type(element)),
            JavaType::Class(class) => self.class_type(class),
        }
    }

    fn class_type(&mut self, class: &ClassType) -> String {
        let mut text = self.class(&class.name);
        if class.args.is_empty() {
            if self.world.is_generic(&class.name) {
                self.warnings.insert("rawtypes");
            }
            return text;
        }
        let args: Vec<String> = class.args.iter().map(|arg| self.type_arg(arg)).collect();
        text.push('<');
        text.push_str(&args.join(", "));
        text.push('>');
        text
    }

    fn type_arg(&mut self, arg: &TypeArg) -> String {
        match arg {
            TypeArg::Exact(inner) => self.java_type(inner),
            TypeArg::Extends(inner) => format!("? extends {}", self.java_type(inner)),
            TypeArg::Super(inner) => format!("? super {}", self.java_type(inner)),
            TypeArg::Any => "?".to_owned(),
        }
    }

    /// Notes that the file uses a static method of this class by its simple name.
    pub(crate) fn static_import(&mut self, class: &str, method: &str) {
        self.static_imports.insert(format!("{}.{method}", class.replace('/', ".")));
    }

    /// Notes that the file does something the compiler warns of.
    pub(crate) fn warn(&mut self, warning: &'static str) {
        self.warnings.insert(warning);
    }

    /// Notes the use of something deprecated.
    pub(crate) fn warn_of(&mut self, deprecation: Deprecation) {
        match deprecation {
            Deprecation::None => {}
            Deprecation::Deprecated => self.warn("deprecation"),
            Deprecation::ForRemoval => self.warn("removal"),
        }
    }

    /// The import lines, static ones first, each group sorted.
    pub(crate) fn import_lines(&self) -> String {
        let mut text = String::new();
        for name in &self.static_imports {
            text.push_str(&format!("import static {name};\n"));
        }
        if !self.static_imports.is_empty() && !self.imports.is_empty() {
            text.push('\n');
        }
        for name in &self.imports {
            text.push_str(&format!("import {name};\n"));
        }
        text
    }

    /// The warnings to suppress, sorted.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = &'static str> {
        self.warnings.iter().copied()
    }

    fn top_level(&mut self, name: &Arc<str>) -> String {
        let simple = simple_name(name);
        let package = package_of(name);
        let full = name.replace('/', ".");
        let is_implicit = package == self.world.package || package == "java/lang";
        match self.claimed.get(simple) {
            Some(owner) if owner == name => {}
            Some(_) => return full,
            None => {
                if package == "java/lang" && self.is_hidden(simple) {
                    return full;
                }
                self.claimed.insert(simple.to_owned(), name.clone());
            }
        }
        if !is_implicit {
            self.imports.insert(full);
        }
        simple.to_owned()
    }

    /// Whether a class of the test's own package hides one of `java.lang`.
    fn is_hidden(&self, simple: &str) -> bool {
        let package = &self.world.package;
        let own =
            if package.is_empty() { simple.to_owned() } else { format!("{package}/{simple}") };
        self.world.package != "java/lang" && self.world.class(&own).is_some()
    }

    /// The top-level class of a class, and the names that lead from there to it.
    fn path(&self, name: &str) -> (Arc<str>, Vec<String>) {
        let mut members = Vec::new();
        let mut at: Arc<str> = name.into();
        while let Some(facts) = self.world.class(&at) {
            match &facts.place {
                Place::Member { outer, name, .. } if members.len() < MAX_NESTING => {
                    members.insert(0, name.to_string());
                    at = outer.clone();
                }
                _ => break,
            }
        }
        (at, members)
    }
}

/// The part of an internal name behind its package.
pub(crate) fn simple_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

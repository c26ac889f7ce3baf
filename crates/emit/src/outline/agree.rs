//! Whether a class file was made of a source: the same methods, on the same lines.

use std::fmt;

use classfile::{ClassFile, MethodInfo, access, mutf8};

use super::fit::{Fit, erased_parameters};
use super::{ClassDecl, MethodDecl, SourceMap};

/// The first thing in which a class file and a source differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// The source does not declare the class.
    NoClass {
        /// The class file's class.
        class: String,
    },
    /// A method is in the class file only.
    NotInSource {
        /// Its class.
        class: String,
        /// Its name and erased parameter types.
        method: String,
    },
    /// A method is in the source only.
    NotInClassFile {
        /// Its class.
        class: String,
        /// Its name and parameter types as written.
        method: String,
        /// Its line.
        line: usize,
    },
    /// The class file says that a method has code on a line where the source has none of it.
    OtherLine {
        /// Its class.
        class: String,
        /// Its name.
        method: String,
        /// Its line in the source.
        line: usize,
        /// The line in the class file.
        in_class_file: usize,
    },
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::NoClass { class } => write!(f, "the source does not declare {class}"),
            Mismatch::NotInSource { class, method } => {
                write!(f, "{class}.{method} is in the class file, but not in the source")
            }
            Mismatch::NotInClassFile { class, method, line } => {
                write!(
                    f,
                    "{class}.{method} in line {line} is in the source, but not in the class file"
                )
            }
            Mismatch::OtherLine { class, method, line, in_class_file } => write!(
                f,
                "{class}.{method} stands in line {line}, but its class file was made of a source where it \
                 has line {in_class_file}"
            ),
        }
    }
}

impl std::error::Error for Mismatch {}

/// Compares a class file with the source that it should have been made of. Constructors and what the
/// compiler adds are not compared, nor are local and anonymous classes.
pub fn check_class_file(map: &SourceMap, class: &ClassFile) -> Result<(), Mismatch> {
    if is_local(class) {
        return Ok(());
    }
    let name = mutf8::display(class.name()).replace('/', ".");
    let implicit = || map.classes.iter().enumerate().find(|(_, decl)| decl.name.is_empty());
    let Some((idx, decl)) = map.class(&name).or_else(implicit) else {
        return Err(Mismatch::NoClass { class: name });
    };
    let mut found = vec![false; decl.methods.len()];
    for method in class.methods() {
        let flags = method.access_flags;
        let method_name = mutf8::display(class.constant_pool().utf8(method.name));
        if flags & access::SYNTHETIC != 0 || method_name.starts_with('<') {
            continue;
        }
        let erased =
            erased_parameters(class.constant_pool().utf8(method.descriptor)).unwrap_or_default();
        match best(map, idx, decl, &method_name, &erased) {
            Some(at) => {
                found[at] = true;
                check_lines(class, method, &name, &decl.methods[at])?;
            }
            None if is_implicit(class, &method_name, &erased) => {}
            None => {
                let method = format!("{method_name}({})", erased.join(", "));
                return Err(Mismatch::NotInSource { class: name, method });
            }
        }
    }
    let missing =
        decl.methods.iter().zip(found).find(|(method, found)| !found && method.name != "<init>");
    match missing {
        None => Ok(()),
        Some((method, _)) => Err(Mismatch::NotInClassFile {
            class: name,
            method: format!("{}({})", method.name, method.parameters.join(", ")),
            line: method.line,
        }),
    }
}

/// Whether the class is declared within a method or initialiser.
fn is_local(class: &ClassFile) -> bool {
    let pool = class.constant_pool();
    class.enclosing_method().is_some()
        || class
            .inner_classes()
            .iter()
            .any(|inner| inner.outer == 0 && pool.class_name(inner.inner) == class.name())
}

/// The method of the source that fits best.
fn best(
    map: &SourceMap,
    class: usize,
    decl: &ClassDecl,
    name: &str,
    erased: &[String],
) -> Option<usize> {
    let fits = decl.methods.iter().enumerate().filter(|(_, method)| method.name == name);
    let fits = fits.map(|(at, method)| (map.fit(class, method, erased), at));
    fits.filter(|(fit, _)| *fit != Fit::No).max_by_key(|(fit, _)| *fit).map(|(_, at)| at)
}

/// Methods of enums and records that no source shows (JLS §8.9.3, §8.10.3).
fn is_implicit(class: &ClassFile, name: &str, erased: &[String]) -> bool {
    if class.access_flags() & access::ENUM != 0 {
        return name == "values" || name == "valueOf";
    }
    let Some(components) = class.record_components() else { return false };
    let pool = class.constant_pool();
    let is_accessor =
        components.iter().any(|component| mutf8::display(pool.utf8(component.name)) == name);
    matches!(name, "toString" | "hashCode" | "equals") || (is_accessor && erased.is_empty())
}

fn check_lines(
    class: &ClassFile,
    method: &MethodInfo,
    class_name: &str,
    decl: &MethodDecl,
) -> Result<(), Mismatch> {
    let Some(code) = &method.code else { return Ok(()) };
    for table in &code.line_numbers {
        // A count, then places and lines (JVMS §4.7.12).
        for entry in class.span(*table).get(2..).unwrap_or_default().chunks_exact(4) {
            let line = usize::from(u16::from_be_bytes([entry[2], entry[3]]));
            if !decl.body_lines.as_ref().is_some_and(|lines| lines.contains(&line)) {
                return Err(Mismatch::OtherLine {
                    class: class_name.to_owned(),
                    method: decl.name.clone(),
                    line: decl.line,
                    in_class_file: line,
                });
            }
        }
    }
    Ok(())
}

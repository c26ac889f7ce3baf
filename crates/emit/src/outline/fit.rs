//! Compares parameter types as written with those of a class file, which are erased and in full.

use classfile::{FieldType, MethodDescriptor};

use super::{MethodDecl, SourceMap};

/// How well a written type fits an erased one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    No,
    /// A type variable, whose erasure the source does not show.
    Maybe,
    Yes,
}

/// The parameter types of a descriptor (JVMS §4.3.3), such as `int` and `java.util.Map$Entry[]`.
pub fn erased_parameters(descriptor: &[u8]) -> Option<Vec<String>> {
    Some(MethodDescriptor::parse(descriptor)?.params().map(name).collect())
}

fn name(field_type: FieldType<'_>) -> String {
    match field_type {
        FieldType::Byte => "byte".to_owned(),
        FieldType::Char => "char".to_owned(),
        FieldType::Double => "double".to_owned(),
        FieldType::Float => "float".to_owned(),
        FieldType::Int => "int".to_owned(),
        FieldType::Long => "long".to_owned(),
        FieldType::Short => "short".to_owned(),
        FieldType::Boolean => "boolean".to_owned(),
        FieldType::Object(class) => classfile::mutf8::display(class).replace('/', "."),
        FieldType::Array(_) => field_type.element().map(name).unwrap_or_default() + "[]",
    }
}

/// How well a method of a class fits erased parameter types such as `int` and `java.util.Map$Entry[]`.
pub(super) fn fit_all(
    map: &SourceMap,
    class: usize,
    method: &MethodDecl,
    erased: &[String],
) -> Fit {
    if method.parameters.len() != erased.len() {
        return Fit::No;
    }
    let is_variable = |name: &str| {
        let mut scope = Some(class);
        let mut found = method.type_variables.iter().any(|variable| variable == name);
        while let Some(idx) = scope {
            found |= map.classes[idx].type_variables.iter().any(|variable| variable == name);
            scope = map.classes[idx].outer;
        }
        found
    };
    let pairs = method.parameters.iter().zip(erased);
    pairs.map(|(written, erased)| fit(written, erased, &is_variable)).min().unwrap_or(Fit::Yes)
}

fn fit(written: &str, erased: &str, is_variable: &dyn Fn(&str) -> bool) -> Fit {
    let (written, written_dims) = element(&without_type_arguments(written).replace("...", "[]"));
    let (erased, erased_dims) = element(erased);
    if is_variable(&written) {
        // The bound of a variable is never an array, and never primitive.
        return if written_dims == erased_dims && !is_primitive(&erased) {
            Fit::Maybe
        } else {
            Fit::No
        };
    }
    // The source may leave out the package and outer classes.
    let dotted = erased.replace(['$', '/'], ".");
    let written = written.replace('$', ".");
    let fits = dotted == written || dotted.ends_with(&format!(".{written}"));
    if fits && written_dims == erased_dims { Fit::Yes } else { Fit::No }
}

fn is_primitive(name: &str) -> bool {
    matches!(name, "boolean" | "byte" | "short" | "char" | "int" | "long" | "float" | "double")
}

/// An array type's element type and its number of dimensions.
fn element(name: &str) -> (String, usize) {
    (name.replace("[]", ""), name.matches("[]").count())
}

fn without_type_arguments(written: &str) -> String {
    let mut depth = 0_usize;
    let mut plain = String::with_capacity(written.len());
    for c in written.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    plain
}

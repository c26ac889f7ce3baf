//! Finds the method that an edit names by class, name and erased parameter types.

use super::{Edit, MethodAt, RewriteError};
use crate::outline::{ClassDecl, MethodDecl, SourceMap};

/// How well a written type fits an erased one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    No,
    /// A type variable, whose erasure the source does not show.
    Maybe,
    Yes,
}

/// The one method that fits.
pub(super) fn find(map: &SourceMap, edit: &Edit) -> Result<MethodAt, RewriteError> {
    let Some((class_idx, class)) = map.class(&edit.class) else {
        let declared = map.classes.iter().map(|class| class.name.clone()).collect();
        return Err(RewriteError::NoClass { class: edit.class.clone(), declared });
    };
    let namesakes: Vec<(usize, &MethodDecl)> =
        class.methods.iter().enumerate().filter(|(_, method)| method.name == edit.method).collect();
    let mut fitting: Vec<(Fit, usize)> = Vec::new();
    for (idx, method) in &namesakes {
        let fit = match &edit.parameters {
            None => Fit::Yes,
            Some(parameters) => fit_all(map, class_idx, method, parameters),
        };
        if fit != Fit::No {
            fitting.push((fit, *idx));
        }
    }
    let best = fitting.iter().map(|(fit, _)| *fit).max();
    fitting.retain(|(fit, _)| Some(*fit) == best);
    match fitting.as_slice() {
        [(_, idx)] => Ok((class_idx, *idx)),
        [] => Err(no_method(edit, class, &namesakes)),
        several => Err(RewriteError::Ambiguous {
            class: edit.class.clone(),
            method: edit.method.clone(),
            lines: several.iter().map(|(_, idx)| class.methods[*idx].line).collect(),
        }),
    }
}

fn no_method(edit: &Edit, class: &ClassDecl, namesakes: &[(usize, &MethodDecl)]) -> RewriteError {
    let parameters = edit.parameters.as_ref().map(|types| format!("({})", types.join(", ")));
    RewriteError::NoMethod {
        class: edit.class.clone(),
        line: class.line,
        method: format!("{}{}", edit.method, parameters.unwrap_or_default()),
        namesakes: namesakes
            .iter()
            .map(|(_, method)| (method.line, method.parameters.join(", ")))
            .collect(),
    }
}

fn fit_all(map: &SourceMap, class: usize, method: &MethodDecl, erased: &[String]) -> Fit {
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

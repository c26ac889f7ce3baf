//! Finds the method that an edit names by class, name and erased parameter types.

use super::{Edit, MethodAt, RewriteError};
use crate::outline::{ClassDecl, Fit, MethodDecl, SourceMap};

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
            Some(parameters) => map.fit(class_idx, method, parameters),
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

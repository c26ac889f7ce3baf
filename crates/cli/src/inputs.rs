//! Where argument lists come from beside options and defaults: the classes of the class path.

use std::sync::Arc;

use classfile::{ClassFile, ClassPath, access};
use generate::arguments::{Candidate, Implementations, Pool};

use crate::machines::Machines;

/// Collected once for all classes under test.
pub(crate) struct Inputs {
    /// What stands in for interfaces and abstract classes.
    pub(crate) implementations: Arc<Implementations>,
    /// What existing tests used.
    pub(crate) collected: Pool,
}

/// Everything that can be collected.
pub(crate) fn collect(machines: &Machines) -> Inputs {
    let spec = machines.class_path.clone();
    Inputs {
        implementations: Arc::new(Implementations::new(Box::new(move || candidates(&spec)))),
        collected: Pool::default(),
    }
}

/// The classes of a class path.
fn candidates(spec: &str) -> Vec<Candidate> {
    // What is wrong with the class path was said before.
    let Ok(class_path) = ClassPath::parse(spec) else { return Vec::new() };
    let mut candidates = Vec::new();
    for (entry, files) in class_path.entries().iter().enumerate() {
        let mut names = files.class_names();
        names.sort();
        for name in names {
            let Some(Ok(bytes)) = files.find(&format!("{name}.class"), 17) else { continue };
            let Ok(file) = ClassFile::parse(bytes) else { continue };
            candidates.push(candidate(&file, entry));
        }
    }
    candidates
}

fn candidate(file: &ClassFile, entry: usize) -> Candidate {
    let text = |name: &[u8]| Arc::<str>::from(classfile::mutf8::display(name));
    let pool = file.constant_pool();
    let own = file
        .inner_classes()
        .into_iter()
        .find(|inner| pool.try_class_name(inner.inner) == Some(file.name()));
    let flags = own.map_or(file.access_flags(), |inner| inner.flags);
    // A nested class that needs an object of the outer one is made by nobody else.
    let stands_alone = own.is_none_or(|inner| {
        inner.flags & access::STATIC != 0 && pool.try_class_name(inner.outer).is_some()
    });
    let no_objects = access::ABSTRACT | access::INTERFACE | access::ENUM | access::SYNTHETIC;
    Candidate {
        name: text(file.name()),
        supertypes: file.super_name().into_iter().chain(file.interfaces()).map(text).collect(),
        is_usable: flags & access::PUBLIC != 0 && flags & no_objects == 0 && stands_alone,
        entry,
    }
}

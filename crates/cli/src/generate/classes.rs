//! Which classes are under test: by name, by simple name, or all public ones.

use classfile::{ClassPath, access};

use crate::machines::Machines;
use crate::options::ExploreOptions;

/// Internal names of the classes under test.
pub(crate) fn chosen(
    machines: &Machines,
    class_path: &ClassPath,
    options: &ExploreOptions,
) -> Result<Vec<String>, String> {
    if options.classes.is_empty() {
        let mut names = Vec::new();
        for entry in class_path.entries().iter().filter(|entry| entry.path().is_dir()) {
            names
                .extend(entry.class_names().into_iter().filter(|name| is_public(class_path, name)));
        }
        names.sort();
        names.dedup();
        if names.is_empty() {
            return Err("there is no public class in the folders of the class path\nhint: --classpath names the folder of the compiled classes, --class a class".to_owned());
        }
        return Ok(names);
    }
    options.classes.iter().map(|name| find(machines, class_path, name)).collect()
}

pub(crate) fn is_public(class_path: &ClassPath, name: &str) -> bool {
    let Some(Ok(bytes)) = class_path.find(&format!("{name}.class"), 17) else { return false };
    is_testable(bytes)
}

/// Whether a class file is that of a public class that is not abstract and, if it is nested, needs no
/// object around it.
pub(crate) fn is_testable(bytes: classfile::ClassBytes) -> bool {
    let Ok(file) = classfile::ClassFile::parse(bytes) else { return false };
    let pool = file.constant_pool();
    let mut flags = file.access_flags();
    for entry in file.inner_classes() {
        if pool.try_class_name(entry.inner) == Some(file.name()) {
            if entry.outer == 0 || entry.flags & access::STATIC == 0 {
                return false;
            }
            flags = entry.flags;
        }
    }
    let is_kind = flags & (access::INTERFACE | access::ABSTRACT | access::ANNOTATION) == 0;
    flags & access::PUBLIC != 0 && is_kind
}

/// The internal name of a class that the user named: with dots, or by its simple name alone.
fn find(machines: &Machines, class_path: &ClassPath, name: &str) -> Result<String, String> {
    let internal = name.replace('.', "/");
    let mut candidates = vec![internal.clone()];
    // `Map.Entry` for `Map$Entry`.
    let mut nested = internal.clone();
    while let Some(at) = nested.rfind('/') {
        nested.replace_range(at..=at, "$");
        candidates.push(nested.clone());
    }
    let exists = |name: &String| {
        class_path.find(&format!("{name}.class"), 17).is_some()
            || machines.jdk.image.find_class(name.as_bytes()).is_some()
    };
    if let Some(found) = candidates.into_iter().find(exists) {
        return Ok(found);
    }
    let suffix = format!("/{internal}");
    let mut similar: Vec<String> =
        class_path.class_names().into_iter().filter(|known| known.ends_with(&suffix)).collect();
    similar.sort();
    similar.dedup();
    match similar.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(format!(
            "class {name} is not on the class path {}\nhint: --classpath names the folder or jar that holds it",
            machines.class_path
        )),
        several => Err(format!(
            "class {name} may be any of {}\nhint: name it with its package",
            several.join(", ").replace('/', ".")
        )),
    }
}

//! Which classes are under test: those that the user names, or all public ones.

use classfile::{ClassPath, access};

use crate::class_files::{self, RELEASE};
use crate::machines::Machines;
use crate::options::ExploreOptions;
use crate::selection::{KnownClasses, Wanted};

/// Internal names of the classes under test: those that were named, and of patterns and packages all public ones.
/// Where nobody named any, all public ones in the folders of the class path, or in its jars if it has none in folders.
pub(crate) fn chosen(
    machines: &Machines,
    class_path: &ClassPath,
    options: &ExploreOptions,
) -> Result<Vec<String>, String> {
    let known =
        KnownClasses { class_path, image: Some(&machines.jdk.image), shown: &machines.class_path };
    let is_public = |name: &String| known.bytes(name).is_some_and(is_testable);
    let wanted = Wanted { classes: &options.classes, packages: &options.packages };
    if !wanted.is_open() {
        let selected = known.select(wanted)?;
        let mut names = selected.named;
        for name in &names {
            class_files::check(class_path, RELEASE, name)?;
        }
        class_files::warn_of_damaged(class_path, RELEASE, &selected.matching);
        names.extend(selected.matching.into_iter().filter(is_public));
        if names.is_empty() {
            let said = [&options.classes[..], &options.packages[..]].concat().join(", ");
            return Err(format!("{said} has no public class that a test could make"));
        }
        return Ok(names);
    }
    for is_folder in [true, false] {
        let entries = class_path.entries().iter().filter(|it| it.path().is_dir() == is_folder);
        let mut names: Vec<String> = entries.flat_map(|entry| entry.class_names()).collect();
        names.sort();
        names.dedup();
        if is_folder {
            class_files::warn_of_damaged(class_path, RELEASE, &names);
        }
        names.retain(is_public);
        if !names.is_empty() {
            return Ok(names);
        }
    }
    Err("there is no public class on the class path\nhint: --classpath names the folder or jar of the compiled \
         classes, --class a class, --package a package"
        .to_owned())
}

/// Whether a class file is that of a public class that is not abstract and, if it is nested, needs no
/// object around it.
fn is_testable(bytes: classfile::ClassBytes) -> bool {
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

//! Class files of the class path for those who look into them; what is damaged is named by its file.

use classfile::{ClassFile, ClassPath, ClassPathEntry, mutf8};

use crate::say;

/// As which release of Java jars with several are read, where no machine says it.
pub(crate) const RELEASE: u16 = 17;

/// The class file with this internal name, where there is one. An error names the file.
pub(crate) fn read(
    class_path: &ClassPath,
    release: u16,
    name: &str,
) -> Result<Option<ClassFile>, String> {
    let resource = format!("{name}.class");
    for entry in class_path.entries() {
        let Some(bytes) = entry.find(&resource, release) else { continue };
        let bytes = bytes.map_err(|error| error.to_string())?;
        let file = ClassFile::parse(bytes).map_err(|error| {
            let (file, hint) = match entry {
                ClassPathEntry::Directory(folder) => {
                    (folder.join(&resource).display().to_string(), "compile it again")
                }
                ClassPathEntry::Jar(jar) => {
                    let file = format!("{resource} in {}", jar.path().display());
                    (file, "get the jar once more")
                }
            };
            format!("{file} cannot be read as a class file: {error}\nhint: {hint}")
        })?;
        return Ok(Some(file));
    }
    Ok(None)
}

/// Finds out whether the class files of a class and of all that it extends and implements can be read.
pub(crate) fn check(class_path: &ClassPath, release: u16, name: &str) -> Result<(), String> {
    let mut names = vec![name.to_owned()];
    let mut next = 0;
    while let Some(name) = names.get(next) {
        if let Some(file) = read(class_path, release, name)? {
            for above in file.super_name().into_iter().chain(file.interfaces()) {
                let above = mutf8::display(above);
                if !names.contains(&above) {
                    names.push(above);
                }
            }
        }
        next += 1;
    }
    Ok(())
}

/// Tells of each of these classes whose class file cannot be read: nothing is looked for in it.
pub(crate) fn warn_of_damaged<'n>(
    class_path: &ClassPath,
    release: u16,
    names: impl IntoIterator<Item = &'n String>,
) {
    for name in names {
        if let Err(why) = read(class_path, release, name) {
            let why = why.split("\nhint").next().unwrap_or_default();
            say(&format!("left out: {why}"));
        }
    }
}

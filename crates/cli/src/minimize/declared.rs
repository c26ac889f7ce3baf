//! Where test methods are declared: in their class or in one that it inherits from. Several classes may run one
//! method, which can be taken out for all of them or for none. Looks at class files alone.

use std::collections::BTreeMap;
use std::path::PathBuf;

use classfile::{ClassFile, mutf8};
use emit::outline::erased_parameters;

use super::judge::Judged;
use super::scope::Scope;

/// What declares a test.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Declared {
    /// The class, binary name.
    pub(super) class: String,
    /// Its parameter types, erased.
    pub(super) parameters: Vec<String>,
}

/// Class files of tests, each read once.
pub(super) struct Declarations<'s> {
    folders: &'s [PathBuf],
    scope: &'s Scope,
    files: BTreeMap<String, Option<ClassFile>>,
}

impl<'s> Declarations<'s> {
    /// `folders` are those of the tests.
    pub(super) fn new(folders: &'s [PathBuf], scope: &'s Scope) -> Declarations<'s> {
        Declarations { folders, scope, files: BTreeMap::new() }
    }

    /// The class file of a class by binary name.
    pub(super) fn file(&mut self, class: &str) -> Option<&ClassFile> {
        let scope = self.scope;
        let file = self.files.entry(class.to_owned()).or_insert_with(|| scope.class_file(class));
        file.as_ref()
    }

    /// The declaration of a test; an error is a reason to leave the test alone.
    pub(super) fn find(&mut self, test: &Judged) -> Result<Declared, String> {
        let mut waiting = vec![test.class.clone()];
        let mut next = 0;
        while let Some(class) = waiting.get(next).cloned() {
            next += 1;
            let Some(file) = self.file(&class) else {
                if next == 1 {
                    return Err("its class file cannot be read".to_owned());
                }
                continue;
            };
            let pool = file.constant_pool();
            let namesakes: Vec<Vec<String>> = file
                .methods()
                .iter()
                .filter(|method| mutf8::display(pool.utf8(method.name)) == test.method)
                .filter(|method| method.access_flags & classfile::access::SYNTHETIC == 0)
                .filter_map(|method| erased_parameters(pool.utf8(method.descriptor)))
                .collect();
            let parameters = match &namesakes[..] {
                [] => {
                    let above = file.super_name().into_iter().chain(file.interfaces());
                    waiting.extend(above.map(|name| mutf8::display(name).replace('/', ".")));
                    continue;
                }
                [one] => one.clone(),
                several => {
                    let wanted = test.parameters.as_deref().unwrap_or_default();
                    let is_wanted = |types: &&Vec<String>| types.join(", ") == wanted;
                    several
                        .iter()
                        .find(is_wanted)
                        .cloned()
                        .ok_or("several methods have its name")?
                }
            };
            let resource = format!("{}.class", class.replace('.', "/"));
            if !self.folders.iter().any(|folder| folder.join(&resource).is_file()) {
                return Err(format!("it is inherited from {class}, which is not among the tests"));
            }
            return Ok(Declared { class, parameters });
        }
        Err("it is inherited from a class that cannot be read".to_owned())
    }
}

/// A number for each test, equal for those that are one method; none for what is not to be taken out whatever
/// it does, as a method that runs in a class, too, where it is no `candidate`.
pub(super) fn together(
    folders: &[PathBuf],
    scope: &Scope,
    tests: &[Judged],
    is_candidate: &dyn Fn(&Judged) -> bool,
) -> Vec<Option<usize>> {
    let mut n_classes: BTreeMap<&str, usize> = BTreeMap::new();
    for test in tests {
        *n_classes.entry(&test.method).or_default() += 1;
    }
    let mut declarations = Declarations::new(folders, scope);
    let mut known: BTreeMap<(Declared, &str), usize> = BTreeMap::new();
    let mut numbers: Vec<Option<usize>> = Vec::with_capacity(tests.len());
    let mut stays = vec![false; tests.len()];
    for (idx, test) in tests.iter().enumerate() {
        // A method of one class alone need not be looked for.
        let number = match test.is_method {
            true if n_classes[test.method.as_str()] == 1 => Some(idx),
            true => declarations
                .find(test)
                .ok()
                .map(|declared| *known.entry((declared, &test.method)).or_insert(idx)),
            false => None,
        };
        if let Some(number) = number {
            stays[number] |= !is_candidate(test);
        }
        numbers.push(number);
    }
    let goes = |number: Option<usize>| number.filter(|&number| !stays[number]);
    numbers.into_iter().map(goes).collect()
}

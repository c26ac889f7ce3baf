//! Finds test classes on a class path by looking at class files alone, before anything runs. What is
//! found are candidates: JUnit itself decides what it makes of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use classfile::{ClassFile, ClassPath, ClassPathEntry, MethodInfo, access};

/// Which JUnit runs a class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kinds {
    /// An engine of the JUnit platform (JUnit 5 and others).
    pub platform: bool,
    /// JUnit 4, or JUnit 3 through it.
    pub junit4: bool,
    /// A `junit.framework.TestCase`.
    pub junit3: bool,
}

impl Kinds {
    /// Whether no JUnit would run the class.
    pub fn is_none(self) -> bool {
        self == Kinds::default()
    }
}

/// What parts of JUnit are on a class path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Available {
    /// `LauncherFactory` of the JUnit platform.
    pub launcher: bool,
    /// `TestEngine` of the JUnit platform.
    pub engine_api: bool,
    /// JUnit 5's own engine.
    pub jupiter: bool,
    /// The engine that runs JUnit 3 and 4 on the platform.
    pub vintage: bool,
    /// `JUnitCore` of JUnit 4.
    pub junit4: bool,
    /// `junit.framework`.
    pub junit3: bool,
}

const TESTABLE: &[u8] = b"Lorg/junit/platform/commons/annotation/Testable;";
const NESTED: &[u8] = b"Lorg/junit/jupiter/api/Nested;";
const TEST_4: &[u8] = b"Lorg/junit/Test;";
const TEST_3: &[u8] = b"junit/framework/Test";
const RUN_WITH: &[u8] = b"Lorg/junit/runner/RunWith;";
const SUITE_CLASSES: &[u8] = b"Lorg/junit/runners/Suite$SuiteClasses;";
const ENCLOSED: &[u8] = b"org/junit/experimental/runners/Enclosed";
const SUITE: &[u8] = b"Lorg/junit/runners/Suite;";
const TEST_CASE: &[u8] = b"junit/framework/TestCase";

/// JUnit 5's own annotations, known even where their class files are missing.
const JUPITER: &[&[u8]] = &[
    b"Lorg/junit/jupiter/api/Test;",
    b"Lorg/junit/jupiter/api/RepeatedTest;",
    b"Lorg/junit/jupiter/api/TestFactory;",
    b"Lorg/junit/jupiter/api/TestTemplate;",
    b"Lorg/junit/jupiter/params/ParameterizedTest;",
];

/// Class files by internal name, read once.
pub struct Classes<'a> {
    class_path: &'a ClassPath,
    release: u16,
    files: BTreeMap<Vec<u8>, Option<Arc<ClassFile>>>,
    /// Whether an annotation type marks tests, itself or by an annotation on it.
    testable: BTreeMap<Vec<u8>, bool>,
}

impl<'a> Classes<'a> {
    /// The classes on a class path, as Java release `release` sees them.
    pub fn new(class_path: &'a ClassPath, release: u16) -> Classes<'a> {
        Classes { class_path, release, files: BTreeMap::new(), testable: BTreeMap::new() }
    }

    /// What parts of JUnit are there.
    pub fn available(&mut self) -> Available {
        let mut has = |name: &str| self.find(name.as_bytes()).is_some();
        Available {
            launcher: has("org/junit/platform/launcher/core/LauncherFactory"),
            engine_api: has("org/junit/platform/engine/TestEngine"),
            jupiter: has("org/junit/jupiter/engine/JupiterTestEngine"),
            vintage: has("org/junit/vintage/engine/VintageTestEngine"),
            junit4: has("org/junit/runner/JUnitCore"),
            junit3: has("junit/framework/TestListener"),
        }
    }

    /// All classes in folders of the class path (not in jars) that look like tests, with their kinds, in
    /// the order of folders and names. Suites whose members are found anyway are left out, and so
    /// are classes that run as part of another.
    pub fn find_tests(&mut self) -> Vec<(String, Kinds)> {
        let mut found: Vec<(String, Kinds)> = Vec::new();
        for entry in self.class_path.entries() {
            if !matches!(entry, ClassPathEntry::Directory(_)) {
                continue;
            }
            for name in entry.class_names() {
                let kinds = self.kinds_of_scanned(name.as_bytes());
                if !kinds.is_none() && !found.iter().any(|(known, _)| *known == name) {
                    found.push((name, kinds));
                }
            }
        }
        let names: Vec<String> = found.iter().map(|(name, _)| name.clone()).collect();
        found.retain(|(name, _)| !self.is_suite_of(name.as_bytes(), &names));
        found
    }

    /// Which JUnit runs a class that the user named; `None` where there is no such class.
    pub fn kinds_of_named(&mut self, name: &[u8]) -> Option<Kinds> {
        let file = self.find(name)?;
        let mut kinds = self.kinds(&file);
        // `suite()` makes a class a test of JUnit 3, whatever it extends.
        if self.has_suite_method(&file) {
            kinds.junit4 = true;
            kinds.junit3 = true;
        }
        Some(kinds)
    }

    /// The class file with this internal name.
    pub fn find(&mut self, name: &[u8]) -> Option<Arc<ClassFile>> {
        if let Some(known) = self.files.get(name) {
            return known.clone();
        }
        let resource = format!("{}.class", String::from_utf8_lossy(name));
        let bytes = self.class_path.find(&resource, self.release).and_then(Result::ok);
        let file = bytes.and_then(|bytes| ClassFile::parse(bytes).ok()).map(Arc::new);
        self.files.insert(name.to_vec(), file.clone());
        file
    }

    /// As [`Classes::kinds`], without classes that only run as part of another or not at all.
    fn kinds_of_scanned(&mut self, name: &[u8]) -> Kinds {
        let Some(file) = self.find(name) else { return Kinds::default() };
        // A file in the wrong folder cannot be loaded.
        if file.name() != name
            || file.access_flags() & (access::ABSTRACT | access::INTERFACE | access::SYNTHETIC) != 0
            || file.is_module()
            || file.enclosing_method().is_some()
        {
            return Kinds::default();
        }
        let inner =
            file.inner_classes().into_iter().find(|inner| inner.inner == file.this_class_index());
        let outer = inner.and_then(|inner| file.constant_pool().try_class_name(inner.outer));
        if inner.is_some_and(|inner| inner.flags & access::STATIC == 0 || inner.name == 0) {
            // Inner classes run with their outer class where they are `@Nested`, else never.
            return Kinds::default();
        }
        let mut kinds = self.kinds(&file);
        if let Some(outer) = outer
            && self.is_enclosing_runner(outer)
        {
            (kinds.junit4, kinds.junit3) = (false, false);
        }
        // JUnit 4 complains of a class that is not public, which only helps who named it.
        let flags = inner.map_or(file.access_flags(), |inner| inner.flags);
        if flags & access::PUBLIC == 0 && !self.has_run_with(&file) {
            (kinds.junit4, kinds.junit3) = (false, false);
        }
        kinds
    }

    /// Which JUnit runs a class: by its annotations, its methods' and its superclasses'.
    fn kinds(&mut self, file: &ClassFile) -> Kinds {
        let mut kinds = Kinds::default();
        let mut is_test_case = false;
        let mut has_test_method_3 = false;
        for class in self.hierarchy(file) {
            is_test_case |= class.name() == TEST_CASE;
            kinds.junit4 |= class.has_annotation(class.annotations(), RUN_WITH);
            kinds.platform |= self.is_marked(&class, class.annotations());
            for method in class.methods() {
                kinds.junit4 |= class.has_annotation(method.annotations, TEST_4);
                kinds.platform |= self.is_marked(&class, method.annotations);
                has_test_method_3 |= is_test_method_3(&class, method);
            }
        }
        kinds.platform |= self.has_nested_tests(file, 0);
        if is_test_case && (has_test_method_3 || self.has_suite_method(file)) {
            kinds.junit4 = true;
            kinds.junit3 = true;
        }
        kinds
    }

    /// The class and all supertypes that can be found, each once.
    fn hierarchy(&mut self, file: &ClassFile) -> Vec<Arc<ClassFile>> {
        let mut names = vec![file.name().to_vec()];
        let mut classes = Vec::new();
        let mut at = 0;
        while let Some(name) = names.get(at).cloned() {
            at += 1;
            let Some(class) = self.find(&name) else { continue };
            for above in class.super_name().into_iter().chain(class.interfaces()) {
                if !names.iter().any(|known| known == above) {
                    names.push(above.to_vec());
                }
            }
            classes.push(class);
        }
        classes
    }

    fn has_nested_tests(&mut self, file: &ClassFile, depth: u32) -> bool {
        const DEEPEST: u32 = 32;
        for inner in file.inner_classes() {
            let pool = file.constant_pool();
            if pool.try_class_name(inner.outer) != Some(file.name())
                || inner.flags & access::STATIC != 0
            {
                continue;
            }
            let Some(nested) = pool.try_class_name(inner.inner).and_then(|name| self.find(name))
            else {
                continue;
            };
            if !nested.has_annotation(nested.annotations(), NESTED) {
                continue;
            }
            let has_tests = self.hierarchy(&nested).iter().any(|class| {
                class.methods().iter().any(|method| self.is_marked(class, method.annotations))
            });
            if has_tests || (depth < DEEPEST && self.has_nested_tests(&nested, depth + 1)) {
                return true;
            }
        }
        false
    }

    /// Whether one of these annotations marks a test for the JUnit platform.
    fn is_marked(&mut self, class: &ClassFile, annotations: Option<classfile::Span>) -> bool {
        let types: Vec<Vec<u8>> = class.annotation_types(annotations).map(<[u8]>::to_vec).collect();
        types.iter().any(|descriptor| self.is_testable(descriptor))
    }

    fn is_testable(&mut self, descriptor: &[u8]) -> bool {
        if descriptor == TESTABLE || JUPITER.contains(&descriptor) {
            return true;
        }
        if let Some(&known) = self.testable.get(descriptor) {
            return known;
        }
        // Annotations may stand on each other in a circle.
        self.testable.insert(descriptor.to_vec(), false);
        let name = class_name(descriptor);
        // Those of the JDK mark no tests and are not on the class path.
        let found = match self.find(name) {
            Some(annotation) => self.is_marked(&annotation, annotation.annotations()),
            None => false,
        };
        self.testable.insert(descriptor.to_vec(), found);
        found
    }

    fn has_run_with(&mut self, file: &ClassFile) -> bool {
        self.hierarchy(file).iter().any(|class| class.has_annotation(class.annotations(), RUN_WITH))
    }

    /// Whether a class's runner runs the classes inside it.
    fn is_enclosing_runner(&mut self, name: &[u8]) -> bool {
        let Some(file) = self.find(name) else { return false };
        let runners: Vec<Vec<u8>> = file
            .annotation_classes(file.annotations(), RUN_WITH, b"value")
            .into_iter()
            .map(|descriptor| class_name(descriptor).to_vec())
            .collect();
        runners.iter().any(|runner| {
            let Some(runner) = self.find(runner) else { return runner == ENCLOSED };
            self.hierarchy(&runner).iter().any(|class| class.name() == ENCLOSED)
        })
    }

    /// Whether a class makes its tests itself: `suite()` gives a test of JUnit 3, of whatever class.
    fn has_suite_method(&mut self, file: &ClassFile) -> bool {
        let pool = file.constant_pool();
        let given = file.methods().iter().find_map(|method| {
            let is_named = pool.utf8(method.name) == b"suite";
            let given = pool.utf8(method.descriptor).strip_prefix(b"()L")?.strip_suffix(b";")?;
            (is_named && method.access_flags & access::STATIC != 0).then(|| given.to_vec())
        });
        let Some(given) = given else { return false };
        if given == TEST_3 {
            return true;
        }
        let Some(given) = self.find(&given) else { return false };
        self.hierarchy(&given).iter().any(|class| class.interfaces().any(|name| name == TEST_3))
    }

    /// Whether a class is a suite of JUnit 4 that only lists classes found anyway.
    fn is_suite_of(&mut self, name: &[u8], found: &[String]) -> bool {
        let Some(file) = self.find(name) else { return false };
        if file.annotation_classes(file.annotations(), RUN_WITH, b"value") != [SUITE] {
            return false;
        }
        let members = file.annotation_classes(file.annotations(), SUITE_CLASSES, b"value");
        members.iter().all(|member| {
            let member = class_name(member);
            found.iter().any(|name| name.as_bytes() == member)
        })
    }
}

fn is_test_method_3(class: &ClassFile, method: &MethodInfo) -> bool {
    let pool = class.constant_pool();
    method.access_flags & access::PUBLIC != 0
        && pool.utf8(method.name).starts_with(b"test")
        && pool.utf8(method.descriptor) == b"()V"
}

/// `a/B` of `La/B;`.
fn class_name(descriptor: &[u8]) -> &[u8] {
    let name = descriptor.strip_prefix(b"L").unwrap_or(descriptor);
    name.strip_suffix(b";").unwrap_or(name)
}

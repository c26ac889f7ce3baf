//! Which test methods other classes need, by the class files of all tests: those that are called, overridden or
//! override something, and, in JUnit 3, named in texts.
//!
//! A source alone does not show it: who needs a test may stand in another one, and what a call reaches depends on
//! types.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use classfile::{ClassFile, Constant, access, instructions, mutf8};
use emit::outline::erased_parameters;

use super::scope::Scope;

const TEST_CASE: &str = "junit.framework.TestCase";
const RUN_WITH: &[u8] = b"Lorg/junit/runner/RunWith;";

/// A method that the compiler adds (JVMS table 4.6-A).
const BRIDGE: u16 = access::BRIDGE | access::SYNTHETIC;

/// A method: the binary name of its class, its name, its erased parameter types.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MethodName {
    pub(super) class: String,
    pub(super) name: String,
    pub(super) parameters: Vec<String>,
}

/// What the classes of the tests have to do with each other.
#[derive(Default)]
pub(super) struct Uses {
    /// The classes of the tests and all that they extend and implement, by binary name.
    classes: BTreeMap<String, Facts>,
    /// What a class of the tests extends and implements, also indirectly, from the nearest.
    above: BTreeMap<String, Vec<String>>,
    /// By the method that is called, as the call names it, who calls it; a caller without a name refers to it
    /// somewhere in the class.
    calls: BTreeMap<MethodName, BTreeSet<MethodName>>,
}

/// What is known of a class.
#[derive(Default)]
struct Facts {
    /// What it extends and implements.
    above: Vec<String>,
    /// Its methods that others can override.
    methods: BTreeSet<(String, Vec<String>)>,
    /// Whether an annotation names the class of JUnit 4 that runs it.
    has_runner: bool,
    texts: BTreeSet<String>,
    named: BTreeSet<String>,
}

impl Uses {
    /// Reads all classes in the folders of the tests.
    pub(super) fn read(scope: &Scope, folders: &[PathBuf]) -> Uses {
        let mut uses = Uses::default();
        let mut names = BTreeSet::new();
        for entry in scope.class_path.entries() {
            if folders.iter().any(|folder| folder == entry.path()) {
                names.extend(entry.class_names());
            }
        }
        for name in &names {
            let Some(file) = scope.class_file(name) else { continue };
            uses.add_calls(&file);
            uses.classes.insert(name.replace('/', "."), facts(&file));
        }
        for name in names {
            let name = name.replace('/', ".");
            let above = uses.find_above(scope, &name);
            uses.above.insert(name, above);
        }
        uses
    }

    /// Why a method cannot go while all but those of `going` stay; `None` where it can.
    pub(super) fn obstacle(
        &self,
        method: &MethodName,
        going: &BTreeSet<MethodName>,
    ) -> Option<String> {
        let key = (method.name.clone(), method.parameters.clone());
        let declares =
            |class: &str| self.classes.get(class).is_some_and(|it| it.methods.contains(&key));
        if let Some(class) = self.above(&method.class).iter().find(|class| declares(class)) {
            return Some(format!("it overrides the method of {class}"));
        }
        let below = || {
            let all = self.above.iter().filter(|(_, above)| above.contains(&method.class));
            all.map(|(class, _)| class)
        };
        if let Some(class) = below().find(|class| declares(class)) {
            return Some(format!("{class} overrides it"));
        }
        for class in std::iter::once(&method.class).chain(below()) {
            let reached = MethodName { class: class.clone(), ..method.clone() };
            let callers = self.calls.get(&reached).into_iter().flatten();
            let mut others = callers.filter(|caller| *caller != method && !going.contains(caller));
            if let Some(caller) = others.next() {
                return Some(match caller.name.is_empty() {
                    true => format!("{} refers to it", caller.class),
                    false => format!("{}.{} calls it", caller.class, caller.name),
                });
            }
        }
        if !self.is_junit3(&method.class) {
            return None;
        }
        let mut naming = self.classes.iter().filter(|(class, facts)| {
            **class != method.class
                && facts.texts.contains(&method.name)
                && facts.named.contains(&method.class)
        });
        naming.next().map(|(class, _)| format!("{class} names it in a text"))
    }

    /// Whether JUnit 3 finds tests of a class by their names.
    pub(super) fn is_junit3(&self, class: &str) -> bool {
        self.above(class).iter().any(|above| above == TEST_CASE)
    }

    /// Whether JUnit takes it for a failure where a class has no test, not even one that is ignored.
    pub(super) fn needs_a_test(&self, class: &str) -> bool {
        let has_runner = |class: &str| self.classes.get(class).is_some_and(|it| it.has_runner);
        // `Enclosed` runs what is in a class.
        let mut around = class.match_indices('$').map(|(at, _)| &class[..at]);
        self.is_junit3(class)
            || has_runner(class)
            || around.any(has_runner)
            || self.above(class).iter().any(|class| has_runner(class))
    }

    fn above(&self, class: &str) -> &[String] {
        self.above.get(class).map_or(&[], Vec::as_slice)
    }

    fn find_above(&mut self, scope: &Scope, class: &str) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut next = 0;
        let mut at = class.to_owned();
        loop {
            let known = self.classes.entry(at).or_insert_with_key(|name| {
                scope.class_file(name).map(|file| facts(&file)).unwrap_or_default()
            });
            for name in &known.above {
                if !found.contains(name) {
                    found.push(name.clone());
                }
            }
            let Some(name) = found.get(next) else { return found };
            at = name.clone();
            next += 1;
        }
    }

    fn add_calls(&mut self, file: &ClassFile) {
        let pool = file.constant_pool();
        let class = dotted(file.name());
        // What is in a lambda or a local class belongs to the method around it.
        let around = file.enclosing_method().and_then(|(outer, method)| {
            let (name, descriptor) = pool.try_name_and_type(method)?;
            method_name(pool.try_class_name(outer)?, name, descriptor)
        });
        for method in file.methods() {
            let Some(code) = &method.code else { continue };
            // The compiler makes it anew as it is needed.
            if method.access_flags & BRIDGE == BRIDGE {
                continue;
            }
            let name = mutf8::display(pool.utf8(method.name));
            let own =
                method_name(file.name(), pool.utf8(method.name), pool.utf8(method.descriptor));
            let lambda = name.strip_prefix("lambda$").and_then(|rest| rest.rsplit_once('$'));
            let in_lambda = lambda.and_then(|(name, _)| {
                let mut named =
                    file.methods().iter().filter(|it| pool.utf8(it.name) == name.as_bytes());
                let one = named.next().filter(|_| named.next().is_none())?;
                method_name(file.name(), pool.utf8(one.name), pool.utf8(one.descriptor))
            });
            let Some(caller) = around.clone().or(in_lambda).or(own) else { continue };
            let bytes = file.instructions(code);
            for instruction in instructions::iter(bytes) {
                if let Some((of, name, descriptor)) = instruction.called(bytes, pool)
                    && let Some(called) = method_name(of, name, descriptor)
                {
                    self.calls.entry(called).or_default().insert(caller.clone());
                }
            }
        }
        // References such as `this::push`; in which method they stand is not looked for.
        for constant in pool.entries() {
            let Constant::MethodHandle { reference, .. } = constant else { continue };
            if let Some((of, name, descriptor)) = pool.try_member_ref(*reference)
                && let Some(called) = method_name(of, name, descriptor)
            {
                let caller = MethodName {
                    class: class.clone(),
                    name: String::new(),
                    parameters: Vec::new(),
                };
                self.calls.entry(called).or_default().insert(caller);
            }
        }
    }
}

fn facts(file: &ClassFile) -> Facts {
    let pool = file.constant_pool();
    let mut facts = Facts {
        above: above(file),
        has_runner: file.has_annotation(file.annotations(), RUN_WITH),
        ..Facts::default()
    };
    for method in file.methods() {
        let name = mutf8::display(pool.utf8(method.name));
        let is_inherited = method.access_flags & (access::PRIVATE | access::STATIC) == 0;
        // One that the compiler adds overrides something only where there is a method to go on to. Others make
        // what a hidden superclass has visible.
        let is_written = method.access_flags & BRIDGE != BRIDGE
            || file.methods().iter().any(|it| {
                it.access_flags & BRIDGE != BRIDGE && pool.utf8(it.name) == pool.utf8(method.name)
            });
        if is_inherited
            && is_written
            && !name.starts_with('<')
            && let Some(parameters) = erased_parameters(pool.utf8(method.descriptor))
        {
            facts.methods.insert((name, parameters));
        }
    }
    for constant in pool.entries() {
        match constant {
            Constant::String { utf8 } => {
                facts.texts.insert(mutf8::display(pool.utf8(*utf8)));
            }
            Constant::Class { name } => {
                facts.named.insert(dotted(pool.utf8(*name)));
            }
            _ => {}
        }
    }
    facts
}

fn above(file: &ClassFile) -> Vec<String> {
    file.super_name().into_iter().chain(file.interfaces()).map(dotted).collect()
}

fn dotted(internal: &[u8]) -> String {
    mutf8::display(internal).replace('/', ".")
}

fn method_name(class: &[u8], name: &[u8], descriptor: &[u8]) -> Option<MethodName> {
    let parameters = erased_parameters(descriptor)?;
    Some(MethodName { class: dotted(class), name: mutf8::display(name), parameters })
}

//! A test without JUnit around it. Around the few microseconds of a plain test, JUnit works for hundreds;
//! a trial that calls the test itself is that much shorter.
//!
//! A test can be called directly where its class file says that JUnit makes an object and calls at most a
//! method before the test, the test, and a method behind it, where it asks for nothing outside the machine, and
//! where the unmutated test, called once more, passes, reaches the same mutants and leaves the same static state
//! as below JUnit; `survey` tries that. Then a mutant with which the direct call passes and leaves the same state
//! cannot fail below JUnit either: what JUnit does around the calls is not the user's code. All other trials are
//! for JUnit to decide.

use std::collections::BTreeMap;

use classfile::{ClassFile, MethodInfo, access};
use vm::interp::Outcome;
use vm::mode::Mode;
use vm::value::{ClassId, MethodId};
use vm::vm::Vm;

use crate::java::{Java, Object, Problem};
use crate::junit::{Node, Plan};

/// A test that can be called, on any machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Direct {
    /// Internal name.
    class: String,
    /// Methods without parameters and result, in the order in which they are called.
    calls: Vec<String>,
}

/// A test that can be called on one machine.
pub(super) struct Callable {
    class: ClassId,
    /// The constructor, then the others.
    methods: Vec<MethodId>,
}

impl Direct {
    /// The test on a machine on which its class is loaded.
    pub(super) fn on(&self, vm: &Vm, user_classes: &BTreeMap<String, ClassId>) -> Option<Callable> {
        let class = *user_classes.get(&self.class)?;
        let find = |name: &str| vm.class(class).method(name.as_bytes(), b"()V").map(|m| m.id);
        let calls = self.calls.iter().map(String::as_str);
        let methods: Option<Vec<MethodId>> =
            ["<init>"].into_iter().chain(calls).map(find).collect();
        Some(Callable { class, methods: methods? })
    }
}

impl Callable {
    /// Makes an object and calls the methods, under a mark; whether all came back in time without an
    /// exception.
    pub(super) fn passes<M: Mode>(&self, vm: &mut Vm, mode: &mut M, fuel: u64) -> bool {
        let class = self.class;
        let made = vm.complete(|vm| {
            vm.ensure_initialised(class)?;
            vm.new_object(class)
        });
        let Ok(object) = made else { return false };
        let mut left = fuel;
        self.methods.iter().all(|&method| {
            let used_before = vm.fuel_used;
            let outcome = vm.call(mode, method, &[object.to_slot()], Some(left));
            left = left.saturating_sub(vm.fuel_used - used_before);
            matches!(outcome, Outcome::Returned(_))
        })
    }
}

/// Finds tests that can be called directly, as far as class files tell.
pub(super) struct Finder {
    /// Whether JUnit is as it comes.
    is_unconfigured: bool,
    pub(super) user_classes: BTreeMap<String, ClassId>,
    known: BTreeMap<String, Option<Fixture>>,
}

/// What surrounds every test of a class.
#[derive(Debug, Clone)]
struct Fixture {
    rules: &'static Rules,
    before: Option<String>,
    behind: Option<String>,
}

/// What a version of JUnit looks at, as descriptors of annotations.
#[derive(Debug)]
struct Rules {
    test: &'static [u8],
    before: &'static [u8],
    behind: &'static [u8],
    /// Whether the annotation of a test may say more.
    test_has_elements: bool,
    /// Annotations of classes and tests that change nothing about how a test is run.
    harmless: &'static [&'static [u8]],
    /// How annotations begin that other methods may have; another might stand for one of these.
    other: &'static [u8],
    /// … but not these.
    except: &'static [&'static [u8]],
}

const RULES: [Rules; 2] = [
    Rules {
        test: b"Lorg/junit/jupiter/api/Test;",
        before: b"Lorg/junit/jupiter/api/BeforeEach;",
        behind: b"Lorg/junit/jupiter/api/AfterEach;",
        test_has_elements: false,
        harmless: &[
            b"Lorg/junit/jupiter/api/DisplayName;",
            b"Lorg/junit/jupiter/api/DisplayNameGeneration;",
            b"Lorg/junit/jupiter/api/Order;",
            b"Lorg/junit/jupiter/api/Tag;",
            b"Lorg/junit/jupiter/api/Tags;",
            b"Lorg/junit/jupiter/api/TestMethodOrder;",
        ],
        other: b"Lorg/junit/jupiter/",
        except: &[],
    },
    Rules {
        test: b"Lorg/junit/Test;",
        before: b"Lorg/junit/Before;",
        behind: b"Lorg/junit/After;",
        test_has_elements: true,
        harmless: &[b"Lorg/junit/FixMethodOrder;"],
        other: b"Lorg/junit/",
        except: &[b"Lorg/junit/Rule;", b"Lorg/junit/ClassRule;"],
    },
];

/// Length of annotations that are one, without elements: a count, a type, a count (JVMS §4.7.16).
const ONE_BARE: u32 = 6;

impl Finder {
    pub(super) fn new(vm: &mut Vm, plan: &Plan, user_classes: &[ClassId]) -> Finder {
        let is_unconfigured = plan.configuration.is_none() && !has_properties(vm).unwrap_or(true);
        Finder { is_unconfigured, user_classes: by_name(vm, user_classes), known: BTreeMap::new() }
    }

    /// How to call a test, if that is as good as far as its class file tells.
    pub(super) fn find(&mut self, vm: &Vm, node: &Node) -> Option<Direct> {
        let (class, test) = (node.class.as_ref()?.replace('.', "/"), node.method.as_ref()?);
        if !self.is_unconfigured || node.parameters.as_ref().is_some_and(|types| !types.is_empty())
        {
            return None;
        }
        let file = vm.class(*self.user_classes.get(&class)?).file()?;
        let fixture = self.known.entry(class.clone()).or_insert_with(|| fixture(file)).clone()?;
        let Fixture { rules, before, behind } = fixture;
        let mut named = methods(file).filter(|(name, _)| *name == test.as_bytes());
        let (Some((_, info)), None) = (named.next(), named.next()) else { return None };
        let is_test = is_plain(file, info) && is_test(file, info, rules);
        let calls = before.into_iter().chain([test.clone()]).chain(behind).collect();
        is_test.then_some(Direct { class, calls })
    }
}

/// Classes by internal name.
pub(super) fn by_name(vm: &Vm, classes: &[ClassId]) -> BTreeMap<String, ClassId> {
    classes.iter().map(|&class| (vm.class(class).name.to_string(), class)).collect()
}

fn methods(file: &ClassFile) -> impl Iterator<Item = (&[u8], &MethodInfo)> {
    file.methods().iter().map(|info| (file.constant_pool().utf8(info.name), info))
}

/// What surrounds every test of a class; `None` where that is more than is known here.
fn fixture(file: &ClassFile) -> Option<Fixture> {
    let is_alone = file.super_name() == Some(b"java/lang/Object") && file.interfaces().len() == 0;
    let constructors: Vec<_> = methods(file).filter(|(name, _)| *name == b"<init>").collect();
    let is_made_simply = match constructors[..] {
        [(_, info)] => {
            file.constant_pool().utf8(info.descriptor) == b"()V" && info.annotations.is_none()
        }
        _ => false,
    };
    let has_special_field = file.fields().iter().any(|field| field.annotations.is_some());
    if !is_alone || !is_made_simply || has_special_field {
        return None;
    }
    let has = |rules: &&Rules| {
        file.methods().iter().any(|info| file.has_annotation(info.annotations, rules.test))
    };
    let rules = RULES.iter().find(has)?;
    if file.annotation_types(file.annotations()).any(|one| !rules.harmless.contains(&one)) {
        return None;
    }
    let is_known = |one: &[u8]| one.starts_with(rules.other) && !rules.except.contains(&one);
    let mut around: [Option<String>; 2] = [None, None];
    for (name, info) in methods(file) {
        if !file.annotation_types(info.annotations).all(is_known) {
            return None;
        }
        for (place, wanted) in around.iter_mut().zip([rules.before, rules.behind]) {
            if !file.has_annotation(info.annotations, wanted) {
                continue;
            }
            let is_only =
                place.is_none() && info.annotations.map(|span| span.len) == Some(ONE_BARE);
            if !is_only || !is_plain(file, info) {
                return None;
            }
            *place = Some(classfile::mutf8::display(name));
        }
    }
    let [before, behind] = around;
    Some(Fixture { rules, before, behind })
}

/// Whether a method's annotations make it a test, and nothing more.
fn is_test(file: &ClassFile, info: &MethodInfo, rules: &Rules) -> bool {
    let is_bare = info.annotations.map(|span| span.len) == Some(ONE_BARE);
    let is_fine = |one: &[u8]| one == rules.test || rules.harmless.contains(&one);
    file.has_annotation(info.annotations, rules.test)
        && (is_bare || !rules.test_has_elements)
        && file.annotation_types(info.annotations).all(is_fine)
}

/// Whether a method has no parameters and no result and belongs to objects.
fn is_plain(file: &ClassFile, info: &MethodInfo) -> bool {
    file.constant_pool().utf8(info.descriptor) == b"()V"
        && info.access_flags & (access::STATIC | access::ABSTRACT) == 0
}

/// Whether system properties tell JUnit how to run tests, apart from what we set ourselves.
fn has_properties(vm: &mut Vm) -> Result<bool, Problem> {
    let mut java = Java::new(vm)?;
    let properties: Object =
        java.get_static("java/lang/System", "getProperties", "()Ljava/util/Properties;", &[])?;
    let text =
        java.call_object(&properties, "java/lang/Object", "toString", "()Ljava/lang/String;", &[])?;
    let text = java.text(&text).unwrap_or_default();
    let ours = "junit.jupiter.execution.parallel.";
    Ok(text
        .match_indices("junit.")
        .any(|(at, _)| !text[at..].starts_with(ours) && text[..at].ends_with([' ', '{'])))
}

//! Linking: from a class file to a [`Class`](crate::class::Class): superclasses, field layout,
//! dispatch table, mirror.
//!
//! A definition may need Java code first (a Java loader finds the superclass). It then traps, and
//! the native that asked for it runs again from its start; nothing has been changed until all
//! superclasses are there.

mod array;
mod build;
mod mirror;
mod select;
mod supers;
mod vtable;

pub(crate) use build::new_method;

use std::sync::Arc;

use classfile::{ClassBytes, ClassFile, ClassFormatErrorKind};

use crate::class::{Shape, Versions};
use crate::frame::{Hook, Res, Trap};
use crate::instrument::{Steps, Subject};
use crate::symbol::Symbol;
use crate::value::{ClassId, LoaderId, Ref, ThreadId};
use crate::vm::Vm;

pub use select::Choice;

/// How a class is defined beyond its bytes.
#[derive(Debug, Clone, Default)]
pub struct DefineOptions {
    /// Name the caller expects, internal form; a different one is a `NoClassDefFoundError`.
    pub expected_name: Option<Vec<u8>>,
    /// `java.security.ProtectionDomain`, or null.
    pub protection_domain: Ref,
    /// Hidden class: the look-up class it is defined for.
    pub hidden_for: Option<ClassId>,
    /// Hidden class becomes a nest mate of the look-up class.
    pub nest_mate: bool,
    /// `classData` of a hidden class, or null.
    pub class_data: Ref,
    /// The class may use the annotations that are for the JDK alone (`ACCESS_VM_ANNOTATIONS`).
    pub vm_annotations: bool,
    /// Written by the machine itself (`spin`): trusted, with members that Java code must not see.
    pub is_spun: bool,
}

/// Definitions that wait for Java code to load their superclasses. Nothing here changes what a
/// program sees: parses are a cache, and waiting entries are checked against the stack.
#[derive(Debug, Default)]
pub struct Definitions {
    /// What transformers of agents made of class files on their way in.
    pub(crate) steps: Steps,
    parsed: Vec<(ClassBytes, Arc<ClassFile>)>,
    waiting: Vec<Waiting>,
}

/// A definition whose superclass is being loaded by the hook at position `n_hooks` of a thread.
#[derive(Debug)]
struct Waiting {
    thread: ThreadId,
    n_hooks: usize,
    loader: LoaderId,
    name: Symbol,
}

impl Definitions {
    /// Forgets what transformers made: the machine was rolled back.
    #[inline]
    pub(crate) fn forget_transforms(&mut self) {
        self.steps.clear();
    }
}

/// Parses kept for repeated definitions.
const MOST_PARSES: usize = 16;

impl Vm {
    /// Defines a class for a loader: parses, loads superclass and interfaces, links. Not yet
    /// initialised. Java code may have to run first (`Trap::Upcall`), then the caller repeats.
    pub fn define_class(
        &mut self,
        loader: LoaderId,
        bytes: ClassBytes,
        options: &DefineOptions,
    ) -> Res<ClassId> {
        if options.hidden_for.is_some() || !self.transforms_classes() {
            return self.define_as_given(loader, bytes, options);
        }
        let name = options.expected_name.clone();
        let subject = Subject::Load { loader, name, bytes: bytes.clone() };
        let passed = self.pass_transformers(&subject, bytes, options.protection_domain);
        let defined = passed.and_then(|passed| {
            let class = self.define_as_given(loader, passed.bytes.clone(), options)?;
            if let Some(original) = passed.original {
                let original = Some(original);
                let versions = Versions { sites_start: 0, original, is_redefined: false };
                self.classes[class.idx()].versions = Some(Box::new(versions));
            }
            Ok(class)
        });
        if matches!(defined, Ok(_) | Err(Trap::Throw(_) | Trap::Stop(_))) {
            self.end_transforms(|other| *other == subject);
        }
        defined
    }

    fn define_as_given(
        &mut self,
        loader: LoaderId,
        bytes: ClassBytes,
        options: &DefineOptions,
    ) -> Res<ClassId> {
        let file = self.parse_class(&bytes, options)?;
        let name = self.symbols.intern(file.name());
        if options.hidden_for.is_none() && self.loaders[loader.idx()].classes.contains_key(&name) {
            return Err(self.duplicate_definition(loader, &file));
        }
        if options.hidden_for.is_none()
            && let Some(other) = self.constrained_class(loader, name)
        {
            let kind = crate::describe::kind_text(file.access_flags());
            return Err(self.constraint_broken(loader, name, kind, other));
        }
        if self.is_being_defined(loader, name) {
            return Err(self.throw("java/lang/ClassCircularityError", &name.to_string()));
        }
        let supers = self.load_supers(loader, &file);
        let (super_class, interfaces) = match supers {
            Ok(supers) => supers,
            Err(trap) => {
                if matches!(trap, Trap::Upcall(_)) {
                    self.wait_for_supers(loader, name, bytes, file);
                }
                return Err(trap);
            }
        };
        let nest_host = match options.hidden_for {
            Some(lookup) if options.nest_mate => Some(self.nest_host(lookup)?),
            _ => None,
        };
        self.check_supers(loader, name, &file, super_class, &interfaces)?;
        let class = self.link_class(loader, file, super_class, interfaces, nest_host, options)?;
        self.definitions.parsed.retain(|(known, _)| known[..] != bytes[..]);
        Ok(class)
    }

    /// As `define_class` for a hidden class that is parsed already.
    pub(crate) fn define_parsed(
        &mut self,
        loader: LoaderId,
        file: Arc<ClassFile>,
        options: &DefineOptions,
    ) -> Res<ClassId> {
        let (super_class, interfaces) = self.load_supers(loader, &file)?;
        let nest_host = match options.hidden_for {
            Some(lookup) if options.nest_mate => Some(self.nest_host(lookup)?),
            _ => None,
        };
        self.link_class(loader, file, super_class, interfaces, nest_host, options)
    }

    /// Whether `sub` is the same as or a subtype of `sup` (classes, interfaces, arrays).
    pub fn is_subtype(&self, sub: ClassId, sup: ClassId) -> bool {
        let (mut sub, mut sup) = (sub, sup);
        loop {
            if sub == sup {
                return true;
            }
            let (sub_class, sup_class) = (self.class(sub), self.class(sup));
            if sup_class.is_interface() {
                return sub_class.all_interfaces.binary_search(&sup).is_ok();
            }
            let Shape::Array { component: sup_component, .. } = sup_class.shape else {
                return sub_class.supers.get(sup_class.depth()) == Some(&sup);
            };
            let Shape::Array { component: sub_component, .. } = sub_class.shape else {
                return false;
            };
            (sub, sup) = (sub_component, sup_component);
        }
    }

    /// Whether a non-null object is an instance of a class.
    pub fn instance_of(&self, object: Ref, class: ClassId) -> bool {
        self.is_subtype(self.class_of(object), class)
    }

    /// Whether two classes are in the same run-time package (JVMS §5.3).
    pub fn same_package(&self, a: ClassId, b: ClassId) -> bool {
        let (a, b) = (self.class(a), self.class(b));
        a.loader == b.loader && a.package == b.package
    }

    fn parse_class(&mut self, bytes: &ClassBytes, options: &DefineOptions) -> Res<Arc<ClassFile>> {
        if let Some((_, file)) =
            self.definitions.parsed.iter().find(|(known, _)| known[..] == bytes[..])
        {
            return Ok(Arc::clone(file));
        }
        let expected = || {
            let name = options.expected_name.as_deref();
            name.map_or("<Unknown>".into(), classfile::mutf8::display)
        };
        if let Some(message) = self.version_fault(&expected, bytes) {
            return Err(self.throw("java/lang/UnsupportedClassVersionError", &message));
        }
        let file = match ClassFile::parse(bytes.clone()) {
            Ok(file) => file,
            Err(error) => {
                let name = error.class().map_or_else(expected, str::to_owned);
                let message = error.message();
                let (class, message) = match error.kind() {
                    ClassFormatErrorKind::UnsupportedClassVersion => {
                        ("java/lang/UnsupportedClassVersionError", format!("{name}: {message}"))
                    }
                    ClassFormatErrorKind::ClassFormat => {
                        let place = format!(" in class file {name}");
                        let place = if message.starts_with("Truncated") { "" } else { &place };
                        ("java/lang/ClassFormatError", format!("{message}{place}"))
                    }
                };
                return Err(self.throw(class, &message));
            }
        };
        let name = classfile::mutf8::display(file.name());
        if file.is_module() {
            let message = format!("{name} is not a class because access_flag ACC_MODULE is set");
            return Err(self.throw("java/lang/NoClassDefFoundError", &message));
        }
        match options.expected_name.as_deref() {
            // A hidden class takes the name it is given.
            Some(expected) if expected != file.name() && options.hidden_for.is_none() => {
                let expected = classfile::mutf8::display(expected);
                let message = format!("{expected} (wrong name: {name})");
                Err(self.throw("java/lang/NoClassDefFoundError", &message))
            }
            _ => Ok(Arc::new(file)),
        }
    }

    /// HotSpot's words for a class file of a version that this JDK does not run, which it looks at
    /// before anything else in the file. Preview features are never enabled.
    pub(crate) fn version_fault(&self, name: &dyn Fn() -> String, bytes: &[u8]) -> Option<String> {
        let &[0xCA, 0xFE, 0xBA, 0xBE, minor_1, minor_2, major_1, major_2, ..] = bytes else {
            return None;
        };
        let minor = u16::from_be_bytes([minor_1, minor_2]);
        let major = u16::from_be_bytes([major_1, major_2]);
        let newest = self.jdk + 44;
        // Java 12 gave minor versions a meaning.
        if (45..=newest).contains(&major) && (major < 56 || minor == 0) {
            return None;
        }
        let name = name();
        let version = format!("(class file version {major}.{minor})");
        Some(match (major, minor) {
            (..45, _) => format!("{name} {version} was compiled with an invalid major version"),
            _ if newest < major => format!(
                "{name} has been compiled by a more recent version of the Java Runtime {version}, this version of \
                 the Java Runtime only recognizes class file versions up to {newest}.0"
            ),
            (_, u16::MAX) if major == newest => format!(
                "Preview features are not enabled for {name} {version}. Try running with '--enable-preview'"
            ),
            (_, u16::MAX) => format!(
                "{name} {version} was compiled with preview features that are unsupported. This version of the Java \
                 Runtime only recognizes preview features for class file version {newest}.{minor}"
            ),
            _ => format!("{name} {version} was compiled with an invalid non-zero minor version"),
        })
    }

    pub(crate) fn duplicate_definition(&mut self, loader: LoaderId, file: &ClassFile) -> Trap {
        let name = classfile::mutf8::display(file.name()).replace('/', ".");
        let package = self.symbols.intern(package_of(file.name()));
        let message = format!(
            "loader {} attempted duplicate {} definition for {name}. ({name} is in {}{})",
            self.loader_text(loader),
            crate::describe::kind_text(file.access_flags()),
            self.package_text(loader, package),
            self.parent_loader_text(loader),
        );
        self.throw("java/lang/LinkageError", &message)
    }

    fn wait_for_supers(
        &mut self,
        loader: LoaderId,
        name: Symbol,
        bytes: ClassBytes,
        file: Arc<ClassFile>,
    ) {
        if !self.definitions.parsed.iter().any(|(known, _)| known[..] == bytes[..]) {
            if self.definitions.parsed.len() == MOST_PARSES {
                self.definitions.parsed.remove(0);
            }
            self.definitions.parsed.push((bytes, file));
        }
        if let Some(thread) = self.threads.get(self.current) {
            let waiting = Waiting { thread: thread.id, n_hooks: thread.hooks.len(), loader, name };
            self.definitions.waiting.push(waiting);
        }
    }

    /// Whether this thread is already defining the class and waits for its superclasses.
    fn is_being_defined(&mut self, loader: LoaderId, name: Symbol) -> bool {
        let threads = &self.threads;
        let waiting = &mut self.definitions.waiting;
        // The hook is gone where the superclass came back or the wait was ended by an exception.
        waiting.retain(|entry| {
            let thread = threads.iter().find(|thread| thread.id == entry.thread);
            let hook = thread.and_then(|thread| thread.hooks.get(entry.n_hooks));
            matches!(hook, Some(Hook::LoadedClass { .. }))
        });
        let current = threads.get(self.current).map(|thread| thread.id);
        waiting.iter().any(|entry| {
            Some(entry.thread) == current && entry.loader == loader && entry.name == name
        })
    }
}

/// The package part of an internal name; empty for the unnamed package.
pub(crate) fn package_of(name: &[u8]) -> &[u8] {
    name.iter().rposition(|&byte| byte == b'/').map_or(&[], |slash| &name[..slash])
}

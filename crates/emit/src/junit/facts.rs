//! What the emitter must know of classes to write code that compiles, and the port through which it asks.
//!
//! The caller answers [`Names`]; [`ClassFacts::read`] makes an answer out of a class file.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use classfile::{ClassBytes, ClassFile, MethodInfo, access, mutf8};
use suite::java_type::{ClassType, JavaType, TypeParameter, class_signature, method_signature};
use suite::types::{Type, signature};

const PREVIEW: &[u8] = b"Ljdk/internal/javac/PreviewFeature;";

/// Answers questions on classes, to several threads if need be.
pub trait Names: Sync {
    /// What is known of the class with this internal name; `None` where there is no such class.
    fn class(&self, name: &str) -> Option<Arc<ClassFacts>>;
}

/// Who may name a class or member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Everyone.
    Public,
    /// The package and subclasses.
    Protected,
    /// The package.
    Package,
    /// The class itself.
    Private,
}

/// Whether the use of something is warned of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Deprecation {
    /// It is not.
    None,
    /// `@Deprecated`.
    Deprecated,
    /// `@Deprecated(forRemoval = true)`.
    ForRemoval,
}

/// Where a class is declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In a package.
    TopLevel,
    /// In a class.
    Member {
        /// Internal name of that class.
        outer: Arc<str>,
        /// The name within it.
        name: Arc<str>,
        /// Whether it needs no instance of that class.
        is_static: bool,
    },
    /// In a body, so that no other code can name it.
    Local,
}

/// A class or interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassFacts {
    /// Internal name.
    pub name: Arc<str>,
    /// Who may name it.
    pub access: Access,
    /// Where it is declared.
    pub place: Place,
    /// Whether it is an interface.
    pub is_interface: bool,
    /// Whether it has no objects of its own: abstract, an interface or an enum.
    pub is_abstract: bool,
    /// Whether it has no subclasses.
    pub is_final: bool,
    /// Whether it belongs to the JDK, so that tests cannot live in its package.
    pub is_system: bool,
    /// Whether compilers refuse it unless they are asked to try what is not final yet.
    pub is_preview: bool,
    /// Its type parameters.
    pub type_parameters: Vec<TypeParameter>,
    /// The superclass, if any, then the interfaces.
    pub supertypes: Vec<ClassType>,
    /// Its methods and constructors.
    pub methods: Vec<Arc<MethodFacts>>,
    /// Whether using it is warned of.
    pub deprecation: Deprecation,
}

/// A method or constructor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodFacts {
    /// Its name.
    pub name: Arc<str>,
    /// Parameter types of the descriptor.
    pub erased: Vec<Type>,
    /// Who may call it.
    pub access: Access,
    /// Whether it has no receiver.
    pub is_static: bool,
    /// Whether it has no body, and subclasses must have one.
    pub is_abstract: bool,
    /// Whether the last parameter takes any number of arguments.
    pub is_varargs: bool,
    /// Whether the compiler made it, so that source code cannot see it.
    pub is_synthetic: bool,
    /// Its own type parameters.
    pub type_parameters: Vec<TypeParameter>,
    /// Parameter types.
    pub parameters: Vec<JavaType>,
    /// Type of the result.
    pub returns: JavaType,
    /// Internal names of the declared exceptions.
    pub exceptions: Vec<Arc<str>>,
    /// Whether calling it is warned of.
    pub deprecation: Deprecation,
}

impl ClassFacts {
    /// What a class file says.
    pub fn read(class: &ClassFile, is_system: bool) -> ClassFacts {
        let pool = class.constant_pool();
        let name: Arc<str> = text(class.name()).into();
        let own = class
            .inner_classes()
            .into_iter()
            .find(|inner| pool.try_class_name(inner.inner) == Some(class.name()));
        let flags = own.map_or(class.access_flags(), |inner| inner.flags);
        let place = match own {
            None => Place::TopLevel,
            Some(inner) => match (pool.try_class_name(inner.outer), pool.try_utf8(inner.name)) {
                (Some(outer), Some(simple)) => Place::Member {
                    outer: text(outer).into(),
                    name: text(simple).into(),
                    is_static: flags & (access::STATIC | access::INTERFACE) != 0,
                },
                _ => Place::Local,
            },
        };
        let parsed = class.signature().and_then(|bytes| class_signature(&text(bytes)));
        let (type_parameters, supertypes) = match parsed {
            Some(parsed) => (parsed.parameters, parsed.supertypes),
            None => {
                let plain = |name: &[u8]| ClassType { name: text(name).into(), args: Vec::new() };
                let supertypes = class.super_name().into_iter().chain(class.interfaces());
                (Vec::new(), supertypes.map(plain).collect())
            }
        };
        ClassFacts {
            access: access_of(flags),
            place,
            is_interface: flags & access::INTERFACE != 0,
            is_abstract: flags & (access::ABSTRACT | access::INTERFACE | access::ENUM) != 0,
            is_final: flags & access::FINAL != 0,
            is_system,
            is_preview: class.has_annotation(class.invisible_annotations(), PREVIEW),
            type_parameters,
            supertypes,
            methods: class
                .methods()
                .iter()
                .filter_map(|one| read_method(class, one))
                .map(Arc::new)
                .collect(),
            deprecation: deprecation(class, class.annotations()),
            name,
        }
    }
}

/// Answers out of class files, each read once. The closure finds the bytes of a class by its internal name,
/// and says whether it belongs to the JDK.
pub struct ClassFiles<F> {
    find: F,
    known: RwLock<HashMap<Arc<str>, Option<Arc<ClassFacts>>>>,
}

impl<F: Fn(&str) -> Option<(ClassBytes, bool)>> ClassFiles<F> {
    /// No class read yet.
    pub fn new(find: F) -> ClassFiles<F> {
        ClassFiles { find, known: RwLock::default() }
    }
}

impl<F: Fn(&str) -> Option<(ClassBytes, bool)> + Sync> Names for ClassFiles<F> {
    fn class(&self, name: &str) -> Option<Arc<ClassFacts>> {
        if let Some(known) = self.known.read().unwrap_or_else(PoisonError::into_inner).get(name) {
            return known.clone();
        }
        let found = (self.find)(name).and_then(|(bytes, is_system)| {
            let class = ClassFile::parse(bytes).ok()?;
            Some(Arc::new(ClassFacts::read(&class, is_system)))
        });
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(name.into(), found.clone());
        found
    }
}

/// The package of an internal name, with slashes; empty for the unnamed one.
pub(crate) fn package_of(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(package, _)| package)
}

fn read_method(class: &ClassFile, method: &MethodInfo) -> Option<MethodFacts> {
    let pool = class.constant_pool();
    let (erased, returns) = signature(&text(pool.utf8(method.descriptor)))?;
    let mut facts = MethodFacts {
        name: text(pool.utf8(method.name)).into(),
        access: access_of(method.access_flags),
        is_static: method.access_flags & access::STATIC != 0,
        is_abstract: method.access_flags & access::ABSTRACT != 0,
        is_varargs: method.access_flags & access::VARARGS != 0,
        is_synthetic: method.access_flags & (access::SYNTHETIC | access::BRIDGE) != 0,
        type_parameters: Vec::new(),
        parameters: erased.iter().map(JavaType::of).collect(),
        returns: JavaType::of(&returns),
        exceptions: method
            .exceptions
            .iter()
            .map(|&idx| text(pool.class_name(idx)).into())
            .collect(),
        deprecation: deprecation(class, method.annotations),
        erased,
    };
    let parsed = pool.try_utf8(method.signature).and_then(|bytes| method_signature(&text(bytes)));
    // The signatures of some constructors leave out parameters that the compiler added.
    if let Some(parsed) = parsed
        && parsed.parameters.len() == facts.parameters.len()
    {
        facts.type_parameters = parsed.type_parameters;
        facts.parameters = parsed.parameters;
        facts.returns = parsed.returns;
    }
    Some(facts)
}

fn access_of(flags: u16) -> Access {
    if flags & access::PUBLIC != 0 {
        Access::Public
    } else if flags & access::PROTECTED != 0 {
        Access::Protected
    } else if flags & access::PRIVATE != 0 {
        Access::Private
    } else {
        Access::Package
    }
}

fn deprecation(class: &ClassFile, annotations: Option<classfile::Span>) -> Deprecation {
    const DEPRECATED: &[u8] = b"Ljava/lang/Deprecated;";
    if !class.has_annotation(annotations, DEPRECATED) {
        Deprecation::None
    } else if class.annotation_flag(annotations, DEPRECATED, b"forRemoval") == Some(true) {
        Deprecation::ForRemoval
    } else {
        Deprecation::Deprecated
    }
}

fn text(bytes: &[u8]) -> String {
    mutf8::display(bytes)
}

//! Fields that are no part of a state.
//!
//! Some fields never influence results but differ between equal histories: counters of structural
//! changes, caches of hashes and of views, and what the JDK keeps about the machine itself (lists of all that waits
//! to be cleaned, threads and class loaders with all they know). Through the latter a state would have a part in
//! everything that runs: a reader of a file is on one list with every other open file. They are left out by default;
//! those that objects really had are printed with a result. `strict` switches the default off.

use vm::class::Class;
use vm::vm::Vm;

/// Which fields are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mask {
    /// Nothing is left out by default, and shared values count as objects.
    pub strict: bool,
    /// Further fields.
    pub ignored: Vec<FieldName>,
}

/// A field by the internal name of its class and its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FieldName {
    /// Internal name of the declaring class.
    pub class: String,
    /// Name of the field.
    pub field: String,
}

impl FieldName {
    /// Reads `java.util.TreeMap.modCount`.
    pub fn parse(text: &str) -> Option<FieldName> {
        let (class, field) = text.rsplit_once('.')?;
        let is_name = |part: &str| !part.is_empty() && !part.contains(char::is_whitespace);
        (is_name(class) && is_name(field))
            .then(|| FieldName { class: class.replace('.', "/"), field: field.to_owned() })
    }
}

/// All fields of a class.
const ALL: &str = "*";

/// Left out by default: internal prefix of the class, names of fields. A prefix that ends in `/` stands for the
/// whole package, `*` for all fields.
const DEFAULT: &[(&str, &[&str])] = &[
    // Counters of changes and views of collections.
    ("java/util/", &["modCount"]),
    ("java/util/AbstractMap", &["keySet", "values"]),
    ("java/util/HashMap", &["entrySet"]),
    ("java/util/TreeMap", &["entrySet", "navigableKeySet", "descendingMap"]),
    ("java/util/Hashtable", &["keySet", "entrySet", "values"]),
    ("java/util/IdentityHashMap", &["entrySet"]),
    ("java/util/WeakHashMap", &["entrySet"]),
    ("java/util/EnumMap", &["entrySet"]),
    ("java/util/Collections$UnmodifiableMap", &["keySet", "entrySet", "values"]),
    ("java/util/Collections$SynchronizedMap", &["keySet", "entrySet", "values"]),
    ("java/util/concurrent/ConcurrentHashMap", &["keySet", "entrySet", "values"]),
    (
        "java/util/concurrent/ConcurrentSkipListMap",
        &["keySet", "entrySet", "values", "descendingMap"],
    ),
    // What values have computed about themselves.
    (
        "java/math/BigInteger",
        &[
            "bitCountPlusOne",
            "bitLengthPlusOne",
            "lowestSetBitPlusTwo",
            "firstNonzeroIntNumPlusTwo",
            "numberLength",
        ],
    ),
    ("java/math/BigDecimal", &["stringCache", "precision"]),
    ("java/net/URL", &["hashCode", "hostAddress"]),
    (
        "java/net/URI",
        &[
            "hash",
            "string",
            "decodedUserInfo",
            "decodedAuthority",
            "decodedPath",
            "decodedQuery",
            "decodedFragment",
            "decodedSchemeSpecificPart",
        ],
    ),
    ("java/io/File", &["status", "filePath"]),
    ("java/util/Locale", &["hashCodeValue", "languageTag"]),
    ("sun/util/locale/BaseLocale", &["hash"]),
    ("java/lang/Throwable", &["stackTrace", "backtrace", "depth"]),
    // What the collector and cleaners keep.
    ("java/lang/ref/Reference", &["next", "discovered"]),
    ("java/lang/ref/ReferenceQueue", &["head", "queueLength"]),
    ("jdk/internal/ref/PhantomCleanable", &["list", "prev", "next", "node", "index"]),
    ("jdk/internal/ref/CleanerImpl", &["phantomCleanableList", "activeList"]),
    // What threads, loaders and modules know of the machine.
    (
        "java/lang/Thread",
        &[
            "tid",
            "eetop",
            "group",
            "contextClassLoader",
            "inheritedAccessControlContext",
            "threadLocals",
            "inheritableThreadLocals",
            "threadLocalRandomSeed",
            "threadLocalRandomProbe",
            "threadLocalRandomSecondarySeed",
            "scopedValueBindings",
            "container",
        ],
    ),
    ("java/lang/Thread$FieldHolder", &["group"]),
    (
        "java/lang/ThreadGroup",
        &["parent", "threads", "nthreads", "groups", "ngroups", "weaks", "nweaks"],
    ),
    ("java/lang/ClassLoader", &[ALL]),
    ("jdk/internal/loader/", &[ALL]),
    ("java/lang/ModuleLayer", &[ALL]),
    (
        "java/lang/Module",
        &["layer", "loader", "descriptor", "reads", "openPackages", "exportedPackages"],
    ),
    // What reflection and method handles have prepared.
    ("java/lang/reflect/AccessibleObject", &["accessCheckCache"]),
    (
        "java/lang/reflect/Executable",
        &["hasRealParameterData", "parameters", "parameterData", "declaredAnnotations"],
    ),
    (
        "java/lang/reflect/Method",
        &["methodAccessor", "root", "genericInfo", "hash", "callerSensitive"],
    ),
    ("java/lang/reflect/Constructor", &["constructorAccessor", "root", "genericInfo"]),
    (
        "java/lang/reflect/Field",
        &["fieldAccessor", "overrideFieldAccessor", "root", "genericInfo", "declaredAnnotations"],
    ),
    (
        "java/lang/invoke/MethodHandle",
        &["asTypeCache", "asTypeSoftCache", "customizationCount", "updateInProgress"],
    ),
    ("java/lang/invoke/MethodType", &["form", "wrapAlt", "invokers", "methodDescriptor"]),
    (
        "java/lang/invoke/LambdaForm",
        &["customized", "vmentry", "isCompiled", "transformCache", "invocationCounter"],
    ),
];

/// Classes of the JDK whose objects know the machine, or never change: copies of a state refer to them as they are.
const OF_MACHINE: &[&[u8]] = &[
    b"java/lang/ClassLoader",
    b"java/lang/Thread",
    b"java/lang/ThreadGroup",
    b"java/lang/Module",
    b"java/lang/ModuleLayer",
    b"java/lang/ref/ReferenceQueue",
    b"jdk/internal/ref/PhantomCleanable",
    b"jdk/internal/ref/CleanerImpl",
    b"java/lang/reflect/AccessibleObject",
    b"java/lang/invoke/MethodHandle",
    b"java/lang/invoke/MethodType",
];

/// Whether objects of a class belong to the machine rather than to a state. What a user derives from such a class
/// does not: it may hold anything.
pub fn is_of_machine(vm: &Vm, class: &Class) -> bool {
    let name = class.name.as_bytes();
    let is_of_jdk =
        [&b"java/"[..], b"jdk/", b"sun/"].iter().any(|package| name.starts_with(package));
    is_of_jdk && class.supers.iter().any(|&id| OF_MACHINE.contains(&vm.class(id).name.as_bytes()))
}

impl Mask {
    /// The default: bookkeeping of the JDK is left out.
    pub fn standard() -> Mask {
        Mask { strict: false, ignored: Vec::new() }
    }

    /// Whether this field is left out.
    pub fn hides(&self, class: &str, field: &str) -> bool {
        let named = self.ignored.iter().any(|name| name.class == class && name.field == field);
        named || self.rows(class).any(|fields| fields.contains(&ALL) || fields.contains(&field))
    }

    /// Whether all fields of a class are left out.
    pub fn hides_all(&self, class: &str) -> bool {
        self.rows(class).any(|fields| fields.contains(&ALL))
    }

    /// What is left out of a class by default.
    fn rows(&self, class: &str) -> impl Iterator<Item = &'static [&'static str]> {
        let default = if self.strict { &[][..] } else { DEFAULT };
        default
            .iter()
            .filter(move |(prefix, _)| {
                if prefix.ends_with('/') { class.starts_with(prefix) } else { class == *prefix }
            })
            .map(|&(_, fields)| fields)
    }
}

#[cfg(test)]
mod tests {
    use super::{FieldName, Mask};

    #[test]
    fn counters_of_the_collections_are_hidden_unless_strict() {
        let standard = Mask::standard();
        assert!(standard.hides("java/util/TreeMap", "modCount"));
        assert!(standard.hides("java/util/AbstractList", "modCount"));
        assert!(!standard.hides("acme/Cart", "modCount"));
        assert!(!standard.hides("java/util/TreeMap", "root"));
        assert!(standard.hides("jdk/internal/loader/URLClassPath", "loaders"));
        assert!(!Mask { strict: true, ignored: vec![] }.hides("java/util/TreeMap", "modCount"));
    }

    #[test]
    fn a_field_of_the_user_is_hidden_even_when_strict() {
        let name = FieldName::parse("acme.Cart.version").expect("a field");
        let mask = Mask { strict: true, ignored: vec![name] };
        assert!(mask.hides("acme/Cart", "version"));
        assert_eq!(FieldName::parse("version"), None);
        assert_eq!(FieldName::parse(".version"), None);
    }
}

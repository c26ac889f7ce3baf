//! What stands in for interfaces and abstract classes: classes of the user's class path that implement
//! them, nearest first, and for well-known interfaces of the JDK the classes that people take.

use std::fmt;
use std::sync::{Arc, OnceLock};

use suite::method::Method;

/// Implementations of one type that are used, at most.
const MOST: usize = 3;

/// A class of the class path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Internal name.
    pub name: Arc<str>,
    /// Internal names of its superclass and interfaces.
    pub supertypes: Vec<Arc<str>>,
    /// Whether everybody can name it and it has objects of its own.
    pub is_usable: bool,
    /// The position of its folder or jar on the class path.
    pub entry: usize,
}

type Read = Box<dyn Fn() -> Vec<Candidate> + Send + Sync>;

/// The classes of a class path, read when somebody first asks for them.
pub struct Implementations {
    read: Read,
    candidates: OnceLock<Vec<Candidate>>,
}

impl fmt::Debug for Implementations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Implementations").field("candidates", &self.candidates).finish()
    }
}

impl Implementations {
    /// The classes that `read` gives, in the order of the class path.
    pub fn new(read: Read) -> Implementations {
        Implementations { read, candidates: OnceLock::new() }
    }

    /// No class at all.
    pub fn none() -> Implementations {
        Implementations::new(Box::new(Vec::new))
    }

    /// Internal names of usable classes that implement or extend a type, nearest first: its own package,
    /// then its own folder or jar, then the order of the class path; three at most.
    pub fn of(&self, wanted: &str) -> Vec<Arc<str>> {
        let candidates = self.candidates.get_or_init(&self.read);
        let mut subtypes: Vec<usize> = Vec::new();
        let mut todo: Vec<&str> = vec![wanted];
        while let Some(above) = todo.pop() {
            for (idx, candidate) in candidates.iter().enumerate() {
                let is_below = candidate.supertypes.iter().any(|name| **name == *above);
                if is_below && !subtypes.contains(&idx) {
                    subtypes.push(idx);
                    todo.push(&candidate.name);
                }
            }
        }
        let home = candidates.iter().find(|candidate| *candidate.name == *wanted);
        let home = home.map(|candidate| candidate.entry);
        subtypes.retain(|&idx| candidates[idx].is_usable);
        subtypes.sort_by_key(|&idx| {
            let one = &candidates[idx];
            let is_elsewhere = package(&one.name) != package(wanted);
            (is_elsewhere, home != Some(one.entry), one.entry, one.name.clone())
        });
        subtypes.into_iter().map(|idx| candidates[idx].name.clone()).take(MOST).collect()
    }
}

fn package(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(package, _)| package)
}

/// How objects of a well-known class are made.
#[derive(Debug, Clone, Copy)]
enum Recipe {
    /// Empty, and with one element.
    Collection,
    /// Empty, and with one entry.
    Map,
    /// By a constructor that takes a string.
    OfText,
    /// By a constructor that takes an array of bytes.
    OfBytes,
    /// By the constructor without parameters.
    Plain,
    /// By a constructor that takes two objects.
    OfTwo,
    /// By this method of a collection with one element.
    OfElements(&'static str),
}

/// Types of the JDK, each with the class that stands in for it or that it is taken from. Types that have
/// static factories of their own, such as `Comparator`, need no row.
const WELL_KNOWN: &[(&str, &str, Recipe)] = &[
    ("java/lang/Iterable", "java/util/ArrayList", Recipe::Collection),
    ("java/util/Collection", "java/util/ArrayList", Recipe::Collection),
    ("java/util/SequencedCollection", "java/util/ArrayList", Recipe::Collection),
    ("java/util/List", "java/util/ArrayList", Recipe::Collection),
    ("java/util/AbstractCollection", "java/util/ArrayList", Recipe::Collection),
    ("java/util/AbstractList", "java/util/ArrayList", Recipe::Collection),
    ("java/util/AbstractSequentialList", "java/util/LinkedList", Recipe::Collection),
    ("java/util/Set", "java/util/HashSet", Recipe::Collection),
    ("java/util/AbstractSet", "java/util/HashSet", Recipe::Collection),
    ("java/util/SequencedSet", "java/util/LinkedHashSet", Recipe::Collection),
    ("java/util/SortedSet", "java/util/TreeSet", Recipe::Collection),
    ("java/util/NavigableSet", "java/util/TreeSet", Recipe::Collection),
    ("java/util/Queue", "java/util/ArrayDeque", Recipe::Collection),
    ("java/util/Deque", "java/util/ArrayDeque", Recipe::Collection),
    ("java/util/AbstractQueue", "java/util/PriorityQueue", Recipe::Collection),
    (
        "java/util/concurrent/BlockingQueue",
        "java/util/concurrent/LinkedBlockingQueue",
        Recipe::Collection,
    ),
    (
        "java/util/concurrent/BlockingDeque",
        "java/util/concurrent/LinkedBlockingDeque",
        Recipe::Collection,
    ),
    ("java/util/Map", "java/util/HashMap", Recipe::Map),
    ("java/util/AbstractMap", "java/util/HashMap", Recipe::Map),
    ("java/util/SequencedMap", "java/util/LinkedHashMap", Recipe::Map),
    ("java/util/SortedMap", "java/util/TreeMap", Recipe::Map),
    ("java/util/NavigableMap", "java/util/TreeMap", Recipe::Map),
    ("java/util/Dictionary", "java/util/Hashtable", Recipe::Map),
    ("java/util/concurrent/ConcurrentMap", "java/util/concurrent/ConcurrentHashMap", Recipe::Map),
    (
        "java/util/concurrent/ConcurrentNavigableMap",
        "java/util/concurrent/ConcurrentSkipListMap",
        Recipe::Map,
    ),
    ("java/util/Map$Entry", "java/util/AbstractMap$SimpleEntry", Recipe::OfTwo),
    ("java/util/Iterator", "java/util/List", Recipe::OfElements("iterator")),
    ("java/util/ListIterator", "java/util/List", Recipe::OfElements("listIterator")),
    ("java/util/Spliterator", "java/util/List", Recipe::OfElements("spliterator")),
    ("java/util/Enumeration", "java/util/Vector", Recipe::OfElements("elements")),
    // Of its own factories some never come to an end.
    ("java/util/stream/Stream", "java/util/List", Recipe::OfElements("stream")),
    ("java/lang/Appendable", "java/lang/StringBuilder", Recipe::Plain),
    ("java/lang/Readable", "java/io/StringReader", Recipe::OfText),
    ("java/lang/AutoCloseable", "java/io/StringReader", Recipe::OfText),
    ("java/io/Closeable", "java/io/StringReader", Recipe::OfText),
    ("java/io/Reader", "java/io/StringReader", Recipe::OfText),
    ("java/io/Writer", "java/io/StringWriter", Recipe::Plain),
    ("java/io/InputStream", "java/io/ByteArrayInputStream", Recipe::OfBytes),
    ("java/io/OutputStream", "java/io/ByteArrayOutputStream", Recipe::Plain),
];

/// The class that stands in for a well-known type of the JDK, where it has constructors for it.
pub fn well_known(wanted: &str) -> Option<&'static str> {
    let (_, class, recipe) = WELL_KNOWN.iter().find(|(name, ..)| *name == wanted)?;
    (!matches!(recipe, Recipe::OfElements(..))).then_some(class)
}

/// The calls that make an object of a well-known type.
#[derive(Debug, Clone)]
pub(crate) struct Calls {
    /// Makes the object, or what it is taken from.
    pub(crate) maker: Method,
    /// Puts something into what was made.
    pub(crate) filler: Option<Method>,
    /// Takes the object from what was made.
    pub(crate) last: Option<Method>,
}

/// How objects that stand in for a well-known type are made.
pub(crate) fn calls(wanted: &str) -> Option<Calls> {
    let (_, class, recipe) = WELL_KNOWN.iter().find(|(name, ..)| *name == wanted)?;
    let method =
        |class: &str, name: &str, descriptor: &str| Method::new(class, name, descriptor, false);
    let made = |descriptor: &str| {
        Some(Calls { maker: method(class, "<init>", descriptor)?, filler: None, last: None })
    };
    let add = |class: &str| method(class, "add", "(Ljava/lang/Object;)Z");
    match recipe {
        Recipe::Plain => made("()V"),
        Recipe::OfText => made("(Ljava/lang/String;)V"),
        Recipe::OfBytes => made("([B)V"),
        Recipe::OfTwo => made("(Ljava/lang/Object;Ljava/lang/Object;)V"),
        Recipe::Collection => Some(Calls { filler: add(class), ..made("()V")? }),
        Recipe::Map => {
            let put = "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;";
            Some(Calls { filler: method(class, "put", put), ..made("()V")? })
        }
        Recipe::OfElements(name) => {
            let last = method(class, name, &format!("()L{wanted};"));
            let maker = well_known(class).unwrap_or(class);
            let filler = add(maker);
            Some(Calls { maker: method(maker, "<init>", "()V")?, filler, last })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Candidate, Implementations, WELL_KNOWN, calls};

    fn candidate(name: &str, supertype: &str, is_usable: bool, entry: usize) -> Candidate {
        let supertypes = vec![supertype.into()];
        Candidate { name: name.into(), supertypes, is_usable, entry }
    }

    #[test]
    fn the_nearest_implementations_come_first_and_abstract_ones_lead_to_theirs() {
        let all = || {
            vec![
                candidate("z/Far", "a/Shape", true, 0),
                candidate("a/Shape", "java/lang/Object", false, 1),
                candidate("b/SameJar", "a/Base", true, 1),
                candidate("a/Base", "a/Shape", false, 1),
                candidate("a/Round", "a/Base", true, 1),
                candidate("a/Edged", "a/Shape", true, 1),
            ]
        };
        let found = Implementations::new(Box::new(all)).of("a/Shape");
        let names: Vec<&str> = found.iter().map(|name| &**name).collect();
        assert_eq!(names, ["a/Edged", "a/Round", "b/SameJar"]);
    }

    #[test]
    fn every_well_known_type_can_be_made() {
        for (name, ..) in WELL_KNOWN {
            assert!(calls(name).is_some(), "{name}");
        }
    }
}

//! A rooted heap as a list that people can read: a path of fields for every edge and what stands there,
//! in the order of the canonical form. Two heaps are isomorphic iff their lists are equal, so the first
//! entry in which two lists differ says why two states are not the same.

use vm::class::Shape;
use vm::heap::ELEMENTS_OFFSET;
use vm::value::{Kind, Ref};
use vm::vm::Vm;

use super::canonical_heap::{CanonicalHeap, Edges, Root, load};
use super::visited::Visited;

/// No list is longer.
const MOST_ENTRIES: usize = 4_000;

/// One edge of a heap, or one call of a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Which part of an entry state it belongs to: the receiver or an argument.
    pub is_receiver: bool,
    /// From the root: `this.store[2]`.
    pub path: String,
    /// What stands there: a value, `null`, the class of an object without its package.
    pub content: String,
    /// The full name of the class, where there is one.
    pub class: Option<String>,
}

/// The first entry in which two lists differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Where.
    pub path: String,
    /// What the first has there.
    pub first: String,
    /// What the second has there.
    pub second: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {} vs {}", self.path, self.first, self.second)
    }
}

/// Compares two lists; `missing` is said of an entry that only one of them has.
pub fn first_difference(first: &[Entry], second: &[Entry], missing: &str) -> Option<Difference> {
    let at = common(first, second);
    let only = |entry: &Entry, is_first: bool| {
        let (own, other) = (entry.content.clone(), missing.to_owned());
        let (first, second) = if is_first { (own, other) } else { (other, own) };
        Difference { path: entry.path.clone(), first, second }
    };
    match (first.get(at), second.get(at)) {
        (None, None) => None,
        (Some(entry), None) => Some(only(entry, true)),
        (None, Some(entry)) => Some(only(entry, false)),
        (Some(a), Some(b)) if a.path == b.path => {
            let full = |entry: &Entry| entry.class.clone().unwrap_or(entry.content.clone());
            let (first, second) = if a.content == b.content {
                (full(a), full(b))
            } else {
                (a.content.clone(), b.content.clone())
            };
            Some(Difference { path: a.path.clone(), first, second })
        }
        (Some(a), Some(b)) => {
            let is_missing = second[at..].iter().all(|entry| entry.path != a.path);
            Some(if is_missing { only(a, true) } else { only(b, false) })
        }
    }
}

/// How many entries two lists have in common before they differ.
pub fn common(first: &[Entry], second: &[Entry]) -> usize {
    first.iter().zip(second).take_while(|(a, b)| a == b).count()
}

/// An object whose edges are being listed.
struct Open {
    object: Ref,
    path: String,
    next: u32,
    edges: Vec<(String, u32, Kind)>,
    /// Number of elements; `None` for an object with fields.
    length: Option<(u32, Kind)>,
}

/// Lists the chosen part of the heap behind these roots; each has a name and says whether it is a receiver.
pub fn list<E: Edges>(
    heap: &mut CanonicalHeap,
    vm: &Vm,
    roots: &[(String, bool, Root)],
    edges: &E,
) -> Vec<Entry> {
    let mut listing =
        Listing { entries: Vec::new(), visited: Visited::default(), paths: Vec::new() };
    for (name, is_receiver, root) in roots {
        let mut open = Vec::new();
        open.extend(listing.put(heap, vm, (name.clone(), *is_receiver), *root, edges));
        while let Some(top) = open.last_mut() {
            if listing.entries.len() >= MOST_ENTRIES {
                return listing.entries;
            }
            let Some((path, root)) = top.step(vm, edges) else {
                open.pop();
                continue;
            };
            open.extend(listing.put(heap, vm, (path, *is_receiver), root, edges));
        }
    }
    listing.entries
}

struct Listing {
    entries: Vec<Entry>,
    visited: Visited,
    /// By number of the visit.
    paths: Vec<String>,
}

impl Listing {
    /// Lists one edge; gives the object behind it where it is met for the first time.
    fn put<E: Edges>(
        &mut self,
        heap: &mut CanonicalHeap,
        vm: &Vm,
        (path, is_receiver): (String, bool),
        root: Root,
        edges: &E,
    ) -> Option<Open> {
        let mut entry = Entry { is_receiver, path, content: String::new(), class: None };
        let object = match root {
            Root::Object(object) if !object.is_null() && !heap.is_value(vm, object) => object,
            root => {
                entry.content = value_text(vm, root);
                if let Root::Object(object) = root
                    && !object.is_null()
                {
                    entry.class = Some(vm.external_name(vm.class_of(object)));
                }
                self.entries.push(entry);
                return None;
            }
        };
        if let Some(number) = self.visited.visit(object) {
            entry.content = format!("the same as {}", self.paths[number as usize]);
            self.entries.push(entry);
            return None;
        }
        self.paths.push(entry.path.clone());
        let class = vm.class(vm.class_of(object));
        let mut open =
            Open { object, path: entry.path.clone(), next: 0, edges: Vec::new(), length: None };
        if let Shape::Array { element, .. } = class.shape {
            let length = vm.heap.array_length(object);
            open.length = Some((length, element));
            let name = short_name(&java_name(&class.external_name()));
            let name = name.strip_suffix("[]").unwrap_or(&name);
            entry.content = if E::ALL || edges.has_length(object) {
                format!("{name}[{length}]")
            } else {
                format!("{name}[]")
            };
        } else {
            open.edges = heap.fields(vm, class);
            entry.content = short_name(&class.external_name());
            entry.class = Some(class.external_name());
        }
        self.entries.push(entry);
        Some(open)
    }
}

impl Open {
    /// The next edge that belongs to the heap.
    fn step<E: Edges>(&mut self, vm: &Vm, edges: &E) -> Option<(String, Root)> {
        loop {
            let at = self.next;
            self.next += 1;
            let (slot, offset, kind, path) = match self.length {
                Some((length, _)) if at >= length => return None,
                Some((_, kind)) => {
                    let offset = ELEMENTS_OFFSET + at * kind.size();
                    (at, offset, kind, format!("{}[{at}]", self.path))
                }
                None => {
                    let (name, offset, kind) = self.edges.get(at as usize)?;
                    (*offset, *offset, *kind, format!("{}.{name}", self.path))
                }
            };
            if !E::ALL && !edges.has(self.object, slot) {
                continue;
            }
            let root = if kind == Kind::Ref {
                Root::Object(vm.heap.load_ref(self.object, offset))
            } else {
                Root::Primitive(kind, load(vm, self.object, offset, kind))
            };
            return Some((path, root));
        }
    }
}

/// `a.b.C$D` as `C.D`; arrays keep their brackets.
fn short_name(name: &str) -> String {
    let behind = name.rsplit('.').next().unwrap_or(name);
    behind.replace('$', ".")
}

/// The name of an array class as Java's syntax has it: `[[I` as `int[][]`.
fn java_name(name: &str) -> String {
    let n_dimensions = name.chars().take_while(|&char| char == '[').count();
    let element = match &name[n_dimensions..] {
        "Z" => "boolean",
        "B" => "byte",
        "C" => "char",
        "S" => "short",
        "I" => "int",
        "J" => "long",
        "F" => "float",
        "D" => "double",
        class => class.trim_start_matches('L').trim_end_matches(';'),
    };
    format!("{element}{}", "[]".repeat(n_dimensions))
}

/// A value as a person would write it; of an object that is none, its class.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "small kinds fill the low part of a register"
)]
pub fn value_text(vm: &Vm, root: Root) -> String {
    match root {
        Root::Primitive(kind, word) => match kind {
            Kind::Boolean => (word & 1 != 0).to_string(),
            Kind::Char => match char::from_u32(word as u32).filter(|char| !char.is_control()) {
                Some(char) => format!("'{char}'"),
                None => format!("'\\u{:04x}'", word as u16),
            },
            Kind::Byte => (word as u8 as i8).to_string(),
            Kind::Short => (word as u16 as i16).to_string(),
            Kind::Long => format!("{}L", word as i64),
            Kind::Float => format!("{:?}f", f32::from_bits(word as u32)),
            Kind::Double => format!("{:?}", f64::from_bits(word)),
            _ => (word as u32 as i32).to_string(),
        },
        Root::Object(object) if object.is_null() => "null".to_owned(),
        Root::Object(object) if vm.class_of(object) == vm.known.string => {
            format!("{:?}", vm.string_text(object).chars().take(40).collect::<String>())
        }
        Root::Object(object) if vm.class_of(object) == vm.known.class => {
            let class = vm.class_of_mirror(object);
            format!("{}.class", short_name(&java_name(&vm.external_name(class))))
        }
        Root::Object(object) => {
            let class = vm.class(vm.class_of(object));
            if vm.known.boxes.contains(&class.id)
                && let Some(field) = class.fields.iter().find(|field| !field.is_static())
            {
                let word = load(vm, object, field.offset, field.kind);
                return value_text(vm, Root::Primitive(field.kind, word));
            }
            if let Some(name) = constant_name(vm, object) {
                return name;
            }
            format!("<{}>", short_name(&java_name(&class.external_name())))
        }
    }
}

/// The name of a constant of an enum type.
fn constant_name(vm: &Vm, object: Ref) -> Option<String> {
    let class = vm.class(vm.class_of(object));
    let base = vm.class(*class.supers.get(1)?);
    if base.name.as_bytes() != b"java/lang/Enum" {
        return None;
    }
    let field = base.field(b"name", b"Ljava/lang/String;")?;
    let name = vm.heap.load_ref(object, field.offset);
    (!name.is_null()).then(|| vm.string_text(name))
}

#[cfg(test)]
mod tests {
    use super::{Entry, first_difference, java_name, short_name};

    fn entries(all: &[(&str, &str)]) -> Vec<Entry> {
        let entry = |&(path, content): &(&str, &str)| Entry {
            is_receiver: true,
            path: path.to_owned(),
            content: content.to_owned(),
            class: None,
        };
        all.iter().map(entry).collect()
    }

    fn check(first: &[(&str, &str)], second: &[(&str, &str)], expected: Option<&str>) {
        let found = first_difference(&entries(first), &entries(second), "nothing");
        assert_eq!(found.map(|difference| difference.to_string()).as_deref(), expected);
    }

    #[test]
    fn the_first_difference_is_named_by_its_path() {
        let stack = [("this", "IntStack"), ("this.size", "1"), ("this.store[0]", "3")];
        check(&stack, &stack, None);
        let other = [("this", "IntStack"), ("this.size", "1"), ("this.store[0]", "5")];
        check(&stack, &other, Some("this.store[0]: 3 vs 5"));
        check(&stack, &stack[..2], Some("this.store[0]: 3 vs nothing"));
        check(&stack[..2], &stack, Some("this.store[0]: nothing vs 3"));
        let unread = [("this", "IntStack"), ("this.store[0]", "3")];
        check(&unread, &stack, Some("this.size: nothing vs 1"));
        check(&stack, &unread, Some("this.size: 1 vs nothing"));
    }

    #[test]
    fn classes_are_named_as_in_java() {
        assert_eq!(java_name("[[I"), "int[][]");
        assert_eq!(java_name("[La.b.C;"), "a.b.C[]");
        assert_eq!(short_name("a.b.C$D"), "C.D");
    }
}

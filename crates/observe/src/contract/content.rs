//! What is inside the collections, maps and arrays that a call is about: whether `null` is among it, whether
//! one contains itself, whether one holds what cannot be compared. All three are documented to be the fault
//! of who put it there, and all three lead to exceptions far from that place.
//!
//! Containers are asked through their own methods, so that views, wrappers and the user's own classes tell
//! what they show and not how they are built. Only looked at where something went wrong.

use rustc_hash::FxHashSet;
use vm::class::Shape;
use vm::interp::Outcome;
use vm::value::{Kind, Ref};

use super::scene::{Break, Judged, Scene, Value};
use crate::session::Resolved;

/// Nesting that only what contains itself reaches.
const DEEPEST: usize = 64;
/// Elements of one container that are looked at, at most.
const MOST_ELEMENTS: usize = 2000;
/// Containers that are looked at, at most.
const MOST_CONTAINERS: usize = 4000;

/// What is inside.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Content {
    /// Whether an element, a key or a value is `null`.
    pub has_null: bool,
    /// Whether some container is inside itself, directly or by others.
    pub has_itself: bool,
    /// Whether going through a container fails because it cannot compare what it holds.
    pub is_mixed: bool,
}

impl Scene<'_> {
    /// What is inside these objects. Takes nothing down.
    pub(super) fn content(&mut self, objects: &[Ref]) -> Content {
        let mut content = Content::default();
        let mut level: Vec<Ref> =
            objects.iter().copied().filter(|object| !object.is_null()).collect();
        let mut n_looked = 0;
        for depth in 0..=DEEPEST {
            level.retain(|&object| self.is_container(object));
            let mut seen = FxHashSet::default();
            level.retain(|&object| seen.insert(object));
            if level.is_empty() || n_looked > MOST_CONTAINERS {
                break;
            }
            content.has_itself |= depth == DEEPEST;
            n_looked += level.len();
            let mut inner = Vec::new();
            for object in level {
                // What cannot be gone through is left out, whatever the reason.
                let _ = self.inside(object, &mut inner, &mut content);
            }
            level = inner;
        }
        content
    }

    fn is_container(&self, object: Ref) -> bool {
        let vm = self.vm();
        let types = &self.known.types;
        let class = vm.class_of(object);
        matches!(vm.class(class).shape, Shape::Array { element: Kind::Ref, .. })
            || [types.collection, types.map, types.entry].iter().any(|&of| vm.is_subtype(class, of))
            || vm.class(class).name.as_bytes().starts_with(b"java/util/")
    }

    /// Adds what is inside one container.
    fn inside(&mut self, object: Ref, found: &mut Vec<Ref>, content: &mut Content) -> Judged {
        let known = self.known;
        let types = &known.types;
        let vm = self.vm();
        let class = vm.class_of(object);
        if vm.class(class).is_array() {
            for idx in 0..vm.heap.array_length(object) {
                note(vm.heap.element_ref(object, idx), found, content);
            }
        } else if vm.is_subtype(class, types.collection) {
            let iterator = self.answer(&known.iterator, object, content)?;
            for _ in 0..MOST_ELEMENTS {
                if iterator.is_null() || self.ask(&known.has_next, iterator, content)? & 1 == 0 {
                    break;
                }
                note(self.answer(&known.next, iterator, content)?, found, content);
            }
        } else if vm.is_subtype(class, types.map) {
            found.extend(self.answer(&known.entry_set, object, content)?.some());
        } else if vm.is_subtype(class, types.entry) {
            for part in [&known.entry_key, &known.entry_value] {
                note(self.answer(part, object, content)?, found, content);
            }
        } else {
            // Others of the package only lead to containers: iterators, `Optional`.
            for &offset in &vm.class(class).ref_offsets {
                found.extend(vm.heap.load_ref(object, offset).some());
            }
        }
        Ok(())
    }

    fn answer(&mut self, method: &Resolved, of: Ref, content: &mut Content) -> Judged<Ref> {
        self.ask(method, of, content).map(Ref::from_slot)
    }

    fn ask(&mut self, method: &Resolved, of: Ref, content: &mut Content) -> Judged<u64> {
        match self.run(method, &[Value::unnamed(of)])? {
            Outcome::Returned(value) => Ok(value.to_slot()),
            Outcome::Threw(exception) => {
                let class_cast = self.known.types.class_cast;
                content.is_mixed |=
                    !exception.is_null() && self.vm().instance_of(exception, class_cast);
                Err(Break::Threw(exception))
            }
            Outcome::Stopped(stop) => Err(Break::Stopped(stop)),
        }
    }
}

fn note(element: Ref, found: &mut Vec<Ref>, content: &mut Content) {
    content.has_null |= element.is_null();
    found.extend(element.some());
}

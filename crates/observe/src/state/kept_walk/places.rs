//! Where the objects of a kept heap are: finds the one that a granule is part of.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use vm::heap::ELEMENTS_OFFSET;
use vm::value::{Kind, Ref};
use vm::vm::Vm;

use super::super::canonical_heap::Form;

/// Objects of fewer granules are found from any granule in them by looking back.
const SMALL: u32 = 16;

/// An object that is part of a kept heap.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// Granules of the object.
    size: u32,
    node: u32,
}

/// Objects and the nodes that stand for them.
#[derive(Debug, Default)]
pub(super) struct Places {
    all: FxHashMap<Ref, Place>,
    /// Large objects: their places by their first granules.
    large: BTreeMap<u32, Place>,
}

impl Places {
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.large.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// The node of an object.
    #[inline]
    pub(super) fn get(&self, object: Ref) -> Option<u32> {
        self.all.get(&object).map(|place| place.node)
    }

    /// The node of the object that a granule is part of.
    pub(super) fn at(&self, granule: u32) -> Option<u32> {
        for back in 0..SMALL.min(granule) {
            if let Some(place) = self.all.get(&Ref(granule - back)) {
                return (back < place.size).then_some(place.node);
            }
        }
        let (first, place) = self.large.range(..=granule).next_back()?;
        (granule - first < place.size).then_some(place.node)
    }

    /// An object, of this form, that a node stands for.
    pub(super) fn insert(&mut self, vm: &Vm, object: Ref, form: Form, node: u32) {
        let place = Place { size: granules(vm, object, form), node };
        self.all.insert(object, place);
        if place.size > SMALL {
            self.large.insert(object.0, place);
        }
    }

    pub(super) fn remove(&mut self, object: Ref) {
        if self.all.remove(&object).is_some_and(|place| place.size > SMALL) {
            self.large.remove(&object.0);
        }
    }
}

/// Granules that an object takes.
fn granules(vm: &Vm, object: Ref, form: Form) -> u32 {
    let Form::Array(kind) = form else {
        return vm.class(vm.class_of(object)).instance_size.div_ceil(8);
    };
    let n_bytes = u64::from(vm.heap.array_length(object)) * u64::from(kind.size());
    let n_granules = (u64::from(ELEMENTS_OFFSET) + n_bytes).div_ceil(8);
    u32::try_from(n_granules).unwrap_or(u32::MAX - object.0)
}

/// The element of an array that a byte of it is in.
pub(super) fn element_at(kind: Kind, offset: u32) -> u32 {
    offset.saturating_sub(ELEMENTS_OFFSET) / kind.size()
}

//! Which part of the world belongs to the classes under test and to the user's: their static fields and what
//! is behind them. A sequence that changes it leads to more than its values show. What else calls change of
//! the world are caches of the JDK and of the machine, which are filled by whoever comes first.

use rustc_hash::FxHashSet;
use vm::class::Shape;
use vm::heap::ELEMENTS_OFFSET;
use vm::value::{Kind, Ref};
use vm::vm::Vm;

/// Objects that are looked at, at most.
const MOST_OBJECTS: usize = 200_000;

/// Parts of the heap.
#[derive(Debug, Clone, Default)]
pub(super) struct OwnState {
    /// Bytes from and to, in order.
    ranges: Vec<(usize, usize)>,
}

impl OwnState {
    /// Looks for it. Objects below `world_end` were there before the classes under test and are the JDK's.
    pub(super) fn find(vm: &Vm, world_end: usize, is_own: &dyn Fn(&str, bool) -> bool) -> OwnState {
        let mut ranges = Vec::new();
        let mut waiting = Vec::new();
        for entry in &vm.classes {
            let class = &entry.class;
            if class.statics_size == 0
                || !is_own(&class.name.to_string(), vm.is_jdk_loader(class.loader))
            {
                continue;
            }
            let start = entry.mirror.byte_offset() + vm.known.mirror_size as usize;
            ranges.push((start, start + class.statics_size as usize));
            let fields = class.static_ref_offsets.iter();
            waiting.extend(fields.map(|&offset| vm.heap.load_ref(entry.mirror, offset)));
        }
        let mut seen: FxHashSet<Ref> = FxHashSet::default();
        while let Some(object) = waiting.pop() {
            if object.is_null()
                || object.byte_offset() < world_end
                || vm.class_of(object) == vm.known.class
                || seen.len() >= MOST_OBJECTS
                || !seen.insert(object)
            {
                continue;
            }
            let class = vm.class(vm.class_of(object));
            let start = object.byte_offset();
            if let Shape::Array { element, .. } = class.shape {
                let length = vm.heap.array_length(object);
                let n_bytes = ELEMENTS_OFFSET as usize + (length * element.size()) as usize;
                ranges.push((start, start + n_bytes));
                if element == Kind::Ref {
                    waiting.extend((0..length).map(|idx| vm.heap.element_ref(object, idx)));
                }
            } else {
                ranges.push((start, start + class.instance_size as usize));
                let fields = class.ref_offsets.iter();
                waiting.extend(fields.map(|&offset| vm.heap.load_ref(object, offset)));
            }
        }
        ranges.sort_unstable();
        OwnState { ranges }
    }

    /// Whether a byte of the heap is part of it.
    pub(super) fn has(&self, byte: usize) -> bool {
        let idx = self.ranges.partition_point(|range| range.0 <= byte);
        idx.checked_sub(1).is_some_and(|idx| byte < self.ranges[idx].1)
    }
}

#[cfg(test)]
mod tests {
    use super::OwnState;

    #[test]
    fn a_byte_is_found_in_the_part_that_it_lies_in_and_nowhere_else() {
        let own = OwnState { ranges: vec![(16, 32), (32, 40), (80, 88)] };
        for (byte, is_own) in
            [(0, false), (16, true), (31, true), (39, true), (40, false), (80, true), (88, false)]
        {
            assert_eq!(own.has(byte), is_own, "{byte}");
        }
    }
}

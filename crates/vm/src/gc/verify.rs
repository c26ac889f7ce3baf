//! Walks the whole heap after a collection: every object has a known class and fits, every
//! reference leads to the start of an object. Only with the feature `self-checks`.

use super::shapes::{Layout, Shapes, class_name};
use crate::heap::{ELEMENTS_OFFSET, FIRST_BYTE, META_OFFSET, META_RECORD};
use crate::value::Ref;
use crate::vm::Vm;

/// Panics where something is wrong.
pub(super) fn verify(vm: &Vm) {
    let mut shapes = Shapes::default();
    shapes.extend(vm);
    let heap = &vm.heap;
    let mut objects = Vec::new();
    for (start, end) in [
        (FIRST_BYTE, heap.base_end),
        (heap.literals_start, heap.literals_top),
        (heap.perm_start, heap.perm_top),
        (heap.main_start, heap.top),
    ] {
        let mut at = start;
        while at < end {
            let object = Ref(u32::try_from(at >> 3).expect("internal: a heap beyond its layout"));
            let class = heap.class_id(object) as usize;
            assert!(class < vm.classes.len(), "internal: object at {at:x} has no class ({class})");
            objects.push(object);
            at += shapes.size(vm, object);
        }
        assert!(at == end, "internal: the last object ends at {at:x} behind {end:x}");
    }
    let mut starts = vec![0_u64; (heap.top >> 9) + 1];
    for object in &objects {
        starts[object.0 as usize >> 6] |= 1 << (object.0 & 63);
    }
    let is_start = |target: Ref| {
        starts.get(target.0 as usize >> 6).is_some_and(|word| word >> (target.0 & 63) & 1 != 0)
    };
    for &object in &objects {
        let check = |what: &dyn std::fmt::Display, target: Ref| {
            assert!(
                target.is_null() || is_start(target),
                "internal: {what} of {} at {object:?} leads to {target:?}, which is no object (main from {:x} to {:x})",
                class_name(vm, object),
                heap.main_start >> 3,
                heap.top >> 3,
            );
        };
        let meta = heap.load_u32(object, META_OFFSET);
        if meta & META_RECORD != 0 {
            check(&"lock record", Ref(meta & !META_RECORD));
        }
        match shapes.layout(heap.class_id(object)) {
            Layout::Plain { first, n, .. } => {
                for &offset in shapes.offsets(first, n) {
                    check(&offset, heap.load_ref(object, offset));
                }
            }
            Layout::Weak { first, n, .. } => {
                for &offset in shapes.offsets(first, n) {
                    check(&offset, heap.load_ref(object, offset));
                }
                check(&"referent", heap.load_ref(object, shapes.reference.referent));
            }
            Layout::References => {
                for idx in 0..heap.array_length(object) {
                    check(&idx, heap.load_ref(object, ELEMENTS_OFFSET + idx * 4));
                }
            }
            Layout::Mirror => {
                let class = vm.class(vm.class_of_mirror(object));
                for offset in shapes.mirror_slots(class) {
                    check(
                        &format_args!("{} (static) {offset}", class.name),
                        heap.load_ref(object, offset),
                    );
                }
            }
            Layout::Numbers { .. } => {}
        }
    }
}

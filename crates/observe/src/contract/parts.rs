//! The parts of an object: everything that can be reached from it.

use vm::class::Shape;
use vm::value::{ClassId, Kind, Ref};
use vm::vm::Vm;

use crate::state::visited::Visited;

/// Larger objects are not looked through.
const MOST_OBJECTS: usize = 500;

/// Whether the object and all its parts are of classes that pass. Class objects and what lies behind them
/// are no parts; an object that is too large does not pass.
pub(super) fn all_pass(vm: &Vm, root: Ref, passes: &dyn Fn(Ref, ClassId) -> bool) -> bool {
    let mut visited = Visited::default();
    let mut waiting = vec![root];
    visited.visit(root);
    let mut next = 0;
    while let Some(&object) = waiting.get(next) {
        next += 1;
        let id = vm.class_of(object);
        if next > MOST_OBJECTS || !passes(object, id) {
            return false;
        }
        let class = vm.class(id);
        let mut follow = |part: Ref| {
            let is_part = !part.is_null() && vm.class_of(part) != vm.known.class;
            if is_part && visited.visit(part).is_none() {
                waiting.push(part);
            }
        };
        if let Shape::Array { element, .. } = class.shape {
            if element == Kind::Ref {
                for idx in 0..vm.heap.array_length(object) {
                    follow(vm.heap.element_ref(object, idx));
                }
            }
        } else {
            for &offset in &class.ref_offsets {
                follow(vm.heap.load_ref(object, offset));
            }
        }
    }
    true
}

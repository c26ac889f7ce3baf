//! What one test may leave behind for the next: the static fields of the user's classes and all that they
//! lead to.

use vm::value::{ClassId, Kind, Ref};
use vm::vm::Vm;

use crate::state::canonical_heap::{CanonicalHeap, Root};
use crate::state::fingerprint::Fingerprint;
use crate::state::mask::Mask;

/// The static state of the user's classes.
pub(super) struct Statics {
    heap: CanonicalHeap,
    user_classes: Vec<ClassId>,
}

impl Statics {
    pub(super) fn new(user_classes: Vec<ClassId>) -> Statics {
        Statics { heap: CanonicalHeap::new(Mask::standard()), user_classes }
    }

    /// A key of the state as it is now, the same on all machines.
    pub(super) fn fingerprint(&mut self, vm: &Vm) -> Fingerprint {
        let mut roots = Vec::new();
        for &class in &self.user_classes {
            if vm.classes[class.idx()].initialised_at.is_none() {
                continue;
            }
            let mirror = vm.mirror(class);
            for field in
                vm.class(class).fields.iter().filter(|field| field.is_static() && !field.injected)
            {
                roots.push(match field.kind {
                    Kind::Ref => Root::Object(vm.heap.load_ref(mirror, field.offset)),
                    kind => Root::Primitive(kind, load(vm, mirror, field.offset, kind)),
                });
            }
        }
        self.heap.fingerprint(vm, &roots)
    }
}

/// A primitive field in the form of a register.
fn load(vm: &Vm, mirror: Ref, offset: u32, kind: Kind) -> u64 {
    match kind {
        Kind::Long | Kind::Double => vm.heap.load_u64(mirror, offset),
        Kind::Boolean | Kind::Byte => u64::from(vm.heap.bytes(mirror, offset, 1)[0]),
        Kind::Short | Kind::Char => {
            let bytes = vm.heap.bytes(mirror, offset, 2);
            u64::from(u16::from_le_bytes([bytes[0], bytes[1]]))
        }
        _ => u64::from(vm.heap.load_u32(mirror, offset)),
    }
}

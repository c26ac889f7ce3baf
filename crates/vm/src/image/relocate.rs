//! The objects of a booted machine, moved together: literals, mirrors and all others side by side,
//! every reference brought up to date in the copy.

use crate::gc::ObjectMap;
use crate::heap::{FIRST_BYTE, META_OFFSET, META_RECORD};
use crate::value::Ref;
use crate::vm::Vm;

/// Where objects go: `(first byte, behind the last byte, first byte after the move)`.
#[derive(Debug)]
pub(super) struct Relocation {
    regions: Vec<(usize, usize, usize)>,
    end: usize,
}

impl Relocation {
    /// The one that moves all regions of a machine together.
    pub(super) fn of(vm: &Vm) -> Relocation {
        let heap = &vm.heap;
        let mut relocation = Relocation { regions: Vec::new(), end: FIRST_BYTE };
        for (start, end) in [
            (FIRST_BYTE, heap.base_end),
            (heap.literals_start, heap.literals_top),
            (heap.perm_start, heap.perm_top),
            (heap.main_start, heap.top),
        ] {
            relocation.regions.push((start, end, relocation.end));
            relocation.end += end - start;
        }
        relocation
    }

    /// Bytes that all objects take.
    pub(super) fn size(&self) -> usize {
        self.end - FIRST_BYTE
    }

    /// Where an object goes; null stays.
    #[expect(clippy::cast_possible_truncation, reason = "granule indices fit 32 bits by layout")]
    pub(super) fn apply(&self, object: Ref) -> Ref {
        let at = object.byte_offset();
        if object.is_null() {
            return object;
        }
        let region = self.regions.iter().find(|(start, end, _)| (*start..*end).contains(&at));
        let (start, _, new_start) = region.expect("internal: a reference out of the heap");
        Ref(((at - start + new_start) >> 3) as u32)
    }

    /// All objects at their old places.
    fn regions(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.regions.iter().map(|&(start, end, _)| (start, end))
    }
}

/// A slot of an object: byte offset in the moved objects' space, and what it refers to at the old place.
pub(super) struct Slot {
    pub(super) at: usize,
    pub(super) target: Ref,
}

/// Copies all objects, moved. `visit` sees every slot that holds a reference.
pub(super) fn copy_objects(
    vm: &mut Vm,
    relocation: &Relocation,
    visit: &mut dyn FnMut(&Vm, Slot),
) -> Vec<u8> {
    let mut copy = Vec::with_capacity(relocation.size());
    for (start, end) in relocation.regions() {
        copy.extend_from_slice(vm.heap.bytes(at_byte(start), 0, end - start));
    }
    let map = ObjectMap::of(vm);
    let mut slots = Vec::new();
    for (start, end) in relocation.regions() {
        let mut at = start;
        while at < end {
            let object = at_byte(at);
            let new = relocation.apply(object).byte_offset();
            let meta = vm.heap.meta(object);
            if meta & META_RECORD != 0 {
                let record = relocation.apply(Ref(meta & !META_RECORD));
                put(&mut copy, new + META_OFFSET as usize, record.0 | META_RECORD);
            }
            slots.clear();
            map.slots(vm, object, &mut slots);
            for &offset in &slots {
                let target = vm.heap.load_ref(object, offset);
                put(&mut copy, new + offset as usize, relocation.apply(target).0);
                if !target.is_null() {
                    visit(vm, Slot { at: new + offset as usize, target });
                }
            }
            at += map.size(vm, object);
        }
    }
    copy
}

fn put(copy: &mut [u8], at: usize, word: u32) {
    copy[at - FIRST_BYTE..][..4].copy_from_slice(&word.to_ne_bytes());
}

#[expect(clippy::cast_possible_truncation, reason = "granule indices fit 32 bits by layout")]
fn at_byte(at: usize) -> Ref {
    Ref((at >> 3) as u32)
}

//! Sizes and reference slots of objects by class number, in one flat table for speed.

use crate::class::{Class, ClassRt, ReferenceKind, Shape};
use crate::heap::{ELEMENTS_OFFSET, Heap};
#[cfg(feature = "self-checks")]
use crate::value::ClassId;
use crate::value::{Kind, Ref};
use crate::vm::Vm;

/// How instances of a class are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// An object with `size` bytes; reference slots at `offsets[first..first + n]`.
    Plain { size: u32, first: u32, n: u32 },
    /// An array of numbers with elements of `1 << shift` bytes.
    Numbers { shift: u32 },
    /// An array of references.
    References,
    /// A `java.lang.Class`: what is in it depends on the class it stands for.
    Mirror,
    /// A `java.lang.ref.Reference`; as `Plain`, `referent` not among the slots.
    Weak { size: u32, first: u32, n: u32, kind: ReferenceKind },
}

/// Byte offsets in `java.lang.ref.Reference`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ReferenceFields {
    pub(super) referent: u32,
    pub(super) next: u32,
    pub(super) discovered: u32,
}

/// Layouts of all classes seen so far.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    layouts: Vec<Layout>,
    offsets: Vec<u32>,
    /// Fields of mirrors that hold references, their static fields not among them.
    mirror_offsets: Vec<u32>,
    pub(super) reference: ReferenceFields,
}

impl Shapes {
    /// Takes in classes made since the last time.
    pub(super) fn extend(&mut self, vm: &Vm) {
        for rt in &vm.classes[self.layouts.len()..] {
            self.add(vm, rt);
        }
    }

    /// Forgets classes that were rolled back.
    pub(super) fn truncate(&mut self, n_classes: usize) {
        let Some(dropped) = self.layouts.get(n_classes..) else { return };
        let first = dropped.iter().find_map(|layout| match *layout {
            Layout::Plain { first, .. } | Layout::Weak { first, .. } => Some(first),
            _ => None,
        });
        if let Some(first) = first {
            self.offsets.truncate(first as usize);
        }
        self.layouts.truncate(n_classes);
    }

    #[expect(clippy::cast_possible_truncation, reason = "far fewer slots than 2^32")]
    fn add(&mut self, vm: &Vm, rt: &ClassRt) {
        let class: &Class = &rt.class;
        let layout = match class.shape {
            Shape::Array { element: Kind::Ref, .. } => Layout::References,
            Shape::Array { element, .. } => {
                Layout::Numbers { shift: element.size().trailing_zeros() }
            }
            Shape::Primitive(_) => Layout::Plain { size: 8, first: 0, n: 0 },
            Shape::Instance if class.id == vm.known.class => {
                self.mirror_offsets = class.ref_offsets.to_vec();
                Layout::Mirror
            }
            Shape::Instance => {
                let first = self.offsets.len() as u32;
                let size = class.instance_size.next_multiple_of(8);
                if class.reference_kind == ReferenceKind::None {
                    self.offsets.extend_from_slice(&class.ref_offsets);
                    Layout::Plain { size, first, n: class.ref_offsets.len() as u32 }
                } else {
                    self.find_reference_fields(vm, class);
                    let referent = self.reference.referent;
                    self.offsets
                        .extend(class.ref_offsets.iter().filter(|&&offset| offset != referent));
                    let n = self.offsets.len() as u32 - first;
                    Layout::Weak { size, first, n, kind: class.reference_kind }
                }
            }
        };
        self.layouts.push(layout);
    }

    fn find_reference_fields(&mut self, vm: &Vm, class: &Class) {
        let find = |name: &[u8]| {
            let mut fields = class.supers.iter().flat_map(|&id| vm.class(id).fields.iter());
            let field =
                fields.find(|f| !f.is_static() && f.name.as_bytes() == name && f.kind == Kind::Ref);
            field.expect("internal: java.lang.ref.Reference lacks a field").offset
        };
        self.reference = ReferenceFields {
            referent: find(b"referent"),
            next: find(b"next"),
            discovered: find(b"discovered"),
        };
    }

    #[inline(always)]
    pub(super) fn layout(&self, class_id: u32) -> Layout {
        self.layouts[class_id as usize]
    }

    #[inline(always)]
    pub(super) fn offsets(&self, first: u32, n: u32) -> &[u32] {
        &self.offsets[first as usize..(first + n) as usize]
    }

    /// Offsets of a mirror's reference fields, static fields of its class included.
    pub(super) fn mirror_slots<'a>(&'a self, class: &'a Class) -> impl Iterator<Item = u32> + 'a {
        self.mirror_offsets.iter().chain(&class.static_ref_offsets).copied()
    }

    /// Bytes that an object takes.
    #[inline(always)]
    pub(super) fn size(&self, vm: &Vm, object: Ref) -> usize {
        self.size_in(&vm.heap, &|mirror| mirror_size(vm, mirror), object)
    }

    /// As `size` where the machine is not at hand as a whole.
    #[inline(always)]
    pub(super) fn size_in(
        &self,
        heap: &Heap,
        mirror_size: &dyn Fn(Ref) -> usize,
        object: Ref,
    ) -> usize {
        match self.layout(heap.class_id(object)) {
            Layout::Plain { size, .. } | Layout::Weak { size, .. } => size as usize,
            Layout::Numbers { shift } => array_size(heap, object, shift),
            Layout::References => array_size(heap, object, 2),
            Layout::Mirror => mirror_size(object),
        }
    }
}

/// Sizes and slots of objects, for others than the collector.
#[derive(Debug)]
pub(crate) struct ObjectMap(Shapes);

impl ObjectMap {
    /// The map of all classes of a machine.
    pub(crate) fn of(vm: &Vm) -> ObjectMap {
        let mut shapes = Shapes::default();
        shapes.extend(vm);
        ObjectMap(shapes)
    }

    /// Bytes that an object takes.
    pub(crate) fn size(&self, vm: &Vm, object: Ref) -> usize {
        self.0.size(vm, object)
    }

    /// Adds the offsets of all slots for references, static fields of mirrors included.
    pub(crate) fn slots(&self, vm: &Vm, object: Ref, slots: &mut Vec<u32>) {
        let shapes = &self.0;
        match shapes.layout(vm.heap.class_id(object)) {
            Layout::Plain { first, n, .. } => slots.extend_from_slice(shapes.offsets(first, n)),
            Layout::Weak { first, n, .. } => {
                slots.extend_from_slice(shapes.offsets(first, n));
                slots.push(shapes.reference.referent);
            }
            Layout::References => {
                let length = vm.heap.array_length(object);
                slots.extend((0..length).map(|idx| ELEMENTS_OFFSET + idx * 4));
            }
            Layout::Mirror => {
                let class = vm.class(vm.class_of_mirror(object));
                slots.extend(shapes.mirror_slots(class));
            }
            Layout::Numbers { .. } => {}
        }
    }
}

fn array_size(heap: &Heap, array: Ref, shift: u32) -> usize {
    let length = heap.array_length(array) as usize;
    (ELEMENTS_OFFSET as usize + (length << shift) + 7) & !7
}

/// Bytes that a mirror takes: its own fields and the static fields of its class.
pub(super) fn mirror_size(vm: &Vm, mirror: Ref) -> usize {
    let class = vm.class_of_mirror(mirror);
    let own = vm.class(vm.known.class).instance_size;
    let statics = vm.classes.get(class.idx()).map_or(0, |rt| rt.class.statics_size);
    (own as usize + statics as usize).next_multiple_of(8)
}

/// Names the class of an object for messages of the self-checks.
#[cfg(feature = "self-checks")]
pub(super) fn class_name(vm: &Vm, object: Ref) -> String {
    let class = ClassId(vm.heap.class_id(object));
    vm.classes
        .get(class.idx())
        .map_or_else(|| format!("class {class:?}"), |rt| rt.class.name.to_string())
}

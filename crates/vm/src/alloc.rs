//! Making objects and arrays from Rust code. The interpreter has its own fast path.

use crate::class::Shape;
use crate::frame::{Collect, Res, Trap};
use crate::heap::{ELEMENTS_OFFSET, LENGTH_OFFSET};
use crate::value::{ClassId, Kind, Ref};
use crate::vm::Vm;

impl Vm {
    /// A zeroed instance; the class need not be initialised. Collections never happen here: the
    /// main region may grow past its soft end, a little even past its hard end, and the interpreter
    /// collects at the next safe point. What is large and does not fit is tried again after a
    /// collection (`Trap::Collect`).
    pub fn new_object(&mut self, class: ClassId) -> Res<Ref> {
        let size = self.class(class).instance_size as usize;
        self.allocate(class, size)
    }

    /// A zeroed array of an array class.
    pub fn new_array(&mut self, array_class: ClassId, length: u32) -> Res<Ref> {
        let Shape::Array { element, .. } = self.class(array_class).shape else {
            unreachable!("internal: not an array class")
        };
        let size = ELEMENTS_OFFSET as usize + length as usize * element.size() as usize;
        let array = self.allocate(array_class, size)?;
        self.heap.init_u32(array, LENGTH_OFFSET, length);
        Ok(array)
    }

    fn allocate(&mut self, class: ClassId, size: usize) -> Res<Ref> {
        let object = match self.heap.allocate(class.0, size) {
            Some(object) => object,
            None => match self.heap.allocate_spare(class.0, size) {
                Some(object) => object,
                None if self.can_collect() => return Err(Trap::Collect(Collect::Room(size))),
                None => return Err(self.throw("java/lang/OutOfMemoryError", "Java heap space")),
            },
        };
        if self.heap.top > self.heap.end && !self.gc_due {
            self.gc_due = true;
            self.poll_soon();
        }
        Ok(object)
    }

    /// A zeroed array of a primitive kind.
    pub fn new_primitive_array(&mut self, kind: Kind, length: u32) -> Res<Ref> {
        let class = self.array_class(self.primitive_class(kind))?;
        self.new_array(class, length)
    }

    /// A `byte[]` with this content.
    #[expect(clippy::cast_possible_truncation, reason = "callers stay below the heap size")]
    pub fn new_byte_array(&mut self, bytes: &[u8]) -> Res<Ref> {
        let array = self.new_primitive_array(Kind::Byte, bytes.len() as u32)?;
        self.heap.store_bytes(array, ELEMENTS_OFFSET, bytes);
        Ok(array)
    }

    /// An array of references with this content.
    #[expect(clippy::cast_possible_truncation, reason = "callers stay below the heap size")]
    pub fn new_ref_array(&mut self, component: ClassId, elements: &[Ref]) -> Res<Ref> {
        let class = self.array_class(component)?;
        let array = self.new_array(class, elements.len() as u32)?;
        for (idx, &element) in elements.iter().enumerate() {
            self.heap.set_element_ref(array, idx as u32, element);
        }
        Ok(array)
    }
}

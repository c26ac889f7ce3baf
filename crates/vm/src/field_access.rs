//! Fields by name, for natives that run rarely; the ones that matter are in `well_known`.

use crate::class::Field;
use crate::value::{ClassId, Ref};
use crate::vm::Vm;

impl Vm {
    /// Byte offset of a field that the JDK is known to have, declared here or inherited. Panics
    /// where it is missing: the machine does not know this JDK.
    pub fn field_offset(&self, class: ClassId, name: &str, descriptor: &str) -> u32 {
        self.known_field(class, name, descriptor).offset
    }

    /// As `field_offset`, for a field that only some JDKs have.
    pub fn try_field_offset(&self, class: ClassId, name: &str, descriptor: &str) -> Option<u32> {
        self.lookup_field(class, name.as_bytes(), descriptor.as_bytes()).map(|field| field.offset)
    }

    /// Mirror and offset of a static field that the JDK is known to have.
    pub fn static_slot(&self, class: ClassId, name: &str, descriptor: &str) -> (Ref, u32) {
        let field = self.known_field(class, name, descriptor);
        (self.mirror(field.class), field.offset)
    }

    /// Reads a reference field of an object.
    pub fn get_field_ref(&self, object: Ref, name: &str, descriptor: &str) -> Ref {
        let offset = self.field_offset(self.class_of(object), name, descriptor);
        self.heap.load_ref(object, offset)
    }

    /// Writes a reference field of an object.
    pub fn set_field_ref(&mut self, object: Ref, name: &str, descriptor: &str, value: Ref) {
        let offset = self.field_offset(self.class_of(object), name, descriptor);
        self.heap.store_ref(object, offset, value);
    }

    /// Reads an `int` field of an object.
    pub fn get_field_int(&self, object: Ref, name: &str) -> i32 {
        let offset = self.field_offset(self.class_of(object), name, "I");
        self.heap.load_u32(object, offset).cast_signed()
    }

    /// Writes an `int` field of an object.
    pub fn set_field_int(&mut self, object: Ref, name: &str, value: i32) {
        let offset = self.field_offset(self.class_of(object), name, "I");
        self.heap.store_u32(object, offset, value.cast_unsigned());
    }

    /// Reads a `long` field of an object.
    pub fn get_field_long(&self, object: Ref, name: &str) -> i64 {
        let offset = self.field_offset(self.class_of(object), name, "J");
        self.heap.load_u64(object, offset).cast_signed()
    }

    /// Writes a `long` field of an object.
    pub fn set_field_long(&mut self, object: Ref, name: &str, value: i64) {
        let offset = self.field_offset(self.class_of(object), name, "J");
        self.heap.store_u64(object, offset, value.cast_unsigned());
    }

    fn known_field(&self, class: ClassId, name: &str, descriptor: &str) -> Field {
        self.lookup_field(class, name.as_bytes(), descriptor.as_bytes()).unwrap_or_else(|| {
            panic!("internal: no field {name} {descriptor} in {}", self.class(class).name)
        })
    }
}

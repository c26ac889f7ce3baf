//! Members of classes as Java objects: `Field`, `Method`, `Constructor`, `RecordComponent`,
//! `Parameter`, and the way back from such an object to the member.
//!
//! Types in descriptors are loaded through the declaring class's loader, so Java code may have to
//! run first; everything here can be repeated from its start.

use std::sync::Arc;

use classfile::{ClassFile, MethodDescriptor, Span};

use crate::class::{Class, Field, flags};
use crate::frame::Res;
use crate::reflection::layout::{
    ConstructorLayout, FieldLayout, MethodLayout, ParameterLayout, RecordComponentLayout,
};
use crate::value::{ClassId, LoaderId, MethodId, Ref};
use crate::vm::Vm;

impl Vm {
    /// A new `java.lang.reflect.Field`.
    pub fn new_reflected_field(&mut self, field: &Field) -> Res<Ref> {
        let layout = FieldLayout::of(self)?;
        let class = Arc::clone(self.class(field.class));
        let file = Arc::clone(class.class_file());
        let info = &file.fields()[usize::from(field.slot)];
        let field_type = self.class_of_descriptor(class.loader, field.descriptor.as_bytes())?;
        let name = self.intern_mutf8(field.name.as_bytes())?;
        let signature = self.optional_string(&file, info.signature)?;
        let annotations = self.optional_bytes(&file, info.annotations)?;
        let object = self.new_boot_object(FieldLayout::CLASS)?;
        self.heap.store_ref(object, layout.clazz, self.mirror(field.class));
        self.heap.store_u32(object, layout.slot, u32::from(field.slot));
        self.heap.store_ref(object, layout.name, name);
        self.heap.store_ref(object, layout.field_type, self.mirror(field_type));
        self.heap.store_u32(object, layout.modifiers, u32::from(field.flags));
        let trusted = self.is_trusted_final(field);
        self.heap.store_u8(object, layout.trusted_final, u8::from(trusted));
        self.heap.store_ref(object, layout.signature, signature);
        self.heap.store_ref(object, layout.annotations, annotations);
        Ok(object)
    }

    /// Whether a final field cannot be changed even by reflection with `setAccessible`.
    pub fn is_trusted_final(&self, field: &Field) -> bool {
        let class = self.class(field.class);
        field.flags & flags::FINAL != 0
            && (field.is_static() || class.hidden || self.is_record(field.class))
    }

    /// Whether a class is a record class: final, directly below `Record`, with the attribute.
    pub fn is_record(&self, class: ClassId) -> bool {
        let class = self.class(class);
        let Some(file) = class.file() else { return false };
        class.flags & flags::FINAL != 0
            && class.super_class.is_some_and(|super_class| {
                let super_class = self.class(super_class);
                super_class.name.as_bytes() == b"java/lang/Record"
                    && super_class.loader == LoaderId::BOOT
            })
            && file.record_components().is_some()
    }

    /// A new `java.lang.reflect.Method` or, for `<init>`, `java.lang.reflect.Constructor`.
    pub fn new_reflected_method(&mut self, method: MethodId) -> Res<Ref> {
        let layout = MethodLayout::of(self)?;
        let (class, slot) = {
            let method = self.method(method);
            (Arc::clone(self.class(method.class)), method.slot)
        };
        let declared = &class.methods[usize::from(slot)];
        if declared.is_constructor() {
            return self.new_reflected_constructor(&class, slot);
        }
        let file = Arc::clone(class.class_file());
        let info = &file.methods()[usize::from(slot)];
        let (parameter_types, return_type) =
            self.types_of(class.loader, declared.descriptor.as_bytes())?;
        let exception_types = self.exception_types(&class, &info.exceptions)?;
        let name = self.intern_mutf8(declared.name.as_bytes())?;
        let signature = self.optional_string(&file, info.signature)?;
        let annotations = self.optional_bytes(&file, info.annotations)?;
        let parameter_annotations = self.optional_bytes(&file, info.parameter_annotations)?;
        let annotation_default = self.optional_bytes(&file, info.annotation_default)?;
        let object = self.new_boot_object(MethodLayout::CLASS)?;
        self.heap.store_ref(object, layout.clazz, self.mirror(class.id));
        self.heap.store_u32(object, layout.slot, u32::from(slot));
        self.heap.store_ref(object, layout.name, name);
        self.heap.store_ref(object, layout.return_type, return_type);
        self.heap.store_ref(object, layout.parameter_types, parameter_types);
        self.heap.store_ref(object, layout.exception_types, exception_types);
        self.heap.store_u32(object, layout.modifiers, u32::from(declared.flags));
        self.heap.store_ref(object, layout.signature, signature);
        self.heap.store_ref(object, layout.annotations, annotations);
        self.heap.store_ref(object, layout.parameter_annotations, parameter_annotations);
        self.heap.store_ref(object, layout.annotation_default, annotation_default);
        Ok(object)
    }

    fn new_reflected_constructor(&mut self, class: &Arc<Class>, slot: u16) -> Res<Ref> {
        let layout = ConstructorLayout::of(self)?;
        let declared = &class.methods[usize::from(slot)];
        let file = Arc::clone(class.class_file());
        let info = &file.methods()[usize::from(slot)];
        let (parameter_types, _) = self.types_of(class.loader, declared.descriptor.as_bytes())?;
        let exception_types = self.exception_types(class, &info.exceptions)?;
        let signature = self.optional_string(&file, info.signature)?;
        let annotations = self.optional_bytes(&file, info.annotations)?;
        let parameter_annotations = self.optional_bytes(&file, info.parameter_annotations)?;
        let object = self.new_boot_object(ConstructorLayout::CLASS)?;
        self.heap.store_ref(object, layout.clazz, self.mirror(class.id));
        self.heap.store_u32(object, layout.slot, u32::from(slot));
        self.heap.store_ref(object, layout.parameter_types, parameter_types);
        self.heap.store_ref(object, layout.exception_types, exception_types);
        self.heap.store_u32(object, layout.modifiers, u32::from(declared.flags));
        self.heap.store_ref(object, layout.signature, signature);
        self.heap.store_ref(object, layout.annotations, annotations);
        self.heap.store_ref(object, layout.parameter_annotations, parameter_annotations);
        Ok(object)
    }

    /// The `RecordComponent`s of a class with a `Record` attribute, an array; null without one.
    pub fn new_record_components(&mut self, class: ClassId) -> Res<Ref> {
        let class = Arc::clone(self.class(class));
        let Some(file) = class.file().cloned() else { return Ok(Ref::NULL) };
        let Some(components) = file.record_components() else { return Ok(Ref::NULL) };
        let layout = RecordComponentLayout::of(self)?;
        let mut objects = Vec::with_capacity(components.len());
        for component in components {
            let pool = file.constant_pool();
            let name = pool.utf8(component.name);
            let descriptor = pool.utf8(component.descriptor);
            let component_type = self.class_of_descriptor(class.loader, descriptor)?;
            let getter = [b"()", descriptor].concat();
            let accessor = match class.method(name, &getter).filter(|method| !method.is_static()) {
                Some(method) => self.new_reflected_method(method.id)?,
                None => Ref::NULL,
            };
            let name = self.intern_mutf8(name)?;
            let signature = self.optional_string(&file, component.signature)?;
            let annotations = self.optional_bytes(&file, component.annotations)?;
            let type_annotations = self.optional_bytes(&file, component.type_annotations)?;
            let object = self.new_boot_object(RecordComponentLayout::CLASS)?;
            self.heap.store_ref(object, layout.clazz, self.mirror(class.id));
            self.heap.store_ref(object, layout.name, name);
            self.heap.store_ref(object, layout.component_type, self.mirror(component_type));
            self.heap.store_ref(object, layout.accessor, accessor);
            self.heap.store_ref(object, layout.signature, signature);
            self.heap.store_ref(object, layout.annotations, annotations);
            self.heap.store_ref(object, layout.type_annotations, type_annotations);
            objects.push(object);
        }
        let class = self.boot_class(RecordComponentLayout::CLASS)?;
        self.new_ref_array(class, &objects)
    }

    /// The `Parameter`s that a `MethodParameters` attribute gives an executable; null without one.
    #[expect(clippy::cast_possible_truncation, reason = "the attribute's count is one byte")]
    pub fn new_parameters(&mut self, executable: Ref, method: MethodId) -> Res<Ref> {
        let (class, slot) = {
            let method = self.method(method);
            (Arc::clone(self.class(method.class)), method.slot)
        };
        let file = Arc::clone(class.class_file());
        let Some(span) = file.methods()[usize::from(slot)].method_parameters else {
            return Ok(Ref::NULL);
        };
        let layout = ParameterLayout::of(self)?;
        let rows = file.span(span).get(1..).unwrap_or_default();
        let mut objects = Vec::new();
        for (idx, row) in rows.chunks_exact(4).enumerate() {
            let name_idx = u16::from_be_bytes([row[0], row[1]]);
            let modifiers = u16::from_be_bytes([row[2], row[3]]);
            if name_idx != 0 && file.constant_pool().try_utf8(name_idx).is_none() {
                return Err(self.throw(
                    "java/lang/IllegalArgumentException",
                    "Wrong type at constant pool index",
                ));
            }
            let name = self.optional_string(&file, name_idx)?;
            let object = self.new_boot_object(ParameterLayout::CLASS)?;
            self.heap.store_ref(object, layout.name, name);
            self.heap.store_u32(object, layout.modifiers, u32::from(modifiers));
            self.heap.store_ref(object, layout.executable, executable);
            self.heap.store_u32(object, layout.index, idx as u32);
            objects.push(object);
        }
        let class = self.boot_class(ParameterLayout::CLASS)?;
        self.new_ref_array(class, &objects)
    }

    /// The method behind a `Method` or `Constructor`.
    pub fn method_of_reflected(&mut self, executable: Ref) -> Res<MethodId> {
        let class = self.class_of(executable);
        let (clazz, slot) =
            if self.class(class).name.as_bytes() == ConstructorLayout::CLASS.as_bytes() {
                let layout = ConstructorLayout::of(self)?;
                (layout.clazz, layout.slot)
            } else {
                let layout = MethodLayout::of(self)?;
                (layout.clazz, layout.slot)
            };
        let holder = self.class_of_mirror(self.heap.load_ref(executable, clazz));
        let slot = self.heap.load_u32(executable, slot);
        Ok(self.class(holder).methods[slot as usize].id)
    }

    /// The field behind a `Field`.
    pub fn field_of_reflected(&mut self, field: Ref) -> Res<Field> {
        let layout = FieldLayout::of(self)?;
        let holder = self.class_of_mirror(self.heap.load_ref(field, layout.clazz));
        let slot = self.heap.load_u32(field, layout.slot);
        Ok(self.class(holder).fields[slot as usize])
    }

    /// A zeroed instance of a boot class.
    pub fn new_boot_object(&mut self, class: &str) -> Res<Ref> {
        let class = self.boot_class(class)?;
        self.new_object(class)
    }

    /// The mirrors of a method descriptor's types: a `Class[]` of the parameters, and the result's.
    pub fn types_of(&mut self, loader: LoaderId, descriptor: &[u8]) -> Res<(Ref, Ref)> {
        let mut mirrors = Vec::new();
        let mut return_type = Ref::NULL;
        for one in descriptor_parts(descriptor) {
            let class = self.class_of_descriptor(loader, one)?;
            return_type = self.mirror(class);
            mirrors.push(return_type);
        }
        mirrors.pop();
        let parameter_types = self.new_ref_array(self.known.class, &mirrors)?;
        Ok((parameter_types, return_type))
    }

    fn exception_types(&mut self, class: &Arc<Class>, exceptions: &[u16]) -> Res<Ref> {
        let mut mirrors = Vec::with_capacity(exceptions.len());
        for &idx in exceptions {
            let exception = self.resolve_class(class.id, idx)?;
            mirrors.push(self.mirror(exception));
        }
        self.new_ref_array(self.known.class, &mirrors)
    }

    /// A new string of a `Utf8` entry; null for index zero.
    pub(crate) fn optional_string(&mut self, file: &ClassFile, idx: u16) -> Res<Ref> {
        match file.constant_pool().try_utf8(idx) {
            Some(text) => self.new_string_mutf8(text),
            None => Ok(Ref::NULL),
        }
    }

    /// A `byte[]` of a part of a class file; null without one.
    pub(crate) fn optional_bytes(&mut self, file: &ClassFile, span: Option<Span>) -> Res<Ref> {
        match span {
            Some(span) => self.new_byte_array(file.span(span)),
            None => Ok(Ref::NULL),
        }
    }
}

/// The descriptors in a method descriptor: the parameters' in order, then the result's.
pub(crate) fn descriptor_parts(descriptor: &[u8]) -> Vec<&[u8]> {
    debug_assert!(
        MethodDescriptor::parse(descriptor).is_some(),
        "internal: not a method descriptor"
    );
    let mut parts = Vec::new();
    let mut rest = descriptor.get(1..).unwrap_or_default();
    while let Some(&first) = rest.first() {
        if first == b')' {
            rest = &rest[1..];
            continue;
        }
        let n_brackets = rest.iter().take_while(|&&byte| byte == b'[').count();
        let len = match rest.get(n_brackets) {
            Some(b'L') => {
                rest.iter().position(|&byte| byte == b';').map_or(rest.len(), |at| at + 1)
            }
            _ => (n_brackets + 1).min(rest.len()),
        };
        parts.push(&rest[..len]);
        rest = &rest[len..];
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::descriptor_parts;

    #[test]
    fn a_method_descriptor_falls_into_parameters_and_result() {
        let parts = descriptor_parts(b"(I[[Ljava/lang/String;J)V");
        assert_eq!(parts, [&b"I"[..], b"[[Ljava/lang/String;", b"J", b"V"]);
        assert_eq!(descriptor_parts(b"()[D"), [&b"[D"[..]]);
    }
}

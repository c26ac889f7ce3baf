//! Array classes and the nine primitive classes: the ones without a class file.

use std::sync::Arc;

use super::DefineOptions;
use crate::class::{Class, FileSource, ReferenceKind, Shape, flags};
use crate::frame::Res;
use crate::symbol::Symbol;
use crate::travel::Undo;
use crate::value::{ClassId, Kind, LoaderId};
use crate::vm::Vm;

impl Vm {
    /// The array class with these components.
    pub fn array_class(&mut self, component: ClassId) -> Res<ClassId> {
        if let Some(known) = self.classes[component.idx()].array_class {
            return Ok(known);
        }
        let id = self.next_class_id();
        let of = Arc::clone(self.class(component));
        let element = match of.shape {
            Shape::Primitive(kind) => kind,
            _ => Kind::Ref,
        };
        let descriptor = self.descriptor_of(component);
        let name = self.symbols.intern(&[b"[".as_slice(), &descriptor].concat());
        let object = Arc::clone(self.class(self.known.object));
        let interfaces = [self.known.cloneable, self.known.serializable];
        let mut all_interfaces = interfaces;
        all_interfaces.sort_unstable();
        let class = Class {
            super_class: Some(object.id),
            interfaces: interfaces.into(),
            supers: [object.id, id].into(),
            all_interfaces: all_interfaces.into(),
            vtable: object.vtable.clone(),
            instance_size: element.size(),
            flags: of.flags & flags::PUBLIC | flags::FINAL | flags::ABSTRACT,
            ..self.class_without_file(id, name, of.loader, Shape::Array { component, element })
        };
        self.add_class(Arc::new(class), &DefineOptions::default())?;
        self.classes[component.idx()].array_class = Some(id);
        self.marks.remember(Undo::ArrayClass(component));
        Ok(id)
    }

    /// The class of a primitive type.
    pub fn primitive_class(&self, kind: Kind) -> ClassId {
        self.known.primitives[kind as usize]
    }

    /// The field descriptor that names a class: `I`, `Ljava/lang/String;`, `[I`.
    pub fn descriptor_of(&self, class: ClassId) -> Vec<u8> {
        let class = self.class(class);
        match class.shape {
            Shape::Primitive(kind) => vec![kind.descriptor()],
            Shape::Array { .. } => class.name.as_bytes().to_vec(),
            Shape::Instance => [b"L", class.name.as_bytes(), b";"].concat(),
        }
    }

    /// Makes the class of a primitive type; once per machine.
    pub(crate) fn make_primitive_class(&mut self, kind: Kind) -> Res<ClassId> {
        let id = self.next_class_id();
        let name = self.symbols.intern(kind.primitive_name().as_bytes());
        let class = self.class_without_file(id, name, LoaderId::BOOT, Shape::Primitive(kind));
        self.add_class(Arc::new(class), &DefineOptions::default())?;
        Ok(id)
    }

    fn class_without_file(
        &self,
        id: ClassId,
        name: Symbol,
        loader: LoaderId,
        shape: Shape,
    ) -> Class {
        Class {
            id,
            name,
            flags: flags::PUBLIC | flags::FINAL | flags::ABSTRACT,
            shape,
            super_class: None,
            interfaces: Box::default(),
            supers: [id].into(),
            all_interfaces: Box::default(),
            loader,
            file: FileSource::none(),
            fields: Box::default(),
            methods: Box::default(),
            vtable: Box::default(),
            conflicts: Box::default(),
            instance_size: 0,
            fields_end: 0,
            ref_offsets: Box::default(),
            statics_size: 0,
            static_ref_offsets: Box::default(),
            reference_kind: ReferenceKind::None,
            has_finalizer: false,
            hidden: false,
            is_spun: false,
            nest_host: None,
            package: self.symbols.intern(b""),
        }
    }
}

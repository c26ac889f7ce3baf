//! Mirrors: the `java.lang.Class` object of each class, with its static fields behind it.

use std::sync::Arc;

use classfile::Constant;

use super::DefineOptions;
use crate::class::{Class, Shape, flags};
use crate::frame::{Res, Stop, Trap};
use crate::init::InitState;
use crate::value::{ClassId, Kind, Ref};
use crate::vm::Vm;

impl Vm {
    /// Makes the mirror of a class that is about to be added. Null while `java.lang.Class` itself
    /// is not linked; `make_missing_mirrors` comes back for those.
    pub(super) fn make_mirror(&mut self, class: &Arc<Class>, options: &DefineOptions) -> Res<Ref> {
        if self.known.class_id_field == 0 {
            return Ok(Ref::NULL);
        }
        let size = self.known.mirror_size + class.statics_size;
        let Some(mirror) = self.heap.allocate_perm(self.known.class.0, size as usize) else {
            return Err(Trap::Stop(Box::new(Stop::OutOfMemory)));
        };
        self.heap.store_u32(mirror, self.known.class_id_field, class.id.0);
        let component = match class.shape {
            Shape::Array { component, .. } => self.mirror(component),
            _ => Ref::NULL,
        };
        let state = match class.shape {
            Shape::Instance => InitState::Loaded,
            _ => InitState::Initialised,
        };
        self.heap.store_u32(mirror, self.known.class_init_state, state as u32);
        let loader = self.loaders[class.loader.idx()].java;
        self.heap.store_ref(mirror, self.known.class_class_loader, loader);
        let module = match class.shape {
            Shape::Array { component, .. } => self.module_of(component),
            Shape::Primitive(_) => self.modules.defined.first().map_or(Ref::NULL, |base| base.java),
            Shape::Instance => self.module_of_package(class.loader, class.package),
        };
        self.heap.store_ref(mirror, self.known.class_module, module);
        self.heap.store_ref(mirror, self.known.class_component_type, component);
        self.heap.store_ref(mirror, self.known.class_protection_domain, options.protection_domain);
        self.heap.store_ref(mirror, self.known.class_class_data, options.class_data);
        if let Some(offset) = self.known.class_modifiers {
            let modifiers = self.java_modifiers(class);
            self.heap.store_u16(mirror, offset, modifiers);
        }
        if let Some(offset) = self.known.class_primitive {
            self.heap.store_u8(
                mirror,
                offset,
                u8::from(matches!(class.shape, Shape::Primitive(_))),
            );
        }
        self.set_constants(class, mirror);
        Ok(mirror)
    }

    /// Gives mirrors to the classes that were linked before `java.lang.Class`.
    #[expect(clippy::cast_possible_truncation, reason = "class ids are 32 bits wide")]
    pub(crate) fn make_missing_mirrors(&mut self) -> Res<()> {
        for idx in 0..self.classes.len() {
            if self.mirror(ClassId(idx as u32)).is_null() {
                let class = Arc::clone(&self.classes[idx].class);
                let mirror = self.make_mirror(&class, &DefineOptions::default())?;
                self.classes[idx].mirror = mirror;
            }
        }
        Ok(())
    }

    /// What `Class.getModifiers` gives: a member class's flags as declared in the source.
    pub fn java_modifiers(&self, class: &Class) -> u16 {
        const VISIBILITY: u16 = flags::PUBLIC | flags::PRIVATE | flags::PROTECTED;
        match class.shape {
            Shape::Primitive(_) => flags::PUBLIC | flags::FINAL | flags::ABSTRACT,
            Shape::Array { component, .. } => {
                let component = self.java_modifiers(self.class(component));
                component & VISIBILITY | flags::FINAL | flags::ABSTRACT
            }
            Shape::Instance => {
                let file = class.class_file();
                let pool = file.constant_pool();
                let declared = file
                    .inner_classes()
                    .into_iter()
                    .find(|inner| pool.class_name(inner.inner) == file.name())
                    .map_or(class.flags, |inner| inner.flags);
                // What a class file calls SUPER would read as `synchronized`.
                declared & !flags::SYNCHRONIZED
            }
        }
    }

    /// Static fields with a `ConstantValue`, all but strings (these are set at initialisation).
    fn set_constants(&mut self, class: &Class, mirror: Ref) {
        let Some(file) = class.file() else { return };
        for (info, field) in file.fields().iter().zip(&class.fields) {
            if info.constant_value == 0 || !field.is_static() {
                continue;
            }
            let word = match file.constant_pool().get(info.constant_value) {
                Some(Constant::Integer(value)) => {
                    u64::from(narrow(field.kind, value.cast_unsigned()))
                }
                Some(Constant::Float(bits)) => u64::from(bits),
                Some(Constant::Long(value)) => value.cast_unsigned(),
                Some(Constant::Double(bits)) => bits,
                _ => continue,
            };
            self.heap.store_u64(mirror, field.offset, word);
        }
    }
}

/// The bits of an `int` constant that a small field keeps.
fn narrow(kind: Kind, value: u32) -> u32 {
    match kind {
        Kind::Boolean => value & 1,
        Kind::Byte => value & 0xFF,
        Kind::Char | Kind::Short => value & 0xFFFF,
        _ => value,
    }
}

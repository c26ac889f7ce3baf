//! Linking: from a class file to a [`Class`](crate::class::Class): superclasses, field layout, dispatch table, mirror.

use classfile::ClassBytes;

use crate::frame::Res;
use crate::value::{ClassId, Kind, LoaderId, MethodId, Ref};
use crate::vm::Vm;

/// How a class is defined beyond its bytes.
#[derive(Debug, Clone, Default)]
pub struct DefineOptions {
    /// Name the caller expects, internal form; a different one is a `NoClassDefFoundError`.
    pub expected_name: Option<Vec<u8>>,
    /// `java.security.ProtectionDomain`, or null.
    pub protection_domain: Ref,
    /// Hidden class: the look-up class it is defined for.
    pub hidden_for: Option<ClassId>,
    /// Hidden class becomes a nest mate of the look-up class.
    pub nest_mate: bool,
    /// `classData` of a hidden class, or null.
    pub class_data: Ref,
}

impl Vm {
    /// Defines a class for a loader: parses, loads superclass and interfaces, links. Not yet
    /// initialised. Java code may have to run first (`Trap::Upcall`), then the caller repeats.
    pub fn define_class(&mut self, loader: LoaderId, bytes: ClassBytes, options: &DefineOptions) -> Res<ClassId> {
        let _ = (loader, bytes, options);
        unreachable!("internal: not written yet")
    }

    /// The array class with these components.
    pub fn array_class(&mut self, component: ClassId) -> Res<ClassId> {
        let _ = component;
        unreachable!("internal: not written yet")
    }

    /// The class of a primitive type.
    pub fn primitive_class(&self, kind: Kind) -> ClassId {
        let _ = kind;
        unreachable!("internal: not written yet")
    }

    /// Whether `sub` is the same as or a subtype of `sup` (classes, interfaces, arrays).
    pub fn is_subtype(&self, sub: ClassId, sup: ClassId) -> bool {
        let _ = (sub, sup);
        unreachable!("internal: not written yet")
    }

    /// Whether a non-null object is an instance of a class.
    pub fn instance_of(&self, object: Ref, class: ClassId) -> bool {
        self.is_subtype(self.class_of(object), class)
    }

    /// Dynamic dispatch: the method that a call of `method` on an instance of `class` runs
    /// (JVMS §5.4.6). Errors are `AbstractMethodError`, `IncompatibleClassChangeError`, …
    pub fn select_method(&mut self, class: ClassId, method: MethodId) -> Res<MethodId> {
        let _ = (class, method);
        unreachable!("internal: not written yet")
    }
}

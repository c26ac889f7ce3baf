//! Method selection: which body a virtual or interface call runs (JVMS §5.4.6).

use super::vtable::is_virtual;
use crate::class::flags;
use crate::frame::{Res, Trap};
use crate::symbol::Symbol;
use crate::value::{ClassId, MethodId};
use crate::vm::Vm;

/// What the superinterfaces of a class say about a method (JVMS §5.4.3.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// None declares it.
    None,
    /// Only abstract declarations; this is one of the maximally specific.
    Abstract(MethodId),
    /// Exactly one maximally specific default.
    Default(MethodId),
    /// Several of them.
    Conflict(Vec<MethodId>),
}

impl Vm {
    /// Dynamic dispatch: the method that a call of `method` on an instance of `class` runs
    /// (JVMS §5.4.6). Errors are `AbstractMethodError`, `IncompatibleClassChangeError`, …
    pub fn select_method(&mut self, class: ClassId, method: MethodId) -> Res<MethodId> {
        let resolved = self.method(method);
        if !is_virtual(resolved) {
            return Ok(method);
        }
        let holder = resolved.class;
        if !self.class(holder).is_interface() {
            let Some(slot) = resolved.vtable_index else { return Ok(method) };
            let Some(&selected) = self.class(class).vtable.get(slot as usize) else {
                return Err(self.not_a_receiver(class, method));
            };
            if self.method(selected).is_abstract() {
                return Err(self.abstract_method_error(class, method));
            }
            return Ok(selected);
        }
        if let Some(&selected) = self.classes[class.idx()].selected.get(&method) {
            return Ok(selected);
        }
        if self.class(class).all_interfaces.binary_search(&holder).is_err() {
            return Err(self.not_a_receiver(class, method));
        }
        let selected = self.select_for_interface(class, method)?;
        self.classes[class.idx()].selected.insert(method, selected);
        Ok(selected)
    }

    /// What the superinterfaces in a sorted set say about a method.
    pub fn maximally_specific(
        &self,
        interfaces: &[ClassId],
        name: Symbol,
        descriptor: Symbol,
    ) -> Choice {
        let mut candidates: Vec<(ClassId, MethodId)> = Vec::new();
        for &interface in interfaces {
            // An interface that is being linked is not in the table yet.
            let Some(rt) = self.classes.get(interface.idx()) else { continue };
            let declares = |m: &&crate::class::Method| {
                m.name == name && m.descriptor == descriptor && is_virtual(m)
            };
            if let Some(method) = rt.class.methods.iter().find(declares) {
                candidates.push((interface, method.id));
            }
        }
        let is_specific = |&&(interface, _): &&(ClassId, MethodId)| {
            !candidates
                .iter()
                .any(|&(other, _)| other != interface && self.is_subtype(other, interface))
        };
        let specific: Vec<MethodId> =
            candidates.iter().filter(is_specific).map(|&(_, id)| id).collect();
        let mut defaults = specific.iter().copied().filter(|&id| !self.method(id).is_abstract());
        match (defaults.next(), defaults.next()) {
            (Some(_), Some(_)) => Choice::Conflict(
                specific.iter().copied().filter(|&id| !self.method(id).is_abstract()).collect(),
            ),
            (Some(only), None) => Choice::Default(only),
            (None, _) => specific.first().map_or(Choice::None, |&id| Choice::Abstract(id)),
        }
    }

    /// The error of a call that found no body; also what the stub of abstract methods throws.
    pub fn abstract_method_error(&mut self, class: ClassId, method: MethodId) -> Trap {
        let resolved = self.method(method);
        let (name, descriptor) = (resolved.name, resolved.descriptor);
        let all_interfaces = self.class(class).all_interfaces.clone();
        if let Choice::Conflict(defaults) =
            self.maximally_specific(&all_interfaces, name, descriptor)
            && self.class_method(class, name, descriptor).is_none()
        {
            let names: Vec<String> = defaults
                .iter()
                .map(|&id| {
                    format!(
                        "{}.{}",
                        self.external_name(self.method(id).class),
                        self.method(id).name
                    )
                })
                .collect();
            let message = format!("Conflicting default methods: {}", names.join(" "));
            return self.throw("java/lang/IncompatibleClassChangeError", &message);
        }
        let resolved = self.method(method);
        let message = format!(
            "Receiver class {} does not define or inherit an implementation of the resolved method '{}{}{}' of {} {}.",
            self.external_name(class),
            if resolved.is_abstract() { "abstract " } else { "" },
            if resolved.is_private() { "private " } else { "" },
            self.signature_text(None, resolved.name.as_bytes(), resolved.descriptor.as_bytes()),
            self.external_kind(resolved.class),
            self.external_name(resolved.class),
        );
        self.throw("java/lang/AbstractMethodError", &message)
    }

    /// A method that a class or one of its superclasses declares and that takes part in dispatch.
    pub(crate) fn class_method(
        &self,
        class: ClassId,
        name: Symbol,
        descriptor: Symbol,
    ) -> Option<MethodId> {
        let mut next = Some(class);
        while let Some(id) = next {
            let class = self.class(id);
            if !class.is_interface() {
                let declares = |m: &&crate::class::Method| {
                    m.name == name && m.descriptor == descriptor && is_virtual(m)
                };
                if let Some(method) = class.methods.iter().find(declares) {
                    return Some(method.id);
                }
            }
            next = class.super_class;
        }
        None
    }

    fn select_for_interface(&mut self, class: ClassId, method: MethodId) -> Res<MethodId> {
        let resolved = self.method(method);
        let (name, descriptor) = (resolved.name, resolved.descriptor);
        if let Some(selected) = self.class_method(class, name, descriptor) {
            let found = self.method(selected);
            if found.flags & flags::PUBLIC == 0 {
                let message = format!(
                    "'{}'",
                    self.signature_text(Some(found.class), name.as_bytes(), descriptor.as_bytes())
                );
                return Err(self.throw("java/lang/IllegalAccessError", &message));
            }
            if found.is_abstract() {
                return Err(self.abstract_method_error(class, method));
            }
            return Ok(selected);
        }
        let all_interfaces = self.class(class).all_interfaces.clone();
        match self.maximally_specific(&all_interfaces, name, descriptor) {
            Choice::Default(selected) => Ok(selected),
            _ => Err(self.abstract_method_error(class, method)),
        }
    }

    fn not_a_receiver(&mut self, class: ClassId, method: MethodId) -> Trap {
        let message = format!(
            "Class {} does not implement the requested interface {}",
            self.external_name(class),
            self.external_name(self.method(method).class)
        );
        self.throw("java/lang/IncompatibleClassChangeError", &message)
    }
}

//! Loading constraints, JVMS §5.3.4: where classes of two loaders share a field or a method, both
//! loaders must mean the same class by each name in its descriptor.
//!
//! A constraint is a set of loaders and the class that the name stands for in all of them, once
//! one of them has loaded it. Names below `java/` need none: only the JDK may define them.

use rustc_hash::FxHashMap;

use classfile::{FieldType, MethodDescriptor, mutf8};

use crate::class::{Field, Method};
use crate::frame::{Res, Trap};
use crate::symbol::Symbol;
use crate::travel::Undo;
use crate::value::{ClassId, LoaderId, MethodId};
use crate::vm::Vm;

/// The constraints of one machine.
#[derive(Debug, Default, Clone)]
pub struct Constraints {
    by_name: FxHashMap<Symbol, Vec<Constraint>>,
}

/// Loaders that must agree on a name.
#[derive(Debug, Clone)]
pub struct Constraint {
    pub(crate) loaders: Vec<LoaderId>,
    pub(crate) class: Option<ClassId>,
}

impl Constraints {
    /// All constraints by name, in no order that means anything but always the same one.
    pub(crate) fn to_rows(&self) -> Vec<(Symbol, Vec<Constraint>)> {
        let mut rows: Vec<_> =
            self.by_name.iter().map(|(name, all)| (*name, all.clone())).collect();
        rows.sort_by_key(|(name, _)| name.as_bytes());
        rows
    }

    /// The constraints that `to_rows` gave.
    pub(crate) fn from_rows(rows: Vec<(Symbol, Vec<Constraint>)>) -> Constraints {
        Constraints { by_name: rows.into_iter().collect() }
    }
}

impl Vm {
    /// Puts the constraints of one name back; for `Undo::Constrained`.
    pub fn restore_constraints(&mut self, name: Symbol, constraints: Vec<Constraint>) {
        if constraints.is_empty() {
            self.constraints.by_name.remove(&name);
        } else {
            self.constraints.by_name.insert(name, constraints);
        }
    }

    /// What another loader already means by a name that this one must agree on.
    pub(crate) fn constrained_class(&self, loader: LoaderId, name: Symbol) -> Option<ClassId> {
        let constraints = self.constraints.by_name.get(&name)?;
        constraints.iter().find(|constraint| constraint.loaders.contains(&loader))?.class
    }

    /// A loader has loaded a class: this is what all must mean that are bound to it.
    pub(crate) fn note_loaded(&mut self, loader: LoaderId, name: Symbol, class: ClassId) {
        let Some(constraints) = self.constraints.by_name.get_mut(&name) else { return };
        let bound = |constraint: &Constraint| {
            constraint.class.is_none() && constraint.loaders.contains(&loader)
        };
        let Some(idx) = constraints.iter().position(bound) else { return };
        let old = constraints.clone();
        constraints[idx].class = Some(class);
        self.marks.remember(Undo::Constrained(name, old));
    }

    /// The error of a loader that loads another class than it must.
    pub(crate) fn constraint_broken(
        &mut self,
        loader: LoaderId,
        name: Symbol,
        kind: &str,
        other: ClassId,
    ) -> Trap {
        let other_loader = self.class(other).loader;
        let message = format!(
            "loader constraint violation: loader {} wants to load {kind} {}. A different {} with the same name \
             was previously loaded by {}. ({}{})",
            self.loader_text(loader),
            mutf8::display(name.as_bytes()).replace('/', "."),
            self.external_kind(other),
            self.loader_text(other_loader),
            self.module_and_loader_text(other),
            self.parent_loader_text(other_loader),
        );
        self.throw("java/lang/LinkageError", &message)
    }

    /// Binds the loaders of a class and of a method that it calls.
    pub(crate) fn constrain_call(&mut self, within: ClassId, method: MethodId) -> Res<()> {
        let called = self.method(method);
        let (holder, name, descriptor) = (called.class, called.name, called.descriptor);
        let Err(culprit) = self.constrain_signature(within, holder, descriptor) else {
            return Ok(());
        };
        let message = format!(
            "loader constraint violation: when resolving method '{}' the class loader {} of the current class, {}, \
             and the class loader {} for the method's defining {}, {}, have different Class objects for the type \
             {culprit} used in the signature ({}; {})",
            self.signature_text(Some(holder), name.as_bytes(), descriptor.as_bytes()),
            self.loader_text(self.class(within).loader),
            self.external_name(within),
            self.loader_text(self.class(holder).loader),
            self.external_kind(holder),
            self.external_name(holder),
            self.home_text(within),
            self.home_text(holder),
        );
        Err(self.throw("java/lang/LinkageError", &message))
    }

    /// Binds the loaders of a class and of a field that it touches.
    pub(crate) fn constrain_field(&mut self, within: ClassId, field: &Field) -> Res<()> {
        let Some(name) = element_name(field.descriptor.as_bytes()) else { return Ok(()) };
        let name = self.symbols.intern(name);
        let (loader, holder_loader) = (self.class(within).loader, self.class(field.class).loader);
        if self.constrain(loader, holder_loader, name) {
            return Ok(());
        }
        let culprit = mutf8::display(name.as_bytes()).replace('/', ".");
        let message = format!(
            "loader constraint violation: when resolving field \"{}\" of type {culprit}, the class loader {} of the \
             current class, {}, and the class loader {} for the field's defining {}, {}, have different Class \
             objects for type {culprit} ({}; {})",
            field.name,
            self.loader_text(loader),
            self.external_name(within),
            self.loader_text(holder_loader),
            self.external_kind(field.class),
            self.external_name(field.class),
            self.home_text(within),
            self.home_text(field.class),
        );
        Err(self.throw("java/lang/LinkageError", &message))
    }

    /// Binds the loaders of a class's methods and of what they override or implement (JVMS §5.4.2).
    pub(crate) fn constrain_overriding(&mut self, class: ClassId) -> Res<()> {
        let linked = self.class(class).clone();
        let Some(sup) = linked.super_class.filter(|_| !linked.is_interface()) else {
            return Ok(());
        };
        let inherited = self.class(sup).clone();
        for (&selected, &overridden) in linked.vtable.iter().zip(&inherited.vtable) {
            if selected != overridden {
                self.constrain_override(class, selected, overridden)?;
            }
        }
        for &interface in &linked.all_interfaces {
            let face = self.class(interface).clone();
            if face.loader == linked.loader || self.is_plain_java(interface) {
                continue;
            }
            for method in &face.methods {
                self.constrain_implementation(class, method)?;
            }
        }
        Ok(())
    }

    fn constrain_override(
        &mut self,
        class: ClassId,
        selected: MethodId,
        overridden: MethodId,
    ) -> Res<()> {
        let method = self.method(selected);
        let (own, name, descriptor) = (method.class, method.name, method.descriptor);
        let sup = self.method(overridden).class;
        if self.is_plain_java(sup) {
            return Ok(());
        }
        let Err(culprit) = self.constrain_signature(own, sup, descriptor) else { return Ok(()) };
        let message = format!(
            "loader constraint violation for class {}: when selecting overriding method '{}' the class loader {} of \
             the selected method's type {}, and the class loader {} for its super type {} have different Class \
             objects for the type {culprit} used in the signature ({}; {})",
            self.external_name(class),
            self.signature_text(Some(own), name.as_bytes(), descriptor.as_bytes()),
            self.loader_text(self.class(own).loader),
            self.external_name(own),
            self.loader_text(self.class(sup).loader),
            self.external_name(sup),
            self.home_text(own),
            self.home_text(sup),
        );
        Err(self.throw("java/lang/LinkageError", &message))
    }

    fn constrain_implementation(&mut self, class: ClassId, method: &Method) -> Res<()> {
        if method.is_static() || method.is_private() {
            return Ok(());
        }
        let (interface, name, descriptor) = (method.class, method.name, method.descriptor);
        let Some(selected) = self.class_method(class, name, descriptor) else { return Ok(()) };
        let own = self.method(selected).class;
        let Err(culprit) = self.constrain_signature(interface, own, descriptor) else {
            return Ok(());
        };
        let message = format!(
            "loader constraint violation in interface itable initialization for class {}: when selecting method '{}' \
             the class loader {} for super interface {}, and the class loader {} of the selected method's {}, {} have \
             different Class objects for the type {culprit} used in the signature ({}; {})",
            self.external_name(class),
            self.signature_text(Some(interface), name.as_bytes(), descriptor.as_bytes()),
            self.loader_text(self.class(interface).loader),
            self.external_name(interface),
            self.loader_text(self.class(own).loader),
            self.external_kind(own),
            self.external_name(own),
            self.home_text(interface),
            self.home_text(own),
        );
        Err(self.throw("java/lang/LinkageError", &message))
    }

    /// Binds two classes' loaders for all types of a method; gives the type they differ in.
    fn constrain_signature(
        &mut self,
        a: ClassId,
        b: ClassId,
        descriptor: Symbol,
    ) -> Result<(), String> {
        let (a, b) = (self.class(a).loader, self.class(b).loader);
        if a == b {
            return Ok(());
        }
        let Some(parsed) = MethodDescriptor::parse(descriptor.as_bytes()) else { return Ok(()) };
        for class_name in
            parsed.params().chain(parsed.return_type()).filter_map(FieldType::class_name)
        {
            let Some(name) = element_name_of_class(class_name) else { continue };
            let name = self.symbols.intern(name);
            if !self.constrain(a, b, name) {
                return Err(mutf8::display(class_name).replace('/', "."));
            }
        }
        Ok(())
    }

    /// Binds two loaders for a name; false where they already mean different classes.
    fn constrain(&mut self, a: LoaderId, b: LoaderId, name: Symbol) -> bool {
        let loaded = |loader: LoaderId| self.loaders[loader.idx()].classes.get(&name).copied();
        let (in_a, in_b) = (loaded(a), loaded(b));
        if a == b || (in_a.is_some() && in_b.is_some()) {
            return in_a == in_b;
        }
        let old = self.constraints.by_name.get(&name).cloned().unwrap_or_default();
        let mut merged = Constraint { loaders: vec![a, b], class: in_a.or(in_b) };
        let mut others = Vec::new();
        for constraint in &old {
            if !constraint.loaders.contains(&a) && !constraint.loaders.contains(&b) {
                others.push(constraint.clone());
                continue;
            }
            if merged.class.is_some()
                && constraint.class.is_some()
                && merged.class != constraint.class
            {
                return false;
            }
            merged.class = merged.class.or(constraint.class);
            merged.loaders.extend(&constraint.loaders);
        }
        merged.loaders.sort_unstable();
        merged.loaders.dedup();
        others.push(merged);
        self.constraints.by_name.insert(name, others);
        self.marks.remember(Undo::Constrained(name, old));
        true
    }

    /// Whether a class is one of the JDK's whose descriptors name nothing that others define.
    fn is_plain_java(&self, class: ClassId) -> bool {
        let class = self.class(class);
        class.loader == LoaderId::BOOT && class.name.as_bytes().starts_with(b"java/")
    }

    fn home_text(&self, class: ClassId) -> String {
        self.module_and_loader_text(class) + &self.parent_loader_text(self.class(class).loader)
    }
}

/// The class that a field descriptor names, if loaders could differ about it.
fn element_name(descriptor: &[u8]) -> Option<&[u8]> {
    let element = &descriptor[descriptor.iter().take_while(|&&byte| byte == b'[').count()..];
    let name = element.strip_prefix(b"L")?.strip_suffix(b";")?;
    (!name.starts_with(b"java/")).then_some(name)
}

/// As `element_name`, for what a `Class` constant holds.
fn element_name_of_class(name: &[u8]) -> Option<&[u8]> {
    if name.first() == Some(&b'[') {
        return element_name(name);
    }
    (!name.starts_with(b"java/")).then_some(name)
}

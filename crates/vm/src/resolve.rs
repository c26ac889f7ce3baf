//! Resolution of constant-pool entries, JVMS §5.4.3. Nothing is cached here: the interpreter
//! rewrites the sites that asked.

mod access;

use std::sync::Arc;

use classfile::Constant;

use crate::class::{Class, Field, Method, flags};
use crate::frame::{Res, Trap};
use crate::link::Choice;
use crate::symbol::Symbol;
use crate::value::{ClassId, MethodId, Ref};
use crate::vm::Vm;

/// Which instruction asks for a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallKind {
    /// `invokestatic`.
    Static,
    /// `invokespecial`.
    Special,
    /// `invokevirtual`.
    Virtual,
    /// `invokeinterface`.
    Interface,
}

impl Vm {
    /// Resolves a `Class` constant.
    pub fn resolve_class(&mut self, within: ClassId, cp: u16) -> Res<ClassId> {
        let class = Arc::clone(self.class(within));
        let file = class.class_file();
        let name = file.constant_pool().class_name(cp);
        if name == file.name() && name.first() != Some(&b'[') {
            // A hidden class cannot be found by name, and everybody else finds itself.
            return Ok(self.present_version(within));
        }
        let resolved = self.load_class(class.loader, name)?;
        self.check_class_access(within, resolved)?;
        Ok(resolved)
    }

    /// Resolves a field constant for `getfield`/`putfield` (`is_static` false) or `getstatic`/`putstatic`.
    /// Checks access, staticness, and finality for writes from `caller`.
    pub fn resolve_field(
        &mut self,
        caller: MethodId,
        cp: u16,
        is_static: bool,
        is_write: bool,
    ) -> Res<Field> {
        let within = self.method(caller).class;
        let field = self.resolve_field_ref(within, cp)?;
        if field.is_static() != is_static {
            let expected = if is_static { "static" } else { "non-static" };
            let message = format!(
                "Expected {expected} field {}.{}",
                self.external_name(field.class),
                field.name
            );
            return Err(self.throw("java/lang/IncompatibleClassChangeError", &message));
        }
        if is_write && field.flags & flags::FINAL != 0 {
            self.check_final_write(caller, &field)?;
        }
        Ok(field)
    }

    /// Resolves a field constant with access check, for method handles too (JVMS §5.4.3.2).
    pub fn resolve_field_ref(&mut self, within: ClassId, cp: u16) -> Res<Field> {
        let class = Arc::clone(self.class(within));
        let pool = class.class_file().constant_pool();
        let Some(Constant::FieldRef { class: holder_cp, name_and_type }) = pool.get(cp) else {
            return Err(self.bad_constant(&class, cp));
        };
        let holder = self.resolve_class(within, holder_cp)?;
        let (name, descriptor) = pool.name_and_type(name_and_type);
        let Some(field) = self.lookup_field(holder, name, descriptor) else {
            return Err(self.no_such_field(holder, name, descriptor));
        };
        self.check_field_access(within, holder, &field)?;
        self.constrain_field(within, &field)?;
        Ok(field)
    }

    /// Resolves a method constant of either kind (JVMS §5.4.3.3, §5.4.3.4) and checks access. Gives
    /// the signature-polymorphic declaration itself for `MethodHandle.invokeExact` and its like.
    pub fn resolve_method(&mut self, within: ClassId, cp: u16, call: CallKind) -> Res<MethodId> {
        let class = Arc::clone(self.class(within));
        let pool = class.class_file().constant_pool();
        let (holder_cp, name_and_type, names_interface) = match pool.get(cp) {
            Some(Constant::MethodRef { class, name_and_type }) => (class, name_and_type, false),
            Some(Constant::InterfaceMethodRef { class, name_and_type }) => {
                (class, name_and_type, true)
            }
            _ => return Err(self.bad_constant(&class, cp)),
        };
        let holder = self.resolve_class(within, holder_cp)?;
        let (name, descriptor) = pool.name_and_type(name_and_type);
        let is_interface = self.class(holder).is_interface();
        let complaint = match call {
            CallKind::Virtual if is_interface => Some(format!(
                "Found interface {}, but class was expected",
                self.external_name(holder)
            )),
            CallKind::Interface if !is_interface => Some(format!(
                "Found class {}, but interface was expected",
                self.external_name(holder)
            )),
            _ if names_interface != is_interface => {
                let wanted = if is_interface { "InterfaceMethodref" } else { "Methodref" };
                let signature = self.signature_text(Some(holder), name, descriptor);
                Some(format!("Method '{signature}' must be {wanted} constant"))
            }
            _ => None,
        };
        if let Some(message) = complaint {
            return Err(self.throw("java/lang/IncompatibleClassChangeError", &message));
        }
        let Some(method) = self.lookup_method(holder, name, descriptor) else {
            return Err(self.no_such_method(holder, name, descriptor));
        };
        // Constructors are not inherited (JVMS §6.5 `invokespecial`).
        if name == b"<init>" && self.method(method).class != holder {
            let signature = self.signature_text(None, name, descriptor);
            let text = format!("{}: method '{signature}' not found", self.external_name(holder));
            return Err(self.throw("java/lang/NoSuchMethodError", &text));
        }
        self.check_method_access(within, holder, method)?;
        if !self.method(method).signature_polymorphic {
            self.constrain_call(within, method)?;
        }
        Ok(method)
    }

    /// Field look-up by name through superclasses and interfaces, no access check (JVMS §5.4.3.2).
    pub fn lookup_field(&self, class: ClassId, name: &[u8], descriptor: &[u8]) -> Option<Field> {
        let (name, descriptor) = (self.symbols.intern(name), self.symbols.intern(descriptor));
        self.find_field(class, name, descriptor)
    }

    /// Method look-up by name as JVMS §5.4.3.3 (class) or §5.4.3.4 (interface), no access check.
    pub fn lookup_method(
        &self,
        class: ClassId,
        name: &[u8],
        descriptor: &[u8],
    ) -> Option<MethodId> {
        let (name, descriptor) = (self.symbols.intern(name), self.symbols.intern(descriptor));
        let linked = self.class(class);
        let mut next = Some(class);
        while let Some(id) = next {
            let ancestor = self.class(id);
            let is_own = id == class;
            // Of an interface's Object only the public instance methods count.
            if !linked.is_interface() || is_own {
                if let Some(method) = declared_method(ancestor, name, descriptor) {
                    return Some(method.id);
                }
            } else if let Some(method) = declared_method(ancestor, name, descriptor)
                && method.flags & (flags::PUBLIC | flags::STATIC) == flags::PUBLIC
            {
                return Some(method.id);
            }
            next = ancestor.super_class;
        }
        match self.maximally_specific(&linked.all_interfaces, name, descriptor) {
            Choice::Default(id) | Choice::Abstract(id) => Some(id),
            Choice::Conflict(ids) => ids.first().copied(),
            Choice::None => None,
        }
    }

    /// The object behind an `ldc` of a String or Class constant.
    pub fn resolve_string_or_class(&mut self, within: ClassId, cp: u16) -> Res<Ref> {
        let class = Arc::clone(self.class(within));
        let pool = class.class_file().constant_pool();
        if let Some(text) = pool.try_string(cp) {
            return self.intern_mutf8(text);
        }
        if pool.try_class_name(cp).is_some() {
            let resolved = self.resolve_class(within, cp)?;
            return Ok(self.mirror(resolved));
        }
        Err(self.bad_constant(&class, cp))
    }

    fn find_field(&self, class: ClassId, name: Symbol, descriptor: Symbol) -> Option<Field> {
        let mut next = Some(class);
        while let Some(id) = next {
            let linked = self.class(id);
            if let Some(field) =
                linked.fields.iter().find(|f| f.name == name && f.descriptor == descriptor)
            {
                return Some(*field);
            }
            for &interface in &linked.interfaces {
                if let Some(field) = self.find_field(interface, name, descriptor) {
                    return Some(field);
                }
            }
            next = linked.super_class;
        }
        None
    }

    pub(crate) fn no_such_field(
        &mut self,
        holder: ClassId,
        name: &[u8],
        descriptor: &[u8],
    ) -> Trap {
        let name = classfile::mutf8::display(name);
        let message = if self.jdk < 21 {
            name
        } else {
            let field_type = classfile::FieldType::parse(descriptor)
                .map_or_else(String::new, crate::describe::type_text);
            format!(
                "Class {} does not have member field '{field_type} {name}'",
                self.external_name(holder)
            )
        };
        self.throw("java/lang/NoSuchFieldError", &message)
    }

    pub(crate) fn no_such_method(
        &mut self,
        holder: ClassId,
        name: &[u8],
        descriptor: &[u8],
    ) -> Trap {
        let message = format!("'{}'", self.signature_text(Some(holder), name, descriptor));
        self.throw("java/lang/NoSuchMethodError", &message)
    }

    /// Bytecode that names a constant of the wrong kind; the verifier refuses it where it runs.
    fn bad_constant(&mut self, class: &Class, cp: u16) -> Trap {
        let message = format!("Illegal type at constant pool entry {cp} in class {}", class.name);
        self.throw("java/lang/VerifyError", &message)
    }
}

/// A method that a class declares; a signature-polymorphic one answers to every descriptor.
fn declared_method(class: &Class, name: Symbol, descriptor: Symbol) -> Option<&Method> {
    let mut polymorphic = None;
    for method in &class.methods {
        if method.name == name {
            if method.descriptor == descriptor {
                return Some(method);
            }
            if method.signature_polymorphic {
                polymorphic = Some(method);
            }
        }
    }
    polymorphic
}

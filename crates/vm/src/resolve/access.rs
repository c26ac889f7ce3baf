//! Access control, JVMS §5.4.4, and nest mates.

use std::sync::Arc;

use crate::class::{Field, Shape, flags};
use crate::frame::{Res, Trap};
use crate::module::ClassAccess;
use crate::value::{ClassId, MethodId};
use crate::vm::Vm;

impl Vm {
    /// Whether `from` may touch a member of `holder` with these flags (JVMS §5.4.4), nest mates included.
    pub fn can_access(&mut self, from: ClassId, holder: ClassId, member_flags: u16) -> Res<bool> {
        if from == holder || member_flags & flags::PUBLIC != 0 || self.is_magic_accessor(from) {
            return Ok(true);
        }
        if member_flags & flags::PRIVATE != 0 {
            return Ok(self.nest_host(from)? == self.nest_host(holder)?);
        }
        if self.same_package(from, holder) {
            return Ok(true);
        }
        Ok(member_flags & flags::PROTECTED != 0 && self.is_subtype(from, holder))
    }

    /// Whether `from` may name a class (JVMS §5.4.4): in the same run-time package, or public in
    /// a package that its module exports.
    pub fn can_access_class(&self, from: ClassId, class: ClassId) -> bool {
        self.access_to_class(from, class) == ClassAccess::Allowed
    }

    fn access_to_class(&self, from: ClassId, class: ClassId) -> ClassAccess {
        let class = self.element_class(class);
        let is_primitive = matches!(self.class(class).shape, Shape::Primitive(_));
        if from == class || is_primitive || self.is_magic_accessor(from) {
            return ClassAccess::Allowed;
        }
        self.class_access((self.class(from).loader, self.class(from).package), class)
    }

    /// The class of an array's innermost elements; other classes themselves.
    pub fn element_class(&self, class: ClassId) -> ClassId {
        let mut class = class;
        while let Shape::Array { component, .. } = self.class(class).shape {
            class = component;
        }
        class
    }

    /// The nest host of a class (JVMS §5.4.4): what its class file says, if the host agrees.
    pub fn nest_host(&mut self, class: ClassId) -> Res<ClassId> {
        let linked = Arc::clone(self.class(class));
        if let Some(host) = linked.nest_host {
            return Ok(host);
        }
        let Some(name) = linked.file().and_then(|file| file.nest_host()) else {
            return Ok(class);
        };
        // A class whose host cannot be used is its own host; only what must run first goes up.
        let host = match self.load_class(linked.loader, name) {
            Ok(host) => host,
            Err(Trap::Throw(_)) => return Ok(class),
            Err(trap) => return Err(trap),
        };
        let members = self.class(host).file().and_then(|file| file.nest_members());
        let own_name = linked.class_file().name();
        let agrees = members.is_some_and(|members| members.contains(&own_name));
        Ok(if agrees && self.same_package(host, class) { host } else { class })
    }

    pub(super) fn check_class_access(&mut self, from: ClassId, class: ClassId) -> Res<()> {
        let access = self.access_to_class(from, class);
        if access == ClassAccess::Allowed {
            return Ok(());
        }
        let class = self.element_class(class);
        let name = self.external_name(from);
        let message = if access == ClassAccess::Refused {
            format!(
                "failed to access class {} from class {name} ({})",
                self.external_name(class),
                self.both_modules_text(class, from)
            )
        } else {
            let (loader, package) = (self.class(from).loader, self.class(from).package);
            self.module_access_message((&name, loader, package), class, access)
        };
        Err(self.throw("java/lang/IllegalAccessError", &message))
    }

    pub(crate) fn check_field_access(
        &mut self,
        from: ClassId,
        resolved_in: ClassId,
        field: &Field,
    ) -> Res<()> {
        if self.can_access_member(from, resolved_in, field.class, field.flags)? {
            return Ok(());
        }
        let message = format!(
            "class {} tried to access {}field {}.{} ({})",
            self.external_name(from),
            visibility_text(field.flags),
            self.external_name(field.class),
            field.name,
            self.both_modules_text(from, field.class)
        );
        Err(self.throw("java/lang/IllegalAccessError", &message))
    }

    pub(crate) fn check_method_access(
        &mut self,
        from: ClassId,
        resolved_in: ClassId,
        id: MethodId,
    ) -> Res<()> {
        let method = self.method(id);
        let (holder, member_flags) = (method.class, method.flags);
        // Arrays have a public `clone` (JLS §10.7).
        if self.class(resolved_in).is_array() && method.name.as_bytes() == b"clone" {
            return Ok(());
        }
        if self.can_access_member(from, resolved_in, holder, member_flags)? {
            return Ok(());
        }
        let method = self.method(id);
        let message = format!(
            "class {} tried to access {}{}method '{}' ({})",
            self.external_name(from),
            if method.is_abstract() { "abstract " } else { "" },
            visibility_text(member_flags),
            self.signature_text(Some(holder), method.name.as_bytes(), method.descriptor.as_bytes()),
            self.both_modules_text(from, holder)
        );
        Err(self.throw("java/lang/IllegalAccessError", &message))
    }

    /// JVMS §6.5 putfield, putstatic: a final field is written by its own class's initialiser only.
    pub(super) fn check_final_write(&mut self, caller: MethodId, field: &Field) -> Res<()> {
        let method = self.method(caller);
        let within = self.present_version(method.class);
        let is_static = field.is_static();
        let kind = if is_static { "static" } else { "non-static" };
        let target = format!("{}.{}", self.external_name(field.class), field.name);
        if within != field.class {
            let message = format!(
                "Update to {kind} final field {target} attempted from a different class ({}) than the field's declaring class",
                self.external_name(within)
            );
            return Err(self.throw("java/lang/IllegalAccessError", &message));
        }
        let is_initialiser =
            if is_static { method.is_static_initialiser() } else { method.is_constructor() };
        // Before Java 9 class files any method of the class could.
        if is_initialiser || self.class(within).class_file().major() < 53 {
            return Ok(());
        }
        let message = format!(
            "Update to {kind} final field {target} attempted from a different method ({}) than the initializer method {} ",
            method.name,
            if is_static { "<clinit>" } else { "<init>" }
        );
        Err(self.throw("java/lang/IllegalAccessError", &message))
    }

    /// As `can_access`; a protected instance member must also be reached through a related class.
    fn can_access_member(
        &mut self,
        from: ClassId,
        resolved_in: ClassId,
        holder: ClassId,
        member_flags: u16,
    ) -> Res<bool> {
        if !self.can_access(from, holder, member_flags)? {
            return Ok(false);
        }
        let is_foreign_protected = member_flags & (flags::PROTECTED | flags::STATIC)
            == flags::PROTECTED
            && member_flags & flags::PUBLIC == 0
            && from != holder
            && !self.same_package(from, holder)
            && !self.is_magic_accessor(from);
        Ok(!is_foreign_protected
            || self.is_subtype(resolved_in, from)
            || self.is_subtype(from, resolved_in))
    }
}

fn visibility_text(member_flags: u16) -> &'static str {
    if member_flags & flags::PROTECTED != 0 {
        "protected "
    } else if member_flags & flags::PRIVATE != 0 {
        "private "
    } else {
        ""
    }
}

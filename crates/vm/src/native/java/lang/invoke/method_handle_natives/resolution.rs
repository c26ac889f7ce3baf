//! Resolving what a `MemberName` asks for, as the link resolver would for the matching bytecode
//! (JVMS §5.4.3.2 to §5.4.3.4, §6.5).

use std::sync::Arc;

use crate::class::{Field, Shape};
use crate::frame::{Res, Trap};
use crate::native::java::lang::invoke::member_name::{
    ALL_KINDS, Dispatch, IS_CONSTRUCTOR, IS_FIELD, IS_METHOD, RefKind,
};
use crate::value::{ClassId, MethodId, Ref};
use crate::vm::Vm;

const CHANGE: &str = "java/lang/IncompatibleClassChangeError";

/// What a `MemberName` asks for.
pub(super) struct Wanted {
    holder: ClassId,
    name: Vec<u8>,
    descriptor: Vec<u8>,
    kind: RefKind,
    /// On whose behalf access is checked; `None` for trusted look-ups.
    caller: Option<ClassId>,
}

/// What was found.
pub(super) enum Found {
    Method { method: MethodId, through: ClassId, dispatch: Dispatch },
    Field(Field),
}

impl Wanted {
    /// Reads the question; `None` where nothing can have that class, name and type.
    pub(super) fn read(
        vm: &mut Vm,
        member: Ref,
        caller: Ref,
        kind: RefKind,
    ) -> Res<Option<Wanted>> {
        let clazz = vm.heap.load_ref(member, vm.known.member_name_clazz);
        let name = vm.heap.load_ref(member, vm.known.member_name_name);
        let member_type = vm.heap.load_ref(member, vm.known.member_name_type);
        if clazz.is_null() || name.is_null() || member_type.is_null() {
            return Ok(None);
        }
        let mut holder = vm.class_of_mirror(clazz);
        match vm.class(holder).shape {
            Shape::Primitive(_) => return Ok(None),
            Shape::Array { .. } => holder = vm.known.object,
            Shape::Instance => {}
        }
        let name = classfile::mutf8::encode(vm.string_utf16(name));
        if name == b"<clinit>" {
            return Ok(None);
        }
        let Some(descriptor) = vm.descriptor_of_type(member_type)? else {
            return Err(vm.throw("java/lang/InternalError", "unrecognized type"));
        };
        let caller = caller.some().map(|caller| vm.class_of_mirror(caller));
        Ok(Some(Wanted { holder, name, descriptor, kind, caller }))
    }

    /// Resolves; a speculative question that would throw has no answer.
    pub(super) fn resolve(&self, vm: &mut Vm, flags: u32, speculative: bool) -> Res<Option<Found>> {
        let found = match flags & ALL_KINDS {
            IS_METHOD => self.method(vm),
            IS_CONSTRUCTOR if self.name == b"<init>" => self.special(vm),
            IS_CONSTRUCTOR => return Ok(None),
            IS_FIELD => self.field(vm),
            _ => Err(vm.throw("java/lang/InternalError", "unrecognized MemberName format")),
        };
        match found {
            Err(Trap::Throw(_)) if speculative => Ok(None),
            found => found.map(Some),
        }
    }

    fn method(&self, vm: &mut Vm) -> Res<Found> {
        if let Some(method) = self.signature_polymorphic(vm) {
            return Ok(Found::Method { method, through: self.holder, dispatch: Dispatch::Direct });
        }
        match self.kind {
            RefKind::InvokeStatic => {
                let method = self.look_up(vm, vm.class(self.holder).is_interface())?;
                if !vm.method(method).is_static() {
                    let text = method_text(vm, method);
                    return Err(vm.throw(CHANGE, &format!("Expected static method '{text}'")));
                }
                Ok(Found::Method { method, through: self.holder, dispatch: Dispatch::Direct })
            }
            RefKind::InvokeInterface => self.dispatched(vm, true),
            RefKind::InvokeVirtual => self.dispatched(vm, false),
            RefKind::InvokeSpecial => self.special(vm),
            _ => Err(vm.throw("java/lang/InternalError", "unrecognized MemberName format")),
        }
    }

    fn dispatched(&self, vm: &mut Vm, interface: bool) -> Res<Found> {
        let method = self.look_up(vm, interface)?;
        let complaint = if interface {
            "Expected instance not static method"
        } else {
            "Expecting non-static method"
        };
        refuse_static(vm, method, complaint)?;
        let dispatch = vm.dispatch_of(method, self.holder);
        Ok(Found::Method { method, through: self.holder, dispatch })
    }

    fn special(&self, vm: &mut Vm) -> Res<Found> {
        let method = self.look_up(vm, vm.class(self.holder).is_interface())?;
        if self.name == b"<init>" && vm.method(method).class != self.holder {
            return Err(self.no_such_method(vm));
        }
        refuse_static(vm, method, "Expecting non-static method")?;
        if vm.method(method).is_abstract() {
            let text = method_text(vm, method);
            return Err(vm.throw("java/lang/AbstractMethodError", &format!("'{text}'")));
        }
        Ok(Found::Method { method, through: self.holder, dispatch: Dispatch::Direct })
    }

    /// `invokeBasic`, `linkToStatic` and the like stand for all their types.
    fn signature_polymorphic(&self, vm: &Vm) -> Option<MethodId> {
        let holder = vm.class(self.holder);
        if holder.name.as_bytes() != b"java/lang/invoke/MethodHandle" {
            return None;
        }
        let wants_static = self.kind == RefKind::InvokeStatic;
        holder
            .methods
            .iter()
            .find(|method| {
                method.signature_polymorphic
                    && method.name.as_bytes() == self.name
                    && method.is_static() == wants_static
            })
            .map(|method| method.id)
    }

    fn look_up(&self, vm: &mut Vm, interface: bool) -> Res<MethodId> {
        let holder = Arc::clone(vm.class(self.holder));
        if holder.is_interface() != interface {
            let (found, expected) =
                if interface { ("class", "interface") } else { ("interface", "class") };
            let message =
                format!("Found {found} {}, but {expected} was expected", holder.external_name());
            return Err(vm.throw(CHANGE, &message));
        }
        let Some(method) = vm.lookup_method(self.holder, &self.name, &self.descriptor) else {
            return Err(self.no_such_method(vm));
        };
        if let Some(caller) = self.caller {
            vm.check_method_access(caller, self.holder, method)?;
        }
        Ok(method)
    }

    fn field(&self, vm: &mut Vm) -> Res<Found> {
        let Some(field) = vm.lookup_field(self.holder, &self.name, &self.descriptor) else {
            return Err(vm.no_such_field(self.holder, &self.name, &self.descriptor));
        };
        if let Some(caller) = self.caller {
            vm.check_field_access(caller, self.holder, &field)?;
        }
        Ok(Found::Field(field))
    }

    fn no_such_method(&self, vm: &mut Vm) -> Trap {
        vm.no_such_method(self.holder, &self.name, &self.descriptor)
    }
}

fn refuse_static(vm: &mut Vm, method: MethodId, complaint: &str) -> Res<()> {
    if vm.method(method).is_static() {
        let text = method_text(vm, method);
        return Err(vm.throw(CHANGE, &format!("{complaint} '{text}'")));
    }
    Ok(())
}

/// A method in words, for messages.
fn method_text(vm: &Vm, method: MethodId) -> String {
    let method = vm.method(method);
    vm.signature_text(Some(method.class), method.name.as_bytes(), method.descriptor.as_bytes())
}

//! The instructions that use fields and invoke methods, constructors included.

use super::super::machine::{Machine, Outcome};
use super::super::opcodes::{
    GETFIELD, GETSTATIC, INVOKEINTERFACE, INVOKESPECIAL, INVOKESTATIC, INVOKEVIRTUAL, PUTFIELD,
    PUTSTATIC,
};
use super::super::vtype::VType;
use super::super::{Hierarchy, MemberRef, VerifyFailure};
use crate::constant_pool::Constant;
use crate::descriptor::{FieldType, MethodDescriptor};
use crate::mutf8;

impl<'c, H: Hierarchy> Machine<'c, '_, H> {
    pub(super) fn field(&mut self, opcode: u8) -> Outcome<(), H> {
        let member = self.member(self.method.u2(self.pc + 1))?;
        let Some(field_type) = FieldType::parse(member.descriptor) else {
            return self.fail("Illegal type in constant pool");
        };
        let value = self.names.vtype(field_type);
        match opcode {
            GETSTATIC => self.push(value),
            PUTSTATIC => self.pop(value).map(drop),
            GETFIELD => {
                let wanted = self.class_type(member.class);
                let object = self.pop(wanted)?;
                self.check_protected(member, object, "Bad access to protected data in getfield")?;
                self.push(value)
            }
            _ => {
                debug_assert_eq!(opcode, PUTFIELD);
                self.pop(value)?;
                if self.frame.stack.last() == Some(&VType::UninitializedThis)
                    && self.is_own_field(member)
                {
                    // A constructor may set its class's own fields before it calls another one.
                    return self.pop_word().map(drop);
                }
                let wanted = self.class_type(member.class);
                let object = self.pop(wanted)?;
                self.check_protected(member, object, "Bad access to protected data in putfield")
            }
        }
    }

    pub(super) fn invoke(&mut self, opcode: u8) -> Outcome<(), H> {
        let idx = self.method.u2(self.pc + 1);
        let member = self.member(idx)?;
        let descriptor = self.pop_arguments(member.descriptor)?;
        match opcode {
            INVOKESTATIC => {}
            INVOKESPECIAL if member.name == b"<init>" => self.invoke_constructor(member)?,
            INVOKESPECIAL => {
                let is_interface_method =
                    matches!(self.method.pool.get(idx), Some(Constant::InterfaceMethodRef { .. }));
                self.check_invokespecial(member.class, is_interface_method)?;
                let this_class = self.this_class;
                self.pop(this_class)?;
            }
            INVOKEVIRTUAL => {
                let wanted = self.class_type(member.class);
                let object = self.pop(wanted)?;
                let is_array_clone = member.class == b"java/lang/Object"
                    && member.name == b"clone"
                    && matches!(object, VType::Object(id) if self.names.get(id).starts_with(b"["));
                if !is_array_clone {
                    let message = "Bad access to protected data in invokevirtual";
                    self.check_protected(member, object, message)?;
                }
            }
            _ => {
                debug_assert_eq!(opcode, INVOKEINTERFACE);
                let wanted = self.class_type(member.class);
                self.pop(wanted)?;
            }
        }
        self.push_result(&descriptor)
    }

    pub(super) fn invokedynamic(&mut self) -> Outcome<(), H> {
        let Some((_, _, descriptor)) = self.method.pool.try_dynamic(self.method.u2(self.pc + 1))
        else {
            return self.fail("Illegal type in constant pool");
        };
        let descriptor = self.pop_arguments(descriptor)?;
        self.push_result(&descriptor)
    }

    fn member(&self, idx: u16) -> Outcome<MemberRef<'c>, H> {
        match self.method.pool.try_member_ref(idx) {
            Some((class, name, descriptor)) => Ok(MemberRef { class, name, descriptor }),
            None => self.fail("Illegal type in constant pool"),
        }
    }

    fn class_type(&mut self, name: &'c [u8]) -> VType {
        VType::Object(self.names.id(name))
    }

    fn pop_arguments(&mut self, descriptor: &'c [u8]) -> Outcome<MethodDescriptor<'c>, H> {
        let Some(descriptor) = MethodDescriptor::parse(descriptor) else {
            return self.fail("Illegal type in constant pool");
        };
        let params: Vec<FieldType<'c>> = descriptor.params().collect();
        for &param in params.iter().rev() {
            let wanted = self.names.vtype(param);
            self.pop(wanted)?;
        }
        Ok(descriptor)
    }

    fn push_result(&mut self, descriptor: &MethodDescriptor<'c>) -> Outcome<(), H> {
        match descriptor.return_type() {
            Some(return_type) => {
                let result = self.names.vtype(return_type);
                self.push(result)
            }
            None => Ok(()),
        }
    }

    /// JVMS §4.10.1.8: an object whose protected member comes from another package must be of
    /// the current class or below.
    fn check_protected(
        &mut self,
        member: MemberRef<'_>,
        object: VType,
        message: &str,
    ) -> Outcome<(), H> {
        let current = self.method.class.name();
        if object == VType::Null
            || object == self.this_class
            || member.class == current
            || member.class.starts_with(b"[")
        {
            return Ok(());
        }
        let is_protected = self
            .hierarchy
            .is_protected_elsewhere(current, member)
            .map_err(VerifyFailure::Suspend)?;
        if is_protected && !self.is_assignable(object, self.this_class)? {
            return self.fail(message);
        }
        Ok(())
    }

    fn is_own_field(&self, member: MemberRef<'_>) -> bool {
        let pool = self.method.pool;
        member.class == self.method.class.name()
            && self.method.class.fields().iter().any(|field| {
                pool.utf8(field.name) == member.name
                    && pool.utf8(field.descriptor) == member.descriptor
            })
    }

    /// A method invoked by `invokespecial` must be of this class, of a superclass, or of a direct
    /// superinterface.
    fn check_invokespecial(
        &mut self,
        class: &'c [u8],
        is_interface_method: bool,
    ) -> Outcome<(), H> {
        let current = self.method.class;
        if class == current.name()
            || current.super_name() == Some(class)
            || current.interfaces().any(|interface| interface == class)
        {
            return Ok(());
        }
        let wanted = self.class_type(class);
        if !self.is_assignable(self.this_class, wanted)? {
            return self.fail(
                "Bad invokespecial instruction: current class isn't assignable to reference class.",
            );
        }
        if is_interface_method {
            return self.fail(
                "Bad invokespecial instruction: interface method reference is in an indirect superinterface.",
            );
        }
        Ok(())
    }

    /// Pops the object a constructor is called on; it is initialized from then on.
    fn invoke_constructor(&mut self, member: MemberRef<'c>) -> Outcome<(), H> {
        let object = self.pop_word()?;
        match object {
            VType::UninitializedThis => {
                let current = self.method.class;
                if member.class != current.name() && current.super_name() != Some(member.class) {
                    return self.fail("Bad <init> method call");
                }
                self.frame.this_uninitialized = false;
                self.initialized(object, self.this_class);
                Ok(())
            }
            VType::Uninitialized(new_pc) => {
                let made = self.method.pool.class_name(self.method.u2(usize::from(new_pc) + 1));
                if made != member.class {
                    return self.fail(format!(
                        "Call to wrong <init> method: {} instead of {}",
                        mutf8::display(member.class),
                        mutf8::display(made)
                    ));
                }
                let initialized = self.class_type(made);
                let message = "Bad access to protected <init> method";
                self.check_protected(member, initialized, message)?;
                self.initialized(object, initialized);
                Ok(())
            }
            _ => self.fail("Bad operand type when invoking <init>"),
        }
    }

    fn initialized(&mut self, from: VType, to: VType) {
        self.frame.replace(from, to);
        self.locals_changed = true;
    }
}

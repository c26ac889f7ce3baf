//! `MemberName`: what the machine writes into one when it is resolved, and what flags mean.

use crate::class::{Field, flags};
use crate::frame::Res;
use crate::value::{ClassId, MethodId, Ref};
use crate::vm::Vm;

/// Bits of `MemberName.flags` above the modifiers.
pub(crate) const IS_METHOD: u32 = 0x1_0000;
pub(crate) const IS_CONSTRUCTOR: u32 = 0x2_0000;
pub(crate) const IS_FIELD: u32 = 0x4_0000;
const IS_TYPE: u32 = 0x8_0000;
pub(crate) const CALLER_SENSITIVE: u32 = 0x10_0000;
const TRUSTED_FINAL: u32 = 0x20_0000;
/// Since 22 or so; the bit is free before.
pub(crate) const HIDDEN_MEMBER: u32 = 0x40_0000;
pub(crate) const ALL_KINDS: u32 = IS_METHOD | IS_CONSTRUCTOR | IS_FIELD | IS_TYPE;

/// Reference kinds of JVMS table 5.4.3.5-A.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RefKind {
    GetField = 1,
    GetStatic = 2,
    PutField = 3,
    PutStatic = 4,
    InvokeVirtual = 5,
    InvokeStatic = 6,
    InvokeSpecial = 7,
    NewInvokeSpecial = 8,
    InvokeInterface = 9,
}

impl RefKind {
    /// The kind in a `MemberName`'s flags.
    pub(crate) fn of_flags(member_flags: u32) -> Option<RefKind> {
        Some(match member_flags >> 24 & 15 {
            1 => RefKind::GetField,
            2 => RefKind::GetStatic,
            3 => RefKind::PutField,
            4 => RefKind::PutStatic,
            5 => RefKind::InvokeVirtual,
            6 => RefKind::InvokeStatic,
            7 => RefKind::InvokeSpecial,
            8 => RefKind::NewInvokeSpecial,
            9 => RefKind::InvokeInterface,
            _ => return None,
        })
    }

    fn bits(self) -> u32 {
        (self as u32) << 24
    }

    fn is_setter(self) -> bool {
        matches!(self, RefKind::PutField | RefKind::PutStatic)
    }
}

/// How a resolved method is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dispatch {
    Direct,
    Virtual,
    Interface,
}

impl Vm {
    /// How a call of a method is dispatched, seen through a class that may be below the method's.
    pub(crate) fn dispatch_of(&self, method: MethodId, through: ClassId) -> Dispatch {
        let method = self.method(method);
        let holder = self.class(method.class);
        if method.is_static() || method.is_constructor() || method.is_private() {
            return Dispatch::Direct;
        }
        if !holder.is_interface() {
            let is_final = (method.flags | holder.flags) & flags::FINAL != 0;
            return if is_final { Dispatch::Direct } else { Dispatch::Virtual };
        }
        if self.class(through).is_interface() { Dispatch::Interface } else { Dispatch::Virtual }
    }

    /// Writes a resolved method into a `MemberName`.
    #[expect(clippy::cast_sign_loss, reason = "HotSpot's index of a method called directly is -2")]
    pub(crate) fn set_member_method(
        &mut self,
        member: Ref,
        target: MethodId,
        through: ClassId,
        dispatch: Dispatch,
    ) -> Res<()> {
        let method = self.method(target);
        let mut clazz = method.class;
        let mut bits = u32::from(method.flags);
        if method.signature_polymorphic {
            bits = bits & u32::from(flags::STATIC)
                | u32::from(flags::NATIVE | flags::FINAL | flags::SYNTHETIC);
        }
        if method.caller_sensitive {
            bits |= CALLER_SENSITIVE;
        }
        if self.jdk >= 22 && (method.hidden || self.class(clazz).hidden) {
            bits |= HIDDEN_MEMBER;
        }
        let mut vmindex = -2_i64 as u64;
        bits |= match dispatch {
            Dispatch::Interface => {
                vmindex = u64::from(method.slot);
                IS_METHOD | RefKind::InvokeInterface.bits()
            }
            Dispatch::Virtual => {
                vmindex = u64::from(method.vtable_index.unwrap_or(0));
                if self.class(clazz).is_interface() {
                    // Called through a class, whose dispatch table has an entry for it.
                    clazz = if self.class(through).is_interface() {
                        self.known.object
                    } else {
                        through
                    };
                }
                IS_METHOD | RefKind::InvokeVirtual.bits()
            }
            Dispatch::Direct if method.is_static() => IS_METHOD | RefKind::InvokeStatic.bits(),
            Dispatch::Direct if method.is_constructor() => {
                IS_CONSTRUCTOR | RefKind::InvokeSpecial.bits()
            }
            Dispatch::Direct => IS_METHOD | RefKind::InvokeSpecial.bits(),
        };
        let resolved = self.new_resolved_method_name(target)?;
        self.heap.store_u32(member, self.known.member_name_flags, bits);
        self.heap.store_ref(member, self.known.member_name_method, resolved);
        self.heap.store_u64(member, self.known.member_name_vmindex, vmindex);
        self.heap.store_ref(member, self.known.member_name_clazz, self.mirror(clazz));
        Ok(())
    }

    /// Writes a resolved field into a `MemberName`.
    pub(crate) fn set_member_field(
        &mut self,
        member: Ref,
        field: &Field,
        is_setter: bool,
    ) -> Res<()> {
        let kind = match (field.is_static(), is_setter) {
            (false, false) => RefKind::GetField,
            (true, false) => RefKind::GetStatic,
            (false, true) => RefKind::PutField,
            (true, true) => RefKind::PutStatic,
        };
        let mut bits = u32::from(field.flags) | IS_FIELD | kind.bits();
        if self.is_trusted_final(field) {
            bits |= TRUSTED_FINAL;
        }
        self.heap.store_u32(member, self.known.member_name_flags, bits);
        self.heap.store_ref(member, self.known.member_name_method, Ref::NULL);
        self.heap.store_u64(member, self.known.member_name_vmindex, u64::from(field.offset));
        self.heap.store_ref(member, self.known.member_name_clazz, self.mirror(field.class));
        Ok(())
    }

    /// A new `ResolvedMethodName` of a method.
    pub(crate) fn new_resolved_method_name(&mut self, method: MethodId) -> Res<Ref> {
        let resolved = self.new_object(self.known.resolved_method_name)?;
        let holder = self.mirror(self.method(method).class);
        self.heap.store_u64(resolved, self.known.resolved_method_vmtarget, u64::from(method.0) + 1);
        self.heap.store_ref(resolved, self.known.resolved_method_vmholder, holder);
        Ok(resolved)
    }

    /// The method in a `ResolvedMethodName`.
    #[expect(clippy::cast_possible_truncation, reason = "holds a method id plus one")]
    pub(crate) fn method_of_resolved_name(&self, resolved: Ref) -> Option<MethodId> {
        let target = self.heap.load_u64(resolved, self.known.resolved_method_vmtarget);
        target.checked_sub(1).map(|id| MethodId(id as u32))
    }

    /// The descriptor that a `MemberName.type` stands for: a string, a class or a method type.
    /// `None` for anything else.
    pub(crate) fn descriptor_of_type(&mut self, member_type: Ref) -> Res<Option<Vec<u8>>> {
        let class = self.class_of(member_type);
        if class == self.known.string {
            return Ok(Some(classfile::mutf8::encode(self.string_utf16(member_type))));
        }
        if class == self.known.class {
            return Ok(Some(self.descriptor_of(self.class_of_mirror(member_type))));
        }
        if class != self.known.method_type {
            return Ok(None);
        }
        let parameters = self.heap.load_ref(member_type, self.known.method_type_ptypes);
        let mut descriptor = vec![b'('];
        for idx in 0..self.heap.array_length(parameters) {
            let parameter = self.class_of_mirror(self.heap.element_ref(parameters, idx));
            descriptor.extend(self.descriptor_of(parameter));
        }
        descriptor.push(b')');
        let result =
            self.class_of_mirror(self.heap.load_ref(member_type, self.known.method_type_rtype));
        descriptor.extend(self.descriptor_of(result));
        Ok(Some(descriptor))
    }
}

/// Whether flags ask for a setter.
pub(crate) fn is_setter(kind: RefKind) -> bool {
    kind.is_setter()
}

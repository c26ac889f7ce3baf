//! Resolution of constant-pool entries, JVMS §5.4.3, with access control and caching by rewriting sites.

use crate::class::Field;
use crate::frame::Res;
use crate::value::{ClassId, MethodId, Ref};
use crate::vm::Vm;

impl Vm {
    /// Resolves a `Class` constant.
    pub fn resolve_class(&mut self, within: ClassId, cp: u16) -> Res<ClassId> {
        let _ = (within, cp);
        unreachable!("internal: not written yet")
    }

    /// Resolves a field constant for `getfield`/`putfield` (`is_static` false) or `getstatic`/`putstatic`.
    /// Checks access, staticness, and finality for writes from `caller`.
    pub fn resolve_field(&mut self, caller: MethodId, cp: u16, is_static: bool, is_write: bool) -> Res<Field> {
        let _ = (caller, cp, is_static, is_write);
        unreachable!("internal: not written yet")
    }

    /// Resolves a method constant of either kind (JVMS §5.4.3.3, §5.4.3.4) and checks access. Gives
    /// the signature-polymorphic declaration itself for `MethodHandle.invokeExact` and its like.
    pub fn resolve_method(&mut self, within: ClassId, cp: u16) -> Res<MethodId> {
        let _ = (within, cp);
        unreachable!("internal: not written yet")
    }

    /// Field look-up by name through superclasses and interfaces, no access check.
    pub fn lookup_field(&self, class: ClassId, name: &[u8], descriptor: &[u8]) -> Option<Field> {
        let _ = (class, name, descriptor);
        unreachable!("internal: not written yet")
    }

    /// Method look-up by name as JVMS §5.4.3.3 (class) or §5.4.3.4 (interface), no access check.
    pub fn lookup_method(&self, class: ClassId, name: &[u8], descriptor: &[u8]) -> Option<MethodId> {
        let _ = (class, name, descriptor);
        unreachable!("internal: not written yet")
    }

    /// The object behind an `ldc` of a String or Class constant.
    pub fn resolve_string_or_class(&mut self, within: ClassId, cp: u16) -> Res<Ref> {
        let _ = (within, cp);
        unreachable!("internal: not written yet")
    }

    /// Whether `from` may touch a member of `holder` with these flags (JVMS §5.4.4), nest mates included.
    pub fn can_access(&mut self, from: ClassId, holder: ClassId, member_flags: u16) -> Res<bool> {
        let _ = (from, holder, member_flags);
        unreachable!("internal: not written yet")
    }
}

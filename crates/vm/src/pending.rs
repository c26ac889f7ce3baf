//! Functions that the interpreter calls and that are not written yet. Each goes when its owner lands.

use crate::frame::Res;
use crate::value::{ClassId, Kind, MethodId, Ref};
use crate::vm::Vm;

#[expect(missing_docs, unused_variables, reason = "each goes when its owner lands")]
impl Vm {
    // memory
    pub fn collect(&mut self) { unreachable!("internal: not written yet") }
    /// Collects (or grows) so that `size` more bytes fit below `heap.end`, if that is possible.
    pub fn collect_for(&mut self, size: usize) { unreachable!("internal: not written yet") }
    // reflect
    pub fn box_value(&mut self, kind: Kind, word: u64) -> Res<Ref> { unreachable!("internal: not written yet") }
    pub fn wrap_invocation_target(&mut self, exception: Ref) -> Ref { unreachable!("internal: not written yet") }
    pub fn call_site_returned(&mut self, class: ClassId, tag: u32, root: Ref, word: u64) -> Res<()> { unreachable!("internal: not written yet") }
    pub fn call_site_failed(&mut self, tag: u32, exception: Ref) -> Ref { unreachable!("internal: not written yet") }
    pub fn new_site(&mut self, class: ClassId) -> Res<u32> { unreachable!("internal: not written yet") }
    pub fn link_invokedynamic(&mut self, caller: ClassId, cp: u16, site: u32) -> Res<(MethodId, Ref)> { unreachable!("internal: not written yet") }
    pub fn link_invokehandle(&mut self, caller: ClassId, cp: u16, site: u32) -> Res<(MethodId, Ref)> { unreachable!("internal: not written yet") }
    pub fn resolve_loadable_constant(&mut self, class: ClassId, cp: u16) -> Res<u64> { unreachable!("internal: not written yet") }
    pub fn basic_target(&self, handle: Ref) -> MethodId { unreachable!("internal: not written yet") }
    pub fn member_target(&self, member: Ref) -> MethodId { unreachable!("internal: not written yet") }
}

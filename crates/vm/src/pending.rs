//! Functions that the interpreter calls and that are not written yet. Each goes when its owner lands.

use crate::vm::Vm;

#[expect(missing_docs, unused_variables, reason = "each goes when its owner lands")]
impl Vm {
    // memory
    pub fn collect(&mut self) { unreachable!("internal: not written yet") }
    /// Collects (or grows) so that `size` more bytes fit below `heap.end`, if that is possible.
    pub fn collect_for(&mut self, size: usize) { unreachable!("internal: not written yet") }
}

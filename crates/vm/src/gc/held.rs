//! Which locks a thread holds, for dumps of threads: the objects that its frames have locked, and the
//! synchronizers that say they belong to it.
#![expect(unsafe_code, reason = "frames and registers are reached through raw pointers")]

use super::graph::Graph;
use super::maps::{Extent, Maps};
use super::roots::position;
use super::shapes::Shapes;
use crate::class::MethodRt;
use crate::code::Op;
use crate::frame::Frame;
use crate::heap::FIRST_BYTE;
use crate::value::{ClassId, Ref};
use crate::vm::Vm;

impl Vm {
    /// The objects whose locks a thread holds, each with the number of the frame that took it (zero is
    /// the youngest), the youngest lock first.
    pub(crate) fn held_monitors(&self, thread: usize) -> Vec<(Ref, u32)> {
        let (id, first) = (self.threads[thread].id, self.threads[thread].frames.start());
        let mut frame =
            if thread == self.current { self.frame } else { self.threads[thread].frame };
        let mut held = Vec::new();
        let mut depth = 0;
        // Whether the frame above is a Java frame that this one calls.
        let mut calls = false;
        while frame >= first {
            // SAFETY: frames from the first to the top one are valid; methods and code outlive the
            // frames that run them; the lock of a synchronized method is in `extra`.
            unsafe {
                let rt = (*frame).method;
                if rt.is_null() {
                    calls = false;
                } else {
                    let mut objects = self.block_locks(frame, &*rt, calls).unwrap_or_default();
                    if (*rt).careful != 0 {
                        objects.push(Ref::from_slot((*frame).extra));
                    }
                    objects
                        .retain(|&object| !object.is_null() && self.lock_owner(object) == Some(id));
                    held.extend(objects.into_iter().map(|object| (object, depth)));
                    calls = true;
                    depth += 1;
                }
                frame = frame.sub(1);
            }
        }
        held
    }

    /// What the `synchronized` blocks around the place of a frame have locked, the innermost first.
    /// Compilers keep such an object in a variable of its own, which lives until the lock is given
    /// back; inner blocks have later variables.
    ///
    /// # Safety
    /// `frame` must be a valid Java frame of a thread of this machine, `rt` its method.
    unsafe fn block_locks(
        &self,
        frame: *mut Frame,
        rt: &MethodRt,
        calls: bool,
    ) -> Option<Vec<Ref>> {
        if rt.code.is_null() {
            return None;
        }
        // SAFETY: see above.
        let (code, method, fp) = unsafe { (&*rt.code, &*rt.method, (*frame).fp) };
        // SAFETY: see above.
        let position = position(code, unsafe { (*frame).pc })?;
        let mut kept = kept_locks(&Graph::of(code)?);
        if kept.is_empty() {
            return None;
        }
        let maps = Maps::of(self.class(method.class).class_file(), method, code, Extent::Needed)?;
        // SAFETY: the frame owns its registers.
        let registers = unsafe { std::slice::from_raw_parts(fp, rt.n_regs as usize) };
        // Calls have three units.
        let live = if calls {
            maps.during(position.checked_sub(3)?, registers)?
        } else {
            maps.before(position, registers)?
        };
        kept.retain(|register| live.contains(register));
        Some(
            kept.into_iter().map(|register| Ref::from_slot(registers[register as usize])).collect(),
        )
    }

    /// All instances of a class and its subclasses in the heap.
    pub(crate) fn instances_of(&self, class: ClassId) -> Vec<Ref> {
        let mut shapes = Shapes::default();
        shapes.extend(self);
        let heap = &self.heap;
        let mut found = Vec::new();
        for (start, end) in [
            (FIRST_BYTE, heap.base_end),
            (heap.literals_start, heap.literals_top),
            (heap.perm_start, heap.perm_top),
            (heap.main_start, heap.top),
        ] {
            let mut at = start;
            while at < end {
                let Ok(granule) = u32::try_from(at >> 3) else { break };
                let object = Ref(granule);
                if self.instance_of(object, class) {
                    found.push(object);
                }
                at += shapes.size(self, object);
            }
        }
        found
    }
}

/// Registers that keep an object until its lock is given back, the highest first.
fn kept_locks(graph: &Graph) -> Vec<u16> {
    let mut kept = Vec::new();
    for (idx, node) in graph.nodes.iter().enumerate() {
        if node.insn.op != Op::monitorexit as u16 {
            continue;
        }
        let copied = idx.checked_sub(1).map(|before| graph.nodes[before].insn);
        let copied = copied.filter(|mov| mov.op == Op::mov as u16 && mov.a == node.insn.a);
        kept.push(copied.map_or(node.insn.a, |mov| mov.b));
    }
    kept.sort_unstable_by(|a, b| b.cmp(a));
    kept.dedup();
    kept
}

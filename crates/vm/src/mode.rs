//! Probes and the value domain: what an observer can see and decide while code runs.
//!
//! The interpreter's handlers are compiled once per `Mode`; a constant that is `false` removes the
//! probe from the compiled code, so that observation costs nothing when it is off. Code is shared
//! by all modes: one machine may run one call plainly and the next one under a probe.
//!
//! The shadow half is the seam for symbolic execution: a mode with `SHADOW` is told of every
//! computation on registers and may overrule branches. Concrete values are always computed too.

use crate::code::Op;
use crate::value::{ClassId, Kind, MethodId, Ref};
use crate::vm::Vm;

/// Position in code: a method and a bytecode index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The method.
    pub method: MethodId,
    /// The bytecode index.
    pub bci: u16,
}

/// An observer. All methods default to nothing.
#[expect(unused_variables, reason = "defaults do nothing")]
pub trait Mode: Sized + 'static {
    /// Whether `field_read`, `array_read`, `length_read` and `static_read` are called. Intrinsics
    /// then run as Java code; natives read unseen, but `enter` tells of them.
    const READS: bool = false;
    /// Whether `field_write`, `array_write` and `static_write` are called.
    const WRITES: bool = false;
    /// Whether `branch` is called.
    const BRANCHES: bool = false;
    /// Whether `enter` and `leave` are called.
    const CALLS: bool = false;
    /// Whether `allocated` is called.
    const ALLOCATIONS: bool = false;
    /// Whether `thrown` is called.
    const EXCEPTIONS: bool = false;
    /// Whether `step` is called before every instruction.
    const STEPS: bool = false;
    /// Whether the shadow domain is on: `shadow_*` are called, intrinsics run as Java code.
    const SHADOW: bool = false;

    /// An instance field is read.
    fn field_read(&mut self, vm: &mut Vm, object: Ref, offset: u32, kind: Kind) {}
    /// An instance field is about to be written.
    fn field_write(&mut self, vm: &mut Vm, object: Ref, offset: u32, kind: Kind, new: u64) {}
    /// An array element is read.
    fn array_read(&mut self, vm: &mut Vm, array: Ref, idx: u32) {}
    /// The length of an array is read by `arraylength`.
    fn length_read(&mut self, vm: &mut Vm, array: Ref) {}
    /// An array element is about to be written.
    fn array_write(&mut self, vm: &mut Vm, array: Ref, idx: u32, kind: Kind, new: u64) {}
    /// A static field is read; `granule` is its slot in the heap.
    fn static_read(&mut self, vm: &mut Vm, granule: u32, kind: Kind) {}
    /// A static field is about to be written.
    fn static_write(&mut self, vm: &mut Vm, granule: u32, kind: Kind, new: u64) {}
    /// The instruction at a position of the method's `Code` is about to run.
    fn step(&mut self, method: MethodId, position: u32) {}
    /// Whether `branch` is to be called for branches of this method; asked every time, so that modes
    /// which watch few methods need not pay for the others.
    fn wants_branches(&mut self, vm: &mut Vm, method: MethodId) -> bool {
        true
    }
    /// Whether `branch` is to be called for this way of a branch, by the position in the method's `Code`;
    /// asked every time, so that a mode which wants to hear of each way once need not pay for the others.
    fn wants_branch(&mut self, vm: &mut Vm, method: MethodId, position: u32, edge: u32) -> bool {
        self.wants_branches(vm, method)
    }
    /// Whether this way of a branch is of no interest any more, by the address of the translated instruction;
    /// asked first of all, and has to be cheap. Addresses are those of other code when classes were unloaded.
    #[inline(always)]
    fn knows_branch(&mut self, address: usize, edge: u32) -> bool {
        false
    }
    /// A conditional branch goes its way; `edge` is 1 if taken, 0 if not, the case for switches.
    fn branch(&mut self, vm: &mut Vm, place: Place, edge: u32) {}
    /// A method is entered; the arguments are its first registers.
    fn enter(&mut self, vm: &mut Vm, method: MethodId, args: &[u64]) {}
    /// A method returns normally (`Some`) or by an exception.
    fn leave(&mut self, vm: &mut Vm, method: MethodId, result: Option<u64>) {}
    /// An object was allocated.
    fn allocated(&mut self, vm: &mut Vm, object: Ref, class: ClassId) {}
    /// An exception is thrown.
    fn thrown(&mut self, vm: &mut Vm, exception: Ref) {}

    /// Register `dst` becomes `op(b, c)`; registers are absolute addresses of slots. Unary
    /// operations and moves have `b == c`; constants have `b` and `c` null.
    fn shadow_compute(&mut self, op: Op, dst: *mut u64, b: *const u64, c: *const u64) {}
    /// Register `dst` is loaded from heap byte `address`.
    fn shadow_load(&mut self, dst: *mut u64, address: usize) {}
    /// Heap byte `address` is stored from register `src`.
    fn shadow_store(&mut self, src: *const u64, address: usize) {}
    /// A comparison of `a` and `b` (null: a constant) decides; the mode may overrule it.
    fn shadow_branch(&mut self, op: Op, a: *const u64, b: *const u64, taken: bool) -> bool {
        taken
    }
}

/// No observer: the fastest mode.
#[derive(Debug, Default)]
pub struct Plain;

impl Mode for Plain {}

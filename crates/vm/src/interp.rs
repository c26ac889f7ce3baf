//! The interpreter: one small function per instruction, each ending in a tail call of the next.
//!
//! A handler gets everything in registers: the instruction, the frame's registers, the machine, the
//! base of the heap and the handler table of the current [`Mode`]. Handlers of one mode are one table;
//! code is shared by all modes. Anything rare (resolution, exceptions, collection, scheduling)
//! is a plain function in `slow`, `unwind` or `call` that returns a `Flow`: where to go on.
//!
//! LLVM turns the calls into jumps from optimisation level 1 on; handlers therefore must not own
//! anything that is dropped after the call. A test runs long loops on a small host stack.
#![expect(unsafe_code, reason = "the interpreter trusts verified code; see the module text")]

#[macro_use]
mod macros;

mod arithmetic;
mod array;
mod branch;
mod call;
mod cold;
mod field;
mod invoke;
mod object;
mod slow;
mod stubs;
mod transfer;
mod unwind;

pub use call::Outcome;
pub use stubs::stub;

use crate::code::{Insn, Op};
use crate::mode::Mode;
use crate::value::{MethodId, Ref};
use crate::vm::Vm;

/// Why the dispatch loop came back to its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Exit {
    /// The bottom hook of a thread was reached: see `RunState`.
    Done = 0,
    /// Another thread should run; the top frame's `pc` says where this one goes on.
    Reschedule = 1,
    /// The machine stops; see `Vm::stop`.
    Stop = 2,
}

/// Where to go on after a slow path: an instruction and the registers of its frame, or an exit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flow {
    pc: *const Insn,
    fp: *mut u64,
}

impl Flow {
    /// Go on at an instruction.
    #[inline]
    pub(crate) fn at(pc: *const Insn, fp: *mut u64) -> Flow {
        Flow { pc, fp }
    }

    /// Leave the dispatch loop.
    #[inline]
    pub(crate) fn exit(exit: Exit) -> Flow {
        Flow { pc: std::ptr::null(), fp: exit as usize as *mut u64 }
    }

    #[inline]
    fn exit_code(self) -> Exit {
        match self.fp as usize {
            0 => Exit::Done,
            1 => Exit::Reschedule,
            _ => Exit::Stop,
        }
    }
}

type Handler = unsafe fn(*const Insn, *mut u64, *mut Vm, *mut u8, *const Table) -> Exit;

/// The handlers of one mode by instruction number.
pub(crate) struct Table {
    handlers: [Handler; Op::ALL.len()],
}

/// State of the dispatch loop that slow paths hand to `Vm::call`.
#[derive(Debug, Default)]
pub struct RunState {
    /// Result word of the call that reached its bottom hook.
    pub(crate) result: u64,
    /// What it threw, or null.
    pub(crate) thrown: Ref,
    /// Set while a mode wants to hear of methods left and exceptions thrown.
    pub(crate) on_leave: Option<unsafe fn(*mut Vm, MethodId, Option<u64>)>,
    /// See `on_leave`.
    pub(crate) on_enter: Option<unsafe fn(*mut Vm, *const crate::class::MethodRt, *mut u64)>,
    /// See `on_leave`.
    pub(crate) on_thrown: Option<unsafe fn(*mut Vm, Ref)>,
    /// Where the host's stack was when the dispatch loop was entered.
    pub(crate) host_stack: usize,
    /// The most of the host's stack that was in use when the loop looked up from its work. Handlers
    /// end in jumps, so this stays small however long the loop runs.
    pub deepest: usize,
    /// The method that `cold::enter_careful` enters.
    pub(crate) callee: Callee,
    /// Selected methods by receiver class and called method, for sites with several receivers.
    pub(crate) selected: Vec<Selected>,
    /// What intrinsics know of var handles.
    pub(crate) handles: crate::intrinsic::HandleFacts,
    /// A class of ciphers and the offset of its round keys.
    pub(crate) cipher_keys: Option<(u32, u32)>,
    /// Where intrinsics find fields of the class library, once found.
    pub(crate) offsets: Option<crate::intrinsic::Offsets>,
}

/// A method's address, null by default.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Callee(pub(crate) *const crate::class::MethodRt);

impl Default for Callee {
    fn default() -> Callee {
        Callee(std::ptr::null())
    }
}

/// One row of the cache behind the inline caches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Selected {
    class: u32,
    method: u32,
    rt: *const crate::class::MethodRt,
}

/// The mode's state.
///
/// # Safety
/// `vm.mode` must hold an `M`, which `Vm::call` takes care of.
#[inline(always)]
unsafe fn mode<'a, M: Mode>(vm: *mut Vm) -> &'a mut M {
    // SAFETY: see above.
    unsafe { &mut *(*vm).mode.cast::<M>() }
}

/// Tells the mode which instruction is about to run. Stubs are no instructions.
#[inline(always)]
unsafe fn step_probe<M: Mode>(vm: *mut Vm, pc: *const Insn) {
    // SAFETY: the top frame is the one that runs `pc`.
    unsafe {
        let rt = (*(*vm).frame).method;
        if rt.is_null() || (*rt).code.is_null() {
            return;
        }
        let code = &*(*rt).code;
        let distance = (pc as usize).wrapping_sub(code.entry() as usize);
        let position = distance / size_of::<Insn>();
        if position < code.insns.len() {
            mode::<M>(vm).step((*(*rt).method).id, position as u32);
        }
    }
}

/// Runs the next instruction.
#[inline(always)]
unsafe fn dispatch(
    pc: *const Insn,
    fp: *mut u64,
    vm: *mut Vm,
    heap: *mut u8,
    table: *const Table,
) -> Exit {
    // SAFETY: translated code only holds valid instruction numbers.
    unsafe {
        let handler = *(&raw const (*table).handlers).cast::<Handler>().add((*pc).op as usize);
        handler(pc, fp, vm, heap, table)
    }
}

struct Handlers<M>(std::marker::PhantomData<M>);

macro_rules! table_of {
    ($($name:ident,)*) => {
        impl<M: Mode> Handlers<M> {
            const TABLE: Table = Table { handlers: [$($name::<M>,)*] };
        }
    };
}

macro_rules! import_handlers {
    ($($group:ident)*) => { $(
        use $group::*;
    )* };
}

import_handlers! { arithmetic array branch field invoke object transfer }

for_each_op!(table_of);

/// The handler table of a mode.
fn table<M: Mode>() -> &'static Table {
    const { &Handlers::<M>::TABLE }
}

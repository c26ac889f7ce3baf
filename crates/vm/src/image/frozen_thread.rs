//! Green threads of a frozen machine: their stacks, with positions in place of addresses.
#![expect(unsafe_code, reason = "stacks are reached through raw pointers")]

use crate::boot::{BootError, failed};
use crate::code::{Insn, Op};
use crate::frame::Frame;
use crate::interp::stub;
use crate::stack::Reserved;
use crate::thread::{Stacks, Thread};
use crate::travel::SavedThread;
use crate::value::{MethodId, Ref, ThreadId};
use crate::vm::Vm;

/// One thread.
#[derive(Debug)]
pub(super) struct FrozenThread {
    id: ThreadId,
    java: Ref,
    housekeeper: bool,
    n_registers: usize,
    n_frames: usize,
    saved: SavedThread,
    /// The frames of `saved`, whose own addresses mean nothing here.
    frames: Vec<FrozenFrame>,
}

#[derive(Debug, Clone, Copy)]
struct FrozenFrame {
    method: Option<MethodId>,
    at: Position,
    /// Position of the first register.
    first_register: usize,
    extra: u64,
}

#[derive(Debug, Clone, Copy)]
enum Position {
    Code(usize),
    Stub(Op),
}

/// All instructions outside of code that frames stand at.
const STUBS: [Op; 4] = [Op::compile, Op::native, Op::abstract_method, Op::hook];

impl FrozenThread {
    pub(super) fn of(vm: &Vm, idx: usize) -> FrozenThread {
        let thread = &vm.threads[idx];
        let mut saved = if idx == vm.current {
            SavedThread::of_idle(thread, idx)
        } else {
            SavedThread::of(thread, idx)
        };
        let frames = std::mem::take(&mut saved.frames);
        FrozenThread {
            id: thread.id,
            java: thread.java,
            housekeeper: thread.housekeeper,
            n_registers: thread.registers.capacity(),
            n_frames: thread.frames.capacity(),
            saved,
            frames: frames.iter().map(|frame| frozen_frame(vm, thread, frame)).collect(),
        }
    }

    /// The thread in another machine, which has the same methods.
    pub(super) fn thaw(&self, vm: &mut Vm) -> Result<Thread, BootError> {
        let stacks = Stacks { registers: room(self.n_registers)?, frames: room(self.n_frames)? };
        let mut thread = Thread::new(self.id, self.java, stacks);
        thread.housekeeper = self.housekeeper;
        let mut frames = Vec::with_capacity(self.frames.len());
        for frame in &self.frames {
            let pc = match (frame.at, frame.method) {
                (Position::Stub(op), _) => stub(op),
                (Position::Code(position), Some(method)) => {
                    let entry = vm.translated(method).map_err(|error| failed("code", &error.0))?;
                    // SAFETY: the same code has the same instructions.
                    unsafe { entry.add(position) }
                }
                (Position::Code(_), None) => unreachable!("internal: a hook has no code"),
            };
            // SAFETY: the registers are as many as they were.
            let fp = unsafe { thread.registers.start().add(frame.first_register) };
            let method = frame.method.map_or(std::ptr::null(), |id| vm.methods.rt(id).cast_const());
            frames.push(Frame { pc, fp, method, extra: frame.extra });
        }
        self.saved.with_frames(frames).restore(&mut thread);
        // Marks of the other machine mean nothing here.
        thread.saved_for = 0;
        Ok(thread)
    }
}

fn room<T>(capacity: usize) -> std::io::Result<Reserved<T>> {
    // Threads that have ended have no stacks.
    if capacity == 0 { Ok(Reserved::empty()) } else { Reserved::new(capacity) }
}

fn frozen_frame(vm: &Vm, thread: &Thread, frame: &Frame) -> FrozenFrame {
    // SAFETY: methods outlive the frames that run them.
    let method = unsafe { frame.method.as_ref().map(|rt| (*rt.method).id) };
    let position = method.and_then(|id| vm.methods.code(id)).and_then(|code| {
        let distance = (frame.pc as usize).checked_sub(code.entry() as usize)?;
        let position = distance / size_of::<Insn>();
        (position < code.insns.len()).then_some(position)
    });
    let at = match position {
        Some(position) => Position::Code(position),
        None => {
            let op = STUBS.into_iter().find(|&op| stub(op) == frame.pc);
            Position::Stub(op.expect("internal: a frame that stands nowhere"))
        }
    };
    let first_register = (frame.fp as usize - thread.registers.start() as usize) / size_of::<u64>();
    FrozenFrame { method, at, first_register, extra: frame.extra }
}

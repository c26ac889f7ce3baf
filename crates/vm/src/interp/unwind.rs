//! Exceptions: finding the handler, leaving frames (JVMS §2.10), and the probes of leaving.

use super::{Exit, Flow, mode};
use crate::class::MethodRt;
use crate::frame::{Frame, Hook};
use crate::mode::Mode;
use crate::value::{ClassId, MethodId, Ref};
use crate::vm::Vm;

/// Throws: goes on at the handler, or leaves through the bottom hook.
///
/// The top frame's `pc` is the throwing instruction.
#[cold]
pub(super) fn throw(vm: *mut Vm, exception: Ref) -> Flow {
    // SAFETY: frames between a thread's first and top frame are valid; see `frame.rs`.
    unsafe {
        if let Some(on_thrown) = (*vm).run.on_thrown {
            on_thrown(vm, exception);
        }
        let mut exception = exception;
        let mut at_instruction = true;
        loop {
            let frame = (*vm).frame;
            let rt = (*frame).method;
            if rt.is_null() {
                if (*vm).is_caught(exception) {
                    // The interrupted native or instruction runs again.
                    return Flow::at((*(*vm).frame).pc, (*(*vm).frame).fp);
                }
                match leave_hook(&mut *vm, exception) {
                    Some(next) => {
                        if next != exception
                            && let Some(on_thrown) = (*vm).run.on_thrown
                        {
                            on_thrown(vm, next);
                        }
                        exception = next;
                        at_instruction = true;
                        continue;
                    }
                    None => return Flow::exit(Exit::Done),
                }
            }
            if let Some(target) = find_handler(&mut *vm, frame, at_instruction, exception) {
                return Flow::at(target, (*frame).fp);
            }
            if (*rt).careful != 0 {
                // A lock that is not held any more is the program's own doing; the exception goes on.
                let _ = (*vm).unlock(Ref::from_slot((*frame).extra));
            }
            if let Some(on_leave) = (*vm).run.on_leave {
                on_leave(vm, (*(*rt).method).id, None);
            }
            (*vm).frame = frame.sub(1);
            at_instruction = false;
        }
    }
}

/// An exception reaches a call that the machine made: what is thrown in the interrupted frame, or
/// `None` where the bottom of the call is reached.
fn leave_hook(vm: &mut Vm, exception: Ref) -> Option<Ref> {
    let hook = vm.pop_hook();
    vm.abandon_transforms();
    Some(match hook {
        Hook::Entry => {
            vm.run.thrown = exception;
            vm.run.result = 0;
            return None;
        }
        Hook::ClassInit(class) => vm.class_init_threw(class, exception),
        Hook::LoadedClass { asked, keep_exception, .. } => {
            vm.class_load_failed(asked, keep_exception, exception)
        }
        Hook::Reflect { .. } | Hook::ReflectNew { .. } => vm.wrap_invocation_target(exception),
        Hook::CallSite { class, tag, .. } => vm.call_site_failed(class, tag, exception),
        Hook::Retry
        | Hook::NativeResult
        | Hook::Resume { .. }
        | Hook::Attempt { .. }
        | Hook::Transformed { .. } => exception,
    })
}

impl Vm {
    /// Whether the call whose hook frame is on top wants to know of exceptions rather than pass them on; its
    /// hook is gone then.
    fn is_caught(&mut self, exception: Ref) -> bool {
        match self.threads[self.current].hooks.last() {
            Some(&Hook::Attempt { state }) => {
                self.pop_hook();
                self.resumed = Some((state | 1 << 63, exception.to_slot()));
                true
            }
            Some(&Hook::Transformed { ticket }) => {
                self.pop_hook();
                self.transformed(ticket, Ref::NULL);
                true
            }
            _ => false,
        }
    }
}

/// The handler of this frame for an exception; its register already holds the exception then.
unsafe fn find_handler(
    vm: &mut Vm,
    frame: *mut Frame,
    at_instruction: bool,
    exception: Ref,
) -> Option<*const crate::code::Insn> {
    // SAFETY: as in `throw`.
    unsafe {
        let rt = (*frame).method;
        if (*rt).code.is_null() {
            return None;
        }
        let code = &*(*rt).code;
        if code.handlers.is_empty() {
            return None;
        }
        let position = (*frame).pc.offset_from(code.entry());
        let position =
            u32::try_from(position).unwrap_or(0).saturating_sub(u32::from(!at_instruction));
        let class = (*(*rt).method).class;
        let found = code.handlers.iter().find(|h| {
            h.start <= position
                && position < h.end
                && (h.catch_type == 0 || catches(vm, class, h.catch_type, exception))
        })?;
        (*frame).fp.add(usize::from(found.register)).write(exception.to_slot());
        Some(code.entry().add(found.target as usize))
    }
}

/// Whether a catch clause names the exception's class or a superclass. Compared without loading:
/// a class that is not loaded has no instances.
fn catches(vm: &Vm, within: ClassId, catch_type: u16, exception: Ref) -> bool {
    let class = vm.class(within);
    let name = class.class_file().constant_pool().class_name(catch_type);
    let thrown = vm.class(vm.class_of(exception));
    let Some(&found) = thrown.supers.iter().find(|&&id| vm.class(id).name.as_bytes() == name)
    else {
        return false;
    };
    // A class of the same name from another loader is another class, if this loader knows one.
    let known = vm.loaders[class.loader.idx()].classes.get(&vm.class(found).name);
    known.is_none_or(|&id| id == found)
}

/// Tells the mode that a method was entered. Out of line, as its twin below: what a probe keeps on the
/// host's stack would keep handlers from ending in a jump.
#[inline(never)]
pub(super) unsafe fn entered<M: Mode>(vm: *mut Vm, rt: *const MethodRt, fp: *mut u64) {
    // SAFETY: called with the machine's own pointers; the arguments are the first registers.
    unsafe {
        let args = std::slice::from_raw_parts(fp, usize::from((*rt).arg_slots));
        mode::<M>(vm).enter(&mut *vm, (*(*rt).method).id, args)
    }
}

/// Tells the mode that a method was left normally.
#[inline(never)]
pub(super) unsafe fn left<M: Mode>(vm: *mut Vm, frame: *mut Frame, result: Option<u64>) {
    // SAFETY: called with the machine's own pointers.
    unsafe { mode::<M>(vm).leave(&mut *vm, (*(*(*frame).method).method).id, result) }
}

/// `RunState::on_leave` of a mode.
pub(super) unsafe fn leave_probe<M: Mode>(vm: *mut Vm, method: MethodId, result: Option<u64>) {
    // SAFETY: set together with the mode.
    unsafe { mode::<M>(vm).leave(&mut *vm, method, result) }
}

/// `RunState::on_thrown` of a mode.
pub(super) unsafe fn thrown_probe<M: Mode>(vm: *mut Vm, exception: Ref) {
    // SAFETY: set together with the mode.
    unsafe { mode::<M>(vm).thrown(&mut *vm, exception) }
}

//! The rare halves of instructions: resolution and rewriting, allocation when memory is short,
//! faults. Each saves the instruction in the top frame first, so that stack traces and retries see it.

mod faults;
pub(super) mod link;

pub(super) use faults::{
    abstract_method, array_fault, array_store_fault, athrow, can_store, class_cast, divide_by_zero,
    null_pointer,
};

use super::call::trapped;
use super::{Exit, Flow, mode};
use crate::class::{Field, MethodRt, Shape};
use crate::code::{self, Insn, Op, TranslateError};
use crate::frame::{Res, Stop};
use crate::heap::{ELEMENTS_OFFSET, LENGTH_OFFSET};
use crate::mode::{Mode, Place};
use crate::value::{ClassId, Kind, MethodId, Ref};
use crate::vm::Vm;

/// Unwraps, or goes on as the trap says.
macro_rules! attempt {
    ($vm:expr, $result:expr) => {
        match $result {
            Ok(value) => value,
            Err(trap) => return $crate::interp::call::trapped($vm, trap),
        }
    };
}
pub(super) use attempt;

/// Saves the instruction in the top frame; gives the machine and the frame's method.
unsafe fn begin<'a>(vm: *mut Vm, pc: *const Insn) -> (&'a mut Vm, MethodId, ClassId) {
    // SAFETY: called with the machine's own pointers while a Java frame is on top.
    unsafe {
        let frame = (*vm).frame;
        (*frame).pc = pc;
        let method = (*(*frame).method).method;
        (&mut *vm, (*method).id, (*method).class)
    }
}

impl Vm {
    /// The first instruction of a method with code, translated now if it was not before.
    pub(crate) fn translated(&mut self, method: MethodId) -> Result<*const Insn, TranslateError> {
        let rt: *mut MethodRt = self.methods.rt(method);
        // SAFETY: entries of methods never move; code is freed only with its method.
        unsafe {
            if (*rt).code.is_null() {
                let linked = self.method(method);
                let code = code::translate(self.class(linked.class), linked)?;
                let code = Box::into_raw(Box::new(code));
                (*rt).code = code;
                (*rt).entry = (*code).entry();
            }
            Ok((*rt).entry)
        }
    }

    /// Rewrites an instruction on the ground of a fact that was established at some depth of
    /// marks; taken back when the fact is.
    pub(crate) fn quicken(&mut self, at: *mut Insn, new: Insn, fact_depth: u32) {
        // SAFETY: `at` points into the code of the top frame's method.
        unsafe {
            if fact_depth > 0 {
                let owner = (*(*(*self.frame).method).method).class;
                let depth = fact_depth.max(self.classes[owner.idx()].made_at);
                self.marks.remember(crate::travel::Undo::Quickened { at, old: *at, depth });
            }
            *at = new;
        }
    }

    /// The depth of marks from which on a class counts as initialised for good.
    fn initialised_depth(&self, class: ClassId) -> Option<u32> {
        let rt = &self.classes[class.idx()];
        rt.initialised_at.map(|depth| depth.max(rt.made_at))
    }

    /// Room for an allocation, collecting if need be. The top frame's `pc` must be saved.
    pub(crate) fn make_room(&mut self, size: usize) -> Res<()> {
        if self.heap.top + size <= self.heap.end {
            return Ok(());
        }
        self.collect_for(size);
        if self.heap.top + size <= self.heap.end {
            return Ok(());
        }
        Err(self.throw("java/lang/OutOfMemoryError", "Java heap space"))
    }
}

/// Looks at everything that waits for a safe point, then goes on at `pc`.
#[cold]
pub(super) fn poll(vm: *mut Vm, pc: *const Insn) -> Flow {
    // SAFETY: called with the machine's own pointers while a Java frame is on top.
    unsafe {
        let vm = &mut *vm;
        (*vm.frame).pc = pc;
        let here = std::hint::black_box(0_u8);
        let depth = vm.run.host_stack.saturating_sub((&raw const here) as usize);
        vm.run.deepest = vm.run.deepest.max(depth);
        if vm.gc_due {
            vm.gc_due = false;
            vm.collect();
        }
        if vm.fuel_reserve <= 0 || vm.is_enough.is_some_and(|is_enough| is_enough()) {
            vm.stop = Some(Stop::OutOfFuel);
            return Flow::exit(Exit::Stop);
        }
        vm.refuel();
        // Leaving the loop also gives back what a handler without a jump at its end left on the host's stack.
        Flow::exit(Exit::Reschedule)
    }
}

/// First call of a method: translates it.
#[cold]
pub(super) fn compile(vm: *mut Vm, pc: *const Insn, fp: *mut u64) -> Flow {
    // SAFETY: the frame of the method to translate is on top.
    unsafe {
        let (vm, id, class) = begin(vm, pc);
        match vm.translated(id) {
            Ok(entry) => Flow::at(entry, fp),
            Err(error) => {
                let text = format!("{}.{}: {}", vm.class(class).name, vm.method(id).name, error.0);
                let trap = vm.throw("java/lang/VerifyError", &text);
                trapped(vm, trap)
            }
        }
    }
}

/// First call of a native: looks it up.
#[cold]
pub(super) fn link_native(vm: *mut Vm, pc: *const Insn, fp: *mut u64) -> Flow {
    // SAFETY: the native's frame is on top.
    unsafe {
        let (vm, id, class) = begin(vm, pc);
        let class_name = vm.class(class).name.to_string();
        let method = vm.method(id);
        let (name, descriptor) = (method.name.to_string(), method.descriptor.to_string());
        // `registerNatives` and `initIDs`: natives are found by name, nothing needs registering.
        let found = if vm.class(class).is_spun {
            Some(crate::spin::native_of_spun())
        } else {
            vm.natives.find(&class_name, &name, &descriptor)
        };
        let found = found.or_else(|| {
            (name == "registerNatives" || name == "initIDs")
                .then_some(crate::native::nothing as crate::native::NativeFn)
        });
        match found {
            Some(function) => {
                (*vm.methods.rt(id)).native = Some(function);
                Flow::at(pc, fp)
            }
            None => {
                let signature = vm.external_signature(id);
                let trap = vm.throw("java/lang/UnsatisfiedLinkError", &format!("'{signature}'"));
                trapped(vm, trap)
            }
        }
    }
}

/// Enters a method that is synchronized, or complains that the stack is full.
#[cold]
pub(super) fn enter_careful(
    vm: *mut Vm,
    pc: *const Insn,
    new_fp: *mut u64,
    rt: *const MethodRt,
) -> Flow {
    // SAFETY: the caller's frame is on top; limits are checked before the callee's is written.
    unsafe {
        let (vm, _, _) = begin(vm, pc);
        let callee = vm.frame.add(1);
        if callee >= vm.frame_limit || new_fp.add((*rt).n_regs as usize) >= vm.reg_limit {
            let trap = vm.stack_overflow();
            return trapped(vm, trap);
        }
        let mut extra = 0;
        if (*rt).careful != 0 {
            let method = &*(*rt).method;
            let object =
                if method.is_static() { vm.mirror(method.class) } else { Ref::from_slot(*new_fp) };
            attempt!(vm, vm.lock(object));
            extra = object.to_slot();
        }
        (*vm.frame).pc = pc.add(3);
        vm.frame = callee;
        (*callee).fp = new_fp;
        (*callee).method = rt;
        (*callee).extra = extra;
        if let Some(on_enter) = vm.run.on_enter {
            on_enter(vm, rt, new_fp);
        }
        vm.fuel -= 4;
        if vm.fuel < 0 {
            return poll(vm, (*rt).entry);
        }
        Flow::at((*rt).entry, new_fp)
    }
}

/// Return of a synchronized method.
pub(super) fn return_locked(vm: *mut Vm, pc: *const Insn, value: Option<u64>) -> Flow {
    // SAFETY: the returning frame is on top, its caller below.
    unsafe {
        let (vm, _, _) = begin(vm, pc);
        let frame = vm.frame;
        if let Err(trap) = vm.unlock(Ref::from_slot((*frame).extra)) {
            // The frame is left even so, JVMS §2.11.10; its caller sees the exception.
            vm.frame = frame.sub(1);
            return trapped(vm, trap);
        }
        let caller = frame.sub(1);
        vm.frame = caller;
        if let Some(value) = value {
            *(*frame).fp = value;
        }
        Flow::at((*caller).pc, (*caller).fp)
    }
}

/// Takes a free lock. Out of line, so that the handler ends in a jump.
#[inline(never)]
pub(super) unsafe fn lock_fast(vm: *mut Vm, object: Ref) -> bool {
    // SAFETY: called with the machine's own pointer.
    unsafe { (*vm).lock_fast(object) }
}

/// Gives back a lock that nobody waits for.
#[inline(never)]
pub(super) unsafe fn unlock_fast(vm: *mut Vm, object: Ref) -> bool {
    // SAFETY: called with the machine's own pointer.
    unsafe { (*vm).unlock_fast(object) }
}

pub(super) fn monitorenter(vm: *mut Vm, pc: *const Insn, object: Ref) -> Flow {
    // SAFETY: a Java frame is on top.
    unsafe {
        let (vm, _, _) = begin(vm, pc);
        if object.is_null() {
            return null_pointer(vm, pc);
        }
        attempt!(vm, vm.lock(object));
        Flow::at(pc.add(1), (*vm.frame).fp)
    }
}

pub(super) fn monitorexit(vm: *mut Vm, pc: *const Insn, object: Ref) -> Flow {
    // SAFETY: a Java frame is on top.
    unsafe {
        let (vm, _, _) = begin(vm, pc);
        if object.is_null() {
            return null_pointer(vm, pc);
        }
        attempt!(vm, vm.unlock(object));
        Flow::at(pc.add(1), (*vm.frame).fp)
    }
}

/// Tells the mode of a branch.
#[inline(always)]
pub(super) unsafe fn branch_probe<M: Mode>(vm: *mut Vm, pc: *const Insn, edge: u32) {
    // SAFETY: as for `unknown_branch`.
    unsafe {
        if !mode::<M>(vm).knows_branch(pc as usize, edge) {
            unknown_branch::<M>(vm, pc, edge);
        }
    }
}

#[inline(never)]
unsafe fn unknown_branch<M: Mode>(vm: *mut Vm, pc: *const Insn, edge: u32) {
    // SAFETY: a Java frame with translated code is on top.
    unsafe {
        let rt = (*(*vm).frame).method;
        let method = (*(*rt).method).id;
        let position = u32::try_from(pc.offset_from((*(*rt).code).entry())).unwrap_or(0);
        if mode::<M>(vm).wants_branch(&mut *vm, method, position, edge) {
            wanted_branch::<M>(vm, pc, edge);
        }
    }
}

/// Tells the mode of a branch that it wants to know of.
#[inline(never)]
unsafe fn wanted_branch<M: Mode>(vm: *mut Vm, pc: *const Insn, edge: u32) {
    // SAFETY: as above.
    unsafe {
        let rt = (*(*vm).frame).method;
        let method = (*(*rt).method).id;
        let code = &*(*rt).code;
        let position = u32::try_from(pc.offset_from(code.entry())).unwrap_or(0);
        let place = Place { method, bci: code.bci_at(position) };
        // In huge methods a branch is turned round to jump over a `goto` that is part of it.
        let is_turned = (position as usize) + 1 < code.insns.len()
            && [Op::goto_ as u16, Op::goto_back as u16].contains(&(*pc.add(1)).op)
            && code.bci_at(position + 1) == place.bci;
        mode::<M>(vm).branch(&mut *vm, place, if is_turned { 1 - edge } else { edge });
    }
}

// ---- fields -----------------------------------------------------------------------------------

fn get_op(kind: Kind, is_static: bool) -> Op {
    match (kind, is_static) {
        (Kind::Boolean | Kind::Byte, false) => Op::getfield_i8,
        (Kind::Short, false) => Op::getfield_i16,
        (Kind::Char, false) => Op::getfield_u16,
        (Kind::Long | Kind::Double, false) => Op::getfield_64,
        (Kind::Ref, false) => Op::getfield_ref,
        (_, false) => Op::getfield_32,
        (Kind::Boolean | Kind::Byte, true) => Op::getstatic_i8,
        (Kind::Short, true) => Op::getstatic_i16,
        (Kind::Char, true) => Op::getstatic_u16,
        (Kind::Long | Kind::Double, true) => Op::getstatic_64,
        (Kind::Ref, true) => Op::getstatic_ref,
        (_, true) => Op::getstatic_32,
    }
}

fn put_op(kind: Kind, is_static: bool) -> Op {
    match (kind, is_static) {
        (Kind::Boolean | Kind::Byte, false) => Op::putfield_8,
        (Kind::Short | Kind::Char, false) => Op::putfield_16,
        (Kind::Long | Kind::Double, false) => Op::putfield_64,
        (Kind::Ref, false) => Op::putfield_ref,
        (_, false) => Op::putfield_32,
        (Kind::Boolean | Kind::Byte, true) => Op::putstatic_8,
        (Kind::Short | Kind::Char, true) => Op::putstatic_16,
        (Kind::Long | Kind::Double, true) => Op::putstatic_64,
        (Kind::Ref, true) => Op::putstatic_ref,
        (_, true) => Op::putstatic_32,
    }
}

impl Vm {
    /// Reads a field at its natural width as a register word.
    pub(crate) fn load_word(&self, object: Ref, offset: u32, kind: Kind) -> u64 {
        #[expect(clippy::cast_possible_wrap, clippy::cast_sign_loss, reason = "sign extension")]
        match kind {
            Kind::Boolean | Kind::Byte => {
                u64::from(i32::from(self.heap.load_u8(object, offset) as i8) as u32)
            }
            Kind::Short => u64::from(i32::from(self.heap.load_u16(object, offset) as i16) as u32),
            Kind::Char => u64::from(self.heap.load_u16(object, offset)),
            Kind::Int | Kind::Float | Kind::Ref => u64::from(self.heap.load_u32(object, offset)),
            Kind::Long | Kind::Double => self.heap.load_u64(object, offset),
            Kind::Void => 0,
        }
    }

    /// Writes a register word into a field at its natural width.
    pub(crate) fn store_word(&mut self, object: Ref, offset: u32, kind: Kind, word: u64) {
        #[expect(clippy::cast_possible_truncation, reason = "narrowing to the field's width")]
        match kind {
            Kind::Boolean | Kind::Byte => self.heap.store_u8(object, offset, word as u8),
            Kind::Short | Kind::Char => self.heap.store_u16(object, offset, word as u16),
            Kind::Int | Kind::Float => self.heap.store_u32(object, offset, word as u32),
            Kind::Ref => self.heap.store_ref(object, offset, Ref::from_slot(word)),
            Kind::Long | Kind::Double => self.heap.store_u64(object, offset, word),
            Kind::Void => {}
        }
    }
}

#[cold]
pub(super) fn getfield_u<M: Mode>(vm: *mut Vm, pc: *const Insn, fp: *mut u64) -> Flow {
    // SAFETY: a Java frame is on top; operands are in range.
    unsafe {
        let (vm, method, _) = begin(vm, pc);
        let i = *pc;
        let field = attempt!(vm, vm.resolve_field(method, i.c, false, false));
        if let Ok(offset) = u16::try_from(field.offset) {
            let made_at = vm.classes[field.class.idx()].made_at;
            let new = Insn::abc(get_op(field.kind, false), i.a, i.b, offset);
            vm.quicken(pc.cast_mut(), new, made_at);
            return Flow::at(pc, fp);
        }
        let Some(object) = Ref::from_slot(r64!(fp, i.b)).some() else {
            return null_pointer(vm, pc);
        };
        if M::READS {
            mode::<M>(vm).field_read(vm, object, field.offset, field.kind);
        }
        set!(fp, i.a, vm.load_word(object, field.offset, field.kind));
        Flow::at(pc.add(1), fp)
    }
}

#[cold]
pub(super) fn putfield_u<M: Mode>(vm: *mut Vm, pc: *const Insn, fp: *mut u64) -> Flow {
    // SAFETY: a Java frame is on top; operands are in range.
    unsafe {
        let (vm, method, _) = begin(vm, pc);
        let i = *pc;
        let field = attempt!(vm, vm.resolve_field(method, i.c, false, true));
        if let Ok(offset) = u16::try_from(field.offset) {
            let made_at = vm.classes[field.class.idx()].made_at;
            let new = Insn::abc(put_op(field.kind, false), i.a, i.b, offset);
            vm.quicken(pc.cast_mut(), new, made_at);
            return Flow::at(pc, fp);
        }
        let Some(object) = Ref::from_slot(r64!(fp, i.b)).some() else {
            return null_pointer(vm, pc);
        };
        let value = r64!(fp, i.a);
        if M::WRITES {
            mode::<M>(vm).field_write(vm, object, field.offset, field.kind, value);
        }
        vm.store_word(object, field.offset, field.kind, value);
        Flow::at(pc.add(1), fp)
    }
}

/// Resolves a static field and initialises its class; gives the field, its granule, and whether
/// the site was rewritten.
unsafe fn static_site(
    vm: &mut Vm,
    pc: *const Insn,
    method: MethodId,
    is_write: bool,
) -> Res<Option<(Field, Ref)>> {
    // SAFETY: `pc` is an instruction of this machine.
    unsafe {
        let i = *pc;
        let cp = u16::try_from(i.imm()).unwrap_or(0);
        let field = vm.resolve_field(method, cp, true, is_write)?;
        vm.ensure_initialised(field.class)?;
        let mirror = vm.mirror(field.class);
        let slot = Ref(mirror.0 + field.offset / 8);
        if let Some(depth) = vm.initialised_depth(field.class) {
            let op = if is_write { put_op(field.kind, true) } else { get_op(field.kind, true) };
            vm.quicken(pc.cast_mut(), Insn::a_imm(op, i.a, slot.0), depth);
            return Ok(None);
        }
        Ok(Some((field, slot)))
    }
}

#[cold]
pub(super) fn getstatic_u<M: Mode>(vm: *mut Vm, pc: *const Insn, fp: *mut u64) -> Flow {
    // SAFETY: a Java frame is on top; operands are in range.
    unsafe {
        let (vm, method, _) = begin(vm, pc);
        let Some((field, slot)) = attempt!(vm, static_site(vm, pc, method, false)) else {
            return Flow::at(pc, fp);
        };
        if M::READS {
            mode::<M>(vm).static_read(vm, slot.0, field.kind);
        }
        set!(fp, (*pc).a, vm.load_word(slot, 0, field.kind));
        Flow::at(pc.add(1), fp)
    }
}

#[cold]
pub(super) fn putstatic_u<M: Mode>(vm: *mut Vm, pc: *const Insn, fp: *mut u64) -> Flow {
    // SAFETY: a Java frame is on top; operands are in range.
    unsafe {
        let (vm, method, _) = begin(vm, pc);
        let Some((field, slot)) = attempt!(vm, static_site(vm, pc, method, true)) else {
            return Flow::at(pc, fp);
        };
        let value = r64!(fp, (*pc).a);
        if M::WRITES {
            mode::<M>(vm).static_write(vm, slot.0, field.kind, value);
        }
        vm.store_word(slot, 0, field.kind, value);
        Flow::at(pc.add(1), fp)
    }
}

// ---- objects ------------------------------------------------------------------------------------

#[cold]
pub(super) fn ldc_u(vm: *mut Vm, pc: *const Insn, fp: *mut u64) -> Flow {
    // SAFETY: a Java frame is on top; operands are in range.
    unsafe {
        let (vm, _, class) = begin(vm, pc);
        let i = *pc;
        let constant = vm.class(class).class_file().constant_pool().get(i.b);
        match constant {
            Some(classfile::Constant::String { .. } | classfile::Constant::Class { .. }) => {
                let object = attempt!(vm, vm.resolve_string_or_class(class, i.b));
                // Literals and mirrors never move. A mirror may be rolled back. A string that
                // `String.intern` canonised first may do both, and is looked up each time.
                let depth = match constant {
                    Some(classfile::Constant::String { .. }) if !vm.is_literal(object) => {
                        set!(fp, i.a, object.to_slot());
                        return Flow::at(pc.add(2), fp);
                    }
                    Some(classfile::Constant::Class { .. }) => {
                        let of = vm.class_of_mirror(object);
                        vm.classes[of.idx()].made_at
                    }
                    _ => 0,
                };
                *pc.add(1).cast_mut() = Insn::raw(object.to_slot());
                vm.quicken(pc.cast_mut(), Insn::abc(Op::ldc_resolved, i.a, i.b, i.c), depth);
                Flow::at(pc, fp)
            }
            _ => {
                let word = attempt!(vm, vm.resolve_loadable_constant(class, i.b));
                set!(fp, i.a, word);
                Flow::at(pc.add(2), fp)
            }
        }
    }
}

#[cold]
pub(super) fn new_u<M: Mode>(vm: *mut Vm, pc: *const Insn, fp: *mut u64) -> Flow {
    // SAFETY: a Java frame is on top; operands are in range.
    unsafe {
        let (vm, _, within) = begin(vm, pc);
        let i = *pc;
        let class = attempt!(vm, vm.resolve_class(within, u16::try_from(i.imm()).unwrap_or(0)));
        let linked = vm.class(class).clone();
        if linked.is_interface()
            || linked.flags & crate::class::flags::ABSTRACT != 0
            || linked.is_array()
        {
            let name = linked.name.to_string().replace('/', ".");
            let trap = vm.throw("java/lang/InstantiationError", &name);
            return trapped(vm, trap);
        }
        attempt!(vm, vm.ensure_initialised(class));
        let size = u64::from(linked.instance_size).next_multiple_of(8);
        if linked.has_finalizer {
            attempt!(vm, vm.prepare_finalizer());
        } else if let Some(depth) = vm.initialised_depth(class) {
            *pc.add(1).cast_mut() = Insn::raw(u64::from(class.0) | size << 32);
            vm.quicken(pc.cast_mut(), Insn::a_imm(Op::new_q, i.a, i.imm()), depth);
            return Flow::at(pc, fp);
        }
        attempt!(vm, vm.make_room(usize::try_from(size).unwrap_or(usize::MAX)));
        let object = attempt!(vm, vm.new_object(class));
        if linked.has_finalizer {
            attempt!(vm, vm.register_finalizer(object));
        }
        set!(fp, i.a, object.to_slot());
        if M::ALLOCATIONS {
            mode::<M>(vm).allocated(vm, object, class);
        }
        Flow::at(pc.add(2), fp)
    }
}

/// `new` found the heap full: collects and tries again.
#[cold]
pub(super) fn new_full(vm: *mut Vm, pc: *const Insn) -> Flow {
    // SAFETY: a Java frame is on top.
    unsafe {
        let (vm, _, _) = begin(vm, pc);
        let size = usize::try_from((*pc.add(1)).word() >> 32).unwrap_or(usize::MAX);
        attempt!(vm, vm.make_room(size));
        Flow::at(pc, (*vm.frame).fp)
    }
}

#[cold]
pub(super) fn checkcast_u(vm: *mut Vm, pc: *const Insn, fp: *mut u64) -> Flow {
    // SAFETY: a Java frame is on top; operands are in range.
    unsafe {
        let (vm, _, within) = begin(vm, pc);
        let i = *pc;
        let class = attempt!(vm, vm.resolve_class(within, i.c));
        let depth = vm.classes[class.idx()].made_at;
        *pc.add(1).cast_mut() = Insn::raw(u64::from(class.0));
        vm.quicken(pc.cast_mut(), Insn::abc(Op::checkcast_q, i.a, i.b, i.c), depth);
        Flow::at(pc, fp)
    }
}

#[cold]
pub(super) fn instanceof_u(vm: *mut Vm, pc: *const Insn, fp: *mut u64) -> Flow {
    // SAFETY: a Java frame is on top; operands are in range.
    unsafe {
        let (vm, _, within) = begin(vm, pc);
        let i = *pc;
        let class = attempt!(vm, vm.resolve_class(within, i.c));
        let depth = vm.classes[class.idx()].made_at;
        *pc.add(1).cast_mut() = Insn::raw(u64::from(class.0));
        vm.quicken(pc.cast_mut(), Insn::abc(Op::instanceof_q, i.a, i.b, i.c), depth);
        Flow::at(pc, fp)
    }
}

// ---- arrays -------------------------------------------------------------------------------------

/// The kinds behind `newarray`'s operand, from 4 on (JVMS table 6.5.newarray-A).
const ARRAY_KINDS: [Kind; 8] = [
    Kind::Boolean,
    Kind::Char,
    Kind::Float,
    Kind::Double,
    Kind::Byte,
    Kind::Short,
    Kind::Int,
    Kind::Long,
];

/// Makes an array with room made first. Throws for negative lengths.
unsafe fn make_array(vm: &mut Vm, class: ClassId, length: i32) -> Res<Ref> {
    let Ok(length) = u32::try_from(length) else {
        return Err(vm.throw("java/lang/NegativeArraySizeException", &length.to_string()));
    };
    let Shape::Array { element, .. } = vm.class(class).shape else {
        unreachable!("internal: not an array class")
    };
    if length > 0x7fff_fffd {
        return Err(vm.throw("java/lang/OutOfMemoryError", "Requested array size exceeds VM limit"));
    }
    let size =
        (ELEMENTS_OFFSET as usize + length as usize * element.size() as usize).next_multiple_of(8);
    vm.make_room(size)?;
    match vm.heap.allocate(class.0, size) {
        Some(array) => {
            vm.heap.init_u32(array, LENGTH_OFFSET, length);
            Ok(array)
        }
        None => Err(vm.throw("java/lang/OutOfMemoryError", "Java heap space")),
    }
}

pub(super) fn newarray<M: Mode>(vm: *mut Vm, pc: *const Insn, fp: *mut u64) -> Flow {
    // SAFETY: a Java frame is on top; operands are in range.
    unsafe {
        let (vm, _, _) = begin(vm, pc);
        let i = *pc;
        let kind =
            ARRAY_KINDS[usize::try_from((*pc.add(1)).word() & 15).unwrap_or(4).clamp(4, 11) - 4];
        let primitive = vm.primitive_class(kind);
        let class = attempt!(vm, vm.array_class(primitive));
        let array = attempt!(vm, make_array(vm, class, ri32!(fp, i.b)));
        set!(fp, i.a, array.to_slot());
        if M::ALLOCATIONS {
            mode::<M>(vm).allocated(vm, array, class);
        }
        Flow::at(pc.add(2), fp)
    }
}

#[cold]
pub(super) fn anewarray_u(vm: *mut Vm, pc: *const Insn, fp: *mut u64) -> Flow {
    // SAFETY: a Java frame is on top; operands are in range.
    unsafe {
        let (vm, _, within) = begin(vm, pc);
        let i = *pc;
        let component = attempt!(vm, vm.resolve_class(within, i.c));
        let class = attempt!(vm, vm.array_class(component));
        let depth = vm.classes[class.idx()].made_at;
        *pc.add(1).cast_mut() = Insn::raw(u64::from(class.0));
        vm.quicken(pc.cast_mut(), Insn::abc(Op::anewarray_q, i.a, i.b, i.c), depth);
        Flow::at(pc, fp)
    }
}

pub(super) fn anewarray_q<M: Mode>(vm: *mut Vm, pc: *const Insn, fp: *mut u64) -> Flow {
    // SAFETY: a Java frame is on top; operands are in range.
    unsafe {
        let (vm, _, _) = begin(vm, pc);
        let i = *pc;
        let class = ClassId(Ref::from_slot((*pc.add(1)).word()).0);
        let array = attempt!(vm, make_array(vm, class, ri32!(fp, i.b)));
        set!(fp, i.a, array.to_slot());
        if M::ALLOCATIONS {
            mode::<M>(vm).allocated(vm, array, class);
        }
        Flow::at(pc.add(2), fp)
    }
}

#[cold]
pub(super) fn multianewarray_u(vm: *mut Vm, pc: *const Insn, fp: *mut u64) -> Flow {
    // SAFETY: a Java frame is on top; operands are in range.
    unsafe {
        let (vm, _, within) = begin(vm, pc);
        let i = *pc;
        let class = attempt!(vm, vm.resolve_class(within, i.c));
        let depth = vm.classes[class.idx()].made_at;
        let data = (*pc.add(1)).word() & !0xffff_ffff;
        *pc.add(1).cast_mut() = Insn::raw(data | u64::from(class.0));
        vm.quicken(pc.cast_mut(), Insn::abc(Op::multianewarray_q, i.a, i.b, i.c), depth);
        Flow::at(pc, fp)
    }
}

pub(super) fn multianewarray_q<M: Mode>(vm: *mut Vm, pc: *const Insn, fp: *mut u64) -> Flow {
    // SAFETY: a Java frame is on top; operands are in range.
    unsafe {
        let (vm, _, _) = begin(vm, pc);
        let i = *pc;
        let data = (*pc.add(1)).word();
        let class = ClassId(Ref::from_slot(data).0);
        let n = usize::try_from(data >> 32).unwrap_or(0);
        let lengths: Vec<i32> = (0..n).map(|idx| ri32!(fp, usize::from(i.b) + idx)).collect();
        let array = attempt!(vm, vm.new_multi_array(class, &lengths));
        set!(fp, i.a, array.to_slot());
        if M::ALLOCATIONS {
            mode::<M>(vm).allocated(vm, array, class);
        }
        Flow::at(pc.add(2), fp)
    }
}

impl Vm {
    /// An array of arrays, JVMS §6.5 multianewarray. At a safe point: may collect before it starts.
    pub(crate) fn new_multi_array(&mut self, class: ClassId, lengths: &[i32]) -> Res<Ref> {
        if let Some(negative) = lengths.iter().find(|l| **l < 0) {
            return Err(self.throw("java/lang/NegativeArraySizeException", &negative.to_string()));
        }
        // One collection up front for everything, since half-made arrays have no root.
        let mut total: u128 = 0;
        let mut n_arrays: u128 = 1;
        for &length in lengths {
            total += n_arrays * (16 + 8 * u128::from(length.unsigned_abs()));
            n_arrays = n_arrays.saturating_mul(u128::from(length.unsigned_abs()));
        }
        let total = usize::try_from(total).unwrap_or(usize::MAX / 2).min(usize::MAX / 2);
        if self.heap.top + total > self.heap.end {
            self.make_room(total)?;
        }
        self.multi_array_level(class, lengths)
    }

    fn multi_array_level(&mut self, class: ClassId, lengths: &[i32]) -> Res<Ref> {
        let length = lengths[0].unsigned_abs();
        let array = self.new_array(class, length)?;
        if lengths.len() > 1 {
            let Shape::Array { component, .. } = self.class(class).shape else {
                unreachable!("internal: not an array class")
            };
            for idx in 0..length {
                let element = self.multi_array_level(component, &lengths[1..])?;
                self.heap.set_element_ref(array, idx, element);
            }
        }
        Ok(array)
    }
}

//! First execution of call sites: resolution, choice of the quick form, misses of inline caches,
//! and the signature-polymorphic calls of method handles (JVMS §2.9.3, §5.4.3, §6.5).
//!
//! Data units of a site: 1 holds the cached receiver class (low half) and the called method (high
//! half); 2 the address of the target's `MethodRt`. `invokedynamic` and handle sites keep their site
//! number plus one in 1, with the class's mirror in the high half once they are linked.

use super::super::call::trapped;
use super::super::{Flow, Selected};
use super::{attempt, begin, enter_careful, null_pointer};
use crate::class::{MethodRt, flags};
use crate::code::{Insn, Op};
use crate::frame::Res;
use crate::resolve::CallKind;
use crate::spin::Linked;
use crate::value::{ClassId, Kind, MethodId, Ref};
use crate::vm::Vm;

/// Enters a method from a slow path, as the instruction at `pc` would.
unsafe fn enter(vm: &mut Vm, pc: *const Insn, fp: *mut u64, first: u16, target: MethodId) -> Flow {
    // SAFETY: a Java frame is on top; `first` is a register of it.
    unsafe {
        let rt: *const MethodRt = vm.methods.rt(target);
        enter_careful(vm, pc, fp.add(usize::from(first)), rt)
    }
}

/// Rewrites a site to a direct call.
unsafe fn make_direct(vm: &mut Vm, pc: *const Insn, op: Op, target: MethodId, depth: u32) {
    // SAFETY: `pc` is a call of this machine, three units long.
    unsafe {
        let i = *pc;
        let rt: *const MethodRt = vm.methods.rt(target);
        *pc.add(2).cast_mut() = Insn::raw(rt as u64);
        let mut new = Insn::abc(op, i.a, i.b, i.c);
        if let Some((_, op)) = vm.intrinsic_of(target) {
            new = Insn::abc(op, i.a, i.b, i.c);
        } else if op != Op::invokestatic_q
            && let Some(kind) = getter(vm, target)
        {
            let [_, direct] = getter_ops(kind);
            new = Insn::abc(direct, i.a, i.b, i.c);
        } else if op == Op::invokespecial_q && is_empty(vm, target) {
            new = Insn::abc(Op::invokespecial_empty_q, i.a, i.b, i.c);
        }
        // `b` stays: the collector reads the kinds of the arguments from the constant pool.
        vm.quicken(pc.cast_mut(), new, depth);
    }
}

/// The kind of the field that an instance method gives back, if it does nothing else and the field is
/// its own class's; the method then knows the field's offset.
fn getter(vm: &mut Vm, target: MethodId) -> Option<Kind> {
    /// `aload_0`, `getfield`, and from `ireturn` to `areturn`.
    const BODY: [u8; 3] = [42, 180, 172];
    let method = vm.method(target);
    let class = vm.class(method.class);
    if method.is_static() || method.flags & (flags::SYNCHRONIZED | flags::NATIVE) != 0 {
        return None;
    }
    let file = class.file()?;
    let code = file.methods()[usize::from(method.slot)].code.as_ref()?;
    let &[load, get, high, low, back] = file.instructions(code) else { return None };
    if load != BODY[0] || get != BODY[1] || !(BODY[2]..=176).contains(&back) {
        return None;
    }
    let (holder, name, descriptor) =
        file.constant_pool().try_member_ref(u16::from_be_bytes([high, low]))?;
    if holder != class.name.as_bytes() {
        return None;
    }
    let field = class.field(name, descriptor)?;
    let kind = field.kind;
    if field.is_static() || kind != method.returns || getter_ops(kind)[0] == Op::invokevirtual_q {
        return None;
    }
    let offset = u16::try_from(field.offset).ok()?;
    let rt: *mut MethodRt = vm.methods.rt(target);
    // SAFETY: entries of the method table never move.
    unsafe {
        if (*rt).is_substituted {
            return None;
        }
        (*rt).getter = offset;
    }
    Some(kind)
}

/// Whether a constructor without arguments only calls that of `Object`; it then knows so.
fn is_empty(vm: &mut Vm, target: MethodId) -> bool {
    let method = vm.method(target);
    let class = vm.class(method.class);
    if !method.is_constructor()
        || method.descriptor.as_bytes() != b"()V"
        || class.super_class != Some(vm.known.object)
        || vm.is_redefined(vm.known.object)
    {
        return false;
    }
    let Some(file) = class.file() else { return false };
    let Some(code) = &file.methods()[usize::from(method.slot)].code else { return false };
    // `aload_0`, `invokespecial`, `return`.
    let &[42, 183, high, low, 177] = file.instructions(code) else { return false };
    let called = file.constant_pool().try_member_ref(u16::from_be_bytes([high, low]));
    if called != Some((b"java/lang/Object", b"<init>", b"()V")) {
        return false;
    }
    let rt: *mut MethodRt = vm.methods.rt(target);
    // SAFETY: entries of the method table never move.
    unsafe {
        if (*rt).is_substituted {
            return false;
        }
        (*rt).is_empty = true;
    }
    true
}

/// The dispatched and the direct call of a getter; plain calls for kinds that have none.
fn getter_ops(kind: Kind) -> [Op; 2] {
    match kind {
        Kind::Boolean | Kind::Byte => [Op::invokevirtual_getter_i8_q, Op::invokefinal_getter_i8_q],
        Kind::Int | Kind::Float | Kind::Ref => {
            [Op::invokevirtual_getter_32_q, Op::invokefinal_getter_32_q]
        }
        Kind::Long | Kind::Double => [Op::invokevirtual_getter_64_q, Op::invokefinal_getter_64_q],
        Kind::Char | Kind::Short | Kind::Void => [Op::invokevirtual_q, Op::invokefinal_q],
    }
}

fn made_at(vm: &Vm, method: MethodId) -> u32 {
    vm.classes[vm.method(method).class.idx()].made_at
}

#[cold]
pub(in super::super) fn invokestatic_u(vm: *mut Vm, pc: *const Insn, fp: *mut u64) -> Flow {
    // SAFETY: a Java frame is on top; operands are in range.
    unsafe {
        let (vm, _, within) = begin(vm, pc);
        let i = *pc;
        let target = attempt!(vm, vm.resolve_method(within, i.b, CallKind::Static));
        let method = vm.method(target);
        if method.signature_polymorphic {
            let way = match method.name.as_bytes() {
                b"linkToStatic" => LINK_TO_STATIC,
                b"linkToSpecial" => LINK_TO_SPECIAL,
                b"linkToVirtual" | b"linkToInterface" => LINK_TO_DISPATCHED,
                other => {
                    let text = format!("MethodHandle.{}", classfile::mutf8::display(other));
                    let trap = vm.throw("java/lang/UnsatisfiedLinkError", &text);
                    return trapped(vm, trap);
                }
            };
            *pc.add(1).cast_mut() = Insn::raw(way);
            vm.quicken(pc.cast_mut(), Insn::abc(Op::linkto_q, i.a, i.b, i.c), 0);
            return Flow::at(pc, fp);
        }
        if !method.is_static() {
            return not_as_expected(vm, target, "static");
        }
        let class = method.class;
        attempt!(vm, vm.ensure_initialised(class));
        if let Some(depth) = vm.initialised_depth(class) {
            make_direct(vm, pc, Op::invokestatic_q, target, depth);
            return Flow::at(pc, fp);
        }
        enter(vm, pc, fp, i.a, target)
    }
}

unsafe fn not_as_expected(vm: &mut Vm, target: MethodId, expected: &str) -> Flow {
    let text = if expected == "static" {
        format!("Expected static method '{}'", vm.external_signature(target))
    } else {
        format!("Expecting non-static method '{}'", vm.external_signature(target))
    };
    let trap = vm.throw("java/lang/IncompatibleClassChangeError", &text);
    trapped(vm, trap)
}

#[cold]
pub(in super::super) fn invokespecial_u(vm: *mut Vm, pc: *const Insn, fp: *mut u64) -> Flow {
    // SAFETY: a Java frame is on top; operands are in range.
    unsafe {
        let (vm, _, within) = begin(vm, pc);
        let i = *pc;
        let resolved = attempt!(vm, vm.resolve_method(within, i.b, CallKind::Special));
        if vm.method(resolved).is_static() {
            return not_as_expected(vm, resolved, "non-static");
        }
        let target = attempt!(vm, special_target(vm, within, resolved));
        let depth = made_at(vm, target);
        make_direct(vm, pc, Op::invokespecial_q, target, depth);
        Flow::at(pc, fp)
    }
}

/// The method that `invokespecial` of a resolved method runs (JVMS §6.5 invokespecial).
fn special_target(vm: &mut Vm, within: ClassId, resolved: MethodId) -> Res<MethodId> {
    let within = vm.present_version(within);
    let method = vm.method(resolved);
    let holder = vm.class(method.class);
    if method.is_constructor() || method.is_private() || holder.is_interface() {
        return Ok(resolved);
    }
    let caller = vm.class(within).clone();
    let is_super = method.class != within && caller.supers.contains(&method.class);
    if !is_super {
        return Ok(resolved);
    }
    let (name, descriptor) = (method.name, method.descriptor);
    let Some(start) = caller.super_class else {
        return Ok(resolved);
    };
    match vm.lookup_method(start, name.as_bytes(), descriptor.as_bytes()) {
        Some(found) if !vm.method(found).is_abstract() => Ok(found),
        _ => {
            let text = vm.external_signature(resolved);
            Err(vm.throw("java/lang/AbstractMethodError", &text))
        }
    }
}

#[cold]
pub(in super::super) fn invokevirtual_u(vm: *mut Vm, pc: *const Insn, fp: *mut u64) -> Flow {
    // SAFETY: a Java frame is on top; operands are in range.
    unsafe {
        let (vm, _, within) = begin(vm, pc);
        let i = *pc;
        let resolved = attempt!(vm, vm.resolve_method(within, i.b, CallKind::Virtual));
        let method = vm.method(resolved);
        if method.signature_polymorphic {
            let op = if method.name.as_bytes() == b"invokeBasic" {
                Op::invokebasic_q
            } else {
                Op::invokehandle_q
            };
            *pc.add(1).cast_mut() = Insn::raw(0);
            vm.quicken(pc.cast_mut(), Insn::abc(op, i.a, i.b, i.c), 0);
            return Flow::at(pc, fp);
        }
        if method.is_static() {
            return not_as_expected(vm, resolved, "non-static");
        }
        let holder = vm.class(method.class);
        let is_final = method.is_private() || (method.flags | holder.flags) & flags::FINAL != 0;
        if is_final && !holder.is_interface() {
            let depth = made_at(vm, resolved);
            make_direct(vm, pc, Op::invokefinal_q, resolved, depth);
        } else {
            make_dispatched(vm, pc, Op::invokevirtual_q, resolved);
        }
        Flow::at(pc, fp)
    }
}

#[cold]
pub(in super::super) fn invokeinterface_u(vm: *mut Vm, pc: *const Insn, fp: *mut u64) -> Flow {
    // SAFETY: a Java frame is on top; operands are in range.
    unsafe {
        let (vm, _, within) = begin(vm, pc);
        let i = *pc;
        let resolved = attempt!(vm, vm.resolve_method(within, i.b, CallKind::Interface));
        if vm.method(resolved).is_static() {
            return not_as_expected(vm, resolved, "non-static");
        }
        if vm.method(resolved).is_private() {
            let depth = made_at(vm, resolved);
            make_direct(vm, pc, Op::invokefinal_q, resolved, depth);
        } else {
            make_dispatched(vm, pc, Op::invokeinterface_q, resolved);
        }
        Flow::at(pc, fp)
    }
}

/// Rewrites a site to dispatch on the receiver, with an empty cache.
unsafe fn make_dispatched(vm: &mut Vm, pc: *const Insn, op: Op, resolved: MethodId) {
    // SAFETY: `pc` is a call of this machine, three units long.
    unsafe {
        let i = *pc;
        *pc.add(1).cast_mut() = Insn::raw(u64::from(resolved.0) << 32 | 0xffff_ffff);
        let depth = made_at(vm, resolved);
        vm.quicken(pc.cast_mut(), Insn::abc(op, i.a, i.b, i.c), depth);
    }
}

/// The inline cache of a site does not know the receiver's class.
#[inline(never)]
pub(in super::super) fn cache_miss(vm: *mut Vm, pc: *const Insn, fp: *mut u64) -> Flow {
    // SAFETY: a Java frame is on top; `pc` is a dispatched call.
    unsafe {
        let vm = &mut *vm;
        (*vm.frame).pc = pc;
        let class = vm.heap.class_id(Ref(r32!(fp, (*pc).a)));
        let data = (*pc.add(1)).word();
        let called = MethodId(Ref::from_slot(data >> 32).0);
        let target = attempt!(vm, select_cached(vm, ClassId(class), called));
        if let Some(interface) = unrelated_interface(vm, ClassId(class), called) {
            let text = format!(
                "Class {} does not implement the requested interface {}",
                vm.external_name(ClassId(class)),
                vm.external_name(interface)
            );
            let trap = vm.throw("java/lang/IncompatibleClassChangeError", &text);
            return trapped(vm, trap);
        }
        // Under a mark, a cached target may be rolled back with its class: enter without caching.
        if !is_for_good(vm, ClassId(class), called, target) {
            return enter(vm, pc, fp, (*pc).a, target);
        }
        let rt: *const MethodRt = vm.methods.rt(target);
        let is_first = Ref::from_slot(data).0 == u32::MAX;
        let op = if is_first {
            *pc.add(1).cast_mut() = Insn::raw(data & !0xffff_ffff | u64::from(class));
            *pc.add(2).cast_mut() = Insn::raw(rt as u64);
            if vm.intrinsic_of(target).is_some() {
                Op::invokevirtual_intrinsic_q
            } else {
                getter(vm, target).map_or(Op::invokevirtual_q, |kind| getter_ops(kind)[0])
            }
        } else {
            remember_selected(vm, ClassId(class), called, target);
            // No class, so that what is cached from now on is no intrinsic.
            *pc.add(1).cast_mut() = Insn::raw(data & !0xffff_ffff | u64::from(u32::MAX - 1));
            Op::invokevirtual_table_q
        };
        (*pc.cast_mut()).op = op as u16;
        Flow::at(pc, fp)
    }
}

/// The interface whose method is called, where the receiver's class does not implement it.
fn unrelated_interface(vm: &Vm, class: ClassId, called: MethodId) -> Option<ClassId> {
    let interface = vm.method(called).class;
    let fails = vm.class(interface).is_interface() && !vm.is_subtype(class, interface);
    fails.then_some(interface)
}

/// The method that a call of `called` runs for a receiver of a class, by the table behind the caches;
/// null where that does not know it.
#[inline(always)]
pub(in super::super) unsafe fn selected(vm: *mut Vm, class: u32, called: u32) -> *const MethodRt {
    // SAFETY: the table has as many rows as `selected_row` tells apart, or there is none.
    unsafe {
        let table = &(*vm).run.selected;
        if table.is_empty() {
            return std::ptr::null();
        }
        let row = &*table.as_ptr().add(selected_row(class, called));
        if row.class == class && row.method == called { row.rt } else { std::ptr::null() }
    }
}

/// Rows of the table behind the inline caches.
const SELECTED: usize = 4096;

#[inline(always)]
fn selected_row(class: u32, called: u32) -> usize {
    (class.wrapping_mul(0x9e37_79b1) ^ called.wrapping_mul(0x85eb_ca6b)) as usize >> 7
        & (SELECTED - 1)
}

/// Whether no rollback takes any of them back.
fn is_for_good(vm: &Vm, class: ClassId, called: MethodId, target: MethodId) -> bool {
    vm.classes[class.idx()].made_at == 0 && made_at(vm, called) == 0 && made_at(vm, target) == 0
}

/// Enters a method into the table. Receivers implement the interface of the called method, and nothing
/// can be rolled back.
fn remember_selected(vm: &mut Vm, class: ClassId, called: MethodId, target: MethodId) {
    vm.intrinsic_of(target);
    let rt: *const MethodRt = vm.methods.rt(target);
    let table = &mut vm.run.selected;
    if table.is_empty() {
        *table = vec![Selected { class: u32::MAX, method: 0, rt: std::ptr::null() }; SELECTED];
    }
    table[selected_row(class.0, called.0)] = Selected { class: class.0, method: called.0, rt };
}

/// `select_method` with the table behind the inline caches.
fn select_cached(vm: &mut Vm, class: ClassId, called: MethodId) -> Res<MethodId> {
    if let Some(index) = vm.method(called).vtable_index
        && let Some(&target) = vm.class(class).vtable.get(index as usize)
        && !vm.class(vm.method(called).class).is_interface()
    {
        return Ok(target);
    }
    // SAFETY: the machine is valid; methods in the table live as long as it.
    unsafe {
        let rt = selected(vm, class.0, called.0);
        if !rt.is_null() {
            return Ok((*(*rt).method).id);
        }
    }
    let target = vm.select_method(class, called)?;
    Ok(target)
}

// ---- invokedynamic and method handles -----------------------------------------------------------

#[cold]
pub(in super::super) fn invokedynamic_u(vm: *mut Vm, pc: *const Insn, fp: *mut u64) -> Flow {
    // SAFETY: a Java frame is on top; operands are in range.
    unsafe {
        let i = *pc;
        *pc.add(1).cast_mut() = Insn::raw(0);
        (*vm).quicken(pc.cast_mut(), Insn::abc(Op::invokedynamic_q, i.a, i.b, i.c), 0);
        Flow::at(pc, fp)
    }
}

/// The site number in data unit 1, looked up on first use. The top frame runs the instruction.
unsafe fn site_of(vm: &mut Vm, pc: *const Insn) -> u32 {
    // SAFETY: `pc` is a call of this machine, three units long.
    unsafe {
        let word = (*pc.add(1)).word();
        if word != 0 {
            return Ref::from_slot(word).0 - 1;
        }
        let here = vm.walk().next().expect("internal: a call is in a frame");
        let site = vm.site_number(here.method, here.bci);
        *pc.add(1).cast_mut() = Insn::raw(u64::from(site) + 1);
        site
    }
}

pub(in super::super) fn invokedynamic_q(vm: *mut Vm, pc: *const Insn, fp: *mut u64) -> Flow {
    // SAFETY: a Java frame is on top.
    unsafe {
        let (vm, _, within) = begin(vm, pc);
        let site = site_of(vm, pc);
        let linked = attempt!(vm, vm.link_invokedynamic(within, (*pc).b, site));
        let ops = [Op::invokedynamic_static_q, Op::invokedynamic_appendix_q];
        make_linked(vm, pc, within, site, linked, ops);
        Flow::at(pc, fp)
    }
}

pub(in super::super) fn invokehandle_q(vm: *mut Vm, pc: *const Insn, fp: *mut u64) -> Flow {
    // SAFETY: as for `invokedynamic_q`.
    unsafe {
        let (vm, _, within) = begin(vm, pc);
        let site = site_of(vm, pc);
        let linked = attempt!(vm, vm.link_invokehandle(within, (*pc).b, site));
        let ops = [Op::invokehandle_static_q, Op::invokehandle_appendix_q];
        make_linked(vm, pc, within, site, linked, ops);
        Flow::at(pc, fp)
    }
}

/// Rewrites a linked site; taken back with the present marks, as its links are.
unsafe fn make_linked(
    vm: &mut Vm,
    pc: *const Insn,
    within: ClassId,
    site: u32,
    linked: Linked,
    [plain, with_appendix]: [Op; 2],
) {
    // SAFETY: `pc` is a call of this machine, three units long.
    unsafe {
        let i = *pc;
        let op = match linked {
            Linked::Constant(_) => Op::invokedynamic_constant_q,
            Linked::Call { adapter, appendix } => {
                let rt: *const MethodRt = vm.methods.rt(adapter);
                *pc.add(2).cast_mut() = Insn::raw(rt as u64);
                if appendix.is_null() {
                    plain
                } else if with_appendix == Op::invokehandle_appendix_q
                    && vm.intrinsic_of(adapter).is_some()
                {
                    Op::invokehandle_intrinsic_q
                } else {
                    with_appendix
                }
            }
        };
        let mirror = vm.mirror(within).to_slot();
        *pc.add(1).cast_mut() = Insn::raw((u64::from(site) + 1) | (mirror << 32));
        vm.quicken(pc.cast_mut(), Insn::abc(op, i.a, i.b, i.c), vm.depth());
    }
}

/// What data unit 1 of a `linkto_q` says.
const LINK_TO_STATIC: u64 = 0;
const LINK_TO_SPECIAL: u64 = 1;
const LINK_TO_DISPATCHED: u64 = 2;

/// The method behind a handle's form. Out of line, so that the handler ends in a jump.
#[inline(never)]
pub(in super::super) fn basic_target(vm: *mut Vm, handle: Ref) -> *const MethodRt {
    // SAFETY: called with the machine's own pointer.
    unsafe { (*vm).methods.rt((*vm).basic_target(handle)) }
}

/// What a `linkto_q` enters, where that takes no more than a look; null otherwise.
#[inline(never)]
pub(in super::super) fn linkto_target(
    vm: *mut Vm,
    pc: *const Insn,
    fp: *mut u64,
) -> *const MethodRt {
    // SAFETY: a Java frame is on top; the member name is the last argument register.
    unsafe {
        let (vm, i) = (&mut *vm, *pc);
        let Some(member) = Ref::from_slot(r64!(fp, i.a + i.c - 1)).some() else {
            return std::ptr::null();
        };
        let target = vm.member_target(member);
        let rt: *const MethodRt = vm.methods.rt(target);
        // Whether it runs without a frame must not depend on who called it before.
        if !(*rt).is_looked_up {
            vm.intrinsic_of(target);
        }
        let method = &*(*rt).method;
        let way = (*pc.add(1)).word();
        if way == LINK_TO_STATIC {
            let is_ready = vm.classes[method.class.idx()].initialised_at.is_some();
            return if is_ready { rt } else { std::ptr::null() };
        }
        let Some(receiver) = Ref::from_slot(r64!(fp, i.a)).some() else {
            return std::ptr::null();
        };
        if method.signature_polymorphic {
            std::ptr::null()
        } else if way == LINK_TO_SPECIAL {
            rt
        } else {
            selected(vm, vm.heap.class_id(receiver), target.0)
        }
    }
}

/// `linkToStatic` and its like: the last argument names the method.
pub(in super::super) fn linkto_q(vm: *mut Vm, pc: *const Insn, fp: *mut u64) -> Flow {
    // SAFETY: a Java frame is on top; the member name is the last argument register.
    unsafe {
        let (vm, _, _) = begin(vm, pc);
        let i = *pc;
        let Some(member) = Ref::from_slot(r64!(fp, i.a + i.c - 1)).some() else {
            return null_pointer(vm, pc);
        };
        let mut target = vm.member_target(member);
        let way = (*pc.add(1)).word();
        if way == LINK_TO_STATIC {
            let class = vm.method(target).class;
            attempt!(vm, vm.ensure_initialised(class));
            return enter(vm, pc, fp, i.a, target);
        }
        let Some(receiver) = Ref::from_slot(r64!(fp, i.a)).some() else {
            return null_pointer(vm, pc);
        };
        if vm.method(target).signature_polymorphic {
            // Only `invokeBasic` has a receiver and a member name.
            target = vm.basic_target(receiver);
        } else if way == LINK_TO_DISPATCHED {
            let (class, called) = (vm.class_of(receiver), target);
            target = attempt!(vm, select_cached(vm, class, called));
            if is_for_good(vm, class, called, target)
                && unrelated_interface(vm, class, called).is_none()
            {
                remember_selected(vm, class, called, target);
            }
        }
        enter(vm, pc, fp, i.a, target)
    }
}

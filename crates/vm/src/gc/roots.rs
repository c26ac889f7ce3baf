//! The roots: what the machine itself holds on to outside the collected part of the heap.
#![expect(unsafe_code, reason = "frames and registers are reached through raw pointers")]

use rustc_hash::FxHashMap;

use super::cycle::Cycle;
use super::loaders::Watch;
use super::maps::{Extent, Maps, argument_kinds};
use super::shapes::Shapes;
use crate::class::{Method, MethodRt};
use crate::code::{Code, Insn};
use crate::frame::Frame;
use crate::thread::Thread;
use crate::value::{ClassId, Kind, LoaderId, Ref};
use crate::vm::Vm;

/// Register maps by code; see `maps`.
pub(super) type MapCache = FxHashMap<*const Code, Option<Maps>>;

/// Addresses of all registers that hold a live reference, and of the like. `None` where some frame
/// cannot be read, so that nothing may be collected now.
pub(super) fn thread_roots(vm: &mut Vm, cache: &mut MapCache) -> Option<Vec<*mut u32>> {
    let mut roots = Vec::new();
    for idx in 0..vm.threads.len() {
        let top = if idx == vm.current { vm.frame } else { vm.threads[idx].frame };
        frame_roots(vm, &vm.threads[idx], top, cache, &mut roots)?;
        vm.threads[idx].for_each_root(&mut |slot| roots.push(address(slot)));
    }
    Some(roots)
}

/// The classes of all methods that run.
pub(super) fn running_classes(vm: &Vm) -> Vec<ClassId> {
    let mut classes = Vec::new();
    for (idx, thread) in vm.threads.iter().enumerate() {
        let mut frame = if idx == vm.current { vm.frame } else { thread.frame };
        while frame >= thread.frames.start() {
            // SAFETY: as in `frame_roots`.
            unsafe {
                let rt = (*frame).method;
                if !rt.is_null() {
                    classes.push((*(*rt).method).class);
                }
                frame = frame.sub(1);
            }
        }
    }
    classes
}

/// Roots beside threads, but for the loaders that may be gone.
pub(super) fn table_roots(vm: &mut Vm, watch: Option<&Watch>) -> Vec<*mut u32> {
    let mut roots = Vec::new();
    for (idx, loader) in (0u32..).zip(&mut vm.loaders) {
        if !watch.is_some_and(|watch| watch.is_watched(LoaderId(idx))) {
            roots.push(address(&mut loader.java));
        }
    }
    roots.extend(vm.modules.defined.iter_mut().map(|module| address(&mut module.java)));
    roots.push(address(&mut vm.modules.boot_unnamed));
    roots.extend(vm.handles.slots_mut().map(address));
    roots.push(address(&mut vm.world.pending));
    roots.push(address(&mut vm.world.agents));
    roots.push(address(&mut vm.world.boot_path));
    roots
}

pub(super) fn address(slot: &mut Ref) -> *mut u32 {
    (&raw mut *slot).cast()
}

fn register(fp: *mut u64, register: u16) -> *mut u32 {
    // References fill the low half of a register.
    let offset = if cfg!(target_endian = "big") { 1 } else { 0 };
    fp.wrapping_add(usize::from(register)).cast::<u32>().wrapping_add(offset)
}

fn frame_roots(
    vm: &Vm,
    thread: &Thread,
    top: *mut Frame,
    cache: &mut MapCache,
    roots: &mut Vec<*mut u32>,
) -> Option<()> {
    let mut frame = top;
    // First register of the Java frame directly above, where there is one.
    let mut above: Option<*mut u64> = None;
    while frame >= thread.frames.start() {
        // SAFETY: frames from the first to the top one are valid; methods and code outlive the
        // frames that run them.
        unsafe {
            let rt = (*frame).method;
            if rt.is_null() {
                above = None;
            } else {
                java_frame_roots(vm, frame, &*rt, above, cache, roots)?;
                above = Some((*frame).fp);
            }
            frame = frame.sub(1);
        }
    }
    Some(())
}

/// # Safety
/// `frame` must be a valid Java frame of a thread of this machine.
unsafe fn java_frame_roots(
    vm: &Vm,
    frame: *mut Frame,
    rt: &MethodRt,
    above: Option<*mut u64>,
    cache: &mut MapCache,
    roots: &mut Vec<*mut u32>,
) -> Option<()> {
    // SAFETY: see above.
    let (fp, method) = unsafe { ((*frame).fp, &*rt.method) };
    if rt.careful != 0 {
        // SAFETY: the lock of a synchronized method is in `extra`.
        roots.push(unsafe { (&raw mut (*frame).extra).cast() });
    }
    // SAFETY: as above.
    let position =
        unsafe { (!rt.code.is_null()).then(|| position(&*rt.code, (*frame).pc)).flatten() };
    let Some(position) = position else {
        // Native, or about to be translated: the arguments are all there is.
        argument_roots(method, fp, roots);
        return Some(());
    };
    // SAFETY: as above.
    let code = unsafe { &*rt.code };
    let maps = cache
        .entry(rt.code)
        .or_insert_with(|| {
            Maps::of(vm.class(method.class).class_file(), method, code, Extent::Kept)
        })
        .as_ref()?;
    // SAFETY: the frame owns its registers.
    let registers = unsafe { std::slice::from_raw_parts(fp, rt.n_regs as usize) };
    let live = match above {
        None => maps.before(position, registers)?,
        // The callee's registers begin at the first argument; calls have three units.
        Some(_) => maps.during(position.checked_sub(3)?, registers)?,
    };
    roots.extend(live.iter().map(|&live| register(fp, live)));
    Some(())
}

/// Which instruction of the code is the next one.
pub(super) fn position(code: &Code, pc: *const Insn) -> Option<u32> {
    let distance = (pc as usize).wrapping_sub(code.entry() as usize) / size_of::<Insn>();
    u32::try_from(distance).ok().filter(|&position| (position as usize) < code.insns.len())
}

fn argument_roots(method: &Method, fp: *mut u64, roots: &mut Vec<*mut u32>) {
    let mut at = 0;
    if !method.is_static() {
        roots.push(register(fp, 0));
        at = 1;
    }
    for kind in argument_kinds(method.descriptor.as_bytes()) {
        if kind == Kind::Ref {
            roots.push(register(fp, at));
        }
        at += kind.slots();
    }
}

/// Takes what the mirror of a class refers to, static fields included.
pub(super) fn mirror_roots(vm: &Vm, shapes: &Shapes, cycle: &mut Cycle<'_>, class: ClassId) {
    let rt = &vm.classes[class.idx()];
    // Versions of a class share its mirror.
    if vm.present_version(class) != class {
        return;
    }
    cycle.root_meta(rt.mirror);
    for offset in shapes.mirror_slots(&rt.class) {
        cycle.root_at(rt.mirror.byte_offset() + offset as usize);
    }
}

/// Takes what objects outside the main region refer to; for collections of all of it. Classes of
/// loaders that may be gone are left out.
pub(super) fn fixed_roots(vm: &Vm, shapes: &Shapes, cycle: &mut Cycle<'_>) {
    for rt in &vm.classes {
        if !cycle.watch().is_some_and(|watch| watch.is_watched_class(rt.class.id)) {
            mirror_roots(vm, shapes, cycle, rt.class.id);
        }
    }
    let heap = &vm.heap;
    for (start, end) in
        [(crate::heap::FIRST_BYTE, heap.base_end), (heap.literals_start, heap.literals_top)]
    {
        let mut at = start;
        while at < end {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "granule indices fit 32 bits by layout"
            )]
            let object = Ref((at >> 3) as u32);
            // Mirrors were met above.
            if vm.class_of(object) != vm.known.class {
                cycle.root_weak(object);
            }
            at += shapes.size(vm, object);
        }
    }
}

/// Takes what was written into old objects since the last collection; for young collections.
pub(super) fn remembered_roots(vm: &Vm, shapes: &Shapes, cycle: &mut Cycle<'_>) {
    for at in vm.heap.remembered.slots() {
        cycle.root_at(at);
    }
    let remembered = &vm.heap.remembered;
    let is_new = |at: usize| !remembered.has_slot(at);
    for &object in remembered.objects() {
        cycle.root_object(object, &is_new);
        if vm.class_of(object) == vm.known.class {
            for offset in shapes.mirror_slots(vm.class(vm.class_of_mirror(object))) {
                let at = object.byte_offset() + offset as usize;
                if is_new(at) {
                    cycle.root_at(at);
                }
            }
        }
    }
}

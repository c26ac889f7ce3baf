//! `java.lang.StackWalker`: the natives of `StackStreamFactory` and `StackFrameInfo`.
//!
//! Frames go to Java in batches. Where the next batch starts is kept in a `long[1]` in the element
//! of the buffer that the JDK reserves for the machine: the number of the next frame, counted from
//! the bottom of the stack. Frames below `callStackWalk` do not change while it runs.

use crate::frame::{Frame, Hook, Res, Trap, Upcall};
use crate::heap::ELEMENTS_OFFSET;
use crate::native::java::lang::invoke::member_name::{CALLER_SENSITIVE, HIDDEN_MEMBER};
use crate::native::{Args, NativeRow, one};
use crate::value::{ClassId, Kind, MethodId, Ref, Value};
use crate::vm::Vm;
use crate::walk::Activation;

const FACTORY: &str = "java/lang/StackStreamFactory";
const WALKER: &str = "java/lang/StackStreamFactory$AbstractStackWalker";

/// Modes of the walk.
const CLASSES_ONLY: i32 = 0x2;
const CALLER_CLASS: i32 = 0x4;
const SHOW_HIDDEN_FRAMES: i32 = 0x20;
const LIVE_FRAMES: i32 = 0x100;

pub(crate) const NATIVES: &[NativeRow] = &[
    (FACTORY, "checkStackWalkModes", "()Z", one),
    (WALKER, "callStackWalk", "(JIII[Ljava/lang/Object;)Ljava/lang/Object;", call_stack_walk_17),
    (
        WALKER,
        "callStackWalk",
        "(IILjdk/internal/vm/ContinuationScope;Ljdk/internal/vm/Continuation;II[Ljava/lang/Object;)Ljava/lang/Object;",
        call_stack_walk_25,
    ),
    (WALKER, "fetchStackFrames", "(JJII[Ljava/lang/Object;)I", fetch_stack_frames_17),
    (WALKER, "fetchStackFrames", "(IJIII[Ljava/lang/Object;)I", fetch_stack_frames_25),
    ("java/lang/StackFrameInfo", "expandStackFrameInfo", "()V", expand_stack_frame_info),
    (
        "java/lang/StackTraceElement",
        "initStackTraceElement",
        "(Ljava/lang/StackTraceElement;Ljava/lang/StackFrameInfo;)V",
        init_stack_trace_element,
    ),
];

/// One batch to fill: at most `size` frames, from element `start` of the buffer on.
struct Batch {
    mode: i32,
    size: i32,
    start: i32,
    buffer: Ref,
}

#[expect(clippy::cast_possible_truncation, reason = "modes are small")]
fn call_stack_walk_17(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let walker = args.reference();
    let mode = args.long() as i32;
    let skip = args.int();
    let (size, start, buffer) = (args.int(), args.int(), args.reference());
    call_stack_walk(vm, walker, skip, Batch { mode, size, start, buffer })
}

fn call_stack_walk_25(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let walker = args.reference();
    let (mode, skip) = (args.int(), args.int());
    let _scope = args.reference();
    let continuation = args.reference();
    let (buffer_size, start, buffer) = (args.int(), args.int(), args.reference());
    let size = buffer_size.saturating_sub(start);
    if !continuation.is_null() {
        return Err(vm.throw("java/lang/UnsupportedOperationException", "walking a continuation"));
    }
    call_stack_walk(vm, walker, skip, Batch { mode, size, start, buffer })
}

/// Fills the first batch, then calls back with it; the result of that is the native's result.
fn call_stack_walk(vm: &mut Vm, walker: Ref, skip: i32, batch: Batch) -> Res<u64> {
    if batch.buffer.is_null() {
        return Err(vm.throw("java/lang/NullPointerException", "frames array is NULL"));
    }
    if batch.mode & LIVE_FRAMES != 0 {
        return Err(
            vm.throw("java/lang/UnsupportedOperationException", "locals and operands of frames")
        );
    }
    let holder = vm.boot_class(WALKER)?;
    let walker_class = vm.boot_class("java/lang/StackWalker")?;
    let mut frames = vm.walk();
    let anchor = frames.next().map_or(0, |own| position(vm, &own)) + 1;
    let is_walker = |class: ClassId| {
        class == holder || class == walker_class || vm.class(class).super_class == Some(holder)
    };
    let frames: Vec<Activation> = frames
        .skip_while(|frame| is_walker(vm.method(frame.method).class))
        .skip(usize::try_from(skip).unwrap_or(0))
        .collect();
    let n_frames = fill(vm, &batch, &frames)?;
    if n_frames < 1 {
        return Err(vm.throw("java/lang/InternalError", "stack walk: decode failed"));
    }
    let method = vm
        .class(holder)
        .methods
        .iter()
        .find(|method| method.name.as_bytes() == b"doStackWalk")
        .expect("internal: the walker has its callback")
        .id;
    let mut words = vec![walker.to_slot(), anchor, 0];
    words.extend(
        [skip, n_frames, batch.start, batch.start + n_frames]
            .map(|word| Value::Int(word).to_slot()),
    );
    Err(Trap::Upcall(Box::new(Upcall { method, args: words, hook: Hook::NativeResult })))
}

#[expect(clippy::cast_possible_truncation, reason = "modes are small")]
fn fetch_stack_frames_17(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    let mode = args.long() as i32;
    let _anchor = args.long();
    let (size, start, buffer) = (args.int(), args.int(), args.reference());
    // 17 wants to know where the batch ends, 25 how many frames it has.
    let n_frames = fetch_stack_frames(vm, &Batch { mode, size, start, buffer })?;
    Ok(Value::Int(start + n_frames).to_slot())
}

fn fetch_stack_frames_25(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    args.reference();
    let mode = args.int();
    let _anchor = args.long();
    let _last_batch = args.int();
    let (buffer_size, start, buffer) = (args.int(), args.int(), args.reference());
    let size = buffer_size.saturating_sub(start);
    let n_frames = fetch_stack_frames(vm, &Batch { mode, size, start, buffer })?;
    Ok(Value::Int(n_frames).to_slot())
}

fn fetch_stack_frames(vm: &mut Vm, batch: &Batch) -> Res<i32> {
    let kept =
        if batch.buffer.is_null() { Ref::NULL } else { vm.heap.element_ref(batch.buffer, 0) };
    if kept.is_null() || vm.class_of(kept) != vm.known.arrays[Kind::Long as usize] {
        return Err(vm.throw("java/lang/InternalError", "doStackWalk: corrupted buffers"));
    }
    let next = vm.heap.load_u64(kept, ELEMENTS_OFFSET).cast_signed();
    let frames: Vec<Activation> =
        vm.walk().skip_while(|frame| next < position(vm, frame).cast_signed()).collect();
    fill(vm, batch, &frames)
}

/// A frame's number, counted from the bottom of its stack.
fn position(vm: &Vm, frame: &Activation) -> u64 {
    let start = vm.threads[vm.current].frames.start() as usize;
    ((frame.frame as usize - start) / size_of::<Frame>()) as u64
}

/// Fills a batch from these frames and remembers where the next one starts.
fn fill(vm: &mut Vm, batch: &Batch, frames: &[Activation]) -> Res<i32> {
    let room = vm.heap.array_length(batch.buffer).cast_signed() - batch.start;
    if batch.start < 1 || batch.size < 0 || room < batch.size {
        return Err(vm.throw("java/lang/IllegalArgumentException", "not enough space in buffers"));
    }
    let mut n_filled = 0;
    let mut next = -1_i64;
    for frame in frames {
        if n_filled == batch.size {
            next = position(vm, frame).cast_signed();
            break;
        }
        if vm.method(frame.method).hidden && batch.mode & SHOW_HIDDEN_FRAMES == 0 {
            continue;
        }
        let idx = (batch.start + n_filled).cast_unsigned();
        fill_frame(vm, batch, idx, frame, n_filled == 0)?;
        n_filled += 1;
    }
    let kept = vm.new_primitive_array(Kind::Long, 1)?;
    vm.heap.store_u64(kept, ELEMENTS_OFFSET, next.cast_unsigned());
    vm.heap.set_element_ref(batch.buffer, 0, kept);
    Ok(n_filled)
}

fn fill_frame(vm: &mut Vm, batch: &Batch, idx: u32, frame: &Activation, is_first: bool) -> Res<()> {
    let method = frame.method;
    let class = vm.method(method).class;
    if vm.jdk >= 22 {
        let info = vm.heap.element_ref(batch.buffer, idx);
        return fill_frame_info(vm, info, batch.mode & CLASSES_ONLY != 0, frame);
    }
    if batch.mode & CLASSES_ONLY == 0 {
        let info = vm.heap.element_ref(batch.buffer, idx);
        let member = vm.get_field_ref(info, "memberName", "Ljava/lang/Object;");
        let dispatch = vm.dispatch_of(method, class);
        vm.set_member_method(member, method, class, dispatch)?;
        vm.set_field_int(info, "bci", i32::from(frame.bci));
        return Ok(());
    }
    if is_first && batch.mode & CALLER_CLASS != 0 && vm.method(method).caller_sensitive {
        let (method, class) = (vm.method(method).name, vm.class(class).external_name());
        let message = format!(
            "StackWalker::getCallerClass called from @CallerSensitive '{class}.{method}' method"
        );
        return Err(vm.throw("java/lang/UnsupportedOperationException", &message));
    }
    vm.heap.set_element_ref(batch.buffer, idx, vm.mirror(class));
    Ok(())
}

/// Fills a `ClassFrameInfo` or `StackFrameInfo` of JDK 25.
fn fill_frame_info(vm: &mut Vm, info: Ref, class_only: bool, frame: &Activation) -> Res<()> {
    let class = vm.method(frame.method).class;
    let named =
        if class_only { vm.mirror(class) } else { vm.new_resolved_method_name(frame.method)? };
    vm.set_field_ref(info, "classOrMemberName", "Ljava/lang/Object;", named);
    let method = vm.method(frame.method);
    let mut bits = u32::from(method.flags);
    if method.caller_sensitive {
        bits |= CALLER_SENSITIVE;
    }
    if method.hidden {
        bits |= HIDDEN_MEMBER;
    }
    let flags = vm.get_field_int(info, "flags").cast_unsigned() | bits;
    vm.set_field_int(info, "flags", flags.cast_signed());
    if !class_only {
        vm.set_field_int(info, "bci", i32::from(frame.bci));
    }
    Ok(())
}

/// The method that a `StackFrameInfo` was filled with.
fn method_of_info(vm: &mut Vm, info: Ref) -> Res<MethodId> {
    if vm.jdk >= 22 {
        let named = vm.get_field_ref(info, "classOrMemberName", "Ljava/lang/Object;");
        if !named.is_null()
            && vm.class_of(named) == vm.known.resolved_method_name
            && let Some(method) = vm.method_of_resolved_name(named)
        {
            return Ok(method);
        }
    } else {
        let member = vm.get_field_ref(info, "memberName", "Ljava/lang/Object;");
        if !member.is_null() && !vm.heap.load_ref(member, vm.known.member_name_method).is_null() {
            return Ok(vm.member_target(member));
        }
    }
    Err(vm.throw("java/lang/InternalError", "stack frame without a method"))
}

fn expand_stack_frame_info(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let info = args.reference();
    let method = method_of_info(vm, info)?;
    let (name, descriptor) = (vm.method(method).name, vm.method(method).descriptor);
    let name = vm.intern_mutf8(name.as_bytes())?;
    let descriptor = vm.new_string_mutf8(descriptor.as_bytes())?;
    let class = vm.boot_class("java/lang/StackFrameInfo")?;
    let (name_at, type_at) = (
        vm.field_offset(class, "name", "Ljava/lang/String;"),
        vm.field_offset(class, "type", "Ljava/lang/Object;"),
    );
    if vm.heap.load_ref(info, name_at).is_null() {
        vm.heap.store_ref(info, name_at, name);
    }
    if vm.heap.load_ref(info, type_at).is_null() {
        vm.heap.store_ref(info, type_at, descriptor);
    }
    Ok(0)
}

fn init_stack_trace_element(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let element = args.reference();
    let info = args.reference();
    let method = method_of_info(vm, info)?;
    let bci = u16::try_from(vm.get_field_int(info, "bci")).unwrap_or(0);
    vm.fill_stack_trace_element(element, method, bci)?;
    Ok(0)
}

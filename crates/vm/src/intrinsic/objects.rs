//! Objects, threads and argument checks.

use super::{Row, word};
use crate::value::{ClassId, Ref};
use crate::vm::Vm;

pub(super) const ROWS: &[Row] = &[
    ("java/lang/Object", "<init>", "()V", object_init),
    ("java/lang/Object", "getClass", "()Ljava/lang/Class;", get_class),
    ("java/util/Objects", "requireNonNull", "(Ljava/lang/Object;)Ljava/lang/Object;", non_null),
    ("java/util/Objects", "checkIndex", "(II)I", check_index),
    (
        "jdk/internal/util/Preconditions",
        "checkIndex",
        "(IILjava/util/function/BiFunction;)I",
        check_index,
    ),
    ("java/lang/StringLatin1", "checkIndex", "(I[B)V", check_array_index),
    (
        "java/util/Objects",
        "requireNonNull",
        "(Ljava/lang/Object;Ljava/lang/String;)Ljava/lang/Object;",
        non_null,
    ),
    ("java/lang/Class", "isInstance", "(Ljava/lang/Object;)Z", is_instance),
    ("java/lang/Class", "cast", "(Ljava/lang/Object;)Ljava/lang/Object;", cast),
    ("java/lang/ref/Reference", "reachabilityFence", "(Ljava/lang/Object;)V", object_init),
    ("java/lang/Thread", "currentThread", "()Ljava/lang/Thread;", current_thread),
    ("java/lang/Thread", "onSpinWait", "()V", on_spin_wait),
];

unsafe fn object_init(_: *mut Vm, _: *mut u8, _: *mut u64) -> bool {
    true
}

unsafe fn current_thread(vm: *mut Vm, _: *mut u8, args: *mut u64) -> bool {
    // SAFETY: the first register takes the result.
    unsafe { *args = (*vm).thread().current.to_slot() }
    true
}

/// Somebody else has to move before it makes sense to go on.
unsafe fn on_spin_wait(vm: *mut Vm, _: *mut u8, _: *mut u64) -> bool {
    // SAFETY: called with the machine itself.
    unsafe { (*vm).yield_turn() }
    true
}

unsafe fn get_class(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid.
    unsafe {
        let object = *args as u32;
        if object == 0 {
            return false;
        }
        let class = word!(heap, object, 0, u32);
        *args = u64::from((&(*vm).classes)[class as usize].mirror.0);
        true
    }
}

unsafe fn non_null(_: *mut Vm, _: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers.
    unsafe { *args as u32 != 0 }
}

/// Whether the second argument is an instance of the class that the first one mirrors.
unsafe fn is_of(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid; the mirror is not null.
    unsafe {
        let object = *args.add(1) as u32;
        let class = (*vm).class_of_mirror(Ref(*args as u32));
        object != 0 && (*vm).is_subtype(ClassId(word!(heap, object, 0, u32)), class)
    }
}

unsafe fn is_instance(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers.
    unsafe {
        if *args as u32 == 0 {
            return false;
        }
        *args = u64::from(is_of(vm, heap, args));
    }
    true
}

unsafe fn cast(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers.
    unsafe {
        if *args as u32 == 0 || *args.add(1) as u32 != 0 && !is_of(vm, heap, args) {
            return false;
        }
        *args = *args.add(1);
    }
    true
}

unsafe fn check_index(_: *mut Vm, _: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers.
    unsafe {
        let (idx, length) = (*args as u32 as i32, *args.add(1) as u32 as i32);
        0 <= idx && idx < length
    }
}

unsafe fn check_array_index(_: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid.
    unsafe {
        let (idx, array) = (*args as u32, *args.add(1) as u32);
        array != 0 && idx < word!(heap, array, 8, u32)
    }
}

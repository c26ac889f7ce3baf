//! The checks that every call of a method handle passes.

use super::{Row, word};
use crate::value::ClassId;
use crate::vm::Vm;

pub(super) const ROWS: &[Row] = &[
    (
        "java/lang/invoke/MethodHandleImpl",
        "isCompileConstant",
        "(Ljava/lang/Object;)Z",
        is_compile_constant,
    ),
    (
        "java/lang/invoke/Invokers",
        "checkExactType",
        "(Ljava/lang/invoke/MethodHandle;Ljava/lang/invoke/MethodType;)V",
        check_exact_type,
    ),
    (
        "java/lang/invoke/DirectMethodHandle",
        "internalMemberName",
        "(Ljava/lang/Object;)Ljava/lang/Object;",
        internal_member_name,
    ),
];

/// The Java code says so of everything, and only a compiler knows better.
unsafe fn is_compile_constant(_: *mut Vm, _: *mut u8, args: *mut u64) -> bool {
    // SAFETY: the first register takes the result.
    unsafe { *args = 0 };
    true
}

unsafe fn check_exact_type(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid.
    unsafe {
        let (handle, wanted) = (*args as u32, *args.add(1) as u32);
        handle != 0 && word!(heap, handle, (*vm).known.method_handle_type, u32) == wanted
    }
}

unsafe fn internal_member_name(vm: *mut Vm, heap: *mut u8, args: *mut u64) -> bool {
    // SAFETY: arguments are registers; references are valid.
    unsafe {
        let handle = *args as u32;
        let known = &(*vm).known;
        if handle == 0
            || !(*vm).is_subtype(ClassId(word!(heap, handle, 0, u32)), known.direct_method_handle)
        {
            return false;
        }
        *args = u64::from(word!(heap, handle, known.direct_method_handle_member, u32));
    }
    true
}

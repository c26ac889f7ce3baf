//! The signature-polymorphic methods of `MethodHandle` and `VarHandle` (JVMS §2.9.3). Call sites in
//! bytecode never come here; only reflection does, and must be refused.

use crate::frame::Res;
use crate::native::{Args, NativeRow};
use crate::vm::Vm;

const HANDLE: &str = "java/lang/invoke/MethodHandle";
const VARIABLE: &str = "java/lang/invoke/VarHandle";

pub(crate) const NATIVES: &[NativeRow] = &[
    (HANDLE, "invoke", "", |vm, _| refuse(vm, "MethodHandle.invoke")),
    (HANDLE, "invokeExact", "", |vm, _| refuse(vm, "MethodHandle.invokeExact")),
    (VARIABLE, "get", "", refuse_access),
    (VARIABLE, "set", "", refuse_access),
    (VARIABLE, "getVolatile", "", refuse_access),
    (VARIABLE, "setVolatile", "", refuse_access),
    (VARIABLE, "getOpaque", "", refuse_access),
    (VARIABLE, "setOpaque", "", refuse_access),
    (VARIABLE, "getAcquire", "", refuse_access),
    (VARIABLE, "setRelease", "", refuse_access),
    (VARIABLE, "compareAndSet", "", refuse_access),
    (VARIABLE, "compareAndExchange", "", refuse_access),
    (VARIABLE, "compareAndExchangeAcquire", "", refuse_access),
    (VARIABLE, "compareAndExchangeRelease", "", refuse_access),
    (VARIABLE, "weakCompareAndSetPlain", "", refuse_access),
    (VARIABLE, "weakCompareAndSet", "", refuse_access),
    (VARIABLE, "weakCompareAndSetAcquire", "", refuse_access),
    (VARIABLE, "weakCompareAndSetRelease", "", refuse_access),
    (VARIABLE, "getAndSet", "", refuse_access),
    (VARIABLE, "getAndSetAcquire", "", refuse_access),
    (VARIABLE, "getAndSetRelease", "", refuse_access),
    (VARIABLE, "getAndAdd", "", refuse_access),
    (VARIABLE, "getAndAddAcquire", "", refuse_access),
    (VARIABLE, "getAndAddRelease", "", refuse_access),
    (VARIABLE, "getAndBitwiseOr", "", refuse_access),
    (VARIABLE, "getAndBitwiseOrAcquire", "", refuse_access),
    (VARIABLE, "getAndBitwiseOrRelease", "", refuse_access),
    (VARIABLE, "getAndBitwiseAnd", "", refuse_access),
    (VARIABLE, "getAndBitwiseAndAcquire", "", refuse_access),
    (VARIABLE, "getAndBitwiseAndRelease", "", refuse_access),
    (VARIABLE, "getAndBitwiseXor", "", refuse_access),
    (VARIABLE, "getAndBitwiseXorAcquire", "", refuse_access),
    (VARIABLE, "getAndBitwiseXorRelease", "", refuse_access),
];

fn refuse(vm: &mut Vm, name: &str) -> Res<u64> {
    let message = format!("{name} cannot be invoked reflectively");
    Err(vm.throw("java/lang/UnsupportedOperationException", &message))
}

fn refuse_access(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    // The JDK 17 has no natives behind these.
    if vm.jdk < 19
        && let Some(own) = vm.walk().next()
    {
        let method = vm.method(own.method);
        let text = vm.signature_text(
            Some(method.class),
            method.name.as_bytes(),
            method.descriptor.as_bytes(),
        );
        return Err(vm.throw("java/lang/UnsatisfiedLinkError", &format!("'{text}'")));
    }
    refuse(vm, "VarHandle access mode methods")
}

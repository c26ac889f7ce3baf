//! Entering and leaving methods: stubs, hooks and returns (JVMS §2.11.8).

use super::{call, slow, unwind};

handler!(
    /// Entry of a method on its first call: translate, then start.
    compile, |i, pc, fp, vm, heap, t| {
    follow!(slow::compile(vm, pc, fp), vm, heap, t)
});

handler!(abstract_method, |i, pc, fp, vm, heap, t| {
    follow!(slow::abstract_method(vm, pc), vm, heap, t)
});

handler!(
    /// Entry of a native method. Runs again from here after an upcall or a wait.
    native, |i, pc, fp, vm, heap, t| {
    follow!(call::run_native(vm, pc, fp), vm, heap, t)
});

handler!(hook, |i, pc, fp, vm, heap, t| { follow!(call::hook_returned(vm, *fp), vm, heap, t) });

handler!(return_value, |i, pc, fp, vm, heap, t| {
    let value = r64!(fp, i.a);
    shadow!(M, vm, mov, fp, 0, i.a, i.a);
    let frame = (*vm).frame;
    if M::CALLS {
        unwind::left::<M>(vm, frame, Some(value));
    }
    let caller = frame.sub(1);
    (*vm).frame = caller;
    *fp = value;
    go!((*caller).pc, (*caller).fp, vm, heap, t)
});

handler!(return_void, |i, pc, fp, vm, heap, t| {
    let frame = (*vm).frame;
    if M::CALLS {
        unwind::left::<M>(vm, frame, Some(0));
    }
    let caller = frame.sub(1);
    (*vm).frame = caller;
    go!((*caller).pc, (*caller).fp, vm, heap, t)
});

handler!(return_value_locked, |i, pc, fp, vm, heap, t| {
    shadow!(M, vm, mov, fp, 0, i.a, i.a);
    if M::CALLS {
        unwind::left::<M>(vm, (*vm).frame, Some(r64!(fp, i.a)));
    }
    follow!(slow::return_locked(vm, pc, Some(r64!(fp, i.a))), vm, heap, t)
});

handler!(return_void_locked, |i, pc, fp, vm, heap, t| {
    if M::CALLS {
        unwind::left::<M>(vm, (*vm).frame, Some(0));
    }
    follow!(slow::return_locked(vm, pc, None), vm, heap, t)
});

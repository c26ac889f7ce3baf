//! Reflective calls: `NativeMethodAccessorImpl` and `NativeConstructorAccessorImpl` (17), the
//! `NativeAccessor`s of the direct method-handle accessors (25).
//!
//! Arguments are checked, unboxed and widened here; the call itself is an upcall whose hook boxes
//! the result and wraps what is thrown.

use crate::class::{Shape, flags};
use crate::frame::{Hook, Res, Trap, Upcall};
use crate::native::java::lang::reflect::array::unbox_as;
use crate::native::{Args, NativeRow};
use crate::reflection::layout::{ConstructorLayout, MethodLayout};
use crate::value::{Kind, MethodId, Ref};
use crate::vm::Vm;

const INVOKE: &str =
    "(Ljava/lang/reflect/Method;Ljava/lang/Object;[Ljava/lang/Object;)Ljava/lang/Object;";
const NEW_INSTANCE: &str = "(Ljava/lang/reflect/Constructor;[Ljava/lang/Object;)Ljava/lang/Object;";
const ILLEGAL_ARGUMENT: &str = "java/lang/IllegalArgumentException";

pub(crate) const NATIVES: &[NativeRow] = &[
    ("jdk/internal/reflect/NativeMethodAccessorImpl", "invoke0", INVOKE, invoke),
    ("jdk/internal/reflect/DirectMethodHandleAccessor$NativeAccessor", "invoke0", INVOKE, invoke),
    (
        "jdk/internal/reflect/NativeConstructorAccessorImpl",
        "newInstance0",
        NEW_INSTANCE,
        new_instance,
    ),
    (
        "jdk/internal/reflect/DirectConstructorHandleAccessor$NativeAccessor",
        "newInstance0",
        NEW_INSTANCE,
        new_instance,
    ),
];

fn invoke(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let executable = args.reference();
    let receiver = args.reference();
    let arguments = args.reference();
    let layout = MethodLayout::of(vm)?;
    let method = vm.method_of_reflected(executable)?;
    let (class, is_static, is_private, returns) = {
        let method = vm.method(method);
        (method.class, method.is_static(), method.is_private(), method.returns)
    };
    let mut words = Vec::new();
    let selected = if is_static {
        method
    } else {
        if receiver.is_null() {
            return Err(vm.throw_plain("java/lang/NullPointerException"));
        }
        if !vm.instance_of(receiver, class) {
            return Err(vm.throw(ILLEGAL_ARGUMENT, "object is not an instance of declaring class"));
        }
        words.push(receiver.to_slot());
        if is_private { method } else { select(vm, receiver, method)? }
    };
    let types = vm.heap.load_ref(executable, layout.parameter_types);
    push_arguments(vm, &mut words, types, arguments)?;
    if is_static {
        vm.ensure_initialised(class)?;
    }
    if !matches!(returns, Kind::Ref | Kind::Void) {
        let class = vm.box_class(returns);
        vm.ensure_initialised(class)?;
    }
    Err(Trap::Upcall(Box::new(Upcall {
        method: selected,
        args: words,
        hook: Hook::Reflect { returns },
    })))
}

/// Virtual dispatch; what goes wrong there counts as thrown by the callee.
fn select(vm: &mut Vm, receiver: Ref, method: MethodId) -> Res<MethodId> {
    match vm.select_method(vm.class_of(receiver), method) {
        Err(Trap::Throw(exception)) => {
            let wrapped = vm.wrap_invocation_target(exception);
            Err(Trap::Throw(wrapped))
        }
        selected => selected,
    }
}

fn new_instance(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let executable = args.reference();
    let arguments = args.reference();
    let layout = ConstructorLayout::of(vm)?;
    let method = vm.method_of_reflected(executable)?;
    let class = vm.method(method).class;
    let (class_flags, class_name) = (vm.class(class).flags, vm.class(class).external_name());
    if class_flags & (flags::ABSTRACT | flags::INTERFACE) != 0 || class == vm.known.class {
        return Err(vm.throw("java/lang/InstantiationException", &class_name));
    }
    vm.ensure_initialised(class)?;
    let types = vm.heap.load_ref(executable, layout.parameter_types);
    let mut words = vec![0];
    push_arguments(vm, &mut words, types, arguments)?;
    let has_finalizer = vm.class(class).has_finalizer;
    if has_finalizer {
        vm.prepare_finalizer()?;
    }
    let object = vm.new_object(class)?;
    if has_finalizer {
        vm.register_finalizer(object)?;
    }
    words[0] = object.to_slot();
    Err(Trap::Upcall(Box::new(Upcall { method, args: words, hook: Hook::ReflectNew { object } })))
}

/// Appends the argument words that an `Object[]` (or null) stands for.
fn push_arguments(vm: &mut Vm, words: &mut Vec<u64>, types: Ref, arguments: Ref) -> Res<()> {
    let n_types = if types.is_null() { 0 } else { vm.heap.array_length(types) };
    let n_arguments = if arguments.is_null() { 0 } else { vm.heap.array_length(arguments) };
    if n_types != n_arguments {
        return Err(vm.throw(ILLEGAL_ARGUMENT, "wrong number of arguments"));
    }
    for idx in 0..n_types {
        let wanted = vm.class_of_mirror(vm.heap.element_ref(types, idx));
        let argument = vm.heap.element_ref(arguments, idx);
        match vm.class(wanted).shape {
            Shape::Primitive(kind) => {
                words.push(unbox_as(vm, argument, kind)?);
                if kind.slots() == 2 {
                    words.push(0);
                }
            }
            _ => {
                if !argument.is_null() && !vm.instance_of(argument, wanted) {
                    return Err(vm.throw(ILLEGAL_ARGUMENT, "argument type mismatch"));
                }
                words.push(argument.to_slot());
            }
        }
    }
    Ok(())
}

impl Vm {
    /// The `InvocationTargetException` around what a reflectively called method threw.
    pub fn wrap_invocation_target(&mut self, exception: Ref) -> Ref {
        match self.new_invocation_target_exception(exception) {
            Ok(wrapped) => wrapped,
            // Out of memory: that exception goes on instead.
            Err(Trap::Throw(other)) => other,
            Err(_) => exception,
        }
    }

    fn new_invocation_target_exception(&mut self, target: Ref) -> Res<Ref> {
        let class = self.known.invocation_target_exception;
        let wrapped = self.new_throwable(class, None, Ref::NULL)?;
        let offset = self.field_offset(class, "target", "Ljava/lang/Throwable;");
        self.heap.store_ref(wrapped, offset, target);
        // The constructor disallows `initCause`; `getCause` is overridden to give the target.
        self.heap.store_ref(wrapped, self.known.throwable_cause, Ref::NULL);
        Ok(wrapped)
    }
}

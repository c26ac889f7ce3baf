//! `jdk.internal.reflect.Reflection`: caller classes, raw flags, nest mates.

use crate::frame::Res;
use crate::native::java::lang::class::{raw_access_flags, this_class};
use crate::native::{Args, NativeRow};
use crate::value::MethodId;
use crate::vm::Vm;

const REFLECTION: &str = "jdk/internal/reflect/Reflection";

pub(crate) const NATIVES: &[NativeRow] = &[
    (REFLECTION, "getCallerClass", "()Ljava/lang/Class;", get_caller_class),
    (REFLECTION, "getClassAccessFlags", "(Ljava/lang/Class;)I", get_class_access_flags),
    (REFLECTION, "areNestMates", "(Ljava/lang/Class;Ljava/lang/Class;)Z", are_nest_mates),
];

fn get_caller_class(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let mut frames = vm.walk();
    // The native's own frame and the caller-sensitive method that asks.
    let asking = frames.nth(1);
    if !asking.is_some_and(|frame| vm.method(frame.method).caller_sensitive) {
        let message = "CallerSensitive annotation expected at frame 1";
        return Err(vm.throw("java/lang/InternalError", message));
    }
    for frame in frames {
        if !vm.is_reflection_frame(frame.method) {
            return Ok(vm.mirror(vm.method(frame.method).class).to_slot());
        }
    }
    Ok(0)
}

fn get_class_access_flags(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let class = this_class(vm, &mut args);
    Ok(u64::from(raw_access_flags(&class)))
}

fn are_nest_mates(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let one = this_class(vm, &mut args);
    let other = this_class(vm, &mut args);
    if one.id == other.id {
        return Ok(1);
    }
    if !one.has_file() || !other.has_file() {
        return Ok(0);
    }
    let host = vm.nest_host(one.id)?;
    Ok(u64::from(host == vm.nest_host(other.id)?))
}

impl Vm {
    /// Whether a frame of this method only carries a reflective or method-handle call, so that its
    /// caller counts as the caller: `Method.invoke`, method accessors, compiled lambda forms.
    pub(crate) fn is_reflection_frame(&self, method: MethodId) -> bool {
        let method = self.method(method);
        let class = self.class(method.class);
        if class.name.as_bytes() == b"java/lang/reflect/Method"
            && method.name.as_bytes() == b"invoke"
        {
            return true;
        }
        if class.supers.iter().any(|&ancestor| {
            self.class(ancestor).name.as_bytes() == b"jdk/internal/reflect/MethodAccessorImpl"
        }) {
            return true;
        }
        method.signature_polymorphic || method.hidden && self.is_compiled_lambda_form(method.id)
    }

    /// Whether a method was made from a lambda form.
    fn is_compiled_lambda_form(&self, method: MethodId) -> bool {
        let method = self.method(method);
        let file = self.class(method.class).class_file();
        let annotations = file.methods()[usize::from(method.slot)].annotations;
        file.has_annotation(annotations, b"Ljava/lang/invoke/LambdaForm$Compiled;")
    }
}

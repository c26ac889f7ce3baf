//! `jdk.internal.reflect.Reflection`: caller classes, raw flags, nest mates.

use classfile::ClassBytes;

use crate::frame::Res;
use crate::link::DefineOptions;
use crate::native::java::lang::class::{raw_access_flags, this_class};
use crate::native::{Args, NativeRow};
use crate::value::{ClassId, MethodId};
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
    match outside_caller(vm)? {
        Some(class) => Ok(vm.mirror(class).to_slot()),
        None => Ok(0),
    }
}

/// The class that counts as the caller where the machine was called from outside of Java code: one in the
/// unnamed module of the application class loader, as tests are. `None` while the machine boots.
fn outside_caller(vm: &mut Vm) -> Res<Option<ClassId>> {
    const LOADERS: &str = "jdk/internal/loader/ClassLoaders";
    const APP_LOADER: &str = "Ljdk/internal/loader/ClassLoaders$AppClassLoader;";
    let loaders = vm.boot_class(LOADERS)?;
    if !vm.is_initialised(loaders) {
        return Ok(None);
    }
    let (mirror, offset) = vm.static_slot(loaders, "APP_LOADER", APP_LOADER);
    let Some(loader) = vm.heap.load_ref(mirror, offset).some() else { return Ok(None) };
    let loader = vm.loader_of(loader);
    if let Some(class) = vm.find_loaded_class(loader, CALLER) {
        return Ok(Some(class));
    }
    let options =
        DefineOptions { expected_name: Some(CALLER.to_vec()), ..DefineOptions::default() };
    let bytes = ClassBytes::from_vec(empty_class(CALLER));
    vm.define_class(loader, bytes, &options).map(Some)
}

const CALLER: &[u8] = b"nonpareil/Caller";

/// The class file of a public class without members.
fn empty_class(name: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52];
    let half = |value: usize| u16::try_from(value).unwrap_or(u16::MAX).to_be_bytes();
    bytes.extend(half(5));
    for (at, text) in [(2, name), (4, b"java/lang/Object".as_slice())] {
        bytes.push(7);
        bytes.extend(half(at));
        bytes.push(1);
        bytes.extend(half(text.len()));
        bytes.extend_from_slice(text);
    }
    // Public, with a superclass; no interfaces, fields, methods and attributes.
    for value in [0x21, 1, 3, 0, 0, 0, 0] {
        bytes.extend(half(value));
    }
    bytes
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

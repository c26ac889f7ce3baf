//! Stack traces made readable: `java.lang.StackTraceElement`, and the traces of threads.

use crate::frame::Res;
use crate::native::java::lang::class::binary_name;
use crate::native::{Args, NativeRow};
use crate::reflection::layout::StackTraceElementLayout;
use crate::thread::State;
use crate::value::{ClassId, MethodId, Ref};
use crate::vm::Vm;

const ELEMENT: &str = "java/lang/StackTraceElement";
const THREAD: &str = "java/lang/Thread";

pub(crate) const NATIVES: &[NativeRow] = &[
    (
        ELEMENT,
        "initStackTraceElements",
        "([Ljava/lang/StackTraceElement;Ljava/lang/Throwable;)V",
        init_stack_trace_elements_of_throwable,
    ),
    (
        ELEMENT,
        "initStackTraceElements",
        "([Ljava/lang/StackTraceElement;Ljava/lang/Object;I)V",
        init_stack_trace_elements_of_backtrace,
    ),
    (THREAD, "dumpThreads", "([Ljava/lang/Thread;)[[Ljava/lang/StackTraceElement;", dump_threads),
    (THREAD, "getStackTrace0", "()Ljava/lang/Object;", get_stack_trace),
    ("java/lang/SecurityManager", "getClassContext", "()[Ljava/lang/Class;", get_class_context),
];

/// JDK 17.
fn init_stack_trace_elements_of_throwable(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let elements = args.reference();
    let throwable = args.reference();
    if throwable.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    let backtrace = vm.heap.load_ref(throwable, vm.known.throwable_backtrace);
    fill_elements(vm, elements, backtrace)
}

/// JDK 25.
fn init_stack_trace_elements_of_backtrace(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let elements = args.reference();
    let backtrace = args.reference();
    fill_elements(vm, elements, backtrace)
}

fn fill_elements(vm: &mut Vm, elements: Ref, backtrace: Ref) -> Res<u64> {
    if elements.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    let rows = vm.rows_of_backtrace(backtrace);
    for (idx, row) in (0..vm.heap.array_length(elements)).zip(rows) {
        let element = vm.heap.element_ref(elements, idx);
        if element.is_null() {
            return Err(vm.throw_plain("java/lang/NullPointerException"));
        }
        vm.fill_stack_trace_element(element, row.method, row.bci)?;
    }
    Ok(0)
}

fn dump_threads(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let threads = args.reference();
    if threads.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    let count = vm.heap.array_length(threads);
    if count == 0 {
        return Err(vm.throw_plain("java/lang/IllegalArgumentException"));
    }
    let mut traces = Vec::new();
    for idx in 0..count {
        let thread = vm.heap.element_ref(threads, idx);
        traces.push(new_thread_trace(vm, thread, Hidden::Shown)?);
    }
    let component = vm.array_class(vm.known.stack_trace_element)?;
    Ok(vm.new_ref_array(component, &traces)?.to_slot())
}

fn get_stack_trace(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let thread = args.reference();
    Ok(new_thread_trace(vm, thread, Hidden::LeftOut)?.to_slot())
}

/// Whether a trace has the frames of hidden classes and methods. Dumps of threads have them, traces
/// of a single thread on JDK 25 and of exceptions do not.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hidden {
    Shown,
    LeftOut,
}

/// The frames of a live thread as a `StackTraceElement[]`; null for one that does not run.
pub(crate) fn new_thread_trace(vm: &mut Vm, java: Ref, hidden: Hidden) -> Res<Ref> {
    let alive = |thread: &crate::thread::Thread| {
        !java.is_null()
            && (thread.java == java || thread.current == java)
            && !matches!(thread.state, State::Ended)
    };
    let Some(position) = vm.threads.iter().position(alive) else { return Ok(Ref::NULL) };
    let frames: Vec<_> = vm.walk_thread(position).collect();
    let mut elements = Vec::new();
    for frame in frames {
        if hidden == Hidden::Shown || !vm.method(frame.method).hidden {
            let element = vm.new_object(vm.known.stack_trace_element)?;
            vm.fill_stack_trace_element(element, frame.method, frame.bci)?;
            elements.push(element);
        }
    }
    vm.new_ref_array(vm.known.stack_trace_element, &elements)
}

/// The classes of the callers, for a security manager of JDK 17.
fn get_class_context(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let classes: Vec<ClassId> = vm
        .walk()
        .skip(1)
        .filter(|frame| {
            !vm.method(frame.method).is_native() && !vm.is_reflection_frame(frame.method)
        })
        .map(|frame| vm.method(frame.method).class)
        .collect();
    crate::native::java::lang::class::new_class_array(vm, &classes)
}

impl Vm {
    /// Writes class, method, file and line of a place into a `StackTraceElement`.
    pub(crate) fn fill_stack_trace_element(
        &mut self,
        element: Ref,
        method: MethodId,
        bci: u16,
    ) -> Res<()> {
        let layout = StackTraceElementLayout::of(self)?;
        let place = self.source_place(method, bci);
        let (class, method_name) = (self.method(method).class, self.method(method).name);
        let mirror = self.mirror(class);
        let declaring_class = self.class_name_string(class)?;
        let method_name = self.intern_mutf8(method_name.as_bytes())?;
        let file_name = match place.file {
            Some(file) => self.intern_mutf8(&classfile::mutf8::encode_str(&file))?,
            None => Ref::NULL,
        };
        let loader = self.loaders[self.class(class).loader.idx()].java;
        if !loader.is_null() {
            let name = self.heap.load_ref(loader, self.known.class_loader_name);
            self.heap.store_ref(element, layout.class_loader_name, name);
        }
        let module = self.heap.load_ref(mirror, self.known.class_module);
        if !module.is_null() {
            let name = self.heap.load_ref(module, self.known.module_name);
            let version = if name.is_null() { Ref::NULL } else { self.module_version(module) };
            self.heap.store_ref(element, layout.module_name, name);
            self.heap.store_ref(element, layout.module_version, version);
        }
        self.heap.store_ref(element, layout.declaring_class_object, mirror);
        self.heap.store_ref(element, layout.declaring_class, declaring_class);
        self.heap.store_ref(element, layout.method_name, method_name);
        self.heap.store_ref(element, layout.file_name, file_name);
        self.heap.store_u32(element, layout.line_number, place.line.cast_unsigned());
        Ok(())
    }

    /// The string that `Class.getName` gives, made now if nobody has asked before.
    pub(crate) fn class_name_string(&mut self, class: ClassId) -> Res<Ref> {
        let mirror = self.mirror(class);
        if let Some(name) = self.heap.load_ref(mirror, self.known.class_name).some() {
            return Ok(name);
        }
        let binary_name = binary_name(self.class(class));
        let name = self.intern_mutf8(&binary_name)?;
        self.heap.store_ref(mirror, self.known.class_name, name);
        Ok(name)
    }

    /// The version that a named module's descriptor tells, or null.
    fn module_version(&self, module: Ref) -> Ref {
        let descriptor =
            self.get_field_ref(module, "descriptor", "Ljava/lang/module/ModuleDescriptor;");
        // One that cannot be read as a version is not told to the machine.
        let version = descriptor.some().and_then(|descriptor| {
            self.get_field_ref(descriptor, "version", "Ljava/lang/module/ModuleDescriptor$Version;")
                .some()
        });
        version.map_or(Ref::NULL, |version| {
            self.get_field_ref(version, "version", "Ljava/lang/String;")
        })
    }
}

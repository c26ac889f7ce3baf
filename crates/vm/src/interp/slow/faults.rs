//! Exceptions that instructions throw themselves, with HotSpot's texts.

use super::super::call::trapped;
use super::super::{Flow, unwind};
use super::begin;
use crate::class::Shape;
use crate::code::Insn;
use crate::frame::Trap;
use crate::heap::LENGTH_OFFSET;
use crate::value::{ClassId, Kind, LoaderId, Ref};
use crate::vm::Vm;

#[cold]
pub(in super::super) fn null_pointer(vm: *mut Vm, pc: *const Insn) -> Flow {
    // SAFETY: a Java frame is on top.
    let (vm, _, _) = unsafe { begin(vm, pc) };
    let trap = vm.throw_plain("java/lang/NullPointerException");
    trapped(vm, trap)
}

#[cold]
pub(in super::super) fn divide_by_zero(vm: *mut Vm, pc: *const Insn) -> Flow {
    // SAFETY: a Java frame is on top.
    let (vm, _, _) = unsafe { begin(vm, pc) };
    let trap = vm.throw("java/lang/ArithmeticException", "/ by zero");
    trapped(vm, trap)
}

/// An array access failed: the array is null or the index out of bounds.
#[cold]
pub(in super::super) fn array_fault(vm: *mut Vm, pc: *const Insn) -> Flow {
    // SAFETY: a Java frame is on top; the operands are registers of it.
    let (vm, array, idx) = unsafe {
        let (vm, _, _) = begin(vm, pc);
        let fp = (*vm.frame).fp;
        (vm, Ref(r32!(fp, (*pc).b)), ri32!(fp, (*pc).c))
    };
    if array.is_null() {
        return null_pointer(vm, pc);
    }
    let length = vm.heap.load_u32(array, LENGTH_OFFSET);
    let text = format!("Index {idx} out of bounds for length {length}");
    let trap = vm.throw("java/lang/ArrayIndexOutOfBoundsException", &text);
    trapped(vm, trap)
}

/// Whether an array of this class may hold the value.
pub(in super::super) fn can_store(vm: &Vm, array_class: u32, value: Ref) -> bool {
    let Shape::Array { component, element: Kind::Ref } = vm.class(ClassId(array_class)).shape else {
        return false;
    };
    vm.instance_of(value, component)
}

#[cold]
pub(in super::super) fn array_store_fault(vm: *mut Vm, pc: *const Insn, value: Ref) -> Flow {
    // SAFETY: a Java frame is on top.
    let (vm, _, _) = unsafe { begin(vm, pc) };
    let name = vm.external_name(vm.class_of(value));
    let trap = vm.throw("java/lang/ArrayStoreException", &name);
    trapped(vm, trap)
}

#[cold]
pub(in super::super) fn athrow(vm: *mut Vm, pc: *const Insn, exception: Ref) -> Flow {
    // SAFETY: a Java frame is on top.
    let (vm, _, _) = unsafe { begin(vm, pc) };
    if exception.is_null() {
        return null_pointer(vm, pc);
    }
    unwind::throw(vm, exception)
}

#[cold]
pub(in super::super) fn class_cast(vm: *mut Vm, pc: *const Insn, from: ClassId, to: ClassId) -> Flow {
    // SAFETY: a Java frame is on top.
    let (vm, _, _) = unsafe { begin(vm, pc) };
    let text = vm.class_cast_message(from, to);
    let trap = vm.throw("java/lang/ClassCastException", &text);
    trapped(vm, trap)
}

/// A method without a body was called, or control fell off the end of code.
#[cold]
pub(in super::super) fn abstract_method(vm: *mut Vm, pc: *const Insn) -> Flow {
    // SAFETY: the frame of the method is on top.
    let (vm, id, class) = unsafe { begin(vm, pc) };
    let text = format!(
        "Receiver class does not define or inherit an implementation of the resolved method 'abstract {}' of {}.",
        vm.external_signature(id),
        vm.external_name(class)
    );
    let trap = vm.throw("java/lang/AbstractMethodError", &text);
    trapped(vm, trap)
}

impl Vm {
    /// `StackOverflowError`, ready to throw.
    pub(crate) fn stack_overflow(&mut self) -> Trap {
        self.throw_plain("java/lang/StackOverflowError")
    }

    /// The name of a class as Java programs see it: `java.lang.String`, `int[][]`.
    pub fn external_name(&self, class: ClassId) -> String {
        match self.class(class).shape {
            Shape::Array { component, .. } => format!("{}[]", self.external_name(component)),
            _ => self.class(class).name.to_string().replace('/', ".").replace('+', "/"),
        }
    }

    /// `void java.lang.Foo.bar(int, java.lang.String)`.
    pub fn external_signature(&self, method: crate::value::MethodId) -> String {
        let method = self.method(method);
        let descriptor = method.descriptor.to_string();
        let (parameters, returns) = descriptor.split_once(')').unwrap_or(("(", "V"));
        let mut names = Vec::new();
        let mut rest = &parameters[1..];
        while !rest.is_empty() {
            let (name, len) = external_type(rest);
            names.push(name);
            rest = &rest[len..];
        }
        format!(
            "{} {}.{}({})",
            external_type(returns).0,
            self.external_name(method.class),
            method.name,
            names.join(", ")
        )
    }

    /// HotSpot's text of a failed cast.
    fn class_cast_message(&mut self, from: ClassId, to: ClassId) -> String {
        let (a, b) = (self.external_name_of_cast(from), self.external_name_of_cast(to));
        let (in_a, in_b) = (self.describe_home(from), self.describe_home(to));
        let homes = if in_a == in_b {
            format!("{a} and {b} are in {in_a}")
        } else {
            format!("{a} is in {in_a}; {b} is in {in_b}")
        };
        format!("class {a} cannot be cast to class {b} ({homes})")
    }

    fn external_name_of_cast(&self, class: ClassId) -> String {
        let class = self.class(class);
        if class.is_array() { class.name.to_string().replace('/', ".") } else { self.external_name(class.id) }
    }

    /// `module java.base of loader 'bootstrap'`, `unnamed module of loader 'app'`.
    fn describe_home(&mut self, class: ClassId) -> String {
        let mut element = class;
        while let Shape::Array { component, .. } = self.class(element).shape {
            element = component;
        }
        let module = self.module_name(element);
        let loader = self.class(element).loader;
        let loader = if loader == LoaderId::BOOT {
            "'bootstrap'".to_string()
        } else {
            let java = self.loaders[loader.idx()].java;
            self.get_field_ref(java, "nameAndId", "Ljava/lang/String;")
                .some()
                .map_or_else(|| "unknown".into(), |text| self.string_text(text))
        };
        match module {
            Some(module) => format!("module {module} of loader {loader}"),
            None => format!("unnamed module of loader {loader}"),
        }
    }

    /// The name of the module a class is in; `None` for unnamed modules.
    fn module_name(&self, class: ClassId) -> Option<String> {
        let module = self.get_field_ref(self.mirror(class), "module", "Ljava/lang/Module;").some()?;
        let name = self.get_field_ref(module, "name", "Ljava/lang/String;").some()?;
        Some(self.string_text(name))
    }
}

/// The external form of the first type of a descriptor, and how many characters it takes.
fn external_type(descriptor: &str) -> (String, usize) {
    match descriptor.as_bytes().first() {
        Some(b'[') => {
            let (name, len) = external_type(&descriptor[1..]);
            (format!("{name}[]"), len + 1)
        }
        Some(b'L') => {
            let end = descriptor.find(';').unwrap_or(descriptor.len() - 1);
            (descriptor[1..end].replace('/', "."), end + 1)
        }
        Some(&c) => (Kind::of_descriptor(&[c]).map_or("?", Kind::primitive_name).to_string(), 1),
        None => (String::new(), 1),
    }
}

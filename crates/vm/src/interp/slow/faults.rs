//! Exceptions that instructions throw themselves, with HotSpot's texts.

use super::super::call::trapped;
use super::super::{Flow, unwind};
use super::begin;
use crate::class::Shape;
use crate::code::Insn;
use crate::frame::Trap;
use crate::heap::LENGTH_OFFSET;
use crate::value::{ClassId, Kind, MethodId, Ref};
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
    let Shape::Array { component, element: Kind::Ref } = vm.class(ClassId(array_class)).shape
    else {
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
pub(in super::super) fn class_cast(
    vm: *mut Vm,
    pc: *const Insn,
    from: ClassId,
    to: ClassId,
) -> Flow {
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
    let (vm, id, receiver) = unsafe {
        let (vm, id, _) = begin(vm, pc);
        let receiver = Ref(r32!((*vm.frame).fp, 0));
        (vm, id, receiver)
    };
    let trap = vm.abstract_method_error(vm.class_of(receiver), id);
    trapped(vm, trap)
}

impl Vm {
    /// `StackOverflowError`, ready to throw.
    pub(crate) fn stack_overflow(&mut self) -> Trap {
        self.throw_plain("java/lang/StackOverflowError")
    }

    /// `void java.lang.Foo.bar(int, java.lang.String)`.
    pub fn external_signature(&self, method: MethodId) -> String {
        let method = self.method(method);
        self.signature_text(
            Some(method.class),
            method.name.as_bytes(),
            method.descriptor.as_bytes(),
        )
    }
}

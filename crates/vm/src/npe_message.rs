//! Helpful messages of `NullPointerException` (JEP 358): which expression was null.
//!
//! From the failed instruction the message goes back to the instructions that pushed its operands,
//! found by following the operand stack through the whole method (`flow`). Names of local
//! variables are used where the class file has them. The words are HotSpot's.

mod flow;

use classfile::{ClassFile, Code, FieldType, MethodDescriptor, mutf8};

use crate::class::Method;
use crate::code::bytecode::{Bytes, call_words, field_words};
use crate::describe::type_text;
use crate::heap::ELEMENTS_OFFSET;
use crate::throwable::TOP_HIDDEN;
use crate::value::{MethodId, Ref};
use crate::vm::Vm;
use flow::Flow;

/// How many instructions an explanation goes back.
const MOST_DETAIL: u32 = 5;

impl Vm {
    /// What `getExtendedNPEMessage` gives for an exception; `None` where nothing can be said.
    #[expect(clippy::cast_possible_truncation, reason = "unpacks a word of the backtrace")]
    pub fn npe_message(&self, throwable: Ref) -> Option<String> {
        let backtrace = self.heap.load_ref(throwable, self.known.throwable_backtrace).some()?;
        if self.heap.array_length(backtrace) == 0 {
            return None;
        }
        let word = self.heap.load_u64(backtrace, ELEMENTS_OFFSET);
        if word & TOP_HIDDEN != 0 {
            return None;
        }
        let method = self.method(MethodId((word >> 32) as u32));
        let file = self.class(method.class).file()?;
        explain(file, method, word as u16)
    }
}

/// The message for a null pointer at an instruction of a method.
fn explain(file: &ClassFile, method: &Method, bci: u16) -> Option<String> {
    let code = file.methods().get(usize::from(method.slot))?.code.as_ref()?;
    let bytes = Bytes(file.instructions(code));
    let (action, operand) = failed_action(file, bytes, usize::from(bci))?;
    let flow = Flow::of(file, code, bytes);
    let explanation = Explanation { file, method, code, bytes, flow };
    let cause = explanation.cause(usize::from(bci), operand).unwrap_or_default();
    Some(action + &cause)
}

/// What could not be done, and how many words below the top of the stack the null was.
fn failed_action(file: &ClassFile, bytes: Bytes<'_>, at: usize) -> Option<(String, usize)> {
    let cp = bytes.u2(at + 1);
    let load = |what: &str| Some((format!("Cannot load from {what} array"), 1));
    let store =
        |what: &str, words: usize| Some((format!("Cannot store to {what} array"), 1 + words));
    match bytes.u1(at) {
        46 => load("int"),
        47 => load("long"),
        48 => load("float"),
        49 => load("double"),
        50 => load("object"),
        51 => load("byte/boolean"),
        52 => load("char"),
        53 => load("short"),
        79 => store("int", 1),
        80 => store("long", 2),
        81 => store("float", 1),
        82 => store("double", 2),
        83 => store("object", 1),
        84 => store("byte/boolean", 1),
        85 => store("char", 1),
        86 => store("short", 1),
        190 => Some(("Cannot read the array length".into(), 0)),
        191 => Some(("Cannot throw exception".into(), 0)),
        194 => Some(("Cannot enter synchronized block".into(), 0)),
        195 => Some(("Cannot exit synchronized block".into(), 0)),
        180 => {
            let (_, name, _) = file.constant_pool().try_member_ref(cp)?;
            Some((format!("Cannot read field \"{}\"", mutf8::display(name)), 0))
        }
        181 => {
            let (_, name, _) = file.constant_pool().try_member_ref(cp)?;
            let words = usize::from(field_words(file, cp)?);
            Some((format!("Cannot assign field \"{}\"", mutf8::display(name)), words))
        }
        182 | 183 | 185 => {
            let (_, name, _) = file.constant_pool().try_member_ref(cp)?;
            // A constructor's receiver is never null: the exception was made by hand.
            if name == b"<init>" {
                return None;
            }
            let words = usize::from(call_words(file, cp)?.0);
            Some((format!("Cannot invoke \"{}\"", method_text(file, cp)?), words))
        }
        _ => None,
    }
}

/// Everything needed to describe where a value came from.
struct Explanation<'a> {
    file: &'a ClassFile,
    method: &'a Method,
    code: &'a Code,
    bytes: Bytes<'a>,
    flow: Flow,
}

impl Explanation<'_> {
    /// ` because … is null`, if anything is known about the operand.
    fn cause(&self, at: usize, operand: usize) -> Option<String> {
        let source = self.flow.source(at, operand)?;
        let text = self.expression(at, operand, MOST_DETAIL)?;
        let is_call = matches!(self.bytes.u1(source), 182..=185);
        let prefix = if is_call { " because the return value of \"" } else { " because \"" };
        Some(format!("{prefix}{text}\" is null"))
    }

    /// The expression that pushed a word of the stack as it is before the instruction at `at`.
    fn expression(&self, at: usize, operand: usize, detail: u32) -> Option<String> {
        if detail == 0 {
            return None;
        }
        let source = self.flow.source(at, operand)?;
        let cp = self.bytes.u2(source + 1);
        let op = self.bytes.u1(source);
        Some(match op {
            1 => "null".into(),
            2..=8 => (i32::from(op) - 3).to_string(),
            16 => self.bytes.u1(source + 1).cast_signed().to_string(),
            17 => self.bytes.i2(source + 1).to_string(),
            // iload and aload in all forms; other kinds of locals cannot be null or index.
            21 | 25 => self.local(source, u16::from(self.bytes.u1(source + 1))),
            26..=29 => self.local(source, u16::from(op - 26)),
            42..=45 => self.local(source, u16::from(op - 42)),
            196 if matches!(self.bytes.u1(source + 1), 21 | 25) => {
                self.local(source, self.bytes.u2(source + 2))
            }
            178 => {
                let (class, name, _) = self.file.constant_pool().try_member_ref(cp)?;
                format!("{}.{}", class_text(class), mutf8::display(name))
            }
            180 => {
                let (_, name, _) = self.file.constant_pool().try_member_ref(cp)?;
                let object = self.expression(source, 0, detail - 1).map(|object| object + ".");
                object.unwrap_or_default() + &mutf8::display(name)
            }
            182..=185 => method_text(self.file, cp)?,
            46..=53 => {
                let array =
                    self.expression(source, 1, detail - 1).unwrap_or_else(|| "<array>".into());
                let idx = self.expression(source, 0, detail).unwrap_or_else(|| "...".into());
                format!("{array}[{idx}]")
            }
            _ => return None,
        })
    }

    fn local(&self, at: usize, slot: u16) -> String {
        let bci = u16::try_from(at).unwrap_or(u16::MAX);
        if let Some(name) = self.code.local_name_at(self.file, bci, slot) {
            return mutf8::display(name);
        }
        let is_parameter = !self.flow.was_written(at, slot);
        if is_parameter && slot == 0 && !self.method.is_static() {
            return "this".into();
        }
        match self.parameter_at(slot) {
            Some(position) if is_parameter => format!("<parameter{position}>"),
            _ => format!("<local{slot}>"),
        }
    }

    /// Position, from one, of the parameter that begins in (or covers) a local variable.
    fn parameter_at(&self, slot: u16) -> Option<usize> {
        let descriptor = MethodDescriptor::parse(self.method.descriptor.as_bytes())?;
        let mut first = usize::from(!self.method.is_static());
        for (idx, param) in descriptor.params().enumerate() {
            let behind = first + param.slots();
            if (first..behind).contains(&usize::from(slot)) {
                return Some(idx + 1);
            }
            first = behind;
        }
        None
    }
}

fn method_text(file: &ClassFile, cp: u16) -> Option<String> {
    let (class, name, descriptor) = file.constant_pool().try_member_ref(cp)?;
    let descriptor = MethodDescriptor::parse(descriptor)?;
    let params: Vec<String> = descriptor.params().map(short_type).collect();
    Some(format!("{}.{}({})", class_text(class), mutf8::display(name), params.join(", ")))
}

/// A class as the messages name it; arrays by their descriptor, `[Ljava.lang.String;`.
fn class_text(name: &[u8]) -> String {
    match name.first() {
        Some(b'[') => mutf8::display(name).replace('/', "."),
        _ => short_type(FieldType::Object(name)),
    }
}

/// A type's name; Object and String without their package.
fn short_type(field_type: FieldType<'_>) -> String {
    let text = type_text(field_type);
    for well_known in ["java.lang.Object", "java.lang.String"] {
        if text.trim_end_matches("[]") == well_known {
            return text["java.lang.".len()..].to_owned();
        }
    }
    text
}

//! A method's body as operators look at it: decoded instructions, where jumps go, what constants are.

use classfile::instructions::{self, Flow, Instruction};
use classfile::{ClassFile, Code, Constant, FieldType, MethodDescriptor, MethodInfo};

use super::opcode::{ILOAD, ISTORE, ISTORE_0, WIDE};

/// A body under the eyes of the operators.
pub(super) struct Body<'a> {
    pub(super) file: &'a ClassFile,
    pub(super) info: &'a MethodInfo,
    pub(super) code: &'a Code,
    pub(super) bytes: &'a [u8],
    pub(super) instructions: Vec<Instruction>,
    /// What the method returns; `None` for `void`.
    pub(super) returns: Option<FieldType<'a>>,
    /// By instruction: whether something jumps here.
    is_target: Vec<bool>,
}

/// A number that an instruction puts on the stack.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
}

impl<'a> Body<'a> {
    /// `None` for a method without code, or with code that is no code.
    pub(super) fn new(file: &'a ClassFile, info: &'a MethodInfo) -> Option<Body<'a>> {
        let code = info.code.as_ref()?;
        let bytes = file.instructions(code);
        let instructions: Vec<Instruction> = instructions::iter(bytes).collect();
        if instructions.last().map(|last| usize::from(last.next)) != Some(bytes.len()) {
            return None;
        }
        let descriptor = MethodDescriptor::parse(file.constant_pool().utf8(info.descriptor))?;
        let mut is_target = vec![false; instructions.len()];
        let mut mark = |pc: u16| {
            if let Ok(at) = instructions.binary_search_by_key(&pc, |instruction| instruction.pc) {
                is_target[at] = true;
            }
        };
        for instruction in &instructions {
            match &instruction.flow {
                Flow::Branch(target) | Flow::Jump(target) => mark(*target),
                Flow::Switch(targets) => targets.iter().copied().for_each(&mut mark),
                Flow::Next | Flow::End => {}
            }
        }
        for handler in &code.exception_table {
            mark(handler.handler_pc);
        }
        let returns = descriptor.return_type();
        Some(Body { file, info, code, bytes, instructions, returns, is_target })
    }

    /// The opcode of an instruction; `nop` behind the end.
    pub(super) fn opcode(&self, idx: usize) -> u8 {
        self.instructions.get(idx).map_or(0, |instruction| instruction.opcode)
    }

    /// The bytes of an instruction; none behind the end.
    pub(super) fn bytes_of(&self, idx: usize) -> &'a [u8] {
        let Some(instruction) = self.instructions.get(idx) else { return &[] };
        &self.bytes[usize::from(instruction.pc)..usize::from(instruction.next)]
    }

    /// The instruction that always runs right before this one, if there is one.
    pub(super) fn before(&self, idx: usize) -> Option<usize> {
        let before = idx.checked_sub(1)?;
        let falls_through = matches!(self.instructions[before].flow, Flow::Next | Flow::Branch(_));
        (falls_through && !self.is_target[idx]).then_some(before)
    }

    /// The instruction at a bytecode index.
    pub(super) fn at(&self, pc: u16) -> Option<usize> {
        self.instructions.binary_search_by_key(&pc, |instruction| instruction.pc).ok()
    }

    /// The operand of two bytes behind the opcode.
    pub(super) fn index(&self, idx: usize) -> u16 {
        match *self.bytes_of(idx) {
            [_, high, low, ..] => u16::from_be_bytes([high, low]),
            _ => 0,
        }
    }

    /// Class, name and descriptor of the member that a field access or a call names.
    pub(super) fn member(&self, idx: usize) -> Option<(&'a [u8], &'a [u8], &'a [u8])> {
        match self.opcode(idx) {
            178..=185 => self.file.constant_pool().try_member_ref(self.index(idx)),
            _ => None,
        }
    }

    /// The number that an instruction puts on the stack, if it is a constant.
    pub(super) fn number(&self, idx: usize) -> Option<Number> {
        let pool = self.file.constant_pool();
        Some(match self.instructions.get(idx)?.pushed(self.bytes, pool)? {
            Constant::Integer(value) => Number::Int(value),
            Constant::Long(value) => Number::Long(value),
            Constant::Float(bits) => Number::Float(f32::from_bits(bits)),
            Constant::Double(bits) => Number::Double(f64::from_bits(bits)),
            _ => return None,
        })
    }

    /// The local that an instruction loads as an `int`.
    pub(super) fn int_loaded(&self, idx: usize) -> Option<u16> {
        self.local(idx, ILOAD, 26)
    }

    /// The local that an instruction stores an `int` to.
    pub(super) fn int_stored(&self, idx: usize) -> Option<u16> {
        self.local(idx, ISTORE, ISTORE_0)
    }

    fn local(&self, idx: usize, with_index: u8, first_short: u8) -> Option<u16> {
        let opcode = self.instructions.get(idx)?.opcode;
        if opcode == with_index {
            return Some(match *self.bytes_of(idx) {
                [WIDE, _, high, low] => u16::from_be_bytes([high, low]),
                [_, local] => u16::from(local),
                _ => return None,
            });
        }
        (first_short..first_short + 4).contains(&opcode).then(|| u16::from(opcode - first_short))
    }
}

//! The instructions that make and use arrays.

use super::super::Hierarchy;
use super::super::machine::{Machine, Outcome};
use super::super::vtype::VType;
use crate::descriptor::FieldType;

/// The element types in the order of `iaload` and `iastore`; `None` stands for references. A
/// `boolean` array is used by `baload` and `bastore` too.
const ELEMENTS: [Option<u8>; 8] =
    [Some(b'I'), Some(b'J'), Some(b'F'), Some(b'D'), None, Some(b'B'), Some(b'C'), Some(b'S')];

/// The array types in the order of `newarray`'s operand, which starts at 4.
const NEW_ARRAYS: [&[u8]; 8] = [b"[Z", b"[C", b"[F", b"[D", b"[B", b"[S", b"[I", b"[J"];

impl<H: Hierarchy> Machine<'_, '_, H> {
    pub(super) fn array_load(&mut self, opcode: u8) -> Outcome<(), H> {
        self.pop(VType::Int)?;
        let element = match ELEMENTS[usize::from(opcode - 0x2e)] {
            Some(tag) => self.pop_array_of(tag)?,
            None => self.pop_array_of_references()?,
        };
        self.push(element)
    }

    pub(super) fn array_store(&mut self, opcode: u8) -> Outcome<(), H> {
        match ELEMENTS[usize::from(opcode - 0x4f)] {
            Some(tag) => {
                self.pop(element_type(tag))?;
                self.pop(VType::Int)?;
                self.pop_array_of(tag)?;
            }
            None => {
                // Whether the element fits the array is found out when it is stored.
                let object = self.object();
                self.pop(object)?;
                self.pop(VType::Int)?;
                self.pop_array_of_references()?;
            }
        }
        Ok(())
    }

    pub(super) fn arraylength(&mut self) -> Outcome<(), H> {
        let array = self.pop_word()?;
        let is_array = match array {
            VType::Null => true,
            VType::Object(id) => self.names.get(id).starts_with(b"["),
            _ => false,
        };
        if !is_array {
            return self.bad_operand();
        }
        self.push(VType::Int)
    }

    pub(super) fn newarray(&mut self) -> Outcome<(), H> {
        self.pop(VType::Int)?;
        let code = usize::from(self.method.u1(self.pc + 1));
        let Some(&name) = code.checked_sub(4).and_then(|idx| NEW_ARRAYS.get(idx)) else {
            return self.fail("Illegal newarray instruction");
        };
        let array = VType::Object(self.names.id(name));
        self.push(array)
    }

    pub(super) fn anewarray(&mut self) -> Outcome<(), H> {
        self.pop(VType::Int)?;
        let element = self.method.pool.class_name(self.method.u2(self.pc + 1));
        let mut name = Vec::with_capacity(element.len() + 3);
        name.push(b'[');
        if element.starts_with(b"[") {
            name.extend_from_slice(element);
        } else {
            name.push(b'L');
            name.extend_from_slice(element);
            name.push(b';');
        }
        let array = VType::Object(self.names.id_of_owned(name));
        self.push(array)
    }

    pub(super) fn multianewarray(&mut self) -> Outcome<(), H> {
        for _ in 0..self.method.u1(self.pc + 3) {
            self.pop(VType::Int)?;
        }
        let array = self.names.id(self.method.pool.class_name(self.method.u2(self.pc + 1)));
        self.push(VType::Object(array))
    }

    /// Pops an array of primitive values, or null; gives the type of its elements.
    fn pop_array_of(&mut self, tag: u8) -> Outcome<VType, H> {
        let fits = match self.pop_word()? {
            VType::Null => true,
            VType::Object(id) => match self.names.get(id) {
                [b'[', element] => *element == tag || (tag == b'B' && *element == b'Z'),
                _ => false,
            },
            _ => false,
        };
        if !fits {
            return self.bad_operand();
        }
        Ok(element_type(tag))
    }

    /// Pops an array of references, or null; gives the type of its elements.
    fn pop_array_of_references(&mut self) -> Outcome<VType, H> {
        let id = match self.pop_word()? {
            VType::Null => return Ok(VType::Null),
            VType::Object(id) => id,
            _ => return self.bad_operand(),
        };
        let element = match FieldType::parse(self.names.get(id)).and_then(FieldType::element) {
            Some(FieldType::Object(name) | FieldType::Array(name)) => name.to_vec(),
            _ => return self.bad_operand(),
        };
        Ok(VType::Object(self.names.id_of_owned(element)))
    }
}

fn element_type(tag: u8) -> VType {
    match tag {
        b'J' => VType::Long,
        b'F' => VType::Float,
        b'D' => VType::Double,
        _ => VType::Int,
    }
}

//! What each instruction does to the current frame (JVMS §4.10.1.9), and where it may go on.
//!
//! The operands have passed [`super::layout`]. Branches are reported, not followed: that is what
//! the two ways of verification differ in.

use super::Hierarchy;
use super::layout::short_form;
use super::machine::{Machine, Outcome};
use super::opcodes::{
    ACONST_NULL, ALOAD, ALOAD_3, ANEWARRAY, ARRAYLENGTH, ASTORE, ASTORE_3, ATHROW, CHECKCAST,
    GETFIELD, GETSTATIC, GOTO, GOTO_W, IFNONNULL, IFNULL, IINC, ILOAD, ILOAD_0, INSTANCEOF,
    INVOKEDYNAMIC, INVOKEINTERFACE, INVOKEVIRTUAL, IRETURN, ISTORE, ISTORE_0, JSR, JSR_W, LDC,
    LDC_W, LDC2_W, LOOKUPSWITCH, MONITORENTER, MONITOREXIT, MULTIANEWARRAY, NEW, NEWARRAY,
    PUTFIELD, PUTSTATIC, RET, RETURN, TABLESWITCH, WIDE,
};
use super::vtype::{OBJECT, THROWABLE, VType};
use crate::constant_pool::Constant;
use crate::descriptor::FieldType;

mod arrays;
mod members;
mod operand_stack;

/// Where execution may go on after an instruction, beside handlers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// Only to the next instruction.
    Next,
    /// To the next instruction or to the target.
    Branch(usize),
    /// Only to the target.
    Goto(usize),
    /// To the targets of the switch at this position.
    Switch,
    /// Into a subroutine.
    Jsr(usize),
    /// Back from a subroutine, by the local variable.
    Ret(u16),
    /// Nowhere: the method is left.
    End,
}

/// The four computational types in the order the instruction set has them.
const ARITHMETIC: [VType; 4] = [VType::Int, VType::Long, VType::Float, VType::Double];

impl<H: Hierarchy> Machine<'_, '_, H> {
    /// Runs the instruction at `self.pc` on the current frame.
    pub(super) fn step(&mut self) -> Outcome<Flow, H> {
        let pc = self.pc;
        let opcode = self.method.u1(pc);
        match opcode {
            0x00 => {}
            ACONST_NULL => self.push(VType::Null)?,
            0x02..=0x08 | 0x10 | 0x11 => self.push(VType::Int)?,
            0x09 | 0x0a => self.push(VType::Long)?,
            0x0b..=0x0d => self.push(VType::Float)?,
            0x0e | 0x0f => self.push(VType::Double)?,
            LDC => self.ldc(u16::from(self.method.u1(pc + 1)))?,
            LDC_W | LDC2_W => self.ldc(self.method.u2(pc + 1))?,
            ILOAD..=ALOAD => self.load(opcode, u16::from(self.method.u1(pc + 1)))?,
            ILOAD_0..=ALOAD_3 => {
                let (opcode, local) = short_form(opcode - ILOAD_0, ILOAD);
                self.load(opcode, local)?;
            }
            0x2e..=0x35 => self.array_load(opcode)?,
            ISTORE..=ASTORE => self.store(opcode, u16::from(self.method.u1(pc + 1)))?,
            ISTORE_0..=ASTORE_3 => {
                let (opcode, local) = short_form(opcode - ISTORE_0, ISTORE);
                self.store(opcode, local)?;
            }
            0x4f..=0x56 => self.array_store(opcode)?,
            0x57..=0x5f => self.operand_stack(opcode)?,
            0x60..=0x83 | 0x85..=0x98 => self.arithmetic(opcode)?,
            IINC => self.check_local(u16::from(self.method.u1(pc + 1)), VType::Int)?,
            0x99..=0xa6 | IFNULL | IFNONNULL => {
                self.condition(opcode)?;
                return Ok(Flow::Branch(self.target(self.method.i2(pc + 1))));
            }
            GOTO => return Ok(Flow::Goto(self.target(self.method.i2(pc + 1)))),
            GOTO_W => return Ok(Flow::Goto(self.target(self.method.i4(pc + 1)))),
            JSR => return Ok(Flow::Jsr(self.target(self.method.i2(pc + 1)))),
            JSR_W => return Ok(Flow::Jsr(self.target(self.method.i4(pc + 1)))),
            RET => return Ok(Flow::Ret(u16::from(self.method.u1(pc + 1)))),
            TABLESWITCH | LOOKUPSWITCH => {
                self.pop(VType::Int)?;
                return Ok(Flow::Switch);
            }
            IRETURN..=RETURN => {
                self.leave(opcode)?;
                return Ok(Flow::End);
            }
            GETSTATIC | PUTSTATIC | GETFIELD | PUTFIELD => self.field(opcode)?,
            INVOKEVIRTUAL..=INVOKEINTERFACE => self.invoke(opcode)?,
            INVOKEDYNAMIC => self.invokedynamic()?,
            NEW => self.new_object()?,
            NEWARRAY => self.newarray()?,
            ANEWARRAY => self.anewarray()?,
            MULTIANEWARRAY => self.multianewarray()?,
            ARRAYLENGTH => self.arraylength()?,
            ATHROW => {
                self.pop(VType::Object(THROWABLE))?;
                return Ok(Flow::End);
            }
            CHECKCAST => {
                self.pop_object()?;
                let class = self.names.id(self.method.pool.class_name(self.method.u2(pc + 1)));
                self.push(VType::Object(class))?;
            }
            INSTANCEOF => {
                self.pop_object()?;
                self.push(VType::Int)?;
            }
            MONITORENTER | MONITOREXIT => {
                self.pop_reference()?;
            }
            WIDE => return self.wide(),
            _ => return self.fail(format!("Bad instruction: {opcode:02x}")),
        }
        Ok(Flow::Next)
    }

    /// The targets of the switch at `self.pc`, the default first.
    pub(super) fn switch_targets(&self) -> Vec<usize> {
        let switch = match self.method.u1(self.pc) {
            TABLESWITCH => super::method::tableswitch(self.method, self.pc),
            _ => super::method::lookupswitch(self.method, self.pc),
        };
        let Ok(switch) = switch else { return Vec::new() };
        let mut targets = vec![switch.default as usize];
        targets.extend(switch.targets(self.method).map(|target| target as usize));
        // Many keys often lead to the same place.
        targets.dedup();
        targets
    }

    fn target(&self, offset: i32) -> usize {
        // The layout has made sure that it is one.
        (self.pc as i64 + i64::from(offset)) as usize
    }

    fn ldc(&mut self, idx: u16) -> Outcome<(), H> {
        let pool = self.method.pool;
        let constant = match pool.get(idx) {
            Some(Constant::Integer(_)) => VType::Int,
            Some(Constant::Float(_)) => VType::Float,
            Some(Constant::Long(_)) => VType::Long,
            Some(Constant::Double(_)) => VType::Double,
            Some(Constant::String { .. }) => VType::Object(self.names.id(b"java/lang/String")),
            Some(Constant::Class { .. }) => VType::Object(self.names.id(b"java/lang/Class")),
            Some(Constant::MethodHandle { .. }) => {
                VType::Object(self.names.id(b"java/lang/invoke/MethodHandle"))
            }
            Some(Constant::MethodType { .. }) => {
                VType::Object(self.names.id(b"java/lang/invoke/MethodType"))
            }
            Some(Constant::Dynamic { name_and_type, .. }) => {
                match FieldType::parse(pool.name_and_type(name_and_type).1) {
                    Some(field_type) => self.names.vtype(field_type),
                    None => return self.fail("Illegal type in constant pool"),
                }
            }
            _ => return self.fail("Illegal type in constant pool"),
        };
        self.push(constant)
    }

    fn load(&mut self, opcode: u8, local: u16) -> Outcome<(), H> {
        if opcode == ALOAD {
            let found = self.frame.local(usize::from(local));
            if !found.is_reference() {
                return self.fail("Bad local variable type");
            }
            return self.push(found);
        }
        let wanted = ARITHMETIC[usize::from(opcode - ILOAD)];
        self.check_local(local, wanted)?;
        self.push(wanted)
    }

    fn store(&mut self, opcode: u8, local: u16) -> Outcome<(), H> {
        let value = if opcode == ASTORE {
            let found = self.pop_word()?;
            if !found.is_reference() && !matches!(found, VType::ReturnAddress(_)) {
                return self.bad_operand();
            }
            found
        } else {
            self.pop(ARITHMETIC[usize::from(opcode - ISTORE)])?
        };
        self.set_local(local, value);
        Ok(())
    }

    fn wide(&mut self) -> Outcome<Flow, H> {
        let opcode = self.method.u1(self.pc + 1);
        let local = self.method.u2(self.pc + 2);
        match opcode {
            ILOAD..=ALOAD => self.load(opcode, local)?,
            ISTORE..=ASTORE => self.store(opcode, local)?,
            IINC => self.check_local(local, VType::Int)?,
            RET => return Ok(Flow::Ret(local)),
            _ => return self.fail("Bad wide instruction"),
        }
        Ok(Flow::Next)
    }

    /// Arithmetic, logic, conversions and comparisons of numbers.
    fn arithmetic(&mut self, opcode: u8) -> Outcome<(), H> {
        let by_four = |first: u8| ARITHMETIC[usize::from(opcode - first) % 4];
        let by_two = |first: u8| ARITHMETIC[usize::from(opcode - first) % 2];
        let (first, second, result) = match opcode {
            // add, sub, mul, div, rem
            0x60..=0x73 => (by_four(0x60), Some(by_four(0x60)), by_four(0x60)),
            // neg
            0x74..=0x77 => (by_four(0x74), None, by_four(0x74)),
            // shl, shr, ushr
            0x78..=0x7d => (by_two(0x78), Some(VType::Int), by_two(0x78)),
            // and, or, xor
            0x7e..=0x83 => (by_two(0x7e), Some(by_two(0x7e)), by_two(0x7e)),
            // i2l to d2f: from each type to the three others in order.
            0x85..=0x90 => {
                let from = usize::from(opcode - 0x85) / 3;
                let nth = usize::from(opcode - 0x85) % 3;
                let to = if nth < from { nth } else { nth + 1 };
                (ARITHMETIC[from], None, ARITHMETIC[to])
            }
            // i2b, i2c, i2s
            0x91..=0x93 => (VType::Int, None, VType::Int),
            0x94 => (VType::Long, Some(VType::Long), VType::Int),
            0x95 | 0x96 => (VType::Float, Some(VType::Float), VType::Int),
            _ => (VType::Double, Some(VType::Double), VType::Int),
        };
        if let Some(second) = second {
            self.pop(second)?;
        }
        self.pop(first)?;
        self.push(result)
    }

    fn condition(&mut self, opcode: u8) -> Outcome<(), H> {
        match opcode {
            0x99..=0x9e => {
                self.pop(VType::Int)?;
            }
            0x9f..=0xa4 => {
                self.pop(VType::Int)?;
                self.pop(VType::Int)?;
            }
            0xa5 | 0xa6 => {
                self.pop_reference()?;
                self.pop_reference()?;
            }
            _ => {
                self.pop_reference()?;
            }
        }
        Ok(())
    }

    fn leave(&mut self, opcode: u8) -> Outcome<(), H> {
        let declared =
            self.method.descriptor.as_ref().and_then(|descriptor| descriptor.return_type());
        if opcode == RETURN {
            if declared.is_some() {
                return self.fail("Method expects a return value");
            }
            if self.frame.this_uninitialized {
                return self.fail("Constructor must call super() or this() before the return");
            }
            return Ok(());
        }
        let Some(declared) = declared else {
            return self.fail("Method does not expect a return value");
        };
        let wanted = self.names.vtype(declared);
        let returned = ARITHMETIC.get(usize::from(opcode - IRETURN)).copied();
        let fits = match returned {
            Some(returned) => returned == wanted,
            None => matches!(wanted, VType::Object(_)),
        };
        if !fits {
            return self.fail("Wrong return type in function");
        }
        self.pop(wanted)?;
        Ok(())
    }

    fn new_object(&mut self) -> Outcome<(), H> {
        let made = VType::Uninitialized(self.pc as u16);
        // An object made here before must not be mistaken for this one (JVMS §4.10.1.9, `new`).
        if self.frame.stack.contains(&made) {
            return self.fail("Uninitialized object of an earlier new on operand stack");
        }
        if self.frame.locals().contains(&made) {
            self.frame.replace(made, VType::Top);
            self.locals_changed = true;
        }
        self.push(made)
    }

    /// `Object`, for the array instructions.
    fn object(&self) -> VType {
        VType::Object(OBJECT)
    }
}

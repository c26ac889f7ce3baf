//! The static constraints (JVMS §4.9.1): where instructions start and whether their operands are
//! legal, all without types.
//!
//! What passes here lets the later stages read operands without asking again: every instruction
//! lies within the code, every branch leads to one, every constant has the kind it must have and
//! every local variable exists.

use super::method::{Fault, Method, lookupswitch, tableswitch};
use super::opcodes::{
    ALOAD, ALOAD_3, ANEWARRAY, ASTORE, ASTORE_3, CHECKCAST, DLOAD, DSTORE, GETSTATIC, GOTO, GOTO_W,
    IFEQ, IFNONNULL, IFNULL, IINC, ILOAD, ILOAD_0, INSTANCEOF, INVOKEDYNAMIC, INVOKEINTERFACE,
    INVOKESPECIAL, INVOKESTATIC, INVOKEVIRTUAL, ISTORE, ISTORE_0, JSR, JSR_W, LDC, LDC_W, LDC2_W,
    LLOAD, LOOKUPSWITCH, LSTORE, MULTIANEWARRAY, NEW, NEWARRAY, PUTFIELD, RET, TABLESWITCH, WIDE,
    fixed_len,
};
use crate::constant_pool::Constant;
use crate::descriptor::{FieldType, MethodDescriptor};

/// Where the instructions of a method start.
pub(super) struct Layout {
    /// One bit for each byte of the code.
    starts: Box<[u64]>,
    code_len: usize,
}

impl Layout {
    /// Whether an instruction starts at `pc`.
    pub(super) fn is_start(&self, pc: usize) -> bool {
        pc < self.code_len && self.starts[pc / 64] >> (pc % 64) & 1 != 0
    }

    /// Where the instruction after the one at `pc` starts, or the end of the code.
    pub(super) fn next(&self, pc: usize) -> usize {
        let mut next = pc + 1;
        while next < self.code_len && !self.is_start(next) {
            next += 1;
        }
        next
    }
}

/// Checks a method's instructions and handlers.
pub(super) fn check(method: &Method<'_>) -> Result<Layout, Fault> {
    let code_len = method.code.len();
    let mut layout = Layout { starts: vec![0; code_len.div_ceil(64)].into(), code_len };
    let mut pc = 0;
    while pc < code_len {
        layout.starts[pc / 64] |= 1 << (pc % 64);
        let len = instruction_len(method, pc)
            .and_then(|len| check_operands(method, pc).map(|()| len))
            .map_err(|message| Fault { message, bci: pc as u16 })?;
        pc += len;
        if code_len < pc {
            return Err(Fault { message: "Bad instruction".to_owned(), bci: (pc - len) as u16 });
        }
    }
    check_targets(method, &layout)?;
    check_handlers(method, &layout)?;
    Ok(layout)
}

fn instruction_len(method: &Method<'_>, pc: usize) -> Result<usize, String> {
    let opcode = method.u1(pc);
    if let Some(len) = fixed_len(opcode) {
        if method.code.len() < pc + len {
            return Err("Bad instruction".to_owned());
        }
        return Ok(len);
    }
    match opcode {
        TABLESWITCH => tableswitch(method, pc).map(|switch| switch.len),
        LOOKUPSWITCH => lookupswitch(method, pc).map(|switch| switch.len),
        WIDE => match method.code.get(pc + 1) {
            Some(&(ILOAD..=ALOAD | ISTORE..=ASTORE | RET)) => Ok(4),
            Some(&IINC) => Ok(6),
            _ => Err("Bad wide instruction".to_owned()),
        },
        _ => Err(format!("Bad instruction: {opcode:02x}")),
    }
}

fn check_operands(method: &Method<'_>, pc: usize) -> Result<(), String> {
    let opcode = method.u1(pc);
    let major = method.class.major();
    match opcode {
        LDC => check_ldc(method, opcode, u16::from(method.u1(pc + 1))),
        LDC_W | LDC2_W => check_ldc(method, opcode, method.u2(pc + 1)),
        ILOAD..=ALOAD | ISTORE..=ASTORE | IINC | RET => {
            if opcode == RET && 51 <= major {
                return Err(format!("Bad instruction: {opcode:02x}"));
            }
            check_local(method, opcode, u16::from(method.u1(pc + 1)))
        }
        ILOAD_0..=ALOAD_3 => {
            let (opcode, local) = short_form(opcode - ILOAD_0, ILOAD);
            check_local(method, opcode, local)
        }
        ISTORE_0..=ASTORE_3 => {
            let (opcode, local) = short_form(opcode - ISTORE_0, ISTORE);
            check_local(method, opcode, local)
        }
        WIDE => {
            if method.u1(pc + 1) == RET && 51 <= major {
                return Err("Bad instruction: a9".to_owned());
            }
            check_local(method, method.u1(pc + 1), method.u2(pc + 2))
        }
        JSR | JSR_W if 51 <= major => Err(format!("Bad instruction: {opcode:02x}")),
        GETSTATIC..=PUTFIELD => match method.pool.get(method.u2(pc + 1)) {
            Some(Constant::FieldRef { .. }) => Ok(()),
            _ => Err(illegal_constant(method.u2(pc + 1))),
        },
        INVOKEVIRTUAL..=INVOKEDYNAMIC => check_invoke(method, pc, opcode),
        NEW | ANEWARRAY | CHECKCAST | INSTANCEOF | MULTIANEWARRAY => {
            check_class(method, pc, opcode)
        }
        NEWARRAY => match method.u1(pc + 1) {
            4..=11 => Ok(()),
            _ => Err("Illegal newarray instruction".to_owned()),
        },
        _ => Ok(()),
    }
}

/// The long form and the local variable of an instruction such as `iload_1`.
pub(super) fn short_form(from_first: u8, first_long: u8) -> (u8, u16) {
    (first_long + from_first / 4, u16::from(from_first % 4))
}

fn check_local(method: &Method<'_>, opcode: u8, local: u16) -> Result<(), String> {
    let n_words = match opcode {
        LLOAD | DLOAD | LSTORE | DSTORE => 2,
        _ => 1,
    };
    if usize::from(method.body.max_locals) < usize::from(local) + n_words {
        return Err("Local variable table overflow".to_owned());
    }
    Ok(())
}

fn illegal_constant(idx: u16) -> String {
    format!("Illegal type at constant pool entry {idx}")
}

fn check_ldc(method: &Method<'_>, opcode: u8, idx: u16) -> Result<(), String> {
    let major = method.class.major();
    let is_wide = opcode == LDC2_W;
    let is_legal = match method.pool.get(idx) {
        Some(Constant::Integer(_) | Constant::Float(_) | Constant::String { .. }) => !is_wide,
        Some(Constant::Long(_) | Constant::Double(_)) => is_wide,
        Some(Constant::Class { .. }) => !is_wide && 49 <= major,
        Some(Constant::MethodHandle { .. } | Constant::MethodType { .. }) => {
            !is_wide && 51 <= major
        }
        Some(Constant::Dynamic { name_and_type, .. }) => {
            let descriptor = method.pool.name_and_type(name_and_type).1;
            FieldType::parse(descriptor).is_some_and(|found| (found.slots() == 2) == is_wide)
        }
        _ => false,
    };
    if is_legal { Ok(()) } else { Err(illegal_constant(idx)) }
}

fn check_invoke(method: &Method<'_>, pc: usize, opcode: u8) -> Result<(), String> {
    let idx = method.u2(pc + 1);
    let major = method.class.major();
    let constant = method.pool.get(idx);
    let is_legal = match opcode {
        INVOKEVIRTUAL => matches!(constant, Some(Constant::MethodRef { .. })),
        INVOKESPECIAL | INVOKESTATIC => match constant {
            Some(Constant::MethodRef { .. }) => true,
            Some(Constant::InterfaceMethodRef { .. }) => 52 <= major,
            _ => false,
        },
        INVOKEINTERFACE => matches!(constant, Some(Constant::InterfaceMethodRef { .. })),
        _ => matches!(constant, Some(Constant::InvokeDynamic { .. })),
    };
    if !is_legal {
        return Err(illegal_constant(idx));
    }
    if opcode == INVOKEDYNAMIC {
        if method.u2(pc + 3) != 0 {
            return Err("Third and fourth operand bytes of invokedynamic must be zero".to_owned());
        }
        return Ok(());
    }
    let (_, name, descriptor) = method.pool.member_ref(idx);
    let is_constructor_call = opcode == INVOKESPECIAL
        && name == b"<init>"
        && matches!(constant, Some(Constant::MethodRef { .. }));
    if name.starts_with(b"<") && !is_constructor_call {
        return Err("Illegal call to internal method".to_owned());
    }
    let receiver = usize::from(opcode != INVOKESTATIC);
    let arg_slots = MethodDescriptor::parse(descriptor).map(|parsed| parsed.arg_slots() + receiver);
    if arg_slots.is_none_or(|arg_slots| 255 < arg_slots) {
        return Err("Too many arguments in method call".to_owned());
    }
    if opcode == INVOKEINTERFACE {
        if arg_slots != Some(usize::from(method.u1(pc + 3))) {
            return Err("Inconsistent args count operand in invokeinterface".to_owned());
        }
        if method.u1(pc + 4) != 0 {
            return Err("Fourth operand byte of invokeinterface must be zero".to_owned());
        }
    }
    Ok(())
}

fn check_class(method: &Method<'_>, pc: usize, opcode: u8) -> Result<(), String> {
    let idx = method.u2(pc + 1);
    let Some(name) = method.pool.try_class_name(idx) else { return Err(illegal_constant(idx)) };
    let n_dimensions = name.iter().take_while(|&&byte| byte == b'[').count();
    match opcode {
        NEW if 0 < n_dimensions => Err("Illegal new instruction".to_owned()),
        ANEWARRAY if 255 <= n_dimensions => Err("Illegal anewarray instruction".to_owned()),
        MULTIANEWARRAY => {
            let wanted = method.u1(pc + 3);
            if wanted == 0 || n_dimensions < usize::from(wanted) {
                return Err(format!("Illegal dimension in multianewarray: {wanted}"));
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn check_targets(method: &Method<'_>, layout: &Layout) -> Result<(), Fault> {
    let mut pc = 0;
    while pc < method.code.len() {
        let at = |offset: i32| pc as i64 + i64::from(offset);
        let is_legal = |target: i64| usize::try_from(target).is_ok_and(|to| layout.is_start(to));
        let all_legal = match method.u1(pc) {
            IFEQ..=GOTO | JSR | IFNULL | IFNONNULL => is_legal(at(method.i2(pc + 1))),
            GOTO_W | JSR_W => is_legal(at(method.i4(pc + 1))),
            opcode @ (TABLESWITCH | LOOKUPSWITCH) => {
                let switch = if opcode == TABLESWITCH {
                    tableswitch(method, pc)
                } else {
                    lookupswitch(method, pc)
                };
                switch.is_ok_and(|switch| {
                    is_legal(switch.default) && switch.targets(method).all(is_legal)
                })
            }
            _ => true,
        };
        if !all_legal {
            let message = "Illegal target of jump or branch".to_owned();
            return Err(Fault { message, bci: pc as u16 });
        }
        pc = layout.next(pc);
    }
    Ok(())
}

fn check_handlers(method: &Method<'_>, layout: &Layout) -> Result<(), Fault> {
    for handler in &method.body.exception_table {
        let end = usize::from(handler.end_pc);
        if !layout.is_start(usize::from(handler.start_pc))
            || !(end == method.code.len() || layout.is_start(end))
        {
            let message = "Illegal exception table range".to_owned();
            return Err(Fault { message, bci: handler.start_pc });
        }
        if !layout.is_start(usize::from(handler.handler_pc)) {
            let message = "Illegal exception table handler".to_owned();
            return Err(Fault { message, bci: handler.handler_pc });
        }
    }
    Ok(())
}

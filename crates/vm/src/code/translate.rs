//! Bytecode to register instructions, one pass over verified code.
//!
//! The operand stack is simulated: an entry is a register that holds the value (its own stack
//! register, a local, or a lower stack register after `dup`) or a constant. Loads and constants
//! emit nothing; the instruction that uses the value names the register. A store that follows the
//! instruction which made the value becomes that instruction's destination. At every branch target
//! the stack is in its own registers again.
//!
//! Invariant: an entry never refers to a stack register above its own, so writing entries back to
//! their own registers always ends.

mod emit;
mod flow;
mod turn;

use classfile::{ClassFile, Constant, ExceptionEntry};

use super::bytecode::{Bytes, call_words, field_words, length, member_descriptor};
use super::{Code, Insn, Op};
use crate::class::{Class, Method, flags};
use crate::value::Kind;
use emit::{Emitter, Entry};

/// Why code could not be translated; verified code never is.
#[derive(Debug)]
pub struct TranslateError(pub String);

/// Translates the code of a method.
pub fn translate(class: &Class, method: &Method) -> Result<Code, TranslateError> {
    translate_from(class.class_file(), class, method)
}

/// Translates the code that a method has in another class file with the same constants.
pub fn translate_from(
    file: &ClassFile,
    class: &Class,
    method: &Method,
) -> Result<Code, TranslateError> {
    let near = translate_with(file, class, method, false)?;
    // Compare-and-branch instructions reach 32,767 units far; huge methods detour over `goto`.
    if near.insns.len() > 32_000 { translate_with(file, class, method, true) } else { Ok(near) }
}

fn translate_with(
    file: &ClassFile,
    class: &Class,
    method: &Method,
    far: bool,
) -> Result<Code, TranslateError> {
    let info = &file.methods()[usize::from(method.slot)];
    let Some(code) = &info.code else {
        return Err(TranslateError("method has no code".into()));
    };
    let bytes = Bytes(file.span(code.code));
    let n_regs = usize::from(code.max_locals) + usize::from(code.max_stack);
    if n_regs > usize::from(u16::MAX) {
        return Err(TranslateError("method needs more than 65,535 registers".into()));
    }
    let depths = flow::stack_depths(file, code, bytes)
        .ok_or_else(|| TranslateError("malformed code".into()))?;
    let mut translator = Translator {
        file,
        bytes,
        class_id: class.id.0,
        synchronized: method.flags & flags::SYNCHRONIZED != 0,
        returns: method.returns,
        handlers: &code.exception_table,
        emitter: Emitter::new(code.max_locals, bytes.0.len(), far),
    };
    let mut at = 0;
    let mut falls_through = false;
    while at < bytes.0.len() {
        let depth = depths.depth[at];
        if depth < 0 {
            // Unreachable: emit nothing.
            translator.emitter.positions[at] = translator.emitter.here();
            at += length(bytes, at).max(1);
            falls_through = false;
            continue;
        }
        if depths.leader[at] || !falls_through {
            translator.emitter.begin_block(depth, falls_through);
        }
        translator.emitter.bci = u16::try_from(at).unwrap_or(u16::MAX);
        translator.emitter.positions[at] = translator.emitter.here();
        let next = at + length(bytes, at);
        let skip = translator.instruction(at, next, &depths)?;
        falls_through = flow::falls_through(bytes, at);
        at = if skip { next + length(bytes, next) } else { next };
        if skip {
            falls_through = true;
        }
    }
    translator.emitter.finish(code)
}

struct Translator<'a> {
    file: &'a ClassFile,
    bytes: Bytes<'a>,
    class_id: u32,
    synchronized: bool,
    returns: Kind,
    handlers: &'a [ExceptionEntry],
    emitter: Emitter,
}

/// `a <- b op c` by opcode offset from `iadd` (0x60), by row then int, long, float, double.
const BINARY: [[Op; 4]; 5] = [
    [Op::iadd, Op::ladd, Op::fadd, Op::dadd],
    [Op::isub, Op::lsub, Op::fsub, Op::dsub],
    [Op::imul, Op::lmul, Op::fmul, Op::dmul],
    [Op::idiv, Op::ldiv, Op::fdiv, Op::ddiv],
    [Op::irem, Op::lrem, Op::frem, Op::drem],
];
const SHIFTS: [Op; 6] = [Op::ishl, Op::lshl, Op::ishr, Op::lshr, Op::iushr, Op::lushr];
const LOGIC: [Op; 6] = [Op::iand, Op::land, Op::ior, Op::lor, Op::ixor, Op::lxor];
const CONVERSIONS: [Op; 15] = [
    Op::i2l,
    Op::i2f,
    Op::i2d,
    Op::l2i,
    Op::l2f,
    Op::l2d,
    Op::f2i,
    Op::f2l,
    Op::f2d,
    Op::d2i,
    Op::d2l,
    Op::d2f,
    Op::i2b,
    Op::i2c,
    Op::i2s,
];
const COMPARES: [Op; 6] =
    [Op::if_icmpeq, Op::if_icmpne, Op::if_icmplt, Op::if_icmpge, Op::if_icmpgt, Op::if_icmple];
const LONG_COMPARES: [Op; 6] =
    [Op::if_lcmpeq, Op::if_lcmpne, Op::if_lcmplt, Op::if_lcmpge, Op::if_lcmpgt, Op::if_lcmple];

#[expect(
    clippy::cast_sign_loss,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "operands are reinterpreted as the instruction set says"
)]
impl Translator<'_> {
    /// Translates one instruction; `Ok(true)` when the following one was folded in.
    fn instruction(
        &mut self,
        at: usize,
        next: usize,
        depths: &flow::Depths,
    ) -> Result<bool, TranslateError> {
        let bytes = self.bytes;
        let op = bytes.u1(at);
        let e = &mut self.emitter;
        match op {
            0 => {}
            1 => e.push_int(0),
            2..=8 => e.push_int(i32::from(op) - 3),
            9 | 10 => e.push_wide(u64::from(op) - 9),
            11..=13 => e.push_int((f32::from(op) - 11.0).to_bits() as i32),
            14 | 15 => e.push_wide((f64::from(op) - 14.0).to_bits()),
            16 => e.push_int(i32::from(bytes.u1(at + 1) as i8)),
            17 => e.push_int(i32::from(bytes.i2(at + 1))),
            18 => self.ldc(u16::from(bytes.u1(at + 1))),
            19 | 20 => self.ldc(bytes.u2(at + 1)),
            21 | 23 | 25 => e.load(u16::from(bytes.u1(at + 1)), 1),
            22 | 24 => e.load(u16::from(bytes.u1(at + 1)), 2),
            26..=45 => {
                let words = 1 + u16::from((op - 26) / 4 % 2 == 1);
                e.load(u16::from((op - 26) % 4), words);
            }
            46..=53 => {
                let (array_op, words) = match op {
                    46 | 48 => (Op::iaload, 1),
                    47 | 49 => (Op::laload, 2),
                    50 => (Op::aaload, 1),
                    51 => (Op::baload, 1),
                    52 => (Op::caload, 1),
                    _ => (Op::saload, 1),
                };
                e.binary(array_op, 1, 1, words);
            }
            54 | 56 | 58 => e.store(u16::from(bytes.u1(at + 1)), 1),
            55 | 57 => e.store(u16::from(bytes.u1(at + 1)), 2),
            59..=78 => {
                let words = 1 + u16::from((op - 59) / 4 % 2 == 1);
                e.store(u16::from((op - 59) % 4), words);
            }
            79..=86 => {
                let (array_op, words) = match op {
                    79 | 81 => (Op::iastore, 1),
                    80 | 82 => (Op::lastore, 2),
                    83 => (Op::aastore, 1),
                    84 => (Op::bastore, 1),
                    _ => (Op::castore, 1),
                };
                let value = e.pop_reg(words);
                let idx = e.pop_reg(1);
                let array = e.pop_reg(1);
                e.emit(Insn::abc(array_op, value, array, idx));
            }
            87 => e.drop(1),
            88 => e.drop(2),
            89 => e.duplicate(1, 0),
            90 => e.duplicate(1, 1),
            91 => e.duplicate(1, 2),
            92 => e.duplicate(2, 0),
            93 => e.duplicate(2, 1),
            94 => e.duplicate(2, 2),
            95 => e.swap(),
            96..=115 => {
                let (row, kind) = (usize::from(op - 96) / 4, usize::from(op - 96) % 4);
                let words = 1 + (kind as u16 & 1);
                self.arithmetic(BINARY[row][kind], words, words);
            }
            116 => e.unary(Op::ineg, 1, 1),
            117 => e.unary(Op::lneg, 2, 2),
            118 => e.unary(Op::fneg, 1, 1),
            119 => e.unary(Op::dneg, 2, 2),
            120..=125 => self.arithmetic(SHIFTS[usize::from(op - 120)], 1 + u16::from(op & 1), 1),
            126..=131 => {
                let words = 1 + u16::from(op & 1);
                self.arithmetic(LOGIC[usize::from(op - 126)], words, words);
            }
            132 => e.increment(u16::from(bytes.u1(at + 1)), i16::from(bytes.u1(at + 2) as i8)),
            133..=147 => {
                let from = if matches!(op, 136..=138 | 142..=144) { 2 } else { 1 };
                let to = if matches!(op, 133 | 135 | 138 | 140 | 141 | 143) { 2 } else { 1 };
                e.unary(CONVERSIONS[usize::from(op - 133)], from, to);
            }
            148 => {
                // `lcmp` with the branch that tests its result.
                let follower = bytes.u1(next);
                if (153..=158).contains(&follower) && !depths.leader[next] && !e.far {
                    let b = e.pop_reg(2);
                    let a = e.pop_reg(2);
                    e.flush();
                    let target = (next as i64 + i64::from(bytes.i2(next + 1))) as usize;
                    e.positions[next] = e.here();
                    e.branch_if16(
                        Insn::abc(LONG_COMPARES[usize::from(follower - 153)], a, b, 0),
                        target,
                    );
                    return Ok(true);
                }
                e.binary(Op::lcmp, 2, 2, 1);
            }
            149 => e.binary(Op::fcmpl, 1, 1, 1),
            150 => e.binary(Op::fcmpg, 1, 1, 1),
            151 => e.binary(Op::dcmpl, 2, 2, 1),
            152 => e.binary(Op::dcmpg, 2, 2, 1),
            153..=158 => {
                let target = (at as i64 + i64::from(bytes.i2(at + 1))) as usize;
                let a = e.pop_reg(1);
                e.flush();
                e.compare_branch(COMPARES[usize::from(op - 153)], a, Entry::Int(0), target);
            }
            159..=164 => {
                let target = (at as i64 + i64::from(bytes.i2(at + 1))) as usize;
                let b = e.pop_small_or_reg();
                let a = e.pop_reg(1);
                e.flush();
                e.compare_branch(COMPARES[usize::from(op - 159)], a, b, target);
            }
            165 | 166 => {
                let target = (at as i64 + i64::from(bytes.i2(at + 1))) as usize;
                let b = e.pop_reg(1);
                let a = e.pop_reg(1);
                e.flush();
                let compare = if op == 165 { Op::if_acmpeq } else { Op::if_acmpne };
                e.compare_branch(compare, a, Entry::Reg(b), target);
            }
            167 => self.goto((at as i64 + i64::from(bytes.i2(at + 1))) as usize, at, depths)?,
            200 => self.goto((at as i64 + i64::from(bytes.i4(at + 1))) as usize, at, depths)?,
            168 | 201 => {
                let distance = if op == 168 {
                    i64::from(bytes.i2(at + 1))
                } else {
                    i64::from(bytes.i4(at + 1))
                };
                e.flush();
                let dst = e.top_slot();
                e.branch32(Insn::a_imm(Op::jsr, dst, 0), (at as i64 + distance) as usize);
            }
            169 => e.emit(Insn::abc(Op::ret, u16::from(bytes.u1(at + 1)), 0, 0)),
            170 | 171 => {
                let key = e.pop_reg(1);
                e.flush();
                e.switch(bytes, at, op == 170, key);
            }
            172..=176 => {
                let words = 1 + u16::from(op == 173 || op == 175);
                let mut value = e.pop_reg(words);
                // JVMS §6.5 ireturn: small results are narrowed.
                let narrow = match self.returns {
                    Kind::Byte => Some(Op::i2b),
                    Kind::Char => Some(Op::i2c),
                    Kind::Short => Some(Op::i2s),
                    _ => None,
                };
                if let Some(narrow) = narrow {
                    let dst = e.top_slot();
                    e.emit(Insn::abc(narrow, dst, value, 0));
                    value = dst;
                }
                let op = if self.synchronized { Op::return_value_locked } else { Op::return_value };
                e.emit(Insn::abc(op, value, 0, 0));
            }
            177 => {
                let op = if self.synchronized { Op::return_void_locked } else { Op::return_void };
                e.emit(Insn::abc(op, 0, 0, 0));
            }
            178 | 179 => {
                let cp = bytes.u2(at + 1);
                let words = field_words(self.file, cp).ok_or_else(malformed)?;
                if op == 178 {
                    e.define(Insn::a_imm(Op::getstatic_u, 0, u32::from(cp)), words);
                } else {
                    let value = e.pop_reg(words);
                    e.emit(Insn::a_imm(Op::putstatic_u, value, u32::from(cp)));
                }
            }
            180 => {
                let cp = bytes.u2(at + 1);
                let words = field_words(self.file, cp).ok_or_else(malformed)?;
                let object = e.pop_reg(1);
                e.define(Insn::abc(Op::getfield_u, 0, object, cp), words);
            }
            181 => {
                let cp = bytes.u2(at + 1);
                let words = field_words(self.file, cp).ok_or_else(malformed)?;
                let value = e.pop_reg(words);
                let object = e.pop_reg(1);
                e.emit(Insn::abc(Op::putfield_u, value, object, cp));
            }
            182..=186 => {
                let cp = bytes.u2(at + 1);
                let (args, result) = call_words(self.file, cp).ok_or_else(malformed)?;
                let (call, receiver) = match op {
                    182 => (Op::invokevirtual_u, 1),
                    183 => (Op::invokespecial_u, 1),
                    184 => (Op::invokestatic_u, 0),
                    185 => (Op::invokeinterface_u, 1),
                    _ => (Op::invokedynamic_u, 0),
                };
                e.call(call, args + receiver, result, cp);
            }
            187 => {
                let cp = bytes.u2(at + 1);
                e.define2(Insn::a_imm(Op::new_u, 0, u32::from(cp)), 0);
            }
            188 => {
                let length = e.pop_reg(1);
                let kind = u64::from(bytes.u1(at + 1));
                e.define2(Insn::abc(Op::newarray, 0, length, 0), kind);
            }
            189 => {
                let length = e.pop_reg(1);
                e.define2(Insn::abc(Op::anewarray_u, 0, length, bytes.u2(at + 1)), 0);
            }
            190 => e.unary(Op::arraylength, 1, 1),
            191 => {
                let exception = e.pop_reg(1);
                e.emit(Insn::abc(Op::athrow, exception, 0, 0));
            }
            192 => {
                let value = e.peek_reg();
                e.emit2(Insn::abc(Op::checkcast_u, value, 0, bytes.u2(at + 1)), 0);
            }
            193 => {
                let value = e.pop_reg(1);
                e.define2(Insn::abc(Op::instanceof_u, 0, value, bytes.u2(at + 1)), 0);
            }
            194 | 195 => {
                let object = e.pop_reg(1);
                let lock = if op == 194 { Op::monitorenter } else { Op::monitorexit };
                e.emit(Insn::abc(lock, object, 0, 0));
            }
            196 => {
                let idx = bytes.u2(at + 2);
                match bytes.u1(at + 1) {
                    21 | 23 | 25 => e.load(idx, 1),
                    22 | 24 => e.load(idx, 2),
                    54 | 56 | 58 => e.store(idx, 1),
                    55 | 57 => e.store(idx, 2),
                    132 => e.increment(idx, bytes.i2(at + 4)),
                    169 => e.emit(Insn::abc(Op::ret, idx, 0, 0)),
                    _ => return Err(malformed()),
                }
            }
            197 => {
                let dimensions = u16::from(bytes.u1(at + 3));
                let first = e.flush_args(dimensions);
                e.drop(dimensions);
                e.define2(
                    Insn::abc(Op::multianewarray_u, 0, first, bytes.u2(at + 1)),
                    u64::from(dimensions) << 32,
                );
            }
            198 | 199 => {
                let target = (at as i64 + i64::from(bytes.i2(at + 1))) as usize;
                let value = e.pop_reg(1);
                e.flush();
                let test = if op == 198 { Op::ifnull } else { Op::ifnonnull };
                e.branch_if32(Insn::a_imm(test, value, 0), target);
            }
            _ => return Err(malformed()),
        }
        Ok(false)
    }

    fn goto(
        &mut self,
        target: usize,
        at: usize,
        depths: &flow::Depths,
    ) -> Result<(), TranslateError> {
        self.emitter.flush();
        let test = turn::test_of_loop(self.bytes, depths, self.handlers, target, at);
        if let Some(test) = test.filter(|_| !self.emitter.far) {
            return self.copy_test(test, depths);
        }
        let op = if target <= at { Op::goto_back } else { Op::goto_ };
        self.emitter.branch32(Insn::a_imm(op, 0, 0), target);
        Ok(())
    }

    /// Copies the test at the top of a loop to its end; see `turn.rs`.
    fn copy_test(&mut self, test: turn::Test, depths: &flow::Depths) -> Result<(), TranslateError> {
        self.emitter.begin_block(0, false);
        // Branches to the test still lead to the original.
        let positions = self.emitter.positions[test.start..test.body].to_vec();
        self.emitter.turn_to = Some(test.body);
        let mut at = test.start;
        while at < test.body {
            self.emitter.bci = u16::try_from(at).unwrap_or(u16::MAX);
            let next = at + length(self.bytes, at);
            let skip = self.instruction(at, next, depths)?;
            at = if skip { next + length(self.bytes, next) } else { next };
        }
        self.emitter.positions[test.start..test.body].copy_from_slice(&positions);
        Ok(())
    }

    fn ldc(&mut self, cp: u16) {
        let e = &mut self.emitter;
        match self.file.constant_pool().get(cp) {
            Some(Constant::Integer(value)) => e.push_int(value),
            Some(Constant::Float(bits)) => e.push_int(bits as i32),
            Some(Constant::Long(value)) => e.push_wide(value as u64),
            Some(Constant::Double(bits)) => e.push_wide(bits),
            Some(Constant::Dynamic { .. }) => {
                let wide = matches!(member_descriptor(self.file, cp), Some([b'J' | b'D', ..]));
                e.define_words(
                    Insn::abc(Op::ldc_u, 0, cp, 0),
                    Some(u64::from(self.class_id)),
                    1 + u16::from(wide),
                );
            }
            _ => e.define_words(Insn::abc(Op::ldc_u, 0, cp, 0), Some(u64::from(self.class_id)), 1),
        }
    }

    /// `a <- b op c`, with a small constant `c` folded in where there is such an instruction.
    fn arithmetic(&mut self, op: Op, words: u16, right_words: u16) {
        let e = &mut self.emitter;
        if let Some(constant) = e.small_constant_on_top(right_words) {
            let folded = match op {
                Op::iadd => Some((Op::iadd_imm, constant)),
                Op::isub if constant != i16::MIN => Some((Op::iadd_imm, -constant)),
                Op::imul => Some((Op::imul_imm, constant)),
                Op::idiv if constant != 0 && constant != -1 => Some((Op::idiv_imm, constant)),
                Op::irem if constant != 0 && constant != -1 => Some((Op::irem_imm, constant)),
                Op::iand => Some((Op::iand_imm, constant)),
                Op::ior => Some((Op::ior_imm, constant)),
                Op::ixor => Some((Op::ixor_imm, constant)),
                Op::ishl => Some((Op::ishl_imm, constant & 31)),
                Op::ishr => Some((Op::ishr_imm, constant & 31)),
                Op::iushr => Some((Op::iushr_imm, constant & 31)),
                Op::ladd => Some((Op::ladd_imm, constant)),
                Op::lsub if constant != i16::MIN => Some((Op::ladd_imm, -constant)),
                Op::land => Some((Op::land_imm, constant)),
                Op::lshl => Some((Op::lshl_imm, constant & 63)),
                Op::lshr => Some((Op::lshr_imm, constant & 63)),
                Op::lushr => Some((Op::lushr_imm, constant & 63)),
                _ => None,
            };
            if let Some((folded, constant)) = folded {
                e.drop(right_words);
                let b = e.pop_reg(words);
                e.define(Insn::abc(folded, 0, b, constant as u16), words);
                return;
            }
        }
        e.binary(op, words, right_words, words);
    }
}

fn malformed() -> TranslateError {
    TranslateError("malformed code".into())
}

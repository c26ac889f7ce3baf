//! The simulated operand stack and the instruction list under construction.

use crate::code::bytecode::Bytes;
use crate::code::{Code, Handler, Insn, Op, Switch};

use super::TranslateError;

/// Where the value of one stack word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    /// In a register.
    Reg(u16),
    /// A 32-bit constant.
    Int(i32),
    /// A 64-bit constant.
    Wide(u64),
    /// The second word of a long or double: no value.
    Top,
}

pub(super) struct Emitter {
    insns: Vec<Insn>,
    bci_map: Vec<(u32, u16)>,
    switches: Vec<Switch>,
    stack: Vec<Entry>,
    /// Position of the first instruction at or behind each bytecode index.
    pub(super) positions: Vec<u32>,
    /// Branches to patch: instruction position, target bytecode index, operand width.
    fixups: Vec<Fixup>,
    /// The instruction just emitted and the stack register it defines.
    last_def: Option<(usize, u16)>,
    /// Bytecode index being translated.
    pub(super) bci: u16,
    max_locals: u16,
    /// Whether short branches detour over `goto`.
    pub(super) far: bool,
    /// The next conditional branch is the last of a copied test: it goes here where it would not be
    /// taken, and on over a `goto` where it would; see `turn.rs`.
    pub(super) turn_to: Option<usize>,
}

enum Fixup {
    Short { at: usize, target: usize },
    Long { at: usize, target: usize },
    Switch { at: usize, table: usize, targets: Vec<usize>, default: usize },
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "positions and registers are bounded by the class file's 16-bit sizes"
)]
impl Emitter {
    pub(super) fn new(max_locals: u16, code_len: usize, far: bool) -> Emitter {
        Emitter {
            insns: Vec::with_capacity(code_len / 2 + 4),
            bci_map: Vec::new(),
            switches: Vec::new(),
            stack: Vec::new(),
            positions: vec![0; code_len + 1],
            fixups: Vec::new(),
            last_def: None,
            bci: 0,
            max_locals,
            far,
            turn_to: None,
        }
    }

    pub(super) fn here(&self) -> u32 {
        self.insns.len() as u32
    }

    /// Starts a block in which the stack is in its own registers.
    pub(super) fn begin_block(&mut self, depth: i32, falls_in: bool) {
        if falls_in {
            self.flush();
        }
        self.stack.clear();
        for position in 0..depth as usize {
            let own = self.slot(position);
            self.stack.push(Entry::Reg(own));
        }
        self.last_def = None;
    }

    fn slot(&self, position: usize) -> u16 {
        self.max_locals + position as u16
    }

    /// The register of the next word to be pushed.
    pub(super) fn top_slot(&self) -> u16 {
        self.slot(self.stack.len())
    }

    // ---- raw emission -----------------------------------------------------------------------

    pub(super) fn emit(&mut self, insn: Insn) {
        if self.bci_map.last().is_none_or(|&(_, bci)| bci != self.bci) {
            self.bci_map.push((self.here(), self.bci));
        }
        self.insns.push(insn);
        self.last_def = None;
    }

    /// An instruction with one data unit.
    pub(super) fn emit2(&mut self, insn: Insn, data: u64) {
        self.emit(insn);
        self.insns.push(Insn::raw(data));
    }

    // ---- entries ----------------------------------------------------------------------------

    /// Writes back every entry that refers to a register about to be overwritten.
    fn before_write(&mut self, register: u16) {
        for position in 0..self.stack.len() {
            if self.stack[position] == Entry::Reg(register) && self.slot(position) != register {
                self.write_back(position);
            }
        }
    }

    /// Puts the entry at a position into its own register.
    fn write_back(&mut self, position: usize) {
        let own = self.slot(position);
        match self.stack[position] {
            Entry::Reg(register) if register == own => return,
            Entry::Top => return,
            _ => {}
        }
        self.before_write(own);
        match self.stack[position] {
            Entry::Reg(register) => self.emit(Insn::abc(Op::mov, own, register, 0)),
            Entry::Int(value) => self.emit(Insn::a_imm(Op::const32, own, value as u32)),
            Entry::Wide(value) => self.emit2(Insn::abc(Op::const64, own, 0, 0), value),
            Entry::Top => {}
        }
        self.stack[position] = Entry::Reg(own);
    }

    /// Puts the whole stack into its own registers.
    pub(super) fn flush(&mut self) {
        for position in 0..self.stack.len() {
            self.write_back(position);
        }
    }

    /// Puts the topmost words into their own registers; gives the first of these.
    pub(super) fn flush_args(&mut self, words: u16) -> u16 {
        let first = self.stack.len() - usize::from(words);
        for position in first..self.stack.len() {
            self.write_back(position);
        }
        self.slot(first)
    }

    pub(super) fn push_int(&mut self, value: i32) {
        self.stack.push(Entry::Int(value));
    }

    pub(super) fn push_wide(&mut self, value: u64) {
        self.stack.push(Entry::Wide(value));
        self.stack.push(Entry::Top);
    }

    pub(super) fn load(&mut self, local: u16, words: u16) {
        self.stack.push(Entry::Reg(local));
        if words == 2 {
            self.stack.push(Entry::Top);
        }
    }

    pub(super) fn drop(&mut self, words: u16) {
        self.stack.truncate(self.stack.len() - usize::from(words));
    }

    /// Pops a value of one or two words into some register.
    pub(super) fn pop_reg(&mut self, words: u16) -> u16 {
        let position = self.stack.len() - usize::from(words);
        let register = self.reg_at(position);
        self.stack.truncate(position);
        register
    }

    /// The register of the topmost word, which stays.
    pub(super) fn peek_reg(&mut self) -> u16 {
        let position = self.stack.len() - 1;
        self.reg_at(position)
    }

    fn reg_at(&mut self, position: usize) -> u16 {
        if let Entry::Reg(register) = self.stack[position] {
            return register;
        }
        self.write_back(position);
        self.slot(position)
    }

    /// Pops a word: a constant that fits 16 bits, or a register.
    pub(super) fn pop_small_or_reg(&mut self) -> Entry {
        if let Some(constant) = self.small_constant_on_top(1) {
            self.stack.pop();
            return Entry::Int(i32::from(constant));
        }
        Entry::Reg(self.pop_reg(1))
    }

    /// The constant on top, if it is one that fits 16 bits.
    pub(super) fn small_constant_on_top(&self, words: u16) -> Option<i16> {
        match self.stack[self.stack.len() - usize::from(words)] {
            Entry::Int(value) => i16::try_from(value).ok(),
            Entry::Wide(value) => i16::try_from(value as i64).ok(),
            _ => None,
        }
    }

    // ---- definitions ------------------------------------------------------------------------

    /// Emits an instruction whose destination `a` becomes the pushed value.
    pub(super) fn define(&mut self, insn: Insn, words: u16) {
        self.define_words(insn, None, words);
    }

    /// As `define`, one word, with a data unit.
    pub(super) fn define2(&mut self, insn: Insn, data: u64) {
        self.define_words(insn, Some(data), 1);
    }

    pub(super) fn define_words(&mut self, insn: Insn, data: Option<u64>, words: u16) {
        if words == 0 {
            return;
        }
        let dst = self.top_slot();
        self.before_write(dst);
        let at = self.insns.len();
        self.emit(Insn { a: dst, ..insn });
        if let Some(data) = data {
            self.insns.push(Insn::raw(data));
        }
        self.stack.push(Entry::Reg(dst));
        if words == 2 {
            self.stack.push(Entry::Top);
        }
        self.last_def = Some((at, dst));
    }

    pub(super) fn unary(&mut self, op: Op, from: u16, to: u16) {
        let b = self.pop_reg(from);
        self.define(Insn::abc(op, 0, b, b), to);
    }

    pub(super) fn binary(&mut self, op: Op, left: u16, right: u16, result: u16) {
        let c = self.pop_reg(right);
        let b = self.pop_reg(left);
        self.define(Insn::abc(op, 0, b, c), result);
    }

    pub(super) fn store(&mut self, local: u16, words: u16) {
        let position = self.stack.len() - usize::from(words);
        let value = self.stack[position];
        let in_use = self.stack[..position].contains(&Entry::Reg(local));
        if let (Some((at, dst)), false) = (self.last_def, in_use)
            && value == Entry::Reg(dst)
            && dst == self.slot(position)
        {
            self.insns[at].a = local;
            self.stack.truncate(position);
            self.last_def = None;
            return;
        }
        self.stack.truncate(position);
        if value == Entry::Reg(local) {
            return;
        }
        self.before_write(local);
        match value {
            Entry::Reg(register) => self.emit(Insn::abc(Op::mov, local, register, 0)),
            Entry::Int(value) => self.emit(Insn::a_imm(Op::const32, local, value as u32)),
            Entry::Wide(value) => self.emit2(Insn::abc(Op::const64, local, 0, 0), value),
            Entry::Top => {}
        }
    }

    pub(super) fn increment(&mut self, local: u16, by: i16) {
        self.before_write(local);
        self.emit(Insn::abc(Op::iadd_imm, local, local, by as u16));
    }

    /// `dup` forms: the topmost `words` words again below the next `under` words.
    pub(super) fn duplicate(&mut self, words: usize, under: usize) {
        let len = self.stack.len();
        let first = len - words - under;
        if under == 0 {
            self.stack.extend_from_within(first..);
            return;
        }
        let movable = |e: &Entry| !matches!(e, Entry::Reg(r) if *r >= self.max_locals);
        if self.stack[first..].iter().all(movable) {
            let top: Vec<Entry> = self.stack[len - words..].to_vec();
            self.stack.splice(first..first, top);
            return;
        }
        self.flush_args((words + under) as u16);
        // Shift all up by `words`, topmost first, then copy the new top down.
        for idx in (first..len).rev() {
            self.shift(idx, idx + words);
        }
        for idx in 0..words {
            self.shift(len + idx, first + idx);
        }
        let tops: Vec<bool> = self.stack[first..].iter().map(|e| *e == Entry::Top).collect();
        self.stack.truncate(first);
        let n = words + under;
        for idx in 0..n + words {
            let from = if idx < words { under + idx } else { idx - words };
            let own = self.slot(first + idx);
            self.stack.push(if tops[from] { Entry::Top } else { Entry::Reg(own) });
        }
    }

    fn shift(&mut self, from: usize, to: usize) {
        let (from, to) = (self.slot(from), self.slot(to));
        self.before_write(to);
        self.emit(Insn::abc(Op::mov, to, from, 0));
    }

    pub(super) fn swap(&mut self) {
        let len = self.stack.len();
        let movable = |e: &Entry| !matches!(e, Entry::Reg(r) if *r >= self.max_locals);
        if self.stack[len - 2..].iter().all(movable) {
            self.stack.swap(len - 2, len - 1);
            return;
        }
        self.flush_args(2);
        self.shift(len - 1, len);
        self.shift(len - 2, len - 1);
        self.shift(len, len - 2);
    }

    // ---- calls and branches -----------------------------------------------------------------

    pub(super) fn call(&mut self, op: Op, args: u16, result: u16, cp: u16) {
        let first = self.flush_args(args);
        self.drop(args);
        // The callee's registers begin at the first argument: nothing may live there any more.
        for position in 0..self.stack.len() {
            if matches!(self.stack[position], Entry::Reg(r) if r >= first) {
                self.write_back(position);
            }
        }
        self.emit(Insn::abc(op, first, cp, args));
        self.insns.push(Insn::raw(0));
        self.insns.push(Insn::raw(0));
        if result > 0 {
            self.stack.push(Entry::Reg(first));
        }
        if result == 2 {
            self.stack.push(Entry::Top);
        }
    }

    /// A branch whose 16-bit operand `c` is the distance.
    pub(super) fn branch16(&mut self, insn: Insn, target: usize) {
        self.fixups.push(Fixup::Short { at: self.insns.len(), target });
        self.emit(insn);
    }

    /// A branch whose 32-bit operand is the distance.
    pub(super) fn branch32(&mut self, insn: Insn, target: usize) {
        self.fixups.push(Fixup::Long { at: self.insns.len(), target });
        self.emit(insn);
    }

    /// A conditional branch whose 16-bit operand `c` is the distance.
    pub(super) fn branch_if16(&mut self, insn: Insn, target: usize) {
        match self.turn_to.take() {
            None => self.branch16(insn, target),
            Some(body) => {
                self.branch16(Insn { op: inverse(op_of(insn)) as u16, ..insn }, body);
                self.branch32(Insn::a_imm(Op::goto_, 0, 0), target);
            }
        }
    }

    /// A conditional branch whose 32-bit operand is the distance.
    pub(super) fn branch_if32(&mut self, insn: Insn, target: usize) {
        match self.turn_to.take() {
            None => self.branch32(insn, target),
            Some(body) => {
                self.branch32(Insn { op: inverse(op_of(insn)) as u16, ..insn }, body);
                self.branch32(Insn::a_imm(Op::goto_, 0, 0), target);
            }
        }
    }

    /// Compares register `a` with a register or a small constant.
    pub(super) fn compare_branch(&mut self, op: Op, a: u16, b: Entry, target: usize) {
        let (op, b) = match b {
            Entry::Int(value) => (immediate(op), value as u16),
            Entry::Reg(register) => (op, register),
            _ => unreachable!("internal: a compare takes a register or a constant"),
        };
        if self.far {
            self.emit(Insn::abc(inverse(op), a, b, 2));
            let backward = target <= usize::from(self.bci);
            let goto = if backward { Op::goto_back } else { Op::goto_ };
            self.branch32(Insn::a_imm(goto, 0, 0), target);
        } else {
            self.branch_if16(Insn::abc(op, a, b, 0), target);
        }
    }

    pub(super) fn switch(&mut self, bytes: Bytes<'_>, at: usize, is_table: bool, key: u16) {
        let base = (at + 4) & !3;
        let to = |distance: i32| (at as i64 + i64::from(distance)) as usize;
        let default = to(bytes.i4(base));
        let mut targets = Vec::new();
        let table = self.switches.len();
        if is_table {
            let (low, high) = (bytes.i4(base + 4), bytes.i4(base + 8));
            let n = (i64::from(high) - i64::from(low) + 1).max(0) as usize;
            targets.extend((0..n).map(|i| to(bytes.i4(base + 12 + 4 * i))));
            self.switches.push(Switch::Table { low, targets: Box::new([]), default: 0 });
        } else {
            let n = bytes.i4(base + 4).max(0) as usize;
            let keys = (0..n).map(|i| bytes.i4(base + 8 + 8 * i)).collect();
            targets.extend((0..n).map(|i| to(bytes.i4(base + 12 + 8 * i))));
            self.switches.push(Switch::Lookup { keys, targets: Box::new([]), default: 0 });
        }
        let op = if is_table { Op::tableswitch } else { Op::lookupswitch };
        self.fixups.push(Fixup::Switch { at: self.insns.len(), table, targets, default });
        self.emit(Insn::a_imm(op, key, table as u32));
    }

    pub(super) fn finish(mut self, code: &classfile::Code) -> Result<Code, TranslateError> {
        let end = self.here();
        let n = self.positions.len() - 1;
        self.positions[n] = end;
        // Control never falls off verified code, but a stub keeps a mistake from running wild.
        self.insns.push(Insn::abc(Op::abstract_method, 0, 0, 0));
        for fixup in std::mem::take(&mut self.fixups) {
            let distance = |at: usize, target: usize| i64::from(self.positions[target]) - at as i64;
            match fixup {
                Fixup::Short { at, target } => {
                    let distance = distance(at, target);
                    self.insns[at].c = i16::try_from(distance).unwrap_or(0) as u16;
                }
                Fixup::Long { at, target } => {
                    let distance = distance(at, target) as u32;
                    self.insns[at].b = distance as u16;
                    self.insns[at].c = (distance >> 16) as u16;
                }
                Fixup::Switch { at, table, targets, default } => {
                    let new_targets = targets.iter().map(|&t| distance(at, t) as i32).collect();
                    let new_default = distance(at, default) as i32;
                    match &mut self.switches[table] {
                        Switch::Table { targets, default, .. }
                        | Switch::Lookup { targets, default, .. } => {
                            *targets = new_targets;
                            *default = new_default;
                        }
                    }
                }
            }
        }
        let handlers = code
            .exception_table
            .iter()
            .map(|e| Handler {
                start: self.positions[usize::from(e.start_pc)],
                end: self.positions[usize::from(e.end_pc).min(n)],
                target: self.positions[usize::from(e.handler_pc)],
                catch_type: e.catch_type,
                register: self.max_locals,
            })
            .collect();
        Ok(Code {
            insns: self.insns.into_iter().map(std::cell::UnsafeCell::new).collect(),
            handlers,
            bci_map: self.bci_map.into(),
            switches: self.switches.into(),
        })
    }
}

fn op_of(insn: Insn) -> Op {
    Op::ALL[usize::from(insn.op)]
}

fn immediate(op: Op) -> Op {
    match op {
        Op::if_icmpeq => Op::if_icmpeq_imm,
        Op::if_icmpne => Op::if_icmpne_imm,
        Op::if_icmplt => Op::if_icmplt_imm,
        Op::if_icmpge => Op::if_icmpge_imm,
        Op::if_icmpgt => Op::if_icmpgt_imm,
        Op::if_icmple => Op::if_icmple_imm,
        other => other,
    }
}

fn inverse(op: Op) -> Op {
    match op {
        Op::if_icmpeq => Op::if_icmpne,
        Op::if_icmpne => Op::if_icmpeq,
        Op::if_icmplt => Op::if_icmpge,
        Op::if_icmpge => Op::if_icmplt,
        Op::if_icmpgt => Op::if_icmple,
        Op::if_icmple => Op::if_icmpgt,
        Op::if_icmpeq_imm => Op::if_icmpne_imm,
        Op::if_icmpne_imm => Op::if_icmpeq_imm,
        Op::if_icmplt_imm => Op::if_icmpge_imm,
        Op::if_icmpge_imm => Op::if_icmplt_imm,
        Op::if_icmpgt_imm => Op::if_icmple_imm,
        Op::if_icmple_imm => Op::if_icmpgt_imm,
        Op::if_acmpeq => Op::if_acmpne,
        Op::if_acmpne => Op::if_acmpeq,
        Op::if_lcmpeq => Op::if_lcmpne,
        Op::if_lcmpne => Op::if_lcmpeq,
        Op::if_lcmplt => Op::if_lcmpge,
        Op::if_lcmpge => Op::if_lcmplt,
        Op::if_lcmpgt => Op::if_lcmple,
        Op::if_lcmple => Op::if_lcmpgt,
        Op::ifnull => Op::ifnonnull,
        Op::ifnonnull => Op::ifnull,
        other => other,
    }
}

//! The instructions of a method's body one by one, with where each may go on (JVMS §6.5). For those who
//! look at code without running it: coverage, mutants.

use crate::constant_pool::{Constant, ConstantPool};

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Where it starts, its bytecode index.
    pub pc: u16,
    /// The opcode; of `wide` the one behind it.
    pub opcode: u8,
    /// Where the next one starts.
    pub next: u16,
    /// Where it goes on if not at the next one.
    pub flow: Flow,
}

impl Instruction {
    /// The instruction with its operands, of the code it is in.
    pub fn bytes<'c>(&self, code: &'c [u8]) -> &'c [u8] {
        code.get(usize::from(self.pc)..usize::from(self.next)).unwrap_or_default()
    }

    /// The constant that it puts on the stack, if that is all it does.
    pub fn pushed(&self, code: &[u8], pool: &ConstantPool) -> Option<Constant> {
        let small = |from: u8| self.opcode - from;
        Some(match (self.opcode, self.bytes(code)) {
            (2..=8, _) => Constant::Integer(i32::from(self.opcode) - 3),
            (9..=10, _) => Constant::Long(i64::from(small(9))),
            (11..=13, _) => Constant::Float(f32::from(small(11)).to_bits()),
            (14..=15, _) => Constant::Double(f64::from(small(14)).to_bits()),
            (16, &[_, value]) => Constant::Integer(i32::from(i8::from_be_bytes([value]))),
            (17, &[_, high, low]) => Constant::Integer(i32::from(i16::from_be_bytes([high, low]))),
            (18, &[_, idx]) => pool.get(u16::from(idx))?,
            (19..=20, &[_, high, low]) => pool.get(u16::from_be_bytes([high, low]))?,
            _ => return None,
        })
    }

    /// The values for which a switch has cases, in order.
    pub fn cases(&self, code: &[u8]) -> Box<[i32]> {
        let Flow::Switch(targets) = &self.flow else { return Box::default() };
        let base = (usize::from(self.pc) + 4) & !3;
        let word = |at: usize| code.get(at..).and_then(<[u8]>::first_chunk).copied();
        let value = |at: usize| i32::from_be_bytes(word(at).unwrap_or_default());
        let n_cases = targets.len() - 1;
        if self.opcode == 170 {
            (value(base + 4)..=i32::MAX).take(n_cases).collect()
        } else {
            (0..n_cases).map(|idx| value(base + 8 + 8 * idx)).collect()
        }
    }

    /// Class, name and descriptor of the method that it calls by name.
    pub fn called<'p>(
        &self,
        code: &[u8],
        pool: &'p ConstantPool,
    ) -> Option<(&'p [u8], &'p [u8], &'p [u8])> {
        match (self.opcode, self.bytes(code)) {
            (182..=185, &[_, high, low, ..]) => {
                pool.try_member_ref(u16::from_be_bytes([high, low]))
            }
            _ => None,
        }
    }
}

/// Where an instruction goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flow {
    /// At the next one.
    Next,
    /// At the next one or at this target.
    Branch(u16),
    /// At this target (`goto`, `jsr`).
    Jump(u16),
    /// At one of these targets: the cases in order, then the default.
    Switch(Box<[u16]>),
    /// Nowhere in this method, or where only running it tells (`ret`).
    End,
}

/// The instructions of a body, in order. Code that is no code ends the iteration.
pub fn iter(code: &[u8]) -> Instructions<'_> {
    Instructions { code, at: 0 }
}

/// See [`iter`].
#[derive(Clone, Debug)]
pub struct Instructions<'c> {
    code: &'c [u8],
    at: usize,
}

impl Iterator for Instructions<'_> {
    type Item = Instruction;

    fn next(&mut self) -> Option<Instruction> {
        let decoded = self.decode()?;
        self.at = usize::from(decoded.next);
        Some(decoded)
    }
}

impl Instructions<'_> {
    fn decode(&self) -> Option<Instruction> {
        let at = self.at;
        let opcode = *self.code.get(at)?;
        let mut shown = opcode;
        let mut flow = Flow::Next;
        let length = match opcode {
            // bipush, ldc, loads and stores with an index, newarray
            16 | 18 | 21..=25 | 54..=58 | 188 => 2,
            // sipush, ldc_w, iinc, members, new, anewarray, checkcast, instanceof
            17 | 19 | 20 | 132 | 178..=184 | 187 | 189 | 192 | 193 => 3,
            // if…, ifnull, ifnonnull
            153..=166 | 198 | 199 => {
                flow = Flow::Branch(self.target(i32::from(self.i2(at + 1)?))?);
                3
            }
            // goto, jsr and their wide forms
            167 | 168 => {
                flow = Flow::Jump(self.target(i32::from(self.i2(at + 1)?))?);
                3
            }
            200 | 201 => {
                flow = Flow::Jump(self.target(self.i4(at + 1)?)?);
                5
            }
            // ret, returns, athrow
            169 => {
                flow = Flow::End;
                2
            }
            172..=177 | 191 => {
                flow = Flow::End;
                1
            }
            170 | 171 => {
                let (targets, length) = self.switch(opcode == 170)?;
                flow = Flow::Switch(targets);
                length
            }
            // multianewarray; invokeinterface, invokedynamic
            197 => 4,
            185 | 186 => 5,
            196 => {
                shown = *self.code.get(at + 1)?;
                if shown == 169 {
                    flow = Flow::End;
                }
                if shown == 132 { 6 } else { 4 }
            }
            0..=195 => 1,
            _ => return None,
        };
        let next =
            u16::try_from(at + length).ok().filter(|&next| usize::from(next) <= self.code.len())?;
        Some(Instruction { pc: u16::try_from(at).ok()?, opcode: shown, next, flow })
    }

    fn switch(&self, is_table: bool) -> Option<(Box<[u16]>, usize)> {
        let base = (self.at + 4) & !3;
        let default = self.target(self.i4(base)?)?;
        let (first, step, count) = if is_table {
            let (low, high) = (i64::from(self.i4(base + 4)?), i64::from(self.i4(base + 8)?));
            (base + 12, 4, usize::try_from(high - low + 1).ok()?)
        } else {
            (base + 12, 8, usize::try_from(self.i4(base + 4)?).ok()?)
        };
        if count > self.code.len() {
            return None;
        }
        let case = |idx: usize| self.target(self.i4(first + step * idx)?);
        let mut targets = (0..count).map(case).collect::<Option<Vec<u16>>>()?;
        targets.push(default);
        let end = if is_table { base + 12 + 4 * count } else { base + 8 + 8 * count };
        Some((targets.into(), end - self.at))
    }

    fn target(&self, distance: i32) -> Option<u16> {
        let target = i32::try_from(self.at).ok()?.checked_add(distance)?;
        u16::try_from(target).ok().filter(|&target| usize::from(target) < self.code.len())
    }

    fn i2(&self, at: usize) -> Option<i16> {
        let bytes = self.code.get(at..at + 2)?;
        Some(i16::from_be_bytes([bytes[0], bytes[1]]))
    }

    fn i4(&self, at: usize) -> Option<i32> {
        let bytes = self.code.get(at..at + 4)?;
        Some(i32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_and_switches_tell_their_targets() {
        // 0: iload_0; 1: ifeq 24; 4: iload_0; 5: lookupswitch {7: 24, default: 0}; 24: wide iload; 28: return
        let code = [
            26, 153, 0, 23, 26, 171, 0, 0, 255, 255, 255, 251, 0, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0, 19,
            196, 21, 0, 0, 177,
        ];
        let found: Vec<Instruction> = iter(&code).collect();
        let pcs: Vec<u16> = found.iter().map(|instruction| instruction.pc).collect();
        assert_eq!(pcs, [0, 1, 4, 5, 24, 28]);
        assert_eq!(found[1].flow, Flow::Branch(24));
        assert_eq!(found[3].flow, Flow::Switch([24, 0].into()));
        assert_eq!(*found[3].cases(&code), [7]);
        assert_eq!((found[4].opcode, found[4].next), (21, 28));
        assert_eq!(found[5].flow, Flow::End);
    }

    #[test]
    fn the_cases_of_a_table_are_counted_from_its_lowest() {
        let code = [
            170, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
            0, 0,
        ];
        let switch = iter(&code).next().expect("a switch");
        assert_eq!(*switch.cases(&code), [-1, 0, 1]);
    }

    #[test]
    fn instructions_tell_which_number_they_push() {
        // iconst_m1; lconst_1; fconst_2; dconst_0; bipush -7; sipush 300; nop
        let code = [2, 10, 13, 14, 16, 249, 17, 1, 44, 0];
        let pool = ConstantPool::new(Vec::new().into(), Box::default());
        let pushed: Vec<Option<Constant>> =
            iter(&code).map(|instruction| instruction.pushed(&code, &pool)).collect();
        let expected = [
            Some(Constant::Integer(-1)),
            Some(Constant::Long(1)),
            Some(Constant::Float(2f32.to_bits())),
            Some(Constant::Double(0)),
            Some(Constant::Integer(-7)),
            Some(Constant::Integer(300)),
            None,
        ];
        assert_eq!(pushed, expected);
    }

    #[test]
    fn broken_code_ends_the_iteration() {
        assert_eq!(iter(&[167, 0]).count(), 0);
        assert_eq!(iter(&[0, 255]).count(), 1);
        assert_eq!(
            iter(&[170, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0x7f, 255, 255, 255]).count(),
            0
        );
        assert_eq!(iter(&[153, 1, 0]).count(), 0);
    }
}

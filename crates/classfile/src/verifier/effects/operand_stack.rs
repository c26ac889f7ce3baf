//! The instructions that move words of the operand stack: `pop` to `swap`.
//!
//! A `long` or `double` is two words and must not be torn apart.

use super::super::Hierarchy;
use super::super::machine::{Machine, Outcome};
use super::super::vtype::VType;

impl<H: Hierarchy> Machine<'_, '_, H> {
    pub(super) fn operand_stack(&mut self, opcode: u8) -> Outcome<(), H> {
        match opcode {
            // pop, pop2
            0x57 => self.pop_single().map(drop),
            0x58 => self.pop_pair().map(drop),
            // dup, dup_x1, dup_x2
            0x59 => {
                let a = self.pop_single()?;
                self.push_words(&[a, a])
            }
            0x5a => {
                let a = self.pop_single()?;
                let b = self.pop_single()?;
                self.push_words(&[a, b, a])
            }
            0x5b => {
                let a = self.pop_single()?;
                let [c, b] = self.pop_pair()?;
                self.push_words(&[a, c, b, a])
            }
            // dup2, dup2_x1, dup2_x2
            0x5c => {
                let [b, a] = self.pop_pair()?;
                self.push_words(&[b, a, b, a])
            }
            0x5d => {
                let [b, a] = self.pop_pair()?;
                let c = self.pop_single()?;
                self.push_words(&[b, a, c, b, a])
            }
            0x5e => {
                let [b, a] = self.pop_pair()?;
                let [d, c] = self.pop_pair()?;
                self.push_words(&[b, a, d, c, b, a])
            }
            // swap
            _ => {
                let a = self.pop_single()?;
                let b = self.pop_single()?;
                self.push_words(&[a, b])
            }
        }
    }

    /// A value of one word.
    fn pop_single(&mut self) -> Outcome<VType, H> {
        let word = self.pop_word()?;
        if word.is_high() {
            return self.bad_operand();
        }
        Ok(word)
    }

    /// Two values of one word, or one of two, deeper word first.
    fn pop_pair(&mut self) -> Outcome<[VType; 2], H> {
        let upper = self.pop_word()?;
        let lower = self.pop_word()?;
        // Below a second word there is always its first.
        if !upper.is_high() && lower.is_high() {
            return self.bad_operand();
        }
        Ok([lower, upper])
    }

    fn push_words(&mut self, words: &[VType]) -> Outcome<(), H> {
        words.iter().try_for_each(|&word| self.push_word(word))
    }
}

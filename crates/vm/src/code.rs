//! Code as the interpreter runs it: fixed-width register instructions made from bytecode on the
//! first call of a method (`translate.rs`), rewritten in place as sites resolve.
//!
//! A frame is one run of 64-bit registers: the JVM's locals, then its operand stack, numbered in
//! words as in the class file, so that the arguments of a call are already the first registers of
//! the callee. Loads, stores and constants are folded into the instructions that use them.

pub(crate) mod bytecode;
pub mod effects;
#[macro_use]
mod insn;
mod translate;

pub use insn::{Insn, Op};
pub use translate::{TranslateError, translate, translate_from};

/// One row of a method's exception table, in instruction positions.
#[derive(Debug, Clone, Copy)]
pub struct Handler {
    /// First protected instruction.
    pub start: u32,
    /// First instruction behind the protected ones.
    pub end: u32,
    /// Where the handler begins.
    pub target: u32,
    /// Constant-pool index of the caught class; zero catches everything.
    pub catch_type: u16,
    /// Register that receives the exception.
    pub register: u16,
}

/// Cases of one `tableswitch` or `lookupswitch`; targets are relative to the switch instruction.
#[derive(Debug, Clone)]
pub enum Switch {
    /// Dense: `targets[key - low]`.
    Table {
        /// Smallest key.
        low: i32,
        /// Targets by key.
        targets: Box<[i32]>,
        /// Target of all other keys.
        default: i32,
    },
    /// Sparse: keys sorted.
    Lookup {
        /// Keys, ascending.
        keys: Box<[i32]>,
        /// Targets by position of the key.
        targets: Box<[i32]>,
        /// Target of all other keys.
        default: i32,
    },
}

/// The executable form of one method, owned by one machine.
#[derive(Debug)]
pub struct Code {
    /// The instructions. They are rewritten through raw pointers while the machine runs.
    pub insns: Box<[std::cell::UnsafeCell<Insn>]>,
    /// Exception table in search order.
    pub handlers: Box<[Handler]>,
    /// `(instruction position, bytecode index)`, ascending in the first.
    pub bci_map: Box<[(u32, u16)]>,
    /// Switch tables that instructions refer to by index.
    pub switches: Box<[Switch]>,
}

impl Code {
    /// Address of the first instruction.
    pub fn entry(&self) -> *const Insn {
        self.insns.as_ptr().cast()
    }

    /// Bytecode index of the instruction at (or covering) a position.
    pub fn bci_at(&self, position: u32) -> u16 {
        match self.bci_map.binary_search_by_key(&position, |&(p, _)| p) {
            Ok(idx) => self.bci_map[idx].1,
            Err(0) => 0,
            Err(idx) => self.bci_map[idx - 1].1,
        }
    }
}

//! Time travel: marks and rollback over everything that Java code can change.
//!
//! Words in the heap are undone by the trail (`heap/trail.rs`). What lives beside the heap (class
//! tables, interned strings, thread lists, quickened instructions) is undone by the lengths and
//! the undo list kept here. Facts carry the number of open marks at which they were established;
//! an instruction quickened on the ground of such a fact is restored when the fact is undone.

use crate::code::Insn;
use crate::files::FileTable;
use crate::value::{ClassId, LoaderId};
use crate::symbol::Symbol;

/// Something beside the heap that a rollback takes back.
#[derive(Debug)]
pub enum Undo {
    /// An instruction was rewritten on the ground of a fact established at this depth.
    Quickened {
        /// The instruction.
        at: *mut Insn,
        /// Its old content.
        old: Insn,
        /// Depth of the fact.
        depth: u32,
    },
    /// A loader became an initiating loader of a class.
    Recorded(LoaderId, Symbol),
    /// A component class got its array class.
    ArrayClass(ClassId),
    /// A class was initialised.
    Initialised(ClassId),
    /// The table of open files was changed; see `Vm::restore_files`.
    Files {
        /// The table before.
        table: FileTable,
        /// Serial of the mark that it was kept for before.
        kept_for: u32,
    },
    /// A string was interned (by its hash; see `string`).
    Interned(u64),
}

/// One open mark.
#[derive(Debug)]
pub struct MarkState {
    /// Allocation limits and lengths at the time of the mark.
    pub top: usize,
    /// See `top`.
    pub perm_top: usize,
    /// Length of the trail.
    pub n_entries: usize,
    /// Serial of the mark in the trail.
    pub serial: u32,
    /// Length of the undo list.
    pub n_undo: usize,
    /// Number of classes.
    pub n_classes: usize,
    /// Number of methods.
    pub n_methods: usize,
    /// Number of loaders.
    pub n_loaders: usize,
}

/// All open marks, oldest first.
#[derive(Debug, Default)]
pub struct Marks {
    /// The marks.
    pub open: Vec<MarkState>,
    /// What to take back, oldest first.
    pub undo: Vec<Undo>,
}

impl Marks {
    /// Number of open marks.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "nobody opens four billion marks")]
    pub fn depth(&self) -> u32 {
        self.open.len() as u32
    }

    /// Remembers something to take back, if any mark is open.
    #[inline]
    pub fn remember(&mut self, undo: Undo) {
        if !self.open.is_empty() {
            self.undo.push(undo);
        }
    }
}

//! Time travel: marks and rollback over everything that Java code can change.
//!
//! Words in the heap are undone by the trail (`heap/trail.rs`). What lives beside the heap (class
//! tables, interned strings, thread lists, quickened instructions) is undone by the lengths and
//! the undo list kept here. Facts carry the number of open marks at which they were established;
//! an instruction quickened on the ground of such a fact is restored when the fact is undone.
//!
//! Invariant: marks are opened and closed only from outside, while the running thread has no frame.
//! Other threads may stand anywhere; whoever is about to change one calls [`Vm::save_thread`] first.
//! Literals are not rolled back: instructions may hold on to them.
#![expect(unsafe_code, reason = "instructions and frames are reached through raw pointers")]

pub(crate) mod numbers;
mod saved_thread;

use crate::code::Insn;
use crate::constraints::Constraint;
use crate::files::FileTable;
use crate::frame::Frame;
use crate::heap::trail::HeapMark;
use crate::module::Exports;
use crate::redefine::Replaced;
use crate::substitute::Substitute;
use crate::symbol::Symbol;
use crate::value::{ClassId, LoaderId, Ref};
use crate::vm::Vm;
use crate::zlib::streams::Stream;
use saved_thread::Scalars;

pub use numbers::{Numbering, StillThere};
pub use saved_thread::SavedThread;

/// An open mark, as its owner holds it.
#[derive(Debug)]
#[must_use = "a mark that is dropped stays open until an older one is closed"]
pub struct Mark {
    depth: u32,
    ticket: u64,
}

/// Small state beside the heap that Java code can change; a mark saves it whole.
#[derive(Debug, Clone, Copy, Default)]
pub struct World {
    /// Head of the list of references that the collector found, linked by `Reference.discovered`.
    /// A root of the collector.
    pub pending: Ref,
    /// Java agents: an `Object[]` of an `InstrumentationImpl` and the path of its jar each; see `instrument`.
    /// A root of the collector.
    pub agents: Ref,
    /// Jars behind the boot loader's own classes: an `Object[]` of strings. A root of the collector.
    pub boot_path: Ref,
    /// State of the machine's own random numbers.
    pub random: u64,
    /// Arrivals at locks and queues so far.
    pub arrivals: u64,
    /// Identity hashes given out so far.
    pub hashes: u64,
    /// Green threads made so far, the first not counted.
    pub threads: u32,
    /// Turns of the scheduler so far.
    pub turns: u64,
    /// Turns in a row that threads gave up of their own will, whoever had them.
    pub idle_turns: u64,
    /// Signals that the program handles, a bit for each number.
    pub caught: u64,
    /// Signals that it ignores.
    pub ignored: u64,
}

/// Something beside the heap that a rollback takes back.
#[derive(Debug)]
pub enum Undo {
    /// An instruction was rewritten on the ground of a fact established at this depth.
    Quickened {
        /// The instruction.
        at: *mut Insn,
        /// Its old content.
        old: Insn,
        /// Depth of the fact, or at which the instruction's own class was made if that is more.
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
        /// The mark that it was kept for before.
        kept_for: u64,
    },
    /// A compression stream was made, used or dropped; see `Vm::restore_stream`.
    Stream {
        /// Where it is.
        position: usize,
        /// The stream before.
        stream: Option<Box<Stream>>,
        /// The mark that it was kept for before.
        kept_for: u64,
    },
    /// A string outside the literal region was interned (by its hash; see `string`).
    Interned(u64),
    /// A thread, as it was.
    Thread(Box<SavedThread>),
    /// A loader's module was defined; see `Vm::undefine_module`.
    ModuleDefined(LoaderId),
    /// A module reads one module more.
    Reads(u32),
    /// A module's package was exported: to whom it was before.
    Exported(u32, Symbol, Option<Exports>),
    /// What loaders must agree on changed for a name: what it was; see `constraints`.
    Constrained(Symbol, Vec<Constraint>),
    /// A method got another body; see `substitute`.
    Substituted(Substitute),
    /// The code of a class was replaced; see `redefine`.
    Redefined(Box<Replaced>),
}

/// One open mark.
#[derive(Debug)]
pub struct MarkState {
    ticket: u64,
    heap: HeapMark,
    n_undo: usize,
    n_classes: usize,
    n_methods: usize,
    n_loaders: usize,
    n_threads: usize,
    current: usize,
    /// The running thread's own state beside its (empty) stack.
    thread: Scalars,
    world: World,
    virtual_nanos: i64,
    is_stopped: bool,
}

/// All open marks, oldest first.
#[derive(Debug, Default)]
pub struct Marks {
    open: Vec<MarkState>,
    undo: Vec<Undo>,
    tickets: u64,
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

    /// What is to be taken back, oldest first.
    pub fn undo(&self) -> &[Undo] {
        &self.undo
    }

    /// Identifies the youngest mark; zero where none is open.
    #[inline]
    pub fn youngest(&self) -> u64 {
        self.open.last().map_or(0, |mark| mark.ticket)
    }

    fn position(&self, mark: &Mark) -> usize {
        let idx = mark.depth as usize;
        let found = self.open.get(idx).map(|state| state.ticket);
        assert!(found == Some(mark.ticket), "internal: the mark was closed before");
        idx
    }
}

impl Vm {
    /// Opens a mark in constant time.
    pub fn mark(&mut self) -> Mark {
        self.assert_outside();
        self.marks.tickets += 1;
        let ticket = self.marks.tickets;
        let depth = self.marks.depth();
        let state = MarkState {
            ticket,
            heap: self.heap.open_mark(self.marks.open.iter_mut().map(|mark| &mut mark.heap)),
            n_undo: self.marks.undo.len(),
            n_classes: self.classes.len(),
            n_methods: self.methods.len(),
            n_loaders: self.loaders.len(),
            n_threads: self.threads.len(),
            current: self.current,
            thread: self.threads[self.current].scalars(),
            world: self.world,
            virtual_nanos: self.virtual_nanos,
            is_stopped: self.stop.is_some(),
        };
        self.marks.open.push(state);
        Mark { depth, ticket }
    }

    /// Makes everything what it was when the mark was opened, in time proportional to what was
    /// written since. Closes the mark and all younger ones.
    pub fn rollback(&mut self, mark: Mark) {
        let idx = self.undo_to(&mark);
        let closed = self.marks.open[idx].heap;
        self.marks.open.truncate(idx);
        self.heap.close_undone(&closed, self.marks.open.last().map(|mark| &mark.heap));
    }

    /// As `rollback`, but the mark stays open and can be rolled back to again.
    #[inline]
    pub fn rollback_to(&mut self, mark: &Mark) {
        let idx = self.undo_to(mark);
        self.marks.open.truncate(idx + 1);
    }

    /// Closes the mark and all younger ones and keeps what was done; an outer mark takes it back.
    pub fn commit(&mut self, mark: Mark) {
        self.assert_outside();
        let idx = self.marks.position(&mark);
        let mut closed = self.marks.open.drain(idx..);
        let Some(state) = closed.next() else { return };
        drop(closed);
        self.lower_facts(&state);
        let youngest = self.marks.open.last().map(|mark| &mark.heap);
        if self.heap.close_kept(&state.heap, youngest) {
            self.gc.collect_all_next();
        }
    }

    /// Where objects that were there at the mark are not what they were: bytes from the start of the
    /// heap. An object that was changed back counts as what it was.
    pub fn changes_since(&self, mark: &Mark) -> impl Iterator<Item = usize> {
        self.heap.changes_since(&self.marks.open[self.marks.position(mark)].heap)
    }

    /// Whether classes or threads were made or random numbers drawn since the mark.
    pub fn has_grown_since(&self, mark: &Mark) -> bool {
        let state = &self.marks.open[self.marks.position(mark)];
        self.world.random != state.world.random
            || self.world.threads != state.world.threads
            || self.classes.len() != state.n_classes
    }

    /// Whether identity hashes were given out since the mark.
    pub fn has_hashed_since(&self, mark: &Mark) -> bool {
        self.world.hashes != self.marks.open[self.marks.position(mark)].world.hashes
    }

    /// Saves a thread other than the running one before it is changed, once per mark.
    pub fn save_thread(&mut self, thread: usize) {
        let youngest = self.marks.youngest();
        if self.threads[thread].saved_for != youngest && youngest != 0 {
            let saved = SavedThread::of(&self.threads[thread], thread);
            self.threads[thread].saved_for = youngest;
            self.marks.undo.push(Undo::Thread(Box::new(saved)));
        }
    }

    #[inline]
    fn undo_to(&mut self, mark: &Mark) -> usize {
        let idx = self.marks.position(mark);
        let state = &self.marks.open[idx];
        self.heap.undo_to(&state.heap);
        self.world = state.world;
        self.virtual_nanos = state.virtual_nanos;
        self.resumed = None;
        self.definitions.forget_transforms();
        if self.stop.is_some() && !state.is_stopped {
            self.stop = None;
        }
        if self.marks.undo.len() > state.n_undo
            || self.classes.len() > state.n_classes
            || self.loaders.len() > state.n_loaders
            || self.threads.len() > state.n_threads
        {
            self.undo_tables(idx);
        }
        let state = &self.marks.open[idx];
        let (current, scalars) = (state.current, state.thread);
        let thread = &mut self.threads[current];
        thread.restore(scalars);
        thread.hooks.clear();
        thread.frame = thread.frames.start().wrapping_sub(1);
        self.threads_changed();
        self.enter_thread(current);
        idx
    }

    #[cold]
    #[inline(never)]
    fn undo_tables(&mut self, idx: usize) {
        let state = &self.marks.open[idx];
        let (n_undo, n_classes, n_methods) = (state.n_undo, state.n_classes, state.n_methods);
        let (n_loaders, n_threads) = (state.n_loaders, state.n_threads);
        let mut kept = Vec::new();
        while self.marks.undo.len() > n_undo {
            let Some(undo) = self.marks.undo.pop() else { break };
            if let Some(outer) = self.take_back(undo, idx) {
                kept.push(outer);
            }
        }
        self.marks.undo.extend(kept.into_iter().rev());
        if self.classes.len() > n_classes || self.methods.len() > n_methods {
            self.taken_back.add(StillThere { n_classes, n_methods });
        }
        self.classes.truncate(n_classes);
        self.methods.truncate(n_methods);
        self.loaders.truncate(n_loaders);
        self.threads.truncate(n_threads);
        self.gc.classes_dropped(n_classes);
    }

    /// Takes one thing back; gives it back where only an outer mark may do so.
    #[expect(clippy::cast_possible_truncation, reason = "nobody opens four billion marks")]
    fn take_back(&mut self, undo: Undo, idx: usize) -> Option<Undo> {
        match undo {
            Undo::Quickened { at, old, depth } => {
                if depth <= idx as u32 {
                    return Some(undo);
                }
                // SAFETY: code is freed only with its class, and the entry's depth is at least the
                // one at which that class was made, so the code is still there.
                unsafe { at.write(old) }
            }
            Undo::Recorded(loader, name) => {
                self.loaders[loader.idx()].classes.remove(&name);
            }
            Undo::ArrayClass(class) => self.classes[class.idx()].array_class = None,
            Undo::Initialised(class) => self.classes[class.idx()].initialised_at = None,
            Undo::Files { table, kept_for } => self.restore_files(table, kept_for),
            Undo::Stream { position, stream, kept_for } => {
                self.restore_stream(position, stream, kept_for)
            }
            Undo::Interned(hash) => self.forget_interned(hash),
            Undo::ModuleDefined(loader) => self.undefine_module(loader),
            Undo::Reads(module) => self.forget_reads(module),
            Undo::Exported(module, package, old) => self.restore_exports(module, package, old),
            Undo::Constrained(name, old) => self.restore_constraints(name, old),
            Undo::Substituted(substitute) => self.exchange(substitute),
            Undo::Redefined(replaced) => self.take_back_redefinition(*replaced),
            Undo::Thread(saved) => {
                let thread = saved.thread;
                saved.restore(&mut self.threads[thread]);
            }
        }
        None
    }

    /// Takes back the youngest interned string with this hash; literals stay.
    fn forget_interned(&mut self, hash: u64) {
        self.strings.movable.pop();
        let Some(strings) = self.strings.by_hash.get_mut(&hash) else { return };
        if let Some(idx) = strings.iter().rposition(|&string| !self.heap.is_fixed(string)) {
            strings.remove(idx);
        }
        if strings.is_empty() {
            self.strings.by_hash.remove(&hash);
        }
    }

    /// Facts established under a mark that is closed now belong to the next outer one.
    fn lower_facts(&mut self, state: &MarkState) {
        let depth = self.marks.depth();
        for class in &mut self.classes[state.n_classes..] {
            class.made_at = class.made_at.min(depth);
            class.initialised_at = class.initialised_at.map(|at| at.min(depth));
        }
        for undo in &mut self.marks.undo[state.n_undo..] {
            match undo {
                Undo::Quickened { depth: at, .. } => *at = depth.min(*at),
                Undo::Initialised(class) => {
                    let class = &mut self.classes[class.idx()];
                    class.initialised_at = class.initialised_at.map(|at| at.min(depth));
                }
                _ => {}
            }
        }
        if depth == 0 {
            self.marks.undo.clear();
        }
    }

    pub(crate) fn assert_outside(&self) {
        let first: *mut Frame = self.threads[self.current].frames.start();
        assert!(self.frame < first, "internal: only from outside of Java code");
    }
}

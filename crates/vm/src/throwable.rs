//! Exceptions that the machine throws, and stack traces.
//!
//! The machine makes exceptions without running their constructors: it writes the fields as
//! `Throwable`'s constructors would leave them. A backtrace is a `long[]` with method and bytecode
//! index of each frame, made readable only when somebody asks.

use classfile::mutf8;

use crate::class::flags;
use crate::frame::{Stop, Trap};
use crate::heap::{ELEMENTS_OFFSET, LENGTH_OFFSET};
use crate::value::{ClassId, Kind, MethodId, Ref};
use crate::vm::Vm;

/// Most frames that a stack trace shows.
const MOST_FRAMES: usize = 1024;
/// Bit of a backtrace's first word: the frame that threw is hidden, so the word is of another one.
pub(crate) const TOP_HIDDEN: u64 = 1 << 31;

/// One line of a stack trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BacktraceRow {
    /// The method that ran; its class is `Method::class`.
    pub method: MethodId,
    /// Where it was.
    pub bci: u16,
    /// Source file, as the class file names it.
    pub file: Option<String>,
    /// Source line; -1 where unknown, -2 for native methods.
    pub line: i32,
}

impl Vm {
    /// A new exception of a boot class, ready to throw: fields as the constructor leaves them, stack
    /// trace filled in. For `return Err(vm.throw("java/lang/IllegalArgumentException", "…"))`.
    pub fn throw(&mut self, class: &str, message: &str) -> Trap {
        self.throw_with_cause(class, Some(message), Ref::NULL)
    }

    /// As `throw` without a message (`getMessage()` is null).
    pub fn throw_plain(&mut self, class: &str) -> Trap {
        self.throw_with_cause(class, None, Ref::NULL)
    }

    /// As `throw` with a cause; null for none.
    pub fn throw_with_cause(&mut self, class: &str, message: Option<&str>, cause: Ref) -> Trap {
        if self.known.throwable_backtrace == 0 {
            let message = message.unwrap_or_default();
            return Trap::Stop(Box::new(Stop::Unsupported(format!(
                "{class} before boot: {message}"
            ))));
        }
        let made =
            self.boot_class(class).and_then(|class| self.new_throwable(class, message, cause));
        made.map_or_else(|trap| trap, Trap::Throw)
    }

    /// A new throwable of a class, with message and cause (null: none). Its constructor does not run.
    pub fn new_throwable(
        &mut self,
        class: ClassId,
        message: Option<&str>,
        cause: Ref,
    ) -> Result<Ref, Trap> {
        // Errors about a full heap must find room themselves.
        self.heap.open_reserve();
        let made = self.make_throwable(class, message, cause);
        self.heap.close_reserve();
        made
    }

    fn make_throwable(
        &mut self,
        class: ClassId,
        message: Option<&str>,
        cause: Ref,
    ) -> Result<Ref, Trap> {
        let size = self.class(class).instance_size as usize;
        let Some(throwable) = self.heap.allocate(class.0, size) else {
            return Err(Trap::Stop(Box::new(Stop::OutOfMemory)));
        };
        let message = match message {
            Some(text) => self.new_string(text)?,
            None => Ref::NULL,
        };
        let known = &self.known;
        let statics = self.mirror(known.throwable);
        let unassigned = self.heap.load_ref(statics, known.throwable_unassigned_stack);
        let sentinel = self.heap.load_ref(statics, known.throwable_suppressed_sentinel);
        // A throwable that is its own cause has none yet.
        let cause = cause.some().unwrap_or(throwable);
        self.heap.store_ref(throwable, known.throwable_detail_message, message);
        self.heap.store_ref(throwable, known.throwable_cause, cause);
        self.heap.store_ref(throwable, known.throwable_stack_trace, unassigned);
        self.heap.store_ref(throwable, known.throwable_suppressed, sentinel);
        if class == known.null_pointer_exception {
            // "Stack trace filled in once": the helpful message may be computed from it.
            self.heap.store_u32(throwable, known.npe_message_state, 1);
        }
        self.fill_in_stack_trace(throwable)?;
        Ok(throwable)
    }

    /// `Throwable.fillInStackTrace`: a compact backtrace (method and bytecode index per frame, a
    /// `long[]`) in `backtrace`; depth in `depth`.
    #[expect(clippy::cast_possible_truncation, reason = "bounded by MOST_FRAMES")]
    pub fn fill_in_stack_trace(&mut self, throwable: Ref) -> Result<(), Trap> {
        let words = self.trace_words(self.class_of(throwable));
        let class = self.known.arrays[Kind::Long as usize];
        let size = ELEMENTS_OFFSET as usize + words.len() * 8;
        // Without room there is no trace, as in HotSpot.
        let Some(backtrace) = self.heap.allocate(class.0, size) else { return Ok(()) };
        self.heap.store_u32(backtrace, LENGTH_OFFSET, words.len() as u32);
        for (idx, &word) in words.iter().enumerate() {
            self.heap.store_u64(backtrace, ELEMENTS_OFFSET + idx as u32 * 8, word);
        }
        self.heap.store_ref(throwable, self.known.throwable_backtrace, backtrace);
        self.heap.store_u32(throwable, self.known.throwable_depth, words.len() as u32);
        Ok(())
    }

    /// The lines of a throwable's stack trace, youngest first; none where it has no backtrace.
    pub fn backtrace_rows(&self, throwable: Ref) -> Vec<BacktraceRow> {
        let backtrace = self.heap.load_ref(throwable, self.known.throwable_backtrace);
        self.rows_of_backtrace(backtrace)
    }

    /// The lines of a backtrace as `fill_in_stack_trace` left it.
    pub fn rows_of_backtrace(&self, backtrace: Ref) -> Vec<BacktraceRow> {
        let Some(backtrace) = backtrace.some() else { return Vec::new() };
        if self.class_of(backtrace) != self.known.arrays[Kind::Long as usize] {
            return Vec::new();
        }
        let word = |idx: u32| self.heap.load_u64(backtrace, ELEMENTS_OFFSET + idx * 8);
        (0..self.heap.array_length(backtrace)).map(|idx| self.backtrace_row(word(idx))).collect()
    }

    /// File and line of a place in a method.
    pub fn source_place(&self, method: MethodId, bci: u16) -> BacktraceRow {
        let rt = self.method(method);
        let class = self.class(rt.class);
        let file = class.file().and_then(|file| file.source_file()).map(mutf8::display);
        let line = if rt.flags & flags::NATIVE != 0 {
            -2
        } else {
            let code = class.file().and_then(|file| {
                let code = file.methods().get(usize::from(rt.slot))?.code.as_ref()?;
                code.line_at(file, bci)
            });
            code.map_or(-1, i32::from)
        };
        BacktraceRow { method, bci, file, line }
    }

    #[expect(clippy::cast_possible_truncation, reason = "unpacks what `trace_words` packed")]
    fn backtrace_row(&self, word: u64) -> BacktraceRow {
        self.source_place(MethodId((word >> 32) as u32), word as u16)
    }

    /// The frames of the running thread, without those that only make the exception.
    fn trace_words(&self, class: ClassId) -> Vec<u64> {
        let mut words = Vec::new();
        if self.threads.is_empty() {
            return words;
        }
        let mut is_filling = true;
        let mut is_constructing = true;
        let mut is_top_hidden = false;
        for activation in self.walk() {
            let method = self.method(activation.method);
            if is_filling && method.name.as_bytes() == b"fillInStackTrace" {
                continue;
            }
            is_filling = false;
            if is_constructing && method.is_constructor() && self.is_subtype(class, method.class) {
                continue;
            }
            is_constructing = false;
            if method.hidden {
                is_top_hidden |= words.is_empty();
                continue;
            }
            let mark = if is_top_hidden && words.is_empty() { TOP_HIDDEN } else { 0 };
            words.push(u64::from(activation.method.0) << 32 | mark | u64::from(activation.bci));
            if words.len() == MOST_FRAMES {
                break;
            }
        }
        words
    }
}

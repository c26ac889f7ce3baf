//! Which instruction pushed each word of the operand stack, at every instruction of a method.

use classfile::{ClassFile, Code};

use crate::code::bytecode::{Bytes, effect, length};

/// Source of a stack word: the instruction that pushed it, or unknown where paths disagree.
type Source = Option<u16>;

/// The stack before an instruction, and the locals written on the way (the first 64).
#[derive(Clone, PartialEq)]
struct State {
    stack: Vec<Source>,
    written: u64,
}

/// The states before all reachable instructions.
pub(super) struct Flow {
    states: Vec<Option<State>>,
}

impl Flow {
    /// Follows all paths through a method. Code that makes no sense ends them.
    pub(super) fn of(file: &ClassFile, code: &Code, bytes: Bytes<'_>) -> Flow {
        let mut flow = Flow { states: vec![None; bytes.0.len()] };
        let mut pending: Vec<usize> = Vec::new();
        flow.join(&mut pending, 0, &State { stack: Vec::new(), written: 0 });
        while let Some(at) = pending.pop() {
            let Some(before) = flow.states[at].clone() else { continue };
            for handler in &code.exception_table {
                if (usize::from(handler.start_pc)..usize::from(handler.end_pc)).contains(&at) {
                    let caught = State { stack: vec![None], written: before.written };
                    flow.join(&mut pending, usize::from(handler.handler_pc), &caught);
                }
            }
            let Some(after) = step(file, bytes, at, before) else { continue };
            for target in targets(bytes, at) {
                flow.join(&mut pending, target, &after);
            }
        }
        flow
    }

    /// The instruction that pushed a word of the stack before `at`, counted from the top.
    pub(super) fn source(&self, at: usize, from_top: usize) -> Option<usize> {
        let stack = &self.states.get(at)?.as_ref()?.stack;
        let idx = stack.len().checked_sub(from_top + 1)?;
        stack[idx].map(usize::from)
    }

    /// Whether a local variable may have been written before `at`.
    pub(super) fn was_written(&self, at: usize, slot: u16) -> bool {
        let state = self.states.get(at).and_then(Option::as_ref);
        slot >= 64 || state.is_none_or(|state| state.written >> slot & 1 != 0)
    }

    fn join(&mut self, pending: &mut Vec<usize>, at: usize, new: &State) {
        let Some(known) = self.states.get_mut(at) else { return };
        let Some(old) = known else {
            *known = Some(new.clone());
            pending.push(at);
            return;
        };
        if old.stack.len() != new.stack.len() {
            return;
        }
        let before = old.clone();
        old.written |= new.written;
        for (old, new) in old.stack.iter_mut().zip(&new.stack) {
            if old != new {
                *old = None;
            }
        }
        if *old != before {
            pending.push(at);
        }
    }
}

/// The state behind an instruction; `None` for malformed code.
fn step(file: &ClassFile, bytes: Bytes<'_>, at: usize, mut state: State) -> Option<State> {
    let here = u16::try_from(at).ok()?;
    let stack = &mut state.stack;
    let len = stack.len();
    // Copies the `n_copied` top words below the `n_skipped` words under them.
    let copy = |stack: &mut Vec<Source>, n_copied: usize, n_skipped: usize| {
        let first = stack.len().checked_sub(n_copied)?;
        let copied = stack[first..].to_vec();
        let place = first.checked_sub(n_skipped)?;
        stack.splice(place..place, copied);
        Some(())
    };
    match bytes.u1(at) {
        89 => copy(stack, 1, 0)?,
        90 => copy(stack, 1, 1)?,
        91 => copy(stack, 1, 2)?,
        92 => copy(stack, 2, 0)?,
        93 => copy(stack, 2, 1)?,
        94 => copy(stack, 2, 2)?,
        95 if len >= 2 => stack.swap(len - 1, len - 2),
        // checkcast: the value is what it was.
        192 => {}
        _ => {
            let (popped, pushed) = effect(file, bytes, at)?;
            stack.truncate(len.checked_sub(usize::from(popped))?);
            stack.extend(std::iter::repeat_n(Some(here), usize::from(pushed)));
        }
    }
    for slot in written_locals(bytes, at) {
        if slot < 64 {
            state.written |= 1 << slot;
        }
    }
    Some(state)
}

fn written_locals(bytes: Bytes<'_>, at: usize) -> std::ops::Range<u16> {
    let op = bytes.u1(at);
    let (slot, words) = match op {
        54 | 56 | 58 | 132 => (u16::from(bytes.u1(at + 1)), 1),
        55 | 57 => (u16::from(bytes.u1(at + 1)), 2),
        // The short forms: four each of istore, lstore, fstore, dstore, astore.
        59..=78 => (u16::from((op - 59) % 4), if matches!((op - 59) / 4, 1 | 3) { 2 } else { 1 }),
        196 => match bytes.u1(at + 1) {
            54 | 56 | 58 | 132 => (bytes.u2(at + 2), 1),
            55 | 57 => (bytes.u2(at + 2), 2),
            _ => return 0..0,
        },
        _ => return 0..0,
    };
    slot..slot.saturating_add(words)
}

/// Where control may go from an instruction.
fn targets(bytes: Bytes<'_>, at: usize) -> Vec<usize> {
    let jump =
        |offset: i32| usize::try_from(i64::try_from(at).unwrap_or(0) + i64::from(offset)).ok();
    let next = Some(at + length(bytes, at));
    let aligned = (at + 4) & !3;
    let found: Vec<Option<usize>> = match bytes.u1(at) {
        153..=166 | 198 | 199 => vec![next, jump(i32::from(bytes.i2(at + 1)))],
        167 | 168 => vec![jump(i32::from(bytes.i2(at + 1)))],
        200 | 201 => vec![jump(bytes.i4(at + 1))],
        // ret goes back behind some jsr; what it leaves on the stack is not followed.
        169 | 172..=177 | 191 => Vec::new(),
        196 if bytes.u1(at + 1) == 169 => Vec::new(),
        170 => {
            let (low, high) = (i64::from(bytes.i4(aligned + 4)), i64::from(bytes.i4(aligned + 8)));
            let n_cases = usize::try_from(high - low + 1).unwrap_or(0).min(bytes.0.len());
            let cases = (0..n_cases).map(|idx| jump(bytes.i4(aligned + 12 + 4 * idx)));
            std::iter::once(jump(bytes.i4(aligned))).chain(cases).collect()
        }
        171 => {
            let n_cases = usize::try_from(bytes.i4(aligned + 4)).unwrap_or(0).min(bytes.0.len());
            let cases = (0..n_cases).map(|idx| jump(bytes.i4(aligned + 12 + 8 * idx)));
            std::iter::once(jump(bytes.i4(aligned))).chain(cases).collect()
        }
        _ => vec![next],
    };
    found.into_iter().flatten().filter(|&target| target < bytes.0.len()).collect()
}

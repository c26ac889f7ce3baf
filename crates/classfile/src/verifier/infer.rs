//! Verification by type inference (JVMS §4.10.2): a data-flow analysis for class files without a
//! `StackMapTable`.
//!
//! Frames are kept where control flow joins: branch targets, handlers, and what follows a `jsr`.
//! A join takes the most special type both sides have, until nothing changes.
//!
//! Subroutines are analysed once for each way they are entered: frames that differ in the return
//! addresses they hold are never joined. This deviates from §4.10.2.6, which joins them and tracks
//! the variables a subroutine touches, and accepts a little more. It is as safe, since every run
//! of the method is covered by the frames kept, and a `ret` then knows exactly where it leads.

use std::collections::VecDeque;

use super::Hierarchy;
use super::effects::Flow;
use super::frame::StoredFrame;
use super::handlers::Handlers;
use super::machine::{Machine, Outcome};
use super::opcodes::{
    GOTO, GOTO_W, IFEQ, IFNONNULL, IFNULL, JSR, JSR_W, LOOKUPSWITCH, TABLESWITCH,
};
use super::vtype::VType;

pub(super) fn verify<H: Hierarchy>(machine: &mut Machine<'_, '_, H>) -> Outcome<(), H> {
    let mut analysis = Analysis::new(machine);
    analysis.join(machine, 0, None)?;
    while let Some((pc, variant)) = analysis.pending.pop_front() {
        let entry = &mut analysis.joins[analysis.join_at[pc] as usize - 1][variant];
        entry.is_pending = false;
        machine.frame.load(&entry.frame);
        machine.locals_changed = true;
        machine.spend(machine.frame.locals().len())?;
        run(machine, &mut analysis, pc)?;
    }
    Ok(())
}

/// The frames at one join that differ in their return addresses.
type Variants = Vec<Entry>;

struct Entry {
    frame: StoredFrame,
    is_pending: bool,
}

struct Analysis {
    /// For each position, one more than the index of its join; 0 for none.
    join_at: Box<[u32]>,
    joins: Vec<Variants>,
    pending: VecDeque<(usize, usize)>,
    handlers: Handlers,
}

impl Analysis {
    fn new<H: Hierarchy>(machine: &mut Machine<'_, '_, H>) -> Self {
        let method = machine.method;
        let mut analysis = Analysis {
            join_at: vec![0; method.code.len()].into(),
            joins: Vec::new(),
            pending: VecDeque::new(),
            handlers: Handlers::new(method),
        };
        analysis.add_join(0);
        for handler in &method.body.exception_table {
            analysis.add_join(usize::from(handler.handler_pc));
        }
        let mut pc = 0;
        while pc < method.code.len() {
            let target = |offset: i32| (pc as i64 + i64::from(offset)) as usize;
            let next = machine.layout.next(pc);
            match method.u1(pc) {
                IFEQ..=GOTO | IFNULL | IFNONNULL => analysis.add_join(target(method.i2(pc + 1))),
                GOTO_W => analysis.add_join(target(method.i4(pc + 1))),
                JSR => {
                    analysis.add_join(target(method.i2(pc + 1)));
                    analysis.add_join(next);
                }
                JSR_W => {
                    analysis.add_join(target(method.i4(pc + 1)));
                    analysis.add_join(next);
                }
                TABLESWITCH | LOOKUPSWITCH => {
                    machine.pc = pc;
                    for target in machine.switch_targets() {
                        analysis.add_join(target);
                    }
                }
                _ => {}
            }
            pc = next;
        }
        machine.pc = 0;
        analysis
    }

    /// Every position that [`Analysis::join`] is called with has been announced here.
    fn add_join(&mut self, pc: usize) {
        // A `jsr` may stand at the end of the code; if its subroutine returns, `ret` fails.
        if let Some(place) = self.join_at.get_mut(pc)
            && *place == 0
        {
            self.joins.push(Variants::new());
            *place = self.joins.len() as u32;
        }
    }

    /// Lets the current frame flow into a join, with only `thrown` on the stack if given.
    fn join<H: Hierarchy>(
        &mut self,
        machine: &mut Machine<'_, '_, H>,
        target: usize,
        thrown: Option<VType>,
    ) -> Outcome<(), H> {
        let Some(idx) = self.join_at.get(target).and_then(|&join| (join as usize).checked_sub(1))
        else {
            return machine.fail("Control flow falls through code end");
        };
        let thrown_stack = thrown.as_slice();
        if usize::from(machine.method.body.max_stack) < thrown_stack.len() {
            return machine.fail("Operand stack overflow");
        }
        let variants = &mut self.joins[idx];
        let mut found = None;
        for (variant, entry) in variants.iter().enumerate() {
            machine.spend(machine.frame.locals().len())?;
            let stack = if thrown.is_some() { thrown_stack } else { &machine.frame.stack };
            if has_same_return_addresses(&entry.frame, machine.frame.locals(), stack) {
                found = Some(variant);
                break;
            }
        }
        let Some(variant) = found else {
            let frame = match thrown {
                Some(_) => machine.frame.store_with_stack(thrown_stack),
                None => machine.frame.store(),
            };
            machine.reserve(frame.locals.len() + frame.stack.len())?;
            if let Some(first) = variants.first() {
                check_same_shape(machine, &first.frame.stack, &frame.stack)?;
            }
            variants.push(Entry { frame, is_pending: true });
            self.pending.push_back((target, variants.len() - 1));
            return Ok(());
        };
        let entry = &mut variants[variant];
        let changed = merge_into(machine, &mut entry.frame, thrown)?;
        if changed && !entry.is_pending {
            entry.is_pending = true;
            self.pending.push_back((target, variant));
        }
        Ok(())
    }
}

/// Runs from a join to the next one, or to where control flow ends.
fn run<H: Hierarchy>(
    machine: &mut Machine<'_, '_, H>,
    analysis: &mut Analysis,
    start: usize,
) -> Outcome<(), H> {
    let mut pc = start;
    loop {
        machine.pc = pc;
        machine.spend(0)?;
        if analysis.handlers.are_due(machine)? {
            let method = machine.method;
            let mut n = 0;
            while let Some(handler) = analysis.handlers.covering(method, n) {
                n += 1;
                let caught = machine.caught_type(handler.catch_type)?;
                analysis.join(machine, usize::from(handler.handler_pc), Some(caught))?;
            }
        }
        let next = machine.layout.next(pc);
        match machine.step()? {
            Flow::Next => {}
            Flow::Branch(target) => analysis.join(machine, target, None)?,
            Flow::Goto(target) => return analysis.join(machine, target, None),
            Flow::Switch => {
                for target in machine.switch_targets() {
                    analysis.join(machine, target, None)?;
                }
                return Ok(());
            }
            Flow::Jsr(target) => {
                machine.push(VType::ReturnAddress(next as u16))?;
                return analysis.join(machine, target, None);
            }
            Flow::Ret(local) => return leave_subroutine(machine, analysis, local),
            Flow::End => return Ok(()),
        }
        if machine.method.code.len() <= next {
            return machine.fail("Control flow falls through code end");
        }
        if analysis.join_at[next] != 0 {
            return analysis.join(machine, next, None);
        }
        pc = next;
    }
}

fn leave_subroutine<H: Hierarchy>(
    machine: &mut Machine<'_, '_, H>,
    analysis: &mut Analysis,
    local: u16,
) -> Outcome<(), H> {
    let VType::ReturnAddress(target) = machine.frame.local(usize::from(local)) else {
        return machine.fail("Bad local variable type");
    };
    // Each return address is used once (JVMS §4.9.2), so other copies are of no use any more.
    machine.frame.replace(VType::ReturnAddress(target), VType::Top);
    machine.locals_changed = true;
    analysis.join(machine, usize::from(target), None)
}

/// Whether a kept frame has return addresses exactly where the given one has, and the same.
fn has_same_return_addresses(kept: &StoredFrame, locals: &[VType], stack: &[VType]) -> bool {
    let same = |kept: &[VType], current: &[VType]| {
        let len = kept.len().max(current.len());
        (0..len).all(|idx| {
            let at = |words: &[VType]| match words.get(idx) {
                Some(&VType::ReturnAddress(pc)) => Some(pc),
                _ => None,
            };
            at(kept) == at(current)
        })
    };
    same(&kept.locals, locals) && same(&kept.stack, stack)
}

/// However a position is reached, its stack is equally high and holds values of the same kinds.
fn check_same_shape<H: Hierarchy>(
    machine: &Machine<'_, '_, H>,
    kept: &[VType],
    current: &[VType],
) -> Outcome<(), H> {
    if kept.len() != current.len() {
        return inconsistent_height(machine, kept.len(), current.len());
    }
    let is_same_kind = |(&a, &b): (&VType, &VType)| match (a, b) {
        (VType::ReturnAddress(_), VType::ReturnAddress(_)) => true,
        _ => a == b || (a.is_reference() && b.is_reference()),
    };
    if !kept.iter().zip(current).all(is_same_kind) {
        return machine.fail("Mismatched stack types");
    }
    Ok(())
}

fn inconsistent_height<T, H: Hierarchy>(
    machine: &Machine<'_, '_, H>,
    kept: usize,
    current: usize,
) -> Outcome<T, H> {
    machine.fail(format!("Inconsistent stack height {kept} != {current}"))
}

/// Joins the current frame into a kept one; tells whether that changed.
fn merge_into<H: Hierarchy>(
    machine: &mut Machine<'_, '_, H>,
    kept: &mut StoredFrame,
    thrown: Option<VType>,
) -> Outcome<bool, H> {
    let mut changed = false;
    if machine.frame.this_uninitialized && !kept.this_uninitialized {
        kept.this_uninitialized = true;
        changed = true;
    }
    for idx in 0..kept.locals.len() {
        let merged = machine.merge(kept.locals[idx], machine.frame.local(idx))?;
        changed |= merged != kept.locals[idx];
        kept.locals[idx] = merged;
    }
    drop_torn_values(&mut kept.locals);

    let n_current = if thrown.is_some() { 1 } else { machine.frame.stack.len() };
    if n_current != kept.stack.len() {
        return inconsistent_height(machine, kept.stack.len(), n_current);
    }
    for idx in 0..n_current {
        let current = thrown.unwrap_or_else(|| machine.frame.stack[idx]);
        let merged = machine.merge(kept.stack[idx], current)?;
        if merged == VType::Top && kept.stack[idx] != VType::Top {
            return machine.fail("Mismatched stack types");
        }
        changed |= merged != kept.stack[idx];
        kept.stack[idx] = merged;
    }
    Ok(changed)
}

/// Where a join has left only one word of a `long` or `double`, that word is unusable too.
fn drop_torn_values(locals: &mut [VType]) {
    for idx in 0..locals.len() {
        let next = locals.get(idx + 1).copied();
        if let Some(high) = locals[idx].high()
            && next != Some(high)
        {
            locals[idx] = VType::Top;
        }
        let is_torn_high =
            locals[idx].is_high() && (idx == 0 || locals[idx - 1].high() != Some(locals[idx]));
        if is_torn_high {
            locals[idx] = VType::Top;
        }
    }
}

//! Verification by type checking (JVMS §4.10.1): one pass along the instructions, with the frames
//! of the `StackMapTable` wherever control flow joins.

use super::Hierarchy;
use super::effects::Flow;
use super::handlers::Handlers;
use super::machine::{Machine, Outcome};
use super::stack_map::{self, StackMap};

pub(super) fn verify<H: Hierarchy>(machine: &mut Machine<'_, '_, H>) -> Outcome<(), H> {
    check_variables(machine)?;
    let stack_map = stack_map::decode(machine)?;
    let mut handlers = Handlers::new(machine.method);
    let mut pc = 0;
    // Whether the current frame is one the instruction at `pc` can be reached with.
    let mut falls_through = true;
    while pc < machine.method.code.len() {
        machine.pc = pc;
        machine.spend(0)?;
        if let Some(declared) = stack_map.at(pc) {
            if falls_through && !machine.is_frame_assignable(None, declared)? {
                return machine.fail("Instruction type does not match stack map");
            }
            machine.spend(machine.frame.locals().len() / 8)?;
            machine.frame.load_declared(declared);
            machine.locals_changed = true;
        } else if !falls_through {
            return machine.fail("Expecting a stack map frame");
        }
        if handlers.are_due(machine)? {
            check_handlers(machine, &stack_map, &handlers)?;
        }
        falls_through = match machine.step()? {
            Flow::Next => true,
            Flow::Branch(target) => {
                check_target(machine, &stack_map, target)?;
                true
            }
            Flow::Goto(target) => {
                check_target(machine, &stack_map, target)?;
                false
            }
            Flow::Switch => {
                for target in machine.switch_targets() {
                    check_target(machine, &stack_map, target)?;
                }
                false
            }
            Flow::End => false,
            Flow::Jsr(_) | Flow::Ret(_) => {
                return machine.fail(format!("Bad instruction: {:02x}", machine.method.u1(pc)));
            }
        };
        pc = machine.layout.next(pc);
    }
    if falls_through {
        return machine.fail("Control flow falls through code end");
    }
    Ok(())
}

fn check_target<H: Hierarchy>(
    machine: &mut Machine<'_, '_, H>,
    stack_map: &StackMap,
    target: usize,
) -> Outcome<(), H> {
    let Some(declared) = stack_map.at(target) else {
        return machine.fail(format!("Expecting a stackmap frame at branch target {target}"));
    };
    if !machine.is_frame_assignable(None, declared)? {
        return machine.fail(format!("Inconsistent stackmap frames at branch target {target}"));
    }
    Ok(())
}

/// The instruction may throw: its frame must fit the handlers it is covered by.
fn check_handlers<H: Hierarchy>(
    machine: &mut Machine<'_, '_, H>,
    stack_map: &StackMap,
    handlers: &Handlers,
) -> Outcome<(), H> {
    let method = machine.method;
    for handler in (0..).map_while(|n| handlers.covering(method, n)) {
        let target = usize::from(handler.handler_pc);
        let caught = machine.caught_type(handler.catch_type)?;
        let Some(declared) = stack_map.at(target) else {
            return machine.fail(format!("Expecting a stackmap frame at branch target {target}"));
        };
        if !machine.is_frame_assignable(Some(caught), declared)? {
            return machine.fail(format!("Inconsistent stackmap frames at branch target {target}"));
        }
    }
    Ok(())
}

/// The ranges of named variables start and end at instructions. Nothing depends on it, but real
/// JVMs insist, as far as they have these frames.
fn check_variables<H: Hierarchy>(machine: &Machine<'_, '_, H>) -> Outcome<(), H> {
    let class = machine.method.class;
    for &table in &machine.method.body.local_variables {
        for entry in class.span(table).get(2..).unwrap_or_default().chunks_exact(10) {
            let start = usize::from(u16::from_be_bytes([entry[0], entry[1]]));
            let len = usize::from(u16::from_be_bytes([entry[2], entry[3]]));
            if !machine.layout.is_start(start) {
                return machine.fail(format!("Illegal local variable table start_pc {start}"));
            }
            let end = start + len;
            if end != machine.method.code.len() && !machine.layout.is_start(end) {
                return machine.fail(format!("Illegal local variable table length {len}"));
            }
        }
    }
    Ok(())
}

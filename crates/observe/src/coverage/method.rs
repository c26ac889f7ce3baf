//! Coverage of one method: what its class file holds, and what of it ran.
//!
//! The machine folds loads and constants into the instructions that use them, so one step stands for a
//! run of bytecodes that ends with its own.

use std::collections::BTreeMap;

use classfile::instructions::{self, Flow, Instruction};
use classfile::{ClassFile, Code, MethodInfo};

use super::{BranchCoverage, Hits, MethodCoverage, is_set};

/// `lcmp`, which the machine may fuse with the branch behind it.
const LCMP: u8 = 148;

const TABLESWITCH: u8 = 170;

/// A method of which nothing ran.
pub(super) fn uncovered(file: &ClassFile, info: &MethodInfo, code: &Code) -> MethodCoverage {
    let text = |idx: u16| classfile::mutf8::display(file.constant_pool().utf8(idx));
    let mut lines = BTreeMap::new();
    let mut branches = Vec::new();
    let mut all = Vec::new();
    for instruction in instructions::iter(file.instructions(code)) {
        let line = code.line_at(file, instruction.pc);
        if let Some(line) = line {
            lines.insert(line, false);
        }
        all.push((line, false));
        let Some(edges) = edges_of(&instruction) else { continue };
        let n_edges = edges.iter().max().map_or(0, |last| last + 1);
        branches.push(BranchCoverage { bci: instruction.pc, line, edges: vec![false; n_edges] });
    }
    let (name, descriptor) = (text(info.name), text(info.descriptor));
    MethodCoverage { name, descriptor, lines, instructions: all, branches }
}

/// Positions of translated code, and the instructions that they stand for.
pub(crate) struct Span {
    /// From the first position to the one behind the last.
    pub(crate) positions: std::ops::Range<usize>,
    /// From the first instruction to the one behind the last.
    pub(crate) instructions: std::ops::Range<usize>,
}

/// What each stretch of translated code stands for. Not every instruction is in one: some are folded
/// into what went before.
pub(crate) fn spans(
    instructions: &[Instruction],
    code: &Code,
    compiled: &vm::code::Code,
) -> Vec<Span> {
    let is_leader = leaders(instructions, code);
    let mut first = 0;
    let mut spans = Vec::with_capacity(compiled.bci_map.len());
    for (idx, &(position, bci)) in compiled.bci_map.iter().enumerate() {
        let end =
            compiled.bci_map.get(idx + 1).map_or(compiled.insns.len(), |&(next, _)| next as usize);
        let Ok(last) = instructions.binary_search_by_key(&bci, |instruction| instruction.pc) else {
            continue;
        };
        // Nothing is folded over the start of a block.
        let start = (first..=last).rev().find(|&at| is_leader[at]).unwrap_or(first.min(last));
        first = last + 1;
        spans.push(Span { positions: position as usize..end, instructions: start..last + 1 });
    }
    spans
}

/// Adds what ran.
pub(super) fn cover(
    coverage: &mut MethodCoverage,
    file: &ClassFile,
    code: &Code,
    compiled: &vm::code::Code,
    hits: &Hits,
) {
    let instructions: Vec<Instruction> = instructions::iter(file.instructions(code)).collect();
    let mut is_known = vec![false; instructions.len()];
    for Span { mut positions, instructions: stretch } in spans(&instructions, code, compiled) {
        is_known[stretch.clone()].fill(true);
        if !positions.any(|at| is_set(&hits.steps, at)) {
            continue;
        }
        for at in stretch {
            coverage.instructions[at].1 = true;
            if let Some(line) = code.line_at(file, instructions[at].pc) {
                coverage.lines.insert(line, true);
            }
        }
    }
    // What the machine folded into the instruction before ran with it.
    for at in 1..instructions.len() {
        let follows = matches!(instructions[at - 1].flow, Flow::Next | Flow::Branch(_));
        if !is_known[at] && follows && coverage.instructions[at - 1].1 {
            coverage.instructions[at].1 = true;
        }
    }
    for branch in &mut coverage.branches {
        let at = instructions.binary_search_by_key(&branch.bci, |instruction| instruction.pc);
        let before = at.ok().and_then(|at| at.checked_sub(1)).map(|at| &instructions[at]);
        let fused = before.filter(|before| before.opcode == LCMP).map(|before| before.pc);
        for bci in [Some(branch.bci), fused].into_iter().flatten() {
            let Some(taken) = hits.edges.get(&bci) else { continue };
            let edges = at.ok().and_then(|at| edges_of(&instructions[at])).unwrap_or_default();
            for (way, &edge) in edges.iter().enumerate() {
                branch.edges[edge] |= is_set(taken, way);
            }
        }
    }
}

/// The edge that each way of a branch counts for; `None` for what is no branch. The gaps of a
/// `tableswitch`, which the compiler fills with the default, count as the default.
fn edges_of(instruction: &Instruction) -> Option<Vec<usize>> {
    let targets = match &instruction.flow {
        Flow::Branch(_) => return Some(vec![0, 1]),
        Flow::Switch(targets) => targets,
        Flow::Next | Flow::Jump(_) | Flow::End => return None,
    };
    let default = targets.last().copied();
    let is_gap = |target: u16| instruction.opcode == TABLESWITCH && Some(target) == default;
    let n_cases = targets[..targets.len() - 1].iter().filter(|&&target| !is_gap(target)).count();
    let mut next = 0;
    let edge = |(way, &target): (usize, &u16)| {
        if way == targets.len() - 1 || is_gap(target) {
            return n_cases;
        }
        next += 1;
        next - 1
    };
    Some(targets.iter().enumerate().map(edge).collect())
}

/// Where blocks start: targets, handlers, and whatever follows a branch.
fn leaders(instructions: &[Instruction], code: &Code) -> Vec<bool> {
    let mut is_leader = vec![false; instructions.len()];
    let mut mark = |pc: u16| {
        if let Ok(at) = instructions.binary_search_by_key(&pc, |instruction| instruction.pc) {
            is_leader[at] = true;
        }
    };
    mark(0);
    for instruction in instructions {
        match &instruction.flow {
            Flow::Next => continue,
            Flow::Branch(target) | Flow::Jump(target) => mark(*target),
            Flow::Switch(targets) => targets.iter().copied().for_each(&mut mark),
            Flow::End => {}
        }
        mark(instruction.next);
    }
    for handler in &code.exception_table {
        mark(handler.start_pc);
        mark(handler.end_pc);
        mark(handler.handler_pc);
    }
    is_leader
}

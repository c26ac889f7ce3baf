//! Which variables hold a reference at an instruction, needed or not.
//!
//! What a variable refers to stays alive while the variable does, as where `java` interprets: programs see
//! it by weak references and finalizers. Going forwards, a register holds a reference where on all paths the
//! last write to it was one of a reference. Where the instruction does not tell (a field of 32 bits) it counts
//! as a number; such an object is kept by what it was read from as a rule.
//!
//! Invariant: what an instruction counts as does not change when it rewrites itself, so a register that is in
//! a map was in all maps since it was written.

use classfile::ClassFile;

use super::graph::Graph;
use super::maps::{argument_kinds, call_descriptor, contains, insert, op, remove, remove_from};
use crate::class::{Method, flags};
use crate::code::effects::{Holds, Role, effect_of};
use crate::code::{Insn, Op};
use crate::value::Kind;

/// Registers that hold a reference before each node, `n_words` words each.
pub(super) fn kept(graph: &Graph, file: &ClassFile, method: &Method, n_words: usize) -> Vec<u64> {
    let mut words = vec![u64::MAX; graph.nodes.len() * n_words];
    let mut is_reached = vec![false; graph.nodes.len()];
    let entry = graph.nodes.iter().position(|node| node.position == 0 && node.chain == 0);
    let mut work = Vec::new();
    if let Some(entry) = entry {
        words[entry * n_words..][..n_words].copy_from_slice(&at_entry(method, n_words));
        is_reached[entry] = true;
        work.push(entry);
    }
    let mut set = vec![0; n_words];
    while let Some(idx) = work.pop() {
        let node = &graph.nodes[idx];
        set.copy_from_slice(&words[idx * n_words..][..n_words]);
        let mut meet = |target: u32, set: &[u64]| {
            let target = target as usize;
            let mut changed = !is_reached[target];
            is_reached[target] = true;
            for (old, &new) in words[target * n_words..][..n_words].iter_mut().zip(set) {
                changed |= *old & !new != 0;
                *old &= new;
            }
            if changed {
                work.push(target);
            }
        };
        let source = node.insn.op == Op::mov as u16 && contains(&set, node.insn.b);
        forget_written(node.insn, &mut set);
        for &(handler, register) in &node.handlers {
            let had = contains(&set, register);
            insert(&mut set, register);
            meet(handler, &set);
            if !had {
                remove(&mut set, register);
            }
        }
        if source || writes_reference(file, node.insn) {
            insert(&mut set, node.insn.a);
        }
        for &next in &node.next {
            meet(next, &set);
        }
    }
    words
}

/// Takes out what an instruction writes, or leaves to the method that it calls.
pub(super) fn forget_written(insn: Insn, set: &mut [u64]) {
    match effect_of(op(insn)).a {
        Role::Writes(_) => remove(set, insn.a),
        Role::Call => remove_from(set, insn.a),
        Role::Data | Role::Reads(_) | Role::Numbers => {}
    }
}

fn writes_reference(file: &ClassFile, insn: Insn) -> bool {
    match effect_of(op(insn)).a {
        Role::Writes(holds) => holds == Holds::Reference,
        Role::Call => call_descriptor(file, insn).is_some_and(|descriptor| {
            let end = descriptor.iter().rposition(|&byte| byte == b')').map_or(0, |end| end + 1);
            Kind::of_descriptor(&descriptor[end..]) == Some(Kind::Ref)
        }),
        Role::Data | Role::Reads(_) | Role::Numbers => false,
    }
}

/// The arguments.
fn at_entry(method: &Method, n_words: usize) -> Vec<u64> {
    let mut set = vec![0; n_words];
    let mut register = 0;
    if method.flags & flags::STATIC == 0 {
        insert(&mut set, register);
        register += 1;
    }
    for kind in argument_kinds(method.descriptor.as_bytes()) {
        if kind == Kind::Ref {
            insert(&mut set, register);
        }
        register += kind.slots();
    }
    set
}

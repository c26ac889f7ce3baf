//! Which registers of a frame hold references that are still needed, or are kept by variables, per
//! instruction.
//!
//! Going backwards, a register is live as a reference where some path reads it as a reference
//! before writing it. Verified code reads as references only what holds one on all paths, so such a
//! register holds a reference (or null) there. What variables hold beside that is told by `kept.rs`.
//!
//! Subroutines (`jsr`, `ret`; JVMS §4.10.2.6) may be entered with different types in a register.
//! Each way into one is followed on its own, as if it were copied to the place of the `jsr`; the
//! return address in the frame then tells the copies apart.

use classfile::ClassFile;
use rustc_hash::FxHashMap;

use super::graph::{Graph, Node};
use super::kept::{forget_written, kept};
use crate::class::Method;
use crate::code::effects::{Holds, Role, effect_of};
use crate::code::{Code, Insn, Op};
use crate::value::Kind;

/// What a map has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// What is still read.
    Needed,
    /// That, and what variables hold.
    Kept,
}

/// The maps of one method.
#[derive(Debug)]
pub(super) struct Maps {
    lists: Vec<Box<[u16]>>,
    /// By position: first in `states`, number of states.
    at: FxHashMap<u32, (u32, u32)>,
    states: Vec<State>,
}

/// An instruction as reached through one chain of subroutines.
#[derive(Debug)]
struct State {
    /// Return positions of the subroutines being run.
    chain: Box<[u32]>,
    /// Live before the instruction: index in `lists`.
    before: u32,
    /// Live while the call that the instruction makes is under way.
    during: u32,
}

impl Maps {
    /// Computes the maps. `None` for code that is too wild to follow.
    pub(super) fn of(
        file: &ClassFile,
        method: &Method,
        code: &Code,
        extent: Extent,
    ) -> Option<Maps> {
        let graph = Graph::of(code)?;
        let n_registers = usize::from(method.max_locals) + usize::from(method.max_stack) + 2;
        let n_words = n_registers.div_ceil(64);
        let kept = match extent {
            Extent::Needed => vec![0; graph.nodes.len() * n_words],
            Extent::Kept => {
                let mut kept = kept(&graph, file, method, n_words);
                // What lies on the operand stack is needed or not there.
                for set in kept.chunks_exact_mut(n_words) {
                    remove_from(set, method.max_locals);
                }
                kept
            }
        };
        let mut live = Live { n_words, words: Vec::new(), graph, file, method };
        live.solve();
        Some(live.into_maps(&kept))
    }

    /// Registers that are live before the instruction at a position. `None` where it cannot be told.
    pub(super) fn before(&self, position: u32, registers: &[u64]) -> Option<&[u16]> {
        let state = self.state(position, registers)?;
        Some(&self.lists[state.before as usize])
    }

    /// Registers of the caller that are live during the call at a position.
    pub(super) fn during(&self, position: u32, registers: &[u64]) -> Option<&[u16]> {
        let state = self.state(position, registers)?;
        Some(&self.lists[state.during as usize])
    }

    fn state(&self, position: u32, registers: &[u64]) -> Option<&State> {
        let &(first, n) = self.at.get(&position)?;
        let states = &self.states[first as usize..(first + n) as usize];
        if let [state] = states {
            return Some(state);
        }
        let first = states.first()?;
        if states.iter().all(|s| s.before == first.before && s.during == first.during) {
            return Some(first);
        }
        let mut fitting = states.iter().filter(|state| {
            state.chain.iter().all(|&address| registers.contains(&u64::from(address)))
        });
        let state = fitting.next()?;
        fitting.next().is_none().then_some(state)
    }
}

struct Live<'a> {
    graph: Graph,
    file: &'a ClassFile,
    method: &'a Method,
    /// Live registers before each node, `n_words` words each.
    words: Vec<u64>,
    n_words: usize,
}

impl Live<'_> {
    fn solve(&mut self) {
        self.words = vec![0; self.graph.nodes.len() * self.n_words];
        let mut set = vec![0; self.n_words];
        let mut changed = true;
        while changed {
            changed = false;
            for idx in (0..self.graph.nodes.len()).rev() {
                self.during(idx, &mut set);
                let node = &self.graph.nodes[idx];
                self.add_reads(node.insn, &mut set);
                let old = &mut self.words[idx * self.n_words..][..self.n_words];
                if old != set {
                    old.copy_from_slice(&set);
                    changed = true;
                }
            }
        }
    }

    /// What is live while the instruction runs: behind it but for what it writes, and in handlers.
    fn during(&self, idx: usize, set: &mut [u64]) {
        set.fill(0);
        let node = &self.graph.nodes[idx];
        for &next in &node.next {
            self.add(next, None, set);
        }
        let a = node.insn.a;
        match effect_of(op(node.insn)).a {
            // `mov` reads what it moves if the copy is live.
            Role::Writes(_) if node.insn.op == Op::mov as u16 => {
                let live = contains(set, a);
                remove(set, a);
                if live {
                    insert(set, node.insn.b);
                }
            }
            Role::Writes(_) => remove(set, a),
            // The callee's registers begin at the first argument: nothing lives there.
            Role::Call => remove_from(set, a),
            Role::Data | Role::Reads(_) | Role::Numbers => {}
        }
        for &(handler, register) in &node.handlers {
            self.add(handler, Some(register), set);
        }
    }

    fn add(&self, node: u32, without: Option<u16>, set: &mut [u64]) {
        let live = &self.words[node as usize * self.n_words..][..self.n_words];
        for (idx, (word, &more)) in set.iter_mut().zip(live).enumerate() {
            let hidden = match without {
                Some(register) if usize::from(register) / 64 == idx => 1 << (register % 64),
                _ => 0,
            };
            *word |= more & !hidden;
        }
    }

    fn add_reads(&self, insn: Insn, set: &mut [u64]) {
        let op = op(insn);
        let effect = effect_of(op);
        for (role, register) in [(effect.a, insn.a), (effect.b, insn.b), (effect.c, insn.c)] {
            let reads = match role {
                Role::Reads(Holds::Reference) => true,
                Role::Reads(Holds::Either) => self.reads_reference(op, insn),
                Role::Call => {
                    self.add_arguments(insn, set);
                    false
                }
                _ => false,
            };
            if reads {
                insert(set, register);
            }
        }
    }

    /// Whether the operand that may be either is a reference.
    #[expect(clippy::cast_possible_truncation, reason = "constant-pool indices have 16 bits")]
    fn reads_reference(&self, op: Op, insn: Insn) -> bool {
        let pool = self.file.constant_pool();
        let descriptor = match op {
            // Decided by what becomes of the copy.
            Op::mov => return false,
            Op::return_value | Op::return_value_locked => return self.method.returns == Kind::Ref,
            Op::putfield_u => pool.try_member_ref(insn.c),
            Op::putstatic_u => pool.try_member_ref(insn.imm() as u16),
            _ => unreachable!("internal: no way to tell what {op:?} reads"),
        };
        descriptor
            .is_some_and(|(_, _, descriptor)| Kind::of_descriptor(descriptor) == Some(Kind::Ref))
    }

    fn add_arguments(&self, insn: Insn, set: &mut [u64]) {
        let Some(descriptor) = call_descriptor(self.file, insn) else { return };
        let kinds = argument_kinds(descriptor);
        let n_words: u16 = kinds.iter().map(|kind| kind.slots()).sum();
        let mut register = insn.a;
        if insn.c > n_words {
            insert(set, register);
            register += 1;
        }
        for kind in kinds {
            if kind == Kind::Ref {
                insert(set, register);
            }
            register += kind.slots();
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "code has less than 2^32 instructions")]
    fn into_maps(self, kept: &[u64]) -> Maps {
        let mut maps = Maps { lists: Vec::new(), at: FxHashMap::default(), states: Vec::new() };
        let mut known: FxHashMap<Vec<u64>, u32> = FxHashMap::default();
        let mut intern = |lists: &mut Vec<Box<[u16]>>, set: &[u64]| {
            *known.entry(set.to_vec()).or_insert_with(|| {
                lists.push(registers_of(set));
                lists.len() as u32 - 1
            })
        };
        let mut set = vec![0; self.n_words];
        for position in self.graph.positions() {
            let first = maps.states.len() as u32;
            for idx in self.graph.nodes_at(position) {
                let node: &Node = &self.graph.nodes[idx];
                let mut kept = kept[idx * self.n_words..][..self.n_words].to_vec();
                set.copy_from_slice(&self.words[idx * self.n_words..][..self.n_words]);
                unite(&mut set, &kept);
                let before = intern(&mut maps.lists, &set);
                self.during(idx, &mut set);
                forget_written(node.insn, &mut kept);
                unite(&mut set, &kept);
                let during = intern(&mut maps.lists, &set);
                let chain = self.graph.chains[node.chain as usize].clone();
                maps.states.push(State { chain, before, during });
            }
            maps.at.insert(position, (first, maps.states.len() as u32 - first));
        }
        maps
    }
}

/// The descriptor of what an instruction calls.
pub(super) fn call_descriptor(file: &ClassFile, insn: Insn) -> Option<&[u8]> {
    let pool = file.constant_pool();
    match pool.try_member_ref(insn.b) {
        Some((_, _, descriptor)) => Some(descriptor),
        None => pool.try_dynamic(insn.b).map(|(_, _, descriptor)| descriptor),
    }
}

/// Kinds of the arguments that a method descriptor names.
pub(super) fn argument_kinds(descriptor: &[u8]) -> Vec<Kind> {
    let mut kinds = Vec::new();
    let mut rest = descriptor.get(1..).unwrap_or(&[]);
    while let Some(kind) = Kind::of_descriptor(rest) {
        kinds.push(kind);
        while let [b'[', inner @ ..] = rest {
            rest = inner;
        }
        let len = match rest {
            [b'L', ..] => rest.iter().position(|&b| b == b';').map_or(rest.len(), |end| end + 1),
            _ => 1,
        };
        rest = rest.get(len..).unwrap_or(&[]);
    }
    kinds
}

pub(super) fn op(insn: Insn) -> Op {
    Op::ALL[usize::from(insn.op)]
}

pub(super) fn contains(set: &[u64], register: u16) -> bool {
    set[usize::from(register) / 64] >> (register % 64) & 1 != 0
}

pub(super) fn insert(set: &mut [u64], register: u16) {
    set[usize::from(register) / 64] |= 1 << (register % 64);
}

pub(super) fn remove(set: &mut [u64], register: u16) {
    set[usize::from(register) / 64] &= !(1 << (register % 64));
}

/// Removes this register and all behind it.
pub(super) fn remove_from(set: &mut [u64], register: u16) {
    let word = usize::from(register) / 64;
    set[word] &= (1 << (register % 64)) - 1;
    set[word + 1..].fill(0);
}

fn unite(set: &mut [u64], more: &[u64]) {
    for (word, &more) in set.iter_mut().zip(more) {
        *word |= more;
    }
}

fn registers_of(set: &[u64]) -> Box<[u16]> {
    let mut registers = Vec::new();
    for (idx, &word) in set.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            #[expect(clippy::cast_possible_truncation, reason = "registers have 16 bits")]
            registers.push((idx * 64) as u16 + rest.trailing_zeros() as u16);
            rest &= rest - 1;
        }
    }
    registers.into()
}

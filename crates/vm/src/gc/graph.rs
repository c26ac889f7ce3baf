//! The instructions of a method that can be reached and how they lead to each other, subroutines
//! copied to each of their callers.
#![expect(unsafe_code, reason = "instructions are rewritten through raw pointers; see `code.rs`")]

use rustc_hash::FxHashMap;

use crate::code::effects::{Leads, effect_of};
use crate::code::{Code, Insn, Op, Switch};

/// More ways into subroutines than this are not followed.
const MOST_CHAINS: usize = 256;

/// One instruction as reached through one chain of subroutines.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) position: u32,
    pub(super) insn: Insn,
    /// Index in `Graph::chains`.
    pub(super) chain: u32,
    /// Nodes it leads to.
    pub(super) next: Vec<u32>,
    /// Handlers that its exceptions lead to, with the register that gets the exception.
    pub(super) handlers: Vec<(u32, u16)>,
}

/// See the module text.
#[derive(Debug)]
pub(super) struct Graph {
    /// Nodes, ascending by position.
    pub(super) nodes: Vec<Node>,
    /// Return positions of the subroutines being run, innermost last.
    pub(super) chains: Vec<Box<[u32]>>,
}

impl Graph {
    /// Follows all paths from the entry. `None` where subroutines are too wild.
    pub(super) fn of(code: &Code) -> Option<Graph> {
        let mut builder = Builder {
            code,
            graph: Graph { nodes: Vec::new(), chains: vec![Box::new([])] },
            known: FxHashMap::default(),
            work: Vec::new(),
        };
        builder.node(0, 0);
        while let Some(idx) = builder.work.pop() {
            builder.follow(idx)?;
        }
        let mut graph = builder.graph;
        graph.sort();
        Some(graph)
    }

    /// Positions of all nodes, ascending, each once.
    pub(super) fn positions(&self) -> Vec<u32> {
        let mut positions: Vec<u32> = self.nodes.iter().map(|node| node.position).collect();
        positions.dedup();
        positions
    }

    /// Nodes with this position.
    pub(super) fn nodes_at(&self, position: u32) -> std::ops::Range<usize> {
        let start = self.nodes.partition_point(|node| node.position < position);
        let n = self.nodes[start..].partition_point(|node| node.position == position);
        start..start + n
    }

    /// Puts the nodes in ascending order of position: going backwards then settles soonest.
    #[expect(clippy::cast_possible_truncation, reason = "code has less than 2^32 instructions")]
    fn sort(&mut self) {
        let mut order: Vec<u32> = (0..self.nodes.len() as u32).collect();
        order.sort_by_key(|&idx| {
            (self.nodes[idx as usize].position, self.nodes[idx as usize].chain)
        });
        let mut new_idx = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            new_idx[old as usize] = new as u32;
        }
        self.nodes.sort_by_key(|node| (node.position, node.chain));
        for node in &mut self.nodes {
            for next in &mut node.next {
                *next = new_idx[*next as usize];
            }
            for (handler, _) in &mut node.handlers {
                *handler = new_idx[*handler as usize];
            }
        }
    }
}

struct Builder<'a> {
    code: &'a Code,
    graph: Graph,
    known: FxHashMap<(u32, u32), u32>,
    work: Vec<u32>,
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "distances are signed operands; code has less than 2^31 instructions"
)]
impl Builder<'_> {
    /// The node for a position in a chain, made on first sight.
    fn node(&mut self, position: u32, chain: u32) -> u32 {
        if let Some(&idx) = self.known.get(&(position, chain)) {
            return idx;
        }
        // SAFETY: nothing runs while the collector looks, so nobody writes the instruction.
        let insn = unsafe { *self.code.insns[position as usize].get() };
        let idx = self.graph.nodes.len() as u32;
        self.graph.nodes.push(Node {
            position,
            insn,
            chain,
            next: Vec::new(),
            handlers: Vec::new(),
        });
        self.known.insert((position, chain), idx);
        self.work.push(idx);
        idx
    }

    fn follow(&mut self, idx: u32) -> Option<()> {
        let Node { position, insn, chain, .. } = self.graph.nodes[idx as usize];
        let op = Op::ALL[usize::from(insn.op)];
        let behind = position + op.units() as u32;
        let by = |distance: i32| (position as i32 + distance) as u32;
        let mut next: Vec<(u32, u32)> = Vec::new();
        match effect_of(op).leads {
            Leads::On => next.push((behind, chain)),
            Leads::Short => next.extend([(behind, chain), (by(i32::from(insn.c as i16)), chain)]),
            Leads::Long => next.extend([(behind, chain), (by(insn.imm() as i32), chain)]),
            Leads::Jump => next.push((by(insn.imm() as i32), chain)),
            Leads::Switch => match &self.code.switches[insn.imm() as usize] {
                Switch::Table { targets, default, .. }
                | Switch::Lookup { targets, default, .. } => {
                    next.push((by(*default), chain));
                    next.extend(targets.iter().map(|&distance| (by(distance), chain)));
                }
            },
            Leads::Subroutine => {
                let inner = self.enter(chain, behind)?;
                next.push((by(insn.imm() as i32), inner));
            }
            Leads::Back => {
                let (&address, outer) = self.graph.chains[chain as usize].split_last()?;
                let outer = outer.to_vec();
                let outer = self.graph.chains.iter().position(|known| **known == *outer)?;
                next.push((address, outer as u32));
            }
            Leads::Out => {}
        }
        next.sort_unstable();
        next.dedup();
        for (target, chain) in next {
            let target = self.node(target, chain);
            self.graph.nodes[idx as usize].next.push(target);
        }
        for handler in &self.code.handlers {
            if handler.start <= position && position < handler.end {
                let target = self.node(handler.target, chain);
                self.graph.nodes[idx as usize].handlers.push((target, handler.register));
            }
        }
        Some(())
    }

    /// The chain with one more return position.
    fn enter(&mut self, chain: u32, address: u32) -> Option<u32> {
        let mut inner = self.graph.chains[chain as usize].to_vec();
        // Entered again from the same place: it was left by a jump before.
        if let Some(before) = inner.iter().position(|&known| known == address) {
            inner.truncate(before);
        }
        inner.push(address);
        if let Some(known) = self.graph.chains.iter().position(|known| **known == *inner) {
            return Some(known as u32);
        }
        if self.graph.chains.len() == MOST_CHAINS {
            return None;
        }
        self.graph.chains.push(inner.into());
        Some(self.graph.chains.len() as u32 - 1)
    }
}

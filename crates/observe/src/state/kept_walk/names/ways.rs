//! How far nodes are and what they are called, mended after edges have come and gone.
//!
//! As Ramalingam and Reps do ("An incremental algorithm for a generalization of the shortest-path problem", 1996):
//! nodes that lost the edge they were named by, the nearest first, look for another way that is as short; those
//! that have none are measured anew from the rest, with all that was behind them. Then nodes are named, the nearest
//! first, until no name is another one than before.

use vm::value::Kind;

use super::super::super::canonical_heap::Form;
use super::super::super::fingerprint::{Mixer, Sink};
use super::super::composite::elements_of_piece;
use super::{Edge, FAR, NONE, Name, Names, ROOT, halves, mix};

impl Names {
    /// A node no longer has this way in; gives how far it was, if it was named by it.
    pub(super) fn spare(&mut self, edge: u32, to: u32) -> Option<u32> {
        let node = &mut self.nodes[to as usize];
        if node.via != edge {
            return None;
        }
        node.via = NONE;
        Some(node.distance)
    }

    /// How far a node is by one of the edges that lead to it.
    fn distance_by(&self, edge: u32) -> u32 {
        self.nodes[self.edges[edge as usize].from as usize].distance.saturating_add(1)
    }

    /// What a node is called by one of the edges that lead to it.
    fn name_by(&self, edge: u32) -> Name {
        let from = &self.nodes[self.edges[edge as usize].from as usize];
        let mut mixer = Mixer::new(11);
        mix(&mut mixer, from.name);
        mixer.word(u64::from(edge - from.edges));
        halves(mixer)
    }

    /// Measures and names all nodes, of which only the root is known: level by level, so that those which others are
    /// named by have their names.
    pub(super) fn measure_all(&mut self) {
        let (mut level, mut next) = (vec![ROOT], Vec::new());
        let mut distance = 0;
        while !level.is_empty() {
            distance += 1;
            for &number in &level {
                for edge in self.edges_of(number) {
                    let to = self.edges[edge as usize].to;
                    if to == NONE || self.nodes[to as usize].distance < distance {
                        continue;
                    }
                    let name = self.name_by(edge);
                    let node = &mut self.nodes[to as usize];
                    if node.distance == FAR {
                        node.distance = distance;
                        (node.name, node.via) = (name, edge);
                        next.push(to);
                    } else if name < node.name {
                        (node.name, node.via) = (name, edge);
                    }
                }
            }
            level.clear();
            std::mem::swap(&mut level, &mut next);
        }
        self.linked.clear();
        self.lost.clear();
    }

    /// Finds the nodes that are no longer as near as they were.
    pub(super) fn lose(&mut self) {
        self.shaken.begin();
        while let Some((distance, number)) = self.shaken.pop() {
            let node = &self.nodes[number as usize];
            if node.distance != distance || node.via != NONE || distance == FAR {
                continue;
            }
            if self.edges_to(number).any(|edge| self.distance_by(edge) == distance) {
                self.renamed.add(distance, (number, None));
                continue;
            }
            self.nodes[number as usize].distance = FAR;
            self.lost.push(number);
            for edge in self.edges_of(number) {
                let to = self.edges[edge as usize].to;
                if to != NONE
                    && let Some(distance) = self.spare(edge, to)
                {
                    self.shaken.follow(distance, to);
                }
            }
        }
    }

    /// Finds how far the nodes are that were lost, and what is nearer now.
    pub(super) fn measure(&mut self) {
        for at in 0..self.lost.len() {
            let number = self.lost[at];
            let nearest = self.edges_to(number).map(|edge| self.distance_by(edge)).min();
            if let Some(distance) = nearest.filter(|&distance| distance != FAR) {
                self.nearer.add(distance, number);
            }
        }
        for at in 0..self.linked.len() {
            let edge = self.linked[at];
            let to = self.edges[edge as usize].to;
            if to != NONE && self.distance_by(edge) < self.nodes[to as usize].distance {
                self.nearer.add(self.distance_by(edge), to);
            }
        }
        self.nearer.begin();
        while let Some((distance, number)) = self.nearer.pop() {
            if distance >= self.nodes[number as usize].distance {
                continue;
            }
            let node = &mut self.nodes[number as usize];
            (node.distance, node.via) = (distance, NONE);
            self.renamed.add(distance, (number, None));
            for edge in self.edges_of(number) {
                let to = self.edges[edge as usize].to;
                if to != NONE && distance + 1 < self.nodes[to as usize].distance {
                    self.nearer.follow(distance + 1, to);
                }
            }
        }
        while let Some(edge) = self.linked.pop() {
            let to = self.edges[edge as usize].to;
            if to != NONE && self.is_named_by(edge, to) {
                let distance = self.nodes[to as usize].distance;
                self.renamed.add(distance, (to, Some(edge)));
            }
        }
    }

    /// Whether an edge is one that a node may be named by.
    fn is_named_by(&self, edge: u32, to: u32) -> bool {
        let distance = self.nodes[to as usize].distance;
        distance != FAR && self.distance_by(edge) == distance
    }

    /// Names nodes, the nearest first.
    pub(super) fn name(&mut self) {
        self.renamed.begin();
        while let Some((distance, (number, edge))) = self.renamed.pop() {
            let node = self.nodes[number as usize];
            if node.distance != distance || number == ROOT {
                continue;
            }
            let best = match edge {
                Some(edge) if node.via != NONE => {
                    (node.name, node.via).min((self.name_by(edge), edge))
                }
                _ => {
                    let edges =
                        self.edges_to(number).filter(|&edge| self.is_named_by(edge, number));
                    edges.map(|edge| (self.name_by(edge), edge)).min().unwrap_or_default()
                }
            };
            let node = &mut self.nodes[number as usize];
            let before = std::mem::replace(&mut node.name, best.0);
            node.via = best.1;
            if best.0 != before {
                self.pass_on(number);
            }
        }
    }

    /// A node has another name.
    fn pass_on(&mut self, number: u32) {
        let node = self.nodes[number as usize];
        for part in node.parts..node.parts + node.n_parts {
            self.spoil(part);
        }
        let mut edge = node.first_in;
        while edge != NONE {
            let Edge { from, next_in, .. } = self.edges[edge as usize];
            let from = self.nodes[from as usize];
            let via = edge - from.edges;
            let is_array = matches!(from.form, Form::Array(_));
            self.spoil(from.parts + if is_array { via / elements_of_piece(Kind::Ref) } else { 0 });
            edge = next_in;
        }
        for edge in self.edges_of(number) {
            let to = self.edges[edge as usize].to;
            if to != NONE && self.is_named_by(edge, to) {
                let node = &self.nodes[to as usize];
                let why = (node.via != edge).then_some(edge);
                self.renamed.follow(node.distance, (to, why));
            }
        }
    }
}

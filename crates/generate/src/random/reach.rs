//! Which uncovered branches can be reached from a call, as far as the code of the classes under test
//! says: their methods, what these call, and so on.

use std::sync::Arc;

use classfile::{ClassFile, instructions};
use observe::coverage;
use rustc_hash::FxHashMap;
use vm::value::MethodId;
use vm::vm::Vm;

use super::catalogue::{Action, Catalogue, OpId};

const INVOKE_VIRTUAL: u8 = 0xb6;
const INVOKE_INTERFACE: u8 = 0xb9;

/// Methods followed from one call, at most.
const MOST_FOLLOWED: usize = 200;

/// A method of a class under test, or of one nested in it.
#[derive(Debug)]
struct Body {
    method: MethodId,
    /// Ways that its branches can go.
    n_edges: usize,
}

/// The methods of the classes under test, and which of them calls reach.
#[derive(Debug, Default)]
pub(super) struct Reach {
    bodies: Vec<Body>,
    /// By call: what it reaches.
    reached: Vec<Box<[u32]>>,
}

type Key = (Vec<u8>, Vec<u8>);

impl Reach {
    pub(super) fn new(vm: &Vm, files: &[Arc<ClassFile>], catalogue: &Catalogue) -> Reach {
        let mut reach = Reach::default();
        // By name and descriptor: overriding methods are reached through what they override.
        let mut by_key: FxHashMap<Key, Vec<u32>> = FxHashMap::default();
        let mut called: Vec<Vec<Key>> = Vec::new();
        for (file, method, n_edges, slot) in coverage::edges_by_method(vm, files) {
            let info = &file.methods()[slot];
            let pool = file.constant_pool();
            let key = (pool.utf8(info.name).to_vec(), pool.utf8(info.descriptor).to_vec());
            let idx = u32::try_from(reach.bodies.len()).unwrap_or(u32::MAX);
            by_key.entry(key).or_default().push(idx);
            reach.bodies.push(Body { method, n_edges });
            called.push(calls(file, slot));
        }
        let bodies_of = |keys: Vec<Key>| {
            let mut all: Vec<u32> =
                keys.iter().filter_map(|key| by_key.get(key)).flatten().copied().collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let called: Vec<Vec<u32>> = called.into_iter().map(bodies_of).collect();
        let mut seen_by = vec![u32::MAX; called.len()];
        for (number, op) in (0..).zip(catalogue.ops()) {
            let starts = match &op.action {
                Action::Call(method) if op.target.is_some() => {
                    let key = (method.name.as_bytes().to_vec(), method.descriptor().into_bytes());
                    let candidates = by_key.get(&key).cloned().unwrap_or_default();
                    let own = candidates.iter().copied().filter(|&idx| {
                        let body = &reach.bodies[idx as usize];
                        let class = vm.class(vm.method(body.method).class);
                        class.name.as_bytes() == method.class.as_bytes()
                    });
                    let own: Vec<u32> = own.collect();
                    let is_own = !own.is_empty() || method.is_constructor();
                    if is_own { own } else { candidates }
                }
                _ => Vec::new(),
            };
            reach.reached.push(follow(starts, &called, number, &mut seen_by));
        }
        reach
    }

    /// By call: how many ways of branches can be reached that were not taken yet.
    pub(super) fn uncovered(&self, covered: &FxHashMap<MethodId, usize>) -> Vec<(OpId, usize)> {
        let left = |body: &Body| {
            let taken = covered.get(&body.method).copied().unwrap_or(0);
            body.n_edges.saturating_sub(taken)
        };
        let left: Vec<usize> = self.bodies.iter().map(left).collect();
        let sum = |reached: &[u32]| reached.iter().map(|&idx| left[idx as usize]).sum();
        (0..).map(OpId).zip(self.reached.iter().map(|reached| sum(reached))).collect()
    }
}

/// What is reached from here. The marks are those of the calls with other numbers.
fn follow(
    mut waiting: Vec<u32>,
    called: &[Vec<u32>],
    number: u32,
    seen_by: &mut [u32],
) -> Box<[u32]> {
    let mut reached = Vec::new();
    while let Some(idx) = waiting.pop() {
        if std::mem::replace(&mut seen_by[idx as usize], number) == number {
            continue;
        }
        if reached.len() == MOST_FOLLOWED {
            break;
        }
        reached.push(idx);
        waiting.extend(&called[idx as usize]);
    }
    reached.into()
}

/// Names and descriptors of what a method calls.
fn calls(file: &ClassFile, slot: usize) -> Vec<Key> {
    let Some(code) = &file.methods()[slot].code else { return Vec::new() };
    let bytes = file.instructions(code);
    let pool = file.constant_pool();
    instructions::iter(bytes)
        .filter(|one| (INVOKE_VIRTUAL..=INVOKE_INTERFACE).contains(&one.opcode))
        .filter_map(|one| {
            let at = usize::from(one.pc) + 1;
            let operand = bytes.get(at..at + 2)?;
            let idx = u16::from_be_bytes([operand[0], operand[1]]);
            let (_, name, descriptor) = pool.try_member_ref(idx)?;
            Some((name.to_vec(), descriptor.to_vec()))
        })
        .collect()
}

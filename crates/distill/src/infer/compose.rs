//! Method-call composition (definition 3): two calls are a pair if the first left the state in which the
//! second began, wherever both were made.
//!
//! A call that threw is never first. A call that only ever preserved the state so far is not first either.

use super::count::{Block, Counter};
use super::trace::{ExecutionIdx, MethodIdx, Trace};
use super::{Effect, Instance};
use suite::types::Type;

/// Pairs that are composed, at most: those of the calls that were met first. More would say little more.
const MOST_PAIRS: usize = 5_000_000;

/// All counts.
pub(super) struct Counts {
    pub(super) effects: Vec<(MethodIdx, Effect)>,
    /// One block per method, then one per pair of methods that was met.
    pub(super) blocks: Vec<Block>,
    pub(super) n_pairs: usize,
    /// Whether there were more.
    pub(super) is_cut: bool,
}

/// Composes and counts, in the order in which the calls were met.
#[expect(
    clippy::cast_possible_truncation,
    reason = "fewer than 2^32 calls and pairs fit the memory"
)]
pub(super) fn compose(trace: &Trace) -> Counts {
    let effects = effects(trace);
    let n_methods = trace.methods().len();
    let observers = effects
        .iter()
        .filter(|(method, effect)| {
            let method = &trace.methods()[method.idx()];
            *effect == Effect::Preserves
                && method.parameters.is_empty()
                && method.returns == Type::Boolean
        })
        .map(|(method, _)| *method)
        .collect();
    let counter = Counter::new(trace, observers);
    let mut singles: Vec<Block> =
        effects.iter().map(|&(method, _)| counter.block(method, None)).collect();
    let mut pairs: Vec<Option<Block>> = (0..n_methods * n_methods).map(|_| None).collect();
    let mut changed: Vec<bool> =
        trace.methods().iter().map(|method| !method.has_receiver()).collect();
    let mut beginning: Vec<Vec<ExecutionIdx>> = vec![Vec::new(); trace.n_values()];
    let mut ending: Vec<Vec<ExecutionIdx>> = vec![Vec::new(); trace.n_values()];
    let mut order = 0;
    let mut n_pairs = 0;
    let pair = |pairs: &mut Vec<Option<Block>>, order: &mut u32, first, second| {
        let (f, g) = (trace.method_of(first), trace.method_of(second));
        let block =
            pairs[f.idx() * n_methods + g.idx()].get_or_insert_with(|| counter.block(f, Some(g)));
        counter.count(block, Instance { order: *order, first, second: Some(second) });
        *order += 1;
    };
    for idx in 0..trace.executions().len() {
        let idx = ExecutionIdx(idx as u32);
        let execution = trace.execution(idx);
        let method = trace.method_of(idx);
        counter.count(&mut singles[method.idx()], Instance { order, first: idx, second: None });
        order += 1;
        if execution.entry.is_some() && execution.exit != execution.entry && !execution.threw() {
            changed[method.idx()] = true;
        }
        if let Some(entry) = execution.entry {
            beginning[entry.idx()].push(idx);
        }
        if n_pairs >= MOST_PAIRS {
            continue;
        }
        let can_be_first = !execution.threw() && effects[method.idx()].1 != Effect::Preserves;
        if let (true, Some(exit)) = (can_be_first && changed[method.idx()], execution.exit) {
            for &second in &beginning[exit.idx()] {
                pair(&mut pairs, &mut order, idx, second);
                n_pairs += 1;
            }
        }
        if let Some(entry) = execution.entry {
            for &first in &ending[entry.idx()] {
                if changed[trace.method_of(first).idx()] {
                    pair(&mut pairs, &mut order, first, idx);
                    n_pairs += 1;
                }
            }
        }
        if let (true, Some(exit)) = (can_be_first, execution.exit) {
            ending[exit.idx()].push(idx);
        }
    }
    let blocks = singles.into_iter().chain(pairs.into_iter().flatten()).collect();
    Counts { effects, blocks, n_pairs, is_cut: n_pairs >= MOST_PAIRS }
}

/// What each method does to the state, over all its calls.
#[expect(clippy::cast_possible_truncation, reason = "fewer than 2^32 methods")]
fn effects(trace: &Trace) -> Vec<(MethodIdx, Effect)> {
    let mut preserves = vec![true; trace.methods().len()];
    let mut changes = vec![true; trace.methods().len()];
    for (idx, execution) in trace.executions().iter().enumerate() {
        let method = trace.method_of(ExecutionIdx(idx as u32)).idx();
        let is_same = execution.exit == execution.entry;
        preserves[method] &= is_same && !execution.threw();
        changes[method] &= !is_same && !execution.threw();
    }
    let effect = |idx: usize| match (preserves[idx], changes[idx]) {
        _ if !trace.methods()[idx].has_receiver() => Effect::Makes,
        (true, false) => Effect::Preserves,
        (false, true) => Effect::Changes,
        _ => Effect::Depends,
    };
    (0..preserves.len()).map(|idx| (MethodIdx(idx as u32), effect(idx))).collect()
}

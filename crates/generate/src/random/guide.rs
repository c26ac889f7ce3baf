//! Chooses which call comes next: evenly, as the seed does, or with an eye on what is not covered yet.
//!
//! Guided, a class is drawn first, so that none starves in a large library; then a call of it, more
//! likely the more uncovered branches can be reached from it, less likely the more often it was tried in
//! vain or did not come back. Helpers get a fixed share.

use super::catalogue::{Catalogue, OpId};
use super::rng::Rng;

/// How the next call is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choosing {
    /// All calls alike.
    Uniform,
    /// Those first from which uncovered branches can be reached.
    Guided,
}

/// Share of helpers among the calls.
const HELPERS: f64 = 0.15;
/// Uncovered branches beyond this count no more.
const MOST_UNCOVERED: f64 = 24.0;

/// What is known of a call.
#[derive(Debug, Clone, Default)]
struct Record {
    /// Uncovered branches that can be reached from it.
    uncovered: f64,
    tried: u32,
    /// How often it ran something for the first time.
    rewarded: u32,
    /// How often it did not come back.
    stopped: u32,
}

/// Chooses calls.
#[derive(Debug)]
pub(super) struct Guide {
    choosing: Choosing,
    records: Vec<Record>,
    /// Per class under test: its calls with sums of weights up to each.
    weights: Vec<Vec<(OpId, f64)>>,
    all: Vec<OpId>,
}

impl Guide {
    pub(super) fn new(catalogue: &Catalogue, choosing: Choosing) -> Guide {
        let mut all: Vec<OpId> =
            catalogue.targets.iter().flat_map(|target| target.ops.iter().copied()).collect();
        all.extend(&catalogue.helpers);
        let records = vec![Record::default(); catalogue.ops().len()];
        let mut guide = Guide { choosing, records, weights: Vec::new(), all };
        guide.weigh(catalogue);
        guide
    }

    /// Says how many uncovered branches can be reached from each call.
    pub(super) fn uncovered(&mut self, of: impl Iterator<Item = (OpId, usize)>) {
        for (op, uncovered) in of {
            #[expect(clippy::cast_precision_loss, reason = "a weight")]
            let uncovered = uncovered as f64;
            self.records[op.idx()].uncovered = uncovered.min(MOST_UNCOVERED);
        }
    }

    /// Says how a call ended.
    pub(super) fn tell(&mut self, op: OpId, is_new: bool, is_stopped: bool) {
        let record = &mut self.records[op.idx()];
        record.tried = record.tried.saturating_add(1);
        record.rewarded += u32::from(is_new);
        record.stopped += u32::from(is_stopped);
    }

    /// Computes the weights anew.
    pub(super) fn weigh(&mut self, catalogue: &Catalogue) {
        self.weights.clear();
        for target in &catalogue.targets {
            let mut sum = 0.0;
            let mut weights = Vec::with_capacity(target.ops.len());
            for &op in &target.ops {
                sum += self.weight(op);
                weights.push((op, sum));
            }
            self.weights.push(weights);
        }
    }

    fn weight(&self, op: OpId) -> f64 {
        let record = &self.records[op.idx()];
        let rate = f64::from(record.rewarded + 1) / f64::from(record.tried + 20) * 20.0;
        let promise = 0.5 + record.uncovered / 4.0 + rate.min(4.0);
        // What does not come back costs as much as thousands of others.
        promise / f64::from(1_u32 << (2 * record.stopped.min(10)))
    }

    /// Draws a call.
    pub(super) fn draw(&self, rng: &mut Rng, catalogue: &Catalogue) -> Option<OpId> {
        if self.choosing == Choosing::Uniform {
            return rng.one(&self.all).copied();
        }
        if !catalogue.helpers.is_empty() && rng.happens(HELPERS) {
            return rng.one(&catalogue.helpers).copied();
        }
        let weights = rng.one(&self.weights)?;
        let (_, sum) = weights.last()?;
        #[expect(clippy::cast_precision_loss, reason = "a weight")]
        let drawn = rng.below(1 << 30) as f64 / (1_u64 << 30) as f64 * sum;
        let at = weights.partition_point(|(_, up_to)| *up_to <= drawn);
        weights.get(at).map(|(op, _)| *op)
    }
}

//! Chooses which call comes next: evenly, as the seed does, or with an eye on what is not covered yet.
//!
//! Guided, only calls that something can be called on are drawn; more likely the more uncovered branches can
//! be reached from them, as long as that leads to something: branches that nothing reaches must not draw all
//! attention; less likely the more they cost. Classes on which much less was spent than on others come first for a
//! share of the time, so that none starves in a large library. What often did not come back is hardly tried again.

use super::catalogue::{Catalogue, OpId};
use super::extend::Extension;
use super::pool::Pool;
use super::rng::Rng;

/// How the next call is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choosing {
    /// All calls alike.
    Uniform,
    /// Those first from which uncovered branches can be reached.
    Guided,
}

/// Share of helpers among the calls, at most.
const HELPERS: f64 = 0.15;
/// Share of the calls that goes to classes which were tried less than others.
const HUNGRY: f64 = 0.4;
/// Uncovered branches beyond this count no more.
const MOST_UNCOVERED: f64 = 24.0;
/// Tries after which it shows whether a call leads anywhere, about.
const PATIENCE: f64 = 20.0;

/// What trying a sequence costs beside its calls, in bytecodes, about.
const OF_TRY: u64 = 500;
/// Calls that cost more bytecodes than this are made as much less often, so that each has its share of time.
const CHEAP: f64 = 1_000.0;

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
    /// What all tries took, in bytecodes, about.
    cost: u64,
}

impl Record {
    /// How much more a try costs than a cheap one.
    fn dearness(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a mean")]
        let mean = self.cost as f64 / f64::from(self.tried.max(1));
        (mean / CHEAP).max(1.0)
    }
}

/// How a call ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Told {
    /// Whether it ran something for the first time.
    pub(super) is_new: bool,
    /// Whether it did not come back.
    pub(super) is_stopped: bool,
    /// What the sequence took, in bytecodes, about.
    pub(super) cost: u32,
}

impl Told {
    /// The sequence was there before.
    pub(super) const OLD: Told = Told { is_new: false, is_stopped: false, cost: 0 };
}

/// Calls with sums of weights up to each.
type Sums = Vec<(OpId, f64)>;

/// Chooses calls.
#[derive(Debug)]
pub(super) struct Guide {
    choosing: Choosing,
    records: Vec<Record>,
    /// Calls of all classes under test that are possible.
    weights: Sums,
    /// The same for each class that was tried less than others.
    hungry: Vec<Sums>,
    all: Vec<OpId>,
    /// Calls of other classes, and their share.
    helpers: Sums,
    helpers_share: f64,
    /// Sequences since the weights were computed, and how many of them ran something for the first time.
    lately: (u32, u32),
    heat: f64,
}

impl Guide {
    pub(super) fn new(catalogue: &Catalogue, choosing: Choosing) -> Guide {
        let mut all: Vec<OpId> =
            catalogue.targets.iter().flat_map(|target| target.ops.iter().copied()).collect();
        all.extend(&catalogue.helpers);
        let records = vec![Record::default(); catalogue.ops().len()];
        #[expect(clippy::cast_precision_loss, reason = "a share")]
        let helpers_share = (catalogue.helpers.len() as f64 / all.len().max(1) as f64).min(HELPERS);
        Guide {
            choosing,
            records,
            weights: Vec::new(),
            hungry: Vec::new(),
            all,
            helpers: Vec::new(),
            helpers_share,
            lately: (0, 0),
            heat: 1.0,
        }
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
    pub(super) fn tell(&mut self, op: OpId, told: Told) {
        let Told { is_new, is_stopped, cost } = told;
        let record = &mut self.records[op.idx()];
        record.cost += u64::from(cost);
        record.tried = record.tried.saturating_add(1);
        record.rewarded += u32::from(is_new);
        record.stopped += u32::from(is_stopped);
        self.lately.0 += 1;
        self.lately.1 += u32::from(is_new);
    }

    /// How much of late ran something for the first time, from 0 to 1. While it is much, what led there and
    /// what is cheap is worth building on; later, what is left needs states that nobody thought of.
    pub(super) fn heat(&self) -> f64 {
        self.heat
    }

    /// Computes the weights anew, by what there is to call something on.
    pub(super) fn weigh(&mut self, catalogue: &Catalogue, pool: &Pool) {
        let (tried, rewarded) = std::mem::take(&mut self.lately);
        if tried > 0 {
            // One sequence in fifty is a lot.
            let rate = f64::from(rewarded) / f64::from(tried) * 50.0;
            self.heat = self.heat / 2.0 + rate.min(1.0) / 2.0;
        }
        self.weights.clear();
        self.hungry.clear();
        let spent = |ops: &[OpId]| -> u64 {
            let records = ops.iter().map(|op| &self.records[op.idx()]);
            records.map(|record| record.cost + u64::from(record.tried) * OF_TRY).sum()
        };
        let all: u64 = catalogue.targets.iter().map(|target| spent(&target.ops)).sum();
        let little = all / (catalogue.targets.len().max(1) as u64 * 4);
        let mut sum = 0.0;
        for target in &catalogue.targets {
            let is_hungry = catalogue.targets.len() > 1 && spent(&target.ops) <= little;
            let mut own = Vec::new();
            let mut own_sum = 0.0;
            for &op in &target.ops {
                let weight = self.weight(op) * chance(catalogue, pool, op);
                if weight > 0.0 {
                    sum += weight;
                    own_sum += weight;
                    self.weights.push((op, sum));
                    own.push((op, own_sum));
                }
            }
            if is_hungry && !own.is_empty() {
                self.hungry.push(own);
            }
        }
        self.helpers.clear();
        let mut sum = 0.0;
        for &op in &catalogue.helpers {
            sum += 1.0 / self.records[op.idx()].dearness();
            self.helpers.push((op, sum));
        }
    }

    fn weight(&self, op: OpId) -> f64 {
        let record = &self.records[op.idx()];
        let fresh =
            f64::from(record.rewarded + 1) * PATIENCE / (f64::from(record.tried) + PATIENCE);
        let promise = 1.0 + fresh.min(4.0) * (1.0 + record.uncovered / 8.0) / 2.0;
        // What does not come back costs as much as thousands of others.
        let promise = promise / f64::from(1_u32 << (2 * record.stopped.min(10)));
        promise / record.dearness()
    }

    /// Draws a call.
    pub(super) fn draw(&self, rng: &mut Rng) -> Option<OpId> {
        if self.choosing == Choosing::Uniform {
            return rng.one(&self.all).copied();
        }
        if !self.helpers.is_empty() && rng.happens(self.helpers_share) {
            return weighted(&self.helpers, rng);
        }
        if !self.hungry.is_empty() && rng.happens(HUNGRY) {
            let hungry = rng.one(&self.hungry)?;
            return weighted(hungry, rng);
        }
        // Before anything is there to call something on, helpers may make it.
        weighted(&self.weights, rng).or_else(|| weighted(&self.helpers, rng))
    }
}

/// One of these by its weight.
fn weighted(sums: &Sums, rng: &mut Rng) -> Option<OpId> {
    let (_, sum) = sums.last()?;
    #[expect(clippy::cast_precision_loss, reason = "a weight")]
    let drawn = rng.below(1 << 30) as f64 / (1_u64 << 30) as f64 * sum;
    let at = sums.partition_point(|(_, up_to)| *up_to <= drawn);
    sums.get(at).map(|(op, _)| *op)
}

/// Whether a call is possible: without a receiver there is none, without other arguments there is `null`.
fn chance(catalogue: &Catalogue, pool: &Pool, op: OpId) -> f64 {
    let described = catalogue.op(op);
    let mut chance = 1.0;
    for (position, &wanted) in described.params.iter().enumerate() {
        if !Extension::has(pool, catalogue, wanted) {
            let is_receiver = described.has_receiver && position == 0;
            chance *= if is_receiver { 0.0 } else { 0.3 };
        }
    }
    chance
}

//! Shrinks a sequence that shows something, as long as it still shows it.
//!
//! Each pass offers simpler sequences to a predicate and takes over what passes. Simpler is a number
//! (`simplicity`): fewer statements, then fewer arguments, fewer variables as arguments, plainer
//! constants, earlier variables. Only what is strictly simpler and was not asked before is asked, so
//! the search ends, is the same each time, and a pass that changed nothing changes nothing again.
//!
//! Removing in halves, quarters and so on follows Zeller and Hildebrandt, "Simplifying and isolating
//! failure-inducing input" (2002). Deviation: what depends on a removed statement goes with it, and the
//! complement of a chunk is never tried alone, since it is what smaller chunks leave.
//!
//! Must not know: how a sequence is run.

mod argument;
mod array;
mod constant;
mod producer;
mod removal;
#[cfg(test)]
mod tests;

use std::hash::BuildHasher as _;

use rustc_hash::{FxBuildHasher, FxHashSet};
use suite::constant::Constant;
use suite::sequence::{Arg, Sequence, Var};

/// Whether shrinking may write `null` where something else stood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nulls {
    /// It may.
    Allowed,
    /// It may not: what is found without `null` must not become a finding with it.
    Never,
}

/// How much may be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How often the predicate is asked at most.
    pub most_tries: usize,
    /// Whether `null` may take the place of an argument.
    pub nulls: Nulls,
}

/// Shrinks a sequence whose statement `focus` shows something; the focus stays the last statement and
/// keeps its operation. `null` comes in only where the sequence passes a `null` already.
///
/// The predicate is asked about well-typed sequences only, and at most `most_tries` times. It must hold
/// for the sequence up to the focus; what comes behind the focus is dropped if it does not matter, else
/// the sequence is given back as it was.
pub fn shrink(
    sequence: &Sequence,
    focus: Var,
    still: &mut dyn FnMut(&Sequence) -> bool,
    most_tries: usize,
) -> Sequence {
    let passes_null = sequence
        .statements()
        .iter()
        .any(|statement| statement.args.contains(&Arg::Constant(Constant::Null)));
    let nulls = if passes_null { Nulls::Allowed } else { Nulls::Never };
    shrink_within(sequence, focus, still, Limits { most_tries, nulls })
}

/// Like [`shrink`], with `null` allowed or not.
pub fn shrink_within(
    sequence: &Sequence,
    focus: Var,
    still: &mut dyn FnMut(&Sequence) -> bool,
    limits: Limits,
) -> Sequence {
    if focus.idx() >= sequence.len() {
        return sequence.clone();
    }
    let best = sequence.up_to(focus);
    let mut search = Search {
        simplicity: simplicity(&best),
        best,
        still,
        tries_left: limits.most_tries,
        asked: FxHashSet::default(),
        nulls: limits.nulls,
    };
    if search.best.len() < sequence.len() && !search.holds_as_it_is() {
        return sequence.clone();
    }
    loop {
        let before = search.simplicity;
        removal::unrelated(&mut search);
        removal::repeated(&mut search);
        removal::chunks(&mut search);
        producer::pass(&mut search);
        argument::pass(&mut search);
        array::pass(&mut search);
        constant::pass(&mut search);
        if search.tries_left == 0 || search.simplicity == before {
            return search.best;
        }
    }
}

/// Leaves out statements at the end, one by one, as long as the predicate holds; the first one stays.
pub fn without_end(sequence: &Sequence, still: &mut dyn FnMut(&Sequence) -> bool) -> Sequence {
    let mut best = sequence.clone();
    while best.len() > 1 {
        let shorter = best.up_to(Var(best.next_var().0 - 2));
        if !still(&shorter) {
            break;
        }
        best = shorter;
    }
    best
}

/// What the passes share.
struct Search<'a> {
    /// The simplest sequence so far for which the predicate holds; its last statement is the focus.
    best: Sequence,
    /// How simple it is.
    simplicity: Simplicity,
    still: &'a mut dyn FnMut(&Sequence) -> bool,
    tries_left: usize,
    /// Hashes of what was asked; two that are alike by chance cost a try, no more.
    asked: FxHashSet<u64>,
    nulls: Nulls,
}

impl Search<'_> {
    /// Takes the candidate over if it is simpler and the predicate holds.
    fn offer(&mut self, candidate: Sequence) -> bool {
        if self.tries_left == 0 {
            return false;
        }
        let simplicity = simplicity(&candidate);
        if simplicity >= self.simplicity || !self.asked.insert(FxBuildHasher.hash_one(&candidate)) {
            return false;
        }
        self.tries_left -= 1;
        let holds = (self.still)(&candidate);
        if holds {
            self.best = candidate;
            self.simplicity = simplicity;
        }
        holds
    }

    /// Offers the best one without these statements and what depends on them, unless the focus goes too.
    fn offer_without(&mut self, removed: &[bool]) -> bool {
        let (candidate, became) = self.best.without(removed);
        matches!(became.last(), Some(Some(_))) && self.offer(candidate)
    }

    /// Offers a changed sequence: first without these statements, if nothing uses them any more, then
    /// as it is.
    fn offer_with_or_without(&mut self, changed: Sequence, idle: Var) -> bool {
        if changed.statements().iter().flat_map(|statement| statement.uses()).all(|it| it != idle) {
            let removed: Vec<bool> = (0..changed.len()).map(|idx| idx == idle.idx()).collect();
            if self.offer(changed.without(&removed).0) {
                return true;
            }
        }
        self.offer(changed)
    }

    fn holds_as_it_is(&mut self) -> bool {
        if self.tries_left == 0 {
            return false;
        }
        self.tries_left -= 1;
        self.asked.insert(FxBuildHasher.hash_one(&self.best));
        (self.still)(&self.best)
    }
}

/// How simple a sequence is: the smaller, the simpler.
type Simplicity = (usize, usize, usize, u128, usize);

fn simplicity(sequence: &Sequence) -> Simplicity {
    let (mut args, mut variables, mut constants, mut positions) = (0, 0, 0_u128, 0);
    for arg in sequence.statements().iter().flat_map(|statement| &statement.args) {
        args += 1;
        match arg {
            Arg::Constant(it) => constants = constants.saturating_add(constant::weight(it)),
            Arg::Var(var) => {
                variables += 1;
                positions += var.idx();
            }
        }
    }
    (sequence.len(), args, variables, constants, positions)
}

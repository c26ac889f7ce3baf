//! Does without a statement by taking the result of an earlier one wherever its result was used.
//!
//! Merges statements that say the same, and puts what an object was made of in its place: `copy(x)`
//! becomes `x`.

use suite::sequence::{Arg, Sequence, Var};
use suite::types::Type;

use super::Search;

/// How many earlier results are tried for one.
const MOST_STAND_INS: usize = 8;

pub(super) fn pass(search: &mut Search<'_>) {
    let mut idx = search.best.len().saturating_sub(1);
    while 0 < idx {
        idx -= 1;
        for stand_in in stand_ins(&search.best, idx) {
            let Ok(changed) = search.best.substituted(var(idx), &Arg::Var(stand_in)) else {
                continue;
            };
            let removed: Vec<bool> = (0..=idx).map(|at| at == idx).collect();
            if search.offer(changed.without(&removed).0) {
                break;
            }
        }
    }
}

/// Earlier variables of the type of this one, the likeliest first: what is made in the same words, what
/// it is itself made of, then the earliest.
fn stand_ins(sequence: &Sequence, idx: usize) -> Vec<Var> {
    let statements = sequence.statements();
    let own = &statements[idx];
    let result = own.result();
    if result == Type::Void {
        return Vec::new();
    }
    let mut earlier: Vec<usize> =
        (0..idx).filter(|&at| statements[at].result() == result).collect();
    earlier
        .sort_by_key(|&at| (statements[at] != *own, !own.uses().any(|used| used.idx() == at), at));
    earlier.truncate(MOST_STAND_INS);
    earlier.into_iter().map(var).collect()
}

fn var(idx: usize) -> Var {
    Var(u32::try_from(idx).unwrap_or(u32::MAX))
}

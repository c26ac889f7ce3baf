//! Removes statements: those that share no object with the focus, repeated ones, then chunks.

use rustc_hash::FxHashMap;

use super::Search;

/// Tries to do without everything that is not tied to the focus by any chain of shared objects.
pub(super) fn unrelated(search: &mut Search<'_>) {
    let statements = search.best.statements();
    let mut tied = vec![false; statements.len()];
    if let Some(focus) = tied.last_mut() {
        *focus = true;
    }
    // A later statement may change an object that an earlier tied one uses, so this goes round.
    let mut changed = true;
    while changed {
        changed = false;
        for (idx, statement) in statements.iter().enumerate().rev() {
            if !tied[idx] && statement.uses().any(|used| tied[used.idx()]) {
                tied[idx] = true;
                changed = true;
            }
            if tied[idx] {
                for used in statement.uses() {
                    changed |= !tied[used.idx()];
                    tied[used.idx()] = true;
                }
            }
        }
    }
    let removed: Vec<bool> = tied.iter().map(|tied| !tied).collect();
    search.offer_without(&removed);
}

/// Tries to make each call once that is made several times in the same words, its result unused.
pub(super) fn repeated(search: &mut Search<'_>) {
    let statements = search.best.statements();
    let mut used = vec![false; statements.len()];
    for var in statements.iter().flat_map(|statement| statement.uses()) {
        used[var.idx()] = true;
    }
    let mut first = FxHashMap::default();
    let mut removed = vec![false; statements.len()];
    let focus = statements.len().saturating_sub(1);
    for (idx, statement) in statements.iter().enumerate() {
        if used[idx] || idx == focus {
            continue;
        }
        removed[idx] = *first.entry(statement).or_insert(idx) != idx;
    }
    search.offer_without(&removed);
}

/// Tries to do without halves, quarters, ... single statements, from the back.
pub(super) fn chunks(search: &mut Search<'_>) {
    let mut size = search.best.len().saturating_sub(1).div_ceil(2);
    while size > 0 {
        // The focus, the last statement, is in no chunk.
        let mut end = search.best.len() - 1;
        while end > 0 {
            let start = end.saturating_sub(size);
            let removed: Vec<bool> = (0..end).map(|idx| start <= idx).collect();
            search.offer_without(&removed);
            // Dependents that went too stood behind the chunk.
            end = start;
        }
        size = if size == 1 { 0 } else { size.div_ceil(2) };
    }
}

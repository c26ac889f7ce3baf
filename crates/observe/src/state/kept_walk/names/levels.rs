//! What waits for its turn, the nearest first: a queue that has no more to do than to look at two fronts, since all
//! that comes while it is worked off is one step farther than what has it come.

use std::collections::VecDeque;

/// What waits, with how far it is.
#[derive(Debug)]
pub(super) struct Levels<T> {
    /// What was there in the beginning, the farthest first.
    first: Vec<(u32, T)>,
    /// What came later, the nearest first.
    later: VecDeque<(u32, T)>,
}

impl<T> Default for Levels<T> {
    fn default() -> Levels<T> {
        Levels { first: Vec::new(), later: VecDeque::new() }
    }
}

impl<T> Levels<T> {
    /// Something waits, however far it is; before `begin`.
    pub(super) fn add(&mut self, distance: u32, what: T) {
        self.first.push((distance, what));
    }

    /// Nothing is added any more, but what follows.
    pub(super) fn begin(&mut self) {
        self.first.sort_by_key(|&(distance, _)| std::cmp::Reverse(distance));
    }

    /// Something comes that is no nearer than what came before.
    pub(super) fn follow(&mut self, distance: u32, what: T) {
        debug_assert!(self.later.back().is_none_or(|&(before, _)| before <= distance));
        self.later.push_back((distance, what));
    }

    /// The nearest.
    pub(super) fn pop(&mut self) -> Option<(u32, T)> {
        match (self.first.last(), self.later.front()) {
            (Some((first, _)), Some((later, _))) if later < first => self.later.pop_front(),
            (Some(_), _) => self.first.pop(),
            (None, _) => self.later.pop_front(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Levels;

    #[test]
    fn the_nearest_comes_first_whenever_it_came() {
        let mut levels = Levels::default();
        [7, 2, 5].into_iter().for_each(|distance| levels.add(distance, distance));
        levels.begin();
        let mut order = Vec::new();
        while let Some((distance, _)) = levels.pop() {
            order.push(distance);
            if order.len() < 6 {
                levels.follow(distance + 1, distance + 1);
            }
        }
        assert_eq!(order, [2, 3, 4, 5, 5, 6, 6, 7]);
    }
}

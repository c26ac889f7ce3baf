//! Which calls of a run built an object: the one that gave it, those that changed it, and the same for
//! every object that these calls were given.

use std::collections::BTreeSet;

use super::{Harvest, ObjectId, SeenEnd};

/// Which further calls are taken for a part of the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Those that were seen to change an object of the way.
    Direct,
    /// Also those that changed what an object of the way gave out, and so perhaps a part of it.
    Derived,
}

impl Harvest {
    /// The calls that built an object up to a call, in order; `None` where that is not known, or where
    /// they are more than `most`.
    pub fn way(
        &self,
        object: ObjectId,
        before: usize,
        reach: Reach,
        most: usize,
    ) -> Option<Vec<usize>> {
        let mut calls: BTreeSet<usize> = BTreeSet::new();
        let mut known: BTreeSet<ObjectId> = BTreeSet::new();
        let mut todo = vec![object];
        while let Some(object) = todo.pop() {
            if !known.insert(object) {
                continue;
            }
            let seen = &self.objects[object.idx()];
            if seen.maker >= before {
                return None;
            }
            let mut wanted = vec![seen.maker];
            for &idx in seen.uses.iter().take_while(|&&idx| idx < before) {
                let call = &self.calls[idx];
                // A call that is under way changes nothing before it has ended.
                if call.end == SeenEnd::Open {
                    continue;
                }
                if call.changed.contains(&object) {
                    wanted.push(idx);
                }
                if reach == Reach::Derived
                    && let SeenEnd::Returned(Some(given)) = call.end
                    && self.objects[given.idx()].maker == idx
                    && self.is_changed(given, before)
                {
                    todo.push(given);
                }
            }
            for idx in wanted {
                let call = &self.calls[idx];
                // Sequences end at exceptions, and nobody can repeat what was not seen.
                if !matches!(call.end, SeenEnd::Returned(_)) || !call.is_known() {
                    return None;
                }
                if calls.insert(idx) {
                    todo.extend(call.objects());
                }
            }
            if calls.len() > most {
                return None;
            }
        }
        Some(calls.into_iter().collect())
    }

    fn is_changed(&self, object: ObjectId, before: usize) -> bool {
        let uses = &self.objects[object.idx()].uses;
        uses.iter().any(|&idx| idx < before && self.calls[idx].changed.contains(&object))
    }
}

//! The objects that tests got from calls, followed to wherever the collector moves them.

use rustc_hash::FxHashMap;
use vm::handles::Followed;
use vm::value::Ref;
use vm::vm::Vm;

use super::ObjectId;

/// Calls with one object after which it is too long a story: looking at it again and again would cost
/// more than it is worth.
const MOST_USES: u32 = 200;

#[derive(Debug, Default)]
pub(super) struct Objects {
    by_place: FxHashMap<Ref, ObjectId>,
    /// By object; none for those that are gone or given up.
    followed: Vec<Option<Followed>>,
    n_uses: Vec<u32>,
    n_collections: u64,
}

impl Objects {
    /// Follows the objects to where the collector has moved them.
    pub(super) fn sync(&mut self, vm: &mut Vm) {
        let n_collections = vm.gc.stats.n_collections();
        if self.n_collections == n_collections {
            return;
        }
        self.n_collections = n_collections;
        self.by_place.clear();
        for (idx, slot) in (0..).zip(&mut self.followed) {
            let Some(followed) = *slot else { continue };
            match vm.handles.followed(followed).some() {
                Some(object) => {
                    self.by_place.insert(object, ObjectId(idx));
                }
                None => {
                    vm.handles.unfollow(followed);
                    *slot = None;
                }
            }
        }
    }

    pub(super) fn find(&self, object: Ref) -> Option<ObjectId> {
        let id = *self.by_place.get(&object)?;
        (self.n_uses[id.idx()] < MOST_USES).then_some(id)
    }

    pub(super) fn get(&self, vm: &Vm, id: ObjectId) -> Option<Ref> {
        vm.handles.followed(self.followed[id.idx()]?).some()
    }

    /// `None` where the object is known and was given up.
    #[expect(clippy::cast_possible_truncation, reason = "far fewer objects than 2^32")]
    pub(super) fn add(&mut self, vm: &mut Vm, object: Ref) -> Option<ObjectId> {
        if self.by_place.contains_key(&object) {
            return None;
        }
        let id = ObjectId(self.followed.len() as u32);
        self.followed.push(Some(vm.handles.follow(object)));
        self.n_uses.push(0);
        self.by_place.insert(object, id);
        Some(id)
    }

    pub(super) fn note_use(&mut self, id: ObjectId) {
        self.n_uses[id.idx()] += 1;
    }

    pub(super) fn forget(&mut self, vm: &mut Vm) {
        for followed in self.followed.drain(..).flatten() {
            vm.handles.unfollow(followed);
        }
        self.by_place.clear();
    }
}

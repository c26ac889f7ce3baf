//! Objects that code outside the machine holds on to while the collector moves them.
//!
//! Between two calls from outside, a bare `Ref` may go stale as soon as Java code runs without an
//! open mark. Handles stay. They are not rolled back: whoever rolls back forgets the handles of
//! objects that were made since.

use crate::value::Ref;

/// Stands for an object until it is released.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "an object is held until its handle is released"]
pub struct Handle(u32);

/// Stands for an object that may go: it is followed, not held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Followed(u32);

/// The held objects of one machine.
#[derive(Debug, Default, Clone)]
pub struct Handles {
    slots: Vec<Ref>,
    free: Vec<u32>,
    followed: Vec<Ref>,
    free_followed: Vec<u32>,
}

impl Handles {
    /// Holds an object.
    #[expect(clippy::cast_possible_truncation, reason = "far fewer handles than 2^32")]
    pub fn hold(&mut self, object: Ref) -> Handle {
        if let Some(idx) = self.free.pop() {
            self.slots[idx as usize] = object;
            return Handle(idx);
        }
        self.slots.push(object);
        Handle(self.slots.len() as u32 - 1)
    }

    /// The object, where it is now.
    pub fn get(&self, handle: &Handle) -> Ref {
        self.slots[handle.0 as usize]
    }

    /// Lets the object go; gives it once more.
    pub fn release(&mut self, handle: Handle) -> Ref {
        self.free.push(handle.0);
        std::mem::replace(&mut self.slots[handle.0 as usize], Ref::NULL)
    }

    /// Follows an object without holding it: where it is after collections, as long as it lives.
    #[expect(clippy::cast_possible_truncation, reason = "far fewer objects than 2^32")]
    pub fn follow(&mut self, object: Ref) -> Followed {
        if let Some(idx) = self.free_followed.pop() {
            self.followed[idx as usize] = object;
            return Followed(idx);
        }
        self.followed.push(object);
        Followed(self.followed.len() as u32 - 1)
    }

    /// Where a followed object is now; null once it was collected.
    pub fn followed(&self, followed: Followed) -> Ref {
        self.followed[followed.0 as usize]
    }

    /// Follows an object no longer.
    pub fn unfollow(&mut self, followed: Followed) {
        self.followed[followed.0 as usize] = Ref::NULL;
        self.free_followed.push(followed.0);
    }

    /// The followed objects, for the collector.
    pub(crate) fn followed_mut(&mut self) -> impl Iterator<Item = &mut Ref> {
        self.followed.iter_mut().filter(|object| !object.is_null())
    }

    /// The slots, for the collector.
    pub(crate) fn slots_mut(&mut self) -> impl Iterator<Item = &mut Ref> {
        self.slots.iter_mut()
    }
}

//! How the contracts of iterators come by one: the object itself, or a new one that it gives.

use super::scene::{Judged, Scene, Value, Want};
use super::traits::Traits;

/// Most steps that are made.
pub(super) const MOST_STEPS: usize = 20;

/// Of what classes objects give an iterator.
pub(super) fn applies(traits: &Traits) -> bool {
    traits.is.iterator || traits.is.iterable
}

/// The iterator.
pub(super) fn iterator_of(scene: &mut Scene<'_>, traits: &Traits, x: Value) -> Judged<Value> {
    if traits.is.iterator {
        return Ok(x);
    }
    let known = scene.known;
    let iterator = scene.call(&known.iterable_iterator, &[x])?;
    scene.premise(iterator, Want::NotNull)?;
    Ok(iterator)
}

//! The size of a collection is the number of elements that its iterator gives and that `toArray` holds
//! (java.util.Collection).

use super::plain_values::MOST;
use super::rule::{Contract, Law};
use super::scene::{Judged, Scene, Value, Want};
use super::traits::Traits;

pub(super) const CONTRACT: Contract = Contract::new(
    "collection-size",
    "x.size() must be the number of its elements",
    Law::Object { applies, judge },
);

fn applies(traits: &Traits) -> bool {
    traits.is.collection
}

fn judge(scene: &mut Scene<'_>, _: &Traits, x: Value) -> Judged {
    let known = scene.known;
    let size = scene.demand_return(&known.size, &[x])?;
    let array = scene.call(&known.to_array, &[x])?;
    scene.demand(array, Want::NotNull)?;
    let length = scene.call(&known.array_length, &[array])?;
    scene.demand(length, Want::EqualTo(size))?;
    let n_elements = size.as_int();
    if n_elements > MOST {
        return Ok(());
    }
    // What holds needs not be shown with what may not.
    scene.forget();
    let size = scene.call(&known.size, &[x])?;
    scene.premise(size, Want::Int(n_elements))?;
    let iterator = scene.call(&known.iterator, &[x])?;
    scene.demand(iterator, Want::NotNull)?;
    for _ in 0..n_elements {
        let has_next = scene.call(&known.has_next, &[iterator])?;
        scene.demand(has_next, Want::True)?;
        scene.call(&known.next, &[iterator])?;
    }
    let has_next = scene.call(&known.has_next, &[iterator])?;
    scene.demand(has_next, Want::False)
}

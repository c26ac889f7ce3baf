//! Where `hasNext` says that there is more, `next` gives it (java.util.Iterator).

use super::iteration::{MOST_STEPS, applies, iterator_of};
use super::rule::{Contract, Law};
use super::scene::{Judged, Scene, Value, Want};
use super::traits::Traits;

pub(super) const CONTRACT: Contract = Contract::new(
    "iterator-next",
    "next() must return where hasNext() is true",
    Law::Object { applies, judge },
);

fn judge(scene: &mut Scene<'_>, traits: &Traits, x: Value) -> Judged {
    let known = scene.known;
    let iterator = iterator_of(scene, traits, x)?;
    for _ in 0..MOST_STEPS {
        let has_next = scene.call(&known.has_next, &[iterator])?;
        if !has_next.as_bool() {
            return Ok(());
        }
        scene.premise(has_next, Want::True)?;
        scene.demand_return(&known.next, &[iterator])?;
    }
    Ok(())
}

//! Asking an iterator whether there is more changes nothing (java.util.Iterator).

use super::iteration::{MOST_STEPS, applies, iterator_of};
use super::rule::{Contract, Law};
use super::scene::{Judged, Scene, Value, Want};
use super::traits::Traits;

pub(super) const CONTRACT: Contract = Contract::new(
    "iterator-has-next",
    "hasNext() must say the same twice",
    Law::Object { applies, judge },
);

fn judge(scene: &mut Scene<'_>, traits: &Traits, x: Value) -> Judged {
    let known = scene.known;
    let iterator = iterator_of(scene, traits, x)?;
    for _ in 0..MOST_STEPS {
        let first = scene.demand_return(&known.has_next, &[iterator])?;
        let second = scene.demand_return(&known.has_next, &[iterator])?;
        scene.demand(second, Want::EqualTo(first))?;
        if !first.as_bool() {
            return Ok(());
        }
        scene.call(&known.next, &[iterator])?;
    }
    Ok(())
}

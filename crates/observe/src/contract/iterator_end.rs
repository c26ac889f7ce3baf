//! Where `hasNext` says that there is no more, `next` throws `NoSuchElementException` (java.util.Iterator).

use super::iteration::{MOST_STEPS, applies, iterator_of};
use super::rule::{Contract, Law};
use super::scene::{Judged, Scene, Value, Want};
use super::traits::Traits;

pub(super) const CONTRACT: Contract = Contract::new(
    "iterator-end",
    "next() must throw NoSuchElementException where hasNext() is false",
    Law::Object { applies, judge },
);

fn judge(scene: &mut Scene<'_>, traits: &Traits, x: Value) -> Judged {
    let known = scene.known;
    let iterator = iterator_of(scene, traits, x)?;
    for _ in 0..MOST_STEPS {
        let has_next = scene.call(&known.has_next, &[iterator])?;
        if !has_next.as_bool() {
            scene.premise(has_next, Want::False)?;
            return scene.demand_throw(
                &known.next,
                &[iterator],
                "java/util/NoSuchElementException",
            );
        }
        scene.call(&known.next, &[iterator])?;
    }
    Ok(())
}

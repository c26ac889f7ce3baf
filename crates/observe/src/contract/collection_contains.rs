//! A collection contains what its iterator gives (java.util.Collection). Judged for values alone that
//! nobody can change and whose `equals` is right.

use super::plain_values::{MOST, premise_of_content};
use super::rule::{Contract, Law};
use super::scene::{Judged, Scene, Value, Want};
use super::traits::Traits;

pub(super) const CONTRACT: Contract = Contract::new(
    "collection-contains",
    "x must contain each of its elements",
    Law::Object { applies, judge },
);

fn applies(traits: &Traits) -> bool {
    traits.is.collection
}

fn judge(scene: &mut Scene<'_>, _: &Traits, x: Value) -> Judged {
    scene.unless_excused(|scene| premise_of_content(scene, x), |scene| law(scene, x))
}

fn law(scene: &mut Scene<'_>, x: Value) -> Judged {
    let known = scene.known;
    let iterator = scene.call(&known.iterator, &[x])?;
    scene.premise(iterator, Want::NotNull)?;
    for _ in 0..MOST {
        let has_next = scene.call(&known.has_next, &[iterator])?;
        if !has_next.as_bool() {
            return Ok(());
        }
        let element = scene.call(&known.next, &[iterator])?;
        let contains = scene.demand_return(&known.contains, &[x, element])?;
        scene.demand(contains, Want::True)?;
    }
    Ok(())
}

//! A collection contains what was added to it, where `add` says that it changed (java.util.Collection).

use super::plain_values::premise_of_equality;
use super::rule::{Contract, Law};
use super::scene::{Judged, Scene, Value, Want};
use super::traits::Traits;

pub(super) const CONTRACT: Contract = Contract::new(
    "collection-add",
    "x must contain what x.add took",
    Law::Object { applies, judge },
);

fn applies(traits: &Traits) -> bool {
    traits.is.collection
}

fn judge(scene: &mut Scene<'_>, _: &Traits, x: Value) -> Judged {
    scene.unless_excused(|scene| premise_of_equality(scene, x), |scene| law(scene, x))
}

fn law(scene: &mut Scene<'_>, x: Value) -> Judged {
    let known = scene.known;
    for is_text in [true, false] {
        let element = if is_text { scene.text("a")? } else { scene.boxed(7)? };
        // Collections may refuse an element, or all of them.
        let added = match scene.attempt(&known.add, &[x, element])? {
            Ok(added) => added,
            Err(_) => return Ok(()),
        };
        if added.as_bool() {
            scene.note(added);
            let contains = scene.call(&known.contains, &[x, element])?;
            scene.demand(contains, Want::True)?;
        }
    }
    Ok(())
}

//! Equal objects have equal hash codes (java.lang.Object).

use super::plain_values::premise_of_content;
use super::rule::{Contract, Law};
use super::scene::{Judged, Scene, Value, Want};
use super::traits::Traits;

pub(super) const CONTRACT: Contract = Contract::new(
    "equals-hash-code",
    "x.hashCode() and y.hashCode() must be equal where x.equals(y)",
    Law::Pair { applies, judge },
);

fn applies(one: &Traits, _: &Traits) -> bool {
    one.own_equals
}

fn judge(scene: &mut Scene<'_>, x: Value, y: Value) -> Judged {
    scene.unless_excused(
        |scene| premise_of_content(scene, x).and_then(|()| premise_of_content(scene, y)),
        |scene| law(scene, x, y),
    )
}

fn law(scene: &mut Scene<'_>, x: Value, y: Value) -> Judged {
    if x.reference() == y.reference() {
        return Ok(());
    }
    let known = scene.known;
    let is_equal = scene.call(&known.equals, &[x, y])?;
    scene.premise(is_equal, Want::True)?;
    let first = scene.call(&known.hash_code, &[x])?;
    let second = scene.call(&known.hash_code, &[y])?;
    scene.demand(second, Want::EqualTo(first))
}

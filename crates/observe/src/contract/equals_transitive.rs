//! Where `x.equals(y)` and `y.equals(z)`, there `x.equals(z)` (java.lang.Object).

use super::plain_values::premise_of_content;
use super::rule::{Contract, Law};
use super::scene::{Judged, Scene, Value, Want};
use super::traits::Traits;

pub(super) const CONTRACT: Contract = Contract::new(
    "equals-transitive",
    "x.equals(z) must be true where x.equals(y) and y.equals(z) are",
    Law::Triple { applies, judge },
);

fn applies(one: &Traits, other: &Traits, _: &Traits) -> bool {
    one.own_equals && other.own_equals
}

fn judge(scene: &mut Scene<'_>, x: Value, y: Value, z: Value) -> Judged {
    scene.unless_excused(
        |scene| [x, y, z].iter().try_for_each(|&value| premise_of_content(scene, value)),
        |scene| law(scene, x, y, z),
    )
}

fn law(scene: &mut Scene<'_>, x: Value, y: Value, z: Value) -> Judged {
    // There and back again is a question of symmetry and reflexivity.
    if x.reference() == z.reference() {
        return Ok(());
    }
    let equals = &scene.known.equals;
    let first = scene.call(equals, &[x, y])?;
    scene.premise(first, Want::True)?;
    let second = scene.call(equals, &[y, z])?;
    scene.premise(second, Want::True)?;
    let both = scene.call(equals, &[x, z])?;
    scene.demand(both, Want::True)
}
